"""What repairs are about, found in a file's tree."""

# Maintainers: reads libcst trees and changes none.
# ruff: noqa: N802, D102 - libcst says how visitors are called, and what they are for

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

import libcst as cst

__all__ = [
    "Call",
    "Definition",
    "Finder",
    "List",
    "docstring_of",
    "is_marked",
    "opening_of",
    "parameters_of",
    "section_of",
]

Definition: TypeAlias = "cst.FunctionDef | cst.ClassDef"
List: TypeAlias = "cst.List | cst.Tuple | cst.Set"


class Call(NamedTuple):
    """A call of a method, and what is around it."""

    node: cst.Call
    method: cst.Attribute
    in_async: bool
    is_awaited: bool
    is_statement: bool


class Finder(cst.CSTVisitor):
    """Collects what repairs are about: definitions by dotted path, calls of methods, lists."""

    def __init__(self) -> None:
        super().__init__()
        self.definitions: dict[str, list[Definition]] = {}
        self.calls: list[Call] = []
        self.lists: list[List] = []
        self._path: list[str] = []
        self._async: list[bool] = [False]
        self._awaited: set[cst.CSTNode] = set()
        self._statements: set[cst.CSTNode] = set()

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self._enter(node)
        self._async.append(node.asynchronous is not None)

    def leave_FunctionDef(self, original_node: cst.FunctionDef) -> None:
        del original_node
        self._path.pop()
        self._async.pop()

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self._enter(node)

    def leave_ClassDef(self, original_node: cst.ClassDef) -> None:
        del original_node
        self._path.pop()

    def _enter(self, node: Definition) -> None:
        self._path.append(node.name.value)
        self.definitions.setdefault(".".join(self._path), []).append(node)

    def visit_Lambda(self, node: cst.Lambda) -> None:
        del node
        self._async.append(False)

    def leave_Lambda(self, original_node: cst.Lambda) -> None:
        del original_node
        self._async.pop()

    def visit_Expr(self, node: cst.Expr) -> None:
        value = node.value
        self._statements.add(value.expression if isinstance(value, cst.Await) else value)

    def visit_Await(self, node: cst.Await) -> None:
        self._awaited.add(node.expression)

    def visit_Call(self, node: cst.Call) -> None:
        if isinstance(node.func, cst.Attribute):
            awaited, alone = node in self._awaited, node in self._statements
            self.calls.append(Call(node, node.func, self._async[-1], awaited, alone))

    def visit_List(self, node: cst.List) -> None:
        self.lists.append(node)

    def visit_Tuple(self, node: cst.Tuple) -> None:
        self.lists.append(node)

    def visit_Set(self, node: cst.Set) -> None:
        self.lists.append(node)


def docstring_of(node: Definition) -> cst.BaseExpression | None:
    """Find a definition's docstring: one literal, or several in a row."""
    first = node.body.body[0] if node.body.body else None
    if isinstance(first, cst.SimpleStatementLine):
        first = first.body[0]
    if isinstance(first, cst.Expr) and isinstance(
        first.value, cst.SimpleString | cst.ConcatenatedString
    ):
        return first.value
    return None


def opening_of(node: List) -> cst.CSTNode | None:
    """Find the bracket that a list begins with; a tuple may have none."""
    if isinstance(node, cst.List):
        return node.lbracket
    return node.lbrace if isinstance(node, cst.Set) else next(iter(node.lpar), None)


def is_marked(node: Definition, *names: str) -> bool:
    """Tell whether a decorator ends in one of some names."""
    for mark in node.decorators:
        call = mark.decorator
        function = call.func if isinstance(call, cst.Call) else call
        last = function.attr if isinstance(function, cst.Attribute) else function
        if isinstance(last, cst.Name) and last.value in names:
            return True
    return False


def parameters_of(
    node: Definition, overloads: Iterable[Definition]
) -> tuple[dict[str, str], tuple[str, ...]]:
    """List parameters: name to how it is written in an `Args:` section, and their order."""
    shown: dict[str, str] = {}
    for one in (node, *overloads):
        if isinstance(one, cst.FunctionDef):
            shown = {**shown, **dict(_shown(one.params))}
    return shown, tuple(shown)


def _shown(given: cst.Parameters) -> Iterator[tuple[str, str]]:
    for item in (*given.posonly_params, *given.params):
        yield item.name.value, item.name.value
    if isinstance(given.star_arg, cst.Param):
        yield given.star_arg.name.value, f"*{given.star_arg.name.value}"
    for item in given.kwonly_params:
        yield item.name.value, item.name.value
    if given.star_kwarg is not None:
        yield given.star_kwarg.name.value, f"**{given.star_kwarg.name.value}"


def section_of(node: Definition) -> str:
    """Name the section that says what a function gives."""
    finder = _Yields()
    node.body.visit(finder)
    return "Yields" if finder.found else "Returns"


class _Yields(cst.CSTVisitor):
    """Looks for a `yield` of a body's own."""

    def __init__(self) -> None:
        super().__init__()
        self.found = False

    def visit_Yield(self, node: cst.Yield) -> None:
        del node
        self.found = True

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        del node
        return False

    def visit_Lambda(self, node: cst.Lambda) -> bool:
        del node
        return False
