"""The example package as its users have it: built, installed, its catalog found and merged."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import NamedTuple

import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "acme_plugins"

LOOK = """
import asyncio
from acme_plugins import Stock
from toolset import Context, cordis
from toolset.services.timer import Timer
from toolset.services.tools import ToolRegistry


async def main():
    async with Context() as ctx:
        for plugin in (ToolRegistry, Timer, Stock, cordis):
            await ctx.plugin(plugin)
        for arguments in ({"what": "api"}, {"what": "events", "name": "stock/allow"}):
            print((await ctx.tools.execute("cordis_inspect", arguments)).text)


asyncio.run(main())
"""


class Acme(NamedTuple):
    """A copy of the example, and a folder that its wheel is installed in."""

    checkout: Path
    site: Path

    def run(
        self, *arguments: str, path: Path, cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run Python with one more folder to import from."""
        inherited = os.environ.get("PYTHONPATH", "")
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=cwd or self.checkout,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(path), inherited]))},
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture(scope="module")
def acme(tmp_path_factory: pytest.TempPathFactory) -> Acme:
    """Build the example's wheel and install it: a wheel of plain Python is unpacked, no more."""
    folder = tmp_path_factory.mktemp("acme")
    checkout = folder / "acme_plugins"
    ignored = shutil.ignore_patterns(".toolset-cache", "__pycache__", ".pytest_cache", "dist")
    shutil.copytree(EXAMPLE, checkout, ignore=ignored)
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder / "dist")]
    subprocess.run(build, cwd=checkout, check=True, capture_output=True)
    (wheel,) = (folder / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return Acme(checkout, folder / "site")


def test_installed_catalog_is_merged(acme: Acme) -> None:
    """Installing the package is all it takes: its service and events are catalogued beside ours."""
    done = acme.run("-c", LOOK, path=acme.site)
    assert done.returncode == 0, done.stderr
    assert "uncatalogued" not in done.stdout
    assert "- stock [live] — Keep count of items." in done.stdout
    assert "- timer [live] — " in done.stdout
    assert "Decide whether items may be taken; without a listener they may." in done.stdout


def test_uninstalled_catalog_is_not_found(acme: Acme) -> None:
    """The entry point is what does it: merely importable, the service is described by its object."""
    done = acme.run("-c", LOOK, path=acme.checkout / "src")
    assert done.returncode == 0, done.stderr
    assert "- stock [live, uncatalogued]" in done.stdout
    assert "- timer [live] — " in done.stdout


def test_own_tests_pass(acme: Acme) -> None:
    """The package's own tests, its gate's among them, pass where it is installed."""
    done = acme.run("-m", "pytest", "-q", "-p", "no:cacheprovider", path=acme.site)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 passed" in done.stdout


def test_own_gate_judges_the_package(acme: Acme, tmp_path: Path) -> None:
    """`toolset catalog verify` in its folder is fresh, and red after a change of a contract."""
    changed = tmp_path / "changed"
    shutil.copytree(acme.checkout, changed)
    verify = ("-m", "toolset.cli", "catalog", "verify")
    done = acme.run(*verify, path=changed / "src", cwd=changed)
    assert (done.returncode, done.stdout) == (0, "The catalog is fresh.\n")
    stock = changed / "src/acme_plugins/stock.py"
    text = stock.read_text(encoding="utf-8")
    stock.write_text(text.replace("count: int = 1) -> int:", "count: int = 2) -> int:"))
    done = acme.run(*verify, path=changed / "src", cwd=changed)
    assert done.returncode == 1
    assert "src/acme_plugins/api_catalog.py differs" in done.stdout
    assert "toolset/" not in done.stdout
