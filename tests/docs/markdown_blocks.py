"""Find the fenced code blocks of Markdown text; as a script, print those with one mark.

`python tests/docs/markdown_blocks.py README.md ci` prints the blocks that continuous integration runs
in a fresh clone, so that it runs what a newcomer copies and not a second version of it.
"""

# Maintainers: standard library only, since `.ci/run` calls it before anything is installed.

from __future__ import annotations

import re
import shlex
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

__all__ = ["Block", "parse"]

OPENING = re.compile(r"^(?P<indent>\s*)(?P<fence>`{3,}|~{3,})(?P<info>[^`]*)$")


class Block(NamedTuple):
    """One fenced code block.

    Attributes:
        page: The page it stands on, as shown in failures.
        line: Line of its opening fence, counted from 1.
        language: First word of its info string, `""` without one.
        marks: The other words of its info string: `checkout`, `file=plugin.py`.
        text: Its content, dedented, each line ended.
    """

    page: str
    line: int
    language: str
    marks: tuple[str, ...]
    text: str

    @property
    def place(self) -> str:
        """Where it stands, as editors and terminals link it."""
        return f"{self.page}:{self.line}"

    def option(self, name: str) -> str | None:
        """Read the value of a `name=value` mark, None when it is not there."""
        values = [mark.partition("=")[2] for mark in self.marks if mark.startswith(f"{name}=")]
        return values[-1] if values else None


def parse(page: str, text: str) -> Iterator[Block]:
    """Find the fenced blocks of a Markdown text, in order.

    Args:
        page: How to call the page in messages.
        text: Its Markdown.

    Yields:
        Each block. One whose fence is never closed ends with the text, as Markdown has it.
    """
    lines = iter(enumerate(text.splitlines(), start=1))
    for number, line in lines:
        opening = OPENING.match(line)
        if opening is None:
            continue
        closing = re.compile(rf"^\s*{re.escape(opening['fence'])}{opening['fence'][0]}*\s*$")
        body: list[str] = []
        for _, inner in lines:
            if closing.match(inner):
                break
            body.append(inner)
        words = shlex.split(opening["info"])
        content = textwrap.dedent("".join(f"{inner}\n" for inner in body))
        yield Block(page, number, words[0] if words else "", tuple(words[1:]), content)


def main(path: str, mark: str) -> None:
    """Print the blocks of one page that carry one mark."""
    for block in parse(path, Path(path).read_text(encoding="utf-8")):
        if mark in block.marks:
            sys.stdout.write(block.text)


if __name__ == "__main__":
    main(*sys.argv[1:])
