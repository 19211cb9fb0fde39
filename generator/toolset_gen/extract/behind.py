"""What stands behind the name of a type: the metadata of `Annotated` aliases."""

# Maintainers: follows aliases, aliases of aliases and generic ones to what their `Annotated` adds,
# as pydantic does: innermost first, later ones win. Aliases that pydantic takes for types of their
# own, and members of unions, give constraints and no more: no default, no key.

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from toolset_gen.extract.library import Library
from toolset_gen.extract.raw import Expr, RawAnnotation, RawVariable

__all__ = ["Extra", "metadata"]

# Pydantic's own names for constrained types; its sources are not read.
_OWN = {
    "PositiveInt": "gt=0",
    "NegativeInt": "lt=0",
    "NonNegativeInt": "ge=0",
    "NonPositiveInt": "le=0",
    "PositiveFloat": "gt=0",
    "NegativeFloat": "lt=0",
    "NonNegativeFloat": "ge=0",
    "NonPositiveFloat": "le=0",
    "FiniteFloat": "allow_inf_nan=False",
    "StrictBool": "strict=True",
    "StrictBytes": "strict=True",
    "StrictFloat": "strict=True",
    "StrictInt": "strict=True",
    "StrictStr": "strict=True",
}
_DEEPEST = 20


class Extra(NamedTuple):
    """One thing that `Annotated` adds to a type.

    Attributes:
        expr: What it is.
        whole: Whether it is about the field itself: its default, its key.
    """

    expr: Expr
    whole: bool = True


def metadata(note: RawAnnotation, library: Library) -> list[Extra]:
    """List what is added to a type, behind every alias.

    Args:
        note: The type.
        library: What resolves names.

    Returns:
        The additions, innermost first.
    """
    return list(_of(note, library, _DEEPEST))


def _of(note: RawAnnotation, library: Library, depth: int) -> Iterator[Extra]:
    if not depth:
        return
    inner: Iterator[Extra] = iter(())
    if note.wrapped is not None:
        inner = _of(note.wrapped, library, depth - 1)
    elif note.head:
        inner = _of_name(note.head, library, depth - 1)
    for extra in inner:
        yield extra._replace(whole=extra.whole and not note.optional)
    for expr in note.metadata:
        yield Extra(expr)


def _of_name(path: str, library: Library, depth: int) -> Iterator[Extra]:
    module, _, name = library.canonical(path).rpartition(".")
    if module in {"pydantic", "pydantic.types"} and name in _OWN:
        word, _, text = _OWN[name].partition("=")
        yield Extra(Expr(name, "call", path="pydantic.Field", keywords=((word, Expr(text)),)))
        return
    found = library.definition(path)
    if found is None or not isinstance(found.raw, RawVariable) or not depth:
        return
    raw = found.raw
    if raw.means is not None:
        for extra in _of(raw.means, library, depth):
            yield extra._replace(whole=extra.whole and not raw.lazy)
    elif raw.value is not None and raw.value.kind == "name" and raw.annotation is None:
        yield from _of_name(raw.value.path, library, depth - 1)
