"""Say what changed: as text for people, as JSON for machines, as annotations of a CI service."""

# Maintainers: wording alone.

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from toolset_gen.annotations import Format, annotation
from toolset_gen.diff.changes import Change

__all__ = ["say_changes"]

_LONGEST = 100


def say_changes(
    revision: str, changes: Sequence[Change], form: Format = "text", *, fails: bool = False
) -> str:
    """Report changes.

    Args:
        revision: What was compared with.
        changes: What changed since.
        form: The form of the report.
        fails: Whether a change that breaks callers is a failure.

    Returns:
        The report, without a final newline.
    """
    match form:
        case "text":
            return _text(revision, changes)
        case "json":
            return _json(revision, changes, fails=fails)
        case "github":
            return "\n".join([*_annotations(changes, fails=fails), _sum(revision, changes)])


def _text(revision: str, changes: Sequence[Change]) -> str:
    lines = [line for breaking in (True, False) for line in _lines(changes, breaking=breaking)]
    return "\n".join([*lines, _sum(revision, changes)])


def _sum(revision: str, changes: Sequence[Change]) -> str:
    if not changes:
        return f"Nothing changed in the public surface since {revision}."
    total, breaks = len(changes), sum(change.breaking for change in changes)
    noun = "change" if total == 1 else "changes"
    verdict = f"{breaks} of them breaking" if breaks else "none of them breaking"
    return f"{total} {noun} since {revision}, {verdict}."


def _lines(changes: Sequence[Change], *, breaking: bool) -> Iterator[str]:
    chosen = [change for change in changes if change.breaking == breaking]
    if chosen:
        yield "Breaking:" if breaking else "Not breaking:"
    for change in chosen:
        yield f"  {_sentence(change)}"


def _sentence(change: Change) -> str:
    return f"{change.kind} {change.name}: {change.detail or change.what}{_values(change)}"


def _annotations(changes: Sequence[Change], *, fails: bool) -> Iterator[str]:
    for change in changes:
        if change.breaking:
            yield annotation("error" if fails else "warning", "breaking change", _sentence(change))
        else:
            yield annotation("notice", "change", _sentence(change))


def _values(change: Change) -> str:
    old, new = _short(change.old), _short(change.new)
    if change.what == "changed" and old and new:
        return f", was `{old}`, is `{new}`"
    return f" `{old or new}`" if old or new else ""


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def _json(revision: str, changes: Sequence[Change], *, fails: bool) -> str:
    breaking = sum(change.breaking for change in changes)
    report = {
        "since": revision,
        "exit_code": 1 if fails and breaking else 0,
        "breaking": breaking,
        "changes": [change._asdict() for change in changes],
    }
    return json.dumps(report, indent=2)
