"""Declared events."""

# Maintainers: describes what declarations.py finds. Producers and listeners are added by uses.py's
# facts, in `with_uses`.

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from toolset.catalog import EventEntry, EventMode
from toolset_gen.diagnostics import Diagnostic
from toolset_gen.extract.declarations import Declarations, Made
from toolset_gen.extract.describe import Describer
from toolset_gen.extract.model import Location, Site
from toolset_gen.extract.names import MODES
from toolset_gen.extract.paths import Definition
from toolset_gen.extract.raw import RawFunction

__all__ = ["DeclaredEvent", "Events", "find_events", "with_uses"]


class DeclaredEvent(NamedTuple):
    """A declaration.

    Attributes:
        entry: What the catalog says of it.
        found: The function that says its signature, under the path of the event.
        location: Where the call of `event` stands, which says the name.
    """

    entry: EventEntry
    found: Definition
    location: Location


class Events(NamedTuple):
    """All declarations, and those that cannot be told.

    Attributes:
        declared: Declarations in the order of their places, duplicates included.
        diagnostics: Names and modes that are not constant, declarations that cannot be listed.
    """

    declared: tuple[DeclaredEvent, ...]
    diagnostics: tuple[Diagnostic, ...]

    def catalog(self) -> tuple[EventEntry, ...]:
        """Give the entries by name; of two declarations of one name the first by place."""
        found: dict[str, EventEntry] = {}
        for item in self.declared:
            found.setdefault(item.entry.name, item.entry)
        return tuple(found[name] for name in sorted(found))

    def by_path(self) -> dict[str, EventEntry]:
        """Give the entries by the canonical path of the declaration."""
        return {item.found.path: item.entry for item in self.declared}


def find_events(describer: Describer) -> Events:
    """Find the events that the scanned modules declare.

    Args:
        describer: What describes functions.

    Returns:
        The declarations.
    """
    declared: list[DeclaredEvent] = []
    diagnostics: list[Diagnostic] = []
    for made in Declarations(describer.library).found():
        item = _declare(describer, made) if isinstance(made, Made) else made
        if isinstance(item, Diagnostic):
            diagnostics.append(item)
        else:
            declared.append(item)
    declared.sort(key=lambda item: item.location)
    return Events(tuple(declared), tuple(diagnostics))


def _declare(describer: Describer, made: Made) -> DeclaredEvent | Diagnostic:
    library = describer.library
    found, mark = made.found, made.call
    given = mark.keyword("name") or (mark.args[0] if mark.args else None)
    name = library.constant(given)
    way = mark.keyword("mode")
    said = library.constant(way)
    for what, value, expr in (("name", name, given), ("mode", said, way)):
        if value is None:
            shown = f"`{expr.text}`" if expr is not None else "missing"
            return Diagnostic(
                "EVT016",
                found.file,
                mark.line,
                f"the {what} of event {found.path!r} is not a constant: {shown}",
                f"write the {what} as a string, or as a name that is set once to a string",
                target=found.path,
            )
    mode: EventMode | None = next((known for known in MODES if known == said), None)
    if name is None or mode is None:
        return Diagnostic(
            "EVT016",
            found.file,
            mark.line,
            f"event {name!r} has the mode {said!r}, which is none of {', '.join(MODES)}",
            "declare it with one of the modes",
            target=found.path,
        )
    member = describer.members.function(found, name=found.path.rpartition(".")[2])
    entry = EventEntry(
        name=name,
        mode=mode,
        is_async=isinstance(found.raw, RawFunction) and found.raw.is_async,
        signature=member.signature,
        parameters=member.parameters,
        returns=member.returns,
        summary=member.summary,
        description=member.description,
        path=library.public(found.path) or found.path,
        deprecated=member.deprecated,
    )
    return DeclaredEvent(entry, found, Location(found.file, mark.line))


def with_uses(entries: Iterable[EventEntry], sites: Iterable[Site]) -> tuple[EventEntry, ...]:
    """Add who dispatches and who listens.

    Args:
        entries: The events.
        sites: Every site.

    Returns:
        The events with their producers and listeners.
    """
    producers: dict[str, set[str]] = {}
    listeners: dict[str, set[str]] = {}
    for site in sites:
        if site.name is not None and site.kind == "dispatch":
            producers.setdefault(site.name, set()).add(site.function)
        elif site.name is not None and site.kind == "listen":
            who = site.listener.path if site.listener is not None else site.function
            listeners.setdefault(site.name, set()).add(who)
    return tuple(
        entry._replace(
            producers=tuple(sorted(producers.get(entry.name, ()))),
            listeners=tuple(sorted(listeners.get(entry.name, ()))),
        )
        for entry in entries
    )
