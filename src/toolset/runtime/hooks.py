"""Who listens to what, and the snapshots that dispatches walk."""

# Maintainers: a snapshot is made on the first dispatch after a change and walked as it is, so
# neither listening nor dispatching costs more because others listen or other events exist. One that
# is being walked must skip a listener that is removed meanwhile: its place in every snapshot that
# is alive is made idle, which costs the walk nothing.

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from toolset.runtime.errors import bracketed
from toolset.runtime.events import Event, name_for

if TYPE_CHECKING:
    from toolset.runtime.fiber import Fiber

__all__ = ["Listener"]


def _gone(*_: object) -> None:
    """Stand in for a listener that was removed."""


class Listener:
    """One function listening to one event.

    Attributes:
        fiber: The fiber that listens.
        callback: The function as registered.
    """

    __slots__ = ("call", "callback", "fiber", "place")

    def __init__(self, fiber: Fiber, callback: Callable[..., object]) -> None:
        self.fiber = fiber
        self.callback = callback
        self.call: Callable[..., object] = callback
        self.place = 0

    @property
    def live(self) -> bool:
        """Whether it still listens."""
        return self.call is not _gone

    def __repr__(self) -> str:
        name = getattr(self.callback, "__qualname__", None) or repr(self.callback)
        return f"<Listener {name} of {bracketed(self.fiber.name)}>"


class Calls(list[Callable[..., object]]):
    """A snapshot: what a dispatch calls, in order, each a different object, and whose calls these are."""

    __slots__ = ("__weakref__", "_made", "listeners")

    def __init__(self, listeners: tuple[Listener, ...]) -> None:
        made: dict[int, Callable[..., object]] = {}
        for listener in listeners:
            call = listener.call
            if id(call) in made:  # one function that listens twice
                call = functools.partial(call)
            made[id(call)] = call
        self._made = tuple(made.values())
        super().__init__(self._made)
        self.listeners = listeners

    def who(self, call: object) -> Listener:
        """Tell whose call one of this snapshot's is, also when it was removed meanwhile."""
        return next(one for one, its in zip(self.listeners, self._made, strict=True) if its is call)

    def idle(self, listener: Listener) -> None:
        """Let a walk that comes to a removed listener pass it."""
        place = listener.place
        if place >= len(self) or self.listeners[place] is not listener:
            if listener not in self.listeners:
                return
            place = self.listeners.index(listener)
        self[place] = _gone


NOBODY = Calls(())


class Hooks:
    """The listeners of one event, in order."""

    __slots__ = ("_first", "_older", "_rest", "_snapshot", "known_as")

    def __init__(self) -> None:
        self._first: dict[Listener, None] = {}
        self._rest: dict[Listener, None] = {}
        self._snapshot: Calls | None = None
        self._older: list[weakref.ref[Calls]] = []
        self.known_as: list[Event | str] = []

    def add(self, listener: Listener, *, prepend: bool) -> None:
        """Take a listener in; dispatches that run do not see it."""
        (self._first if prepend else self._rest)[listener] = None
        self._retire()

    def remove(self, listener: Listener) -> bool:
        """Take a listener out, of dispatches that run too; tell whether none is left."""
        listener.call = _gone
        self._first.pop(listener, None)
        self._rest.pop(listener, None)
        self._retire()
        for calls in self._older:
            alive = calls()
            if alive is not None:
                alive.idle(listener)
        return not self._first and not self._rest

    def _retire(self) -> None:
        if self._snapshot is not None:
            self._older = [calls for calls in self._older if calls() is not None]
            self._older.append(weakref.ref(self._snapshot))
            self._snapshot = None

    @property
    def snapshot(self) -> Calls:
        """What a dispatch calls now."""
        if self._snapshot is None:
            listeners = (*reversed(self._first), *self._rest)
            for place, listener in enumerate(listeners):
                listener.place = place
            self._snapshot = Calls(listeners)
        return self._snapshot


class EmitTable(dict[Event | str, Calls]):
    """What an emit calls, by event or name; an event that nobody hears is not remembered."""

    __slots__ = ("_hooks",)

    def __init__(self, hooks: dict[str, Hooks]) -> None:
        super().__init__()
        self._hooks = hooks

    def __missing__(self, event: Event | str) -> Calls:
        hooks = self._hooks.get(name_for(event, "emit"))
        if hooks is None:
            return NOBODY
        calls = self[event] = hooks.snapshot
        hooks.known_as.append(event)
        return calls


class HookTable:
    """Every listener of one root, by event name."""

    __slots__ = ("by_name", "emits")

    def __init__(self) -> None:
        self.by_name: dict[str, Hooks] = {}
        self.emits = EmitTable(self.by_name)

    def add(self, name: str, listener: Listener, *, prepend: bool) -> Callable[[], None]:
        """Add a listener and give its undo."""
        hooks = self.by_name.get(name)
        if hooks is None:
            hooks = self.by_name[name] = Hooks()
        hooks.add(listener, prepend=prepend)
        self._changed(hooks)

        def remove() -> None:
            if hooks.remove(listener) and self.by_name.get(name) is hooks:
                del self.by_name[name]
            self._changed(hooks)

        return remove

    def _changed(self, hooks: Hooks) -> None:
        for key in hooks.known_as:
            self.emits.pop(key, None)
        hooks.known_as.clear()

    def listeners(self, name: str) -> tuple[Listener, ...]:
        """Give the listeners of an event, in the order they are called."""
        hooks = self.by_name.get(name)
        return () if hooks is None else hooks.snapshot.listeners

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self.by_name))
