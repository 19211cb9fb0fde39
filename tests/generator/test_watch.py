"""`toolset catalog watch` regenerates on save, and ends cleanly."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from projects import run_catalog, shop

from toolset_gen.watch import is_source, watch

NO_BOOT = "boot = false\n"


def test_each_save_regenerates(tmp_path: Path) -> None:
    """It generates each time that it is woken, and says what it did."""
    root = shop(tmp_path, NO_BOOT)
    source = root / "src" / "pkg" / "shop.py"
    said: list[str] = []

    def saves() -> Iterator[set[str]]:
        yield set()
        yield set()
        source.write_text(source.read_text().replace("Sell one item.", "Sell an item."))
        yield {str(source)}

    watch(root, saves(), said.append)
    assert "wrote catalog/services.md" in said[0]
    assert said[1] == "Everything is fresh; nothing was written."
    assert "wrote catalog/services.md" in said[2]
    assert "Sell an item." in (root / "catalog" / "services.md").read_text()


def test_faults_do_not_end_it(tmp_path: Path) -> None:
    """A violation, a broken file and a broken configuration are said, and it goes on."""
    root = shop(tmp_path, NO_BOOT)
    source, pyproject = root / "src" / "pkg" / "shop.py", root / "pyproject.toml"
    text, settings = source.read_text(), pyproject.read_text()
    said: list[str] = []

    def saves() -> Iterator[None]:
        yield
        source.write_text(text.replace("            item: What to sell.\n", ""))
        yield
        source.write_text("x = (\n")
        yield
        pyproject.write_text("[tool")
        yield
        source.write_text(text)
        pyproject.write_text(settings)
        yield

    watch(root, saves(), said.append)
    assert "SVC002" in said[1]
    assert "SRC001" in said[2]
    assert said[3].startswith("error: ")
    assert said[4] == "Everything is fresh; nothing was written."


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/pkg/shop.py", True),
        ("src/pkg/shop.pyi", True),
        ("pyproject.toml", True),
        ("README.md", True),
        ("cordis.yml", True),
        ("src/pkg/api_catalog.py", False),
        ("src/pkg/typed_context.py", False),
        ("catalog/services.md", False),
        (".toolset-cache/builds.json", False),
        (".venv/lib/x.py", False),
        ("src/pkg/.shop.py.swp", False),
        ("src/pkg/shop.pyc", False),
        ("src/pkg/notes", False),
    ],
)
def test_what_it_wrote_does_not_wake_it(tmp_path: Path, path: str, *, expected: bool) -> None:
    """Sources wake it; generated files, caches and environments do not."""
    root = shop(tmp_path, NO_BOOT)
    assert run_catalog(root, "generate").returncode == 0
    assert is_source(root, root / path) == expected


def test_spoilt_artifacts_wake_it(tmp_path: Path) -> None:
    """A generated file that is gone, or that a merge has torn, is written again."""
    root = shop(tmp_path, NO_BOOT)
    assert run_catalog(root, "generate").returncode == 0
    page = root / "catalog" / "services.md"
    assert not is_source(root, page)
    page.write_text("<<<<<<< HEAD\n")
    assert is_source(root, page)
    page.unlink()
    assert is_source(root, page, moved=True)


def test_pages_beside_sources(tmp_path: Path) -> None:
    """Pages may be generated into a folder of sources, which still wake it."""
    root = shop(tmp_path, NO_BOOT)
    settings = root / "pyproject.toml"
    settings.write_text(settings.read_text().replace('pages = "catalog"', 'pages = "src/pkg"'))
    assert run_catalog(root, "generate").returncode == 0
    assert is_source(root, root / "src" / "pkg" / "shop.py")
    assert not is_source(root, root / "src" / "pkg" / "services.md")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/pkg", True),
        ("src/pkg/shop.py", True),
        ("catalog", False),
        (".venv", False),
        ("src/pkg/__pycache__", False),
        ("node_modules/x", False),
    ],
)
def test_folders_come_and_go(tmp_path: Path, path: str, *, expected: bool) -> None:
    """A folder that comes or goes wakes it, since nothing tells of the files in it."""
    root = shop(tmp_path, NO_BOOT)
    assert is_source(root, root / path, moved=True) == expected


def test_missing_package_is_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without watchfiles it says what to install, as wrong use, before it generates anything."""
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    done = run_catalog(shop(tmp_path, NO_BOOT), "watch")
    assert done.returncode == 2
    assert done.stderr == (
        "error: watching needs 'watchfiles', which is not installed; "
        "run `pip install 'cordis-toolset[watch]'`\n"
    )
    assert not (tmp_path / "catalog").exists()


def read_until(process: subprocess.Popen[str], text: str) -> list[str]:
    """Read what a process prints, up to a line with some text."""
    assert process.stdout is not None
    lines: list[str] = []
    last_resort = threading.Timer(60, process.kill)
    last_resort.start()
    try:
        for line in process.stdout:
            lines.append(line)
            if text in line:
                return lines
    finally:
        last_resort.cancel()
    pytest.fail(f"it ended without {text!r}: {lines}")


STALL = '''"""A stall."""

from toolset import Service


class Stall(Service, key="stall"):
    """Sell in the open."""
'''


def test_saved_files_are_seen(tmp_path: Path) -> None:
    """In a process of its own it sees saves of every kind, and Ctrl-C ends it with 0 and no traceback."""
    pytest.importorskip("watchfiles")
    root = shop(tmp_path, NO_BOOT)
    package = root / "src" / "pkg"
    source, page = package / "shop.py", root / "catalog" / "services.md"
    text = source.read_text()
    process = subprocess.Popen(
        [sys.executable, "-m", "toolset.cli", "catalog", "watch"],
        cwd=root,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    with process:
        try:
            read_until(process, "Watching")
            read_until(process, "wrote catalog/services.md")
            source.write_text(text.replace("Sell one item.", "Sell an item."))
            read_until(process, "wrote catalog/services.md")
            source.write_text("x = (\n")
            read_until(process, "SRC001")
            # As editors do that write a neighbour first.
            beside = package / "shop.py~"
            beside.write_text(text.replace("Sell one item.", "Sell any item."))
            beside.replace(source)
            read_until(process, "wrote catalog/services.md")
            package.rename(root / "src" / "away")
            read_until(process, "SRC005")
            (root / "src" / "away").rename(package)
            (package / "more.py").write_text(STALL)
            read_until(process, "wrote catalog/services.md")
            # Some of these come while it is at work on the ones before.
            for number in range(20):
                source.write_text(text.replace("Sell one item.", f"Sell item {number}."))
            while "Sell item 19." not in page.read_text():
                read_until(process, "wrote catalog/services.md")
            process.send_signal(signal.SIGINT)
            rest = read_until(process, "Ended.")
            assert process.wait(30) == 0
        finally:
            process.kill()
    assert not [line for line in rest if "Traceback" in line or "Interrupt" in line]
    assert "## `stall`" in page.read_text()
