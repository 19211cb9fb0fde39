"""Variables of modules and classes, and the strings that document them."""

# Maintainers: turns an assignment into a RawVariable. It knows no class: classes.py does.

from __future__ import annotations

import ast
from collections.abc import Iterable

from toolset_gen.extract.docstrings import parse_docstring
from toolset_gen.extract.expressions import Resolve, read_expr, read_type
from toolset_gen.extract.raw import Doc, RawVariable
from toolset_gen.extract.scope import branches, dotted
from toolset_gen.extract.text import SourceText

__all__ = ["following_docs", "read_variables"]

_MARKS = frozenset({"__all__", "__slots__"})
_MAKERS = frozenset({"NewType", "TypeAliasType"})
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


def read_variables(
    node: ast.stmt, source: SourceText, resolve: Resolve, docs: dict[int, Doc]
) -> list[RawVariable]:
    """Describe an assignment to names.

    Args:
        node: A statement.
        source: The text it stands in.
        resolve: Says what a dotted name refers to.
        docs: What `following_docs` found.

    Returns:
        A variable a name; none when the statement assigns to no name, or to `__all__`.
    """
    if isinstance(node, ast.Assign):
        names = [item.id for item in node.targets if isinstance(item, ast.Name)]
        if not names:
            return []
        made = read_expr(node.value, source, resolve)
        found = RawVariable("", node.lineno, value=made, doc=docs.get(node.lineno))
        found = _standing_for(found, node.value, source, resolve)
        return [found._replace(name=name) for name in names if name not in _MARKS]
    if isinstance(node, ast.AnnAssign):
        return _annotated(node, source, resolve, docs)
    if type(node).__name__ == "TypeAlias":
        return _type_statement(node, source, resolve, docs)
    return []


def _standing_for(
    found: RawVariable, node: ast.expr, source: SourceText, resolve: Resolve
) -> RawVariable:
    """Add the type that a variable may be another name for."""
    is_union = isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr)
    if is_union or (isinstance(node, ast.Subscript) and dotted(node.value)):
        return found._replace(means=read_type(node, source, resolve))
    maker = found.value.path.rpartition(".")[2] if found.value is not None else ""
    if isinstance(node, ast.Call) and maker in _MAKERS and len(node.args) > 1:
        return found._replace(means=read_type(node.args[1], source, resolve), lazy=True)
    return found


def _annotated(
    node: ast.AnnAssign, source: SourceText, resolve: Resolve, docs: dict[int, Doc]
) -> list[RawVariable]:
    if not isinstance(node.target, ast.Name) or node.target.id in _MARKS:
        return []
    note = read_type(node.annotation, source, resolve)
    is_alias = not _ALIAS.isdisjoint(note.refs)
    if is_alias and node.value is not None:
        note = read_type(node.value, source, resolve)
    return [
        RawVariable(
            name=node.target.id,
            line=node.lineno,
            annotation=note,
            value=read_expr(node.value, source, resolve) if node.value is not None else None,
            doc=docs.get(node.lineno),
            is_alias=is_alias,
            means=note if is_alias else None,
        )
    ]


def _type_statement(
    node: ast.stmt, source: SourceText, resolve: Resolve, docs: dict[int, Doc]
) -> list[RawVariable]:
    name: object = getattr(node, "name", None)
    value: object = getattr(node, "value", None)
    if not isinstance(name, ast.Name) or not isinstance(value, ast.expr):
        return []
    note = read_type(value, source, resolve)
    return [
        RawVariable(
            name=name.id,
            line=node.lineno,
            annotation=note,
            value=read_expr(value, source, resolve),
            doc=docs.get(node.lineno),
            is_alias=True,
            means=note,
            lazy=True,
        )
    ]
