"""Lay out the Python that people read, with black."""

# Maintainers: black is imported only when a snippet is not remembered; it is called for many of
# them at a time, since starting it is what costs. It is slow: where there is an executor it works
# there, while the artifacts that need no formatting are written here. Its style decides how the
# pages look, so it is pinned to one year in pyproject.toml. What black cannot parse stays as it is
# written: a page with a long line is better than no page.

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from concurrent.futures import BrokenExecutor, Executor
from textwrap import indent
from typing import NamedTuple

__all__ = ["as_python", "lay_out", "start_formatting"]

_MARK = "# ---- toolset snippet {} ----"
_WIDTH = 88
_PORTION = 60_000  # characters that black takes a quarter of a second for
# What black has nothing to say to: names, numbers, brackets and texts without quotes or escapes,
# with the spaces that it would put. What is no Python all the same, black leaves as it stands, too.
_NAME = r"[A-Za-z_]\w*"
_TOKENS = (
    rf"{_NAME}(?:\.{_NAME})*(?![\w.\"'])",
    r"-?(?:0|[1-9]\d*)(?![\w.])",
    r"\.\.\.",
    r"\"[^\"'\\]*\"(?![\w\"'])",
    r"\[(?![, ])",
    r"\]",
    r", (?![\], ])",
    r" \| ",
    r"\(\)",
)
_TYPE = rf"(?:{'|'.join(_TOKENS)})+"
_FUNCTION = re.compile(
    rf"((?:async )?def {_NAME}\()((?:[^()]|\(\))*)(\)(?: -> {_TYPE})?: \.\.\.)", re.ASCII
)
_PARAMETER = re.compile(rf"\*{{0,2}}{_NAME}(?:: {_TYPE}(?: = {_TYPE})?|={_TYPE})?|\*|/", re.ASCII)
_COMMA = re.compile(r"(, )")
_CLASS = re.compile(rf"(class {_NAME}\()((?:[^()]|\(\))*)(\):(?: \.\.\.)?)", re.ASCII)
_PLAIN_CLASS = re.compile(rf"class {_NAME}:(?: \.\.\.)?", re.ASCII)
_BASE = re.compile(_TYPE, re.ASCII)
_FIELD = re.compile(rf"{_NAME}(?:: {_TYPE})?(?: = {_TYPE})?", re.ASCII)
_DECORATOR = re.compile(rf"@{_NAME}(?:\.{_NAME})*", re.ASCII)
_INDENT = "    "
_CUT = "# …"  # the end of a declaration that is too long to be shown


def as_python(signature: str) -> str:
    """Make Python of a canonical signature.

    Args:
        signature: Such as `async get(key: str) -> str`, or `name: type` of an attribute.

    Returns:
        A `def` with a body of `...`, or the attribute's annotation.
    """
    head, _, rest = signature.partition(" ")
    name = rest if head == "async" else signature
    if "(" not in name.partition(":")[0]:
        return signature
    return f"{'async ' if head == 'async' else ''}def {name}: ..."


def start_formatting(
    snippets: Iterable[str], memory: MutableMapping[str, str], executor: Executor | None = None
) -> Callable[[], Mapping[str, str]]:
    """Format snippets of Python, importing black only for those that are new.

    Args:
        snippets: Statements as text.
        memory: What was formatted before; new results are added to it in the end.
        executor: Where black works meanwhile; None for here.

    Returns:
        What waits for the end, and gives each snippet to its formatted text, without a final newline.
    """
    wanted = sorted(set(snippets))
    new = [text for text in wanted if text not in memory]
    memory.update({text: done for text in new if (done := lay_out(text)) is not None})
    portions = list(_portions(text for text in new if text not in memory))
    formatted = _map_portions(portions, executor)

    def finish() -> Mapping[str, str]:
        for portion, texts in zip(portions, formatted(), strict=True):
            memory.update(zip(portion, texts, strict=True))
        return {text: memory[text] for text in wanted}

    return finish


def _portions(snippets: Iterable[str]) -> Iterator[list[str]]:
    """Part snippets into portions that are worth starting black for."""
    portion: list[str] = []
    size = 0
    for text in snippets:
        portion.append(text)
        size += len(text)
        if size > _PORTION:
            yield portion
            portion, size = [], 0
    if portion:
        yield portion


def _map_portions(
    portions: list[list[str]], executor: Executor | None
) -> Callable[[], Iterable[list[str]]]:
    """Start formatting; should the executor's workers die, all is formatted here."""
    if executor is None:
        return lambda: map(_format_readable, portions)
    try:
        started = executor.map(_format_readable, portions)
    except BrokenExecutor:
        return lambda: map(_format_readable, portions)

    def finish() -> Iterable[list[str]]:
        try:
            return list(started)
        except BrokenExecutor:
            return map(_format_readable, portions)

    return finish


