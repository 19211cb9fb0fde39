"""Paths through modules: what a dotted path finally means."""

# Maintainers: answers for links between modules: imports, re-exports, star imports, bases. It knows
# nothing of who may use what, and describes nothing. Invariants: never loops on circular imports or
# bases; answers depend on the set of modules, not on their order. Modules of other packages come
# through `more`, one by one, when a path leads there.

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from toolset_gen.extract.model import Location
from toolset_gen.extract.raw import (
    RawClass,
    RawDefinition,
    RawFunction,
    RawModule,
    RawVariable,
)
from toolset_gen.extract.stubs import merge_stub

__all__ = ["Definition", "Paths"]


# `from .delete import delete`, where delete.py cannot be read, leads to itself, longer each time.
_FARTHEST = 50


class Definition(NamedTuple):
    """A definition and where it stands.

    Attributes:
        path: Its canonical path.
        module: Its module.
        raw: What it is.
        owner: Path of the class it is in, `""` at the top of a module.
        file: The file it is written in.
    """

    path: str
    module: RawModule
    raw: RawDefinition
    owner: str
    file: str

    @property
    def location(self) -> Location:
        """Where it is defined."""
        return Location(self.file, self.raw.line)


class Paths:
    """The modules that are read, and the ways through them.

    Args:
        modules: Descriptions of the scanned modules, stubs included.
        more: Gives a module of another package by its name, None when there is none.
    """

    def __init__(
        self,
        modules: Iterable[RawModule],
        more: Callable[[str], Iterable[RawModule]] | None = None,
    ) -> None:
        self._more = more
        self._modules: dict[str, RawModule] = {}
        self._roots: set[str] = set()
        self._members: dict[str, dict[str, RawDefinition]] = {}
        self._imports: dict[str, dict[str, str]] = {}
        self._stub_only: dict[tuple[str, str], str] = {}
        self._found: dict[str, Definition | RawModule | None] = {}
        self._asked: set[str] = set()
        groups: dict[str, list[RawModule]] = {}
        for module in modules:
            groups.setdefault(module.name, []).append(module)
        self.scanned = tuple(sorted(groups))
        for name in self.scanned:
            self._add(groups[name])

    def _add(self, parts: Iterable[RawModule]) -> None:
        """Add a module, its stub merged in."""
        ordered = sorted(parts, key=lambda item: (item.is_stub, not item.is_package, item.path))
        source = next((item for item in ordered if not item.is_stub), None)
        stub = next((item for item in ordered if item.is_stub), None)
        module = source or stub
        if module is None:
            return
        if source is not None and stub is not None:
            real = {item.name for item in source.definitions}
            for item in stub.definitions:
                if item.name not in real:
                    self._stub_only[module.name, item.name] = stub.path
            module = merge_stub(source, stub)
        self._modules[module.name] = module
        self._roots.add(module.name.partition(".")[0])
        self._members[module.name] = {item.name: item for item in module.definitions}
        self._imports[module.name] = dict(module.imports)

    def module(self, name: str) -> RawModule | None:
        """Find a module, reading it when it is another package's.

        Args:
            name: Its dotted name.

        Returns:
            The module, None when there is none.
        """
        if name not in self._modules and self._more is not None and name not in self._asked:
            self._asked.add(name)
            self._add(self._more(name))
        return self._modules.get(name)

    def modules(self) -> Iterator[RawModule]:
        """Give the scanned modules, sorted by name."""
        for name in self.scanned:
            yield self._modules[name]

    def find(self, path: str) -> Definition | RawModule | None:
        """Follow a path to what it finally means.

        Args:
            path: A dotted path.

        Returns:
            A definition or a module; None when no module that is read defines it.
        """
        if path not in self._found:
            self._found[path] = self._follow(path, frozenset())
        return self._found[path]

    def definition(self, path: str) -> Definition | None:
        """Follow a path to a definition.

        Args:
            path: A dotted path.

        Returns:
            The definition, None when there is none.
        """
        found = self.find(path)
        return found if isinstance(found, Definition) else None

    def canonical(self, path: str) -> str:
        """Give the path of the definition that a path leads to.

        Args:
            path: A dotted path.

        Returns:
            The canonical path; of what no read module defines, the path as far as it can be followed.
        """
        found = self.find(path)
        if isinstance(found, Definition):
            return found.path
        if isinstance(found, RawModule):
            return found.name
        return self._outside(path, frozenset())

    def is_known(self, path: str) -> bool:
        """Say whether a path leads somewhere, as far as the sources that are read can tell.

        Args:
            path: A dotted path.

        Returns:
            False when it ends in a module that is read and defines no such name.
        """
        if path.startswith("?"):
            return False
        if self.find(path) is not None or not self._inside(self.canonical(path)):
            return True
        owner = self.definition(path.rpartition(".")[0])  # `P.args` of a `ParamSpec`
        return owner is not None and isinstance(owner.raw, RawVariable)

    def _inside(self, path: str) -> bool:
        return path.partition(".")[0] in self._roots

    def _outside(self, path: str, seen: frozenset[str]) -> str:
        """Follow imports until the path leaves the modules that are read."""
        if path in seen or len(seen) > _FARTHEST:
            return path
        module, rest = self._split(path)
        if module is None or not rest:
            return path
        target = self._imports[module.name].get(rest[0])
        if target is not None:
            return self._outside(".".join([target, *rest[1:]]), seen | {path})
        member = self._members[module.name].get(rest[0])
        if isinstance(member, RawVariable) and _is_alias(member) and member.value is not None:
            return self._outside(".".join([member.value.path, *rest[1:]]), seen | {path})
        for star in module.stars:
            if self.module(star) is None:
                continue
            ahead = self._outside(".".join([star, *rest]), seen | {path})
            if not self._inside(ahead):
                return ahead
        return path

    def _split(self, path: str) -> tuple[RawModule | None, list[str]]:
        """Find the module a path begins with, and what follows."""
        parts = path.split(".")
        if self._more is not None:  # read all on the way: what was read before must not matter
            for end in range(1, len(parts) + 1):
                if self.module(".".join(parts[:end])) is None:
                    break
        for end in range(len(parts), 0, -1):
            name = ".".join(parts[:end])
            if name in self._modules:
                return self._modules[name], parts[end:]
        return None, parts

    def _follow(self, path: str, seen: frozenset[str]) -> Definition | RawModule | None:
        if path in seen or len(seen) > _FARTHEST or path.startswith(("?", "builtins.")):
            return None
        seen = seen | {path}
        module, rest = self._split(path)
        if module is None:
            return None
        if not rest:
            return self._instead_of(module, seen) or module
        return self._in_module(module, rest, seen)

    def _instead_of(self, module: RawModule, seen: frozenset[str]) -> Definition | RawModule | None:
        """Find what a package binds the name of its module to: `from .delete import delete`."""
        parent, _, name = module.name.rpartition(".")
        if self._imports.get(parent, {}).get(name, module.name) == module.name:
            return None
        return self._in_module(self._modules[parent], [name], seen)

    def _in_module(
        self, module: RawModule, rest: list[str], seen: frozenset[str]
    ) -> Definition | RawModule | None:
        name = rest[0]
        member = self._members[module.name].get(name)
        if member is not None:
            path = f"{module.name}.{name}"
            file = self._stub_only.get((module.name, name), module.path)
            return self._in_definition(Definition(path, module, member, "", file), rest[1:], seen)
        target = self._imports[module.name].get(name)
        if target is not None:
            return self._follow(".".join([target, *rest[1:]]), seen)
        for star in reversed(module.stars):
            if name in self.exported(star):
                found = self._follow(".".join([star, *rest]), seen)
                if found is not None:
                    return found
        inner = self.module(f"{module.name}.{name}")
        if inner is None:
            return None
        return self._in_module(inner, rest[1:], seen) if rest[1:] else inner

    def _in_definition(
        self, found: Definition, rest: list[str], seen: frozenset[str]
    ) -> Definition | RawModule | None:
        raw = found.raw
        if isinstance(raw, RawVariable) and _is_alias(raw) and raw.value is not None:
            ahead = self._follow(".".join([raw.value.path, *rest]), seen)
            if isinstance(ahead, RawModule) or (
                ahead is not None and isinstance(ahead.raw, (RawClass, RawFunction))
            ):
                return ahead
        if not rest:
            return found
        if not isinstance(raw, RawClass):
            return None
        member = raw.member(rest[0])
        if member is not None:
            inner = Definition(
                f"{found.path}.{rest[0]}", found.module, member, found.path, found.file
            )
            return self._in_definition(inner, rest[1:], seen)
        for base in raw.bases:
            ahead = self._follow(".".join([base.path, *rest]), seen) if base.path else None
            if ahead is not None:
                return ahead
        return None

    def exported(self, name: str) -> tuple[str, ...]:
        """List the names that a star import of a module binds.

        Args:
            name: The module's dotted name.

        Returns:
            The names of its `__all__`; without one, those that do not begin with an underscore.
        """
        return tuple(dict.fromkeys(self._exported(name, frozenset())))

    def _exported(self, name: str, seen: frozenset[str]) -> Iterator[str]:
        module = self.module(name)
        if module is None or name in seen:
            return
        if module.exports is None:
            for own in [*self._members[name], *self._imports[name]]:
                if not own.startswith("_"):
                    yield own
            for star in module.stars:
                yield from self._exported(star, seen | {name})
            return
        for own in module.exports:
            if own.startswith("*"):
                yield from self._exported(self.canonical(own[1:]), seen | {name})
            else:
                yield own


def _is_alias(variable: RawVariable) -> bool:
    """Whether a variable is another name for something: `X = Y`, but no declared type alias."""
    value = variable.value
    return (
        value is not None
        and value.kind == "name"
        and not value.path.startswith("?")
        and not variable.rebound
        and not variable.on_self
        and not variable.is_alias
        and variable.annotation is None
    )
