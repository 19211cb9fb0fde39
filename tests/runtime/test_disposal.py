"""Disposal to quiescence, from anywhere, at any moment."""

from __future__ import annotations

import asyncio
import gc

import pytest

from toolset import Context
from toolset.runtime import InactiveContextError


def assert_empty(ctx):
    registry = ctx.registry
    assert list(registry.services()) == []
    assert registry.events() == ()
    assert [f for f in registry.fibers() if f.parent is not None] == []
    assert list(registry.table) == []
    assert registry.accessors == {}
    assert registry.waits._edges == {}


def test_everything_is_over(run):
    """When dispose returns, children, tasks, listeners and services of the fiber are gone."""
    log = []

    async def napper():
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0)
            log.append("task over")

    def child(ctx):
        yield lambda: log.append("child over")

    def plugin(ctx):
        ctx.plugin(child)
        ctx.spawn(napper())
        ctx.on("a/b", print)
        ctx.provide("thing", 1)
        ctx.mixin("thing", ["bit_length"])

    def consumer(ctx):
        yield lambda: log.append(f"consumer saw {ctx.thing}")

    consumer.inject = ["thing"]

    async def main():
        async with Context() as ctx:
            fiber = await ctx.plugin(plugin)
            user = await ctx.plugin(consumer)
            await asyncio.sleep(0)
            await fiber.dispose()
            assert log == ["consumer saw 1", "task over", "child over"]
            assert user.state == "pending"
            await user.dispose()
            assert_empty(ctx)

    run(main())


def test_synchronous_part_is_immediate(run):
    """What can be undone synchronously is undone when dispose is called, awaited or not."""

    async def main():
        async with Context() as ctx:
            fiber = await ctx.plugin(lambda c: c.on("a/b", print) and None)
            fiber.dispose()
            assert fiber.state == "disposed"
            assert_empty(ctx)

    run(main())


def test_dispose_a_never_ending_load(run):
    """A load that never ends is cancelled, unwound and over."""
    log = []

    async def stuck(ctx):
        ctx.effect(lambda: lambda: log.append("undone"))
        try:
            await asyncio.Event().wait()
        finally:
            log.append("left")

    async def main():
        async with Context(stop_grace=0) as ctx:
            fiber = ctx.plugin(stuck)
            await asyncio.sleep(0)
            assert fiber.state == "loading"
            await fiber.dispose()
            assert log == ["left", "undone"]
            assert_empty(ctx)

    run(main())


def test_provider_frees_itself_from_a_stuck_consumer(run):
    """A provider's disposal ends although its consumer is stuck in loading."""

    async def stuck(ctx):
        await asyncio.Event().wait()

    stuck.inject = ["a"]

    async def main():
        async with Context(stop_grace=0) as ctx:
            provider = await ctx.plugin(lambda c: c.provide("a", 1) and None)
            consumer = ctx.plugin(stuck)
            await asyncio.sleep(0)
            await provider.dispose()
            assert consumer.state == "pending"

    run(main())


def test_twice_at_once(run):
    """Two disposals at once both end when it is over, and undo once."""
    log = []

    async def slow():
        await asyncio.sleep(0)
        log.append("undone")

    async def main():
        async with Context() as ctx:
            fiber = await ctx.plugin(lambda c: c.effect(lambda: slow) and None)

            async def end():
                await fiber.dispose()
                assert log == ["undone"]

            await asyncio.gather(end(), end(), end())

    run(main())


async def from_apply(ctx):
    ctx.effect(lambda: lambda: None)
    await ctx.fiber.dispose()


async def from_task(ctx):
    async def task():
        await ctx.fiber.dispose()
        ctx.root.emit("test/finished")

    ctx.spawn(task())


async def from_task_of_child(ctx):
    async def child(inner):
        async def task():
            await ctx.fiber.dispose()
            ctx.root.emit("test/finished")

        inner.spawn(task())

    ctx.plugin(child)


async def from_async_listener(ctx):
    async def listener():
        await ctx.fiber.dispose()
        ctx.root.emit("test/finished")

    ctx.on("test/go", listener)
    ctx.emit("test/go")


async def from_sync_listener(ctx):
    ctx.on("test/go", ctx.fiber.dispose)
    asyncio.get_running_loop().call_soon(ctx.root.emit, "test/go")


async def from_disposer(ctx):
    async def undo():
        await ctx.fiber.dispose()

    ctx.effect(lambda: undo)
    asyncio.get_running_loop().call_soon(ctx.fiber.dispose)


async def from_owned_call(ctx):
    async def body():
        await ctx.fiber.dispose()
        ctx.root.emit("test/finished")

    async def caller():
        await ctx.fiber.run(body())

    ctx.root.spawn(caller())


async def from_call_through_another(ctx):
    """The plugin's call asks another plugin's call to dispose it."""
    other = ctx.root.plugin(lambda _: None)

    async def inner():
        await ctx.fiber.dispose()

    async def body():
        await other.run(inner())
        ctx.root.emit("test/finished")

    ctx.root.spawn(ctx.fiber.run(body()))


