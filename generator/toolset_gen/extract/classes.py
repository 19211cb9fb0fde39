"""Class definitions: what a body defines and its `__init__` sets on `self`."""

# Maintainers: turns one `class` into a RawClass. It follows no base: the library does.

from __future__ import annotations

import ast
from collections.abc import Iterator

from toolset_gen.extract.expressions import Resolve, read_annotation, read_expr
from toolset_gen.extract.functions import (
    AnyFunction,
    doc_of,
    merge_functions,
    own_nodes,
    read_function,
)
from toolset_gen.extract.raw import Expr, RawClass, RawDefinition, RawFunction, RawVariable
from toolset_gen.extract.scope import ModuleScope, branches, dotted
from toolset_gen.extract.text import SourceText
from toolset_gen.extract.variables import following_docs, read_variables

__all__ = ["read_class"]

_MAKERS = frozenset({"__init__", "__post_init__"})


def read_class(
    node: ast.ClassDef,
    source: SourceText,
    scope: ModuleScope,
    outer: str = "",
    earlier: frozenset[str] = frozenset(),
) -> RawClass:
    """Describe a class.

    Args:
        node: Its definition.
        source: The text it stands in.
        scope: The scope of its module.
        outer: Dotted names of the classes around it.
        earlier: Names of the classes that stand above it in the body around it.

    Returns:
        Its description.
    """
    name = f"{outer}.{node.name}" if outer else node.name
    inside = (frozenset(_bound(node)), f"{scope.module}.{name}")
    hidden = frozenset(_type_parameters(node))

    def resolve(written: str) -> str:
        return f"builtins.{written}" if written in hidden else scope.path(written, inside)

    above = scope.above(node.lineno)

    def resolve_above(written: str) -> str:
        inner = written.partition(".")[0] in earlier
        return f"{scope.module}.{outer}.{written}" if inner else above(written)

    return RawClass(
        name=node.name,
        line=node.lineno,
        bases=tuple(read_expr(base, source, resolve_above) for base in node.bases),
        keywords=tuple(_keywords(node, source, resolve_above)),
        decorators=tuple(read_expr(item, source, resolve_above) for item in node.decorator_list),
        doc=doc_of(node.body),
        members=tuple(_members(node, source, resolve, scope, name)),
    )


def _type_parameters(node: ast.ClassDef) -> Iterator[str]:
    found: list[ast.AST] = getattr(node, "type_params", [])
    for item in found:
        name: object = getattr(item, "name", None)
        if isinstance(name, str):
            yield name


def _keywords(
    node: ast.ClassDef, source: SourceText, resolve: Resolve
) -> Iterator[tuple[str, Expr]]:
    for item in node.keywords:
        if item.arg is not None:
            yield item.arg, read_expr(item.value, source, resolve)


def _bound(node: ast.ClassDef) -> Iterator[str]:
    """The classes and aliases that annotations in this body may mean.

    Methods and fields are left out: an annotation `int` beside a method `int` means the builtin to
    everybody who reads it, and to the checkers too once the body is through.
    """
    for item in branches(node.body):
        if isinstance(item, ast.ClassDef):
            yield item.name
        elif isinstance(item, ast.AnnAssign) and "TypeAlias" in dotted(item.annotation):
            yield dotted(item.target)


def _members(
    node: ast.ClassDef, source: SourceText, resolve: Resolve, scope: ModuleScope, name: str
) -> list[RawDefinition]:
    found: dict[str, RawDefinition] = {}
    docs = following_docs(node.body)
    for item in branches(node.body):
        if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)):
            made = read_function(item, source, resolve)
            before = found.get(made.name)
            if isinstance(before, RawFunction):
                made = merge_functions(before, made)
            found[made.name] = made
        elif isinstance(item, ast.ClassDef):
            earlier = frozenset(n for n, one in found.items() if isinstance(one, RawClass))
            found[item.name] = read_class(item, source, scope, name, earlier)
        else:
            found.update((v.name, v) for v in read_variables(item, source, resolve, docs))
    for item in branches(node.body):
        if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)) and item.name in _MAKERS:
            for attribute in _set_on_self(item, source, resolve):
                found.setdefault(attribute.name, attribute)
    return sorted(found.values(), key=lambda member: member.line)


def _set_on_self(node: AnyFunction, source: SourceText, resolve: Resolve) -> Iterator[RawVariable]:
    """Describe the attributes that a method sets on its first parameter."""
    arguments = [*node.args.posonlyargs, *node.args.args]
    if not arguments:
        return
    this = arguments[0].arg
    given = {arg.arg: arg.annotation for arg in [*arguments[1:], *node.args.kwonlyargs]}
    docs = following_docs(node.body)
    for item in own_nodes(node.body):
        if not isinstance(item, (ast.Assign, ast.AnnAssign)):
            continue
        annotation = item.annotation if isinstance(item, ast.AnnAssign) else None
        value = item.value
        for target in item.targets if isinstance(item, ast.Assign) else [item.target]:
            owner, _, name = dotted(target).rpartition(".")
            if owner != this:
                continue
            source_name = dotted(value) if value is not None else ""
            inferred = None if annotation is not None else given.get(source_name)
            declared = annotation if annotation is not None else inferred
            yield RawVariable(
                name=name,
                line=item.lineno,
                annotation=None if declared is None else read_annotation(declared, source, resolve),
                value=read_expr(value, source, resolve) if value is not None else None,
                doc=docs.get(item.lineno),
                on_self=True,
                inferred=inferred is not None,
            )
