"""The service `loader`: a composition, kept as its file says."""

# Maintainers: the public face. It reads, parses and hands on to tree.py; one change at a time.
# A reload runs as a task of the loader's own fiber, so that an entry may ask for the reload that
# removes it: the runtime then knows who waits for whom.

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

from toolset.loader.document import read_text
from toolset.loader.entries import Entry, EntryStatus, Reloaded
from toolset.loader.errors import CompositionCycleError
from toolset.loader.lookup import Lookup
from toolset.loader.parse import parse
from toolset.loader.tree import Tree
from toolset.runtime.errors import DuplicateServiceError
from toolset.runtime.service import Service

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolset.runtime.context import Context
    from toolset.runtime.fiber import Fiber

__all__ = ["Loader"]


class Loader(Service, key="loader"):
    """Mount the plugins that a composition file lists, and follow the file when it is read again.

    What cannot be mounted is listed with its reason and stops nothing else. A file that is missing
    or has mistakes is refused as a whole, before anything is mounted or changed.
    """

    class Config(BaseModel):
        """Where the composition is, and how long starting it may take."""

        model_config = ConfigDict(extra="forbid", frozen=True)

        path: str = Field(
            default="cordis.yml", min_length=1, description="The file that lists the entries."
        )
        start_timeout_ms: int = Field(
            default=30_000,
            ge=1,
            description="Milliseconds to wait for entries to start before going on; one that takes "
            "longer goes on starting, and is listed as pending.",
        )

    def __init__(self, ctx: Context, config: Config | None = None) -> None:
        super().__init__(ctx, config)
        settings = config if config is not None else self.Config()
        self._shown = settings.path
        self._path = Path(os.path.abspath(settings.path))  # noqa: PTH100 - links are followed when read
        self._seconds = settings.start_timeout_ms / 1000
        self._tree = Tree(ctx)
        self._turn = asyncio.Lock()

    async def start(self) -> None:
        """Mount what the file lists, and wait until that has settled."""
        self._refuse_itself()
        await self._follow()

    def _refuse_itself(self) -> None:
        """Refuse to be mounted by a loader of the same file, or in its place."""
        for outer in _loaders_around(self.ctx.fiber):
            settings = outer.config if isinstance(outer.config, self.Config) else self.Config()
            if os.path.realpath(settings.path) == os.path.realpath(self._path):
                raise CompositionCycleError(self._shown)
            if outer.ctx.scope.get(self.key) == self.ctx.scope.get(self.key):
                raise DuplicateServiceError(self.key, outer.name, self.ctx.fiber.name)

    def entries(self) -> tuple[EntryStatus, ...]:
        """List the entries with their state as it is now.

        Returns:
            One record an entry, in the order of the file; those of a group follow it.
        """
        return self._tree.statuses()

    async def reload(self) -> Reloaded:
        """Read the file again and change what it changed.

        An entry that stayed as it was keeps running. One with another configuration is run again
        with it. What was added is mounted, what is gone is unmounted, and an entry that had failed
        is tried again. Reloads asked for at once run one after the other.

        Returns:
            What was done; `entries()` says how it went.

        Raises:
            UnreadableCompositionError: The file cannot be read; nothing was changed.
            InvalidCompositionError: It has mistakes; nothing was changed.
            InactiveContextError: The loader is ending or over.
        """
        fiber = self.ctx.fiber
        fiber.ensure_open("loader.reload()")
        return await fiber.run(self._follow(), "loader.reload()")

    async def _follow(self) -> Reloaded:
        async with self._turn:
            lookup = Lookup()
            entries = self._read(lookup)
            deadline = asyncio.get_running_loop().time() + self._seconds
            return await self._tree.change(entries, lookup, deadline)

    def _read(self, lookup: Lookup) -> tuple[Entry, ...]:
        return parse(read_text(self._path, self._shown), self._shown, lookup.unknown)


def _loaders_around(fiber: Fiber) -> Iterator[Fiber]:
    """Give the loaders that a fiber is inside of, the nearest first."""
    outer = fiber.parent
    while outer is not None:
        if outer.plugin.service is not None and issubclass(outer.plugin.service, Loader):
            yield outer
        outer = outer.parent
