"""Mermaid lines of who provides, injects, dispatches and listens."""

# Maintainers: node names are made from the things' own names, never numbered, so that adding a
# plugin changes its own lines only.

from __future__ import annotations

import re

from toolset.catalog import Catalog

__all__ = ["event_graph", "service_graph"]


def service_graph(catalog: Catalog) -> list[str]:
    """Draw which plugin provides a key and which injects it.

    Args:
        catalog: Whose plugins are drawn.

    Returns:
        Mermaid statements, sorted.
    """
    lines: set[str] = set()
    for plugin in catalog.plugins:
        node = f'{_id("plugin", plugin.name)}["{_label(plugin.name)}"]'
        lines.update(f"{node} --> {_round('service', key)}" for key in plugin.provides)
        lines.update(f"{_round('service', key)} --> {node}" for key in plugin.inject)
        lines.update(f"{_round('service', key)} -.-> {node}" for key in plugin.optional)
    return sorted(lines)


def event_graph(catalog: Catalog) -> list[str]:
    """Draw who dispatches an event and who listens to it.

    Args:
        catalog: Whose events are drawn.

    Returns:
        Mermaid statements, sorted.
    """
    lines: set[str] = set()
    for event in catalog.events:
        node = _round("event", event.name)
        lines.add(node)
        lines.update(f'{_id("code", p)}["{_label(p)}"] --> {node}' for p in event.producers)
        lines.update(f'{node} --> {_id("code", p)}["{_label(p)}"]' for p in event.listeners)
    return sorted(lines)


def _round(kind: str, name: str) -> str:
    return f'{_id(kind, name)}(["{_label(name)}"])'


def _id(kind: str, name: str) -> str:
    return f"{kind}_" + re.sub(r"[^A-Za-z0-9]", lambda m: f"_{ord(m[0]):x}_", name)


def _label(name: str) -> str:
    return re.sub(r'["<>&#`]', lambda m: f"#{ord(m[0])};", name)
