"""The page about the sandbox is what its table says."""

from __future__ import annotations

from pathlib import Path

from toolset.cordis.evaluate import LONGEST_CODE
from toolset.cordis.mount_tools import MountTools
from toolset.cordis.sandbox_page import sandbox_page
from toolset.cordis.traps import TABLE

PAGE = Path(__file__).parents[2] / "docs" / "sandbox.md"


def test_page_is_generated() -> None:
    """The committed page is the generated one; its first line says how to renew it."""
    assert PAGE.read_text(encoding="utf-8") == sandbox_page()


def test_page_names_everything() -> None:
    """Every name of every row stands on the page."""
    page = sandbox_page()
    missing = [
        name for row in TABLE for name in (*row.names, *row.parts) if f"`{name}`" not in page
    ]
    assert missing == []


def test_page_says_no_boundary() -> None:
    """The page says plainly what the sandbox is not, and what cannot be ended."""
    page = sandbox_page()
    assert "This is not a security\nboundary" in page
    assert "one long call into C" in page


def test_page_says_limits() -> None:
    """The page says how long code may be, what of `tools` is given, and which limits are known."""
    page = sandbox_page()
    assert f"{LONGEST_CODE:,} characters" in page
    given = [name for name in vars(MountTools) if not name.startswith("_")]
    assert [name for name in given if f"`{name}`" not in page] == []
    for said in ("where the host provides them", "`pattern`", "json.dumps = ..."):
        assert said in page
