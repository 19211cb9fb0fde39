"""The live state of one root: its fibers, services, listeners and settings."""

# Maintainers: the tables, and the few things every fiber of a root shares. What a fiber does with
# them is fiber.py's.

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from toolset.runtime import internal
from toolset.runtime.errors import ToolsetError, bracketed
from toolset.runtime.hooks import HookTable, Listener
from toolset.runtime.services import Registration, ServiceTable
from toolset.runtime.waiting import AnyTask, WaitGraph, ended

if TYPE_CHECKING:
    from toolset.runtime.context import Context
    from toolset.runtime.events import Event
    from toolset.runtime.fiber import Fiber

__all__ = ["Registry", "Settings"]

T = TypeVar("T")

_MAX_DEPTH = 32  # deeper nested plugins are disposed by a task each, not by recursion


class Settings(NamedTuple):
    """What a root decides for all its fibers.

    Attributes:
        settle_timeout: Seconds a mount or a disposal may take to settle; None for no bound.
        stop_grace: Seconds a set-up that must stop has to reach its next step before it is cancelled.
    """

    settle_timeout: float | None = None
    stop_grace: float = 0.05


class Accessor(NamedTuple):
    """A computed member of every context."""

    get: Callable[[Context], object]
    set: Callable[[Context, object], None] | None


class Registry:
    """The live state of one root context.

    Args:
        settings: What the root decides for all its fibers.
    """

    __slots__ = (
        "_deferred",
        "_depth",
        "_uids",
        "accessors",
        "by_uid",
        "hooks",
        "root",
        "settings",
        "table",
        "waits",
    )

    root: Context

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.table = ServiceTable()
        self.hooks = HookTable()
        self.waits = WaitGraph()
        self.by_uid: dict[int, Fiber] = {}
        self.accessors: dict[str, Accessor] = {}
        self._uids = itertools.count()
        self._deferred: list[Fiber] = []
        self._depth = 0

    def __repr__(self) -> str:
        return f"<Registry: {len(self.by_uid)} fibers>"

    def __del__(self) -> None:
        root = next(iter(self.by_uid.values()), None)
        if root is not None and root.effects():
            warnings.warn(
                f"a root context was never disposed and still holds {len(root.effects())} "
                "effect(s); use `async with Context()` or `await ctx.dispose()`",
                ResourceWarning,
                stacklevel=1,
                source=self,
            )

    def fibers(self) -> Iterator[Fiber]:
        """Iterate over every fiber that is not disposed, in the order they were mounted.

        Returns:
            An iterator over a copy, so that mounting meanwhile is safe.
        """
        return iter(tuple(self.by_uid.values()))

    def services(self) -> Iterator[Registration]:
        """Iterate over every registration, whether its provider is active or not.

        Returns:
            An iterator over a copy.
        """
        for slot in self.table:
            if slot.registration is not None:
                yield slot.registration

    def listeners(self, event: str) -> tuple[Listener, ...]:
        """Give the listeners of an event.

        Args:
            event: Its name.

        Returns:
            The listeners in the order they are called.
        """
        return self.hooks.listeners(event)

    def events(self) -> tuple[str, ...]:
        """Give the names of the events that somebody listens to.

        Returns:
            The names, sorted.
        """
        return tuple(sorted(self.hooks))

    # What follows is for the runtime's own modules.

    def enroll(self, fiber: Fiber) -> int:
        """Give a fiber its number, never used again."""
        uid = next(self._uids)
        self.by_uid[uid] = fiber
        return uid

    def tell(self, event: Event, *args: object) -> None:
        """Emit an internal event."""
        if event.name in self.hooks.by_name:
            self.root.emit(event.name, *args)

    def report(self, fiber: Fiber, error: Exception, what: str) -> None:
        """Log a failure with its owner and publish it."""
        # A plugin may word its own failures in a line: those of mounted code are no faults of the
        # host's, whose frames say nothing about them (test_failure_is_logged_in_a_line).
        word: object = getattr(fiber.plugin.source, "word_failure", None)
        line: object = word(error) if callable(word) else None
        owner = bracketed(fiber.name)
        if line is None and what == "start" and isinstance(error, ToolsetError):
            # Such as a configuration that does not fit: told anew at each reload, and not by frames.
            shown = not fiber.logger.isEnabledFor(logging.DEBUG)
            line = " ".join(str(error).split()) if shown else None
        whole = {"failure": error}  # for filters of a host, which a line tells too little
        if isinstance(line, str):
            fiber.logger.error("%s failed in plugin %s: %s", what, owner, line, extra=whole)
        else:
            fiber.logger.error("%s failed in plugin %s", what, owner, exc_info=error, extra=whole)
        if what != f'listener of event "{internal.error.name}"':
            self.tell(internal.error, fiber, error)

    def defer(self, fiber: Fiber) -> None:
        """Remember a fiber that is due while no loop runs."""
        self._deferred.append(fiber)

    def start_deferred(self) -> None:
        """Start what became due while no loop ran."""
        if not self._deferred:
            return
        due, self._deferred = self._deferred, []
        for fiber in due:
            fiber.kick()

    @contextlib.contextmanager
    def nested(self) -> Generator[bool]:
        """Count how deep synchronous disposals are nested; give whether to go deeper."""
        self._depth += 1
        try:
            yield self._depth < _MAX_DEPTH
        finally:
            self._depth -= 1

    async def stop(self, task: AnyTask) -> None:
        """Give a task its grace, then cancel it, and wait for its end; spare one that waits for us."""
        me = asyncio.current_task()
        if task.done() or (me is not None and self.waits.leads(task, me)):
            return
        if me is not None and self.settings.stop_grace > 0:
            targets = (task,)
            self.waits.link(me, targets)
            try:
                await asyncio.wait(targets, timeout=self.settings.stop_grace)
            finally:
                self.waits.unlink(me, targets)
        task.cancel()
        await self.waits.wait(task)

    async def wait_all(self, waiting: Sequence[AnyTask]) -> None:
        """Wait for all tasks; cancel them all when the waiter is cancelled."""
        me = asyncio.current_task()
        if me is not None:
            self.waits.link(me, waiting)
        try:
            for task in waiting:
                await ended(task)
        except asyncio.CancelledError:
            for task in waiting:
                task.cancel()
            for task in waiting:
                await ended(task)
                if not task.cancelled():
                    task.exception()  # seen: the cancellation is what the waiter is told
            raise
        finally:
            if me is not None:
                self.waits.unlink(me, waiting)


def make_logger(name: str) -> logging.Logger:
    """Make the logger of a fiber: the one configured under its name, else a child nobody remembers.

    `logging.getLogger` keeps every name for the life of the process, and plugins come and go.
    """
    full = f"toolset.plugin.{name}"
    known = logging.Logger.manager.loggerDict.get(full)
    if isinstance(known, logging.Logger):
        return known
    logger = logging.Logger(full)  # noqa: LOG001 - see above
    logger.parent = logging.getLogger("toolset.plugin")
    return logger
