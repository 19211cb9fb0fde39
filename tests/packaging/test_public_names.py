"""What the packages export, and what importing them costs."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import pkgutil
import re
import subprocess
import sys

import pytest

import toolset
import toolset_gen

PUBLIC = sorted(
    info.name
    for package in (toolset, toolset_gen)
    for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if not any(part.startswith("_") for part in info.name.split("."))
)
PROMISED = {
    "toolset": [
        "Context",
        "Event",
        "Fiber",
        "Next",
        "Service",
        "ToolsetError",
        "define_tool",
        "event",
        "tool",
    ],
    "toolset.services.tools": ["ToolRegistry"],
    "toolset.services.timer": ["Timer"],
    "toolset.services.fs": ["FileSystem"],
    "toolset.cordis": ["Config", "apply", "inject", "name"],
    "toolset.loader": ["Loader"],
}
# Modules that users import from; the other public ones show theirs through their package.
HOMES = ["toolset.catalog", "toolset.cordis", "toolset.services.timer", "toolset.testing"]
HEAVY = ["black", "click", "griffe", "jinja2", "jsonschema", "libcst", "pydantic", "yaml"]


def isort_key(name: str) -> tuple[int, str]:
    """Order constants, then classes, then the rest, as the linter does."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


def loaded_by(statement: str) -> set[str]:
    """Run a statement in a fresh interpreter; give the top-level names of the modules it loaded."""
    code = f"{statement}; import json, sys; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, encoding="utf-8", check=True
    )
    return {name.partition(".")[0] for name in json.loads(done.stdout)}


@pytest.mark.parametrize("name", ["toolset", "toolset_gen", *PUBLIC])
def test_exports_are_sorted(name: str) -> None:
    """`__all__` is sorted and names what exists; without one nothing in a module is public."""
    module = importlib.import_module(name)
    exported: list[str] = list(getattr(module, "__all__", []))
    assert exported == sorted(set(exported), key=isort_key)
    assert [entry for entry in exported if not hasattr(module, entry)] == []


@pytest.mark.parametrize("name", HOMES)
def test_exports_are_complete(name: str) -> None:
    """A module that users import from leaves out no function, class or event of its own."""
    module = importlib.import_module(name)
    names = {getattr(node, "name", "_") for node in ast.parse(inspect.getsource(module)).body}
    public = {entry for entry in names if not entry.startswith("_")}
    assert sorted(public - set(module.__all__)) == []


@pytest.mark.parametrize(("name", "names"), PROMISED.items())
def test_promised_names_exist(name: str, names: list[str]) -> None:
    """The import paths that users rely on are there."""
    module = importlib.import_module(name)
    assert [entry for entry in names if not hasattr(module, entry)] == []


def test_package_export_is_its_own() -> None:
    """What `toolset` exports is what `toolset.runtime` or `toolset.services` exports, not a copy."""
    homes = [importlib.import_module(f"toolset.{layer}") for layer in ("runtime", "services.tools")]
    for name in toolset.__all__:
        assert any(getattr(home, name, None) is getattr(toolset, name) for home in homes), name


def test_toolset_import_is_light() -> None:
    """`from toolset import *` loads no dependency at all."""
    assert sorted(loaded_by("from toolset import *").intersection(HEAVY)) == []


def test_command_import_is_light() -> None:
    """The `toolset` command loads no dependency before it knows what to do, and click for its help."""
    assert sorted(loaded_by("import toolset.cli").intersection(HEAVY)) == []
    helping = "from toolset.cli import commands; commands()"
    assert sorted(loaded_by(helping).intersection(HEAVY)) == ["click"]


def test_version_is_stated_once() -> None:
    """No module repeats the version, which the distribution's metadata states."""
    version = re.compile(r"^__version__", re.MULTILINE)
    sources = [inspect.getsource(module) for module in (toolset, toolset_gen)]
    assert not any(version.search(source) for source in sources)
