"""Classes and module members, described whole: what the catalog says of any class or function."""

# Maintainers: the general layer under services, events and types. It combines members and fields
# into TypeEntries and member lists with inheritance. Invariant: own members in source order, then
# inherited ones in the order of the bases; each name once.

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from toolset.catalog import Deprecation, Member, TypeEntry, TypeKind
from toolset_gen.extract.constructors import describe_constructor
from toolset_gen.extract.declare import LONGEST, declare_alias, declare_class
from toolset_gen.extract.fields import Fields, FieldSpec, class_kind
from toolset_gen.extract.inherited import attribute_doc, inherited_doc
from toolset_gen.extract.kinds import deprecation, is_public_member
from toolset_gen.extract.library import Library
from toolset_gen.extract.members import Members
from toolset_gen.extract.model import Location
from toolset_gen.extract.paths import Definition
from toolset_gen.extract.raw import (
    Doc,
    RawClass,
    RawFunction,
    RawModule,
    RawVariable,
)

__all__ = ["ClassFacts", "Describer", "Offered"]

_NO_DOC = Doc()


class ClassFacts(NamedTuple):
    """Everything about a class.

    Attributes:
        entry: As a type.
        members: Public members, inherited ones included.
        fields: Its fields with how the constructor takes them.
        settings: Settings of a pydantic model (`extra`, `frozen`, …), as text.
        deprecated: Set when it should no longer be used.
        found: Its definition.
    """

    entry: TypeEntry
    members: tuple[Member, ...]
    fields: tuple[FieldSpec, ...]
    settings: Mapping[str, str]
    deprecated: Deprecation | None
    found: Definition


class Offered(NamedTuple):
    """One name that a module offers.

    Attributes:
        path: Public import path.
        canonical: Canonical path.
        member: Its description, None for a class.
        type: Its description, None for a function or variable.
    """

    path: str
    canonical: str
    member: Member | None
    type: TypeEntry | None


