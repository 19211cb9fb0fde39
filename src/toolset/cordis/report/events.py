"""The section `events`: what is declared, and who listens now."""

# Maintainers: as api.py, for events. A name that is only listened to is listed too, as undeclared:
# the runtime allows it, and a misspelt listener shows up here.

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from toolset.catalog import EventEntry
from toolset.cordis.report import prose
from toolset.cordis.report.errors import UnknownNameError
from toolset.cordis.report.snapshot import Snapshot
from toolset.runtime import declared

__all__ = ["WATERFALL_CAUTION", "events"]

WATERFALL_CAUTION = (
    "Waterfall: a listener gets a trailing `next`. `return await next()` (or `return next()` when the "
    "event is not async) goes on to the others and the default; returning without it stops them all. "
    "Call it once; arguments passed to it replace the event's."
)


def events(snapshot: Snapshot, name: str | None) -> str:
    """List the events; with a name, one event and its whole documentation."""
    knowledge = snapshot.knowledge
    names = knowledge.event_names()
    if name is not None and name not in names:
        raise UnknownNameError("event", name, names)
    lines = [
        line
        for one in (names if name is None else [name])
        for line in _rows(snapshot, one, full=name is not None)
    ]
    return "\n".join([*lines, WATERFALL_CAUTION])


def _rows(snapshot: Snapshot, name: str, *, full: bool) -> Iterator[str]:
    entry = snapshot.knowledge.event(name)
    if entry is None:
        yield f"- {name} [undeclared] — live, uncatalogued: listened to, declared nowhere"
        yield f"  listeners: {_listeners(snapshot, name)}"
        return
    yield f"- {name} [{entry.mode}] — {entry.summary or 'no summary'}"
    yield f"  `{entry.signature}`"
    yield f"  {_state(snapshot, entry)}; listeners: {_listeners(snapshot, name)}"
    if full:
        yield from ([entry.description] if entry.description else [])
        yield from prose.sections_of(entry.parameters, entry.returns)
        refs = [ref for p in entry.parameters for ref in p.type_refs]
        yield from prose.type_block(snapshot.knowledge.catalog, [*refs, *entry.returns.type_refs])


def _state(snapshot: Snapshot, entry: EventEntry) -> str:
    catalogued = any(entry.name == one.name for one in snapshot.knowledge.catalog.events)
    if not catalogued:
        return "live, uncatalogued"
    return "live" if declared(entry.name) is not None else "loadable"


def _listeners(snapshot: Snapshot, name: str) -> str:
    counts = Counter(one.fiber.name for one in snapshot.registry.listeners(name))
    rows = [who if times == 1 else f"{who} ({times})" for who, times in sorted(counts.items())]
    return ", ".join(rows) or "none"
