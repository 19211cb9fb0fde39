"""Finding files by name and lines by pattern, within bounds."""

# Maintainers: answers for walks that end: symbolic links are not followed, results and file sizes
# are bounded, a `stop` is looked at between files and lines. Order is by name, so that two equal
# searches give equal answers. It knows no service.

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from toolset.services.fs.atomic import read_file
from toolset.services.fs.errors import PatternError

__all__ = ["GrepMatch", "GrepResult", "compile_glob", "compile_regex", "grep_files", "walk"]

_LONGEST_LINE = 500
_SNIFFED = 8_192
_MAX_GLOB = 1_000


class GrepMatch(NamedTuple):
    """One line that matches.

    Attributes:
        path: The file, relative to the workspace root.
        line: The number of the line, from 1.
        text: The line without its end; a long one is cut, with `…`.
    """

    path: str
    line: int
    text: str


class GrepResult(NamedTuple):
    """What a search found.

    Attributes:
        matches: The lines, by file and number.
        truncated: Whether there are more than the limit allowed.
        skipped: Files that were not searched: binary, too large, or unreadable.
    """

    matches: tuple[GrepMatch, ...]
    truncated: bool = False
    skipped: tuple[str, ...] = ()


def walk(folder: Path, stop: threading.Event) -> Iterator[Path]:
    """Walk over the regular files below a folder, without recursion.

    Args:
        folder: Where to begin.
        stop: Ends the walk when set.

    Yields:
        The files, each folder's sorted by name; links are left out.
    """
    work = [folder]
    while work and not stop.is_set():
        try:
            with os.scandir(work.pop()) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError:
            continue  # a folder that may not be read, or is gone meanwhile
        work.extend(
            Path(entry.path) for entry in reversed(entries) if entry.is_dir(follow_symlinks=False)
        )
        yield from (Path(entry.path) for entry in entries if entry.is_file(follow_symlinks=False))


def compile_glob(pattern: object) -> re.Pattern[str]:
    """Compile a glob pattern over whole relative paths.

    Args:
        pattern: `*` and `?` stay within a name, `**` spans folders, `[abc]` is one character.

    Returns:
        The compiled pattern.

    Raises:
        PatternError: It is empty, absolute, far too long, or has `..` in it.
    """
    example = "write it relative to the workspace root, such as '**/*.md'"
    if not isinstance(pattern, str) or not pattern:
        raise PatternError(pattern, "is no text", example)
    if pattern.startswith("/") or ".." in pattern.split("/") or len(pattern) > _MAX_GLOB:
        raise PatternError(pattern[:_MAX_GLOB], "leaves the workspace or is too long", example)
    steps = [step for step in re.sub(r"(\*\*/)+", "**/", pattern).split("/") if step != "."]
    made = "".join(_glob_step(step, last=at == len(steps) - 1) for at, step in enumerate(steps))
    try:
        return re.compile(made, re.DOTALL)
    except re.error as error:
        raise PatternError(pattern, f"is malformed: {error}", example) from None


def _glob_step(step: str, *, last: bool) -> str:
    if step == "**":
        return r".*" if last else r"(?:[^/]+/)*"
    made = ""
    at = 0
    while at < len(step):
        char = step[at]
        end = step.find("]", at + 2) if char == "[" else -1
        if end > 0:
            members = step[at + 1 : end].replace("\\", "\\\\").replace("[", "\\[")
            made += f"[^{members[1:]}]" if members[0] == "!" else f"[{members}]"
            at = end
        elif char == "*":
            made += "" if made.endswith("[^/]*") else "[^/]*"
        else:
            made += "[^/]" if char == "?" else re.escape(char)
        at += 1
    return made if last else made + "/"


def compile_regex(pattern: object, *, ignore_case: bool) -> re.Pattern[str]:
    """Compile the pattern of a search.

    Args:
        pattern: A regular expression of Python's `re`.
        ignore_case: Whether upper and lower case are the same.

    Returns:
        The compiled pattern.

    Raises:
        PatternError: It is no regular expression.
    """
    if not isinstance(pattern, str):
        raise PatternError(pattern, "is no text", "write a regular expression")
    try:
        return re.compile(pattern, re.IGNORECASE if ignore_case else 0)
    except (re.error, RecursionError, OverflowError) as error:
        way_out = "escape what is meant literally with a backslash"
        raise PatternError(pattern, f"is no regular expression: {error}", way_out) from None


def grep_files(
    files: Iterator[tuple[str, Path]],
    regex: re.Pattern[str],
    stop: threading.Event,
    *,
    limit: int,
    max_bytes: int,
) -> GrepResult:
    """Search files for lines that match.

    Args:
        files: Names and places of what to search.
        regex: What a line must contain.
        stop: Ends the search when set.
        limit: The most lines to give.
        max_bytes: Larger files are skipped.

    Returns:
        The lines, and what was left out.
    """
    matches: list[GrepMatch] = []
    skipped: list[str] = []
    for name, place in files:
        text = _text_of(place, max_bytes)
        if text is None:
            skipped.append(name)
            continue
        matches.extend(islice(_matches(name, text, regex, stop), limit + 1 - len(matches)))
        if len(matches) > limit:
            return GrepResult(tuple(matches[:limit]), truncated=True, skipped=tuple(skipped))
    return GrepResult(tuple(matches), skipped=tuple(skipped))


def _text_of(place: Path, max_bytes: int) -> str | None:
    """Read a text file; None for one that is none, or cannot be read within bounds."""
    try:
        content, size = read_file(place, max_bytes)
    except OSError:
        return None
    if size > max_bytes or b"\0" in content[:_SNIFFED]:
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None


def _matches(
    name: str, text: str, regex: re.Pattern[str], stop: threading.Event
) -> Iterator[GrepMatch]:
    for number, line in enumerate(text.split("\n"), 1):
        if stop.is_set():
            return
        shown = line.removesuffix("\r")
        if regex.search(shown):
            long = len(shown) > _LONGEST_LINE
            yield GrepMatch(name, number, shown[:_LONGEST_LINE] + "…" if long else shown)
