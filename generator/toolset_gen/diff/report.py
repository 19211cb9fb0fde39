"""Say what changed: as text for people, as JSON for machines."""

# Maintainers: wording alone.

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, TypeAlias

from toolset_gen.diff.changes import Change

__all__ = ["FORMATS", "Format", "say_changes"]

Format: TypeAlias = Literal["text", "json"]

_LONGEST = 100


def say_changes(revision: str, changes: Sequence[Change], form: Format) -> str:
    """Report changes.

    Args:
        revision: What was compared with.
        changes: What changed since.
        form: The form of the report.

    Returns:
        The report, without a final newline.
    """
    return FORMATS[form](revision, changes)


def _text(revision: str, changes: Sequence[Change]) -> str:
    lines = [line for breaking in (True, False) for line in _lines(changes, breaking=breaking)]
    if not changes:
        return f"Nothing changed in the public surface since {revision}."
    total, breaks = len(changes), sum(change.breaking for change in changes)
    noun = "change" if total == 1 else "changes"
    verdict = f"{breaks} of them breaking" if breaks else "none of them breaking"
    return "\n".join([*lines, f"{total} {noun} since {revision}, {verdict}."])


def _lines(changes: Sequence[Change], *, breaking: bool) -> Iterator[str]:
    chosen = [change for change in changes if change.breaking == breaking]
    if chosen:
        yield "Breaking:" if breaking else "Not breaking:"
    for change in chosen:
        words = change.detail or change.what
        yield f"  {change.kind} {change.name}: {words}{_values(change)}"


def _values(change: Change) -> str:
    old, new = _short(change.old), _short(change.new)
    if change.what == "changed" and old and new:
        return f", was `{old}`, is `{new}`"
    return f" `{old or new}`" if old or new else ""


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def _json(revision: str, changes: Sequence[Change]) -> str:
    report = {
        "since": revision,
        "breaking": sum(change.breaking for change in changes),
        "changes": [change._asdict() for change in changes],
    }
    return json.dumps(report, indent=2)


FORMATS: dict[Format, Callable[[str, Sequence[Change]], str]] = {"text": _text, "json": _json}
