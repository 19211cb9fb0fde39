"""Mutations of source text: each changes one fact of a public API, or none."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

__all__ = ["Mutation", "changes", "harmless"]

Function: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"


class Mutation(NamedTuple):
    """A changed text.

    Attributes:
        kind: What kind of fact it changes.
        where: What was changed, for people.
        text: The whole module.
    """

    kind: str
    where: str
    text: str


class _Source:
    """A module's text, in ASCII, with its tree."""

    def __init__(self, text: str) -> None:
        assert text.isascii()
        self.text = text
        self.tree = ast.parse(text)
        self.starts = [0]
        for line in text.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def at(self, line: int, column: int) -> int:
        return self.starts[line - 1] + column

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.at(node.lineno, node.col_offset), self.at(node.end_lineno, node.end_col_offset)

    def of(self, node: ast.expr | ast.stmt) -> str:
        start, end = self.span(node)
        return self.text[start:end]

    def replaced(self, node: ast.expr | ast.stmt, new: str) -> str:
        start, end = self.span(node)
        return self.text[:start] + new + self.text[end:]

    def replaced_in(self, node: ast.stmt, pattern: str, new: str) -> str:
        """Replace the first match inside a statement, its decorators included."""
        decorators = getattr(node, "decorator_list", [])
        start = min([self.span(node)[0], *(self.span(item)[0] - 1 for item in decorators)])
        end = self.span(node)[1]
        changed, count = re.subn(pattern, new, self.text[start:end], count=1)
        assert count, (pattern, self.text[start:end])
        return self.text[:start] + changed + self.text[end:]


def changes(text: str) -> Iterator[Mutation]:
    """Change every fact of a module in turn.

    Args:
        text: The module; all that it defines without a leading underscore must be part of an API,
            but for `apply`, how services are made, and what functions hold.

    Yields:
        The changed modules.
    """
    source = _Source(text)
    for node in source.tree.body:
        yield from _of_statement(source, node)


def _of_statement(source: _Source, node: ast.stmt) -> Iterator[Mutation]:
    match node:
        case ast.ClassDef() if not node.name.startswith("_"):
            yield from _of_class(source, node)
            for inner in node.body:
                if not (node.keywords and getattr(inner, "name", "") == "__init__"):
                    yield from _of_statement(source, inner)
        case ast.FunctionDef() | ast.AsyncFunctionDef() if _is_public(node):
            yield from _of_function(source, node)
        case ast.AnnAssign() | ast.Assign():
            yield from _of_variable(source, node)
        case _:
            pass


def _is_public(node: Function) -> bool:
    return node.name == "__init__" or (not node.name.startswith("_") and node.name != "apply")


def _of_class(source: _Source, node: ast.ClassDef) -> Iterator[Mutation]:
    yield from _of_docstring(source, node, node.name)
    yield Mutation(
        "class name", node.name, re.sub(rf"\b{node.name}\b", f"{node.name}Two", source.text)
    )
    for item in node.keywords:
        new = {"key": '"other_key"', "total": "True"}[str(item.arg)]
        yield Mutation(f"class {item.arg}", node.name, source.replaced(item.value, new))
    for item in node.decorator_list:
        if isinstance(item, ast.Call):
            for keyword in item.keywords:
                yield Mutation("frozen", node.name, source.replaced(keyword.value, "False"))
    added = '\n    def added(self) -> int:\n        """Added.\n\n        Returns:\n            One.\n        """\n'
    if not any(ast.unparse(base) in {"TypedDict", "Enum"} for base in node.bases):
        end = source.span(node)[1]
        yield Mutation(
            "member added", node.name, source.text[:end] + "\n" + added + source.text[end:]
        )


