"""How many of which item are there: `ctx.stock`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from acme_plugins.events import allow, changed
from toolset import Service, ToolsetError

if TYPE_CHECKING:
    from toolset import Context

__all__ = ["Level", "NotInStockError", "Stock"]


class NotInStockError(ToolsetError):
    """More was asked for than is there, or than may be handed out.

    Args:
        item: Name of the item.
        count: How many were asked for.
        left: How many are there.
    """

    def __init__(self, item: str, count: int, left: int) -> None:
        self.item = item
        self.count = count
        self.left = left
        super().__init__(
            f"{count} of {item!r} were not handed out, {left} are there; ask for fewer, or add some"
        )


class Level(NamedTuple):
    """What is there of one item.

    Attributes:
        item: Name of the item.
        left: How many are there, 0 or more.
    """

    item: str
    left: int


class Stock(Service, key="stock"):
    """Keep count of items."""

    class Config(BaseModel):
        """What is there at the beginning."""

        model_config = ConfigDict(extra="forbid")

        opening: dict[str, int] = Field(
            default_factory=dict, description="Name of each item to how many are there at first."
        )

    def __init__(self, ctx: Context, config: Config | None = None) -> None:
        super().__init__(ctx, config)
        self._left = dict(config.opening) if config is not None else {}

    def levels(self, *, below: int | None = None) -> tuple[Level, ...]:
        """List what is there.

        Args:
            below: Only items of which fewer are left; every item when None.

        Returns:
            A level an item, sorted by name.
        """
        found = (Level(item, left) for item, left in sorted(self._left.items()))
        return tuple(level for level in found if below is None or level.left < below)

    def add(self, item: str, count: int = 1) -> int:
        """Put items in.

        Args:
            item: Name of the item, a new one included.
            count: How many, 1 or more.

        Returns:
            How many are there now.
        """
        return self._set(item, self._left.get(item, 0) + count)

    async def take(self, item: str, count: int = 1) -> int:
        """Hand items out, if the listeners of `stock/allow` agree.

        Args:
            item: Name of the item.
            count: How many, 1 or more.

        Returns:
            How many are left.

        Raises:
            NotInStockError: There are fewer, or a listener refused.
        """

        async def enough(item: str, count: int) -> bool:
            return self._left.get(item, 0) >= count

        allowed = await self.ctx.waterfall(allow, item, count, enough)
        left = self._left.get(item, 0)
        if not allowed or left < count:
            raise NotInStockError(item, count, left)
        return self._set(item, left - count)

    def _set(self, item: str, left: int) -> int:
        self._left[item] = left
        self.ctx.emit(changed, item, left)
        return left
