"""JSON values that survive a round trip unchanged."""

# Maintainers: answers for the question "does this Python value come back from JSON as it went in?".
# Invariants: every walk is iterative (no depth raises RecursionError); a copy shares no container
# with its source; a refused value leaves nothing behind. It must not know schemas or tools.

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TypeAlias, cast

from toolset.services.tools.errors import NotJsonError
from toolset.services.tools.jsontypes import FrozenArray, FrozenObject, JsonObject, JsonValue
from toolset.services.tools.paths import Path
from toolset.services.tools.small import SMALL_DEPTH, UNSURE, copy_small
from toolset.services.tools.wire import brief, safe_text

__all__ = ["MAX_DEPTH", "copy_json", "depth_of", "freeze_json"]

_Container: TypeAlias = "JsonObject | list[JsonValue]"

MAX_DEPTH = 100
"""Levels of nesting that arguments and outputs may have; other JSON readers stop near 128."""

_MAX_ITEMS = 500_000
# A frozen container refuses its own `__setitem__`; the base classes' still write into it.
_set_key = dict[str, JsonValue].__setitem__
_set_index = list[JsonValue].__setitem__

_MAX_INT_BITS = 13_000  # Python refuses to print an int of more than 4,300 digits.


class _Leave:
    """Mark on the work list: everything below the container `ident` was seen."""

    __slots__ = ("ident",)

    def __init__(self, ident: int) -> None:
        self.ident = ident


def copy_json(
    value: object,
    where: Path | str = "value",
    *,
    max_depth: int | None = None,
    utf8: bool = False,
) -> JsonValue:
    """Copy a value into plain, changeable JSON data.

    Args:
        value: What to copy. Subclasses of the JSON types become those types.
        where: The name of the value in messages.
        max_depth: Levels of nesting to accept, None for any.
        utf8: Whether to refuse text that UTF-8 cannot encode.

    Returns:
        The copy, which shares nothing with the value.

    Raises:
        NotJsonError: The value does not survive a round trip through JSON.
    """
    return _copied(value, where, _Copy(max_depth, dict, list, utf8=utf8))


def freeze_json(
    value: object, where: Path | str = "value", *, max_depth: int | None = MAX_DEPTH
) -> JsonValue:
    """Copy a value into JSON data that cannot be changed.

    Args:
        value: What to copy.
        where: The name of the value in messages.
        max_depth: Levels of nesting to accept, None for any.

    Returns:
        The copy, made of `FrozenObject` and `FrozenArray`.

    Raises:
        NotJsonError: The value does not survive a round trip through JSON.
    """
    return _copied(value, where, _Copy(max_depth, FrozenObject, FrozenArray))


def _copied(value: object, where: Path | str, closely: _Copy) -> JsonValue:
    if closely.max_depth is None or closely.max_depth >= SMALL_DEPTH:
        copied = copy_small(value, closely.object_type, closely.array_type)
        if copied is not UNSURE:
            return cast("JsonValue", copied)
    return closely.run(value, _path(where))


def _path(where: Path | str) -> Path:
    return Path(where) if isinstance(where, str) else where


