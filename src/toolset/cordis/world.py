"""Look at the live runtime as mounted code will find it."""

# Maintainers: the one reader of the registry for `Knowledge`. It looks and changes nothing, and what
# it gives is a snapshot for one report or one mount.

from __future__ import annotations

from collections.abc import Iterator

from toolset.catalog import Catalog, EventEntry
from toolset.cordis import live
from toolset.cordis.given import GIVEN, WITHHELD, context_members, harness_members
from toolset.cordis.knowledge import Knowledge, LiveService
from toolset.runtime import Context, Event, declared

__all__ = ["look"]


def look(ctx: Context, catalog: Catalog) -> Knowledge:
    """Join the catalogs with what is live now.

    Args:
        ctx: A context of the runtime; services isolated from it are left out.
        catalog: The merged catalogs.

    Returns:
        What is known of services and events.
    """
    heard = ctx.registry.events()
    return Knowledge(
        catalog,
        _services(ctx),
        events=[_describe(event) for name in heard if (event := declared(name)) is not None],
        heard=heard,
        context=context_members(catalog, frozenset(ctx.registry.accessors)),
        withheld=WITHHELD,
        given=GIVEN,
        harness=harness_members(),
    )


def _services(ctx: Context) -> Iterator[LiveService]:
    for one in ctx.registry.services():
        if one.live:
            yield LiveService(one.key, one.value, one.fiber.name, str(one.fiber.state))


def _describe(event: Event) -> EventEntry:
    return live.describe_event(
        event.name, event.mode, event.signature, is_async=event.is_async, doc=event.doc
    )
