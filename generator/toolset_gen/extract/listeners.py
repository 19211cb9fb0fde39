"""Listeners resolved: what a function can still be called with."""

# Maintainers: from what a listen site passes to a Listener. It knows methods, partials, lambdas and
# classes; whether the listener fits its event is for the rules to say.

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from toolset.catalog import Parameter
from toolset_gen.extract.describe import Describer
from toolset_gen.extract.kinds import binding, own_parameters
from toolset_gen.extract.model import Listener, Location
from toolset_gen.extract.names import is_service
from toolset_gen.extract.paths import Definition
from toolset_gen.extract.raw import RawClass, RawFunction, RawListener, RawModule
from toolset_gen.extract.things import Thing
from toolset_gen.extract.values import RawFlow

__all__ = ["Listeners"]


class Listeners:
    """Resolves listeners.

    Args:
        describer: What resolves and describes functions.
        flows: Every body of the scanned modules, for functions that stand in functions.
    """

    def __init__(self, describer: Describer, flows: Mapping[str, RawFlow]) -> None:
        self.describer = describer
        self.library = describer.library
        self.flows = flows

    def of_raw(self, module: RawModule, raw: RawListener | None) -> Listener | None:
        """Resolve a listener that a module names.

        Args:
            module: The module.
            raw: What it passes.

        Returns:
            The listener, None when it cannot be told.
        """
        if raw is None:
            return None
        if raw.function is not None:
            found = Definition(raw.path, module, raw.function, "", module.path)
            return self._of_function(found, raw.function, raw)
        definition = self.library.definition(raw.path)
        if definition is None:
            return None
        if isinstance(definition.raw, RawClass):
            return self._of_class(definition, raw)
        if not isinstance(definition.raw, RawFunction):
            return None
        return self._of_function(definition, definition.raw, raw)

    def of_thing(self, thing: Thing | None) -> Listener | None:
        """Resolve a listener that was followed to where it is passed.

        Args:
            thing: What it came to be.

        Returns:
            The listener, None when it cannot be told.
        """
        if thing is None or thing.starred:
            return None
        names = tuple(name for name, _ in thing.named)
        found = self.library.definition(thing.name)
        if found is not None:
            bound = len(thing.bound)
            if isinstance(found.raw, RawFunction) and binding(found.raw, found) == "static":
                bound += bool(bound)
            return self.of_raw(found.module, RawListener(thing.name, bound=bound, filled=names))
        flow = self.flows.get(thing.name)
        return self._of_flow(flow, len(thing.bound), names) if flow is not None else None

    def _of_flow(self, flow: RawFlow, bound: int, names: tuple[str, ...]) -> Listener | None:
        module = next((m for m in self.library.modules() if flow.id.startswith(f"{m.name}.")), None)
        if module is None:
            return None
        given = [
            Parameter(
                item.name,
                item.kind,
                default="…" if item.default is not None else "",
                required=item.default is None and not item.kind.startswith("var-"),
            )
            for item in flow.parameters
        ]
        left = tuple(_without(given, bound, names))
        shown = f"{module.name}.<lambda>" if flow.id.endswith(">") else flow.id
        return Listener(shown, Location(module.path, flow.line), left, flow.is_async)

    def _of_class(self, found: Definition, raw: RawListener) -> Listener | None:
        facts = self.describer.describe_class(found.path)
        if facts is None or facts.entry.constructor is None or raw.bound or raw.filled:
            return None
        if is_service(found.path, self.library):
            return None
        return Listener(found.path, found.location, facts.entry.constructor.parameters)

    def _of_function(self, found: Definition, raw: RawFunction, how: RawListener) -> Listener:
        marks = {item.path for item in raw.decorators}
        on_instance = how.function is None and bool(found.owner) and how.bound > 0
        bound = on_instance or "builtins.classmethod" in marks
        given = own_parameters(raw, found) if bound else raw.parameters
        skip = how.bound - 1 if on_instance else how.bound
        left = _without(
            [
                self.describer.members.parameter(item, "", found.location, found.path)
                for item in given
            ],
            skip,
            how.filled,
        )
        return Listener(
            path=found.path,
            location=found.location,
            parameters=tuple(left),
            is_async=raw.is_async,
            returns=raw.returns.text if raw.returns is not None else "",
        )


def _without(
    parameters: Iterable[Parameter], skip: int, filled: tuple[str, ...]
) -> Iterator[Parameter]:
    """Drop what is bound already; what a partial fills by keyword can only be named after that."""
    named = False
    for item in parameters:
        positional = item.kind in {"positional-only", "positional-or-keyword"}
        if positional and skip > 0:
            skip -= 1
            continue
        if item.name in filled:
            named = named or positional
            continue
        if named and item.kind == "positional-or-keyword":
            item = item._replace(kind="keyword-only")  # noqa: PLW2901 - the parameter as it is left
        yield item
