"""JSON data as Python types, and its frozen form."""

# Maintainers: answers for what JSON data is made of. Whether a foreign value is such data is
# lossless.py's question.

from __future__ import annotations

from typing import NoReturn, TypeAlias

__all__ = ["FrozenArray", "FrozenObject", "JsonObject", "JsonValue", "thaw"]

JsonValue: TypeAlias = "str | int | float | bool | list[JsonValue] | dict[str, JsonValue] | None"
JsonObject: TypeAlias = "dict[str, JsonValue]"


def _frozen(*_: object, **__: object) -> NoReturn:
    message = "the arguments of a call are frozen; change a copy: copy.deepcopy(call.arguments)"
    raise TypeError(message)


class FrozenObject(dict[str, JsonValue]):
    """A JSON object that cannot be changed; `copy.deepcopy` gives one that can."""

    __slots__ = ()
    __setitem__ = __delitem__ = __ior__ = _frozen  # pyright: ignore[reportAssignmentType] -- refusing every change is the point
    clear = pop = popitem = setdefault = update = _frozen  # pyright: ignore[reportAssignmentType] -- as above

    def __copy__(self) -> JsonObject:
        return dict(self)

    def __deepcopy__(self, memo: dict[int, object]) -> JsonValue:
        return thaw(self)

    def __reduce__(self) -> tuple[type[JsonObject], tuple[JsonObject]]:
        return (dict, (dict(self),))


class FrozenArray(list[JsonValue]):
    """A JSON array that cannot be changed; `copy.deepcopy` gives one that can."""

    __slots__ = ()
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _frozen  # pyright: ignore[reportAssignmentType] -- refusing every change is the point
    append = clear = extend = insert = pop = remove = reverse = sort = _frozen  # pyright: ignore[reportAssignmentType] -- as above

    def __copy__(self) -> list[JsonValue]:
        return list(self)

    def __deepcopy__(self, memo: dict[int, object]) -> JsonValue:
        return thaw(self)

    def __reduce__(self) -> tuple[type[list[JsonValue]], tuple[list[JsonValue]]]:
        return (list, (list(self),))


def thaw(value: JsonValue) -> JsonValue:
    """Copy JSON data into plain, changeable dicts and lists.

    Args:
        value: JSON data of at most a hundred levels.

    Returns:
        The copy.
    """
    if isinstance(value, dict):
        return {name: thaw(child) for name, child in value.items()}
    if isinstance(value, list):
        return [thaw(child) for child in value]
    return value
