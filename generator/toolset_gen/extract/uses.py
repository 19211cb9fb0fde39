"""Sites linked: which event, service or plugin each use of a context is about."""

# Maintainers: turns RawSites into Sites. It drops what turns out to be no context, follows names to
# constants and declarations, resolves listeners, and says whose code each site is. It judges nothing.

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from toolset.catalog import EventEntry, Parameter
from toolset_gen.extract.describe import Describer
from toolset_gen.extract.kinds import own_parameters
from toolset_gen.extract.library import Definition
from toolset_gen.extract.model import Listener, Location, Site, SiteKind
from toolset_gen.extract.names import MODES, is_context, is_service
from toolset_gen.extract.plugins import Plugins
from toolset_gen.extract.raw import (
    Expr,
    RawClass,
    RawFunction,
    RawListener,
    RawModule,
    RawPass,
    RawSite,
)

__all__ = ["find_sites", "inject_sites", "mounted_plugins"]

_LISTENS = frozenset({"on", "once"})
_TAKES_NO_DISPATCH = frozenset(
    {"declared", "isinstance", "listen", "listeners", "off", "print", "repr", "str", "subscribe"}
)


def mounted_plugins(describer: Describer) -> Iterator[str]:
    """List what the sources mount.

    Args:
        describer: What resolves paths.

    Yields:
        Canonical paths.
    """
    library = describer.library
    for module in library.modules():
        for site in module.sites:
            if site.verb != "plugin" or not is_context(site.receiver, library):
                continue
            given = _argument(site.call, 0, "plugin")
            if given is not None and given.kind == "name" and not given.path.startswith("?"):
                yield library.canonical(given.path)


def find_sites(
    describer: Describer, events: Mapping[str, EventEntry], plugins: Plugins
) -> tuple[Site, ...]:
    """Link every site of the scanned modules.

    Args:
        describer: What resolves paths.
        events: Declared events by canonical path.
        plugins: Whose code is whose.

    Returns:
        The sites by place.
    """
    linker = _Linker(describer, events, plugins)
    found = [site for module in describer.library.modules() for site in linker.of(module)]
    return tuple(sorted(found, key=lambda site: (site.location, site.kind, site.verb, site.text)))


def inject_sites(plugins: Plugins) -> Iterator[Site]:
    """Give the keys of every `inject` as sites.

    Args:
        plugins: The plugins.

    Yields:
        A site a key.
    """
    for plugin in plugins.found:
        for item in plugin.injected:
            yield Site(
                kind="inject",
                verb="required" if item.required else "optional",
                name=item.key,
                text=item.text,
                location=item.location,
                function=plugin.code,
                plugin=plugin.entry.path,
            )


