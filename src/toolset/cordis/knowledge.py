"""Join what the catalogs say with what is live."""

# Maintainers: the one place that decides whether a row is live, loadable or uncatalogued, for the
# report and for the preflight alike. It knows records, not Markdown and not syntax trees.
# Invariants: a snapshot, made for one report or one mount; live objects are described when asked
# for, since reading signatures costs more than the rest of a preflight; a live object of another
# class than the catalogued one is described by itself, never by the catalog.

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Literal, NamedTuple, TypeAlias

from toolset.catalog import Catalog, EventEntry, Member, ServiceEntry, TypeEntry
from toolset.cordis import live

__all__ = ["Knowledge", "Known", "LiveService", "State", "describe_service"]

State: TypeAlias = Literal["live", "loadable", "uncatalogued"]


class LiveService(NamedTuple):
    """A service that is provided now.

    Attributes:
        key: The key it is provided under.
        value: The object itself.
        owner: Display name of the fiber that provides it.
        owner_state: That fiber's state.
        registration: Identifies the registration, for whoever keeps descriptions.
    """

    key: str
    value: object
    owner: str
    owner_state: str = "active"
    registration: object = None


class Known(NamedTuple):
    """What is known of one service.

    Attributes:
        entry: Its description, from the catalog or read off the live object.
        state: `live` (running and catalogued), `loadable` (catalogued, not running) or
            `uncatalogued` (running, described by the live object alone).
        complete: Whether `entry` lists every public member, so that a missing one is a mistake.
    """

    entry: ServiceEntry
    state: State
    complete: bool = True


Describe: TypeAlias = Callable[[LiveService, ServiceEntry | None], Known]


class Knowledge:
    """A snapshot of the services and events that are catalogued, live, or both.

    Args:
        catalog: The merged catalogs.
        services: What is provided now.
        events: Declared events that are live, as records.
        heard: Names that somebody listens to now, declared or not.
        context: What code is given on `ctx`, by name.
        withheld: Names of the real context that mounted code is not given.
        given: Members of a service, where mounted code is given others than the service has.
        harness: What code is given on `harness`, by name.
        describe: Describes a live service; `describe_service` unless somebody keeps descriptions.

    Attributes:
        forwarded: Members that a service adds to the context of plugins that declare it, by key.
    """

    def __init__(
        self,
        catalog: Catalog,
        services: Iterable[LiveService] = (),
        *,
        events: Iterable[EventEntry] = (),
        heard: Iterable[str] = (),
        context: Mapping[str, Member] | None = None,
        withheld: Iterable[str] = (),
        given: Mapping[str, Mapping[str, Member]] | None = None,
        harness: Mapping[str, Member] | None = None,
        describe: Describe | None = None,
    ) -> None:
        self.catalog = catalog
        self.live = {service.key: service for service in services}
        self.heard = frozenset(heard)
        self.context = {m.name: m for m in catalog.context} if context is None else dict(context)
        self.withheld = frozenset(withheld)
        self.given = dict(given or {})
        self.harness = dict(harness or {})
        self.forwarded: Mapping[str, Mapping[str, Member]] = {}
        self._catalogued = {entry.key: entry for entry in catalog.services}
        self._events = {entry.name: entry for entry in (*events, *catalog.events)}
        self._types: dict[str, TypeEntry] | None = None
        self._known: dict[str, Known] = {}
        self._describe_live = describe or describe_service
        self._members: dict[str, Mapping[str, Member]] = {}

    def service(self, key: str) -> Known | None:
        """Describe the service under `key`; None when nothing knows it."""
        if key not in self._known:
            known = self._describe(key)
            if known is None:
                return None
            self._known[key] = known
        return self._known[key]

    def members(self, key: str) -> Mapping[str, Member]:
        """Give what mounted code can use of a service; nothing when nothing knows it."""
        found = self._members.get(key)
        if found is None:
            known = self.service(key)
            listed = {} if known is None else {m.name: m for m in known.entry.members}
            found = self._members[key] = self.given.get(key, listed)
        return found

    def forwarded_by(self, name: str) -> str | None:
        """Give the key of the service that adds `name` to contexts."""
        return next((key for key, names in self.forwarded.items() if name in names), None)

    def type(self, path: str) -> TypeEntry | None:
        """Describe a type by its import path; None when the catalog does not."""
        if self._types is None:
            self._types = {entry.path: entry for entry in self.catalog.types}
        return self._types.get(path)

    def event(self, name: str) -> EventEntry | None:
        """Describe a declared event; None when nothing declares it."""
        return self._events.get(name)

    def service_keys(self) -> list[str]:
        """List every key that is live or catalogued, sorted."""
        return sorted({*self.live, *self._catalogued})

    def event_names(self) -> list[str]:
        """List every declared event and every name somebody listens to, sorted."""
        return sorted({*self._events, *self.heard})

    def catalogued(self, key: str) -> ServiceEntry | None:
        """Give the catalog's entry for `key`, live or not."""
        return self._catalogued.get(key)

    def _describe(self, key: str) -> Known | None:
        entry = self._catalogued.get(key)
        running = self.live.get(key)
        if running is None:
            return None if entry is None else Known(entry, "loadable")
        return self._describe_live(running, entry)


def describe_service(running: LiveService, entry: ServiceEntry | None) -> Known:
    """Describe a live service.

    Args:
        running: The service.
        entry: The catalog's entry for its key, None without one.

    Returns:
        The catalog's description when the object is of that class, else the object's own.
    """
    complete = live.is_complete(running.value)
    if entry is None or not live.is_instance_of(running.value, entry):
        return Known(live.describe(running.key, running.value), "uncatalogued", complete)
    return Known(live.with_extra_members(entry, running.value), "live", complete)
