"""Function definitions: parameters, annotations, what their own bodies do."""

# Maintainers: turns one `def` into a RawFunction. It knows nothing of the class around it but the
# names it resolves through.

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeAlias, cast

from toolset_gen.extract.docstrings import parse_docstring
from toolset_gen.extract.expressions import Resolve, read_annotation, read_expr
from toolset_gen.extract.parameters import each_parameter
from toolset_gen.extract.raw import Doc, RawFunction, RawParameter
from toolset_gen.extract.text import SourceText

__all__ = ["AnyFunction", "doc_of", "merge_functions", "own_nodes", "read_function", "read_lambda"]

AnyFunction: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"

_SCOPES = frozenset({ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda})
_LEAVES = frozenset({ast.Name, ast.Constant, ast.Load, ast.Store, ast.Pass, ast.alias})
_OVERLOAD = frozenset({"typing.overload", "typing_extensions.overload"})


def doc_of(body: list[ast.stmt]) -> Doc | None:
    """Parse the docstring of a module, class or function.

    Args:
        body: Its statements.

    Returns:
        The docstring, None without one.
    """
    first = body[0] if body else None
    if not isinstance(first, ast.Expr) or not isinstance(first.value, ast.Constant):
        return None
    text = first.value.value
    return parse_docstring(text, first.lineno) if isinstance(text, str) else None


def own_nodes(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """Walk a function's body without the functions and classes defined in it.

    Args:
        body: The statements.

    Yields:
        Every node that runs when the function itself runs.
    """
    stack: list[ast.AST] = list(reversed(body))
    while stack:
        node = stack.pop()
        yield node
        kind = type(node)
        if kind in _SCOPES or kind in _LEAVES:
            continue
        children: list[ast.AST] = []
        for name in kind._fields:  # `iter_child_nodes` takes twice as long
            value: object = getattr(node, name)
            if isinstance(value, ast.AST):
                children.append(value)
            elif isinstance(value, list):
                items = cast("list[object]", value)
                children.extend(item for item in items if isinstance(item, ast.AST))
        children.reverse()
        stack.extend(children)


def read_function(node: AnyFunction, source: SourceText, resolve: Resolve) -> RawFunction:
    """Describe a function.

    Args:
        node: Its definition.
        source: The text it stands in.
        resolve: Says what a dotted name refers to.

    Returns:
        Its description, overloads not yet merged.
    """
    hidden = _type_parameters(node)

    def lookup(name: str) -> str:
        return f"builtins.{name}" if name in hidden else resolve(name)

    decorators = tuple(read_expr(item, source, resolve) for item in node.decorator_list)
    return RawFunction(
        name=node.name,
        line=node.lineno,
        is_async=isinstance(node, ast.AsyncFunctionDef),
        is_generator=_yields(node, source),
        decorators=decorators,
        parameters=tuple(_parameters(node.args, source, lookup)),
        returns=read_annotation(node.returns, source, lookup) if node.returns else None,
        doc=doc_of(node.body),
        is_overload=any(item.path in _OVERLOAD for item in decorators),
    )


def read_lambda(node: ast.Lambda, source: SourceText, resolve: Resolve) -> RawFunction:
    """Describe a lambda.

    Args:
        node: The lambda.
        source: The text it stands in.
        resolve: Says what a dotted name refers to.

    Returns:
        Its description, named `<lambda>`.
    """
    parameters = tuple(_parameters(node.args, source, resolve))
    return RawFunction("<lambda>", node.lineno, parameters=parameters)


def _type_parameters(node: ast.AST) -> frozenset[str]:
    found: list[ast.AST] = getattr(node, "type_params", [])
    names: list[object] = [getattr(item, "name", None) for item in found]
    return frozenset(name for name in names if isinstance(name, str))


def _yields(node: AnyFunction, source: SourceText) -> bool:
    lines = source.lines[node.lineno - 1 : node.end_lineno]
    if not any("yield" in line for line in lines):
        return False
    return any(isinstance(item, (ast.Yield, ast.YieldFrom)) for item in own_nodes(node.body))


def _parameters(
    args: ast.arguments, source: SourceText, resolve: Resolve
) -> Iterator[RawParameter]:
    for arg, kind, default in each_parameter(args):
        yield RawParameter(
            name=arg.arg,
            kind=kind,
            annotation=read_annotation(arg.annotation, source, resolve) if arg.annotation else None,
            default=source.of(default) if default is not None else None,
            line=arg.lineno,
        )


def merge_functions(earlier: RawFunction, later: RawFunction) -> RawFunction:
    """Merge two definitions of one name in one body: overloads, a property and its setter.

    Args:
        earlier: The first.
        later: The one after it.

    Returns:
        What the name means after both.
    """
    tail = later.decorators[-1].text if later.decorators else ""
    if tail in {f"{later.name}.setter", f"{later.name}.deleter"}:
        return earlier._replace(setter=earlier.setter or tail.endswith(".setter"))
    if tail == f"{later.name}.getter":
        return later._replace(decorators=earlier.decorators, setter=earlier.setter)
    if not earlier.is_overload:
        return later
    before = earlier.overloads or (earlier,)
    if later.is_overload:
        return earlier._replace(overloads=(*before, later))
    doc = later.doc or next((item.doc for item in before if item.doc), None)
    return later._replace(overloads=before, doc=doc)
