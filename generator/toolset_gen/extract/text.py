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
_PIECE = re.compile(rf"(?P<string>{_STRING})|(?P<space>(?:\s|\\\n|\#[^\n]*)+)", re.DOTALL)


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
    out: list[str] = []
    end = 0
    for match in _PIECE.finditer(text):
        out.append(text[end : match.start()])
        end = match.end()
        if match["string"] is not None:
            out.append(_one_line_string(match.group()))
        else:
            out.append(_gap(text, match.start(), end, out))
    out.append(text[end:])
    return "".join(out).strip()


def _gap(text: str, start: int, end: int, out: list[str]) -> str:
    """Decide what stands for a run of whitespace."""
    if "\n" not in text[start:end]:
        return " "
    if text[:start].endswith(("(", "[", "{")):
        return ""
    if text[end : end + 1] in {")", "]", "}"}:
        last = out[-1] if out else ""
        if last.endswith(",") and not _is_one_tuple(text[: start - 1]):
            out[-1] = last[:-1]
        return ""
    return " "


def _is_one_tuple(text: str) -> bool:
    """Whether the bracket that is open at the end of `text` is a round one without a comma."""
    depth = 0
    plain = re.sub(_STRING, "''", text, flags=re.DOTALL)
    for position in range(len(plain) - 1, -1, -1):
        char = plain[position]
        if char in ")]}":
            depth += 1
        elif char in "([{":
            if depth == 0:
                before = plain[:position].rstrip()
                called = bool(before) and (before[-1].isalnum() or before[-1] in "_)]")
                return char == "(" and not called
            depth -= 1
        elif char == "," and depth == 0:
            return False
    return False


def _one_line_string(literal: str) -> str:
    """Spell a literal that spans lines as one that does not."""
    if "\n" not in literal:
        return literal
    try:
        value: object = ast.literal_eval(literal)
    except (SyntaxError, ValueError):  # an f-string: no literal value, so escape the breaks
        return literal.replace("\n", "\\n")
    return repr(value)
