"""Values evaluated: what an expression may be, as far as the sources tell."""

# Maintainers: evaluates Values in an environment of parameters. It only ever answers with what it
# can tell; everything else is unknowable, which is an answer too: somebody may do anything with it.
# Bounded by a budget of steps for each question, so that no source, however tangled, takes long.

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from toolset_gen.extract.kinds import binding, is_property
from toolset_gen.extract.library import Library
from toolset_gen.extract.names import MODES, is_context
from toolset_gen.extract.objects import Objects
from toolset_gen.extract.parameters import typed
from toolset_gen.extract.paths import Definition
from toolset_gen.extract.raw import Expr, RawClass, RawFunction, RawUses, RawVariable
from toolset_gen.extract.things import LISTENS, NOTHING, UNKNOWABLE, Env, Thing, Things, filled
from toolset_gen.extract.values import Value

__all__ = ["Tracer"]

_DERIVE = frozenset({"extend", "isolate", "intercept"})
_SPECIAL = frozenset(
    {"functools.partial", "builtins.getattr", "typing.cast", "typing_extensions.cast"}
)
_STEPS = 2000
_DEEPEST = 40
_CONTEXT: Things = (Thing("context"),)
_Ask: TypeAlias = Callable[[Thing], Things]


class Tracer:
    """Says what values are.

    Args:
        library: What resolves paths.
        events: Canonical paths of the declared events.
        uses: What each scanned module uses, by its name.
    """

    def __init__(
        self, library: Library, events: Iterable[str], uses: Mapping[str, RawUses]
    ) -> None:
        self.library = library
        self.events = frozenset(events)
        self.objects = Objects(library, uses)
        self.flows = self.objects.flows
        self._steps = 0
        self._depth = 0

    def begin(self) -> None:
        """Give the next question its budget of steps."""
        self._steps = _STEPS

    def evaluate(self, value: Value | None, env: Env) -> Things:
        """Say what a value may be.

        Args:
            value: The value; None is unknown.
            env: What parameters are.

        Returns:
            Every thing that it may be.
        """
        self._steps -= 1
        if value is None or self._steps < 0 or self._depth > _DEEPEST:
            return UNKNOWABLE
        self._depth += 1
        try:
            return self._of_value(value, env)
        finally:
            self._depth -= 1

    def _of_value(self, value: Value, env: Env) -> Things:
        match value.kind:
            case "parameter":
                return env.get((value.where, value.name)) or self.evaluate(value.of, env)
            case "attribute":
                return self._each(self.evaluate(value.of, env), lambda t: self.read(t, value.name))
            case "call":
                return self._called(value, env)
            case "several":
                return tuple(t for item in value.args for t in self.evaluate(item, env))
            case "path":
                return self._of_path(value.name)
            case _:
                return self._of_leaf(value)

    def _of_leaf(self, value: Value) -> Things:
        match value.kind:
            case "context":
                return _CONTEXT if is_context(value.name, self.library) else UNKNOWABLE
            case "instance":
                return self._instance(value.name)
            case "super" | "text" | "function":
                return (Thing(value.kind, value.name),)
            case _:
                return UNKNOWABLE

    @staticmethod
    def _each(things: Things, ask: _Ask) -> Things:
        return tuple(found for thing in things for found in ask(thing))

    def arguments(self, call: Value, env: Env) -> Thing:
        """Evaluate the arguments of a call.

        Args:
            call: The call.
            env: What parameters are.

        Returns:
            A thing of no kind that holds them.
        """
        return Thing(
            "unknown",
            bound=tuple(self.evaluate(item, env) for item in call.args),
            named=tuple((name, self.evaluate(item, env)) for name, item in call.keywords),
            starred=call.starred,
        )

    # Names

    def _of_path(self, path: str) -> Things:
        self._steps -= 1
        if path in _SPECIAL:
            return (Thing("special", path.rpartition(".")[2]),)
        canonical = self.library.canonical(path)
        if canonical in self.events:
            return (Thing("event", canonical),)
        found = self.library.definition(path)
        if found is not None:
            return self._of_definition(found)
        head, _, name = path.rpartition(".")
        if self._steps < 0 or not head or self.library.module(head) is not None:
            return UNKNOWABLE
        return self._each(self._of_path(head), lambda thing: self.read(thing, name))

    def _of_definition(self, found: Definition) -> Things:
        raw = found.raw
        if isinstance(raw, RawClass):
            return (Thing("class", found.path),)
        if isinstance(raw, RawFunction):
            owner = (Thing("class", found.owner),) if found.owner else ()
            bound = (owner,) if binding(raw, found) == "class" else ()
            return (Thing("function", found.path, bound),)
        return self._of_variable(found, raw)

    def _of_variable(self, found: Definition, raw: RawVariable) -> Things:
        text = self.library.constant(Expr(raw.name, "name", path=found.path))
        if text is not None:
            return (Thing("text", text),)
        owner = found.path.rpartition(".")[0]
        values = self.objects.sets.get((owner, raw.name), [])
        if values:
            return tuple(t for value in values for t in self.evaluate(value, NOTHING))
        if raw.value is not None and raw.value.kind == "name":
            return self.evaluate(Value("path", raw.value.path), NOTHING)
        return self._annotated(raw)

    def _annotated(self, raw: RawVariable) -> Things:
        if raw.annotation is None:
            return UNKNOWABLE
        return self.evaluate(typed(raw.annotation), NOTHING)

    def _instance(self, path: str) -> Things:
        if is_context(path, self.library):
            return _CONTEXT
        found = self.library.definition(path)
        if found is None or not isinstance(found.raw, RawClass):
            return UNKNOWABLE
        return (Thing("instance", found.path),)

    # Attributes

    def read(self, thing: Thing, name: str) -> Things:
        """Say what an attribute of a thing may be.

        Args:
            thing: The thing.
            name: The attribute.

        Returns:
            Every thing that it may be.
        """
        match thing.kind:
            case "context":
                return self._of_context(name)
            case "class":
                found = self.library.definition(f"{thing.name}.{name}")
                return self._of_definition(found) if found is not None else UNKNOWABLE
            case "instance":
                return self._of_instance(thing, name)
            case "super":
                line = self.objects.line(thing.name)[1:]
                return self._member(Thing("instance", thing.name), line, name)
            case "event" if name == "name":
                return (thing,)
            case _:
                return UNKNOWABLE

    def _of_context(self, name: str) -> Things:
        if name in MODES or name in LISTENS:
            return (Thing("verb", name),)
        if name in _DERIVE:
            return (Thing("derive", name),)
        if name == "root":
            return _CONTEXT
        found = tuple(Thing("instance", path) for path in self.objects.services.get(name, ()))
        return found or UNKNOWABLE

    def _of_instance(self, thing: Thing, name: str) -> Things:
        found = self._member(thing, self.objects.line(thing.name), name)
        if not thing.exact:
            for path, member in self.objects.overriding(thing.name, name):
                is_method = member is not None and isinstance(member.raw, RawFunction)
                other = Thing("instance", path)
                found += self._member(other, (path,), name) if is_method else UNKNOWABLE
        return found

    def _member(self, thing: Thing, line: Iterable[str], name: str) -> Things:
        found = self.objects.member(line, name)
        if isinstance(found, list):
            env = self._constructed(thing)
            return tuple(t for value in found for t in self.evaluate(value, env))
        if found is None:
            return UNKNOWABLE
        if isinstance(found.raw, RawFunction):
            return self._method(thing, found, found.raw)
        return (
            self._of_variable(found, found.raw)
            if isinstance(found.raw, RawVariable)
            else UNKNOWABLE
        )

    def _constructed(self, thing: Thing) -> Env:
        """The environment in which what a class sets on its instances is read."""
        env = dict(thing.env)
        for path in self.library.mro(thing.name):
            for flow in self.objects.methods(path):
                if flow.parameters:
                    env.setdefault((flow.id, flow.parameters[0].name), (thing,))
        return env

    def _method(self, thing: Thing, found: Definition, raw: RawFunction) -> Things:
        if is_property(raw):
            env = self._constructed(thing)
            return self._returned(Thing("function", found.path), raw, env)
        match binding(raw, found):
            case "class":
                return (Thing("function", found.path, ((Thing("class", thing.name),),)),)
            case "instance":
                return (Thing("function", found.path, ((thing,),)),)
            case _:
                return (Thing("function", found.path),)

    # Calls

    def _called(self, call: Value, env: Env) -> Things:
        given = self.arguments(call, env)
        return self._each(
            self.evaluate(call.of, env), lambda thing: self._result(thing, given, env)
        )

    def _result(self, thing: Thing, given: Thing, env: Env) -> Things:
        match thing.kind:
            case "class" if is_context(thing.name, self.library):
                return _CONTEXT
            case "class":
                return (self.made(thing, given),)
            case "derive":
                return _CONTEXT
            case "special":
                return self._of_special(thing.name, given)
            case "function":
                found = self.library.definition(thing.name)
                raw = found.raw if found is not None else None
                inner = self.bind(thing, given, env)
                return self._returned(thing, raw if isinstance(raw, RawFunction) else None, inner)
            case _:
                return UNKNOWABLE

    def _returned(self, thing: Thing, raw: RawFunction | None, env: Env) -> Things:
        flow = self.flows.get(thing.name)
        found = tuple(
            t for value in (flow.returns if flow else ()) for t in self.evaluate(value, env)
        )
        if any(t.kind != "unknown" for t in found) or raw is None or raw.returns is None:
            return found or UNKNOWABLE
        return self.evaluate(typed(raw.returns), NOTHING)

    def _of_special(self, name: str, given: Thing) -> Things:
        first = given.bound[0] if given.bound else UNKNOWABLE
        if name == "partial":
            rest = given._replace(bound=given.bound[1:])
            return tuple(filled(thing, rest) for thing in first)
        if name == "cast":
            return given.bound[1] if len(given.bound) > 1 else UNKNOWABLE
        names = given.bound[1] if len(given.bound) > 1 else ()
        if not names or any(item.kind != "text" for item in names):
            return UNKNOWABLE
        return tuple(t for thing in first for item in names for t in self.read(thing, item.name))

    def made(self, thing: Thing, given: Thing) -> Thing:
        """Make an instance.

        Args:
            thing: A class.
            given: The arguments.

        Returns:
            The instance, which knows what its constructor was given.
        """
        made = Thing("instance", thing.name, exact=True)
        for path in self.library.mro(thing.name):
            if f"{path}.__init__" in self.flows:
                maker = Thing("function", f"{path}.__init__", ((made,),))
                return made._replace(env=self.bind(maker, filled(thing, given), NOTHING))
        return made

    def bind(self, thing: Thing, given: Thing, env: Env) -> Env:
        """Say what the parameters of a function are when it is called.

        Args:
            thing: The function, with what is bound already.
            given: The arguments.
            env: What the parameters around it are.

        Returns:
            All of them.
        """
        flow = self.flows.get(thing.name)
        if flow is None:
            return env
        every = filled(thing, given)
        named = dict(every.named)
        inner = dict(env)
        places = iter(every.bound)
        for item in flow.parameters:
            found: Things | None = None
            if item.kind in {"positional-only", "positional-or-keyword"}:
                found = next(places, None)
            elif item.kind != "keyword-only":
                inner[flow.id, item.name] = UNKNOWABLE
                places = iter(())
                continue
            found = found or named.get(item.name)
            if found is None and item.default is not None and not every.starred:
                found = self.evaluate(item.default, env)
            if found is not None and found != UNKNOWABLE:
                inner[flow.id, item.name] = found
            else:
                inner.pop((flow.id, item.name), None)
        return inner
