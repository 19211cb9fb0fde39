"""Everything that is mounted for a composition, and how it follows the file."""

# Maintainers: the difference between what is mounted and what is wanted. Ids are unique in a whole
# file, so the tree is one table in the order of the file; a node knows its group.
# Invariants: what goes, goes before anything comes, so that a service can move from one entry to
# another; an entry that stays keeps its fiber; after a change that was cancelled half-way, the next
# one goes on from there.

from __future__ import annotations

import asyncio
import os
from contextlib import suppress

from toolset.loader.entries import Entry, EntryStatus, Reloaded, flatten
from toolset.loader.errors import MissingVariableError
from toolset.loader.lookup import Lookup
from toolset.loader.node import Node, Wanted, log_failure
from toolset.loader.variables import same, substitute
from toolset.runtime import Context, Fiber

__all__: list[str] = []


class Tree:
    """The nodes of one loader.

    Args:
        ctx: The loader's context; entries at the top are mounted in it.
    """

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._nodes: dict[str, Node] = {}

    def statuses(self) -> tuple[EntryStatus, ...]:
        """Say how every entry fares, in the order of the file."""
        return tuple(node.status() for node in self._nodes.values())

    async def change(self, entries: tuple[Entry, ...], lookup: Lookup, deadline: float) -> Reloaded:
        """Become what the entries say; wait until `deadline` at most for what starts."""
        wanted = _plan(entries)
        before = tuple(self._nodes)
        gone = await self._remove(wanted)
        changed = {one for one in gone if one in wanted}
        changed |= await self._update(wanted, lookup, deadline)
        for node in tuple(self._nodes.values()):
            if node.entry.id not in changed:
                await node.retry(deadline)
        added = self._add(wanted, lookup)
        await self.settle(deadline)
        return Reloaded(
            added=tuple(one for one in wanted if one in added and one not in before),
            changed=tuple(one for one in wanted if one in changed),
            removed=tuple(one for one in before if one not in wanted),
        )

    async def _remove(self, wanted: dict[str, Wanted]) -> list[str]:
        """Dispose every node that is not wanted as it is, last ones first."""
        gone: list[str] = []
        going: set[Node] = set()
        for key, node in self._nodes.items():
            stays = key in wanted and node.serves(wanted[key]) and node.parent not in going
            if not stays:
                gone.append(key)
                going.add(node)
        for key in reversed(gone):
            await self._nodes[key].dispose()
            del self._nodes[key]
        return gone

    async def _update(self, wanted: dict[str, Wanted], lookup: Lookup, deadline: float) -> set[str]:
        """Hand new configurations to the nodes that stay."""
        changed: set[str] = set()
        for key, one in wanted.items():
            node = self._nodes.get(key)
            if node is None:
                continue
            node.entry = one.entry
            if not same(node.config, one.config):
                changed.add(key)
                if not await node.update(one.config, deadline):  # refused: it fails as a fresh one
                    await node.dispose()
                    self._nodes[key] = self._made(one, lookup)
        return changed

    def _add(self, wanted: dict[str, Wanted], lookup: Lookup) -> set[str]:
        """Make and mount the nodes that are missing; put all in the order of the file."""
        added = {key for key in wanted if key not in self._nodes}
        for key, one in wanted.items():  # a group before what is in it
            if key in added:
                self._nodes[key] = self._made(one, lookup)
        self._nodes = {key: self._nodes[key] for key in wanted}
        return added

    def _made(self, wanted: Wanted, lookup: Lookup) -> Node:
        parent = self._nodes.get(wanted.parent)
        node = Node(wanted, parent)
        if wanted.error is not None:
            log_failure(self._ctx, wanted.entry, wanted.error)
        if parent is None:
            node.mount(self._ctx, lookup)
        elif parent.open and parent.place is not None:
            node.mount(parent.place, lookup)
        return node

    async def settle(self, deadline: float) -> None:
        """Wait until nothing starts or stops any more, or until `deadline`."""
        with suppress(TimeoutError):
            async with asyncio.timeout_at(deadline):
                passed: dict[Fiber, object] = {}
                while busy := self._busy(passed):
                    for fiber in busy:  # one that waits for us is not waited for twice
                        passed[fiber] = fiber.driver
                        with suppress(Exception):  # what a plugin raised is the state of its fiber
                            await fiber

    def _busy(self, passed: dict[Fiber, object]) -> list[Fiber]:
        return [
            fiber
            for node in self._nodes.values()
            for fiber in node.fibers()
            if fiber.driver is not None and passed.get(fiber) is not fiber.driver
        ]


def _plan(entries: tuple[Entry, ...]) -> dict[str, Wanted]:
    """Say what is wanted of each entry; what is switched off needs no variables."""
    wanted: dict[str, Wanted] = {}
    off: set[str] = set()
    for entry, parent in flatten(entries):
        if entry.disabled or parent in off:
            off.add(entry.id)
            wanted[entry.id] = Wanted(entry, parent, None, None)
            continue
        try:
            config = substitute(entry.config, os.environ)
        except MissingVariableError as error:
            wanted[entry.id] = Wanted(entry, parent, None, error)
        else:
            wanted[entry.id] = Wanted(entry, parent, config, None)
    return wanted