class _Linker:
    def __init__(
        self, describer: Describer, events: Mapping[str, EventEntry], plugins: Plugins
    ) -> None:
        self.describer = describer
        self.library = describer.library
        self.events = events
        self.plugins = plugins
        facts = describer.describe_class("toolset.Context")
        self.own = {item.name for item in facts.entry.members} if facts is not None else set[str]()
        self.own |= {*MODES, *_LISTENS, "provide", "get", "plugin", "inject", "mixin", "accessor"}

    def of(self, module: RawModule) -> Iterator[Site]:
        for raw in module.sites:
            if not is_context(raw.receiver, self.library):
                continue
            if raw.call is None:
                yield from self._read(module, raw)
            elif raw.verb in MODES or raw.verb in _LISTENS:
                yield self._event(module, raw, raw.call)
            elif raw.verb in {"provide", "get", "plugin", "inject"}:
                yield from self._keyed(module, raw, raw.call)
        for passed in module.passed:
            yield from self._passed(module, passed)

    def _site(self, module: RawModule, line: int, function: str, kind: SiteKind) -> Site:
        path = f"{module.name}.{function}" if function else module.name
        owner = self.plugins.owner(path)
        return Site(
            kind=kind,
            verb="",
            name=None,
            text="",
            location=Location(module.path, line),
            function=path,
            plugin=owner.entry.path if owner is not None else "",
        )

    def _read(self, module: RawModule, raw: RawSite) -> Iterator[Site]:
        if raw.verb.startswith("_") or raw.verb in self.own:
            return
        site = self._site(module, raw.line, raw.function, "read")
        yield site._replace(verb="attribute", name=raw.verb, text=raw.verb)

    def _event(self, module: RawModule, raw: RawSite, call: Expr) -> Site:
        kind: SiteKind = "listen" if raw.verb in _LISTENS else "dispatch"
        given = _argument(call, 0, "event")
        name, path = self._name(given)
        listener = self._listener(module, raw.listener) if kind == "listen" else None
        return self._site(module, raw.line, raw.function, kind)._replace(
            verb=raw.verb,
            name=name,
            text=given.text if given is not None else "",
            event=path,
            arguments=-1 if call.starred else max(len(call.args) - 1, 0),
            listener=listener,
        )

    def _name(self, given: Expr | None) -> tuple[str | None, str]:
        """The event's name, and the path of its declaration when the object is named."""
        if given is None:
            return None, ""
        constant = self.library.constant(given)
        if constant is not None:
            return constant, ""
        if given.kind == "name" and given.path.endswith(".name"):
            owner = self.library.canonical(given.path.removesuffix(".name"))
            if owner in self.events:
                return self.events[owner].name, owner
        path = self.library.canonical(given.path) if given.kind == "name" else ""
        return (self.events[path].name, path) if path in self.events else (None, "")

    def _keyed(self, module: RawModule, raw: RawSite, call: Expr) -> Iterator[Site]:
        kinds: Mapping[str, SiteKind] = {"provide": "provide", "get": "read", "plugin": "mount"}
        if raw.verb == "inject":
            yield from self._injected(module, raw, call)
            return
        given = _argument(call, 0, "plugin" if raw.verb == "plugin" else "key")
        if given is None:
            return
        name = self.library.constant(given)
        if raw.verb == "plugin":
            known = given.kind == "name" and not given.path.startswith("?")
            name = self.library.canonical(given.path) if known else None
        site = self._site(module, raw.line, raw.function, kinds[raw.verb])
        yield site._replace(verb=raw.verb, name=name, text=given.text)

    def _injected(self, module: RawModule, raw: RawSite, call: Expr) -> Iterator[Site]:
        """The keys that `ctx.inject(names, callback)` asks for."""
        given = _argument(call, 0, "names")
        if given is None:
            return
        groups = {key: value for key, value in given.keywords if key in {"required", "optional"}}
        pairs = [("required", item) for item in given.args]
        if given.kind == "mapping" and groups:
            pairs = [(verb, item) for verb, value in groups.items() for item in value.args]
        elif given.kind == "mapping":
            pairs = [("required", Expr(k, "string", k, line=v.line)) for k, v in given.keywords]
        site = self._site(module, raw.line, raw.function, "inject")
        for verb, item in pairs:
            yield site._replace(verb=verb, name=self.library.constant(item), text=item.text)

    def _passed(self, module: RawModule, raw: RawPass) -> Iterator[Site]:
        """An event given to another function: that is how helpers dispatch."""
        path = self.library.canonical(raw.path)
        if path not in self.events or raw.callee in _TAKES_NO_DISPATCH:
            return
        event = self.events[path]
        # Where the helper does not say what it does with it, it is taken to do it right.
        for verb in self._forwarded(raw) or (event.mode,):
            kind: SiteKind = "listen" if verb in _LISTENS else "dispatch"
            yield self._site(module, raw.line, raw.function, kind)._replace(
                verb=verb, name=event.name, text=raw.callee, event=path, arguments=-1
            )

    def _forwarded(self, raw: RawPass) -> tuple[str, ...]:
        """Say with which verbs a helper dispatches or listens to what it is given."""
        found = self.library.definition(self.library.canonical(raw.target)) if raw.target else None
        if found is None or not isinstance(found.raw, RawFunction):
            return ()
        given = found.raw.parameters
        name = raw.keyword
        if not name and 0 <= raw.place < len(given):
            name = given[raw.place].name
        return tuple(dict.fromkeys(self._forwards.get((found.path, name), ())))

    @cached_property
    def _forwards(self) -> dict[tuple[str, str], list[str]]:
        """Function and parameter to the verbs that the function calls with that parameter."""
        verbs: dict[tuple[str, str], list[str]] = {}
        for module in self.library.modules():
            for raw in module.sites:
                given = _argument(raw.call, 0, "event")
                known = raw.verb in MODES or raw.verb in _LISTENS
                if given is not None and known and given.path == f"?{given.text}":
                    path = f"{module.name}.{raw.function}"
                    verbs.setdefault((path, given.text), []).append(raw.verb)
        return verbs

    # Listeners

    def _listener(self, module: RawModule, raw: RawListener | None) -> Listener | None:
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


def _argument(call: Expr | None, index: int, name: str) -> Expr | None:
    if call is None:
        return None
    if len(call.args) > index:
        return call.args[index]
    return call.keyword(name)
