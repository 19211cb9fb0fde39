"""What happens to the stock."""

from __future__ import annotations

from toolset import Next, event

__all__ = ["allow", "changed"]


@event("stock/changed", mode="emit")
def changed(item: str, left: int) -> None:
    """Tell that the count of an item is another one.

    Args:
        item: Name of the item.
        left: How many are there now.
    """


@event("stock/allow", mode="waterfall")
async def allow(item: str, count: int, next: Next[bool]) -> bool:  # noqa: A002 - the name that listeners see
    """Decide whether items may be taken; without a listener they may.

    Args:
        item: Name of the item.
        count: How many are asked for.
        next: What the listeners further in decide.

    Returns:
        Whether they are handed out.
    """
    raise NotImplementedError  # a declaration is never called
