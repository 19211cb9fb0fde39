"""Say what contradicts itself in classes that others wrote and the project provides."""

# Maintainers: notes fail nothing and can be thousands, so what is said of them is bounded; the JSON
# report has them all.

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolset_gen.diagnostics import Diagnostic

__all__ = ["say_notes"]

_MOST = 20


def say_notes(notes: Iterable[Diagnostic]) -> Iterator[str]:
    """Say notes, each when they are few, else how many each service has.

    Args:
        notes: The notes.

    Yields:
        Lines, a bounded number of them.
    """
    every = list(notes)
    lines = [_note(found) for found in every]
    if len(lines) > _MOST:
        lines = list(_summaries(every))
    yield from lines[:_MOST]
    left = len(lines) - _MOST
    if left > 0:
        yield f"… and {left} more services; `--format json` lists every note"


def _note(found: Diagnostic) -> str:
    return f"{found.path}:{found.line}: note {found.rule}: {found.message} [{found.target}]"


def _summaries(notes: Iterable[Diagnostic]) -> Iterator[str]:
    groups: dict[str, list[Diagnostic]] = {}
    for found in notes:
        groups.setdefault(found.target.partition(".")[0], []).append(found)
    for key in sorted(groups):
        first, *others = groups[key]
        more = f" (and {len(others)} more of {key!r})" if others else ""
        yield f"{_note(first)}{more}"
