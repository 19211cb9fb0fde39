"""Every code block of the documentation and every example of a docstring runs."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from docs_runner import run_page
from markdown_blocks import Block, parse

import toolset
import toolset_gen

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    [
        *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "examples").glob("*/*.md"),  # a generated catalog of one lies deeper
        ROOT / "benchmarks" / "README.md",
    ]
)


def module_names() -> list[str]:
    """Name every module that ships, without importing any but the packages."""
    return sorted(
        info.name
        for package in (toolset, toolset_gen)
        for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        if not info.name.endswith("__main__")
    )


def docstrings(module: ModuleType) -> Iterator[Block]:
    """Find the fenced blocks of a module's docstrings that can run."""
    for test in doctest.DocTestFinder(exclude_empty=False).find(module):
        if "```" in test.docstring:
            for block in parse(test.name, inspect.cleandoc(test.docstring)):
                if block.language in {"python", "sh", "console"}:
                    yield block


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    """Copy the repository when a block asks for it, once."""
    copies: list[Path] = []

    def copy() -> Path:
        if not copies:
            folder = tmp_path_factory.mktemp("checkout") / "repository"
            ignored = shutil.ignore_patterns(
                ".*_cache", ".git", ".nox", ".venv", ".toolset-cache", "dist"
            )
            shutil.copytree(ROOT, folder, ignore=ignored)
            copies.append(folder)
        return copies[0]

    return copy


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_page_blocks_run(page: Path, tmp_path: Path, checkout: Callable[[], Path]) -> None:
    """The code blocks of a page do what the page says, from the first to the last."""
    name = str(page.relative_to(ROOT))
    run_page(parse(name, page.read_text(encoding="utf-8")), tmp_path, checkout)


@pytest.mark.parametrize("name", module_names())
def test_docstring_examples_run(name: str, tmp_path: Path, checkout: Callable[[], Path]) -> None:
    """The examples in a module's docstrings do what they show."""
    module = importlib.import_module(name)
    failures, _ = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert not failures, f"{failures} examples of {name} failed; their output is above"
    for block in docstrings(module):
        run_page([block], tmp_path, checkout)


def test_readme_starts_with_set_up() -> None:
    """The first two shell blocks of the README are the ones that CI copies, and no other is."""
    blocks = list(parse("README.md", (ROOT / "README.md").read_text(encoding="utf-8")))
    shell = [block for block in blocks if block.language in {"sh", "console"}]
    assert ["ci" in block.marks for block in shell] == [True, True] + [False] * (len(shell) - 2)
