"""Sites linked: which event, service or plugin each use of a context is about."""

# Maintainers: turns RawSites into Sites. It drops what turns out to be no context, follows names to
# constants and declarations, resolves listeners, and says whose code each site is. It judges
# nothing.

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from toolset.catalog import EventEntry
from toolset_gen.extract.describe import Describer
from toolset_gen.extract.flows import Effect, Flows, Followed
from toolset_gen.extract.library import Library
from toolset_gen.extract.listeners import Listeners
from toolset_gen.extract.model import Location, Site, SiteKind
from toolset_gen.extract.names import MODES, is_context
from toolset_gen.extract.plugins import Plugins
from toolset_gen.extract.raw import Expr, RawModule, RawSite, RawUses
from toolset_gen.extract.things import LISTENS

__all__ = ["Again", "find_sites", "inject_sites", "mounted_plugins"]

Again: TypeAlias = Callable[[RawModule], RawUses | None]

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
        for site in module.uses.sites if module.uses is not None else ():
            if site.verb != "plugin" or not is_context(site.receiver, library):
                continue
            given = _argument(site.call, 0, "plugin")
            if given is not None and given.kind == "name" and not given.path.startswith("?"):
                yield library.canonical(given.path)


def find_sites(
    describer: Describer,
    events: Mapping[str, EventEntry],
    plugins: Plugins,
    again: Again | None = None,
) -> tuple[Site, ...]:
    """Link every site of the scanned modules.

    Args:
        describer: What resolves paths.
        events: Declared events by canonical path.
        plugins: Whose code is whose.
        again: Reads what a module uses that imports an event and hints at no context.

    Returns:
        The sites by place.
    """
    uses = dict(_uses(describer.library, events, again))
    linker = _Linker(describer, events, plugins, uses)
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


def _uses(
    library: Library, events: Mapping[str, EventEntry], again: Again | None
) -> Iterator[tuple[str, RawUses]]:
    """What each module uses; of those where no word hints at a context, those that import an event."""
    offering = {path.rpartition(".")[0] for path in events}
    for module in library.modules():
        for _, target in module.imports:
            if library.canonical(target) in events:
                offering.add(module.name)
    for module in library.modules():
        found = module.uses
        if found is None and again is not None:
            named = {library.canonical(target) for _, target in module.imports} | {*module.stars}
            found = again(module) if named & offering or named & events.keys() else None
        if found is not None:
            yield module.name, found


