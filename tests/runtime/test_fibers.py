"""States, reasons, reload on change, failure isolation."""

from __future__ import annotations

import asyncio
import logging

import pytest

from toolset import Context, Service
from toolset.runtime import InactiveContextError, SettleTimeoutError


def needs(*keys, log=None, name="consumer"):
    def plugin(ctx):
        if log is not None:
            log.append(("up", *(ctx.get(k) for k in keys)))
            ctx.effect(lambda: lambda: log.append(("down", *(getattr(ctx, k) for k in keys))))

    plugin.inject = list(keys)
    plugin.name = name
    return plugin


def gives(key, value="v", name=None):
    def plugin(ctx):
        ctx.provide(key, value)

    plugin.name = name or f"{key}-provider"
    plugin.provides = [key]
    return plugin


async def quiet(ctx):
    """Wait until no fiber is in transition."""
    while any(f.driver for f in ctx.registry.fibers()):
        await asyncio.sleep(0)


@pytest.mark.parametrize("first", ["provider", "consumer"])
def test_mounting_order_is_free(run, first):
    """A consumer runs once its provider is active, whichever was mounted first."""
    log = []

    async def main():
        async with Context() as ctx:
            plugins = [gives("a"), needs("a", log=log)]
            for plugin in plugins if first == "provider" else reversed(plugins):
                ctx.plugin(plugin)
            await quiet(ctx)
            assert log == [("up", "v")]

    run(main())


def test_pending_says_why(run):
    """A pending fiber names what it misses, in declared order, and settles as pending."""

    async def main():
        async with Context() as ctx:
            fiber = await ctx.plugin(needs("b", "a"))
            assert fiber.state == "pending"
            assert fiber.missing() == ("b", "a")
            assert fiber.why() == "waiting for service(s): b, a"
            ctx.provide("b", 1)
            assert fiber.missing() == ("a",)

    run(main())


def test_cycles_are_explained(run):
    """Two services that wait on each other are named with the path of the cycle."""

    class A(Service, key="a"):
        inject = ["b"]

    class B(Service, key="b"):
        inject = ["a"]

    async def main():
        async with Context() as ctx:
            fiber = await ctx.plugin(A)
            await ctx.plugin(B)
            assert fiber.why() == (
                "waiting for service(s): b; they wait on each other: "
                "<A> needs b from <B> needs a from <A>"
            )

    run(main())


def test_optional_never_keeps_pending(run):
    """An optional service is used when it comes, by running again, and never waited for."""
    seen = []

    def plugin(ctx):
        seen.append(ctx.get("db"))

    plugin.inject = {"required": [], "optional": ["db"]}

    async def main():
        async with Context() as ctx:
            fiber = await ctx.plugin(plugin)
            assert fiber.state == "active"
            effect = ctx.provide("db", 1)
            await quiet(ctx)
            await effect.dispose()
            await quiet(ctx)
            assert seen == [None, 1, None]
            assert fiber.state == "active"

    run(main())


def test_replaced_service_reloads(run):
    """A replaced provider makes the consumer unload with the old value and run with the new."""
    log = []

    async def main():
        async with Context() as ctx:
            first = await ctx.plugin(gives("a", 1))
            await ctx.plugin(needs("a", log=log))
            await first.dispose()
            await ctx.plugin(gives("a", 2))
            await quiet(ctx)
            assert log == [("up", 1), ("down", 1), ("up", 2)]

    run(main())


def test_swap_while_loading(run):
    """A provider swapped while its consumer loads ends with the consumer on the new one."""
    seen = []
    gate = None

    async def consumer(ctx):
        seen.append(ctx.a)
        await gate.wait()

    consumer.inject = ["a"]

    async def main():
        nonlocal gate
        gate = asyncio.Event()
        async with Context() as ctx:
            effect = ctx.provide("a", 1)
            fiber = ctx.plugin(consumer)
            await asyncio.sleep(0)
            undone = effect.dispose()
            await undone
            ctx.provide("a", 2)
            gate.set()
            await fiber
            assert seen == [1, 2]
            assert fiber.state == "active"

    run(main())


