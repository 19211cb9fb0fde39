"""Every call of the runtime's `event`: what it declares, or why that cannot be listed."""

# Maintainers: accounts for each such call of the scanned modules; one that is silently dropped
# would be an event missing from the catalog. Listed are those that run when the module is imported
# and whose event has a name that others can import; for each of the rest a diagnostic says what to
# write.

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from toolset_gen.diagnostics import Diagnostic
from toolset_gen.extract.library import Library
from toolset_gen.extract.names import EVENT
from toolset_gen.extract.paths import Definition
from toolset_gen.extract.raw import Expr, RawFunction, RawMaking, RawModule, RawVariable
from toolset_gen.extract.services import classes

__all__ = ["Declarations", "Made"]


class Made(NamedTuple):
    """A declaration.

    Attributes:
        found: The function that says the signature, under the path of the event.
        call: The call of `event`, which says name and mode.
    """

    found: Definition
    call: Expr


class Declarations:
    """Finds declarations.

    Args:
        library: The modules.
    """

    def __init__(self, library: Library) -> None:
        self.library = library
        self._bodies = list(_bodies(library))
        self._kept: dict[str, Expr] = {}
        for module in library.modules():
            for making in module.makings:
                if self._is_kept(making):
                    self._kept[_path(module, making)] = making.call

    def found(self) -> Iterator[Made | Diagnostic]:
        """Find them all.

        Yields:
            The declarations, and what is wrong with those that cannot be listed.
        """
        listed: set[tuple[str, int]] = set()
        for made in self._all():
            listed.add((made.found.file, made.call.line))
            yield made
        for module in self.library.modules():
            for making in module.makings:
                place = (module.path, making.call.line)
                if place in listed or not self._may_be_event(making.call):
                    continue
                if not self._is_kept(making) and not self._is_repeated(module, making):
                    yield _refused(module, making)

    def _all(self) -> Iterator[Made]:
        for found in self._bodies:
            raw = found.raw
            if isinstance(raw, RawFunction):
                for mark in raw.decorators:
                    call = self._call(mark)
                    if call is not None:
                        yield Made(found, call)
            elif isinstance(raw, RawVariable) and raw.value is not None:
                yield from self._applied(found, raw)

    def _call(self, mark: Expr) -> Expr | None:
        """The call of `event` that a decorator is, or that it was kept from."""
        if self._is_event(mark):
            return mark
        kept = self._kept.get(self.library.canonical(mark.path)) if mark.kind == "name" else None
        return kept._replace(line=mark.line) if kept is not None else None

    def _applied(self, found: Definition, raw: RawVariable) -> Iterator[Made]:
        value = raw.value
        if value is None or value.kind != "call" or raw.on_self:
            return
        kept = self._kept.get(self.library.canonical(value.path)) if value.path else None
        if kept is not None and len(value.args) == 1:
            function = self._function(value.args[0])
            if function is not None:
                yield Made(found._replace(raw=function), kept._replace(line=raw.line))
        for making in found.module.makings:
            if making.form != "applied" or _path(found.module, making) != found.path:
                continue
            function = making.function_given or self._function(making.given)
            if function is not None and not making.function and self._is_event(making.call):
                yield Made(found._replace(raw=function), making.call)

    def _function(self, given: Expr | None) -> RawFunction | None:
        if given is None or given.kind != "name":
            return None
        found = self.library.definition(given.path)
        return found.raw if found is not None and isinstance(found.raw, RawFunction) else None

    def _is_event(self, call: Expr) -> bool:
        return call.path in EVENT or self.library.canonical(call.path) in EVENT

    def _is_kept(self, making: RawMaking) -> bool:
        """Whether a decorator is kept for later, in a place that others can import."""
        return making.form == "kept" and not making.function and self._is_event(making.call)

    def _may_be_event(self, call: Expr) -> bool:
        """Whether a call is one of `event`, or of something that is given it: `partial(event, …)`."""
        return self._is_event(call) or any(self._is_event(arg) for arg in call.args)

    def _is_repeated(self, module: RawModule, making: RawMaking) -> bool:
        """Whether another branch, which counts, declares the same event under the same name."""
        path = _path(module, making)
        name = making.call.args[0] if making.call.args else making.call.keyword("name")
        for found in self._bodies:
            if found.path != path or making.function or name is None:
                continue
            for mark in found.raw.decorators if isinstance(found.raw, RawFunction) else ():
                first = mark.args[0] if mark.args else mark.keyword("name")
                said = self.library.constant(first)
                if said is not None and said == self.library.constant(name):
                    return True
        return False


def _bodies(library: Library) -> Iterator[Definition]:
    """What stands at the top of modules and in classes; nobody binds a declaration's first parameter."""
    for module in library.modules():
        for raw in module.definitions:
            yield Definition(f"{module.name}.{raw.name}", module, raw, "", module.path)
    for owner, inner in classes(library):
        for raw in inner.members:
            yield Definition(f"{owner.path}.{raw.name}", owner.module, raw, "", owner.file)


def _path(module: RawModule, making: RawMaking) -> str:
    return ".".join(filter(None, [module.name, making.owner, making.name]))


def _refused(module: RawModule, making: RawMaking) -> Diagnostic:
    place = ".".join(filter(None, [module.name, making.function or making.owner]))
    text = making.call.args[0].text if making.call.args else making.call.text
    if making.function:
        why = f"inside function {place!r}, so that nobody can import it"
    elif making.form == "other":
        why = f"in {place!r} under no name, so that nobody can import it"
    else:
        why = f"in {place!r} in a way that does not tell its signature, or in a branch that another hides"
    return Diagnostic(
        "EVT018",
        module.path,
        making.call.line,
        f"the event {text} is declared {why}",
        "declare it once at the top of the module, with `@event(…)` above a function",
        target=".".join(filter(None, [place, making.name])),
    )
