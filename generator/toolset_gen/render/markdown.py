"""Make text safe in Markdown, for GitHub's renderer and for the others alike."""

# Maintainers: knows Markdown and no catalog. Two dialects disagree about a pipe inside a backtick
# span in a table, so such code is `<code>` with entities, which both read the same way.
# Fenced and indented examples pass untouched; everything else is escaped outside of code spans.

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

__all__ = ["cell", "code", "prose", "slug", "tidy"]

_FENCE = re.compile(r"\s*(```+|~~~+)")
_TITLE = re.compile(r"[A-Z][\w ]{0,30}:")
_SPAN = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_ENTITY = re.compile(r"&(?=#?\w+;)")
# An underscore inside a word is no emphasis in any dialect; any other may be.
_UNDERSCORE = re.compile(r"(?<![^\W_])_|_(?![^\W_])")


def prose(text: str) -> str:
    """Escape docstring prose for a page of its own.

    Args:
        text: Prose with code spans, lists and examples as Markdown has them.

    Returns:
        Text that shows angle brackets, `&` entities and `__x__` literally; examples are untouched.
    """
    return "\n".join(line for line, _ in _lines(_unfolded(text)))


def _unfolded(text: str) -> str:
    """Turn sections such as `Example:` with an indented body into a bold title and the body.

    Indented below a line of text, a body would be read as its continuation, fences and all.
    """
    lines: list[str] = []
    body: list[str] = []
    for line in [*text.splitlines(), "end"]:
        if body and (not line.strip() or line.startswith("    ")):
            body.append(line)
            continue
        if len(body) > 1 and any(part.strip() for part in body[1:]):
            title, *rest = body
            inner = textwrap.dedent("\n".join(rest)).strip("\n")
            if title.startswith("Example") and not _FENCE.match(inner):
                inner = textwrap.indent(inner, "    ")  # code without a fence
            lines += [f"**{title.rstrip(':')}**", "", *inner.splitlines(), ""]
        else:
            lines += body
        body = [line] if _TITLE.fullmatch(line) else []
        if not body:
            lines.append(line)
    return "\n".join(lines[:-1]).rstrip("\n")


def cell(text: str) -> str:
    """Fit prose into one cell of a table.

    Args:
        text: Prose, possibly of several paragraphs.

    Returns:
        One line without a bare pipe; paragraphs are parted by `<br><br>`.
    """
    paragraphs: list[list[str]] = [[]]
    for line, literal in _lines(text):
        if _FENCE.match(line):
            continue
        if literal:
            paragraphs[-1].append(f"<br>{_entities(line)}" if line.strip() else "")
        elif line.strip():
            paragraphs[-1].append(line.strip().replace("|", "&#124;"))
        else:
            paragraphs.append([])
    joined = (" ".join(filter(None, lines)) for lines in paragraphs)
    return "<br><br>".join(filter(None, joined)).replace(" <br>", "<br>").removeprefix("<br>")


def code(text: str) -> str:
    """Show a piece of code on one line, in a table or out of it.

    Args:
        text: Code, such as a type.

    Returns:
        A backtick span, or `<code>` with entities where a span would be read differently.
    """
    line = " ".join(text.split())
    if not line:
        return ""
    if "|" in line or "`" in line or "\\" in line:
        return f"<code>{_entities(line)}</code>"
    return f"`{line}`"


def slug(heading: str) -> str:
    """Name the anchor that a heading gets.

    Args:
        heading: The heading's text, without markup.

    Returns:
        Lower case, punctuation removed, spaces as hyphens.
    """
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def tidy(text: str) -> str:
    """Clean the white space of a page.

    Args:
        text: A page.

    Returns:
        No trailing spaces, no two blank lines in a row outside of examples, one final newline.
    """
    lines: list[str] = []
    fence, before = "", ""
    for line in map(str.rstrip, text.splitlines()):
        if line:
            if "`" in line or "~" in line:
                fence = _after(line, fence)
            lines.append(line)
        elif before or fence:
            lines.append("")
        before = line
    return "\n".join(lines).strip("\n") + "\n"


def _after(line: str, fence: str) -> str:
    """Tell which fence is open after a line, given the one that was open before it."""
    match = _FENCE.match(line)
    if match is None:
        return fence
    if not fence:
        return match[1]
    closes = match[1].startswith(fence) and not line.strip().strip(fence[0])
    return "" if closes else fence


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """Give each line, escaped unless it is part of an example, and whether it is."""
    fence = ""
    block = False
    blank = True
    for raw in text.splitlines():
        line = raw.rstrip()
        before, fence = fence, _after(line, fence)
        block = not fence and line.startswith("    ") and (block or blank)
        blank = not line
        literal = bool(before or fence or block)
        yield (line if literal else _escaped(line)), literal
    if fence:  # left open, it would swallow the rest of the page
        yield fence, True


def _escaped(line: str) -> str:
    parts: list[str] = []
    end = 0
    for span in _SPAN.finditer(line):
        parts += [_escape_text(line[end : span.start()]), span[0]]
        end = span.end()
    parts.append(_escape_text(line[end:]))
    text = "".join(parts)
    return f"\\{text}" if re.match(r"#{1,6}(\s|$)", text) else text


def _escape_text(text: str) -> str:
    escaped = _ENTITY.sub("&amp;", text).replace("<", "&lt;").replace(">", "&gt;")
    return _UNDERSCORE.sub(r"\\_", escaped)


def _entities(text: str) -> str:
    """Spell with entities everything that Markdown or HTML would read as markup."""
    marks = "&<>|*_`[]\\~"
    return "".join(f"&#{ord(c)};" if c in marks else c for c in text)
