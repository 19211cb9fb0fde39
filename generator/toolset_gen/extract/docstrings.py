"""Google-style docstrings, read entry by entry, each with its line."""

# Maintainers: answers for what a docstring says, never for whether that fits the signature (facts.py
# compares). Invariant: no line is dropped: what is no section stays in the description, what is no
# entry of an `Args:` section is kept as malformed.

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from typing import NamedTuple

from toolset.catalog import Deprecation
from toolset_gen.extract.raw import Doc, DocEntry

__all__ = ["SECTIONS", "parse_docstring", "reflow", "says_nothing"]

_PARAMETERS = frozenset(
    {"args", "arguments", "params", "parameters", "keyword args", "keyword arguments", "other args"}
    | {"other arguments", "other parameters"}
)
# Header in lower case to what the section is.
SECTIONS = {
    **dict.fromkeys(_PARAMETERS, "parameters"),
    "attributes": "attributes",
    "raises": "raises",
    "exceptions": "raises",
    "returns": "returns",
    "return": "returns",
    "yields": "yields",
    "yield": "yields",
    "deprecated": "deprecated",
}
_HEADER = re.compile(r"^([A-Za-z][A-Za-z ]*?):[ \t]*(.*)$")
_HEADER_ONLY = re.compile(rf"^(?:{'|'.join(SECTIONS)}):$", re.IGNORECASE)
_ENTRY = re.compile(r"^(\*{0,2}[\w.]+(?:\s*,\s*\*{0,2}[\w.]+)*)\s*(?:\((.*?)\))?\s*:(?:\s+(.*)|)$")
_BARE = re.compile(r"^\*{0,2}[\w.]+\s*(?:\([^()]*\))?$")
_DIRECTIVE = re.compile(r"^\.\.\s+deprecated::\s*(\S*)\s*(.*)$")
_NOTHING = re.compile(r"\W*(?:(?:todo|fixme|tbd)\W*)?", re.IGNORECASE)
_SINCE = re.compile(r"^(v?\d[\w.\-+]*)\s*:\s*(.*)$", re.DOTALL)


class _Block(NamedTuple):
    """A section: what follows its colon, its indented lines, and where they start."""

    name: str
    inline: str
    lines: tuple[str, ...]
    line: int


def parse_docstring(text: str, line: int) -> Doc:
    """Parse a docstring.

    Args:
        text: Its value.
        line: Line of its opening quotes in the file.

    Returns:
        Its prose and entries.
    """
    lines, line = _clean(text, line)
    prose: list[str] = []
    blocks: list[_Block] = []
    deprecated: Deprecation | None = None
    index = 0
    fence = False
    while index < len(lines):
        current = lines[index]
        fence ^= current.lstrip().startswith("```")
        block = None if fence else _section(lines, index, line)
        directive = None if fence else _DIRECTIVE.match(current)
        if block is not None:
            blocks.append(block)
            index += 1 + len(block.lines)
        elif directive is not None:
            body = _indented(lines, index + 1)
            words = [directive[2], textwrap.dedent("\n".join(body)).strip()]
            deprecated = Deprecation(reflow("\n".join(filter(None, words))), directive[1])
            index += 1 + len(body)
        else:
            prose.append(current)
            index += 1
    return _assemble(prose, blocks, deprecated, line)


def says_nothing(text: str) -> bool:
    """Tell whether a text only holds the place of one: `...`, `TODO`, or nothing at all.

    Args:
        text: A summary, an entry, the text of a section.

    Returns:
        Whether it still has to be written.
    """
    return _NOTHING.fullmatch(text) is not None


def _clean(text: str, line: int) -> tuple[list[str], int]:
    """Dedent like `inspect.cleandoc`, and say on which line the first kept one stands."""
    lines = text.expandtabs().split("\n")
    margin = min((len(s) - len(s.lstrip()) for s in lines[1:] if s.strip()), default=0)
    cleaned = [lines[0].strip(), *(s[margin:].rstrip() for s in lines[1:])]
    while cleaned and not cleaned[-1]:
        cleaned.pop()
    while cleaned and not cleaned[0]:
        cleaned.pop(0)
        line += 1
    return _under_first_header(cleaned), line


def _under_first_header(lines: list[str]) -> list[str]:
    """Indent again what stands under a header on the docstring's first line, which has no margin."""
    match = _HEADER.match(lines[0]) if lines else None
    if match is None or match[2] or match[1].lower() not in SECTIONS:
        return lines
    end = next((i for i, s in enumerate(lines[1:], 1) if _HEADER_ONLY.match(s)), len(lines))
    return [lines[0], *(f"    {s}" if s else s for s in lines[1:end]), *lines[end:]]


