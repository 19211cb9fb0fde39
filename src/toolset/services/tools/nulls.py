"""Numbers that pydantic turned into null: NaN and the infinities."""

# Maintainers: where an annotation says `object` or `Any`, pydantic writes null for a number that
# JSON does not have, without a word. This puts the number back, so that the check for lossless JSON
# refuses it by its path (test_lossy_number_is_refused). It knows no types: it compares what
# pydantic made for JSON with what it made for Python, which have the same shape.

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterator, Mapping
from typing import cast

__all__ = ["has_null", "restored"]

_DEEPEST = 200  # pydantic itself refuses what is nested deeper


def has_null(made: object) -> bool:
    """Tell whether there is a null anywhere in JSON data.

    Args:
        made: The data.

    Returns:
        Whether there is one.
    """
    if made is None:
        return True
    if isinstance(made, dict):
        return any(map(has_null, cast("dict[str, object]", made).values()))
    return isinstance(made, list) and any(map(has_null, cast("list[object]", made)))


def restored(made: object, python: object, left: int = _DEEPEST) -> object:
    """Put numbers back that became null.

    Args:
        made: JSON data, changed in place.
        python: The same value before its leaves were made fit for JSON.
        left: Levels that may still be below.

    Returns:
        The data.
    """
    if made is None:
        return python if _is_lossy(python) else None
    whole = made
    if left and isinstance(made, dict) and isinstance(python, Mapping):
        table = cast("dict[str, object]", made)
        inner = cast("Mapping[object, object]", python).values()
        for (key, one), before in zip(table.items(), inner, strict=False):
            table[key] = restored(one, before, left - 1)
    elif left and isinstance(made, list) and isinstance(python, Collection):
        items = cast("list[object]", made)
        for at, before in enumerate(_ordered(cast("Collection[object]", python), items)):
            items[at] = restored(items[at], before, left - 1)
    return whole


def _ordered(python: Collection[object], items: list[object]) -> Iterator[object]:
    """Give the members in the order of the list; a set has none, so what is null comes to a null."""
    if not isinstance(python, set | frozenset):
        yield from itertools.islice(python, len(items))
        return
    lossy = (one for one in python if _is_lossy(one))
    for one in items:
        yield next(lossy, None) if one is None else one


def _is_lossy(value: object) -> bool:
    return isinstance(value, float) and not math.isfinite(value)
