"""Lay out the Python that people read, with black."""

# Maintainers: black is imported only when a snippet is not remembered; it is called once for all of
# them, since starting it is what costs. Its style decides how the pages look, so it is pinned to one
# year in pyproject.toml. What black cannot parse stays as it is written: a page with a long line is
# better than no page.

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Mapping, MutableMapping

__all__ = ["as_python", "format_all", "lay_out"]

_MARK = "# ---- toolset snippet {} ----"
_WIDTH = 88
# What black has nothing to say to: names, numbers, brackets and texts without quotes or escapes, with
# the spaces that it would put. What is no Python all the same, black leaves as it stands, too.
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
_ATTRIBUTE = re.compile(rf"{_NAME}(?:: {_TYPE})?", re.ASCII)
_COMMA = re.compile(r"(, )")


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


def format_all(snippets: Iterable[str], memory: MutableMapping[str, str]) -> Mapping[str, str]:
    """Format snippets of Python, importing black only for those that are new.

    Args:
        snippets: Statements as text.
        memory: What was formatted before; new results are added to it.

    Returns:
        Each snippet to its formatted text, without a final newline.
    """
    wanted = sorted(set(snippets))
    new = [text for text in wanted if text not in memory]
    laid_out = {text: done for text in new if (done := lay_out(text)) is not None}
    rest = [text for text in new if text not in laid_out]
    if rest:
        memory.update(zip(rest, _format_readable(rest), strict=True))
    memory.update(laid_out)
    return {text: memory[text] for text in wanted}


def lay_out(text: str) -> str | None:
    """Lay out a plain signature as black would: most are plain, and black is slow.

    Args:
        text: A statement.

    Returns:
        What black would make of it, the statement itself when black could not read it; None when it
        takes black to tell.
    """
    decorator, line = ("@overload\n", text[10:]) if text.startswith("@overload\n") else ("", text)
    function = _FUNCTION.fullmatch(line)
    if function is None:
        fits = len(line) <= _WIDTH and _ATTRIBUTE.fullmatch(line) is not None
        return text if fits else None
    parameters = _parameters(function[2])
    if not all(_PARAMETER.fullmatch(item) for item in parameters):
        return None
    laid_out = line if len(line) <= _WIDTH else _split_over_lines(function, parameters)
    return None if laid_out is None else decorator + laid_out


def _split_over_lines(function: re.Match[str], parameters: list[str]) -> str | None:
    """Put parameters on a line of their own, else on a line each; None where that is too long."""
    start, between, end = function.groups()
    if len(parameters) == 1 and ", " in between:
        return None
    joined = len(parameters) > 1 and len(between) + 4 <= _WIDTH
    lines, comma = ([between], "") if joined else (parameters, ",")
    inside = [f"    {line}{comma}" for line in lines]
    if not inside or any(len(line) > _WIDTH for line in (start, *inside, end)):
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
