"""The forms of a set-up, their order, and undoing them once."""

from __future__ import annotations

import asyncio
import contextlib

import pytest

from toolset import Context
from toolset.runtime import EffectTypeError, InactiveContextError, NoLoopError


def forms(log):
    def disposer():
        return lambda: log.append("undo")

    def async_disposer():
        async def undo():
            await asyncio.sleep(0)
            log.append("undo")

        return undo

    def generator():
        yield lambda: log.append("undo")

    async def async_generator():
        await asyncio.sleep(0)
        yield lambda: log.append("undo")

    async def awaitable():
        await asyncio.sleep(0)
        return lambda: log.append("undo")

    @contextlib.contextmanager
    def manager():
        yield
        log.append("undo")

    @contextlib.asynccontextmanager
    async def async_manager():
        yield
        log.append("undo")

    return [disposer, async_disposer, generator, async_generator, awaitable, manager, async_manager]


@pytest.mark.parametrize("index", range(7))
@pytest.mark.parametrize("by", ["effect", "fiber"])
def test_every_form_is_undone(run, index, by):
    """Each form of set-up is undone exactly once, by its effect or with its fiber."""
    log = []

    async def main():
        async with Context() as ctx:
            fiber = await ctx.plugin(lambda _: None)
            effect = fiber.ctx.effect(forms(log)[index])
            assert await effect is effect
            assert log == []
            await (effect if by == "effect" else fiber).dispose()
            assert log == ["undo"]
            await effect.dispose()
            assert log == ["undo"]
            assert fiber.effects() == ()

    run(main())


@pytest.mark.parametrize("value", [3, "x", object(), [lambda: None]])
def test_other_results_refused(run, value):
    """A set-up that returns something else is refused and leaves nothing."""

    async def main():
        async with Context() as ctx:
            with pytest.raises(EffectTypeError, match="return a disposer"):
                ctx.effect(lambda: value)
            assert ctx.fiber.effects() == ()

    run(main())


def test_yielding_other_things_refused(run):
    """A generator that yields what cannot be called is unwound and refused."""
    log = []

    def setup():
        yield lambda: log.append("undo")
        yield 3

    async def main():
        async with Context() as ctx:
            with pytest.raises(EffectTypeError, match="yielded 3"):
                ctx.effect(setup)
            assert log == ["undo"]
            assert ctx.fiber.effects() == ()

    run(main())


def test_reverse_order_and_failures(run, caplog):
    """Disposers run last first, asynchronous ones in turn, and a failing one stops no other."""
    log = []

    async def slow():
        await asyncio.sleep(0)
        log.append("slow")

    def bad():
        raise OSError("nope")

    def plugin(ctx):
        yield lambda: log.append(1)
        ctx.effect(lambda: bad, "bad thing")
        yield slow
        ctx.effect(lambda: lambda: log.append(4))

    async def main():
        async with Context() as ctx:
            fiber = await ctx.plugin(plugin)
            failures = await fiber.dispose()
            assert log == [4, "slow", 1]
            assert [str(f) for f in failures] == ["nope"]
            assert fiber.state == "disposed"

    run(main())
    assert [r.getMessage() for r in caplog.records] == [
        "clean-up of bad thing failed in plugin <plugin>"
    ]


def test_failures_reach_the_root(run, caplog):
    """Whoever disposes a fiber is handed the clean-up failures of everything below it, once."""

    def bad():
        raise OSError("deep")

    def child(ctx):
        yield bad

    async def main():
        ctx = Context()
        fiber = await ctx.plugin(lambda c: c.plugin(child) and None)
        await fiber.children[0]
        await fiber.restart()
        await fiber.children[0]
        failures = await ctx.dispose()
        assert [str(f) for f in failures] == ["deep"]
        assert [str(f) for f in fiber.failures] == ["deep"]

    run(main())
    assert len(caplog.records) == 2


def test_raising_setup_unwinds(run):
    """A set-up that raises undoes what it had collected and raises on."""
    log = []

    def setup():
        yield lambda: log.append("first")
        yield lambda: log.append("second")
        raise OSError("third")

    async def main():
        async with Context() as ctx:
            with pytest.raises(OSError, match="third"):
                ctx.effect(setup)
            assert log == ["second", "first"]
            assert ctx.fiber.effects() == ()

    run(main())


def test_raising_async_setup_unwinds(run, caplog):
    """An asynchronous set-up that raises undoes what it had collected; awaiting the effect raises."""
    log = []

    async def setup():
        yield lambda: log.append("first")
        await asyncio.sleep(0)
        raise OSError("second")

    async def main():
        async with Context() as ctx:
            with pytest.raises(OSError, match="second"):
                await ctx.effect(setup, "two steps")
            assert log == ["first"]
            assert ctx.fiber.effects() == ()

    run(main())
    assert caplog.records[0].getMessage() == "set-up of two steps failed in plugin <root>"


