"""One entry while it is live: what was mounted for it, and how that fares."""

# Maintainers: the only place that mounts. An entry is one fiber, its plugin's. An entry with
# `inject` of its own, and every group, is a fiber that waits for those services (`ctx.inject`) and
# mounts what is inside whenever they are there: the runtime then takes it away and brings it back
# by itself. Invariant: a failure is kept in `error` or is the fiber's; `mount` raises nothing.

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple, cast

from toolset.loader.entries import Entry, EntryStatus, State
from toolset.loader.errors import MissingVariableError
from toolset.loader.lookup import Lookup
from toolset.runtime import ConfigError, Context, Fiber, FiberState, ToolsetError

__all__: list[str] = []

_RUNNING = frozenset({FiberState.LOADING, FiberState.ACTIVE})


class Wanted(NamedTuple):
    """An entry as it should be.

    Attributes:
        entry: The entry.
        parent: Id of the group it is in, `""` at the top.
        config: Its configuration, variables replaced.
        error: Why that could not be done.
    """

    entry: Entry
    parent: str
    config: Mapping[str, object] | None
    error: MissingVariableError | None


class Node:
    """One entry and what is mounted for it.

    Args:
        wanted: The entry as it should be.
        parent: The group it is in, None at the top.
    """

    __slots__ = (
        "_plugin",
        "children",
        "config",
        "entry",
        "error",
        "fiber",
        "inner",
        "parent",
        "place",
    )

    def __init__(self, wanted: Wanted, parent: Node | None) -> None:
        self.entry: Entry = wanted.entry
        self.config = wanted.config
        self.error: Exception | None = wanted.error
        self.parent = parent
        self.children: dict[str, Node] = {}
        self.fiber: Fiber | None = None  # what is disposed
        self.inner: Fiber | None = None  # the plugin's, the same unless it is mounted inside
        self.place: Context | None = None  # of a group that runs: where its entries are mounted
        self._plugin: object = None
        if parent is not None:
            parent.children[self.entry.id] = self

    # -- mounting ----------------------------------------------------------------------------------

    def mount(self, ctx: Context, lookup: Lookup) -> None:
        """Mount the entry; whatever goes wrong is kept."""
        if self.entry.disabled or self.error is not None:
            return
        self.fiber = self.inner = self.place = None
        for key, label in self.entry.isolate:
            ctx = ctx.isolate(key, label)
        try:
            if self.entry.group is not None:
                self.fiber = ctx.inject(self.entry.inject, _Step(self.entry.id, self._open(lookup)))
                return
            self._plugin = lookup.find(self.entry.name)
            if self.entry.inject:
                step = _Step(f"{self.entry.id} (inject)", self._start)
                self.fiber = ctx.inject(self.entry.inject, step)
            else:
                self._start(ctx)
                self.fiber = self.inner
        except Exception as error:  # noqa: BLE001 - metadata of a plugin may raise anything
            self.error = error
            log_failure(ctx, self.entry, error)

    def _start(self, ctx: Context) -> None:
        self.inner = _mount(ctx, self._plugin, self.config)

    def _open(self, lookup: Lookup) -> Callable[[Context], None]:
        def start(ctx: Context) -> None:
            self.place = ctx
            for child in self.children.values():
                child.mount(ctx, lookup)

        return start

    @property
    def open(self) -> bool:
        """Whether it is a group in which entries can be mounted now."""
        return self.fiber is not None and self.place is not None and self.fiber.state in _RUNNING

    # -- changing ----------------------------------------------------------------------------------

    def serves(self, wanted: Wanted) -> bool:
        """Tell whether it can become what is wanted without being mounted anew."""
        return (
            self.entry.shape == wanted.entry.shape
            and (self.parent.entry.id if self.parent else "") == wanted.parent
            and self.error is None
            and wanted.error is None
            and not (self._ended and (self.parent is None or self.parent.open))
        )

    @property
    def _ended(self) -> bool:
        """Whether somebody disposed what was mounted; with what it waits for, the runtime does."""
        if self.fiber is not None and self.fiber.state is FiberState.ACTIVE:
            return self.inner is not None and self.inner.state is FiberState.DISPOSED
        return self.fiber is not None and self.fiber.state is FiberState.DISPOSED

    async def update(self, config: Mapping[str, object] | None, deadline: float) -> bool:
        """Give its plugin another configuration; False when that one does not fit."""
        self.config = config
        if self.inner is None or self.inner.state is FiberState.DISPOSED:
            return True  # it is mounted with it, once what it waits for is there
        with suppress(Exception):  # what the plugin raised is the state of its fiber
            try:
                async with asyncio.timeout_at(deadline):
                    await self.inner.update(config)
            except ConfigError:
                return False
        return True

    async def retry(self, deadline: float) -> None:
        """Run its plugin again if it failed: what stood in its way may be gone."""
        for fiber in self.fibers():
            if fiber.state is FiberState.FAILED:
                with suppress(Exception):  # as above
                    async with asyncio.timeout_at(deadline):
                        await fiber.restart()

    async def dispose(self) -> None:
        """End what was mounted for it, to quiescence."""
        if self.parent is not None:
            self.parent.children.pop(self.entry.id, None)
        if self.fiber is None:
            return
        try:
            await self.fiber.dispose()
        except ToolsetError as error:  # over the root's `settle_timeout`
            self.fiber.logger.warning("entry %r: %s", self.entry.id, error)

    # -- looking -----------------------------------------------------------------------------------

    def fibers(self) -> Iterator[Fiber]:
        """Give the fibers it has now."""
        if self.fiber is not None:
            yield self.fiber
        if self.inner is not None and self.inner is not self.fiber:
            yield self.inner

    def status(self) -> EntryStatus:
        """Say how it fares."""
        state, reason = self.state_now()
        parent = self.parent.entry.id if self.parent else ""
        return EntryStatus(self.entry.id, self.entry.name, parent, state, reason, self.entry.line)

    def state_now(self) -> tuple[State, str]:
        """Say in which state it is, and why it is not mounted."""
        if self.entry.disabled:
            return "disabled", "its entry says so"
        if self.parent is not None and not self.parent.open:
            state, reason = self.parent.state_now()
            shown: State = "disabled" if state == "disabled" else "pending"
            return shown, f"group {self.parent.entry.id!r} is {state}: {reason}"
        if self.error is not None:
            return "failed", _said(self.error)
        for fiber in self.fibers():
            if fiber.state is not FiberState.ACTIVE:
                return _judge(fiber)
        return "mounted", ""


def log_failure(ctx: Context, entry: Entry, error: Exception) -> None:
    """Log that an entry could not be mounted; a plugin that fails is logged by the runtime."""
    ctx.logger.error("entry %r (line %d) is not mounted: %s", entry.id, entry.line, _said(error))


class _Step:
    """A plugin that does one thing, shown under a name."""

    def __init__(self, name: str, call: Callable[[Context], None]) -> None:
        self.name = name
        self._call = call

    def __call__(self, ctx: Context) -> None:
        self._call(ctx)


def _mount(ctx: Context, plugin: object, config: object) -> Fiber:
    mount = cast("Callable[[object, object], Fiber]", ctx.plugin)  # which judges what it is given
    return mount(plugin, config)


def _judge(fiber: Fiber) -> tuple[State, str]:
    match fiber.state:
        case FiberState.FAILED if fiber.error is not None:
            return "failed", _said(fiber.error)
        case FiberState.DISPOSED:
            return "failed", "it was disposed by other means; a reload mounts it again"
        case _:
            return "pending", fiber.why()


def _said(error: Exception) -> str:
    said = str(error) if isinstance(error, ToolsetError) else f"{type(error).__name__}: {error}"
    return " ".join(said.removesuffix(": ").split())