class _Linker:
    def __init__(
        self,
        describer: Describer,
        events: Mapping[str, EventEntry],
        plugins: Plugins,
        uses: Mapping[str, RawUses],
    ) -> None:
        self.library = describer.library
        self.events = events
        # Innermost is found by its path: every site asks, and there may be a thousand of either.
        self.plugins = {plugin.code: plugin.entry.path for plugin in reversed(plugins.found)}
        self.uses = uses
        self.flows = Flows(self.library, events, uses)
        self.listeners = Listeners(describer, self.flows.tracer.flows)
        facts = describer.describe_class("toolset.Context")
        self.own = {item.name for item in facts.entry.members} if facts is not None else set[str]()
        self.own |= {*MODES, *LISTENS, "provide", "get", "plugin", "inject", "mixin", "accessor"}

    def of(self, module: RawModule) -> Iterator[Site]:
        uses = self.uses.get(module.name)
        if uses is None:
            return
        written = [site for raw in uses.sites for site in self._written(module, raw)]
        named = {(s.location.line, s.verb) for s in written if s.name is not None}
        followed = [site for item in self.flows.followed(module.name) for site in self._given(item)]
        told = {(s.location.line, s.verb) for s in followed if s.via is None}
        for site in written:
            if site.name is not None or (site.location.line, site.verb) not in told:
                yield site
        for site in followed:
            if site.via is not None or (site.location.line, site.verb) not in named:
                yield site
        yield from self._mentions(module, uses)

    def _written(self, module: RawModule, raw: RawSite) -> Iterator[Site]:
        if not is_context(raw.receiver, self.library):
            return
        if raw.call is None:
            yield from self._read(module, raw)
        elif raw.verb in MODES or raw.verb in LISTENS:
            yield self._event(module, raw, raw.call)
        elif raw.verb in {"provide", "get", "plugin", "inject"}:
            yield from self._keyed(module, raw, raw.call)

    def _mentions(self, module: RawModule, uses: RawUses) -> Iterator[Site]:
        for path in uses.mentions:
            owner = self.library.canonical(path.removesuffix(".name").removesuffix(".mode"))
            if owner in self.events:
                site = self._site(module, 0, "", "mention")
                yield site._replace(name=self.events[owner].name, event=owner)

    def _site(self, module: RawModule, line: int, function: str, kind: SiteKind) -> Site:
        path = f"{module.name}.{function}" if function else module.name
        return Site(
            kind=kind,
            verb="",
            name=None,
            text="",
            location=Location(module.path, line),
            function=path,
            plugin=self._owner(path),
        )

    def _owner(self, path: str) -> str:
        """Find the innermost plugin around some code; empty when there is none."""
        while path and path not in self.plugins:
            path = path.rpartition(".")[0]
        return self.plugins.get(path, "")

    def _read(self, module: RawModule, raw: RawSite) -> Iterator[Site]:
        if raw.verb.startswith("_") or raw.verb in self.own:
            return
        site = self._site(module, raw.line, raw.function, "read")
        yield site._replace(verb="attribute", name=raw.verb, text=raw.verb)

    def _event(self, module: RawModule, raw: RawSite, call: Expr) -> Site:
        kind: SiteKind = "listen" if raw.verb in LISTENS else "dispatch"
        given = _argument(call, 0, "event")
        name, path = self._name(given)
        listener = self.listeners.of_raw(module, raw.listener) if kind == "listen" else None
        if kind == "listen" and listener is None:
            flow = f"{module.name}.{raw.function}" if raw.function else module.name
            listener = self.listeners.of_thing(self.flows.listener(flow, raw.line))
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

    def _given(self, found: Followed) -> Iterator[Site]:
        """An event given to something: that is how helpers dispatch and listen."""
        name, mode, path = self._named(found)
        module = self.library.module(self.flows.module_of(found.flow))
        if module is None or (not path and not found.effects):
            return
        callee = found.call.callee if found.call is not None else ""
        site = self._site(module, found.location.line, found.flow.function, "dispatch")
        site = site._replace(name=name, text=callee, event=path, arguments=-1)
        if found.direct:
            first = found.call.first if found.call is not None else ""
            site = site._replace(text=first or callee)
            yield from (self._used(site, effect)._replace(via=None) for effect in found.effects)
            return
        dispatched = [effect for effect in found.effects if effect.verb in MODES]
        listened = [effect for effect in found.effects if effect.verb in LISTENS]
        right = [effect for effect in dispatched if effect.verb == mode]
        if right:  # of several verbs it is taken to choose the right one
            counts = {effect.arguments for effect in right}
            used = self._used(site, right[0])
            yield used._replace(arguments=counts.pop() if len(counts) == 1 else -1)
        elif dispatched and all(effect.verb for effect in found.effects):
            for verb in dict.fromkeys(effect.verb for effect in dispatched):
                effect = next(item for item in dispatched if item.verb == verb)
                yield self._used(site, effect)._replace(arguments=-1)
        elif path and not listened and (found.effects or callee not in _TAKES_NO_DISPATCH):
            # Where the helper does not say what it does with it, it is taken to do it right.
            yield site._replace(verb=mode, via=site.location)
        for effect in listened:
            yield self._used(site, effect)

    def _named(self, found: Followed) -> tuple[str, str, str]:
        """An event's name, its mode, and the path of its declaration when the object is given."""
        event = found.event
        if event.kind == "event":
            entry = self.events[event.name]
            return entry.name, entry.mode, event.name
        known = next((entry for entry in self.events.values() if entry.name == event.name), None)
        return event.name, known.mode if known is not None else "", ""

    def _used(self, site: Site, effect: Effect) -> Site:
        return site._replace(
            kind="listen" if effect.verb in LISTENS else "dispatch",
            verb=effect.verb,
            arguments=effect.arguments,
            listener=self.listeners.of_thing(effect.listener),
            via=effect.location,
        )


def _argument(call: Expr | None, index: int, name: str) -> Expr | None:
    if call is None:
        return None
    if len(call.args) > index:
        return call.args[index]
    return call.keyword(name)
