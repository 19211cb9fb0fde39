"""What emitting and mounting cost, in plain loops and bare tasks; and that neither grows."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from _measure import Ratio, calls, compare, report

from toolset import Context, event

ROUNDS = 41


@event("bench/measured", mode="emit")
def measured(value: int) -> None:
    """Nothing but a number goes to the listeners.

    Args:
        value: The number.
    """


def listener(value: int) -> None:
    """Do nothing, as a listener."""


async def crowded(plugins: int) -> Context:
    """Make a root with so many plugins, each with a service and a listener of its own."""
    root = Context()
    for number in range(plugins):
        await root.plugin(neighbour(number))
    return root


def neighbour(number: int) -> Callable[[Context], None]:
    """Make a plugin that provides a service and listens to an event of its own."""

    def plugin(ctx: Context) -> None:
        ctx.provide(f"service_{number}", object())
        ctx.on(f"bench/other-{number}", listener)

    return plugin


def emitting(root: Context, listeners: int) -> Callable[[], object]:
    """Give a function that emits to so many listeners."""
    for _ in range(listeners):
        root.on(measured, lambda _: None)
    return lambda: root.emit(measured, 1)


def looping(listeners: int) -> Callable[[], object]:
    """Give a function that calls so many functions, one after the other."""
    functions = [lambda _: None for _ in range(listeners)]

    def loop() -> None:
        for function in functions:
            function(1)

    return loop


def mounting(run: Callable[..., object], root: Context) -> Callable[[], object]:
    """Give a function that mounts a plugin with a service, a listener and a clean-up, and ends it."""

    def plugin(ctx: Context) -> None:
        ctx.provide("mounted", plugin)
        ctx.on(measured, listener)
        ctx.effect(lambda: lambda: None)

    async def cycle() -> None:
        fiber = await root.plugin(plugin)
        await fiber.dispose()

    return lambda: run(cycle())


def tasks(run: Callable[..., object]) -> Callable[[], object]:
    """Give a function that awaits two tasks, the least that an asynchronous start and end can be."""

    async def nothing() -> None:
        pass

    async def cycle() -> None:
        await asyncio.create_task(nothing())
        await asyncio.create_task(nothing())

    return lambda: run(cycle())


def measure() -> Sequence[Ratio]:
    """Compare emitting and mounting with their floors, alone and among a thousand plugins."""
    with asyncio.Runner() as runner:
        run = runner.get_loop().run_until_complete
        alone = [run(crowded(0)) for _ in range(3)]
        crowds = [run(crowded(1000)) for _ in range(2)]
        ratios = [
            compare(
                f"emit to {listeners} / loop over {listeners}",
                calls(emitting(root, listeners)),
                calls(looping(listeners)),
                bound=bound,
                rounds=ROUNDS,
            )
            for root, (listeners, bound) in zip(alone, [(10, 2.5), (100, 2.5)], strict=False)
        ]
        ratios += [
            compare(
                "mount and unmount / two tasks",
                calls(mounting(run, alone[2])),
                calls(tasks(run)),
                bound=5.0,
                rounds=ROUNDS,
            ),
            compare(
                "emit to 10 among 1,000 plugins / alone",
                calls(emitting(crowds[0], 10)),
                calls(lambda: alone[0].emit(measured, 1)),
                bound=1.25,
                rounds=ROUNDS,
            ),
            compare(
                "mount and unmount among 1,000 plugins / alone",
                calls(mounting(run, crowds[1])),
                calls(mounting(run, alone[2])),
                bound=1.25,
                rounds=ROUNDS,
            ),
        ]
        for root in [*alone, *crowds]:
            run(root.dispose())
    return ratios


if __name__ == "__main__":
    report("Runtime", measure)
