"""Docstrings as literals: entries and sections added, types taken out, everything else as it was."""

# Maintainers: works on the literal's source text, line by line, since its value forgets escapes and
# line ends. Invariant: after an edit the docstring, parsed as the gate parses it, says what it said
# before and what was added, and nothing else; an edit that cannot keep that is refused, not
# attempted.

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from toolset_gen.extract.docstrings import SECTIONS, parse_docstring
from toolset_gen.extract.raw import Doc, DocEntry

__all__ = ["STUB", "Wanted", "edit_docstring"]

STUB = "..."

_LITERAL = re.compile(r"([A-Za-z]*)('''|\"\"\"|'|\")(.*)\2", re.DOTALL)
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_HEADER = re.compile(r"\s*([A-Za-z][A-Za-z ]*?):[ \t]*(\S.*?)?\s*$")
_NAMES = re.compile(r"\s*(\*{0,2}[\w.]+(?:\s*,\s*\*{0,2}[\w.]+)*)\s*(?:\(.*?\))?\s*:(?:\s|$)")


class Wanted(NamedTuple):
    """What a docstring is to say beside what it says.

    Attributes:
        entries: Parameters to add, as they are written: `price`, `*items`.
        order: Every parameter of the signature, in its order.
        section: `Returns` or `Yields` to add such a section, `""` for none.
        untyped: Parameters whose entries give a type that is to go.
        renamed: Entries that get another name: the old and the new one.
        removed: Entries that are to go.
    """

    entries: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    section: str = ""
    untyped: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    removed: tuple[str, ...] = ()


class _Section(NamedTuple):
    """Where a section stands: its header's line and the line after its last one."""

    kind: str
    start: int
    end: int


def edit_docstring(
    literal: str, wanted: Wanted, *, margin: str, newline: str, step: str = "    "
) -> str | None:
    """Edit a docstring.

    Args:
        literal: Its source text, quotes included.
        wanted: What to add and to take out.
        margin: The indentation of the statement.
        newline: The line end of the file.
        step: What the file indents by.

    Returns:
        The new source text; None when it cannot be edited without changing anything else.
    """
    match = _LITERAL.fullmatch(literal)
    before = _parse(literal)
    if match is None or before is None:
        return None
    prefix, quote, content = match.groups()
    editor = _Editor(content, margin, newline, step)
    if before.parameters and not editor.has_parameters():
        return None  # its sections are made of escapes, and have no lines in the file
    editor.untype(wanted.untyped)
    for old, new in wanted.renamed:
        editor.rename(old, new)
    for name in wanted.removed:
        editor.remove(name)
    for name in wanted.entries:
        editor.add_entry(name, wanted.order)
    if wanted.section:
        editor.add_section(wanted.section)
    triple = quote[0] * 3
    edited = f"{prefix}{triple}{editor.text()}{triple}"
    after = _parse(edited)
    return edited if after is not None and after == _expected(before, after, wanted) else None


def _parse(literal: str) -> Doc | None:
    try:
        value: object = ast.literal_eval(literal)
    except (SyntaxError, ValueError):
        return None
    return parse_docstring(value, 1) if isinstance(value, str) else None


def _expected(before: Doc, after: Doc, wanted: Wanted) -> Doc:
    """Say what a docstring must have become: `before`, with what was wanted, where it stands now."""
    added = {name.lstrip("*") for name in wanted.entries}
    lines = iter([entry.line for entry in after.parameters if entry.name not in added])
    kept: list[DocEntry] = []
    names = dict(wanted.renamed)
    for entry in before.parameters:
        if entry.name in wanted.removed:
            continue
        kind = "" if entry.name in wanted.untyped else entry.type
        name = names.get(entry.name, entry.name)
        kept.append(entry._replace(name=name, type=kind, line=next(lines, 0)))
    old = iter(kept)
    parameters = tuple(
        DocEntry(entry.name, "", STUB, entry.line) if entry.name in added else next(old, entry)
        for entry in after.parameters
    )
    enough = len(after.parameters) == len(kept) + len(added)
    return before._replace(
        parameters=parameters if enough else (),
        raises=_moved(before.raises, after.raises),
        attributes=_moved(before.attributes, after.attributes),
        malformed=_moved(before.malformed, after.malformed),
        returns=STUB if wanted.section == "Returns" else before.returns,
        yields=STUB if wanted.section == "Yields" else before.yields,
        has_returns=before.has_returns or bool(wanted.section),
        line=after.line,
    )


def _moved(before: Iterable[DocEntry], after: Sequence[DocEntry]) -> tuple[DocEntry, ...]:
    """Give entries the lines that they stand on now."""
    places = iter([entry.line for entry in after])
    return tuple(entry._replace(line=next(places, 0)) for entry in before)


