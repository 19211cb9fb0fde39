"""The order of the modules inside each package, as the first comment of its `__init__.py` states it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import toolset
import toolset_gen

ROOTS = [Path(package.__path__[0]) for package in (toolset, toolset_gen)]
PACKAGES = [
    init.parent
    for root in ROOTS
    for init in sorted(root.rglob("__init__.py"))
    if init.parent.name != "toolset"  # test_layers.py holds its order
    and len(list(init.parent.glob("*.py"))) > 2
]


def dotted(package: Path) -> str:
    """Name the package in a folder."""
    root = next(root for root in ROOTS if package.is_relative_to(root))
    return ".".join([root.name, *package.relative_to(root).parts])


def stated_order(text: str) -> list[list[str]]:
    """Read the ranks of a package from the comment in its `__init__.py`, highest first."""
    match = re.search(r"^# Layers,[^:]*: (?P<order>[^.]*)\.", text, re.MULTILINE)
    assert match, "its `__init__.py` has no comment `# Layers, downwards only: a, b > c > d.`"
    order = re.sub(r"\s*\n#\s*", " ", match["order"].replace("this module", "__init__"))
    ranks = [re.split(r"[,;]\s*", rank.strip()) for rank in re.split(r"->|[<>]", order)]
    return ranks[::-1] if "<" in order else ranks


def members(package: Path) -> list[str]:
    """Name the modules and packages directly inside a package."""
    files = [path.stem for path in package.glob("*.py") if path.stem != "__init__"]
    return sorted(files + [path.parent.name for path in package.glob("*/__init__.py")])


def imports(path: Path, package: str) -> set[str]:
    """Name the members of `package` that a file imports when it runs."""
    found: set[str] = set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing_only = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if node in typing_only:
            continue
        if isinstance(node, ast.ImportFrom) and node.module == package:
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{package}."):
            found.add((node.module or "").removeprefix(f"{package}.").partition(".")[0])
        elif isinstance(node, ast.Import):
            found.update(
                alias.name.removeprefix(f"{package}.").partition(".")[0]
                for alias in node.names
                if alias.name.startswith(f"{package}.")
            )
    return found


def violations(package: Path) -> list[str]:
    """List the imports of a package that go against its stated order."""
    ranks = stated_order((package / "__init__.py").read_text(encoding="utf-8"))
    rank_of = {name: rank for rank, names in enumerate(ranks) for name in names}
    rank_of.pop("__init__", None)
    differing = sorted(set(rank_of).symmetric_difference(members(package)))
    assert not differing, f"only the comment, or only the folder, has {', '.join(differing)}"
    return [
        f"{name} imports {target}"
        for name, rank in rank_of.items()
        for target in imported_by(package, name)
        if target != name and rank_of.get(target, -1) <= rank
    ]


def imported_by(package: Path, member: str) -> list[str]:
    """Name what a member imports of its own package, by module."""
    single = package / f"{member}.py"
    files = [single] if single.exists() else sorted((package / member).rglob("*.py"))
    return sorted({target for file in files for target in imports(file, dotted(package))})


@pytest.mark.parametrize("package", PACKAGES, ids=dotted)
def test_modules_keep_their_order(package: Path) -> None:
    """Imports between the modules of a package go in the one direction its `__init__.py` states."""
    assert violations(package) == []


def test_wrong_order_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An import against the order is named; one for typing alone, inside a check, is not."""
    package = tmp_path / "sample"
    package.mkdir()
    (package / "__init__.py").write_text("# Layers, downwards only: top >\n# left, right.\n")
    (package / "top.py").write_text("from sample import left\n")
    (package / "left.py").write_text(
        "import sample.top\nfrom sample.right import name\nfrom sample import export\n"
    )
    (package / "right.py").write_text(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from sample import top\n"
    )
    monkeypatch.setattr(f"{__name__}.ROOTS", [package])
    assert violations(package) == [
        "left imports export",
        "left imports right",
        "left imports top",
    ]