def test_reprovided_inside_one_fiber(run):
    """A value provided again by the same fiber while the consumer loads is not lost."""
    seen = []

    async def consumer(ctx):
        seen.append(ctx.a)
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    consumer.inject = ["a"]

    async def main():
        async with Context() as ctx:
            for value in range(5):
                effect = ctx.provide("a", value)
                if value == 0:
                    fiber = ctx.plugin(consumer)
                await asyncio.sleep(0)
                if value < 4:
                    await effect.dispose()
            await fiber
            await quiet(ctx)
            assert seen[-1] == 4
            assert fiber.state == "active"

    run(main())


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (2, 0, 3, 1), (1, 3, 0, 2)])
def test_diamond_settles_in_any_order(run, order):
    """A diamond of dependencies becomes active, and is undone consumers first, in any mounting order."""
    log = []

    def part(name, *keys):
        def plugin(ctx):
            log.append(f"+{name}")
            ctx.effect(lambda: lambda: log.append(f"-{name}"))
            ctx.provide(name, name)

        plugin.inject, plugin.name = list(keys), name
        return plugin

    parts = [
        part("top"),
        part("left", "top"),
        part("right", "top"),
        part("bottom", "left", "right"),
    ]

    async def main():
        async with Context() as ctx:
            fibers = {i: ctx.plugin(parts[i]) for i in order}
            await quiet(ctx)
            assert {f.state for f in fibers.values()} == {"active"}
            assert log[0] == "+top"
            assert log[-1] == "+bottom"
            log.clear()
            await fibers[0].dispose()
            assert log.index("-bottom") < log.index("-left") < log.index("-top")
            assert log.index("-bottom") < log.index("-right") < log.index("-top")
            assert fibers[3].state == "pending"

    run(main())


def test_long_chain_settles(run):
    """A chain of two hundred dependants becomes active and unwinds without recursion."""

    def link(i):
        def plugin(ctx):
            ctx.provide(f"k{i}", i)

        plugin.inject = [f"k{i - 1}"] if i else []
        return plugin

    async def main():
        async with Context() as ctx:
            fibers = [ctx.plugin(link(i)) for i in reversed(range(200))]
            await quiet(ctx)
            assert {f.state for f in fibers} == {"active"}
            await fibers[-1].dispose()
            assert {f.state for f in fibers[:-1]} == {"pending"}

    run(main())


def test_one_plugin_twice(run):
    """One plugin mounted twice is two fibers."""
    log = []

    def plugin(ctx, config):
        log.append(config)

    async def main():
        async with Context() as ctx:
            one, two = ctx.plugin(plugin, 1), ctx.plugin(plugin, 2)
            await one
            await two
            assert log == [1, 2]
            assert one.uid != two.uid
            await one.dispose()
            assert two.state == "active"

    run(main())


def test_failure_disturbs_nobody(run, caplog):
    """A plugin that raises is unwound, failed and logged once; its parent and siblings go on."""
    log = []

    async def bad(ctx):
        ctx.effect(lambda: lambda: log.append("undone"))
        ctx.provide("half", 1)
        raise OSError("no disk")

    async def parent(ctx):
        ctx.plugin(bad)
        ctx.plugin(needs("half", log=log))

    async def main():
        async with Context() as ctx:
            fiber = await ctx.plugin(parent)
            await quiet(ctx)
            child = fiber.children[0]
            assert (fiber.state, child.state) == ("active", "failed")
            assert child.why() == "failed: OSError: no disk"
            with pytest.raises(OSError, match="no disk"):
                await child
            assert log == ["undone"]
            assert ctx.get("half") is None

    run(main())
    assert [r.getMessage() for r in caplog.records] == ["start failed in plugin <bad>"]
    assert caplog.records[0].name == "toolset.plugin.bad"


def test_failed_runs_again_on_change(run, caplog):
    """A plugin that failed with one service runs again with another, and is never left failed."""

    def plugin(ctx):
        if ctx.a == 1:
            raise ValueError("bad value")

    plugin.inject = ["a"]

    async def main():
        async with Context() as ctx:
            effect = ctx.provide("a", 1)
            fiber = ctx.plugin(plugin)
            with pytest.raises(ValueError, match="bad value"):
                await fiber
            await effect.dispose()
            await quiet(ctx)
            assert fiber.state == "pending"
            ctx.provide("a", 2)
            await fiber
            assert (fiber.state, fiber.error) == ("active", None)

    with caplog.at_level(logging.CRITICAL):
        run(main())


