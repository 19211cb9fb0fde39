"""What type checkers know of events: checked by `nox -s typing`, never run.

An ignore on a line is an expected error: mypy and pyright both fail when it is not one.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import assert_type

from toolset import Context, Next, event
from toolset.runtime import (
    AsyncWaterfallEvent,
    BailEvent,
    Effect,
    EmitEvent,
    ParallelEvent,
    SerialEvent,
    SyncNext,
    WaterfallEvent,
)


@event("typing/changed", mode="emit")
def changed(key: str, count: int) -> None:
    """Tell of a change."""


@event("typing/flush", mode="parallel")
async def flush(key: str) -> None:
    """Write what is pending."""


@event("typing/resolve", mode="serial")
async def resolve(key: str) -> int | None:
    """Find a number."""


@event("typing/choose", mode="bail")
def choose(key: str) -> int | None:
    """Find a number at once."""


@event("typing/around", mode="waterfall")
async def around(key: str, next: Next[int]) -> int:
    """Wrap a number."""
    return await next()


@event("typing/around-sync", mode="waterfall")
def around_sync(key: str, next: SyncNext[int]) -> int:
    """Wrap a number at once."""
    return next()


def declarations() -> None:
    """A declaration's type carries its mode, its result and its parameters."""
    assert_type(changed, EmitEvent[str, int])
    assert_type(flush, ParallelEvent[str])
    assert_type(resolve, SerialEvent[int, str])
    assert_type(choose, BailEvent[int, str])
    assert_type(around, AsyncWaterfallEvent[int, str])
    assert_type(around_sync, WaterfallEvent[int, str])
    assert_type(changed.name, str)
    event("typing/x", mode="sometimes")  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType, reportCallIssue]


def one(key: str) -> int:
    """Take a key."""
    return len(key)


def two(key: str, count: int) -> None:
    """Take what `changed` declares."""


def three(key: str, count: int, more: int) -> None:
    """Take more than `changed` declares."""


def wrong(key: int, count: int) -> None:
    """Take something else than `changed` declares."""


async def later(key: str) -> int:
    """Take a key, asynchronously."""
    return len(key)


async def wrapping(key: str, next: Next[int]) -> int:
    """Wrap a number."""
    return await next() + 1


def wrapping_sync(key: str, next: SyncNext[int]) -> int:
    """Wrap a number at once."""
    return next(key) + 1


def unwrapping(key: str) -> int:
    """Forget the trailing `next`."""
    return len(key)


def listening(ctx: Context) -> None:
    """A listener must take what its event declares."""
    assert_type(ctx.on(changed, two), Effect)
    ctx.on(changed, lambda key, count: print(key.upper(), count + 1))
    ctx.on(changed, two, prepend=True, once=True)
    assert_type(ctx.once(changed, two), Effect)
    ctx.once(around, wrapping)
    ctx.once(changed, one)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType, reportCallIssue]
    ctx.on(resolve, one)
    ctx.on(resolve, later)
    ctx.on(choose, one)
    ctx.on(around, wrapping)
    ctx.on(around_sync, wrapping_sync)
    ctx.on("anything/else", three)
    ctx.on(changed, one)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType, reportCallIssue]
    ctx.on(changed, three)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType, reportCallIssue]
    ctx.on(changed, wrong)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType, reportCallIssue]
    ctx.on(choose, later)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType, reportCallIssue]
    ctx.on(around, unwrapping)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType, reportCallIssue]


async def dispatching(ctx: Context) -> None:
    """A dispatch passes what its event declares, with the verb of its mode, and gives its result."""
    ctx.emit(changed, "key", 1)
    await ctx.parallel(flush, "key")
    assert_type(await ctx.serial(resolve, "key"), int | None)
    assert_type(ctx.bail(choose, "key"), int | None)
    assert_type(ctx.waterfall(around, "key", later), Awaitable[int])
    assert_type(await ctx.waterfall(around, "key", later), int)
    assert_type(ctx.waterfall(around_sync, "key", one), int)
    ctx.emit("anything/else", 1, "two", three)
    ctx.emit(changed, "key")  # type: ignore[misc]  # pyright: ignore[reportArgumentType, reportCallIssue]
    ctx.emit(changed, "key", "one")  # type: ignore[call-arg, misc]  # pyright: ignore[reportArgumentType, reportCallIssue]
    ctx.emit(changed, "key", 1, 2)  # type: ignore[call-arg, misc]  # pyright: ignore[reportArgumentType, reportCallIssue]
    ctx.emit(flush, "key")  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType, reportCallIssue]
    ctx.bail(resolve, "key")  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType, reportCallIssue]
    ctx.waterfall(around_sync, 1, one)  # type: ignore[misc]  # pyright: ignore[reportArgumentType, reportCallIssue]
    ctx.waterfall(around_sync, "key")  # type: ignore[arg-type, call-arg, misc]  # pyright: ignore[reportArgumentType, reportCallIssue]
    ctx.parallel(flush, "key")  # type: ignore[unused-coroutine]  # pyright: ignore[reportUnusedCoroutine]
