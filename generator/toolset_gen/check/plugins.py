"""Rules on what plugins inject, read and are called."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from toolset.catalog import nearest
from toolset_gen.check.facts import Facts
from toolset_gen.check.rules import RULES
from toolset_gen.diagnostics import Diagnostic
from toolset_gen.extract.model import Declaration

__all__ = ["check_plugins"]


def check_plugins(facts: Facts) -> Iterator[Diagnostic]:
    """Judge what plugins ask for, and their names.

    Args:
        facts: What to judge.

    Yields:
        Violations of PLG001 to PLG004.
    """
    yield from _unknown(facts)
    yield from _cycles(facts)
    yield from _not_injected(facts)
    yield from _twice(facts)


def _unknown(facts: Facts) -> Iterator[Diagnostic]:
    for site in facts.sites("inject"):
        if site.name is not None and site.name not in facts.service_keys:
            close = nearest(site.name, facts.service_keys, limit=1)
            hint = f"did you mean {close[0]!r}?" if close else "no catalog has it"
            yield RULES["PLG001"].at(
                site.location,
                site.name,
                f"{_plugin_name(facts, site.plugin)} injects {site.name!r}, "
                f"which nothing provides; {hint}",
                "correct the key, provide it, or name the catalog that has it in `catalogs`",
            )


def _plugin_name(facts: Facts, path: str) -> str:
    plugin = facts.plugins.get(path)
    return f"plugin {plugin.name!r}" if plugin is not None else "a callback"


def _cycles(facts: Facts) -> Iterator[Diagnostic]:
    """Report each cycle of required keys once, at its first plugin."""
    providers = {key: p.name for p in facts.known.plugins for key in p.provides}
    waits = {
        plugin.name: {key: providers[key] for key in plugin.inject if key in providers}
        for plugin in facts.known.plugins
    }
    own = {plugin.name: plugin for plugin in facts.model.catalog.plugins}
    reported: set[frozenset[str]] = set()
    for name, plugin in own.items():
        cycle = _cycle(name, waits)
        if cycle and frozenset(cycle) not in reported:
            reported.add(frozenset(cycle))
            yield RULES["PLG002"].at(
                facts.plugin_place(plugin),
                name,
                f"plugin {name!r} waits for itself: {' needs '.join((*cycle, name))}",
                "make one of the keys optional, or split a plugin",
            )


def _cycle(start: str, waits: Mapping[str, Mapping[str, str]]) -> tuple[str, ...]:
    """Find the shortest way from a plugin back to itself."""
    ways: list[tuple[str, ...]] = [(start,)]
    seen: set[str] = set()
    for way in ways:
        for provider in waits.get(way[-1], {}).values():
            if provider == start:
                return way
            if provider not in seen:
                seen.add(provider)
                ways.append((*way, provider))
    return ()


def _not_injected(facts: Facts) -> Iterator[Diagnostic]:
    context = {member.name for member in facts.known.context}
    for site in facts.sites("read"):
        plugin = facts.plugins.get(site.plugin)
        if plugin is None or site.verb != "attribute" or site.name is None:
            continue
        allowed = {*plugin.inject, *plugin.optional, *plugin.provides, *context}
        allowed |= _provided_by(facts, site.plugin)
        if site.name in facts.service_keys and site.name not in allowed:
            yield RULES["PLG003"].at(
                site.location,
                f"{plugin.name}.{site.name}",
                f"plugin {plugin.name!r} reads `ctx.{site.name}` and does not inject {site.name!r}",
                f'add "{site.name}" to its `inject`, or read it with `ctx.get("{site.name}")`',
            )


def _provided_by(facts: Facts, plugin: str) -> set[str]:
    return {s.name for s in facts.sites("provide") if s.plugin == plugin and s.name is not None}


def _twice(facts: Facts) -> Iterator[Diagnostic]:
    first: dict[str, Declaration] = {}
    for found in _unique(facts.declarations("plugin")):
        other = first.setdefault(found.name, found)
        if other.path != found.path:
            yield RULES["PLG004"].at(
                found.location,
                found.name,
                f"two plugins are named {found.name!r}: {other.path} at "
                f"{other.location.path}:{other.location.line}, and {found.path}",
                "set another `name` on one of them",
            )


def _unique(found: Iterable[Declaration]) -> Iterator[Declaration]:
    return iter(dict.fromkeys(found))
