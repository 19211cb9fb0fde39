"""Spans of a file's text and what replaces them, down to the bytes."""

# Maintainers: knows text, lines and encodings, no Python. Invariants: bytes outside the replaced
# spans are the bytes that were there; a span whose text is not what its finder says it is, is
# refused.

from __future__ import annotations

import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["Edit", "RefusedError", "Text"]

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


# The first line below one that opens a block at the margin.
_BLOCK = re.compile(
    r"(?:^|[\r\n\f])[^\s#][^\r\n]*:[ \t]*(?:#[^\r\n]*)?(?:[\r\n][ \t]*)*[\r\n]([ \t]+)(?=[^\s])"
)


class RefusedError(Exception):
    """A repair cannot be made; its text says why, as a phrase."""


class Edit(NamedTuple):
    """A replacement.

    Attributes:
        start: Where the replaced text begins, in characters.
        end: Where it ends; `start` for an insertion.
        new: What stands there then.
    """

    start: int
    end: int
    new: str


class Text:
    """The text of a file.

    Args:
        data: Its bytes.

    Attributes:
        text: What it says.
        encoding: In which encoding.
        newline: Its line end, the first one's.
        step: What most of its blocks are indented by.

    Raises:
        UnicodeDecodeError: They are not in the encoding that the file declares.
        SyntaxError: The encoding is unknown, or declared in two ways.
    """

    def __init__(self, data: bytes) -> None:
        self.encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        self.text = data.decode(self.encoding)
        self.newline = next(iter(re.findall(r"\r\n|\n|\r", self.text)), "\n")
        steps = Counter(_BLOCK.findall(self.text))
        self.step = steps.most_common(1)[0][0] if steps else "    "
        self._starts = [0]
        for match in _LINE.finditer(self.text):
            self._starts.append(match.end())

    def offset(self, line: int, column: int) -> int:
        """Turn a position into an offset.

        Args:
            line: The line, 1-based.
            column: The column, 0-based.

        Returns:
            Characters from the beginning.
        """
        return self._starts[line - 1] + column

    def margin(self, line: int) -> str:
        """Give the white space that a line begins with.

        Args:
            line: The line, 1-based.

        Returns:
            It, as it stands.
        """
        match = re.compile(r"[ \t]*").match(self.text, self._starts[line - 1])
        return match[0] if match is not None else ""

    def apply(self, edits: Iterable[Edit]) -> bytes:
        """Replace spans.

        Args:
            edits: What to replace; spans do not overlap.

        Returns:
            The bytes of the file as it is then.
        """
        parts: list[str] = []
        position = 0
        for edit in sorted(edits):
            parts += [self.text[position : edit.start], edit.new]
            position = edit.end
        return "".join([*parts, self.text[position:]]).encode(self.encoding)
