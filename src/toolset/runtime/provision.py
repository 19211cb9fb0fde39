"""What one fiber provides, and the order in which it is taken away."""

# Maintainers: a registration is withdrawn (nobody new gets it, consumers begin to unload), then,
# when every consumer that was bound to it is quiet, dropped. It knows fibers only through the few
# members it calls.

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from toolset.runtime import internal
from toolset.runtime.effects import Effect
from toolset.runtime.errors import DuplicateServiceError, InactiveContextError
from toolset.runtime.services import Registration

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolset.runtime.collect import Rest
    from toolset.runtime.fiber import Fiber
    from toolset.runtime.services import Check, Slot

__all__: list[str] = []


class Provision:
    """The registrations of one fiber, in the order they were made."""

    __slots__ = ("_fiber", "_registrations")

    def __init__(self, fiber: Fiber) -> None:
        self._fiber = fiber
        self._registrations: dict[Registration, None] = {}

    def __iter__(self) -> Iterator[Registration]:
        return iter(tuple(self._registrations))

    def publish(self, slot: Slot, value: object, check: Check | None) -> Effect:
        """Publish a value under a slot's key until the effect is disposed."""
        fiber = self._fiber
        label = f"ctx.provide({slot.key!r})"
        taken = slot.registration
        if taken is not None:
            raise DuplicateServiceError(slot.key, taken.fiber.name, fiber.name)
        try:
            fiber.ensure_open(label)
        except InactiveContextError:
            fiber.registry.table.release(slot)
            raise
        registration = Registration(slot, value, fiber, check)
        slot.registration = registration
        self._registrations[registration] = None
        effect = Effect.of(fiber, label, functools.partial(self._end, registration))
        if fiber.provides_now:
            self._announce(slot)
        return effect

    def announce(self) -> None:
        """Tell everyone who waits: the fiber is active now."""
        for registration in self:
            self._announce(registration.slot)

    def withdraw(self) -> None:
        """Offer nothing any more; consumers begin to unload."""
        for registration in self:
            self._withdraw(registration)

    @property
    def consumed(self) -> bool:
        """Whether somebody still runs on something of it."""
        return any(_consumers(registration) for registration in self._registrations)

    async def until_quiet(self) -> None:
        """Wait until nobody runs on anything of it, save who waits for us."""
        for registration in self:
            await self._until_quiet(registration)

    def _announce(self, slot: Slot) -> None:
        for consumer in tuple(slot.consumers):
            consumer.kick()
        self._fiber.registry.tell(internal.service, slot.key)

    def _withdraw(self, registration: Registration) -> None:
        if not registration.withdrawn:
            registration.withdrawn = True
            self._announce(registration.slot)

    def _end(self, registration: Registration) -> Rest | None:
        self._withdraw(registration)
        if _consumers(registration):
            return self._end_quietly(registration)
        self._drop(registration)
        return None

    async def _end_quietly(self, registration: Registration) -> None:
        await self._until_quiet(registration)
        self._drop(registration)

    def _drop(self, registration: Registration) -> None:
        slot = registration.slot
        self._registrations.pop(registration, None)
        slot.registration = None
        registration.forget()
        self._fiber.registry.table.release(slot)

    async def _until_quiet(self, registration: Registration) -> None:
        waits = self._fiber.registry.waits
        for consumer in _consumers(registration):
            while consumer.bound(registration.slot) is registration:
                driver = consumer.driver
                if driver is None or not await waits.wait(driver):
                    break


def _consumers(registration: Registration) -> list[Fiber]:
    slot = registration.slot
    return [one for one in slot.consumers if one.bound(slot) is registration]
