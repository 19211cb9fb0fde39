"""Classes as objects use them: which member a name finds, who derives from whom, who is a service."""

# Maintainers: structure alone, nothing is evaluated. What a method sets on its bound parameter
# counts before what the class body says, since that is what an instance has.

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from toolset_gen.extract.library import Library
from toolset_gen.extract.names import is_service
from toolset_gen.extract.paths import Definition
from toolset_gen.extract.raw import RawClass, RawUses
from toolset_gen.extract.services import classes
from toolset_gen.extract.values import RawFlow, Value

__all__ = ["Objects"]


class Objects:
    """The classes of the scanned modules.

    Args:
        library: What resolves paths.
        uses: What each module uses, by its name.
    """

    def __init__(self, library: Library, uses: Mapping[str, RawUses]) -> None:
        self.library = library
        self.flows: dict[str, RawFlow] = {}
        self.sets: dict[tuple[str, str], list[Value]] = {}
        for name in sorted(uses):
            for flow in uses[name].flows:
                self.flows.setdefault(flow.id, flow)
                owner = flow.id.rpartition(".")[0] if flow.function else flow.id
                for attribute, value in flow.attributes:
                    self.sets.setdefault((owner, attribute), []).append(value)

    def line(self, path: str) -> tuple[str, ...]:
        """Give a class and its bases in the order in which members are looked up.

        Args:
            path: The class.

        Returns:
            Canonical paths.
        """
        return self.library.mro(path)

    def member(self, line: Iterable[str], name: str) -> list[Value] | Definition | None:
        """Find what a name means on an instance.

        Args:
            line: The classes to look in, in order.
            name: The name.

        Returns:
            What is set on instances, else what a class body defines; None when nothing is known.
        """
        for path in line:
            if (path, name) in self.sets:
                return self.sets[path, name]
            owner = self.library.definition(path)
            raw = owner.raw.member(name) if owner and isinstance(owner.raw, RawClass) else None
            if owner is not None and raw is not None:
                return Definition(f"{owner.path}.{name}", owner.module, raw, owner.path, owner.file)
        return None

    def overriding(self, path: str, name: str) -> Iterator[tuple[str, Definition | None]]:
        """Find the classes that say something else of a member.

        Args:
            path: The class that they derive from.
            name: The member.

        Yields:
            Each with its definition; None when it only sets it.
        """
        for other in self.derived.get(path, ()):
            found = self.member((other,), name)
            if found is not None:
                yield other, found if isinstance(found, Definition) else None

    @cached_property
    def services(self) -> dict[str, list[str]]:
        """Service key to the classes that have it."""
        found: dict[str, list[str]] = {}
        for owner, raw in classes(self.library):
            key = self.library.constant(raw.keyword("key"))
            if key is not None and is_service(owner.path, self.library):
                found.setdefault(key, []).append(owner.path)
        return found

    @cached_property
    def derived(self) -> dict[str, list[str]]:
        """Class to the classes that derive from it."""
        found: dict[str, list[str]] = {}
        for owner, _ in classes(self.library):
            for base in self.library.mro(owner.path)[1:]:
                found.setdefault(base, []).append(owner.path)
        return found

    def methods(self, path: str) -> Iterator[RawFlow]:
        """Give the bodies of a class's methods.

        Args:
            path: The class.

        Yields:
            The flows.
        """
        owner = self.library.definition(path)
        if owner is not None and isinstance(owner.raw, RawClass):
            for raw in owner.raw.members:
                flow = self.flows.get(f"{path}.{raw.name}")
                if flow is not None:
                    yield flow
