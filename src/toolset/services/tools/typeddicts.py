"""`typing.TypedDict` on Python 3.11, which pydantic refuses there."""

# Maintainers: pydantic wants the class of `typing_extensions` below Python 3.12, where the one of
# `typing` does not keep its generic bases. Tools use it for plain shapes, which need none of that:
# an equal class is made (test_typed_dicts_are_types). Delete this with Python 3.11.

from __future__ import annotations

import sys
import typing
from collections.abc import Callable
from types import UnionType
from typing import Annotated, NotRequired, Required, cast

__all__ = ["supported"]


def supported(annotation: object) -> object:
    """Replace what pydantic does not take on this Python.

    Args:
        annotation: An annotation, evaluated.

    Returns:
        An equal one that it takes, or the annotation itself.
    """
    return annotation if sys.version_info >= (3, 12) else _Replacing().run(annotation)


class _Replacing:
    """One pass over an annotation."""

    def __init__(self) -> None:
        self._open: set[object] = set()

    def run(self, annotation: object) -> object:
        if typing.is_typeddict(cast("type", annotation)):
            return self._table(cast("type", annotation))
        origin, args = typing.get_origin(annotation), typing.get_args(annotation)
        if not args or origin is typing.Literal or origin is Callable:
            return annotation
        if origin is Annotated:
            first = self.run(args[0])
            if first is args[0]:
                return annotation
            return cast("dict[object, object]", Annotated)[(first, *args[1:])]
        made = tuple(map(self.run, args))
        if all(new is old for new, old in zip(made, args, strict=True)):
            return annotation
        outer: object = typing.Union if origin is UnionType else origin
        return cast("dict[object, object]", outer)[made]

    def _table(self, given: type) -> object:
        if type(given).__module__ != "typing" or given in self._open:
            return given
        import typing_extensions  # noqa: PLC0415 -- comes with pydantic, as this module is imported for it

        self._open.add(given)
        try:
            hints = typing.get_type_hints(given, include_extras=True)
        except (NameError, TypeError):  # pydantic says so in its own words
            return given
        finally:
            self._open.discard(given)
        required = cast("frozenset[str]", getattr(given, "__required_keys__"))  # noqa: B009
        fields = {
            name: self._field(hint, is_required=name in required) for name, hint in hints.items()
        }
        make = cast("Callable[..., type]", typing_extensions.TypedDict)
        made = make(given.__name__, fields)
        made.__doc__ = given.__doc__
        made.__module__ = given.__module__
        return made

    def _field(self, hint: object, *, is_required: bool) -> object:
        if typing.get_origin(hint) in {Required, NotRequired}:
            is_required = typing.get_origin(hint) is Required
            hint = typing.get_args(hint)[0]
        self_made = self.run(hint)
        wrap = Required if is_required else NotRequired
        return cast("dict[object, object]", wrap)[self_made]