@pytest.mark.parametrize(
    "plugin",
    [
        from_apply,
        from_task,
        from_task_of_child,
        from_async_listener,
        from_sync_listener,
        from_disposer,
        from_owned_call,
        from_call_through_another,
    ],
)
def test_disposing_oneself_never_hangs(run, plugin):
    """A plugin may dispose itself from wherever its code runs; that code is left to finish."""
    finished = []

    async def main():
        async with Context(stop_grace=0) as ctx:
            ctx.on("test/finished", lambda: finished.append(1))
            fiber = ctx.plugin(plugin)
            async with asyncio.timeout(2):
                while fiber.state != "disposed":
                    await asyncio.sleep(0)
                await asyncio.sleep(0.001)
            if "finished" in plugin.__code__.co_names or any(
                "test/finished" in str(c) for c in _constants(plugin.__code__)
            ):
                assert finished == [1]

    run(main())


def _constants(code):
    for constant in code.co_consts:
        if hasattr(constant, "co_consts"):
            yield from _constants(constant)
        else:
            yield constant


def test_waiters_learn_that_it_ended(run):
    """Whoever waits for a call of a disposed plugin is told, and the call is cancelled."""
    log = []

    async def body():
        try:
            await asyncio.sleep(60)
        finally:
            log.append("cancelled")

    async def main():
        async with Context() as ctx:
            fiber = await ctx.plugin(lambda _: None)
            caller = asyncio.create_task(fiber.run(body(), "call"))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            await fiber.dispose()
            assert log == ["cancelled"]
            with pytest.raises(InactiveContextError, match="call was ended: its plugin"):
                await caller

    run(main())


def test_cancelled_waiter_cancels_call(run):
    """Cancelling whoever waits for a call ends the call first."""
    log = []

    async def body():
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0)
            log.append("ended")

    async def main():
        async with Context() as ctx:
            caller = asyncio.create_task(ctx.fiber.run(body()))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            caller.cancel()
            with pytest.raises(asyncio.CancelledError):
                await caller
            assert log == ["ended"]

    run(main())


def test_cancelled_disposal_goes_on(run):
    """Cancelling whoever waits for a disposal does not stop the disposal."""
    gate = None

    async def main():
        nonlocal gate
        gate = asyncio.Event()
        async with Context() as ctx:
            fiber = await ctx.plugin(lambda c: c.effect(lambda: gate.wait) and None)

            async def end():
                await fiber.dispose()

            waiter = asyncio.create_task(end())
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            waiter.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiter
            assert fiber.state == "unloading"
            gate.set()
            await fiber.dispose()
            assert fiber.state == "disposed"

    run(main())


def test_cancelling_disposer_stops_no_other(run):
    """A disposer that raises CancelledError ends itself alone."""
    log = []

    async def odd():
        raise asyncio.CancelledError

    def plugin(ctx):
        yield lambda: log.append("first")
        yield odd
        yield lambda: log.append("third")

    async def main():
        async with Context() as ctx:
            fiber = await ctx.plugin(plugin)
            await fiber.dispose()
            assert log == ["third", "first"]
            assert fiber.state == "disposed"

    run(main())


def test_deeply_nested_plugins(run):
    """A thousand plugins nested in one another are disposed without recursion."""

    def nest(depth):
        def plugin(ctx):
            if depth:
                ctx.plugin(nest(depth - 1))

        return plugin

    async def main():
        async with Context() as ctx:
            fiber = ctx.plugin(nest(1000))
            while len(list(ctx.registry.fibers())) < 1002:
                await asyncio.sleep(0)
            await fiber.dispose()
            assert_empty(ctx)

    run(main())


@pytest.mark.parametrize("stop_at", range(4))
@pytest.mark.parametrize("form", ["generator", "async generator"])
def test_plugin_stopped_at_each_yield(run, form, stop_at):
    """A plugin that is a generator stops at the yield at which it was disposed; all before is undone."""
    log = []

    def steps(ctx):
        for step in range(4):
            log.append(f"+{step}")
            if step == stop_at:
                _ = ctx.fiber.dispose()
            yield lambda step=step: log.append(f"-{step}")

    async def async_steps(ctx):
        for disposer in steps(ctx):
            await asyncio.sleep(0)
            yield disposer

    async def main():
        async with Context() as ctx:
            fiber = ctx.plugin(steps if form == "generator" else async_steps)
            await fiber
            await fiber.dispose()
            up = [f"+{step}" for step in range(stop_at + 1)]
            assert log == up + [f"-{step}" for step in reversed(range(stop_at + 1))]
            assert_empty(ctx)

    run(main())


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_exits_are_nobodys_failure(kind):
    """An exit raised in a plugin ends the program, and what the plugin did is still undone."""
    log = []

    def plugin(ctx):
        ctx.effect(lambda: lambda: log.append("undone"))
        raise kind

    ctx = Context()

    async def main():
        ctx.plugin(plugin)
        await asyncio.sleep(1)

    with pytest.raises(kind):
        asyncio.run(main())
    fiber = list(ctx.registry.fibers())[1]
    assert fiber.error is None
    asyncio.run(ctx.dispose())
    assert log == ["undone"]
    assert fiber.state == "disposed"


def forget(holder):
    holder.clear()
    gc.collect()


def test_forgotten_root_shouts():
    """A root that was never disposed although it holds something gives a ResourceWarning."""
    holder = [Context()]
    holder[0].on("a/b", print)
    with pytest.warns(ResourceWarning, match="never disposed"):
        forget(holder)
