"""Services: classes with a key, and classes others wrote that are provided under one."""

# Maintainers: finds service classes and describes them as their callers see them: what the base
# class gives every service (`ctx`, `config`, `caller`) and the life-cycle hook `start` are no part
# of that.

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from toolset.catalog import Member, Returns, ServiceEntry, TypeKind
from toolset_gen.diagnostics import Diagnostic
from toolset_gen.extract.absent import absent
from toolset_gen.extract.describe import ClassFacts, Describer
from toolset_gen.extract.hiding import hidden_services
from toolset_gen.extract.library import Library
from toolset_gen.extract.names import SERVICE, is_service
from toolset_gen.extract.paths import Definition
from toolset_gen.extract.raw import RawClass, RawModule

__all__ = ["DeclaredService", "Services", "classes", "find_services"]

_HIDDEN = frozenset({"start", "Config", "inject", "name", "provides", "key"})


class DeclaredService(NamedTuple):
    """A service class.

    Attributes:
        entry: What the catalog says of it.
        found: The class.
        scanned: Whether it is ours: no class that others wrote.
        kind: What kind of class it is.
    """

    entry: ServiceEntry
    found: Definition
    scanned: bool
    kind: TypeKind = "class"


class Services(NamedTuple):
    """All service classes, and those that cannot be told.

    Attributes:
        declared: In the order of their places, duplicates included.
        diagnostics: Keys that are not constant, classes that are not there.
    """

    declared: tuple[DeclaredService, ...]
    diagnostics: tuple[Diagnostic, ...]

    def catalog(self) -> tuple[ServiceEntry, ...]:
        """Give the entries by key; of two classes for one key the first by place."""
        found: dict[str, ServiceEntry] = {}
        for item in self.declared:
            found.setdefault(item.entry.key, item.entry)
        return tuple(found[key] for key in sorted(found))


def classes(library: Library) -> Iterator[tuple[Definition, RawClass]]:
    """Give every class of the scanned modules, nested ones included.

    Args:
        library: The modules.

    Yields:
        Definition and description, by module and line.
    """
    for module in library.modules():
        for raw in module.definitions:
            if isinstance(raw, RawClass):
                yield from _nested(module, raw, module.name, "")


def _nested(
    module: RawModule, raw: RawClass, outer: str, owner: str
) -> Iterator[tuple[Definition, RawClass]]:
    path = f"{outer}.{raw.name}"
    yield Definition(path, module, raw, owner, module.path), raw
    for member in raw.members:
        if isinstance(member, RawClass):
            yield from _nested(module, member, path, path)


def find_services(describer: Describer, external: Mapping[str, str]) -> Services:
    """Find the services that the scanned modules define.

    Args:
        describer: What describes classes.
        external: Key to `module:Class` of classes others wrote.

    Returns:
        The services.
    """
    library = describer.library
    declared: list[DeclaredService] = []
    diagnostics: list[Diagnostic] = []
    for found, raw in classes(library):
        expr = raw.keyword("key")
        if expr is None or not is_service(found.path, library):
            continue
        key = library.constant(expr)
        facts = describer.describe_class(found.path)
        if key is None or facts is None:
            diagnostics.append(_not_constant(found, expr.text))
        else:
            entry = _entry(key, facts, describer)
            declared.append(DeclaredService(entry, facts.found, scanned=True))
    for key in sorted(external):
        _publish(external[key], library)
        facts = describer.describe_class(external[key].replace(":", "."))
        if facts is None:
            diagnostics.append(absent(key, external[key], library))
        else:
            entry = _entry(key, facts, describer)
            if not is_service(facts.found.path, library):
                entry = entry._replace(constructor=facts.entry.constructor)
            ours = facts.found.module.name in library.scanned
            declared.append(DeclaredService(entry, facts.found, ours, facts.entry.kind))
    diagnostics += hidden_services(library)
    declared.sort(key=lambda item: (not item.scanned, item.found.location, item.entry.key))
    return Services(tuple(declared), tuple(diagnostics))


def _publish(target: str, library: Library) -> None:
    """Let a class that others wrote be known by the path under which the project names it.

    Unless that is private, and its package publishes the class under another.
    """
    path = target.replace(":", ".")
    found = library.definition(path)
    if found is None or found.module.name in library.scanned:
        return
    private = any(part.startswith("_") for part in path.split("."))
    if not private or library.public(found.path) == found.path:
        library.publish(found.path, path)


def _fields(facts: ClassFacts, describer: Describer) -> Iterator[Member]:
    """The attributes that the fields of a dataclass, model, named tuple or enum are."""
    for spec in facts.fields if facts.entry.kind != "typed dict" else ():
        field = spec.field
        if spec.init_only or field.name.startswith("_"):
            continue
        member = describer.members.attribute(
            spec.found, field.description, frozen=facts.entry.frozen
        )
        owner = spec.found.owner
        shown = f"{field.name}: {field.annotation}" if field.annotation else field.name
        yield member._replace(
            signature=shown,
            returns=Returns(field.annotation, type_refs=field.type_refs),
            summary=member.summary or field.description,
            default=f"<factory: {field.default}>" if field.factory else field.default,
            inherited_from="" if owner == facts.found.path else owner,
        )


def _entry(key: str, facts: ClassFacts, describer: Describer) -> ServiceEntry:
    library = describer.library
    methods = (item for item in facts.entry.members if _is_offered(item, facts, library))
    return ServiceEntry(
        key=key,
        class_name=facts.entry.name,
        path=facts.entry.path,
        summary=facts.entry.summary,
        description=facts.entry.description,
        members=(*_fields(facts, describer), *methods),
        deprecated=facts.deprecated,
    )


def _is_offered(member: Member, facts: ClassFacts, library: Library) -> bool:
    if not is_service(facts.found.path, library):
        return True
    if member.inherited_from in SERVICE or member.name in _HIDDEN:
        return False
    return member.name not in {"ctx", "config", "caller"}


def _not_constant(found: Definition, text: str) -> Diagnostic:
    return Diagnostic(
        "SVC012",
        found.file,
        found.raw.line,
        f"the key of service {found.path!r} is not a constant: `{text}`",
        "write the key as a string, or as a name that is set once to a string",
        target=found.path,
    )
