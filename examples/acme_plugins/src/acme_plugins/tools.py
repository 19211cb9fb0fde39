"""Tools with which a model looks at the stock and takes from it."""

from __future__ import annotations

from acme_plugins.typed_context import Context
from toolset import tool

__all__ = ["apply", "inject", "name"]

name = "stock-tools"
inject = ["stock", "tools"]


def apply(ctx: Context) -> None:
    """Register `stock_levels` and `stock_take`.

    Args:
        ctx: The plugin's context.
    """

    @tool
    async def stock_levels(below: int | None = None) -> list[str]:
        """List what is in stock, a line an item.

        Args:
            below: Only items of which fewer are left.
        """
        return [f"{level.item}: {level.left}" for level in ctx.stock.levels(below=below)]

    @tool
    async def stock_take(item: str, count: int = 1) -> int:
        """Take items out of the stock; gives how many are left.

        Args:
            item: Name of the item, as `stock_levels` shows it.
            count: How many.
        """
        return await ctx.stock.take(item, count)

    for definition in (stock_levels, stock_take):
        ctx.tools.register(definition)
