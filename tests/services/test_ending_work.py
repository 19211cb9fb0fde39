"""What a plugin runs ends with it: several tasks at once, waiting for services."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

import pytest

from toolset import Context, event
from toolset.runtime import InactiveContextError
from toolset.services.fs import FileSystem
from toolset.services.timer import Timer
from toolset.services.tools import ToolRegistry, define_tool

Wait = Callable[[Context], Awaitable[object]]
TURNS = 200  # of the loop; an honest loop that spins makes as many rounds
STOP = "the loop never ends"


@event("ending/asked", mode="serial")
async def asked() -> object:
    """Ask something.

    Returns:
        An answer.
    """


@event("ending/told", mode="parallel")
async def told() -> None:
    """Tell something."""


async def _sleeps(ctx: Context) -> None:
    await ctx.timer.sleep(60)


async def _gathers(ctx: Context) -> None:
    await asyncio.gather(ctx.timer.sleep(60), ctx.timer.sleep(60))


async def _groups(ctx: Context) -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(ctx.timer.sleep(60))
        group.create_task(ctx.timer.sleep(60))


async def _in_time(ctx: Context) -> None:
    await asyncio.wait_for(ctx.timer.sleep(60), 120)


async def _runs(ctx: Context) -> None:
    await ctx.fiber.run(ctx.timer.sleep(60))


async def _asks(ctx: Context) -> None:
    await ctx.serial(asked)


async def _tells(ctx: Context) -> None:
    await ctx.parallel(told)


WAITS = [_sleeps, _gathers, _groups, _in_time, _runs, _asks, _tells]


class Seen:
    """What the workers of a test met."""

    def __init__(self) -> None:
        self.refused: list[Exception] = []
        self.cancelled = 0

    async def loop(self, ctx: Context, wait: Wait) -> None:
        """Wait again and again, as an honest worker that survives failures does."""
        while True:
            try:
                await wait(ctx)
            except Exception as error:
                self.refused.append(error)
                if len(self.refused) >= TURNS:
                    raise AssertionError(STOP) from error
            except asyncio.CancelledError:
                self.cancelled += 1
                await asyncio.sleep(0)  # a clean-up that a second cancellation would break
                raise


async def _mounted(root: Context, apply: Callable[[Context], object]) -> Context:
    apply.inject = ["timer", "tools"]
    fiber = await root.plugin(apply)
    for _ in range(8):
        await asyncio.sleep(0)
    return fiber.ctx


async def _host(root: Context) -> None:
    await root.plugin(Timer)
    await root.plugin(ToolRegistry)


async def _slow() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


@pytest.mark.parametrize("slow", [False, True], ids=["plain", "slow disposer between"])
@pytest.mark.parametrize("wait", WAITS)
def test_waiting_tasks_are_cancelled(run, caplog, wait, slow):
    """However several tasks of a plugin wait, each is cancelled once, and nothing is logged."""

    async def main() -> None:
        seen = Seen()

        def apply(ctx: Context) -> object:
            ctx.on(asked, lambda: ctx.timer.sleep(60))
            ctx.on(told, lambda: ctx.timer.sleep(60))
            for _ in range(3):
                ctx.spawn(seen.loop(ctx, wait))
            return _slow if slow else None

        async with Context() as root:
            await _host(root)
            ctx = await _mounted(root, apply)
            assert await ctx.fiber.dispose() == ()
        assert (seen.refused, seen.cancelled) == ([], 3)

    run(main())
    assert caplog.records == []


@pytest.mark.parametrize("wait", WAITS)
def test_waiting_children_are_cancelled(run, caplog, wait):
    """Tasks of a child that wait through its parent's context are cancelled with the parent."""

    async def main() -> None:
        seen = Seen()

        def apply(parent: Context) -> None:
            def child(ctx: Context) -> None:
                ctx.spawn(seen.loop(parent, wait))
                ctx.spawn(seen.loop(parent, wait))

            parent.on(asked, lambda: parent.timer.sleep(60))
            parent.on(told, lambda: parent.timer.sleep(60))
            parent.plugin(child)

        async with Context() as root:
            await _host(root)
            ctx = await _mounted(root, apply)
            assert await ctx.fiber.dispose() == ()
        assert (seen.refused, seen.cancelled) == ([], 2)

    run(main())
    assert caplog.records == []


