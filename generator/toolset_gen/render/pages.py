"""The Markdown pages."""

# Maintainers: collects what the templates refer to; how a page looks is the templates' business.

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import NamedTuple, TypeAlias

from toolset.catalog import (
    Catalog,
    ConfigEntry,
    EventEntry,
    Member,
    ParameterKind,
    PluginEntry,
    TypeEntry,
)
from toolset_gen.artifacts import MARK
from toolset_gen.render.code import as_python
from toolset_gen.render.environment import fill
from toolset_gen.render.graph import event_graph, service_graph
from toolset_gen.render.markdown import slug, tidy

__all__ = ["PAGES", "PluginNotes", "pages", "snippets"]

PAGES = (
    "README.md",
    "config-catalog.md",
    "context.md",
    "events.md",
    "graph.md",
    "services.md",
    "tool-catalog.md",
    "types.md",
)

Shown: TypeAlias = "Member | EventEntry | TypeEntry | ConfigEntry"

_STEPS = {
    "generator": "Yields",
    "async generator": "Yields",
    "context manager": "Gives",
    "async context manager": "Gives",
}
_STARS: dict[ParameterKind, str] = {
    "positional-only": "",
    "positional-or-keyword": "",
    "var-positional": "*",
    "keyword-only": "",
    "var-keyword": "**",
}


class PluginNotes(NamedTuple):
    """What the tool catalog says of plugins beyond the catalog, by import path.

    Attributes:
        writes: What a plugin changes beyond registering tools: services and events, sorted.
        notes: Sentences a reader should know, in order.
    """

    writes: Mapping[str, tuple[str, ...]] = {}
    notes: Mapping[str, tuple[str, ...]] = {}


def pages(
    catalog: Catalog,
    packages: tuple[str, ...],
    notes: PluginNotes,
    formatted: Mapping[str, str],
) -> dict[str, str]:
    """Render all pages.

    Args:
        catalog: What they show.
        packages: The packages it was read from.
        notes: What the tool catalog says of plugins beyond the catalog.
        formatted: Each of the catalog's `snippets` to how it is shown.

    Returns:
        File name to text.
    """
    paths = [plugin.path for plugin in catalog.plugins]
    values: dict[str, object] = {
        "anchors": _anchors(catalog.plugins),
        "ambiguous": _ambiguous(catalog.types),
        "catalog": catalog,
        "event_graph": event_graph(catalog),
        "links": _linker(catalog.types),
        "mark": MARK,
        "once": _once(),
        "notes": {path: notes.notes.get(path, ()) for path in paths},
        "packages": packages,
        "pretty": _pretty,
        "python": _layout(formatted),
        "refs": _refs,
        "service_graph": service_graph(catalog),
        "stars": _STARS,
        "steps": _STEPS,
        "writes": {path: notes.writes.get(path, ()) for path in paths},
    }
    return {name: fill(f"{name}.j2", **values) for name in PAGES}


def _anchors(plugins: Iterable[PluginEntry]) -> dict[str, str]:
    """Name the anchors of the plugins' headings: renderers number those that differ in case only."""
    seen: Counter[str] = Counter()
    anchors: dict[str, str] = {}
    for plugin in plugins:
        name = slug(plugin.name)
        anchors[plugin.path] = f"{name}-{seen[name]}" if seen[name] else name
        seen[name] += 1
    return anchors


def _layout(formatted: Mapping[str, str]) -> Callable[[Shown], str]:
    return lambda shown: "\n".join(formatted[text] for text in _sources(shown))


def _once() -> Callable[[Member, Callable[[Member], str]], str]:
    """Write a member once, however many classes inherit it; the catalog keeps them alive."""
    written: dict[int, str] = {}

    def write(member: Member, contract: Callable[[Member], str]) -> str:
        if id(member) not in written:
            written[id(member)] = tidy(contract(member))
        return written[id(member)]

    return write


def _pretty(text: str) -> str:
    return json.dumps(json.loads(text), indent=2, ensure_ascii=False, sort_keys=True)


def snippets(catalog: Catalog) -> Iterator[str]:
    """Give the Python that the pages show, to be formatted.

    Args:
        catalog: What they show.

    Yields:
        Each declaration as it was written, some of them several times.
    """
    members = (m for service in catalog.services for m in service.members)
    shown: tuple[Iterable[Shown], ...] = (
        members,
        catalog.context,
        catalog.events,
        catalog.types,
        catalog.configs,
    )
    for one in chain.from_iterable(shown):
        yield from _sources(one)


def _sources(shown: Shown) -> tuple[str, ...]:
    """Give the Python that declares something, a text a signature."""
    match shown:
        case TypeEntry() | ConfigEntry():
            return (shown.declaration,)
        case EventEntry():
            return (as_python(shown.signature),)
        case Member(signatures=()):
            return (as_python(shown.signature),)
        case Member():
            return tuple(f"@overload\n{as_python(one.text)}" for one in shown.signatures)


def _refs(shown: Member | EventEntry) -> tuple[str, ...]:
    """List the types that a signature refers to, in its order."""
    refs = [ref for parameter in shown.parameters for ref in parameter.type_refs]
    return tuple(dict.fromkeys([*refs, *shown.returns.type_refs]))


def _linker(types: Iterable[TypeEntry]) -> Callable[[Iterable[str]], list[tuple[str, str]]]:
    known = {entry.path: (entry.name, f"types.md#{slug(entry.path)}") for entry in types}

    def links(paths: Iterable[str]) -> list[tuple[str, str]]:
        return [known[path] for path in dict.fromkeys(paths) if path in known]

    return links


def _ambiguous(types: Iterable[TypeEntry]) -> dict[str, tuple[str, ...]]:
    paths: dict[str, tuple[str, ...]] = {}
    for entry in types:
        paths[entry.name] = (*paths.get(entry.name, ()), entry.path)
    return {name: found for name, found in paths.items() if len(found) > 1}
