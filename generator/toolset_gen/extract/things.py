"""What expressions come to mean when calls are followed: contexts, verbs, helpers, events."""

# Maintainers: records only; tracer.py finds out what something is.

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

__all__ = ["LISTENS", "NOTHING", "UNKNOWABLE", "Env", "Thing", "Things", "filled"]

LISTENS = frozenset({"on", "once"})

ThingKind: TypeAlias = Literal[
    "verb",
    "context",
    "derive",
    "function",
    "class",
    "instance",
    "super",
    "special",
    "event",
    "text",
    "unknown",
]


class Thing(NamedTuple):
    """One thing that an expression may be.

    Attributes:
        kind: What it is; `derive` is a method that gives another context, `special` a function of the
            library that is understood.
        name: The verb, the path, the text.
        bound: Positional arguments that are filled already, the bound parameter among them.
        named: Keyword arguments that are filled already.
        starred: Whether more of them are, which nobody can tell.
        env: Of an instance, what its constructor was given.
        exact: Whether an instance is of that very class, and of none derived from it.
    """

    kind: ThingKind
    name: str = ""
    bound: tuple[Things, ...] = ()
    named: tuple[tuple[str, Things], ...] = ()
    starred: bool = False
    env: Env = {}  # noqa: RUF012 - a Mapping, which nobody writes to
    exact: bool = False


Things: TypeAlias = "tuple[Thing, ...]"
Env: TypeAlias = "Mapping[tuple[str, str], Things]"

NOTHING: Env = {}
UNKNOWABLE: Things = (Thing("unknown"),)


def filled(thing: Thing, given: Thing) -> Thing:
    """Fill more arguments of a function.

    Args:
        thing: The function, with what is bound already.
        given: What follows.

    Returns:
        The function with both.
    """
    return thing._replace(
        bound=(*thing.bound, *given.bound),
        named=(*thing.named, *given.named),
        starred=thing.starred or given.starred,
    )
