"""Modules to a `SourceModel`: services, events, plugins, sites, types and facts put together."""

# Maintainers: the order of the steps after reading, and what depends on more than one of them:
# which plugin provides what, what is declared where. Each step itself is in its own module.

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from toolset.catalog import Catalog, ConfigEntry, EventEntry, ServiceEntry
from toolset_gen.extract.closure import TypeClosure, member_refs
from toolset_gen.extract.describe import ClassFacts, Describer
from toolset_gen.extract.documented import find_doc_facts
from toolset_gen.extract.events import Events, find_events, with_uses
from toolset_gen.extract.model import Declaration, Location, Site, SourceModel
from toolset_gen.extract.plugins import FoundPlugin, Plugins, find_plugins
from toolset_gen.extract.services import Services, find_services
from toolset_gen.extract.uses import Again, find_sites, inject_sites, mounted_plugins

__all__ = ["link"]


_HOLDING = frozenset({"dataclass", "enum", "model", "named tuple", "typed dict"})
"""Kinds of classes whose fields say more than a service's attributes do."""


class _Parts(NamedTuple):
    """What the steps found."""

    services: Services
    events: Events
    plugins: Plugins
    sites: tuple[Site, ...]
    context: ClassFacts | None

    @property
    def configs(self) -> tuple[ConfigEntry, ...]:
        found = (item.config for item in self.plugins.found if item.config is not None)
        return tuple(sorted(found, key=lambda config: (config.plugin, config.path)))


def link(
    describer: Describer,
    external: Mapping[str, str],
    roots: Iterable[str],
    again: Again | None = None,
) -> SourceModel:
    """Link the scanned modules.

    Args:
        describer: The modules.
        external: Service key to `module:Class` of classes others wrote.
        roots: Import names of the packages whose types the catalog lists.
        again: Reads what a module uses that imports an event and hints at no context.

    Returns:
        The model, without the diagnostics of reading.
    """
    parts = _parts(describer, external, again)
    closure = TypeClosure(describer, roots)
    closure.add(_refs(parts))
    closure.add(s.entry.path for s in parts.services.declared if s.kind in _HOLDING)
    plugins = sorted((item.entry for item in parts.plugins.found), key=lambda p: (p.name, p.path))
    catalog = Catalog(
        services=tuple(_provided(parts)),
        events=with_uses(parts.events.catalog(), parts.sites),
        types=closure.catalog(),
        plugins=tuple(plugins),
        configs=parts.configs,
        context=parts.context.entry.members if parts.context is not None else (),
    )
    sites = [*parts.sites, *inject_sites(parts.plugins)]
    found = (parts.services, parts.events, parts.plugins)
    context = parts.context if _is_scanned(parts.context, describer) else None
    type_facts = set(closure.facts(_subjects(describer, parts, context)))
    return SourceModel(
        catalog=catalog,
        diagnostics=tuple(item for part in found for item in part.diagnostics),
        sites=tuple(sorted(sites, key=lambda s: (s.location, s.kind, s.verb, s.text))),
        declarations=tuple(_declarations(describer, parts, closure)),
        doc_facts=find_doc_facts(describer, parts.services, parts.events, parts.plugins, context),
        type_facts=tuple(sorted(type_facts, key=lambda fact: (fact.location, fact))),
        locations=MappingProxyType(dict(sorted(describer.members.locations.items()))),
        public=MappingProxyType(describer.library.listed()),
    )


def _parts(describer: Describer, external: Mapping[str, str], again: Again | None) -> _Parts:
    events = find_events(describer)
    plugins = find_plugins(describer, mounted_plugins(describer))
    sites = find_sites(describer, events.by_path(), plugins, again)
    return _Parts(
        services=find_services(describer, external),
        events=events,
        plugins=_providing(plugins, sites),
        sites=sites,
        context=describer.describe_class("toolset.Context"),
    )


def _providing(plugins: Plugins, sites: Iterable[Site]) -> Plugins:
    """Add to each plugin the keys that its code provides."""
    keys: dict[str, set[str]] = {}
    for site in sites:
        if site.kind == "provide" and site.name is not None:
            keys.setdefault(site.plugin, set()).add(site.name)
    return plugins._replace(
        found=tuple(
            item._replace(
                entry=item.entry._replace(
                    provides=tuple(sorted({*item.entry.provides, *keys.get(item.entry.path, ())}))
                )
            )
            for item in plugins.found
        )
    )


def _provided(parts: _Parts) -> Iterator[ServiceEntry]:
    """Name the plugin that provides a service: the class itself, else the first that provides its key."""
    classes = {(item.entry.key, item.found.path) for item in parts.services.declared}
    providers: dict[str, list[FoundPlugin]] = {}
    for plugin in parts.plugins.found:
        for key in plugin.entry.provides:
            providers.setdefault(key, []).append(plugin)
    for entry in parts.services.catalog():
        own = providers.get(entry.key, ())
        ranked = [((entry.key, plugin.code) not in classes, plugin.entry.name) for plugin in own]
        yield entry._replace(plugin=min(ranked)[1] if ranked else "")


def _refs(parts: _Parts) -> Iterator[str]:
    for service in parts.services.declared:
        for member in service.entry.members:
            yield from member_refs(member)
    for event in parts.events.declared:
        yield from _event_refs(event.entry)
    for member in parts.context.entry.members if parts.context is not None else ():
        yield from member_refs(member)
    for config in parts.configs:
        for field in config.fields:
            yield from field.type_refs


def _event_refs(entry: EventEntry) -> Iterator[str]:
    for item in entry.parameters:
        yield from item.type_refs
    yield from entry.returns.type_refs


def _is_scanned(facts: ClassFacts | None, describer: Describer) -> bool:
    return facts is not None and facts.found.module.name in describer.library.scanned


def _subjects(describer: Describer, parts: _Parts, context: ClassFacts | None) -> Iterator[str]:
    """The definitions whose signatures are the catalog's own."""
    for service in parts.services.declared:
        yield from (member.path for member in service.entry.members)
    yield from (event.found.path for event in parts.events.declared)
    if context is not None:
        yield from (member.path for member in context.entry.members)
    for config in parts.configs:
        path = describer.library.canonical(config.path)
        yield from (f"{path}.{field.name}" for field in config.fields)


def _declarations(describer: Describer, parts: _Parts, closure: TypeClosure) -> list[Declaration]:
    found: list[Declaration] = []
    for service in parts.services.declared:
        if service.scanned:
            place = service.found.location
            found.append(Declaration("service", service.entry.key, service.found.path, place))
    found.extend(
        Declaration("event", event.entry.name, event.found.path, event.location)
        for event in parts.events.declared
    )
    for plugin in parts.plugins.found:
        found.append(Declaration("plugin", plugin.entry.name, plugin.code, plugin.location))
        if plugin.config is not None:
            path = describer.library.canonical(plugin.config.path)
            place = describer.location(path) or plugin.location
            found.append(Declaration("config", plugin.entry.name, path, place))
    for path, entry in closure.types.items():
        canonical = describer.library.canonical(path)
        place = describer.location(canonical) or Location("pyproject.toml", 0)
        found.append(Declaration("type", entry.name, canonical, place))
    return sorted(found, key=lambda item: (item.location, item.kind, item.name, item.path))
