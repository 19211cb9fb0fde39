"""Timers: on a clock that tests move, owned by the plugin that asked for them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from toolset import Context
from toolset.runtime import InactiveContextError
from toolset.services.timer import Timer, TimerDelayError
from toolset.testing import ManualClock


@asynccontextmanager
async def timed() -> AsyncIterator[tuple[Context, Context, ManualClock]]:
    """Give a root with a timer, the context of a plugin that uses it, and the clock."""
    async with Context() as root:
        await root.plugin(Timer)
        clock = ManualClock()
        root.timer.use_clock(clock)
        found: list[Context] = []

        def user(ctx: Context) -> None:
            found.append(ctx)

        user.inject = ["timer"]
        await root.plugin(user)
        yield root, found[0], clock


def labels(ctx: Context) -> list[str]:
    return [one.label for one in ctx.fiber.effects()]


def test_timeout_fires_once(run):
    """A timeout calls once, when its seconds are over, and leaves the ledger."""

    async def main() -> None:
        async with timed() as (_, ctx, clock):
            calls: list[float] = []
            ctx.set_timeout(lambda: calls.append(clock.time()), 1.5)
            assert labels(ctx) == ["timer.set_timeout(1.5 s)"]
            await clock.advance(1.4)
            assert calls == []
            await clock.advance(5)
            assert calls == [1.5]
            assert labels(ctx) == []

    run(main())


def test_disposed_timeout_is_silent(run):
    """A timeout that was disposed never calls and leaves nothing on the clock."""

    async def main() -> None:
        async with timed() as (_, ctx, clock):
            effect = ctx.timer.set_timeout(pytest.fail, 1)
            await effect.dispose()
            assert clock.waiting == 0
            await clock.advance(2)

    run(main())


def test_interval_keeps_its_beat(run):
    """An interval calls at whole multiples of its period and does not make up for lost time."""

    async def main() -> None:
        async with timed() as (_, ctx, clock):
            calls: list[float] = []
            effect = ctx.set_interval(lambda: calls.append(clock.time()), 2)
            await clock.advance(6.5)
            assert calls == [2, 4, 6]
            await effect.dispose()
            await clock.advance(10)
            assert calls == [2, 4, 6]
            assert clock.waiting == 0

    run(main())


def test_async_interval_never_overlaps(run):
    """A tick that comes while the async one before still runs is left out."""

    async def main() -> None:
        async with timed() as (_, ctx, clock):
            gate = asyncio.Event()
            started: list[float] = []

            async def tick() -> None:
                started.append(clock.time())
                await gate.wait()

            ctx.set_interval(tick, 1)
            await clock.advance(3)
            assert started == [1]
            gate.set()
            await clock.advance(1)
            assert started == [1, 4]

    run(main())


def test_failing_callback_names_owner(run, caplog):
    """What a callback raises is logged with its plugin, published, and stops no interval."""

    async def main() -> None:
        async with timed() as (root, ctx, clock):
            failures: list[tuple[str, str]] = []
            root.on(
                "internal/error", lambda fiber, error: failures.append((fiber.name, str(error)))
            )
            calls: list[int] = []

            def tick() -> None:
                calls.append(1)
                raise ValueError("no luck")

            async def later() -> None:
                raise ValueError("later")

            ctx.set_interval(tick, 1)
            ctx.set_timeout(later, 1)
            await clock.advance(2)
            assert len(calls) == 2
            assert sorted(failures) == [("user", "later"), ("user", "no luck"), ("user", "no luck")]
            assert "<user>" in caplog.text

    run(main())


def test_disposal_ends_every_timer(run):
    """When a plugin ends, none of its timers is left on the clock and none fires."""

    async def main() -> None:
        async with timed() as (_, ctx, clock):
            gate = asyncio.Event()
            ended: list[str] = []

            async def waits() -> None:
                try:
                    await gate.wait()
                except asyncio.CancelledError:
                    ended.append("cancelled")
                    raise

            async def sleeps() -> None:
                await ctx.sleep(10)

            ctx.set_timeout(waits, 1)
            ctx.set_timeout(pytest.fail, 5)
            ctx.set_interval(lambda: None, 5)
            ctx.debounce(pytest.fail, 5)()
            ctx.throttle(lambda: None, 5)()
            ctx.spawn(sleeps())
            await clock.advance(1)
            await ctx.fiber.dispose()
            assert ended == ["cancelled"]
            assert clock.waiting == 0
            await clock.advance(20)

    run(main())


def test_sleep_waits_its_time(run):
    """A sleep ends when its seconds are over and leaves no effect."""

    async def main() -> None:
        async with timed() as (_, ctx, clock):
            task = asyncio.ensure_future(ctx.sleep(3))
            await clock.advance(2.9)
            assert not task.done()
            await clock.advance(0.1)
            assert task.done()
            assert labels(ctx) == []

    run(main())


def test_sleep_ends_with_plugin(run):
    """A sleeper outside the plugin's tasks is told when the plugin ends."""

    async def main() -> None:
        async with timed() as (_, ctx, clock):
            task = asyncio.ensure_future(ctx.timer.sleep(3))
            await clock.advance(1)
            await ctx.fiber.dispose()
            with pytest.raises(InactiveContextError, match=r"timer\.sleep.*<user>"):
                await task

    run(main())