def lay_out(text: str) -> str | None:
    """Lay out a plain declaration as black would: most are plain, and black is slow.

    Args:
        text: A statement.

    Returns:
        What black would make of it, the statement itself when black could not read it; None when it
        takes black to tell.
    """
    if text.startswith("class "):
        return _lay_out_class(text)
    decorator, line = ("@overload\n", text[10:]) if text.startswith("@overload\n") else ("", text)
    if line.startswith(("def ", "async def ")):
        laid_out = _lay_out_function(line, _WIDTH)
        return None if laid_out is None else decorator + laid_out
    return text if len(text) <= _WIDTH and _FIELD.fullmatch(text) else None


class _Member(NamedTuple):
    """A line of a class, laid out."""

    text: str
    is_function: bool = False
    is_decorator: bool = False


def _lay_out_class(text: str) -> str | None:
    """Lay out a class of fields and functions that have no body."""
    head, *body = text.split("\n")
    if body == [f"{_INDENT}..."]:
        return _lay_out_head(f"{head} ...")
    first = _lay_out_head(head)
    if first is None or not body or body[0] == _INDENT + _CUT:
        return None
    lines = [first]
    before: _Member | None = None
    for line in body:
        member = _lay_out_member(line.removeprefix(_INDENT)) if line.startswith(_INDENT) else None
        if member is None or (before is not None and before.text == _CUT):
            return None
        if before is not None and before.is_function != member.is_function:
            lines.append("")
        if before is not None and before.is_decorator and not member.is_function:
            return None
        lines.append(indent(member.text, _INDENT))
        before = member
    return None if before is None or before.is_decorator else "\n".join(lines)


def _lay_out_head(line: str) -> str | None:
    if _PLAIN_CLASS.fullmatch(line):
        return line if len(line) <= _WIDTH else None
    head = _CLASS.fullmatch(line)
    bases = _parameters(head[2]) if head is not None else []
    if head is None or not bases or not all(_BASE.fullmatch(base) for base in bases):
        return None
    return line if len(line) <= _WIDTH else _split_over_lines(head, bases, _WIDTH)


def _lay_out_member(line: str) -> _Member | None:
    width = _WIDTH - len(_INDENT)
    if line.startswith(("def ", "async def ")):
        laid_out = _lay_out_function(line, width)
        return None if laid_out is None else _Member(laid_out, is_function=True)
    if len(line) > width:
        return None
    if _DECORATOR.fullmatch(line):
        return _Member(line, is_function=True, is_decorator=True)
    return _Member(line) if line == _CUT or _FIELD.fullmatch(line) else None


def _lay_out_function(line: str, width: int) -> str | None:
    function = _FUNCTION.fullmatch(line)
    if function is None:
        return None
    parameters = _parameters(function[2])
    if not all(_PARAMETER.fullmatch(item) for item in parameters):
        return None
    return line if len(line) <= width else _split_over_lines(function, parameters, width)


def _split_over_lines(call: re.Match[str], items: list[str], width: int) -> str | None:
    """Put what is in brackets on a line of its own, else on a line each; None where it is too long."""
    start, between, end = call.groups()
    if len(items) == 1 and ", " in between:
        return None
    joined = len(items) > 1 and len(between) + len(_INDENT) <= width
    lines, comma = ([between], "") if joined else (items, ",")
    inside = [f"{_INDENT}{line}{comma}" for line in lines]
    if not inside or any(len(line) > width for line in (start, *inside, end)):
        return None
    return "\n".join([start, *inside, end])


def _parameters(text: str) -> list[str]:
    """Split what stands between the brackets of a signature at its own commas."""
    found = [""] if text else []
    depth = 0
    for part in _COMMA.split(text) if text else ():
        if part == ", " and not depth:
            found.append("")
        else:
            found[-1] += part
            depth += part.count("[") - part.count("]")
    return found


def _format_readable(snippets: list[str]) -> list[str]:
    """Format first what this Python can read: what black cannot, it must look for by halves."""
    formatted: dict[str, str] = {}
    odd = [text for text in snippets if not _is_readable(text)]
    for group in (odd, [text for text in snippets if text not in set(odd)]):
        formatted.update(zip(group, _format(group) if group else (), strict=True))
    return [formatted[text] for text in snippets]


def _is_readable(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True


def _format(snippets: list[str]) -> list[str]:
    # A third of a second that an unchanged catalog need not pay.
    from black import format_str  # noqa: PLC0415
    from black.mode import Mode, TargetVersion  # noqa: PLC0415
    from black.parsing import InvalidInput  # noqa: PLC0415

    mode = Mode(target_versions={TargetVersion.PY313})
    batch = "".join(f"{_MARK.format(n)}\n{text}\n" for n, text in enumerate(snippets))
    try:
        return _split(format_str(batch, mode=mode), len(snippets))
    except InvalidInput:
        pass
    if len(snippets) == 1:
        return [snippets[0]]
    middle = len(snippets) // 2
    return _format(snippets[:middle]) + _format(snippets[middle:])


def _split(text: str, count: int) -> list[str]:
    parts: list[str] = []
    end = 0
    for number in range(count):
        mark = _MARK.format(number) + "\n"
        start = text.index(mark, end) + len(mark)
        end = text.index(_MARK.format(number + 1), start) if number + 1 < count else len(text)
        parts.append(text[start:end].strip("\n"))
    return parts
