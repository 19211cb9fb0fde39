"""A GeneratorExit that a plugin's code raises is its failure; one from closing is left alone."""

from __future__ import annotations

import asyncio

import pytest

from toolset import Context
from toolset.runtime import FiberState, ParallelError, event
from toolset.testing import snapshot


@event("exits/happened", mode="emit")
def happened(value: int) -> None:
    """Say that something has happened."""


@event("exits/asked", mode="parallel")
async def asked() -> None:
    """Ask everybody."""


def leave(*_: object) -> None:
    raise GeneratorExit


async def leave_later(*_: object) -> None:
    await asyncio.sleep(0)
    raise GeneratorExit


def steps(ctx: Context):
    yield lambda: None
    raise GeneratorExit


async def async_steps(ctx: Context):
    yield lambda: None
    raise GeneratorExit


@pytest.fixture
def reported():
    return []


@pytest.mark.parametrize("apply", [leave, leave_later, steps, async_steps])
def test_exit_fails_the_start(run, apply) -> None:
    """A plugin that raises GeneratorExit while it starts has failed, and can be disposed."""

    async def main() -> None:
        async with Context() as ctx:
            before = snapshot(ctx)
            fiber = ctx.plugin(apply)
            with pytest.raises(RuntimeError, match="raised GeneratorExit"):
                await fiber
            assert fiber.state is FiberState.FAILED
            await fiber.dispose()
            assert snapshot(ctx) == before

    run(main())


@pytest.mark.parametrize("disposer", [leave, leave_later])
def test_exiting_disposer_is_reported(run, reported, disposer) -> None:
    """A disposer that raises GeneratorExit is reported, and the others still run."""
    undone: list[int] = []

    async def main() -> None:
        async with Context() as ctx:
            ctx.on("internal/error", lambda _, error: reported.append(error))

            def apply(ctx: Context):
                yield lambda: undone.append(1)
                yield disposer
                yield lambda: undone.append(2)

            fiber = await ctx.plugin(apply)
            await fiber.dispose()
            assert fiber.state is FiberState.DISPOSED

            def parts():
                yield lambda: undone.append(3)
                yield disposer
                yield lambda: undone.append(4)

            await ctx.effect(parts).dispose()

    run(main())
    assert undone == [2, 1, 4, 3]
    assert [type(error.__cause__) for error in reported] == [GeneratorExit, GeneratorExit]


@pytest.mark.parametrize("listener", [leave, leave_later])
@pytest.mark.parametrize("args", [(1,), (1, 2)])
def test_exit_reaches_no_emitter(run, reported, listener, args) -> None:
    """A listener that raises GeneratorExit is reported, and the emit goes on."""
    heard: list[int] = []

    async def main() -> None:
        async with Context() as ctx:
            ctx.on("internal/error", lambda _, error: reported.append(error))
            ctx.on("exits/loose", listener)
            ctx.on("exits/loose", lambda *given: heard.append(len(given)))
            ctx.emit("exits/loose", *args)
            for _ in range(4):
                await asyncio.sleep(0)

    run(main())
    assert heard == [len(args)]
    assert [type(error.__cause__) for error in reported] == [GeneratorExit]


def test_exit_is_told_by_parallel(run) -> None:
    """A parallel dispatch tells of listeners that raised GeneratorExit, at once or later."""

    async def main() -> None:
        async with Context() as ctx:
            ctx.on(asked, leave)
            ctx.on(asked, leave_later)
            with pytest.raises(ParallelError) as caught:
                await ctx.parallel(asked)
            assert len(caught.value.exceptions) == 2

    run(main())


def test_exiting_setup_is_reported(run, reported) -> None:
    """An effect whose set-up raises GeneratorExit is reported and undone."""

    async def main() -> None:
        async with Context() as ctx:
            ctx.on("internal/error", lambda _, error: reported.append(error))
            before = snapshot(ctx)
            effect = ctx.effect(leave_later)
            with pytest.raises(GeneratorExit):
                await effect
            assert snapshot(ctx) == before

    run(main())
    assert len(reported) == 1


def test_exiting_check_offers_nothing(run, reported) -> None:
    """A service whose check raises GeneratorExit is not available, which is reported."""

    async def main() -> None:
        async with Context() as ctx:
            ctx.on("internal/error", lambda _, error: reported.append(error))
            ctx.provide("box", object(), check=leave)

            def reader(ctx: Context) -> None:
                raise AssertionError

            reader.inject = ["box"]
            assert (await ctx.plugin(reader)).state is FiberState.PENDING

    run(main())
    assert reported


def test_closing_is_no_failure(run, reported) -> None:
    """Closing what waits for a plugin's code closes it, and reports nothing."""
    closed: list[str] = []

    async def main() -> None:
        async with Context() as ctx:
            ctx.on("internal/error", lambda _, error: reported.append(error))

            async def apply(ctx: Context) -> None:
                try:
                    await asyncio.sleep(3600)
                finally:
                    closed.append("apply")

            fiber = ctx.plugin(apply)
            await asyncio.sleep(0)
            running = fiber._run_plugin()
            running.send(None)
            running.close()
            assert closed == ["apply"]

    run(main())
    assert reported == []
