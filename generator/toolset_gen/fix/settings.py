"""Suppressions of nothing, taken out of pyproject.toml."""

# Maintainers: works on the file's text, since no reader of TOML keeps comments and spacing; what
# tables and strings are is asked of tomllib alone: a cut is made only when the file then says what
# it said before, less the suppression. A file whose tables are written in a way that no cut fits is
# left.

from __future__ import annotations

import codecs
import re
import tomllib
from collections.abc import Iterable, Iterator
from typing import TypeAlias, cast

from toolset_gen.check import RULES
from toolset_gen.config import Suppression
from toolset_gen.diagnostics import Diagnostic
from toolset_gen.fix.edits import Edit, RefusedError
from toolset_gen.fix.records import Change, Left, Repair

__all__ = ["edit_settings", "without_suppression"]

Table: TypeAlias = "dict[str, object]"

_PLACE = ("tool", "toolset", "catalog")
_END = r"(?:\r\n|\n|\Z)"
_HEADER = re.compile(
    r"^[ \t]*\[\[[ \t]*tool[ \t]*\.[ \t]*toolset[ \t]*\.[ \t]*catalog[ \t]*\.[ \t]*suppress"
    rf"[ \t]*\]\][ \t]*(?:#[^\r\n]*)?{_END}",
    re.MULTILINE,
)
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n)|[^\r\n]+")
_TABLE = re.compile(r"[ \t]*\[")
_INLINE = re.compile(r"^[ \t]*(?:[\w.-]+\.)?suppress[ \t]*=[ \t]*\[", re.MULTILINE)
_TOKEN = re.compile(
    r"""\"\"\"(?:\\.|[^\\])*?\"\"\"|'''.*?'''|"(?:\\.|[^"\\\r\n])*"|'[^'\r\n]*'|\#[^\r\n]*|[\[\]{}]""",
    re.DOTALL,
)


def edit_settings(
    data: bytes, unused: Iterable[Diagnostic], accepted: Iterable[Suppression]
) -> tuple[bytes, list[Change], list[Left]]:
    """Take the suppressions out that match no violation any more.

    Args:
        data: The bytes of pyproject.toml, which has been read as configuration.
        unused: The violations of SUP001.
        accepted: Every suppression.

    Returns:
        Its new bytes, what was done, and what was left.
    """
    encoding = "utf-8-sig" if data.startswith(codecs.BOM_UTF8) else "utf-8"
    text = data.decode(encoding)
    changes: list[Change] = []
    left: list[Left] = []
    for found in unused:
        repair = Repair("suppression", found.rule, found.path, found.line, found.target)
        for one in dict.fromkeys(accepted):
            if f"{one.rule} {one.target}" != found.target:
                continue
            if one.rule not in RULES:
                left.append(Left(repair, "it may be meant for a rule whose id it misspells"))
                continue
            try:
                text = without_suppression(text, one)
            except RefusedError as refused:
                left.append(Left(repair, str(refused)))
            else:
                changes.append(Change(repair, "removed the suppression, which applied to nothing"))
    return text.encode(encoding), changes, left


def without_suppression(text: str, unwanted: Suppression) -> str:
    """Take a suppression out.

    Args:
        text: What pyproject.toml says, valid TOML.
        unwanted: The suppression; each that equals it goes.

    Returns:
        What it says then: comments outside of the suppression and all else as they were.

    Raises:
        RefusedError: No cut takes it out and nothing else.
    """
    document = tomllib.loads(text)
    expected = _less(document, unwanted)
    for edit in _cuts(text):
        cut = text[: edit.start] + text[edit.end :]
        try:
            found = tomllib.loads(cut)
        except tomllib.TOMLDecodeError:
            continue
        if not _has_table(found):
            continue
        if _normal(found) == expected:
            return cut
        if _less(found, unwanted) == expected and len(_listed(found)) < len(_listed(document)):
            return without_suppression(cut, unwanted)  # it stood there more than once
    raise RefusedError("it stands in the file in a way that cannot be cut out for certain")


def _cuts(text: str) -> Iterator[Edit]:
    """Give every cut that may take one suppression out."""
    for match in _HEADER.finditer(text):
        yield _of_table(text, match.start(), match.end())
    for match in _INLINE.finditer(text):
        yield from _of_items(text, match.end())


def _of_table(text: str, start: int, body: int) -> Edit:
    """Cut from a header to the last line that is not empty or a comment before the next one."""
    end = body
    for match in _LINE.finditer(text, body):
        if _TABLE.match(match[0]):
            break
        if match[0].strip() and not match[0].lstrip().startswith("#"):
            end = match.end()
    following = re.compile(r"(?:[ \t]*(?:\r\n|\n))+").match(text, end)
    if following is not None and following.end() < len(text):
        return Edit(start, following.end(), "")  # the empty lines above it part its neighbours now
    before = re.search(r"(?:[ \t]*(?:\r\n|\n))*\Z", text[:start])
    if end < len(text.rstrip()) or before is None:
        return Edit(start, end, "")
    last = re.compile(r"[ \t]*(?:\r\n|\n)").match(text, before.start())
    return Edit(last.end() if last else start, len(text), "")


def _of_items(text: str, opening: int) -> Iterator[Edit]:
    """Cut each table of an array with what parts it from its neighbours."""
    depth, start = 1, opening
    for match in _TOKEN.finditer(text, opening):
        if match[0] in "[{":
            depth += 1
            start = match.start() if depth == 2 else start  # noqa: PLR2004 - the array's own items
        elif match[0] in "]}":
            depth -= 1
            if not depth:
                return
            if depth == 1:
                yield from _of_item(text, start, match.end())


def _of_item(text: str, start: int, end: int) -> Iterator[Edit]:
    alone = re.compile(rf"[ \t]*,?[ \t]*(?:#[^\r\n]*)?{_END}").match(text, end)
    margin = re.search(r"^[ \t]*\Z", text[:start], re.MULTILINE)
    if alone is not None and margin is not None:
        yield Edit(margin.start(), alone.end(), "")
    comma = re.compile(r"[ \t]*,[ \t]*").match(text, end)
    if comma is not None:
        yield Edit(start, comma.end(), "")
    before = re.search(r",[ \t]*\Z", text[:start])
    if before is not None:
        yield Edit(before.start(), end, "")
    yield Edit(start, end, "")


def _has_table(document: Table) -> bool:
    found = document
    for name in _PLACE:
        inner = found.get(name)
        if not isinstance(inner, dict):
            return False
        found = cast("Table", inner)
    return True


def _less(document: Table, unwanted: Suppression) -> Table:
    """Give a document without a suppression; one without any has an empty list of them."""
    return _with(document, [entry for entry in _listed(document) if not _is(entry, unwanted)])


def _normal(document: Table) -> Table:
    return _with(document, _listed(document))


def _listed(document: Table) -> list[Table]:
    found = document
    for name in _PLACE:
        found = cast("Table", found[name])
    return cast("list[Table]", found.get("suppress", []))


def _with(document: Table, listed: list[Table]) -> Table:
    copied = dict(document)
    inner = copied
    for name in _PLACE:
        inner[name] = dict(cast("Table", inner[name]))
        inner = cast("Table", inner[name])
    inner["suppress"] = listed
    return copied


def _is(entry: Table, unwanted: Suppression) -> bool:
    return tuple(entry.get(name) for name in Suppression._fields) == tuple(unwanted)
