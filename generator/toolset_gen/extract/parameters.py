"""The parameters of a function as its body sees them: how they are passed, what they may be."""

# Maintainers: syntax and annotations alone; what a parameter finally is, flows.py says.

from __future__ import annotations

import ast
from collections.abc import Iterator

from toolset.catalog import ParameterKind
from toolset_gen.extract.bindings import BoundContext
from toolset_gen.extract.raw import RawAnnotation
from toolset_gen.extract.values import UNKNOWN, Value

__all__ = ["context_in", "each_parameter", "typed"]

_PLAIN = ("builtins.", "typing.", "typing_extensions.", "collections.")
_WRAPPERS = frozenset(
    f"{module}.{name}"
    for module in ("typing", "typing_extensions")
    for name in ("Annotated", "Optional")
)


def context_in(note: RawAnnotation) -> BoundContext | None:
    """Find the context that something annotated so is.

    Args:
        note: The annotation.

    Returns:
        The context, None when the annotation names none.
    """
    found = next((path for path in _heads(note) if path.endswith("Context")), None)
    return None if found is None else BoundContext(found.removeprefix("?"))


def _heads(note: RawAnnotation) -> tuple[str, ...]:
    """What a type is, the arguments of generics left out; of a union everything in it."""
    if note.refs and note.refs[0] in _WRAPPERS:
        return note.refs[1:2]
    if "[" in note.inner and "|" not in note.inner:
        return note.refs[:1]
    return note.refs


def typed(note: RawAnnotation) -> Value:
    """Say what something annotated so is an instance of.

    Args:
        note: The annotation.

    Returns:
        An instance, or one of several; unknown for builtins and what is not imported.
    """
    found = [
        Value("instance", path) for path in _heads(note) if not path.startswith(("?", *_PLAIN))
    ]
    return (
        found[0] if len(found) == 1 else Value("several", args=tuple(found)) if found else UNKNOWN
    )


def each_parameter(
    args: ast.arguments,
) -> Iterator[tuple[ast.arg, ParameterKind, ast.expr | None]]:
    """List parameters in the order of the signature.

    Args:
        args: The parameters.

    Yields:
        Each with how it is passed, and its default.
    """
    positional = [*args.posonlyargs, *args.args]
    missing: list[ast.expr | None] = [None] * (len(positional) - len(args.defaults))
    for index, (arg, default) in enumerate(
        zip(positional, [*missing, *args.defaults], strict=True)
    ):
        first = index < len(args.posonlyargs)
        yield arg, "positional-only" if first else "positional-or-keyword", default
    if args.vararg is not None:
        yield args.vararg, "var-positional", None
    for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        yield arg, "keyword-only", default
    if args.kwarg is not None:
        yield args.kwarg, "var-keyword", None
