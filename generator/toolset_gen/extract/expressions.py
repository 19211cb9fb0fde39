"""Expressions and annotations: their text, and the paths of the names in them."""

# Maintainers: turns syntax into `Expr` and `RawAnnotation`, with the names resolved by a function
# it is given. Invariants: a string is a type only where a type can stand (never inside `Literal`,
# nor in what `Annotated` adds); nothing is evaluated.

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeAlias

from toolset_gen.extract.raw import Expr, RawAnnotation
from toolset_gen.extract.scope import dotted
from toolset_gen.extract.text import SourceText, one_line

__all__ = ["Resolve", "read_annotation", "read_expr", "read_type"]

Resolve: TypeAlias = Callable[[str], str]

_TYPING = ("typing.", "typing_extensions.", "dataclasses.")
_QUALIFIERS = frozenset({"ClassVar", "Final", "InitVar", "Required", "NotRequired", "ReadOnly"})
_MOST = 64  # elements of a literal that are kept: more is data, not a declaration


def read_expr(node: ast.expr, source: SourceText, resolve: Resolve, depth: int = 4) -> Expr:
    """Describe an expression.

    Args:
        node: The expression.
        source: The text it stands in.
        resolve: Says what a dotted name refers to.
        depth: How many levels of nested expressions are described.

    Returns:
        Its description; beyond `depth` its text alone.
    """
    text, line = source.of(node), node.lineno
    found = Expr(text, line=line)
    match node:
        case ast.Constant(value=str(value)):
            found = Expr(text, "string", value, line=line)
        case ast.Constant(value=value):
            found = Expr(text, "none" if value is None else "constant", line=line)
        case ast.Name() | ast.Attribute() if dotted(node):
            found = Expr(text, "name", path=resolve(dotted(node)), line=line)
        case ast.Call() if depth:
            found = _call(node, source, resolve, depth)
        case ast.List() | ast.Tuple() | ast.Set() if depth:
            found = _sequence(node, source, resolve, depth)
        case ast.Dict() if depth:
            found = _mapping(node, source, resolve, depth)
        case ast.Subscript() if dotted(node.value):
            found = _subscript(node, source, resolve, depth)
        case ast.Lambda():
            found = Expr(text, "lambda", line=line)
        case _:
            pass
    return found


def _call(node: ast.Call, source: SourceText, resolve: Resolve, depth: int) -> Expr:
    plain = [arg for arg in node.args if not isinstance(arg, ast.Starred)]
    named = [(item.arg, item.value) for item in node.keywords if item.arg is not None]
    return Expr(
        source.of(node),
        "call",
        path=resolve(dotted(node.func)) if dotted(node.func) else "",
        args=tuple(read_expr(arg, source, resolve, depth - 1) for arg in plain),
        keywords=tuple((k, read_expr(v, source, resolve, depth - 1)) for k, v in named),
        starred=len(plain) < len(node.args) or len(named) < len(node.keywords),
        line=node.lineno,
    )


def _subscript(node: ast.Subscript, source: SourceText, resolve: Resolve, depth: int) -> Expr:
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    inside = parts[:_MOST] if depth else []
    return Expr(
        source.of(node),
        path=resolve(dotted(node.value)),
        args=tuple(read_expr(item, source, resolve, depth - 1) for item in inside),
        line=node.lineno,
    )


def _sequence(
    node: ast.List | ast.Tuple | ast.Set, source: SourceText, resolve: Resolve, depth: int
) -> Expr:
    plain = [item for item in node.elts if not isinstance(item, ast.Starred)][:_MOST]
    return Expr(
        source.of(node),
        "sequence",
        args=tuple(read_expr(item, source, resolve, depth - 1) for item in plain),
        starred=len(plain) < len(node.elts),
        line=node.lineno,
    )


def _mapping(node: ast.Dict, source: SourceText, resolve: Resolve, depth: int) -> Expr:
    keywords: list[tuple[str, Expr]] = []
    for key, value in list(zip(node.keys, node.values, strict=True))[:_MOST]:
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            keywords.append((key.value, read_expr(value, source, resolve, depth - 1)))
    return Expr(
        source.of(node),
        "mapping",
        keywords=tuple(keywords),
        starred=len(keywords) < len(node.keys),
        line=node.lineno,
    )


def read_annotation(node: ast.expr, source: SourceText, resolve: Resolve) -> RawAnnotation:
    """Describe an annotation.

    Args:
        node: The annotation.
        source: The text it stands in.
        resolve: Says what a dotted name refers to.

    Returns:
        Its text without the quotes of postponed types, its names, and what is wrapped around it.
    """
    reader = _Annotation(source, resolve)
    text = reader.spell(node)
    qualifiers: list[str] = []
    base, metadata = "", tuple[Expr, ...]()
    inner, where = node, reader
    while True:
        inner, where = where.unquote(inner)
        name = where.special(inner)
        if not isinstance(inner, ast.Subscript) or not (name in _QUALIFIERS or name == "Annotated"):
            if name in _QUALIFIERS:  # bare `Final`, `ClassVar`
                qualifiers.append(name)
            break
        if name == "Annotated":
            parts = inner.slice.elts if isinstance(inner.slice, ast.Tuple) else [inner.slice]
            if not metadata:
                base = where.spell(parts[0])
            metadata = (*(read_expr(p, where.source, resolve) for p in parts[1:]), *metadata)
            inner = parts[0]
        else:
            qualifiers.append(name)
            inner = inner.slice
    return RawAnnotation(
        text=text,
        inner="" if where.special(inner) in _QUALIFIERS else where.spell(inner),
        refs=tuple(dict.fromkeys(reader.refs(node))),
        base=base,
        metadata=metadata,
        qualifiers=tuple(qualifiers),
        item=_item(inner, where),
    )


