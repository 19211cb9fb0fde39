"""Copies of small JSON data, made at once."""

# Maintainers: a short cut past lossless.py's walk, which keeps a path and a work list for every value;
# most arguments and results are a few short texts. Invariant: what it copies, lossless.py would copy
# to the same (test_tool_values.py); for all it is not sure of it gives `UNSURE`. The recursion is
# bounded, and so is the number of items, which ends a value that contains itself.

from __future__ import annotations

import math
from typing import Final, cast

from toolset.services.tools.jsontypes import JsonObject, JsonValue

__all__ = ["SMALL_DEPTH", "UNSURE", "copy_small"]

UNSURE: Final = object()
SMALL_DEPTH: Final = 8
"""Levels that what is copied here may have."""

_MAX_ITEMS: Final = 200
_MAX_INT: Final = 1 << 53


def copy_small(
    value: object, object_type: type[JsonObject], array_type: type[list[JsonValue]]
) -> JsonValue | object:
    """Copy small data of the builtin JSON types.

    Args:
        value: What to copy.
        object_type: What objects become.
        array_type: What arrays become.

    Returns:
        The copy, which shares no container with the value; `UNSURE` when it takes a closer look.
    """
    return _Small(object_type, array_type).copy(value, SMALL_DEPTH)


class _Small:
    __slots__ = ("array_type", "left", "object_type")

    def __init__(self, object_type: type[JsonObject], array_type: type[list[JsonValue]]) -> None:
        self.object_type = object_type
        self.array_type = array_type
        self.left = _MAX_ITEMS

    def copy(self, value: object, depth: int) -> JsonValue | object:
        kind = type(value)
        if kind is not dict and kind is not list:
            return value if _is_sure(value) else UNSURE
        self.left -= len(cast("list[object]", value)) + 1
        if self.left < 0 or not depth:
            return UNSURE
        if kind is dict:
            return self._object(cast("dict[object, object]", value), depth - 1)
        return self._array(cast("list[object]", value), depth - 1)

    def _object(self, value: dict[object, object], depth: int) -> JsonObject | object:
        made: dict[str, object] = {}
        for name, child in value.items():
            copied = self.copy(child, depth)
            if copied is UNSURE or type(name) is not str or not name.isascii():
                return UNSURE
            made[name] = copied
        return self.object_type(cast("JsonObject", made))

    def _array(self, value: list[object], depth: int) -> list[JsonValue] | object:
        made = [self.copy(child, depth) for child in value]
        return UNSURE if UNSURE in made else self.array_type(cast("list[JsonValue]", made))


def _is_sure(value: object) -> bool:
    """Tell a scalar that JSON keeps as it is."""
    kind = type(value)
    if kind is str:
        return cast("str", value).isascii()
    if kind is int:
        return -_MAX_INT < cast("int", value) < _MAX_INT
    if kind is float:  # zero may be a negative one
        return bool(value) and math.isfinite(cast("float", value))
    return value is None or kind is bool
