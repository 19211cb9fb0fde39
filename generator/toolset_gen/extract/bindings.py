"""What a name in a function can be bound to."""

# Maintainers: records, and the names that statements bind to what nobody follows. Frames decide.

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from toolset_gen.extract.raw import RawFunction
from toolset_gen.extract.values import Value

__all__ = [
    "Binding",
    "BoundContext",
    "BoundFunction",
    "BoundPath",
    "BoundValue",
    "Unknown",
    "other_targets",
]


class BoundContext(NamedTuple):
    """A context; `type` is the path of the annotation, `""` when only the name says so."""

    type: str


class BoundFunction(NamedTuple):
    """A function defined inside a function."""

    path: str
    function: RawFunction


class BoundPath(NamedTuple):
    """An import, or another name for something at the module's top."""

    path: str


class BoundValue(NamedTuple):
    """Something that only other functions or modules can tell: a parameter, what a call gives."""

    value: Value


class Unknown(NamedTuple):
    """Anything else."""


Binding: TypeAlias = "BoundContext | BoundFunction | BoundPath | BoundValue | Unknown"


def other_targets(node: ast.AST) -> Iterator[str]:
    """List the names that a statement binds to something that is not followed.

    Args:
        node: The statement.

    Yields:
        The names.
    """
    match node:
        case ast.Assign(targets=targets) | ast.Delete(targets=targets):
            found = targets
        case ast.AugAssign() | ast.For() | ast.AsyncFor() | ast.comprehension() | ast.NamedExpr():
            found = [node.target]
        case ast.withitem(optional_vars=ast.expr() as target):
            found = [target]
        case (
            ast.MatchAs(name=str(name))
            | ast.MatchStar(name=str(name))
            | ast.ExceptHandler(name=str(name))
        ):
            yield name
            return
        case _:
            return
    for target in found:
        for item in ast.walk(target):
            if isinstance(item, ast.Name) and not isinstance(item.ctx, ast.Load):
                yield item.id