def test_restart_runs_again(run):
    """Restart undoes everything and runs the plugin again."""
    log = []

    def plugin(ctx):
        log.append("up")
        yield lambda: log.append("down")

    async def main():
        async with Context() as ctx:
            fiber = await ctx.plugin(plugin)
            await fiber.restart()
            assert log == ["up", "down", "up"]
            await fiber.dispose()
            with pytest.raises(InactiveContextError):
                await fiber.restart()

    run(main())


def test_starts_later_without_loop(run):
    """Plugins mounted while no loop runs start when one does."""
    log = []
    ctx = Context()
    fiber = ctx.plugin(lambda _: log.append("ran"))
    assert log == []

    async def main():
        async with ctx:
            await fiber
            assert log == ["ran"]

    run(main())


def test_cancelled_start_is_no_failure(run, caplog):
    """A start that is cancelled from outside leaves nothing and is not taken for a failure."""
    log = []

    async def plugin(ctx):
        ctx.effect(lambda: lambda: log.append("undone"))
        raise asyncio.CancelledError

    async def main():
        async with Context() as ctx:
            fiber = await ctx.plugin(plugin)
            assert fiber.state == "pending"
            assert fiber.why() == "its start was cancelled; restart it"
            assert log == ["undone"]

    run(main())
    assert not caplog.records


def test_settle_timeout_names_the_fiber(run):
    """A budget that is exceeded names the fiber, its state and what it waits for."""

    async def stuck(ctx):
        await asyncio.Event().wait()

    async def main():
        async with Context(settle_timeout=0.01, stop_grace=0) as ctx:
            with pytest.raises(SettleTimeoutError, match=r"<stuck> is still loading after 0\.01 s"):
                await ctx.plugin(stuck)

    run(main())


def test_status_is_told(run):
    """Every change of state and of services is published as an internal event."""
    log = []

    async def main():
        async with Context() as ctx:
            ctx.on(
                "internal/status",
                lambda fiber, old: log.append((fiber.name, old, str(fiber.state))),
            )
            ctx.on("internal/service", log.append)
            fiber = await ctx.plugin(gives("a"))
            await fiber.dispose()
            assert log == [
                ("a-provider", "pending", "loading"),
                ("a-provider", "loading", "active"),
                "a",
                ("a-provider", "active", "unloading"),
                "a",
                ("a-provider", "unloading", "disposed"),
            ]

    run(main())


def test_late_clean_up_is_placed(run):
    """A clean-up that takes too long is named with its effect, its fiber and where it was registered."""

    async def stuck():
        await asyncio.sleep(60)

    def child(ctx):
        ctx.effect(lambda: stuck, "slow thing")

    async def main():
        ctx = Context(settle_timeout=0.2)
        fiber = await ctx.plugin(lambda c: c.plugin(child) and None)
        await fiber.children[0]
        with pytest.raises(SettleTimeoutError) as caught:
            await fiber.dispose()
        line = child.__code__.co_firstlineno + 1
        assert str(caught.value) == (
            "plugin <anonymous> is still unloading after 0.2 s, waiting for <child>, which waits for "
            f"slow thing (registered at {__file__}:{line}); make that end when it is cancelled, "
            "or raise `settle_timeout`"
        )
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        await asyncio.sleep(0)
        await ctx.dispose()

    run(main())


def test_raising_observers_disturb_nobody(run, caplog):
    """Observers of the runtime's own events that raise are reported; no fiber sticks in a state."""

    def observer(*_):
        raise OSError("observer")

    async def main():
        async with Context() as ctx:
            for name in ("plugin", "status", "service", "update"):
                ctx.on(f"internal/{name}", observer)
            fiber = await ctx.plugin(gives("a"))
            await fiber.update({})
            user = await ctx.plugin(needs("a"))
            await fiber.dispose()
            assert (fiber.state, user.state) == ("disposed", "pending")

    run(main())
    assert {r.getMessage() for r in caplog.records} == {
        f'listener of event "internal/{name}" failed in plugin <root>'
        for name in ("plugin", "status", "service", "update")
    }