@pytest.mark.parametrize("stop_at", range(5))
def test_stopped_at_each_step(run, stop_at):
    """Disposing during an unfinished set-up stops it at its next step and undoes all it collected."""
    log = []

    async def setup():
        for step in range(10):
            log.append(f"+{step}")
            await asyncio.sleep(0)
            yield lambda step=step: log.append(f"-{step}")

    async def main():
        async with Context() as ctx:
            effect = ctx.effect(setup)
            for _ in range(stop_at):
                await asyncio.sleep(0)
            await effect.dispose()
            started = [entry for entry in log if entry[0] == "+"]
            undone = [entry for entry in log if entry[0] == "-"]
            assert len(started) < 10
            assert undone == [f"-{i}" for i in reversed(range(len(started)))]
            assert ctx.fiber.effects() == ()

    run(main())


def test_endless_step_is_cancelled(run):
    """A step that does not end by itself is cancelled after its grace."""
    log = []

    async def setup():
        yield lambda: log.append("undone")
        try:
            await asyncio.Event().wait()
        finally:
            log.append("left")
        yield lambda: log.append("never")

    async def main():
        async with Context(stop_grace=0) as ctx:
            effect = ctx.effect(setup)
            await asyncio.sleep(0)
            await effect.dispose()
            assert log == ["left", "undone"]

    run(main())


def test_ledger_reads_like_a_list(run):
    """A fiber's ledger names what it did, nested."""

    def child(ctx):
        ctx.on("a/b", print)

    def plugin(ctx):
        ctx.on("a/b", print)
        ctx.provide("thing", 1)
        ctx.effect(lambda: (yield from (print, print)), "two prints")
        ctx.plugin(child)

    async def main():
        async with Context() as ctx:
            fiber = await ctx.plugin(plugin)
            await fiber.children[0]
            task = fiber.ctx.spawn(asyncio.sleep(60), "nap")
            lines = [
                (info.label, [child.label for child in info.children]) for info in fiber.effects()
            ]
            assert lines == [
                ("ctx.on('a/b')", []),
                ("ctx.provide('thing')", []),
                ("two prints", ["print", "print"]),
                ("plugin child", ["ctx.on('a/b')"]),
                ("ctx.spawn('nap')", []),
            ]
            await fiber.dispose()
            assert task.cancelled()

    run(main())


def test_nothing_on_a_closed_fiber(run):
    """Registering anything on an unloading or disposed fiber is refused."""
    refused = []

    def attempts(ctx):
        return {
            "plugin": lambda: ctx.plugin(lambda _: None),
            "effect": lambda: ctx.effect(lambda: None),
            "on": lambda: ctx.on("a/b", print),
            "provide": lambda: ctx.provide("k", 1),
            "spawn": lambda: ctx.spawn(asyncio.sleep(0)),
            "accessor": lambda: ctx.accessor("acc", lambda _: 1),
            "mixin": lambda: ctx.mixin("k", ["mixed"]),
        }

    def try_all(ctx):
        for name, attempt in attempts(ctx).items():
            with pytest.raises(InactiveContextError, match=f"ctx.{name}"):
                attempt()
            refused.append(name)

    def plugin(ctx):
        yield lambda: try_all(ctx)

    async def main():
        async with Context() as ctx:
            fiber = await ctx.plugin(plugin)
            failures = await fiber.dispose()
            assert failures == ()
            assert len(refused) == 7
            try_all(fiber.ctx)
            assert ctx.registry.table.find("k", None) is None
            assert ctx.registry.accessors == {}

    run(main())


def test_async_setup_needs_a_loop():
    """An asynchronous set-up outside a running loop says so and leaves nothing."""
    ctx = Context()

    async def setup():
        return None

    with pytest.raises(NoLoopError, match="running event loop"):
        ctx.effect(setup)
    assert ctx.fiber.effects() == ()
    asyncio.run(ctx.dispose())


def test_failing_task_is_reported(run, caplog):
    """A background task that fails is logged and published with its owner; the fiber goes on."""
    seen = []

    async def boom():
        raise OSError("task")

    async def main():
        async with Context() as ctx:
            ctx.on("internal/error", lambda fiber, error: seen.append((fiber.name, str(error))))
            fiber = await ctx.plugin(lambda c: c.spawn(boom(), "boom") and None)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            assert seen == [("<anonymous>", "task")]
            assert fiber.state == "active"

    run(main())
    assert caplog.records[0].getMessage() == "ctx.spawn('boom') failed in plugin <anonymous>"


def test_returned_effect_counts_once(run):
    """An effect that a plugin makes and also gives back is one line of its ledger, undone once."""

    async def main():
        undone = []

        def apply(ctx):
            first = ctx.effect(lambda: lambda: undone.append("first"), "first")
            ctx.effect(lambda: lambda: undone.append("second"), "second")
            yield first

        async with Context() as ctx:
            fiber = await ctx.plugin(apply)
            assert [one.label for one in fiber.effects()] == ["second", "first"]
            returned = await ctx.plugin(lambda ctx: ctx.effect(lambda: lambda: None, "only"))
            assert [one.label for one in returned.effects()] == ["only"]
            await fiber.dispose()
        assert undone == ["first", "second"]

    run(main())
