"""All modules together: where users import things from, what classes inherit, what is constant."""

# Maintainers: what can be asked of definitions once paths.py finds them. It describes nothing.
# Answers depend on the set of modules, not on their order.

from __future__ import annotations

from collections.abc import Callable, Iterable

from toolset_gen.extract.mro import linearise
from toolset_gen.extract.paths import Definition, Paths
from toolset_gen.extract.raw import Expr, RawClass, RawModule, RawVariable

__all__ = ["Library"]


class Library(Paths):
    """The modules that are read.

    Args:
        modules: Descriptions of the scanned modules, stubs included.
        more: Gives a module of another package by its name, None when there is none.
    """

    def __init__(
        self,
        modules: Iterable[RawModule],
        more: Callable[[str], Iterable[RawModule]] | None = None,
    ) -> None:
        super().__init__(modules, more)
        self._mros: dict[str, tuple[str, ...]] = {}
        self._names: dict[str, list[str]] | None = None
        self._outward: dict[str, str] = {}
        self._public = self._public_paths()

    # Public paths

    def public(self, path: str) -> str | None:
        """Say where users import something from.

        Args:
            path: A canonical path.

        Returns:
            Its public path, the path itself when no read module defines it; None when it is private.
        """
        if path in self._public:
            return self._public[path]
        found = self.find(path)
        if found is None:
            return path
        if isinstance(found, Definition) and found.owner:
            owner = self.public(found.owner)
            name = found.raw.name
            return None if owner is None or name.startswith("_") else f"{owner}.{name}"
        root = path.partition(".")[0]
        if root not in {name.partition(".")[0] for name in self.scanned}:
            return self._published(path)
        return None

    def publish(self, path: str, public: str) -> None:
        """Take note of the path under which users import what another package defines.

        Args:
            path: Its canonical path.
            public: The path that users write.
        """
        self._outward[path] = public

    def _published(self, path: str) -> str:
        """Find where another package publishes what one of its private modules defines."""
        if path in self._outward:
            return self._outward[path]
        *modules, name = path.split(".")
        first = next((n for n, part in enumerate(modules) if part.startswith("_")), 0)
        found = path
        for end in range(1, first + 1):
            offered = ".".join([*modules[:end], name])
            if self.canonical(offered) == path:
                found = offered
                break
        self._outward[path] = found
        return found

    def public_names(self, module: RawModule) -> tuple[tuple[str, int], ...]:
        """List what a module offers to users.

        Args:
            module: A module.

        Returns:
            Names in order with their rank: 0 for what it defines or lists, 1 for what a package
            imports without listing it.
        """
        if module.exports is not None:
            return tuple((name, 0) for name in self.exported(module.name))
        own = [name for name in self._members[module.name] if not name.startswith("_")]
        found = dict.fromkeys([*own, *module.republished], 0)
        if module.is_package:
            for name in self.exported(module.name):
                found.setdefault(name, 1)
        return tuple(found.items())

    def _public_paths(self) -> dict[str, str]:
        best: dict[str, tuple[int, int, str]] = {}
        for module in self.modules():
            if any(part.startswith("_") for part in module.name.split(".")):
                continue
            for name, rank in self.public_names(module):
                path = f"{module.name}.{name}"
                found = self.find(path)
                if not isinstance(found, Definition):
                    continue
                offer = (rank, path.count("."), path)
                best[found.path] = min(best.get(found.path, offer), offer)
        return {path: offer[2] for path, offer in best.items()}

    def listed(self) -> dict[str, str]:
        """Give canonical to public path, where the two differ."""
        every = sorted({**self._outward, **self._public}.items())
        return {path: public for path, public in every if path != public}

    def by_name(self, name: str) -> str | None:
        """Find the one public thing of the scanned modules that has a name.

        Args:
            name: The name.

        Returns:
            Its public path; None when nothing has the name, or several have.
        """
        if self._names is None:
            self._names = {}
            for path in sorted(self._public.values()):
                self._names.setdefault(path.rpartition(".")[2], []).append(path)
        found = self._names.get(name, [])
        return found[0] if len(found) == 1 else None

    # Inheritance

    def mro(self, path: str) -> tuple[str, ...]:
        """Linearise a class and its bases.

        Args:
            path: Canonical path of a class.

        Returns:
            Canonical paths, itself first; bases that no read module defines stand as they are.
            When the bases contradict each other, depth first instead.
        """
        return linearise(path, self.bases, self._mros)

    def bases(self, path: str) -> tuple[str, ...]:
        """List the direct bases of a class.

        Args:
            path: Canonical path of a class.

        Returns:
            Their canonical paths.
        """
        found = self.definition(path)
        if found is None or not isinstance(found.raw, RawClass):
            return ()
        return tuple(self.canonical(base.path) for base in found.raw.bases if base.path)

    # Constants

    def constant(self, expr: Expr | None) -> str | None:
        """Find the text that an expression always has.

        Args:
            expr: A string literal, or the name of something that is one.

        Returns:
            The text; None when it is not a constant.
        """
        return self._constant(expr, frozenset())

    def _constant(self, expr: Expr | None, seen: frozenset[str]) -> str | None:
        if expr is None or expr.kind == "string":
            return expr.value if expr is not None else None
        if expr.kind != "name" or expr.path in seen:
            return None
        found = self.definition(expr.path)
        if found is None or not isinstance(found.raw, RawVariable):
            return None
        raw = found.raw
        return None if raw.rebound or raw.on_self else self._constant(raw.value, seen | {expr.path})
