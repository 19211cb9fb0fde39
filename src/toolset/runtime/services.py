"""Who provides what, and who waits for it: services by key."""

# Maintainers: the index of registrations and consumers. A slot is one key in one isolate scope; it
# exists while it has a provider or a consumer, so that fresh keys leave nothing behind. Consumers
# are found by slot: no operation here may cost more because other services or fibers exist.

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeAlias
from weakref import WeakSet

from toolset.runtime.closing import as_failure
from toolset.runtime.errors import bracketed

if TYPE_CHECKING:
    from toolset.runtime.context import Context
    from toolset.runtime.fiber import Fiber

__all__ = ["Check", "Registration"]

Label: TypeAlias = object
Check: TypeAlias = "Callable[[Context], object]"
"""Decides, from a reader's context, whether a service is available to it: anything true is yes."""


class Slot:
    """One key in one isolate scope."""

    __slots__ = ("consumers", "key", "label", "registration")

    def __init__(self, key: str, label: Label) -> None:
        self.key = key
        self.label = label
        self.registration: Registration | None = None
        self.consumers: dict[Fiber, None] = {}


class Registration:
    """One provided value; its identity is what a consumer's epoch is made of.

    Attributes:
        key: The service's key.
        value: What was provided.
        fiber: The fiber that provides it.
    """

    __slots__ = ("__weakref__", "check", "fiber", "key", "readers", "slot", "value", "withdrawn")

    def __init__(self, slot: Slot, value: object, fiber: Fiber, check: Check | None) -> None:
        self.key = slot.key
        self.value = value
        self.fiber = fiber
        self.slot = slot
        self.check = check
        self.withdrawn = False
        self.readers: WeakSet[Context] | None = None

    def __repr__(self) -> str:
        return f"<Registration {self.key!r} by {bracketed(self.fiber.name)}>"

    @property
    def live(self) -> bool:
        """Whether its provider is active and has not withdrawn it."""
        return not self.withdrawn and self.fiber.provides_now

    def offered_to(self, reader: Context) -> bool:
        """Tell whether `reader` may have it: it is live, and its check agrees."""
        if not self.live:
            return False
        if self.check is None:
            return True
        try:
            return bool(self.check(reader))
        except (Exception, GeneratorExit) as error:  # noqa: BLE001 - it offers nothing, and is told of
            self.fiber.report(as_failure(error), f'check of service "{self.key}"')
            return False

    def remember(self, reader: Context) -> None:
        """Note that `reader` keeps a view of it."""
        if self.readers is None:
            self.readers = WeakSet()
        self.readers.add(reader)

    def forget(self) -> None:
        """Make every reader drop its view."""
        for reader in tuple(self.readers or ()):
            reader.drop_view(self)


class ServiceTable:
    """The slots of one root."""

    __slots__ = ("_slots",)

    def __init__(self) -> None:
        self._slots: dict[tuple[str, Label], Slot] = {}

    def __iter__(self) -> Iterator[Slot]:
        return iter(tuple(self._slots.values()))

    def find(self, key: str, label: Label) -> Slot | None:
        """Give the slot if anything provides or wants it."""
        return self._slots.get((key, label))

    def claim(self, key: str, label: Label) -> Slot:
        """Give the slot, made when need be; whoever claims it must fill it or `release` it."""
        slot = self._slots.get((key, label))
        if slot is None:
            slot = self._slots[key, label] = Slot(key, label)
        return slot

    def release(self, slot: Slot) -> None:
        """Forget a slot that nobody provides or wants."""
        if slot.registration is None and not slot.consumers:
            self._slots.pop((slot.key, slot.label), None)
