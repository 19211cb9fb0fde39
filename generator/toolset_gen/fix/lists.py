"""Keys of a list put in order, each with the comments that belong to it."""

# Maintainers: knows text and spans, no tree. A comment after a key on its line, or on lines of its
# own above it, belongs to that key; one that may belong to several keys is a reason to refuse.
# White space and commas stay where they are: keys and comments change places, nothing else.

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from toolset_gen.fix.edits import Edit, RefusedError

__all__ = ["Key", "reorder"]

_AFTER = re.compile(
    r"(?P<code>[ \t]*,?[ \t]*(?:[\])}][\])}, \t]*)?)(?P<comment>(?:[ \t]*#[^\r\n]*)?)(?=[\r\n]|\Z)"
)
_CLOSING = frozenset("])}")
_COMMENT = re.compile(r"#[^\r\n]*")
_TO_LINE_END = re.compile(r"[^\r\n]*")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)")


class Key(NamedTuple):
    """A key where it stands.

    Attributes:
        start: Where its literal begins, in characters.
        end: Where it ends.
        value: What it says.
    """

    start: int
    end: int
    value: str


class _Slot(NamedTuple):
    """What belongs to a key: the lines above it, its literal, the comment after it; as spans."""

    above: tuple[int, int]
    literal: tuple[int, int]
    after: tuple[int, int]


def reorder(text: str, opening: int, keys: Sequence[Key]) -> list[Edit]:
    """Sort keys, and move the comments of each with it.

    Args:
        text: The file.
        opening: Where the list begins, in characters.
        keys: Its elements in the order in which they stand; two or more.

    Returns:
        The edits; none when the keys are in order.

    Raises:
        RefusedError: A comment, or an empty line, may be about more than one key.
    """
    slots = _slots(text, opening, keys)
    ordered = sorted(range(len(keys)), key=lambda index: keys[index].value)
    edits: list[Edit] = []
    for index, origin in enumerate(ordered):
        for (start, end), (old_start, old_end) in zip(slots[index], slots[origin], strict=True):
            new = text[old_start:old_end]
            if new != text[start:end]:
                edits.append(Edit(start, end, new))
    return edits


def _slots(text: str, opening: int, keys: Sequence[Key]) -> list[_Slot]:
    literals = [(key.start, key.end) for key in keys]
    between = [text[a.end : b.start] for a, b in pairwise(keys)]
    if any(_COMMENT.sub("", part).strip() != "," for part in between):
        raise RefusedError("something else than commas stands between the keys")
    before = text[opening : keys[0].start]
    spread = "\n" in "".join(between).replace("\r", "\n")
    if not spread or not _has_comments(text, before, between, keys[-1]):
        return [_Slot((start, start), (start, end), (end, end)) for start, end in literals]
    if any(not re.search(r"[\r\n]", part) for part in between):
        raise RefusedError(
            "comments stand beside several keys on a line, and belong to some of them"
        )
    if any(re.search(r"(?:\r\n|\r(?!\n)|\n)[ \t]*[\r\n]", part) for part in between):
        raise RefusedError("empty lines part the keys into groups")
    aboves = [_above(text, opening, key) for key in keys]
    with_lines = [start < end for start, end in aboves]
    if any(with_lines) and not re.search(r"[\r\n]", before):
        raise RefusedError("a comment stands above a key, and the first key has no line of its own")
    if with_lines[0] and not any(with_lines[1:]):
        raise RefusedError("the comment above the first key may be about all of them")
    afters = list(_afters(text, keys))
    if _CLOSING & {*text[keys[-1].end : afters[-1][0]]} and all(
        start == end for start, end in afters[:-1]
    ):
        afters[-1] = (
            afters[-1][0],
            afters[-1][0],
        )  # the comment of the statement, not of its last key
    return [_Slot(*parts) for parts in zip(aboves, literals, afters, strict=True)]


def _has_comments(text: str, before: str, between: Sequence[str], last: Key) -> bool:
    rest = _TO_LINE_END.match(text, last.end)
    return any(
        "#" in part for part in (_below_first_line(before), *between, rest[0] if rest else "")
    )


def _below_first_line(text: str) -> str:
    """Leave out a comment on the line of the opening bracket, which is about the list."""
    return "".join(re.split(r"(\r\n|\r|\n)", text, maxsplit=1)[1:])


def _above(text: str, opening: int, key: Key) -> tuple[int, int]:
    """Find the lines of comments above a key, whole lines; an empty span at its line when there are none."""
    lines = [(match.start(), match.end()) for match in _LINE.finditer(text, 0, key.start)]
    line_start = lines[-1][1] if lines else 0
    start = line_start
    while lines and lines[-1][0] > opening and text[slice(*lines[-1])].lstrip().startswith("#"):
        start = lines.pop()[0]
    return start, line_start


def _afters(text: str, keys: Sequence[Key]) -> Iterator[tuple[int, int]]:
    for key in keys:
        match = _AFTER.match(text, key.end)
        if match is None:
            raise RefusedError("other code stands on the line of a key that has a comment")
        code_end = key.end + len(match["code"].rstrip())
        yield code_end, match.end()