def test_new_sleep_is_cancelled(run, caplog):
    """A sleep begun while the plugin unloads is cancelled, so that an honest loop ends."""

    async def main() -> None:
        seen = Seen()

        async def briefly(ctx: Context) -> None:
            await asyncio.sleep(0)
            await ctx.timer.sleep(0)

        def apply(ctx: Context) -> object:
            ctx.spawn(seen.loop(ctx, briefly))
            ctx.spawn(seen.loop(ctx, briefly))
            return _slow

        async with Context() as root:
            await _host(root)
            ctx = await _mounted(root, apply)
            assert await ctx.fiber.dispose() == ()
        assert (seen.refused, seen.cancelled) == ([], 2)

    run(main())
    assert caplog.records == []


def test_sleeping_start_is_cancelled(run, caplog):
    """A plugin that still starts, sleeping again and again, is ended where it sleeps next."""

    async def main() -> None:
        seen = Seen()

        async def apply(ctx: Context) -> None:
            await seen.loop(ctx, lambda ctx: ctx.timer.sleep(0.001))

        apply.inject = ["timer"]
        async with Context() as root:
            await _host(root)
            fiber = root.plugin(apply)
            await asyncio.sleep(0)
            assert await fiber.dispose() == ()
        assert (seen.refused, seen.cancelled) == ([], 1)

    run(main())
    assert caplog.records == []


def test_sleeping_setups_are_stopped(run, caplog):
    """Set-ups of effects that sleep are stopped with the plugin, and nothing is logged."""

    async def main() -> None:
        seen = Seen()

        def apply(ctx: Context) -> None:
            for _ in range(3):
                ctx.effect(lambda: seen.loop(ctx, _sleeps))

        async with Context() as root:
            await _host(root)
            ctx = await _mounted(root, apply)
            assert await ctx.fiber.dispose() == ()
        assert (seen.refused, seen.cancelled) == ([], 3)

    run(main())
    assert caplog.records == []


def test_tool_bodies_are_cancelled(run, caplog):
    """Calls whose bodies sleep and catch every failure end as unmounted, none as a success."""

    async def main() -> None:
        async def body(ctx: Context) -> str:
            try:
                await ctx.timer.sleep(60)
            except Exception:  # noqa: BLE001 - as careless bodies do
                return "x"
            return "slept"

        def apply(ctx: Context) -> None:
            output = {"schema": {"type": "string"}}
            ctx.tools.register(
                define_tool(
                    name="nap", description="Sleep.", output=output, execute=lambda _: body(ctx)
                )
            )

        async with Context() as root:
            await _host(root)
            ctx = await _mounted(root, apply)
            calls = [asyncio.ensure_future(root.tools.execute("nap", {})) for _ in range(3)]
            for _ in range(20):
                await asyncio.sleep(0)
            await ctx.fiber.dispose()
            results = [await one for one in calls]
        assert [one.meta.get("code") for one in results] == ["unmounted"] * 3

    run(main())
    assert caplog.records == []


def test_disposing_task_may_finish(run):
    """A task that disposes its own plugin is told that its sleep is refused, and finishes."""

    async def main() -> None:
        told: list[str] = []

        async def worker(ctx: Context) -> None:
            await ctx.fiber.dispose()
            with pytest.raises(InactiveContextError):
                await sleep(1)
            told.append("finished")

        async with Context() as root:
            await _host(root)
            ctx = await _mounted(root, lambda ctx: None)
            sleep = ctx.timer.sleep
            await ctx.spawn(worker(ctx))
        assert told == ["finished"]

    run(main())


def test_host_sleepers_are_told(run):
    """Sleepers that are no work of the plugin's hear that it was unmounted."""

    async def main() -> None:
        async with Context() as root:
            await _host(root)
            ctx = await _mounted(root, lambda ctx: None)
            sleepers = [asyncio.ensure_future(ctx.timer.sleep(60)) for _ in range(3)]
            await asyncio.sleep(0)
            await ctx.fiber.dispose()
            for one in sleepers:
                with pytest.raises(InactiveContextError, match=r"timer\.sleep"):
                    await one

    run(main())


def test_refused_file_gives_way(run, tmp_path, caplog):
    """A loop that reads files while their service goes is cancelled rather than left spinning."""
    (tmp_path / "a").write_text("a")

    async def main() -> None:
        seen = Seen()

        def apply(ctx: Context) -> None:
            for _ in range(2):
                ctx.spawn(seen.loop(ctx, lambda ctx: ctx.fs.read_text("a")))

        apply.inject = ["fs"]
        async with Context() as root:
            files = await root.plugin(FileSystem, {"root": str(tmp_path)})
            await root.plugin(apply)
            await asyncio.sleep(0)
            assert await files.dispose() == ()
        assert len(seen.refused) < 5
        assert seen.cancelled == 2

    run(main())
    assert [r for r in caplog.records if r.levelno >= logging.ERROR] == []
