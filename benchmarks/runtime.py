"""What emitting and mounting cost, in plain loops and bare tasks; and that neither grows."""

from __future__ import annotations

import asyncio
import functools
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


@event("bench/awaited", mode="parallel")
async def awaited(value: int) -> None:
    """A number goes to asynchronous listeners.

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
    return functools.partial(root.emit, measured, 1)


def looping(listeners: int) -> Callable[[], object]:
    """Give a function that calls so many functions, one after the other."""
    functions = [lambda _: None for _ in range(listeners)]

    def loop(value: int) -> None:
        for function in functions:
            function(value)

    return functools.partial(loop, 1)


def gathering(run: Callable[..., object], root: Context) -> Callable[[], object]:
    """Give a function that dispatches to ten asynchronous listeners and waits for all."""

    async def slow(_: int) -> None:
        await asyncio.sleep(0)

    for _ in range(10):
        root.on(awaited, slow)
    return lambda: run(root.parallel(awaited, 1))


def grouping(run: Callable[..., object]) -> Callable[[], object]:
    """Give a function that runs ten tasks in a task group."""

    async def slow(_: int) -> None:
        await asyncio.sleep(0)

    async def group() -> None:
        async with asyncio.TaskGroup() as tasks:
            for _ in range(10):
                tasks.create_task(slow(1))

    return lambda: run(group())


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
    """Compare dispatching and mounting with their floors, alone and in a crowd."""
    with asyncio.Runner() as runner:
        run = runner.get_loop().run_until_complete
        roots: list[Context] = []

        def root(plugins: int = 0) -> Context:
            roots.append(run(crowded(plugins)))
            return roots[-1]

        ratios = [
            compare(
                f"emit to {listeners} / loop over {listeners}",
                calls(emitting(root(), listeners)),
                calls(looping(listeners)),
                bound=bound,
                rounds=ROUNDS,
            )
            for listeners, bound in ((1, 2.2), (10, 1.6), (100, 1.4))
        ]
        ratios += [
            compare(
                "parallel to 10 / task group of 10",
                calls(gathering(run, root())),
                calls(grouping(run)),
                bound=1.2,
                rounds=ROUNDS,
            ),
            compare(
                "mount and unmount / two tasks",
                calls(mounting(run, root())),
                calls(tasks(run)),
                bound=5.0,
                rounds=ROUNDS,
            ),
        ]
        for plugins in (100, 1000, 10_000):
            crowd = root(plugins)
            ratios += [
                compare(
                    f"emit to 10 among {plugins:,} plugins / alone",
                    calls(emitting(crowd, 10)),
                    calls(emitting(root(), 10)),
                    bound=1.1,
                    rounds=ROUNDS,
                ),
                compare(
                    f"mount and unmount among {plugins:,} plugins / alone",
                    calls(mounting(run, crowd)),
                    calls(mounting(run, root())),
                    bound=1.1,
                    rounds=ROUNDS,
                ),
            ]
        for one in roots:
            run(one.dispose())
    return ratios


if __name__ == "__main__":
    report("Runtime", measure)
