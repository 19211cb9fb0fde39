"""The same bytes whatever the hash seed, file order, folder, locale, line ends and Python.

That each Python also makes the bytes that are committed, tools included, is what test_gate_own.py holds.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from itertools import product
from pathlib import Path

import black
import click
import pytest
from extracting import write_files
from projects import HEAD, shop
from test_extract_catalog import EVENTS, PACKAGE, PLUGINS

import toolset
import toolset_gen

PROGRAM = """
import hashlib, json, random, sys
from pathlib import Path
from toolset_gen.build import build
from toolset_gen.config import read_config
from toolset_gen.gate import find_sources

memory, found = {}, {}
for folder in sys.argv[1:]:
    for order in ("found", "reversed", "shuffled"):
        config = read_config(Path(folder))
        sources = find_sources(config)
        files = list(sources.files)
        if order != "found":
            files.reverse() if order == "reversed" else random.Random(7).shuffle(files)
        built = build(config, sources._replace(files=tuple(files)), memory)
        artifacts = {path: hashlib.sha256(data).hexdigest() for path, data in built.artifacts.items()}
        artifacts["report"] = repr(built.diagnostics)
        found[f"{folder} {order}"] = artifacts
        if config.boot:
            break
print(json.dumps(found))
"""


def rich_project(root: Path) -> Path:
    """A project with something of everything that extraction knows, without plugins to boot."""
    text = PACKAGE
    for number, other in enumerate((EVENTS, PLUGINS)):
        text += other.replace("# === FILE: pkg/", f"# === FILE: pkg/more{number}/")
    write_files(root / "src", text + "# === FILE: lib/__init__.py\nfrom ._box import Box\n")
    (root / "src/lib/_box.py").write_text(
        'class Base:\n    """Base."""\n    def own(self, it: int = 0xFF) -> "Box": ...\n'
        'class Box(Base):\n    """Box, and a ümläut."""\n    size: int = 1_000\n',
        encoding="utf-8",
    )
    provided = 'boot = false\n[tool.toolset.catalog.services]\nbox = "lib:Box"\n'
    (root / "pyproject.toml").write_text(HEAD + provided)
    return root


def as_crlf(root: Path, to: Path) -> Path:
    shutil.copytree(root, to)
    for path in [*to.rglob("*.py"), *to.rglob("*.toml")]:
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    return to


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """One project four times: here and elsewhere, with either line end."""
    root = tmp_path_factory.mktemp("matrix")
    here = rich_project(root / "one")
    elsewhere = root / "else where" / "ünd" / "two"
    shutil.copytree(here, elsewhere)
    return [
        here,
        elsewhere,
        as_crlf(here, root / "three"),
        as_crlf(here, root / "a" / "b" / "four"),
    ]


def results(
    python: str, folders: list[Path], *, seed: str, locale: str, path: str = ""
) -> dict[str, dict[str, str]]:
    """Build every folder, in every order, in a process of its own."""
    environment = {
        **{name: value for name, value in os.environ.items() if name[:3] not in {"LC_", "LAN"}},
        "PYTHONHASHSEED": seed,
        "LC_ALL": locale,
        "PYTHONUTF8": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        **({"PYTHONPATH": path} if path else {}),
    }
    done = subprocess.run(
        [python, "-c", PROGRAM, *map(str, folders)],
        env=environment,
        capture_output=True,
        check=False,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, dict[str, str]] = json.loads(done.stdout)
    return {f"{Path(python).name} {seed} {locale} {name}": made for name, made in found.items()}


def assert_alike(found: dict[str, dict[str, str]]) -> None:
    (first, expected), *others = found.items()
    for name, made in others:
        different = [path for path in expected if made.get(path) != expected[path]]
        assert not different, f"{name} and {first} differ in {different}"
        assert made.keys() == expected.keys()


def test_builds_are_alike_here(projects: list[Path]) -> None:
    """Hash seed, locale, folder, line ends and file order, each with each, make no difference."""
    found: dict[str, dict[str, str]] = {}
    for seed, locale in product(("0", "4711"), ("C", "C.UTF-8")):
        found |= results(sys.executable, projects, seed=seed, locale=locale)
    assert len(found) == 2 * 2 * 4 * 3
    assert all(len(made) == 13 for made in found.values())
    assert_alike(found)


def test_booted_tools_are_alike(tmp_path: Path) -> None:
    """So do the tools that plugins register when they are booted."""
    here = shop(tmp_path / "here")
    other = as_crlf(here, tmp_path / "els where" / "other")
    found = results(sys.executable, [here, other], seed="0", locale="C")
    found |= results(sys.executable, [other], seed="99", locale="C.UTF-8")
    assert len(found) == 3
    assert_alike(found)


def other_pythons() -> list[str]:
    """Find the other supported Pythons of this machine."""
    pyenv = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser()
    places = os.pathsep.join(map(str, [*pyenv.glob("versions/*/bin"), os.environ.get("PATH", "")]))
    own = f"python{sys.version_info.major}.{sys.version_info.minor}"
    named = (f"python3.{minor}" for minor in (11, 12, 13))
    found = (shutil.which(name, path=places) for name in named if name != own)
    return [path for path in found if path is not None and works(path)]


def works(python: str) -> bool:
    """A shim of a version manager's is there and does not run."""
    return subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode == 0


def test_builds_are_alike_on_others(projects: list[Path]) -> None:
    """Every other Python that is here builds the same; it borrows this one's libraries."""
    pythons = other_pythons()
    if not pythons:
        pytest.skip("no other supported Python is installed")
    # What reads and renders has no compiled part that it could not do without.
    modules = (toolset, toolset_gen, black, click)
    path = os.pathsep.join(dict.fromkeys(str(Path(m.__path__[0]).parent) for m in modules))
    found = results(sys.executable, projects[:1], seed="0", locale="C.UTF-8")
    for python in pythons:
        found |= results(python, projects[2:], seed="17", locale="C", path=path)
    assert len({re.split(r" \d+ C", name)[0] for name in found}) == len(pythons) + 1
    assert_alike(found)
