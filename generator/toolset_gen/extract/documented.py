"""Documentation facts of everything the catalog lists."""

# Maintainers: chooses which definitions facts.py looks at, and as what. Classes that others wrote are
# not looked at: whoever provides them cannot repair them. A member that a service inherits is looked
# at once, at its definition.

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolset_gen.extract.describe import ClassFacts, Describer
from toolset_gen.extract.events import Events
from toolset_gen.extract.facts import class_facts, field_facts, function_facts
from toolset_gen.extract.model import DocFact, Role
from toolset_gen.extract.plugins import Plugins
from toolset_gen.extract.services import Services

__all__ = ["find_doc_facts"]


def find_doc_facts(
    describer: Describer,
    services: Services,
    events: Events,
    plugins: Plugins,
    context: ClassFacts | None,
) -> tuple[DocFact, ...]:
    """Collect what docstrings and signatures lack.

    Args:
        describer: The modules.
        services: The services.
        events: The events.
        plugins: The plugins, for their configuration models.
        context: The context's class when it is scanned, else None.

    Returns:
        The facts by place, each once.
    """
    found: list[DocFact] = []
    for service in services.declared:
        if service.scanned:
            found.extend(class_facts(service.found, "service"))
            paths = (member.path for member in service.entry.members)
            found.extend(_members(describer, paths, "service"))
    for event in events.declared:
        found.extend(function_facts(describer, event.found, "event"))
    for plugin in plugins.found:
        if plugin.config is not None:
            path = describer.library.canonical(plugin.config.path)
            found.extend(field_facts(describer, path, "config"))
    if context is not None:
        found.extend(class_facts(context.found, "context"))
        paths = (member.path for member in context.entry.members)
        found.extend(_members(describer, paths, "context"))
    return tuple(sorted(set(found), key=lambda fact: (fact.location, fact)))


def _members(describer: Describer, paths: Iterable[str], role: Role) -> Iterator[DocFact]:
    for path in paths:
        found = describer.library.definition(path)
        if found is not None and found.module.name in describer.library.scanned:
            yield from function_facts(describer, found, role)
