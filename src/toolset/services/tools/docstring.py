"""What a function's docstring tells a model about it."""

# Maintainers: answers for Google-style docstrings: the prose and the `Args:` entries. It reads text
# and knows neither signatures nor tools.

from __future__ import annotations

import inspect
import re
from typing import NamedTuple

__all__ = ["Documented", "read_docstring"]

_SECTION = re.compile(
    r"(Args|Arguments|Parameters|Returns|Return|Yields|Raises|Examples?|Notes?|Attributes):\s*"
)
_ENTRY = re.compile(r"\*{0,2}(?P<name>\w+)\s*(?:\([^)]*\))?:\s*(?P<text>.*)")


class Documented(NamedTuple):
    """A docstring taken apart.

    Attributes:
        prose: All that stands before the first section, paragraphs kept.
        arguments: The `Args:` entries, name to text.
    """

    prose: str
    arguments: dict[str, str]


def read_docstring(docstring: str | None) -> Documented:
    """Take a Google-style docstring apart.

    Args:
        docstring: The docstring as written, None for none.

    Returns:
        Its prose, lines joined inside paragraphs, and its `Args:` entries.
    """
    lines = inspect.cleandoc(docstring or "").splitlines()
    starts = [at for at, line in enumerate(lines) if _SECTION.fullmatch(line)]
    prose = lines[: starts[0]] if starts else lines
    arguments: dict[str, str] = {}
    for at, start in enumerate(starts):
        if lines[start].startswith(("Args", "Arguments", "Parameters")):
            end = starts[at + 1] if at + 1 < len(starts) else len(lines)
            arguments.update(_entries(lines[start + 1 : end]))
    return Documented("\n".join(prose).strip(), arguments)


def _entries(lines: list[str]) -> dict[str, str]:
    """Read `name: text` entries; deeper lines go on with the entry before."""
    found: dict[str, list[str]] = {}
    indent: int | None = None
    texts: list[str] = []
    for line in lines:
        if not line.strip():
            continue
        depth = len(line) - len(line.lstrip())
        indent = depth if indent is None else indent
        entry = _ENTRY.fullmatch(line.strip()) if depth <= indent else None
        if entry:
            texts = found.setdefault(entry["name"], [])
            texts.append(entry["text"])
        else:
            texts.append(line.strip())
    return {name: " ".join(text).strip() for name, text in found.items()}