def test_cancelled_sleep_leaves_nothing(run):
    """A sleep whose task is cancelled takes its timer with it."""

    async def main() -> None:
        async with timed() as (_, ctx, clock):
            task = asyncio.ensure_future(ctx.sleep(3))
            await clock.advance(1)
            task.cancel()
            await asyncio.wait([task])
            assert clock.waiting == 0
            assert labels(ctx) == []

    run(main())


def test_throttle_joins_calls(run):
    """A throttled function calls at once, then at most once in its time with the last arguments."""

    async def main() -> None:
        async with timed() as (_, ctx, clock):
            calls: list[tuple[float, str]] = []
            limited = ctx.throttle(lambda text: calls.append((clock.time(), text)), 2)
            for text in ("a", "b", "c"):
                limited(text)
            await clock.advance(2)
            assert calls == [(0, "a"), (2, "c")]
            await clock.advance(5)
            limited("d")
            assert calls[-1] == (7, "d")

    run(main())


def test_debounce_waits_for_quiet(run):
    """A debounced function calls once nobody has asked for its time."""

    async def main() -> None:
        async with timed() as (_, ctx, clock):
            calls: list[tuple[float, str]] = []
            limited = ctx.debounce(lambda text: calls.append((clock.time(), text)), 2)
            limited("a")
            await clock.advance(1)
            limited("b")
            await clock.advance(5)
            assert calls == [(3, "b")]
            limited("c")
            limited.dispose()
            limited("d")
            await clock.advance(5)
            assert calls == [(3, "b")]

    run(main())


@pytest.mark.parametrize("seconds", [-1, float("nan"), float("inf"), "1", None, True])
def test_odd_delay_is_refused(run, seconds):
    """A delay that is no finite number of seconds is refused, naming it."""

    async def main() -> None:
        async with timed() as (_, ctx, _clock):
            with pytest.raises(TimerDelayError, match=r"seconds, 0 or more, not"):
                ctx.set_timeout(lambda: None, seconds)
            with pytest.raises(TimerDelayError):
                ctx.set_interval(lambda: None, 0)
            assert labels(ctx) == []

    run(main())


def test_ended_plugin_starts_none(run):
    """A plugin that is over cannot start a timer, and nothing is left of the attempt."""

    async def main() -> None:
        async with timed() as (_, ctx, clock):
            timer = ctx.timer
            await ctx.fiber.dispose()
            for start in (timer.set_timeout, timer.set_interval, timer.throttle, timer.debounce):
                with pytest.raises(InactiveContextError):
                    start(lambda: None, 1)
            assert clock.waiting == 0

    run(main())


def test_loop_clock_is_default(run):
    """Without another clock the time is the event loop's."""

    async def main() -> None:
        async with Context() as root:
            await root.plugin(Timer)
            fired = asyncio.Event()
            root.set_timeout(fired.set, 0)
            await fired.wait()
            await root.sleep(0)

    run(main())


def test_methods_leave_with_service(run):
    """The methods stand on every context while the timer is mounted, and no longer."""

    async def main() -> None:
        async with Context() as root:
            timer = await root.plugin(Timer)
            assert callable(root.set_timeout)
            await timer.dispose()
            with pytest.raises(AttributeError):
                _ = root.set_timeout

    run(main())


@pytest.mark.parametrize("method", ["set_timeout", "set_interval", "throttle", "debounce"])
def test_swapped_arguments_name_method(run, method):
    """Swapped arguments are told in the words of the method that was called."""

    async def main() -> None:
        async with timed() as (_, ctx, _clock):
            with pytest.raises(TimerDelayError, match=rf"first: {method}\(callback, seconds\)"):
                getattr(ctx, method)(5, lambda: None)

    run(main())


def test_interval_says_above_zero(run):
    """An interval of 0 seconds is refused without claiming that 0 would do."""

    async def main() -> None:
        async with timed() as (_, ctx, _clock):
            with pytest.raises(TimerDelayError, match="seconds, above 0, not 0"):
                ctx.set_interval(lambda: None, 0)

    run(main())