def read_type(node: ast.expr, source: SourceText, resolve: Resolve) -> RawAnnotation:
    """Describe a type whose constraints may stand behind another name.

    Args:
        node: The type.
        source: The text it stands in.
        resolve: Says what a dotted name refers to.

    Returns:
        What `read_annotation` gives, and the name to look behind.
    """
    note = read_annotation(node, source, resolve)
    inner, where = _Annotation(source, resolve).bare(node)
    members = where.members(inner)
    if len(members) != 1:
        return note
    only, inside = members[0]
    note = note._replace(optional=only is not inner)
    if inside.special(only) == "Annotated" and isinstance(only, ast.Subscript):
        return note._replace(wrapped=read_type(only, inside.source, resolve))
    if isinstance(only, ast.Call):  # `conint(ge=1)`
        made = read_expr(only, inside.source, resolve)
        return note._replace(metadata=(made, *note.metadata))
    head = only.value if isinstance(only, ast.Subscript) else only
    return note._replace(head=resolve(dotted(head)) if dotted(head) else "")


def _item(node: ast.expr, where: _Annotation) -> str:
    if not isinstance(node, ast.Subscript):
        return ""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return where.spell(parts[0]) if parts else ""


class _Annotation:
    """Reads types that stand in one text: the module's, or that of a string in it."""

    __slots__ = ("resolve", "source")

    def __init__(self, source: SourceText, resolve: Resolve) -> None:
        self.source = source
        self.resolve = resolve

    def special(self, node: ast.expr) -> str:
        """The last name of a special form of `typing`, `""` for anything else."""
        if isinstance(node, ast.Subscript):
            node = node.value
        path = self.resolve(dotted(node)) if dotted(node) else ""
        return path.rpartition(".")[2] if path.startswith(_TYPING) else ""

    def unquote(self, node: ast.expr) -> tuple[ast.expr, _Annotation]:
        """Look into a string that stands where a type can stand."""
        where = self
        while isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = one_line(node.value.strip())
            try:
                inner = ast.parse(text, mode="eval").body
            except (SyntaxError, ValueError):
                break
            node, where = inner, _Annotation(SourceText(text), self.resolve)
        return node, where

    def bare(self, node: ast.expr) -> tuple[ast.expr, _Annotation]:
        """What `Annotated` and qualifiers are wrapped around."""
        where = self
        while True:
            node, where = where.unquote(node)
            name = where.special(node)
            if not isinstance(node, ast.Subscript) or not (
                name in _QUALIFIERS or name == "Annotated"
            ):
                return node, where
            parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            node = parts[0]

    def members(self, node: ast.expr) -> list[tuple[ast.expr, _Annotation]]:
        """The members of a union, `None` left out; a type that is none is its only member."""
        node, where = self.unquote(node)
        parts: list[ast.expr] | None = None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            parts = [node.left, node.right]
        elif isinstance(node, ast.Subscript) and where.special(node) in {"Optional", "Union"}:
            parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if parts is None:
            is_none = isinstance(node, ast.Constant) and node.value is None
            return [] if is_none else [(node, where)]
        return [member for part in parts for member in where.members(part)]

    def types_in(self, node: ast.expr) -> list[ast.expr]:
        """The parts of a type that are types themselves."""
        if isinstance(node, ast.Subscript):
            parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            match self.special(node):
                case "Literal":
                    return [node.value, *(p for p in parts if not isinstance(p, ast.Constant))]
                case "Annotated":
                    return [node.value, parts[0]] if parts else [node.value]
                case _:
                    return [node.value, *parts]
        if isinstance(node, ast.BinOp):
            return [node.left, node.right]
        if isinstance(node, (ast.Tuple, ast.List)):
            return list(node.elts)
        return [node.value] if isinstance(node, ast.Starred) else []

    def refs(self, node: ast.expr) -> list[str]:
        node, where = self.unquote(node)
        name = dotted(node)
        if name:
            return [self.resolve(name)]
        return [path for part in where.types_in(node) for path in where.refs(part)]

    def spell(self, node: ast.expr) -> str:
        """The text of a type, the quotes of the types in it gone."""
        node, where = self.unquote(node)
        strings = where.strings_in(node)
        text = where.source.of(node)
        if not strings:
            return text
        raw = where.source.raw(node)
        for string in reversed(strings):
            quoted = where.source.raw(string)
            inner, inside = where.unquote(string)
            if inner is string:
                continue
            start = where.offset(node, string)
            raw = f"{raw[:start]}{inside.spell(inner)}{raw[start + len(quoted) :]}"
        return one_line(raw)

    def strings_in(self, node: ast.expr) -> list[ast.expr]:
        """The strings of a type that stand where a type can stand."""
        if isinstance(node, ast.Constant):
            return [node] if isinstance(node.value, str) else []
        return [found for part in self.types_in(node) for found in self.strings_in(part)]

    def offset(self, node: ast.expr, part: ast.expr) -> int:
        """Where `part` begins inside the text of `node`, in characters."""
        clipped = ast.Constant(
            value=None,
            lineno=node.lineno,
            col_offset=node.col_offset,
            end_lineno=part.lineno,
            end_col_offset=part.col_offset,
        )
        return len(self.source.raw(clipped))