def _section(lines: list[str], index: int, first: int) -> _Block | None:
    match = _HEADER.match(lines[index])
    kind = SECTIONS.get(match[1].lower()) if match else None
    if match is None or kind is None:
        return None
    body = _indented(lines, index + 1)
    inline = match[2].strip()
    if inline and kind not in {"returns", "yields", "deprecated"}:
        return None
    if inline and index and lines[index - 1]:
        return None  # a sentence in a paragraph that happens to begin with "Returns:"
    if not inline and not any(body):
        if index + 1 < len(lines) and lines[index + 1]:
            return None
        body = []
    return _Block(kind, inline, tuple(body), first + index)


def _indented(lines: list[str], start: int) -> list[str]:
    """Collect the indented lines from `start` on, blank ones between them included."""
    end = start
    for index in range(start, len(lines)):
        if lines[index].startswith(" "):
            end = index + 1
        elif lines[index]:
            break
    return lines[start:end]


def _assemble(
    prose: list[str], blocks: list[_Block], deprecated: Deprecation | None, line: int
) -> Doc:
    summary, description = _prose(prose)
    entries: dict[str, list[DocEntry]] = {"parameters": [], "attributes": [], "raises": []}
    malformed: list[DocEntry] = []
    texts = {"returns": "", "yields": ""}
    for block in blocks:
        if block.name in entries:
            for entry, ok in _entries(block):
                (entries[block.name] if ok else malformed).append(entry)
        elif block.name == "deprecated":
            deprecated = _deprecation(_text(block))
        else:
            texts[block.name] = "\n\n".join(filter(None, [texts[block.name], _text(block)]))
    return Doc(
        summary=summary,
        description=description,
        parameters=tuple(entries["parameters"]),
        attributes=tuple(entries["attributes"]),
        raises=tuple(entries["raises"]),
        returns=texts["returns"],
        yields=texts["yields"],
        has_returns=any(block.name in texts for block in blocks),
        malformed=tuple(malformed),
        deprecated=deprecated,
        line=line,
    )


def _prose(lines: list[str]) -> tuple[str, str]:
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")
    first, _, rest = text.partition("\n\n")
    return " ".join(first.split()), rest.strip("\n")


def _text(block: _Block) -> str:
    body = textwrap.dedent("\n".join(block.lines)).strip("\n")
    return reflow("\n".join(filter(None, [block.inline, body])))


def _deprecation(text: str) -> Deprecation:
    match = _SINCE.match(text)
    return Deprecation(match[2], match[1]) if match else Deprecation(text)


def _entries(block: _Block) -> Iterator[tuple[DocEntry, bool]]:
    """Give the entries of a section, and for each whether it is well formed."""
    for offset, head, tail in _items(block.lines):
        line = block.line + 1 + offset
        match = _ENTRY.match(head)
        if match is None and block.name != "raises" and not _BARE.match(head):
            yield DocEntry(head, "", reflow("\n".join(tail)), line), False
            continue
        if match is None:
            name, _, kind = head.partition("(")
            names, inline = [name.strip()], ""
            kind = kind.rstrip(")")
        else:
            names = [part.strip() for part in match[1].split(",")]
            kind, inline = match[2] or "", match[3] or ""
        body = textwrap.dedent("\n".join(tail)).rstrip("\n")
        text = reflow(f"{inline}\n{body}")
        for name in names:
            yield DocEntry(name.lstrip("*"), _plain_type(kind), text, line), True


def _items(lines: tuple[str, ...]) -> Iterator[tuple[int, str, list[str]]]:
    """Split a section's lines at its least indentation: offset, first line, following lines."""
    indent = min((len(s) - len(s.lstrip()) for s in lines if s), default=0)
    starts = [i for i, s in enumerate(lines) if s and not s[indent:].startswith(" ")]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=False):
        yield start, lines[start].strip(), list(lines[start + 1 : end])


def _plain_type(text: str) -> str:
    """Drop what Google style puts beside the type: `int, optional`."""
    return re.sub(r",?\s*(optional|required|default.*)$", "", text.strip()).strip()


def reflow(text: str) -> str:
    """Join the lines of plain paragraphs; lists, indented lines and fenced code stay as they are.

    Args:
        text: Dedented text.

    Returns:
        The text, a line a paragraph.
    """
    if "\n" not in text:
        return text.strip()
    out: list[str] = []
    fence = False
    joinable = False
    for line in text.split("\n"):
        mark = line.lstrip().startswith("```")
        plain = bool(line) and not (fence or mark or _STRUCTURE.match(line))
        if plain and joinable:
            out[-1] = f"{out[-1]} {line}"
        else:
            out.append(line)
        fence ^= mark
        joinable = plain
    return "\n".join(out).strip("\n")


_STRUCTURE = re.compile(r"^(\s|[-*+] |\d+[.)] |>|\||#)")
