"""Variables of modules and classes, and the strings that document them."""

# Maintainers: turns an assignment into a RawVariable. It knows no class: classes.py does.

from __future__ import annotations

import ast
from collections.abc import Iterable

from toolset_gen.extract.docstrings import parse_docstring
from toolset_gen.extract.expressions import Resolve, read_annotation, read_expr
from toolset_gen.extract.raw import Doc, RawVariable
from toolset_gen.extract.scope import branches, dotted
from toolset_gen.extract.text import SourceText

__all__ = ["following_docs", "read_variable"]

_ALIAS = frozenset({"typing.TypeAlias", "typing_extensions.TypeAlias"})


def following_docs(body: Iterable[ast.stmt]) -> dict[int, Doc]:
    """Find the strings that stand right after assignments.

    Args:
        body: Statements of a module, class or method.

    Returns:
        Line of the assignment to the documentation after it.
    """
    found: dict[int, Doc] = {}
    before: ast.stmt | None = None
    for node in branches(body):
        if (
            isinstance(before, (ast.Assign, ast.AnnAssign))
            and isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            found[before.lineno] = parse_docstring(node.value.value, node.lineno)
        before = node
    return found


def read_variable(
    node: ast.stmt, source: SourceText, resolve: Resolve, docs: dict[int, Doc]
) -> RawVariable | None:
    """Describe an assignment to one name.

    Args:
        node: A statement.
        source: The text it stands in.
        resolve: Says what a dotted name refers to.
        docs: What `following_docs` found.

    Returns:
        The variable; None when the statement is no assignment to one name, or to `__all__`.
    """
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target, annotation, value = node.targets[0], None, node.value
    elif isinstance(node, ast.AnnAssign):
        target, annotation, value = node.target, node.annotation, node.value
    elif type(node).__name__ == "TypeAlias":
        return _type_statement(node, source, resolve, docs)
    else:
        return None
    if not isinstance(target, ast.Name) or target.id in {"__all__", "__slots__"}:
        return None
    declared = read_annotation(annotation, source, resolve) if annotation is not None else None
    is_alias = declared is not None and bool(_ALIAS.intersection(declared.refs))
    return RawVariable(
        name=target.id,
        line=node.lineno,
        annotation=read_annotation(value, source, resolve) if is_alias and value else declared,
        value=read_expr(value, source, resolve) if value is not None else None,
        doc=docs.get(node.lineno),
        is_alias=is_alias,
    )


def _type_statement(
    node: ast.stmt, source: SourceText, resolve: Resolve, docs: dict[int, Doc]
) -> RawVariable | None:
    name: object = getattr(node, "name", None)
    value: object = getattr(node, "value", None)
    if not isinstance(name, ast.Name) or not isinstance(value, ast.expr):
        return None
    return RawVariable(
        name=dotted(name),
        line=node.lineno,
        annotation=read_annotation(value, source, resolve),
        value=read_expr(value, source, resolve),
        doc=docs.get(node.lineno),
        is_alias=True,
    )
