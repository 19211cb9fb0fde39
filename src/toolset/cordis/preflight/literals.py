"""Read what stands literally in a mount's code: constants, inject lists, event declarations."""

# Maintainers: folds no more than a writer can read at one glance. None is the answer both for None
# and for "not literal": no caller needs to tell them apart.

from __future__ import annotations

import ast
from typing import cast, get_args

from toolset.catalog import EventEntry, EventMode, Parameter, Returns
from toolset.cordis.preflight.scopes import FunctionNode, Scope

__all__ = ["event_of", "keys_of", "literal", "parameters_of"]

_DEEPEST = 20


def literal(  # noqa: PLR0911 - a case, a return
    node: ast.AST | None, scope: Scope, depth: int = 0
) -> object:
    """Read a literal.

    Args:
        node: The expression.
        scope: Where it is read; a name bound once to a literal is followed.
        depth: How many names and containers were followed so far.

    Returns:
        A str, number, bool, list (for every sequence and set) or dict; None when it is none of
        these or not literal through and through.
    """
    if depth > _DEEPEST:
        return None
    match node:
        case ast.Constant():
            return node.value
        case ast.List() | ast.Tuple() | ast.Set():
            items = [literal(item, scope, depth + 1) for item in node.elts]
            return None if None in items else items
        case ast.Dict():
            return _mapping(node, scope, depth)
        case ast.BinOp(op=ast.Add()):
            return _sum(literal(node.left, scope, depth + 1), literal(node.right, scope, depth + 1))
        case ast.Name():
            owner = scope.owner(node.id)
            binding = None if owner is None else owner.sole(node.id)
            if binding is None or binding.parameter >= 0 or binding.imported:
                return None
            return literal(binding.node, binding.scope, depth + 1)
        case _:
            return None


def _mapping(node: ast.Dict, scope: Scope, depth: int) -> dict[object, object] | None:
    keys = [literal(key, scope, depth + 1) for key in node.keys]
    if not all(isinstance(key, str) for key in keys):
        return None
    return dict(zip(keys, (literal(v, scope, depth + 1) for v in node.values), strict=True))


def _sum(left: object, right: object) -> object:
    if isinstance(left, list) and isinstance(right, list):
        return [*cast("list[object]", left), *cast("list[object]", right)]
    return left + right if isinstance(left, str) and isinstance(right, str) else None


def keys_of(inject: object) -> frozenset[str] | None:
    """Read the keys of an `inject` declaration.

    Args:
        inject: Its literal: a list, a mapping of keys, or one of `required` and `optional`.

    Returns:
        Required and optional keys together; None when it cannot be read.
    """
    if isinstance(inject, dict):
        mapping = cast("dict[object, object]", inject)
        if mapping and mapping.keys() <= {"required", "optional"}:
            parts = [part for v in mapping.values() if (part := keys_of(v)) is not None]
            return frozenset[str]().union(*parts) if len(parts) == len(mapping) else None
        return keys_of(list(mapping))
    if isinstance(inject, list):
        keys = cast("list[object]", inject)
        names = [key for key in keys if isinstance(key, str)]
        return frozenset(names) if len(names) == len(keys) else None
    return None


def event_of(
    decorator: ast.Call, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope
) -> EventEntry | None:
    """Read an event that the code declares with `@event(...)`.

    Args:
        decorator: The decorator.
        node: The declaration.
        scope: Where it stands.

    Returns:
        Its record; None when name or mode are not literal.
    """
    given = {k.arg: k.value for k in decorator.keywords}
    name = literal(decorator.args[0] if decorator.args else given.get("name"), scope)
    mode = literal(given.get("mode"), scope)
    if not isinstance(name, str) or mode not in get_args(EventMode):
        return None
    is_async = isinstance(node, ast.AsyncFunctionDef)
    returned = "" if node.returns is None else ast.unparse(node.returns)
    return EventEntry(
        name,
        cast("EventMode", mode),
        is_async,
        f"{'async ' if is_async else ''}{node.name}({ast.unparse(node.args)})",
        parameters_of(node),
        Returns(returned),
    )


def parameters_of(node: FunctionNode) -> tuple[Parameter, ...]:
    """Read the parameters of a function of the code.

    Args:
        node: The function or lambda.

    Returns:
        One record a parameter, without annotations or defaults.
    """
    args = node.args
    positional = [*args.posonlyargs, *args.args]
    first_default = len(positional) - len(args.defaults)
    found = [
        Parameter(
            arg.arg,
            "positional-only" if index < len(args.posonlyargs) else "positional-or-keyword",
            required=index < first_default,
        )
        for index, arg in enumerate(positional)
    ]
    if args.vararg is not None:
        found.append(Parameter(args.vararg.arg, "var-positional", required=False))
    for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        found.append(Parameter(arg.arg, "keyword-only", required=default is None))
    if args.kwarg is not None:
        found.append(Parameter(args.kwarg.arg, "var-keyword", required=False))
    return tuple(found)
