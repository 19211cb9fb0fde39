"""Order an item again when little of it is left."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from acme_plugins.events import changed
from acme_plugins.typed_context import Context

__all__ = ["Config", "apply", "inject", "name"]

name = "reorder"
inject = ["stock"]


class Config(BaseModel):
    """When to order, and how many."""

    model_config = ConfigDict(extra="forbid")

    below: int = Field(default=5, ge=1, description="Order when fewer than these are left.")
    count: int = Field(default=20, ge=1, description="How many to order.")


def apply(ctx: Context, config: Config) -> None:
    """Order as soon as the stock tells of too few.

    Args:
        ctx: The plugin's context.
        config: When, and how many.
    """

    def order(item: str, left: int) -> None:
        if left < config.below:
            ctx.stock.add(item, config.count)

    ctx.on(changed, order)
