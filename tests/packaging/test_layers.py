"""The layers of the two packages: who may import whom."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import toolset
import toolset_gen

# Of one rank, none may import the other.
RANKS = {
    "catalog": 0,
    "api_catalog": 1,
    "runtime": 2,
    "services": 3,
    "testing": 4,
    "pytest_plugin": 5,
    "cordis": 5,
    "loader": 5,
    "bridges": 6,
    "typed_context": 6,  # names the class of every service, wherever it is
    "demo": 6,
    "cli": 7,
}
# Runs in a process of its own, where it boots the plugins that are described.
BOOTING = {"toolset_gen.boot_child"}
FILES = [
    (package.__name__, Path(package.__path__[0]), path)
    for package in (toolset, toolset_gen)
    for path in sorted(Path(package.__path__[0]).rglob("*.py"))
]


def module_name(package: str, folder: Path, path: Path) -> str:
    """Name the module that a file holds."""
    parts = [package, *path.relative_to(folder).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(tree: ast.AST) -> Iterator[str]:
    """Name every module that is imported, at the top or inside a function, typing-only ones too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: write absolute imports"
            assert node.module is not None
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def allowed(importer: str, target: str) -> bool:
    """Judge one import by the order of the layers."""
    here, there = importer.split("."), target.split(".")
    if there[0] not in {"toolset", "toolset_gen"} or here == ["toolset"]:
        return there[0] != "toolset_gen" or here[0] == "toolset_gen"
    if there[0] == "toolset_gen":
        return here[0] == "toolset_gen" or here[:2] == ["toolset", "cli"]
    if here[0] == "toolset_gen":
        return there[:2] == ["toolset", "catalog"] or importer in BOOTING
    assert here[1] in RANKS, f"{importer} is in no layer; add it to RANKS"
    if there[1] not in RANKS:
        return RANKS[here[1]] > RANKS["services"]  # `from toolset import Context`
    return here[1] == there[1] or RANKS[there[1]] < RANKS[here[1]]


@pytest.mark.parametrize(
    ("package", "folder", "path"), FILES, ids=[module_name(*file) for file in FILES]
)
def test_imports_go_downwards(package: str, folder: Path, path: Path) -> None:
    """A module imports its own layer and those below it, and only the command line the generator."""
    importer = module_name(package, folder, path)
    targets = sorted(set(imported(ast.parse(path.read_text(encoding="utf-8")))))
    upward = [target for target in targets if not allowed(importer, target)]
    assert not upward, f"{importer} imports {', '.join(upward)}"


@pytest.mark.parametrize(
    ("importer", "target"),
    [
        ("toolset.catalog", "toolset.runtime.errors"),
        ("toolset.runtime.fiber", "toolset.services.tools"),
        ("toolset.runtime.fiber", "toolset.Context"),
        ("toolset.services.tools", "toolset.cordis.mount"),
        ("toolset.cordis.mount", "toolset.loader.compose"),
        ("toolset.cordis.mount", "toolset_gen.build"),
        ("toolset", "toolset_gen.build"),
        ("toolset_gen.build", "toolset.runtime.errors"),
        ("toolset_gen.build", "toolset.Context"),
    ],
)
def test_upward_import_is_seen(importer: str, target: str) -> None:
    """The judgement above refuses each kind of import against the order."""
    assert not allowed(importer, target)