class _Editor:
    """The lines of one docstring."""

    def __init__(self, content: str, margin: str, newline: str, step: str) -> None:
        self.lines: list[str] = _LINE.findall(content) or [""]
        self.margin = margin
        tabs = margin.endswith("\t") or (not margin and "\t" in step)
        self.step = "\t" if tabs else step.replace("\t", "    ")
        self.newline = newline

    def text(self) -> str:
        return "".join(self.lines)

    def has_parameters(self) -> bool:
        return bool(self._sections("parameters"))

    def untype(self, names: Iterable[str]) -> None:
        for name in names:
            typed = re.compile(rf"(\s*\*{{0,2}}{re.escape(name)})\s*\(.*?\)(\s*:(?:\s|$))")
            for section in self._sections("parameters"):
                for index in range(section.start + 1, section.end):
                    self.lines[index] = typed.sub(r"\1\2", self.lines[index], count=1)

    def rename(self, old: str, new: str) -> None:
        for section in self._sections("parameters"):
            for start, _, name in self._entries(section):
                if name == old:
                    head, colon, rest = self.lines[start].partition(":")
                    head = re.sub(rf"(?<![\w.]){re.escape(old)}(?![\w.])", new, head, count=1)
                    self.lines[start] = f"{head}{colon}{rest}"

    def remove(self, name: str) -> None:
        for section in reversed(self._sections("parameters")):
            entries = self._entries(section)
            for start, end, key in reversed(entries):
                if key == name and [first for first, _, _ in entries].count(start) > 1:
                    self._unlist(start, name)
                elif key == name:
                    self._cut(section, start, end, alone=len(entries) == 1)

    def _unlist(self, index: int, name: str) -> None:
        """Take one of several names off the head of their common entry."""
        head, colon, rest = self.lines[index].partition(":")
        margin = _indent(head)
        names = [part.strip() for part in head.split(",")]
        left = ", ".join(part for part in names if part.lstrip("*") != name)
        self.lines[index] = f"{margin}{left}{colon}{rest}"

    def _cut(self, section: _Section, start: int, end: int, *, alone: bool) -> None:
        """Take lines out, the header above them when nothing is left below it, and what parted them."""
        start = section.start if alone else start
        closes = not "".join(self.lines[end:]).strip()
        while closes and start > 0 and not self.lines[start - 1].strip():
            start -= 1
        while not closes and not self.lines[end].strip():
            end += 1
        tail = "" if end == len(self.lines) else self.lines[-1]
        self.lines[start:end] = []
        if closes and not tail:
            self.lines[-1:] = [self.lines[-1].rstrip("\r\n")] if self.lines else []

    def add_entry(self, name: str, order: Sequence[str]) -> None:
        sections = self._sections("parameters")
        if not sections:
            self._insert_section("Args", [f"{name}: {STUB}"], {"returns", "yields", "raises"})
            return
        place = order.index(name.lstrip("*"))
        heads = [head for section in sections for head in self._entries(section)]
        earlier = [end for _, end, key in heads if key in order and order.index(key) < place]
        first = heads[0][0] if heads else sections[0].start + 1
        at = earlier[-1] if earlier else first
        self._insert(at, [f"{self._entry_indent(sections[0])}{name}: {STUB}"])

    def add_section(self, title: str) -> None:
        self._insert_section(title, [STUB], {"raises"})

    def _sections(self, *kinds: str) -> list[_Section]:
        """Find sections by their headers, which stand at the docstring's own margin."""
        found: list[_Section] = []
        base = self._base()
        fence = False
        for index, line in enumerate(self.lines):
            fence ^= line.lstrip().startswith("```")
            match = None if fence or (index and _indent(line) != base) else _HEADER.match(line)
            kind = SECTIONS.get(match[1].lower(), "") if match else ""
            plain = match is not None and not match[2]
            if kind and (plain or kind in {"returns", "yields"}) and (not kinds or kind in kinds):
                found.append(_Section(kind, index, self._end(index + 1, base)))
        return found

    def _base(self) -> str:
        indents = [_indent(line) for line in self.lines[1:] if line.strip()]
        return min(indents, key=len, default=self.margin)

    def _end(self, start: int, base: str) -> int:
        end = start
        for index in range(start, len(self.lines)):
            line = self.lines[index]
            if line.strip() and len(_indent(line)) <= len(base):
                break
            if line.strip():
                end = index + 1
        return end

    def _entry_indent(self, section: _Section) -> str:
        body = [line for line in self.lines[section.start + 1 : section.end] if line.strip()]
        return min((_indent(line) for line in body), key=len, default=self._base() + self.step)

    def _entries(self, section: _Section) -> list[tuple[int, int, str]]:
        """List a section's entries: first line, line after the last, name."""
        indent = self._entry_indent(section)
        starts = [
            (index, match[1])
            for index in range(section.start + 1, section.end)
            if _indent(self.lines[index]) == indent
            and (match := _NAMES.match(self.lines[index])) is not None
        ]
        ends = [*(index for index, _ in starts[1:]), section.end][: len(starts)]
        return [
            (start, self._last(start, end), key.strip().lstrip("*"))
            for (start, names), end in zip(starts, ends, strict=True)
            for key in names.split(",")
        ]

    def _last(self, start: int, end: int) -> int:
        while end > start + 1 and not self.lines[end - 1].strip():
            end -= 1
        return end

    def _insert_section(self, title: str, body: list[str], before: set[str]) -> None:
        base = self._base()
        lines = [f"{base}{title}:", *(f"{base}{self.step}{line}" for line in body)]
        following = [section for section in self._sections() if section.kind in before]
        if following and following[0].start > 0:
            self._insert(following[0].start, [*lines, ""])
            return
        while len(self.lines) > 1 and not self.lines[-1].strip():
            self.lines.pop()
        last = self.lines[-1].rstrip("\r\n")
        self.lines[-1] = last.rstrip(" \t") + self.newline
        self._insert(len(self.lines), ["", *lines])
        self.lines.append(self.margin)

    def _insert(self, at: int, lines: list[str]) -> None:
        if at == len(self.lines) and not self.lines[-1].endswith(("\n", "\r")):
            # The closing quotes stand on the last entry's line.
            self.lines[-1] += self.newline
            self.lines.append(self.margin)
        self.lines[at:at] = [f"{line}{self.newline}" for line in lines]


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]
