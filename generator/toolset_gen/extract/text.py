"""The source text of syntax nodes, as written and on one line."""

# Maintainers: answers for text alone: it knows positions and string literals, no scopes. Invariant:
# string literals come out as they stand in the file, on every Python alike; only what is between
# them is respaced.

from __future__ import annotations

import ast
import re

__all__ = ["SourceText", "one_line"]

_STRING = (
    r"(?i:\b[rbuft]{1,2})?"
    r"(?:'''(?:[^\\]|\\.)*?'''|\"\"\"(?:[^\\]|\\.)*?\"\"\"|'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\")"
)
_PIECE = re.compile(
    rf"(?P<string>{_STRING})|(?P<space>(?:\s|\\\n|\#[^\n]*)+)|[()\[\]{{}},]|[^\s'\"()\[\]{{}},#\\]+|.",
    re.DOTALL,
)
_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")


class SourceText:
    """A module's text, and the piece of it that a node covers.

    Args:
        text: The decoded source, its lines ended by line feeds.
    """

    __slots__ = ("lines",)

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")

    def raw(self, node: ast.expr | ast.stmt) -> str:
        """Give the text of a node, line breaks and comments included.

        Args:
            node: A node of this module.

        Returns:
            Its text as it stands.
        """
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        start, end = node.col_offset, node.end_col_offset or 0
        if first == last:
            return _cut(self.lines[first], start, end)
        middle = self.lines[first + 1 : last]
        return "\n".join(
            [_cut(self.lines[first], start, None), *middle, _cut(self.lines[last], 0, end)]
        )

    def of(self, node: ast.expr | ast.stmt) -> str:
        """Give the text of a node on one line.

        Args:
            node: A node of this module.

        Returns:
            Its text, runs of whitespace outside strings collapsed.
        """
        return one_line(self.raw(node))


def _cut(line: str, start: int, end: int | None) -> str:
    if line.isascii():
        return line[start:end]
    return line.encode()[start:end].decode()


def one_line(text: str) -> str:
    """Put code on one line.

    Args:
        text: An expression as written.

    Returns:
        The same without comments and line breaks, runs of whitespace outside strings collapsed, a
        trailing comma before a bracket on its own line gone.
    """
    if "\n" not in text and "  " not in text and "\t" not in text and "#" not in text:
        return text
    line = _Line()
    for match in _PIECE.finditer(text):
        if match["space"] is not None:
            line.space(breaks="\n" in match.group())
        elif match["string"] is not None:
            line.piece(_one_line_string(match.group()))
        else:
            line.piece(match.group())
    return "".join(line.out).strip()


class _Line:
    """Puts pieces on one line; knows the bracket it is in, to tell a one-tuple's comma from a trailing one."""

    __slots__ = ("brackets", "commas", "gap", "out")

    def __init__(self) -> None:
        self.out: list[str] = []
        self.gap = ""
        self.brackets: list[bool] = []
        self.commas: list[int] = []

    def space(self, *, breaks: bool) -> None:
        self.gap = "\n" if breaks else " "

    def piece(self, text: str) -> None:
        before = self.out[-1] if self.out else ""
        closes = text in _CLOSE
        if self.gap == "\n" and (before in _OPEN or closes):
            if closes and before == "," and not self._is_one_tuple():
                self.out.pop()
        elif self.gap:
            self.out.append(" ")
        self._nest(text, before if not self.gap else "")
        self.gap = ""
        self.out.append(text)

    def _is_one_tuple(self) -> bool:
        return bool(self.brackets) and self.brackets[-1] and self.commas[-1] == 1

    def _nest(self, text: str, before: str) -> None:
        if text in _OPEN:
            called = before[-1:].isalnum() or before[-1:] in {"_", ")", "]"}
            self.brackets.append(text == "(" and not called)
            self.commas.append(0)
        elif text in _CLOSE and self.brackets:
            self.brackets.pop()
            self.commas.pop()
        elif text == "," and self.commas:
            self.commas[-1] += 1


def _one_line_string(literal: str) -> str:
    """Spell a literal that spans lines as one that does not."""
    if "\n" not in literal:
        return literal
    try:
        value: object = ast.literal_eval(literal)
    except (SyntaxError, ValueError):  # an f-string: no literal value, so escape the breaks
        return literal.replace("\n", "\\n")
    return repr(value)