class Describer:
    """Describes classes and modules.

    Args:
        library: What resolves paths.
    """

    def __init__(self, library: Library) -> None:
        self.library = library
        self.members = Members(library)
        self.fields = Fields(self.members)
        self._classes: dict[str, ClassFacts] = {}
        self._inherited: dict[tuple[str, bool], Member | None] = {}

    def describe_class(self, path: str) -> ClassFacts | None:
        """Describe a class.

        Args:
            path: A path that leads to it.

        Returns:
            Its facts, None when there is no such class.
        """
        found = self.library.definition(path)
        if found is None or not isinstance(found.raw, RawClass):
            return None
        if found.path not in self._classes:
            self._classes[found.path] = self._class(found, found.raw)
        return self._classes[found.path]

    def describe_function(self, path: str) -> Member | None:
        """Describe a function, method, property or variable.

        Args:
            path: A path that leads to it.

        Returns:
            Its description under the last name of its public path, None when there is none.
        """
        found = self.library.definition(path)
        if found is None or isinstance(found.raw, RawClass):
            return None
        if isinstance(found.raw, RawFunction):
            public = self.library.public(found.path) or found.path
            return self.members.function(found, name=public.rpartition(".")[2])
        return self.members.any(found)

    def describe_module(self, module: RawModule) -> Iterator[Offered]:
        """Describe what a module offers, each thing under its public path alone.

        Args:
            module: The module.

        Yields:
            Its public names in order.
        """
        for name, _ in self.library.public_names(module):
            found = self.library.definition(f"{module.name}.{name}")
            path = f"{module.name}.{name}"
            if found is None or self.library.public(found.path) != path:
                continue
            facts = self.describe_class(found.path)
            if facts is not None:
                yield Offered(path, found.path, None, facts.entry)
            else:
                yield Offered(path, found.path, self.describe_function(found.path), None)

    def describe_type(self, path: str) -> TypeEntry | None:
        """Describe a class or type alias.

        Args:
            path: A path that leads to it.

        Returns:
            Its description, None when it is neither.
        """
        facts = self.describe_class(path)
        if facts is not None:
            return facts.entry
        found = self.library.definition(path)
        if found is None or not isinstance(found.raw, RawVariable) or found.owner:
            return None
        return self._alias(found, found.raw)

    def location(self, path: str) -> Location | None:
        """Say where something is defined.

        Args:
            path: A path that leads to it.

        Returns:
            Its place, None when no read module defines it.
        """
        found = self.library.definition(path)
        return found.location if found is not None else None

    # Classes

    def _class(self, found: Definition, raw: RawClass) -> ClassFacts:
        kind = class_kind(found.path, self.library)
        doc = raw.doc or _NO_DOC
        self.members.locations[found.path] = found.location
        specs = self.fields.of(found.path, kind)
        settings = self._settings(found.path)
        frozen = self._frozen(found.path, kind, settings)
        skipped = {spec.field.name for spec in specs}
        members = tuple(self._members(found, skipped, frozen=frozen))
        constructor = describe_constructor(self.members, found, kind, specs)
        own = [item for item in members if not item.inherited_from]
        mine = [spec for spec in specs if spec.found.owner == found.path]
        text = declare_class(raw, kind, own, mine)
        bases = [base for base in raw.bases if base.path]
        refs = {
            *(self.members.refs([base.path for base in bases], found.location, found.path)),
            *(ref for spec in specs for ref in spec.field.type_refs),
            *(ref for item in members for ref in _refs_of(item)),
        }
        entry = TypeEntry(
            name=raw.name,
            path=self.library.public(found.path) or found.path,
            kind=kind,
            declaration=_cut(text),
            summary=doc.summary,
            description=doc.description,
            fields=tuple(spec.field for spec in specs if not spec.init_only),
            members=members,
            type_refs=tuple(sorted(refs)),
            frozen=frozen,
            truncated=len(text) > LONGEST,
            constructor=constructor,
        )
        return ClassFacts(entry, members, specs, settings, deprecation(raw, self.library), found)

    def _members(self, found: Definition, skipped: set[str], *, frozen: bool) -> Iterator[Member]:
        seen = set(skipped)
        for base in self.library.mro(found.path):
            owner = self.library.definition(base)
            if owner is None or not isinstance(owner.raw, RawClass):
                continue
            for raw in owner.raw.members:
                if raw.name in seen:
                    continue
                seen.add(raw.name)
                if not is_public_member(raw.name) or isinstance(raw, RawClass):
                    continue
                inner = Definition(
                    f"{owner.path}.{raw.name}", owner.module, raw, owner.path, owner.file
                )
                if owner.path == found.path:
                    member = self._member(inner, "", frozen=frozen)
                else:
                    member = self._inherit(inner, frozen=frozen)
                if member is not None:
                    yield member

    def _inherit(self, inner: Definition, *, frozen: bool) -> Member | None:
        """Describe a member once for all classes that inherit it."""
        key = (inner.path, frozen)
        if key not in self._inherited:
            self._inherited[key] = self._member(inner, inner.owner, frozen=frozen)
        return self._inherited[key]

    def _member(self, inner: Definition, origin: str, *, frozen: bool) -> Member | None:
        raw = inner.raw
        if isinstance(raw, RawVariable):
            if raw.name == "model_config":
                return None
            same = self._same_function(inner, raw)
            if same is not None:
                return self.members.function(same, name=raw.name)._replace(inherited_from=origin)
            text, source = attribute_doc(self.library, inner)
            member = self.members.attribute(inner, text, frozen=frozen)
            return member._replace(inherited_from=origin, doc_inherited_from=source)
        if not isinstance(raw, RawFunction) or _is_validator(raw):
            return None
        doc, source = inherited_doc(self.library, inner)
        member = self.members.function(inner, doc=doc)
        return member._replace(inherited_from=origin, doc_inherited_from=source)

    def _same_function(self, found: Definition, raw: RawVariable) -> Definition | None:
        """The function that a class variable is another name for: `close = dispose`."""
        value = raw.value
        if raw.on_self or raw.annotation is not None or value is None or value.kind != "name":
            return None
        owner = self.library.definition(found.owner)
        sibling = (
            owner.raw.member(value.text) if owner and isinstance(owner.raw, RawClass) else None
        )
        if owner is not None and isinstance(sibling, RawFunction):
            path = f"{owner.path}.{sibling.name}"
            return Definition(path, owner.module, sibling, owner.path, owner.file)
        other = self.library.definition(value.path)
        if other is None or not isinstance(other.raw, RawFunction) or other.owner:
            return None
        return other._replace(owner=found.owner)

    def _frozen(self, path: str, kind: TypeKind, settings: Mapping[str, str]) -> bool:
        if kind == "named tuple":
            return True
        if kind == "model":
            return settings.get("frozen") == "True"
        found = self.library.definition(path)
        if kind != "dataclass" or found is None or not isinstance(found.raw, RawClass):
            return False
        for item in found.raw.decorators:
            value = item.keyword("frozen")
            if item.path.endswith(".frozen") or (value is not None and value.text == "True"):
                return True
        return False

    def _settings(self, path: str) -> Mapping[str, str]:
        """The settings of a pydantic model, from `model_config` and class keywords."""
        found: dict[str, str] = {}
        for base in reversed(self.library.mro(path)):
            owner = self.library.definition(base)
            if owner is None or not isinstance(owner.raw, RawClass):
                continue
            config = owner.raw.member("model_config")
            value = config.value if isinstance(config, RawVariable) else None
            for name, item in [*(value.keywords if value else ()), *owner.raw.keywords]:
                found[name] = self.library.constant(item) or item.text
        return found

    def _alias(self, found: Definition, raw: RawVariable) -> TypeEntry | None:
        if raw.value is None or raw.value.kind in {"string", "constant", "none", "lambda"}:
            if not raw.is_alias:
                return None
        elif not raw.is_alias and not _looks_like_type(raw):
            return None
        note = raw.annotation
        doc = raw.doc or _NO_DOC
        refs = self.members.refs(note.refs, found.location, found.path) if note else ()
        self.members.locations[found.path] = found.location
        text = declare_alias(raw)
        return TypeEntry(
            name=raw.name,
            path=self.library.public(found.path) or found.path,
            kind="alias",
            declaration=_cut(text),
            summary=doc.summary,
            description=doc.description,
            type_refs=tuple(sorted(refs)),
            truncated=len(text) > LONGEST,
        )


def _looks_like_type(raw: RawVariable) -> bool:
    value = raw.value
    if value is None or raw.rebound:
        return False
    if value.kind == "call":
        makers = {"NewType", "namedtuple", "NamedTuple", "TypedDict", "Enum", "TypeAliasType"}
        return value.path.rpartition(".")[2] in makers
    return value.kind in {"name", "other"}


def _is_validator(raw: RawFunction) -> bool:
    hooks = {"field_validator", "model_validator", "field_serializer", "model_serializer"}
    return any(
        item.path.startswith("pydantic.") and item.path.rpartition(".")[2] in hooks
        for item in raw.decorators
    )


def _refs_of(member: Member) -> Iterator[str]:
    for item in member.parameters:
        yield from item.type_refs
    yield from member.returns.type_refs
    for signature in member.signatures:
        yield from signature.returns.type_refs
        for item in signature.parameters:
            yield from item.type_refs


def _cut(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    lines: list[str] = []
    room = LONGEST - len("    # …") - 1
    for line in text.split("\n"):
        room -= len(line) + 1
        if room < 0:
            break
        lines.append(line)
    return "\n".join([*lines, "    # …"])
