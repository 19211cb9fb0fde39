"""Which services a context may read, and what it is told when it may not."""

# Maintainers: resolves (context, key) to a registration. An injected key gives what the running
# instance was started with, so that a consumer keeps its service until it is quiet.

from __future__ import annotations

from typing import TYPE_CHECKING

from toolset.catalog import nearest
from toolset.runtime.errors import ServiceAccessError, bracketed

if TYPE_CHECKING:
    from toolset.runtime.context import Context
    from toolset.runtime.fiber import Fiber
    from toolset.runtime.services import Registration, Slot

__all__: list[str] = []


def scope_label(ctx: Context, key: str) -> object:
    """Give the label of the scope in which a context sees `key`; None for the root's."""
    return ctx.scope.get(key)


def read(ctx: Context, key: str, *, required: bool) -> Registration | None:
    """Resolve a key.

    Args:
        ctx: The reader.
        key: The service's key.
        required: Whether to refuse what the reader did not inject, and to raise when there is nothing.

    Returns:
        The registration; None only when not required.

    Raises:
        ServiceAccessError: It is required and may not be read.
    """
    slot = ctx.registry.table.find(key, scope_label(ctx, key))
    found = None if slot is None else _allowed(ctx, slot)
    if found is None and slot is not None:
        live = _live(ctx, slot)
        found = live if live is not None and (not required or ctx.fiber.parent is None) else None
    if found is None and required:
        raise _refusal(ctx, key, slot)
    return found


def _allowed(ctx: Context, slot: Slot) -> Registration | None:
    """What the reader injected (itself or through an ancestor), or provides itself."""
    own = ctx.fiber.own_registration(slot)
    if own is not None:
        return own
    fiber: Fiber | None = ctx.fiber
    while fiber is not None:
        bound = fiber.bound(slot)
        if bound is not None:
            return bound
        fiber = fiber.parent
    return None


def _live(ctx: Context, slot: Slot) -> Registration | None:
    found = slot.registration
    return found if found is not None and found.offered_to(ctx) else None


def _refusal(ctx: Context, key: str, slot: Slot | None) -> ServiceAccessError:
    who = ctx.fiber.name
    if slot is not None and _live(ctx, slot) is not None:
        return ServiceAccessError(
            f'service "{key}" is not injected by plugin {bracketed(who)}; add {key!r} to its `inject`, '
            f"or read it with ctx.get({key!r})",
            key,
        )
    if slot is not None and ctx.fiber.wants(slot):
        return ServiceAccessError(
            f'service "{key}" is not available to plugin {bracketed(who)} now: no active provider; '
            f"read an optional service with ctx.get({key!r})",
            key,
        )
    live = {one.key for one in ctx.registry.services() if one.live}
    near = nearest(key, (*live, *(n for n in dir(type(ctx)) if not n.startswith("_"))))
    hint = f"; did you mean ctx.{near[0]}?" if near else ""
    return ServiceAccessError(
        f'plugin {bracketed(who)} reads ctx.{key}, but there is no service "{key}" and no such member{hint}',
        key,
    )
