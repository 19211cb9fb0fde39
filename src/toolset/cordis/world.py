"""Look at the live runtime as mounted code will find it."""

# Maintainers: the one reader of the registry for `Knowledge`. It looks and changes nothing, and what
# it gives is a snapshot for one report or one mount. What does not change is described once.

from __future__ import annotations

from collections.abc import Iterator
from weakref import WeakKeyDictionary

from toolset.catalog import Catalog, EventEntry, ServiceEntry
from toolset.cordis import live
from toolset.cordis.described import (
    TIMER,
    WITHHELD,
    context_members,
    given_members,
    harness_members,
    helper_members,
)
from toolset.cordis.knowledge import Knowledge, Known, LiveService, describe_service
from toolset.runtime import Context, Event, Registration
from toolset.runtime.events import declarations

__all__ = ["World"]


class World:
    """Joins the catalogs with what is live.

    Args:
        catalog: The merged catalogs.
    """

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._context = context_members(catalog)
        self._given = given_members()
        self._harness = harness_members()
        # Kept for as long as what they describe: reading signatures costs more than all the rest.
        self._services: WeakKeyDictionary[Registration, tuple[int, Known]] = WeakKeyDictionary()
        self._events: WeakKeyDictionary[Event, EventEntry] = WeakKeyDictionary()

    def look(self, ctx: Context) -> Knowledge:
        """Take a snapshot.

        Args:
            ctx: A context of the runtime.

        Returns:
            What is known of services and events now.
        """
        knowledge = Knowledge(
            self._catalog,
            _services(ctx),
            events=[self._event(event) for event in declarations()],
            heard=ctx.registry.events(),
            context=self._context,
            withheld=WITHHELD,
            given=self._given,
            harness=self._harness,
            describe=self._service,
        )
        timer = knowledge.service(TIMER)
        if timer is not None:
            members = {member.name: member for member in timer.entry.members}
            knowledge.forwarded = {TIMER: helper_members(members)}
        return knowledge

    def _service(self, running: LiveService, entry: ServiceEntry | None) -> Known:
        registration = running.registration
        if not isinstance(registration, Registration):
            return describe_service(running, entry)
        size = len(getattr(running.value, "__dict__", ()))  # attributes may have been added since
        kept = self._services.get(registration)
        if kept is None or kept[0] != size:
            kept = self._services[registration] = (size, describe_service(running, entry))
        return kept[1]

    def _event(self, event: Event) -> EventEntry:
        kept = self._events.get(event)
        if kept is None:
            kept = self._events[event] = live.describe_event(
                event.name, event.mode, event.signature, is_async=event.is_async, doc=event.doc
            )
        return kept


def _services(ctx: Context) -> Iterator[LiveService]:
    for one in ctx.registry.services():
        if one.live:
            yield LiveService(one.key, one.value, one.fiber.name, str(one.fiber.state), one)
