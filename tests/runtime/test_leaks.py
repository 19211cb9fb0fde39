"""Nothing is left behind: a thousand cycles (TOOLSET_LEAK_CYCLES) leave no object more than the warm-up."""

from __future__ import annotations

import asyncio
import contextlib
import os

import pytest

from toolset import Context, Service, event

CYCLES = int(os.environ.get("TOOLSET_LEAK_CYCLES", "1000"))

SOURCE = """
def plugin(ctx):
    def listener(x):
        return x
    ctx.on("leak/event", listener)
    ctx.provide("leak_service", object())
    ctx.effect(lambda: lambda: None)
    yield lambda: None
plugin.name = "leaky"
"""


class Probe(Service, key="probe"):
    def touch(self):
        return self.caller.fiber.uid


async def mount_fresh(ctx, i):
    namespace = {}
    exec(compile(SOURCE, f"<leak {i % 3}>", "exec"), namespace)
    fiber = await ctx.plugin(namespace["plugin"])
    ctx.emit("leak/event", i)
    await fiber.dispose()


async def listen_and_undo(ctx, i):
    await ctx.on("leak/event", lambda x: None).dispose()


async def listen_once(ctx, i):
    ctx.once("leak/once", lambda x: None)
    ctx.emit("leak/once", i)


async def fresh_key(ctx, i):
    effect = ctx.provide(f"leak_key_{i}", Probe(ctx))
    getattr(ctx, f"leak_key_{i}").touch()
    assert ctx.get(f"leak_key_{i}")
    await effect.dispose()


async def fresh_event(ctx, i):
    name = f"leak/event-{i}"

    @event(name, mode="emit")
    def declared(x: int) -> None:
        """A fresh event."""

    effect = ctx.on(declared, lambda x: None)
    ctx.emit(declared, i)
    await effect.dispose()
    ctx.emit(f"leak/unheard-{i}", i)


async def fresh_label(ctx, i):
    inner = ctx.isolate("leak_iso", f"label-{i}")
    effect = inner.provide("leak_iso", i)
    assert inner.get("leak_iso") == i
    await effect.dispose()
    own = ctx.isolate("leak_iso")
    await own.provide("leak_iso", i).dispose()


async def waiting_consumer(ctx, i):
    def plugin(inner):
        pass

    plugin.inject = [f"never_{i}"]
    fiber = await ctx.plugin(plugin)
    await fiber.dispose()


async def reader_of_long_lived(ctx, i):
    def plugin(inner):
        inner.probe.touch()

    plugin.inject = ["probe"]
    fiber = await ctx.plugin(plugin)
    await fiber.dispose()


async def failing_plugin(ctx, i):
    def plugin(inner):
        inner.on("leak/event", print)
        raise OSError("x")

    plugin.name = f"failing-{i}"
    fiber = ctx.plugin(plugin)
    with contextlib.suppress(OSError):
        await fiber
    await fiber.dispose()


async def spawned(ctx, i):
    await ctx.spawn(asyncio.sleep(0))


@pytest.mark.parametrize(
    "cycle",
    [
        mount_fresh,
        listen_and_undo,
        listen_once,
        fresh_key,
        fresh_event,
        fresh_label,
        waiting_consumer,
        reader_of_long_lived,
        failing_plugin,
        spawned,
    ],
)
def test_cycles_leave_nothing(cycle, count_objects, caplog):
    """Cycles leave no object more than there were after the warm-up."""
    caplog.set_level(100)

    async def main():
        async with Context() as ctx:
            await ctx.plugin(Probe)
            for i in range(50):
                await cycle(ctx, i)
            await asyncio.sleep(0)
            before = count_objects()
            for i in range(CYCLES):
                await cycle(ctx, 100 + i)
            await asyncio.sleep(0)
            caplog.clear()
            return count_objects() - before

    assert asyncio.run(main()) <= 0