class _Copy:
    """One iterative copy: a work list instead of recursion."""

    def __init__(
        self,
        max_depth: int | None,
        object_type: type[JsonObject],
        array_type: type[list[JsonValue]],
        *,
        utf8: bool = False,
    ) -> None:
        self.max_depth = max_depth
        self.utf8 = utf8
        self.object_type = object_type
        self.array_type = array_type
        self.active: set[int] = set()
        self.items = 0
        self.work: list[tuple[object, Path, _Container, str | int] | _Leave] = []

    def run(self, value: object, root: Path) -> JsonValue:
        holder: list[JsonValue] = [None]
        self._put(value, root, holder, 0)
        while self.work:
            step = self.work.pop()
            if isinstance(step, _Leave):
                self.active.discard(step.ident)
                continue
            value, path, parent, key = step
            self._open(value, path, parent, key)
        return holder[0]

    def _put(self, value: object, path: Path, parent: _Container, key: str | int) -> None:
        """Store a scalar now, leave a container for later; either way `key` keeps its place."""
        if isinstance(value, (dict, list)):
            _store(parent, key, None)
            self.work.append((cast("object", value), path, parent, key))
        else:
            _store(parent, key, self._scalar(value, path))

    def _open(self, value: object, path: Path, parent: _Container, key: str | int) -> None:
        if id(value) in self.active:
            raise NotJsonError(path, "contains itself", "JSON has no references")
        self.active.add(id(value))
        self.work.append(_Leave(id(value)))
        if self.max_depth is not None and len(self.active) > self.max_depth:
            raise NotJsonError(
                path, f"is nested deeper than {self.max_depth} levels", "make it flatter"
            )
        if isinstance(value, dict):
            self._open_object(cast("dict[object, object]", value), path, parent, key)
        else:
            self._open_array(cast("list[object]", value), path, parent, key)

    def _open_object(
        self,
        value: dict[object, object],
        path: Path,
        parent: _Container,
        key: str | int,
    ) -> None:
        target = self.object_type()
        _store(parent, key, target)
        self._count(len(value), path)
        for name, child in value.items():
            if not isinstance(name, str):
                raise NotJsonError(
                    path, f"has the key {brief(name)}, which is no string", "JSON keys are strings"
                )
            self._check_text(name, path)
            self._put(child, path / name, target, str.__str__(name))

    def _open_array(
        self,
        value: list[object],
        path: Path,
        parent: _Container,
        key: str | int,
    ) -> None:
        target = self.array_type([None] * len(value))
        _store(parent, key, target)
        self._count(len(value), path)
        for index, child in enumerate(value):
            self._put(child, path / index, target, index)

    def _count(self, added: int, path: Path) -> None:
        self.items += added
        if self.items > _MAX_ITEMS:
            raise NotJsonError(path, f"has more than {_MAX_ITEMS:,} items", "return less")

    def _check_text(self, text: str, path: Path) -> None:
        if self.utf8 and safe_text(text) != text:
            raise NotJsonError(
                path, "has a lone surrogate", "UTF-8 cannot encode it; write whole characters"
            )

    def _scalar(self, value: object, path: Path) -> str | int | float | bool | None:
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            self._check_text(value, path)
            return str.__str__(value)
        if isinstance(value, int):
            if value.bit_length() > _MAX_INT_BITS:
                raise NotJsonError(path, "is an integer too long to print", "give it as text")
            return int(value)
        if isinstance(value, float):
            return _check_float(float(value), path)
        raise NotJsonError(path, f"is {_named(value)}", _instead(value))


def _store(parent: _Container, key: str | int, value: JsonValue) -> None:
    """Write into a container, a frozen one included: it is frozen for everybody else."""
    if isinstance(parent, dict):
        _set_key(parent, cast("str", key), value)
    else:
        _set_index(parent, cast("int", key), value)


def _check_float(value: float, path: Path) -> float:
    if not math.isfinite(value):
        raise NotJsonError(path, f"is {value}", "JSON has finite numbers only; use null or text")
    if value == 0 and math.copysign(1, value) < 0:
        raise NotJsonError(path, "is -0.0", "JSON readers lose its sign; write 0")
    return value


def _named(value: object) -> str:
    kind = type(value).__name__
    return f"{'an' if kind[:1].lower() in 'aeiou' else 'a'} {kind}, which JSON does not have"


def _instead(value: object) -> str:
    if isinstance(value, (tuple, set, frozenset)):
        return "use a list"
    if isinstance(value, (bytes, bytearray, memoryview)):
        return "use text, base64 for binary data"
    return "use null, true, false, numbers, strings, lists and dicts with string keys"


def depth_of(value: object) -> int:
    """Measure how deep JSON data is nested.

    Args:
        value: Data without cycles.

    Returns:
        0 for a scalar, 1 for a flat list or dict, and so on.
    """
    deepest = 0
    work: list[tuple[object, int]] = [(value, 0)]
    while work:
        node, depth = work.pop()
        children: Iterable[object] = ()
        if isinstance(node, Mapping):
            children = cast("Mapping[str, object]", node).values()
        elif isinstance(node, list):
            children = cast("list[object]", node)
        else:
            continue
        deepest = max(deepest, depth + 1)
        work.extend((child, depth + 1) for child in children)
    return deepest
