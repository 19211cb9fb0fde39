"""What the tests of compositions share: the table of files, a host, plugins to name."""

from __future__ import annotations

import sys
import textwrap
import tomllib
import types
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from toolset import Context
from toolset.loader import EntryStatus, Loader
from toolset.testing import leaks

TABLE = Path(__file__).parent / "cases" / "compositions.toml"


class Case(NamedTuple):
    """One file and where it is wrong."""

    name: str
    text: str
    mistakes: tuple[tuple[int, int, str], ...]


def cases() -> list[Case]:
    """Read the table."""
    rows = tomllib.loads(TABLE.read_text(encoding="utf-8"))["case"]
    return [
        Case(row["name"], row["text"], tuple(map(tuple, row.get("mistakes", ())))) for row in rows
    ]


class Composition:
    """A file on disk and the host that follows it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "cordis.yml"

    def write(self, text: str) -> None:
        self.path.write_text(textwrap.dedent(text), encoding="utf-8")

    @asynccontextmanager
    async def host(self, text: str | None = None, **config: object) -> AsyncIterator[Context]:
        """Load the file into a fresh runtime; nothing may be left of it at the end."""
        if text is not None:
            self.write(text)
        ctx = Context()
        try:
            await ctx.plugin(Loader, {"path": str(self.path), **config})
            yield ctx
        finally:
            await ctx.dispose()
        assert leaks(ctx) == ()


def states(ctx: Context) -> dict[str, str]:
    """Give the state of every entry by id."""
    return {one.id: one.state for one in ctx.loader.entries()}


def status(ctx: Context, key: str) -> EntryStatus:
    """Give one entry's status."""
    (found,) = [one for one in ctx.loader.entries() if one.id == key]
    return found


def module(name: str, **members: object) -> types.ModuleType:
    """Put a module where compositions find it; `fresh_modules` takes it away."""
    made = types.ModuleType(name)
    vars(made).update(members)
    sys.modules[name] = made
    return made
