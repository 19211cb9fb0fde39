"""The types that public signatures refer to, transitively, and what is amiss with them."""

# Maintainers: answers for which types the catalog lists. Types that it lists elsewhere (service classes
# and the context) are left out, and so are those that other packages define, unless a service of
# that package is provided. A use that leads nowhere is stated at the place of the use.

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolset.catalog import Member, Parameter, TypeEntry
from toolset_gen.extract.describe import Describer
from toolset_gen.extract.members import Use
from toolset_gen.extract.model import Location, TypeFact
from toolset_gen.extract.names import CONTEXT, SERVICE, is_service

__all__ = ["TypeClosure", "member_refs"]


def member_refs(member: Member) -> Iterator[str]:
    """List the types a member's signatures refer to.

    Args:
        member: The member.

    Yields:
        Public import paths, with repeats.
    """
    yield from _parameter_refs(member.parameters)
    yield from member.returns.type_refs
    for signature in member.signatures:
        yield from _parameter_refs(signature.parameters)
        yield from signature.returns.type_refs


def _parameter_refs(parameters: Iterable[Parameter]) -> Iterator[str]:
    for item in parameters:
        yield from item.type_refs


def _followed(entry: TypeEntry) -> Iterator[str]:
    """List what a reader of a type goes on to: its documented face, not what it is built from."""
    for field in entry.fields:
        yield from field.type_refs
    for member in entry.members:
        if member.summary:
            yield from member_refs(member)
    if entry.kind == "alias":
        yield from entry.type_refs


def _contract(entry: TypeEntry, canonical: str) -> Iterator[str]:
    """List the canonical paths whose uses of types are a type's own contract."""
    if entry.kind == "alias":
        yield canonical
    yield from (f"{canonical}.{field.name}" for field in entry.fields)
    yield from (member.path for member in entry.members if member.summary)


class TypeClosure:
    """Collects types.

    Args:
        describer: What describes types.
        roots: Import names of the packages whose types are listed.
    """

    def __init__(self, describer: Describer, roots: Iterable[str]) -> None:
        self.describer = describer
        self.roots = frozenset(roots)
        self.types: dict[str, TypeEntry] = {}
        self.subjects: set[str] = set()

    def add(self, refs: Iterable[str]) -> None:
        """Add types and everything they refer to.

        Args:
            refs: Import paths.
        """
        queue = list(refs)
        seen: set[str] = set()
        while queue:
            path = queue.pop()
            if path in seen or path.partition(".")[0] not in self.roots:
                continue
            seen.add(path)
            if self._elsewhere(path):
                continue
            entry = self.describer.describe_type(path)
            if entry is not None and entry.path not in self.types:
                self.types[entry.path] = entry
                self.subjects.update(_contract(entry, self.describer.library.canonical(path)))
                queue.extend(_followed(entry))

    def _elsewhere(self, path: str) -> bool:
        library = self.describer.library
        canonical = library.canonical(path)
        return canonical in CONTEXT or canonical in SERVICE or is_service(canonical, library)

    def catalog(self) -> tuple[TypeEntry, ...]:
        """Give the types by import path."""
        return tuple(self.types[path] for path in sorted(self.types))

    def facts(self, subjects: Iterable[str]) -> Iterator[TypeFact]:
        """State what is amiss with the types, and with the uses of types.

        Args:
            subjects: Canonical paths of what the catalog lists; uses elsewhere do not count.

        Yields:
            Facts, with repeats.
        """
        wanted = {*subjects, *self.subjects}
        for use in self.describer.members.uses:
            if use.subject in wanted:
                yield from self._use(use)
        names: dict[str, list[str]] = {}
        for path, entry in self.types.items():
            names.setdefault(entry.name, []).append(path)
        for path in sorted(self.types):
            entry = self.types[path]
            place = self.describer.location(path) or Location("pyproject.toml", 0)
            others = tuple(sorted(other for other in names[entry.name] if other != path))
            if others:
                yield TypeFact("ambiguous", entry.name, path, place, others=others)
            if entry.truncated:
                yield TypeFact("truncated", entry.name, path, place)

    def _use(self, use: Use) -> Iterator[TypeFact]:
        library = self.describer.library
        name = use.name.removeprefix("?").rpartition(".")[2]
        if not library.is_known(use.name):
            written = use.name.removeprefix("?") if use.name.startswith("?") else name
            yield TypeFact("unresolved", written, "", use.location, use.subject)
        elif library.find(use.path) is not None and library.public(use.path) is None:
            yield TypeFact("private", name, use.path, use.location, use.subject)
