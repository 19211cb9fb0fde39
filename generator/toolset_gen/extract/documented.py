"""Documentation facts of everything the catalog lists."""

# Maintainers: chooses which definitions facts.py looks at, and as what. Of classes that others
# wrote only what contradicts itself counts, not what they leave out: whoever provides them cannot
# repair them, and has to know what not to rely on. A member that several services inherit is looked
# at once, at its definition.

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolset.catalog import Member
from toolset_gen.extract.describe import ClassFacts, Describer
from toolset_gen.extract.events import Events
from toolset_gen.extract.facts import class_facts, field_facts, function_facts
from toolset_gen.extract.model import DocFact, DocFactKind, Role
from toolset_gen.extract.plugins import Plugins
from toolset_gen.extract.raw import RawFunction, RawVariable
from toolset_gen.extract.services import Services

__all__ = ["find_doc_facts"]

_CONTRADICTIONS: frozenset[DocFactKind] = frozenset(
    {
        "empty entry",
        "malformed entry",
        "type disagreement",
        "undocumented parameter",
        "unknown entry",
        "unresolved raise",
    }
)


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
            paths = (m.path for m in service.entry.members if not _is_told(describer, m))
            facts = _members(describer, paths, "service")
            # A member of an enum is no attribute with a type: type checkers refuse its annotation.
            enum = service.found.path if service.kind == "enum" else None
            found.extend(f for f in facts if f.kind != "no annotation" or f.subject != enum)
    foreign = {
        member.path
        for service in services.declared
        if not service.scanned
        for member in service.entry.members
    }
    for path in sorted(foreign):
        found.extend(_foreign(describer, path))
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


def _is_told(describer: Describer, member: Member) -> bool:
    """Whether an attribute is typed and documented, in whatever way: a field has several."""
    if member.kind != "attribute" or not member.summary:
        return False
    found = describer.library.definition(member.path)
    raw = found.raw if found is not None else None
    return isinstance(raw, RawVariable) and raw.annotation is not None and not raw.inferred


def _members(describer: Describer, paths: Iterable[str], role: Role) -> Iterator[DocFact]:
    for path in paths:
        found = describer.library.definition(path)
        if found is not None and found.module.name in describer.library.scanned:
            yield from function_facts(describer, found, role)


def _foreign(describer: Describer, path: str) -> Iterator[DocFact]:
    """State where a docstring that others wrote contradicts the signature beside it."""
    found = describer.library.definition(path)
    if found is None or found.module.name in describer.library.scanned:
        return
    doc = found.raw.doc
    if isinstance(found.raw, RawFunction) and doc is not None:
        lists = bool(doc.parameters or doc.malformed)
        if lists or doc.raises:
            for fact in function_facts(describer, found, "service"):
                missing = fact.kind == "undocumented parameter"
                if missing and (not lists or fact.name.startswith("_")):
                    continue  # nothing is documented, or it is not meant to be
                if fact.kind in _CONTRADICTIONS:
                    yield fact
