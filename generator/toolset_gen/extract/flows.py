"""Events followed into the functions that are given them, up to the verb at the end."""

# Maintainers: answers for dispatches and listens that are not written as `ctx.emit(event)`: through
# helpers, objects, partials, variables. A helper is followed anew for each call, with what that
# call passes. Two things are never done: to guess, and to blame a call for what may be right. A
# helper that has several verbs for one event is taken to choose the right one when it has it.

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from toolset_gen.extract.library import Library
from toolset_gen.extract.model import Location
from toolset_gen.extract.names import MODES
from toolset_gen.extract.raw import RawUses
from toolset_gen.extract.things import LISTENS, NOTHING, Env, Thing, Things, filled
from toolset_gen.extract.tracer import Tracer
from toolset_gen.extract.values import RawCall, RawFlow, Value

__all__ = ["Effect", "Flows", "Followed"]

_DEEPEST = 12
_VERBS = frozenset({*MODES, *LISTENS})


class Effect(NamedTuple):
    """What finally happens to an event.

    Attributes:
        event: The event, or the text that names it.
        verb: The verb it is given to, `""` when that cannot be told.
        location: Where.
        arguments: How many positional arguments follow the event, -1 when a star hides it.
        listener: What listens, when it is one thing.
    """

    event: Thing
    verb: str
    location: Location
    arguments: int = -1
    listener: Thing | None = None


class Followed(NamedTuple):
    """A call that is given an event, and what comes of it.

    Attributes:
        flow: Where the call stands.
        call: The call; None for a parameter whose default is an event.
        location: Its place.
        event: The event, or the text that names it.
        effects: What happens to the event; empty when nobody can tell or nothing does.
        direct: Whether the call itself is one of a verb.
    """

    flow: RawFlow
    call: RawCall | None
    location: Location
    event: Thing
    effects: tuple[Effect, ...]
    direct: bool = False


