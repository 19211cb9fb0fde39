"""Helpers for tests of plugins: move time, wait until a runtime is quiet, compare what is in it."""

# Maintainers: used by this project's own tests, so that what is public here is what we rely on.
# It reads the runtime through its public face and changes nothing.

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import NamedTuple

from toolset.runtime import Context, EffectInfo, Fiber
from toolset.runtime.errors import SettleTimeoutError, bracketed

__all__ = ["ManualClock", "Snapshot", "assert_no_leaks", "leaks", "snapshot", "wait_quiet"]


_TURNS = 4  # of the loop, in which what a timer woke goes on


class _Due:
    """One call on a manual clock."""

    def __init__(self, callback: Callable[[], None]) -> None:
        self.callback: Callable[[], None] | None = callback

    def cancel(self) -> None:
        """Take the call back."""
        self.callback = None


class ManualClock:
    """A clock that stands still until it is moved: `ctx.timer.use_clock(ManualClock())`.

    Args:
        now: Where it begins, in seconds.
    """

    def __init__(self, now: float = 0.0) -> None:
        self._now = now
        self._numbers = itertools.count()
        self._queue: list[tuple[float, int, _Due]] = []

    def time(self) -> float:
        """Tell the time.

        Returns:
            Seconds.
        """
        return self._now

    def call_at(self, when: float, callback: Callable[[], None]) -> _Due:
        """Call something when the clock is moved there.

        Args:
            when: The time, in seconds.
            callback: What to call.

        Returns:
            An object whose `cancel()` takes the call back.
        """
        due = _Due(callback)
        heapq.heappush(self._queue, (when, next(self._numbers), due))
        return due

    @property
    def waiting(self) -> int:
        """How many calls are due some time."""
        return sum(due.callback is not None for _, _, due in self._queue)

    async def advance(self, seconds: float) -> None:
        """Move time, making every call that becomes due at its own time, in order.

        Args:
            seconds: How far.
        """
        await asyncio.sleep(0)  # what was just started takes the time of now
        end = self._now + seconds
        while self._queue and self._queue[0][0] <= end:
            when, _, due = heapq.heappop(self._queue)
            self._now = max(self._now, when)
            if due.callback is not None:
                due.callback()
                await asyncio.sleep(0)
        self._now = end
        for _ in range(_TURNS):
            await asyncio.sleep(0)


class Snapshot(NamedTuple):
    """What is in a runtime at one moment; two are equal when nothing but numbers differs.

    Attributes:
        fibers: Name, state and ledger of every fiber, sorted; tools, timers, tasks and listeners
            stand in the ledgers of their fibers.
        services: Key and provider of every registration, sorted.
        listeners: Event and number of its listeners, sorted.
        keys: Every service key that is provided or waited for, sorted.
        members: Computed members of contexts, sorted.
        waits: How many waits the runtime remembers.
    """

    fibers: tuple[tuple[str, str, tuple[EffectInfo, ...]], ...]
    services: tuple[tuple[str, str], ...]
    listeners: tuple[tuple[str, int], ...]
    keys: tuple[str, ...]
    members: tuple[str, ...]
    waits: int


def snapshot(ctx: Context) -> Snapshot:
    """Describe what is in a runtime.

    Args:
        ctx: Any context of it.

    Returns:
        The description, comparable with `==`.
    """
    registry = ctx.registry
    return Snapshot(
        fibers=tuple(sorted((f.name, str(f.state), f.effects()) for f in registry.fibers())),
        services=tuple(sorted((one.key, one.fiber.name) for one in registry.services())),
        listeners=tuple((name, len(registry.listeners(name))) for name in registry.events()),
        keys=tuple(sorted(slot.key for slot in registry.table)),
        members=tuple(sorted(registry.accessors)),
        waits=registry.waits.size,
    )


def leaks(ctx: Context) -> tuple[str, ...]:
    """List what a runtime still holds that nothing should hold after its root is disposed.

    Args:
        ctx: Any context of it.

    Returns:
        A line a thing; empty when the runtime is disposed and remembers nothing.
    """
    left = snapshot(ctx)
    lines = [f"  fiber {bracketed(name)}, {state}" for name, state, _ in left.fibers]
    lines += [f"  service {key!r} of {bracketed(owner)}" for key, owner in left.services]
    lines += [f"  {count} listener(s) of event {name!r}" for name, count in left.listeners]
    lines += [f"  member ctx.{name}" for name in left.members]
    lines += [f"  key {key!r}, waited for" for key in left.keys]
    if left.waits:
        lines.append(f"  {left.waits} task(s) that wait")
    return tuple(lines)


async def wait_quiet(ctx: Context, *, timeout: float = 5.0) -> None:  # noqa: ASYNC109 - a budget, named in the error
    """Wait until no fiber of a runtime is in transition.

    Args:
        ctx: Any context of it.
        timeout: Seconds it may take.

    Raises:
        SettleTimeoutError: A fiber is still in transition; the error names it.
    """
    loop = asyncio.get_running_loop()
    end = loop.time() + timeout
    while busy := [fiber for fiber in ctx.registry.fibers() if fiber.driver is not None]:
        drivers = [fiber.driver for fiber in busy if fiber.driver is not None]
        await asyncio.wait(drivers, timeout=end - loop.time(), return_when=asyncio.FIRST_COMPLETED)
        if loop.time() >= end:
            raise _late(busy[0], timeout)


def _late(fiber: Fiber, seconds: float) -> SettleTimeoutError:
    return SettleTimeoutError(fiber.name, fiber.state, seconds, fiber.why())


@asynccontextmanager
async def assert_no_leaks(ctx: Context) -> AsyncGenerator[Snapshot]:
    """Check that a block leaves a runtime as it found it.

    Args:
        ctx: Any context of it.

    Yields:
        The snapshot taken before.

    Raises:
        AssertionError: Something was left; the message lists what was added and what is gone.
    """
    await wait_quiet(ctx)
    before = snapshot(ctx)
    yield before
    await wait_quiet(ctx)
    after = snapshot(ctx)
    if after != before:
        raise AssertionError(_difference(before, after))


def _difference(before: Snapshot, after: Snapshot) -> str:
    lines = ["the runtime is not as it was:"]
    for name, old, new in zip(Snapshot._fields, before, after, strict=True):
        if old == new:
            continue
        if isinstance(old, tuple) and isinstance(new, tuple):
            lines += [f"  {name}: added {one}" for one in new if one not in old]
            lines += [f"  {name}: gone {one}" for one in old if one not in new]
        else:
            lines.append(f"  {name}: {old} -> {new}")
    return "\n".join(lines)
