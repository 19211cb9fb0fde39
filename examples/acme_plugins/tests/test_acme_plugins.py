"""What Acme's plugins do, and that their catalog says so."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from acme_plugins import Level, Stock, reorder, tools
from acme_plugins.events import allow
from acme_plugins.stock import NotInStockError
from acme_plugins.typed_context import Context
from toolset import Next, cordis
from toolset.services.tools import ToolRegistry
from toolset_gen.testing import assert_catalog_fresh

ROOT = Path(__file__).parents[1]


@asynccontextmanager
async def acme(*plugins: object, **opening: int) -> AsyncGenerator[Context]:
    """A runtime with a tool registry, a stock and more plugins."""
    async with Context() as ctx:
        await ctx.plugin(ToolRegistry)
        await ctx.plugin(Stock, {"opening": opening})
        for plugin in plugins:
            await ctx.plugin(plugin)
        yield ctx


def test_catalog_is_fresh() -> None:
    """The committed catalog is what the sources say."""
    assert_catalog_fresh(ROOT)


def test_taking_counts_down() -> None:
    """What is taken is gone; more than is there is refused."""

    async def main() -> None:
        async with acme(bolt=3, nut=8) as ctx:
            assert await ctx.stock.take("bolt", 2) == 1
            assert ctx.stock.levels(below=5) == (Level("bolt", 1),)
            with pytest.raises(NotInStockError, match="2 of 'bolt' were not handed out, 1 are"):
                await ctx.stock.take("bolt", 2)

    asyncio.run(main())


def test_listeners_can_refuse() -> None:
    """A listener of `stock/allow` decides over what is handed out."""

    def miser(ctx: Context) -> None:
        async def refuse(item: str, count: int, next: Next[bool]) -> bool:
            return count == 1 and await next()

        ctx.on(allow, refuse)

    async def main() -> None:
        async with acme(miser, bolt=3) as ctx:
            with pytest.raises(NotInStockError):
                await ctx.stock.take("bolt", 2)
            assert await ctx.stock.take("bolt") == 2

    asyncio.run(main())


def test_little_is_ordered_again() -> None:
    """When fewer than the configured count are left, more are added."""

    async def main() -> None:
        async with acme(reorder, bolt=6) as ctx:
            assert await ctx.stock.take("bolt", 2) == 4
            assert ctx.stock.levels() == (Level("bolt", 24),)

    asyncio.run(main())


def test_models_use_the_stock() -> None:
    """The tools give what is there, take from it, and say why they cannot."""

    async def main() -> None:
        async with acme(tools, bolt=3) as ctx:
            call = ctx.tools.execute
            assert (await call("stock_levels", {})).value == ["bolt: 3"]
            assert (await call("stock_take", {"item": "bolt"})).value == 2
            refused = await call("stock_take", {"item": "bolt", "count": 9})
            assert refused.is_error
            assert "ask for fewer" in refused.text

    asyncio.run(main())


def test_toolset_serves_the_catalog() -> None:
    """An agent sees the stock's documented contract, found through the entry point alone."""

    async def main() -> None:
        async with acme(cordis) as ctx:
            report = await ctx.tools.execute("cordis_inspect", {"what": "api", "name": "stock"})
            assert "Hand items out, if the listeners of `stock/allow` agree." in report.text
            assert "uncatalogued" not in report.text

    asyncio.run(main())
