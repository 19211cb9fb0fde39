"""Bound every synchronous stretch of mounted code on the event loop's thread."""

# Maintainers: what the rest of the toolset knows of time bounds. It counts its holders and picks
# the mechanism; while nobody holds it nothing is armed, no handler is installed and no thread runs.
# Nothing is wrapped around mounted code, so its services' methods, callbacks and iterators are
# bounded like its listeners and tools, and code within its time runs at full speed.

from __future__ import annotations

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final
from weakref import WeakValueDictionary

from toolset.cordis.alarm import Alarm, Throw, usable
from toolset.cordis.asyncgens import Generators, Hooks
from toolset.cordis.errors import MountTimeoutError
from toolset.cordis.watcher import Watcher

__all__ = ["Guard"]

_KEPT: Final = 100
_UPKEEP: Final = 0.5  # seconds between two looks at whether the alarm is still there, at most


class Guard:
    """Ends mounted code that runs too long without returning to the event loop.

    Hold it while any mount is being evaluated or is live: nothing is armed before the first hold
    and nothing is left behind after the last release.

    What it cannot end is one call into C that never looks for signals, such as
    `sum(range(10**10))`.

    Args:
        limit: Longest synchronous stretch, in seconds.
    """

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._holders = 0
        self._strikes: dict[str, MountTimeoutError] = {}
        self._alarm: Alarm | None = None
        self._upkeep: asyncio.TimerHandle | None = None
        self._watcher: Watcher | None = None
        self._hooks: Hooks | None = None
        self._generators: WeakValueDictionary[str, Generators] = WeakValueDictionary()

    @property
    def limit(self) -> float:
        """Longest synchronous stretch, in seconds."""
        return self._limit

    def hold(self) -> None:
        """Start guarding the running event loop's thread, or count one more holder."""
        self._holders += 1
        self._keep_hooks()
        if self._alarm is not None:
            self._keep(self._alarm)
        elif self._watcher is None:
            loop = asyncio.get_running_loop()
            if usable():
                self._alarm = Alarm.join(self)
            else:
                self._watcher = Watcher(self._limit, self.record, loop)
            self._look_later(loop)

    def _keep(self, alarm: Alarm) -> None:
        """Arm the alarm anew when the host has set a handler or a timer of its own over it."""
        if alarm.installed():
            alarm.keep()
        else:
            alarm.leave(self)
            self._alarm = Alarm.join(self)

    def _keep_hooks(self) -> None:
        """Set the hooks for async generators, anew when another loop has set its own."""
        if self._hooks is None or not self._hooks.installed():
            if self._hooks is not None:
                self._hooks.leave(self)
            self._hooks = Hooks.join(self)

    def _look_later(self, loop: asyncio.AbstractEventLoop) -> None:
        """Keep alarm and hooks soon and, while it is held, again and again."""
        self._upkeep = loop.call_later(min(self._limit, _UPKEEP), self._look_again, loop)

    def _look_again(self, loop: asyncio.AbstractEventLoop) -> None:
        self._keep_hooks()
        if self._alarm is not None:
            self._keep(self._alarm)
        self._look_later(loop)

    def release(self) -> None:
        """Count one holder less; the last one puts the host's signal handler and timer back."""
        self._holders -= 1
        if self._holders:
            return
        if self._upkeep is not None:
            self._upkeep.cancel()
        if self._alarm is not None:
            self._alarm.leave(self)
        if self._watcher is not None:
            self._watcher.stop()
        if self._hooks is not None:
            self._hooks.leave(self)
        self._alarm = self._watcher = self._upkeep = self._hooks = None
        self._strikes.clear()

    @contextmanager
    def held(self) -> Generator[None]:
        """Hold the guard for the length of a `with` block.

        Yields:
            Nothing.
        """
        self.hold()
        try:
            yield
        finally:
            self.release()

    def throw(self, throw: Throw, error: BaseException, filename: str) -> object:
        """Throw into suspended code of a mount that is over, and raise in it until it is gone.

        Args:
            throw: The suspended coroutine's own.
            error: What to throw.
            filename: The file name of the mount's frames.

        Returns:
            What it awaits now, when it goes on all the same.
        """
        try:
            if self._alarm is None:  # where no signal can interrupt, it is only told again
                return throw(error)
            return self._alarm.throw(throw, error, filename)
        finally:
            self._strikes.pop(filename, None)

    def strike(self, filename: str) -> MountTimeoutError | None:
        """Take the last time that a stretch of a mount was ended, also when its code hid it.

        Args:
            filename: The file name of the mount's frames.

        Returns:
            The error that was raised in it, or None when there was none since the last call.
        """
        return self._strikes.pop(filename, None)

    def keep_generators(self, filename: str, kept: Generators) -> None:
        """Have a mount keep the async generators that its code begins.

        Args:
            filename: The file name of the mount's frames.
            kept: Where they are kept; whoever runs the mount holds it.
        """
        self._generators[filename] = kept

    def generators_of(self, filename: str) -> Generators | None:
        """Give where a mount keeps its async generators; the hooks ask for it.

        Args:
            filename: The file name of the mount's frames.

        Returns:
            None when the mount is over.
        """
        return self._generators.get(filename)

    def record(self, filename: str, error: MountTimeoutError) -> None:
        """Take note that a stretch of a mount is being ended; the mechanisms call it.

        Args:
            filename: The file name of the mount's frames.
            error: What is raised in it.
        """
        self._strikes[filename] = error
        if len(self._strikes) > _KEPT:  # of mounts that nobody asked about
            del self._strikes[next(iter(self._strikes))]