def _of_docstring(source: _Source, node: ast.ClassDef | Function, where: str) -> Iterator[Mutation]:
    first = node.body[0]
    if not (isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)):
        return
    start, end = source.span(first)
    for match in re.finditer(r"[^\n]+", source.text[start:end]):
        line = match[0].strip().strip('"')
        if not line or re.fullmatch(r"(Args|Returns|Yields|Raises|Attributes):", line):
            continue
        at = start + match.start() + match[0].index(line)
        words = line.removesuffix(".") + (" indeed." if line.endswith(".") else " indeed")
        changed = source.text[:at] + words + source.text[at + len(line) :]
        yield Mutation("docstring line", f"{where}: {line}", changed)
    for match in re.finditer(r"\n +(\w+): [A-Z]", source.text[start:end]):
        at = start + match.start(1)
        changed = source.text[:at] + "zz" + source.text[at:]
        yield Mutation("docstring entry", f"{where}: {match[1]}", changed)


def _of_function(source: _Source, node: Function) -> Iterator[Mutation]:
    yield from _of_docstring(source, node, node.name)
    yield from _of_parameters(source, node)
    if node.name == "__init__":
        return
    changed = source.replaced_in(node, rf"def {node.name}\b", f"def {node.name}_two")
    yield Mutation("function name", node.name, changed)
    if isinstance(node, ast.AsyncFunctionDef):
        text = source.replaced_in(node, r"async def", "def")
        yield Mutation("async", node.name, re.sub(r"\bawait |async (?=for|with)", "", text))
    elif "contextmanager" not in {ast.unparse(item) for item in node.decorator_list}:
        changed = source.replaced_in(node, r"(?<!async )def ", "async def ")
        yield Mutation("async", node.name, changed)
    for item in node.decorator_list:
        yield from _of_decorator(source, node, item)
    if node.returns is not None:
        yield Mutation("returns", node.name, source.replaced(node.returns, "bytes"))
        start, end = source.span(node.returns)
        text = source.text[: source.text.rindex(" ->", 0, start)] + source.text[end:]
        yield Mutation("returns dropped", node.name, text)


def _of_decorator(source: _Source, node: Function, item: ast.expr) -> Iterator[Mutation]:
    line_start = source.span(item)[0] - 1
    line_start = source.text.rindex("\n", 0, line_start) + 1
    line_end = source.span(item)[1] + 1
    yield Mutation("decorator", node.name, source.text[:line_start] + source.text[line_end:])
    if isinstance(item, ast.Call) and ast.unparse(item.func) == "event":
        name, (mode, *_) = item.args[0], item.keywords
        yield Mutation("event name", node.name, source.replaced(name, '"shop/other"'))
        modes = {"emit", "parallel", "serial", "bail", "waterfall"}
        for other in sorted(modes - {ast.literal_eval(mode.value)}):
            yield Mutation("event mode", node.name, source.replaced(mode.value, f'"{other}"'))
    elif isinstance(item, ast.Call):
        yield Mutation("deprecation", node.name, source.replaced(item.args[0], '"Use nothing."'))


def _of_parameters(source: _Source, node: Function) -> Iterator[Mutation]:
    args = node.args
    listed = [*args.posonlyargs, *args.args, *args.kwonlyargs]
    more = [item for item in (args.vararg, args.kwarg) if item is not None]
    for item in [*listed, *more]:
        where = f"{node.name}.{item.arg}"
        if item.arg in {"self", "cls"}:
            continue
        if item.annotation is not None:
            yield Mutation("annotation", where, source.replaced(item.annotation, "bytearray"))
            start, end = source.span(item.annotation)
            yield Mutation(
                "annotation dropped", where, source.text[: start - 2] + source.text[end:]
            )
        start, end = source.span(node)
        changed = re.sub(rf"\b{item.arg}\b", f"{item.arg}_two", source.text[start:end])
        yield Mutation("parameter name", where, source.text[:start] + changed + source.text[end:])
        if item in args.args:
            at = source.at(item.lineno, item.col_offset)
            if not args.kwonlyargs and not args.vararg:
                yield Mutation("parameter kind", where, f"{source.text[:at]}*, {source.text[at:]}")
    for default in [*args.defaults, *(d for d in args.kw_defaults if d is not None)]:
        where = f"{node.name}={source.of(default)}"
        yield Mutation("default", where, source.replaced(default, "..."))