class Flows:
    """Follows events.

    Args:
        library: What resolves paths.
        events: Canonical paths of the declared events.
        uses: What each scanned module uses, by its name.
    """

    def __init__(
        self, library: Library, events: Iterable[str], uses: Mapping[str, RawUses]
    ) -> None:
        self.library = library
        self.uses = uses
        self.tracer = Tracer(library, events, uses)
        self._modules = {flow.id: name for name, found in uses.items() for flow in found.flows}
        self._files = {
            flow.id: module.path
            for module in library.modules()
            if module.name in uses
            for flow in uses[module.name].flows
        }
        self._inner: dict[str, list[RawFlow]] = {}
        for flow in self.tracer.flows.values():
            for outer in _around(flow.id):
                if outer in self.tracer.flows and self.tracer.flows[outer].function:
                    self._inner.setdefault(outer, []).append(flow)

    def followed(self, module: str) -> Iterator[Followed]:
        """Follow every event that a module gives to something.

        Args:
            module: Its name.

        Yields:
            The calls; those that name event and verb in one place are left out: they speak for
            themselves.
        """
        for flow in self.uses[module].flows if module in self.uses else ():
            for call in flow.calls:
                yield from self._call(flow, call)
            yield from self._defaults(flow)

    def module_of(self, flow: RawFlow) -> str:
        """Say which module a flow is in.

        Args:
            flow: The flow.

        Returns:
            The module's name.
        """
        return self._modules[flow.id]

    def listener(self, flow: str, line: int) -> Thing | None:
        """Say what a listen call is given as the listener.

        Args:
            flow: The function the call stands in.
            line: Its line.

        Returns:
            The one thing it may be, None when it may be several or cannot be told.
        """
        found = self.tracer.flows.get(flow)
        for call in found.calls if found is not None else ():
            if call.line == line and call.callee in LISTENS:
                self.tracer.begin()
                return _listener(self.tracer.arguments(call.value, NOTHING))
        return None

    def _call(self, flow: RawFlow, call: RawCall) -> Iterator[Followed]:
        if self._speaks_for_itself(call.value):
            return
        self.tracer.begin()
        passed = self._passed(call)
        if not passed:
            return
        place = Location(self._files[flow.id], call.line)
        callees = self.tracer.evaluate(call.value.of, NOTHING)
        direct = any(thing.kind == "verb" for thing in callees)
        effects = list(self._effects(call, place, NOTHING, ()))
        for event in passed:
            mine = tuple(effect for effect in effects if effect.event == event)
            yield Followed(flow, call, place, event, mine, direct)

    def _speaks_for_itself(self, call: Value) -> bool:
        """Whether a call names verb and event in one place: `ctx.emit(event)`."""
        of = call.of
        if of is None or of.kind != "attribute" or of.of is None or of.of.kind != "context":
            return False
        first = call.args[0] if call.args else dict(call.keywords).get("event")
        if first is None or first.kind != "path":
            return False
        return self.library.canonical(first.name) in self.tracer.events

    def _passed(self, call: RawCall) -> Things:
        """The events among the arguments of a call; values that only a verb takes are looked into."""
        value = call.value
        is_verb = call.callee in _VERBS
        found: list[Thing] = []
        for item in [*value.args, *(named for _, named in value.keywords)]:
            flat = item.args if item.kind == "several" else (item,)
            for one in flat:
                if one.kind in {"path", "text"} or (is_verb and one.kind != "call"):
                    found.extend(self.tracer.evaluate(one, NOTHING))
        events = [thing for thing in found if thing.kind in {"event", "text"}]
        return tuple(thing for index, thing in enumerate(events) if thing not in events[:index])

    def _defaults(self, flow: RawFlow) -> Iterator[Followed]:
        for item in flow.parameters:
            if item.default is None or item.default.kind != "path":
                continue
            self.tracer.begin()
            for event in self.tracer.evaluate(item.default, NOTHING):
                if event.kind == "event":
                    effects = self._inside(flow, {(flow.id, item.name): (event,)}, ())
                    mine = tuple(effect for effect in effects if effect.event == event)
                    if mine:
                        yield Followed(flow, None, mine[0].location, event, mine)

    def _effects(
        self, call: RawCall, place: Location, env: Env, inside: tuple[str, ...]
    ) -> Iterator[Effect]:
        given = self.tracer.arguments(call.value, env)
        for thing in self.tracer.evaluate(call.value.of, env):
            if thing.kind != "unknown":
                yield from self._apply(thing, given, place, env, inside)
            elif _may_dispatch(call):
                yield from _lost(given, place)

    def _apply(
        self, thing: Thing, given: Thing, place: Location, env: Env, inside: tuple[str, ...]
    ) -> Iterator[Effect]:
        every = filled(thing, given)
        if thing.kind == "verb":
            yield from _dispatched(thing.name, every, place)
        elif thing.kind == "special" and thing.name == "partial":
            rest = given._replace(bound=given.bound[1:], starred=True)
            for inner in given.bound[0] if given.bound else ():
                yield from self._apply(inner, rest, place, env, inside)
        elif thing.kind == "class":
            yield from self._living(self.tracer.made(thing, given), env, inside)
        elif thing.kind == "function" and thing.name in self.tracer.flows:
            flow = self.tracer.flows[thing.name]
            yield from self._inside(flow, self.tracer.bind(thing, given, env), inside)

    def _living(self, made: Thing, env: Env, inside: tuple[str, ...]) -> Iterator[Effect]:
        """What an object does with what it was made with: any of its methods may be called."""
        seen: set[str] = set()
        for path in self.library.mro(made.name):
            flows = [
                f for f in self.tracer.objects.methods(path) if f.id.rpartition(".")[2] not in seen
            ]
            seen.update(flow.id.rpartition(".")[2] for flow in flows)
            for flow in flows:
                this = {(flow.id, item.name): (made,) for item in flow.parameters[:1]}
                yield from self._inside(flow, {**env, **made.env, **this}, inside)

    def _inside(self, flow: RawFlow, env: Env, inside: tuple[str, ...]) -> Iterator[Effect]:
        """What a function does, and the functions in it, which it is taken to call."""
        if flow.id in inside or len(inside) > _DEEPEST:
            return
        for body in (flow, *self._inner.get(flow.id, ())):
            for call in body.calls:
                place = Location(self._files[body.id], call.line)
                yield from self._effects(call, place, env, (*inside, flow.id))


def _around(path: str) -> Iterator[str]:
    """The paths that a path stands in."""
    head = path.rpartition(".")[0] if "<" not in path else path.partition(".<")[0]
    while head:
        yield head
        head = head.rpartition(".")[0]


def _may_dispatch(call: RawCall) -> bool:
    """Whether something that cannot be told may be a verb: what is computed, passed, or named so."""
    of = call.value.of
    return call.callee in _VERBS or of is None or of.kind in {"unknown", "call", "parameter"}


def _listener(given: Thing) -> Thing | None:
    found = given.bound[1] if len(given.bound) > 1 else dict(given.named).get("listener", ())
    return found[0] if len(found) == 1 and found[0].kind in {"function", "class"} else None


def _dispatched(verb: str, given: Thing, place: Location) -> Iterator[Effect]:
    events = given.bound[0] if given.bound else dict(given.named).get("event", ())
    count = -1 if given.starred else max(len(given.bound) - 1, 0)
    listener = _listener(given) if verb in LISTENS else None
    for event in events:
        if event.kind in {"event", "text"}:
            yield Effect(event, verb, place, count, listener)


def _lost(given: Thing, place: Location) -> Iterator[Effect]:
    """Events that go where nobody follows them."""
    for things in [*given.bound, *(item for _, item in given.named)]:
        for event in things:
            if event.kind in {"event", "text"}:
                yield Effect(event, "", place)
