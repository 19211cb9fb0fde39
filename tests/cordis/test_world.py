"""What the preflight and the report say that mounted code is given, against what it is given."""

from __future__ import annotations

import pytest

from toolset import Context
from toolset.catalog import Catalog
from toolset.cordis.described import WITHHELD, context_members, given_members, harness_members
from toolset.cordis.errors import FacadeError
from toolset.cordis.facade import facade
from toolset.cordis.harness import Harness
from toolset.cordis.membrane import Membrane
from toolset.cordis.world import World
from toolset.services.timer import Timer
from toolset.services.tools import ToolRegistry


def test_described_context_is_given(run) -> None:
    """Every member described can be read on a façade, and everything withheld is refused there."""

    async def main() -> None:
        async with Context() as ctx:
            await ctx.plugin(ToolRegistry)
            given = facade(ctx, Membrane("dyn-1"))
            assert set(context_members(Catalog())) == set(dir(given))
            for name in context_members(Catalog()):
                getattr(given, name)
            for name in WITHHELD:
                with pytest.raises(FacadeError):
                    getattr(given, name)

    run(main())


def test_described_tools_are_given(run) -> None:
    """What is described of `ctx.tools` and `harness` is what mounted code finds there."""

    async def main() -> None:
        async with Context() as ctx:
            await ctx.plugin(ToolRegistry)
            assert set(given_members()["tools"]) == set(dir(facade(ctx, Membrane("dyn-1")).tools))
            assert all(hasattr(Harness(), name) for name in harness_members())

    run(main())


def test_timer_helpers_are_forwarded(run) -> None:
    """What the timer mixes into contexts is known, while it is live."""

    async def main() -> None:
        async with Context() as ctx:
            world = World(Catalog())
            assert world.look(ctx).forwarded == {}
            await ctx.plugin(Timer)
            assert set(world.look(ctx).forwarded["timer"]) == set(ctx.registry.accessors)

    run(main())


def test_look_sees_what_changed(run) -> None:
    """A look sees services that came, went, or got attributes since the last one."""

    class Thing:
        pass

    async def main() -> None:
        async with Context() as ctx:
            world, thing = World(Catalog()), Thing()
            effect = ctx.provide("thing", thing)
            assert list(world.look(ctx).members("thing")) == []
            thing.size = 3
            assert list(world.look(ctx).members("thing")) == ["size"]
            await effect.dispose()
            assert world.look(ctx).service("thing") is None

    run(main())


def test_descriptions_are_not_kept(run, count_objects) -> None:
    """Looking at services that come and go keeps none of their descriptions."""

    async def main() -> int:
        async with Context() as ctx:
            world = World(Catalog())

            async def cycle(number: int) -> None:
                effect = ctx.provide(f"thing{number}", type("Thing", (), {"go": lambda self: 1})())
                assert "go" in world.look(ctx).members(f"thing{number}")
                await effect.dispose()

            for number in range(150):  # `inspect` remembers the last 128 classes it looked at
                await cycle(number)
            before = count_objects()
            for number in range(150, 200):
                await cycle(number)
            return count_objects() - before

    assert run(main()) <= 0