def _of_variable(source: _Source, node: ast.AnnAssign | ast.Assign) -> Iterator[Mutation]:
    target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
    name = ast.unparse(target)
    if name.startswith("_"):
        return
    if isinstance(node, ast.AnnAssign):
        new = node.annotation
        inner = (
            new.slice if isinstance(new, ast.Subscript) and "ClassVar" in source.of(new) else new
        )
        yield Mutation("field type", name, source.replaced(inner, "bytes"))
    match node.value:
        case ast.Call():
            yield from _of_call(source, name, node.value)
        case ast.List() | ast.Tuple() if name != "__all__":
            for element in node.value.elts:
                yield Mutation(name, source.of(element), source.replaced(element, '"other"'))
            yield Mutation(name, "emptied", source.replaced(node.value, "[]"))
        case ast.Constant(str()):
            yield Mutation("value", name, source.replaced(node.value, '"another"'))
        case ast.Constant() | ast.Attribute():
            yield Mutation("value", name, source.replaced(node.value, "99"))
        case _:
            pass


def _of_call(source: _Source, name: str, value: ast.Call) -> Iterator[Mutation]:
    """Change a field or the settings of a model."""
    others = {"description": '"Another."', "alias": '"other"', "extra": '"allow"'}
    for item in value.args:
        yield Mutation("field default", name, source.replaced(item, "7"))
    for keyword in value.keywords:
        changed = source.replaced(keyword.value, others.get(str(keyword.arg), "2"))
        yield Mutation(f"field {keyword.arg}", name, changed)


def harmless(text: str) -> Iterator[Mutation]:
    """Change a module in ways that change no fact.

    Args:
        text: The module, in ASCII.

    Yields:
        The changed modules.
    """
    source = _Source(text)
    lines = text.splitlines(keepends=True)
    for line in sorted(set(_statement_lines(source.tree.body))):
        space = re.match(" *", lines[line - 1])
        assert space is not None
        comment = f"\n\n{space[0]}# A comment.\n\n"
        changed = "".join([*lines[: line - 1], comment, *lines[line - 1 :]])
        yield Mutation("comment and blank lines", f"line {line}", changed)
    end = "# End.\n\n\ndef _private(x: int = 3) -> int:\n    return x\n\n\nclass _Private:\n    x: int = 1\n"
    yield Mutation("private code", "module", text + "\n\n" + end)
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ClassDef):
            at = source.span(node)[1]
            method = "\n\n    def _private(self, x: int = 3) -> int:\n        return x\n"
            if not any(ast.unparse(base) in {"TypedDict", "Enum"} for base in node.bases):
                yield Mutation("private member", node.name, text[:at] + method + text[at:])
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            last = node.body[-1]
            at = source.at(last.lineno, last.col_offset)
            if len(node.body) > 1 and isinstance(last, (ast.Return, ast.Raise)):
                yield Mutation("body", node.name, f"{text[:at]}_unused = 1; {text[at:]}")
    yield Mutation("trailing space", "module", re.sub(r"(?m)(?<=[:,)])$", "  ", text))
    yield Mutation("coding line", "module", f"# -*- coding: utf-8 -*-\n{text}")
    yield Mutation("no last line end", "module", text.rstrip("\n"))


def _statement_lines(body: Iterable[ast.stmt]) -> Iterator[int]:
    """Give the lines between which something may be put: not inside of a statement, nor a docstring."""
    for number, node in enumerate(body):
        is_doc = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not (is_doc and number == 0):
            decorators = getattr(node, "decorator_list", [])
            yield min([node.lineno, *(item.lineno for item in decorators)])
        yield from _statement_lines(getattr(node, "body", []))
