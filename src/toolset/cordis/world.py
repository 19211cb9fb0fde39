"""Look at the live runtime as mounted code will find it."""

# Maintainers: the one reader of the registry for `Knowledge`. It looks and changes nothing, and what
# it gives is a snapshot for one report or one mount. What does not change is described once.

from __future__ import annotations

from collections.abc import Iterator

from toolset.catalog import Catalog, EventEntry
from toolset.cordis import live
from toolset.cordis.described import (
    TIMER,
    WITHHELD,
    context_members,
    given_members,
    harness_members,
    helper_members,
)
from toolset.cordis.knowledge import Knowledge, LiveService
from toolset.runtime import Context, Event
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
            events=[_describe(event) for event in declarations()],
            heard=ctx.registry.events(),
            context=self._context,
            withheld=WITHHELD,
            given=self._given,
            harness=self._harness,
        )
        timer = knowledge.service(TIMER)
        if timer is not None:
            members = {member.name: member for member in timer.entry.members}
            knowledge.forwarded = {TIMER: helper_members(members)}
        return knowledge


def _services(ctx: Context) -> Iterator[LiveService]:
    for one in ctx.registry.services():
        if one.live:
            yield LiveService(one.key, one.value, one.fiber.name, str(one.fiber.state))


def _describe(event: Event) -> EventEntry:
    return live.describe_event(
        event.name, event.mode, event.signature, is_async=event.is_async, doc=event.doc
    )
