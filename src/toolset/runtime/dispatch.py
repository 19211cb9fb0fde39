"""Listeners and the five ways to dispatch an event to them."""

# Maintainers: order, snapshots and the meaning of each mode. A snapshot is a tuple made on the
# first dispatch after a change, so neither listening nor dispatching costs more because others
# listen or other events exist. A removed listener's `call` becomes `_gone`, which is how a snapshot
# that is being walked skips it.

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from typing import TYPE_CHECKING, cast

from toolset.runtime.errors import (
    EventModeError,
    InactiveContextError,
    NextCalledTwiceError,
    ParallelError,
)
from toolset.runtime.events import Event, declared

if TYPE_CHECKING:
    from toolset.catalog import EventMode
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

    __slots__ = ("call", "callback", "fiber")

    def __init__(self, fiber: Fiber, callback: Callable[..., object]) -> None:
        self.fiber = fiber
        self.callback = callback
        self.call: Callable[..., object] = callback

    @property
    def live(self) -> bool:
        """Whether it still listens."""
        return self.call is not _gone

    def __repr__(self) -> str:
        name = getattr(self.callback, "__qualname__", None) or repr(self.callback)
        return f"<Listener {name} of <{self.fiber.name}>>"


class Hooks:
    """The listeners of one event, in order."""

    __slots__ = ("_first", "_rest", "snapshot")

    def __init__(self) -> None:
        self._first: dict[Listener, None] = {}
        self._rest: dict[Listener, None] = {}
        self.snapshot: tuple[Listener, ...] | None = ()

    def add(self, listener: Listener, *, prepend: bool) -> None:
        (self._first if prepend else self._rest)[listener] = None
        self.snapshot = None

    def remove(self, listener: Listener) -> bool:
        """Remove a listener and tell whether none is left."""
        self._first.pop(listener, None)
        self._rest.pop(listener, None)
        self.snapshot = None
        return not self._first and not self._rest

    def build(self) -> tuple[Listener, ...]:
        self.snapshot = (*reversed(self._first), *self._rest)
        return self.snapshot


class HookTable:
    """Every listener of one root, by event name."""

    __slots__ = ("by_name",)

    def __init__(self) -> None:
        self.by_name: dict[str, Hooks] = {}

    def add(self, name: str, listener: Listener, *, prepend: bool) -> Callable[[], None]:
        """Add a listener and give its undo."""
        hooks = self.by_name.get(name)
        if hooks is None:
            hooks = self.by_name[name] = Hooks()
        hooks.add(listener, prepend=prepend)

        def remove() -> None:
            listener.call = _gone
            if hooks.remove(listener) and self.by_name.get(name) is hooks:
                del self.by_name[name]

        return remove

    def listeners(self, name: str) -> tuple[Listener, ...]:
        """Give the listeners of an event, in the order they are called."""
        hooks = self.by_name.get(name)
        if hooks is None:
            return ()
        return hooks.snapshot if hooks.snapshot is not None else hooks.build()

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self.by_name))


def name_for(event: Event | str, verb: EventMode) -> str:
    """Give the name an event is known by, if `verb` may dispatch it.

    Raises:
        EventModeError: It is declared with another mode.
    """
    known = declared(event) if isinstance(event, str) else event
    if known is not None and known.mode != verb:
        raise EventModeError(known.name, known.mode, verb)
    return event if isinstance(event, str) else event.name


def take(listener: Listener, name: str, result: object) -> None:
    """Go on with what a listener of an emit returned: an asynchronous one runs as its fiber's task."""
    if inspect.isawaitable(result):
        listener.fiber.start(outcome(result), f"listener({name!r})")


async def _wait_for(pending: Awaitable[object]) -> object:
    return await pending


def outcome(result: Awaitable[object]) -> Coroutine[object, object, object]:
    """Give a coroutine for whatever a listener returned to be awaited."""
    return result if inspect.iscoroutine(result) else _wait_for(result)


async def parallel(listeners: tuple[Listener, ...], name: str, args: tuple[object, ...]) -> None:
    """Call each listener and wait for all of them.

    Raises:
        ParallelError: Some failed; the others have settled too.
    """
    failures: dict[Listener, Exception] = {}
    running: dict[Listener, asyncio.Task[object]] = {}
    label = f"listener({name!r})"
    for listener in listeners:
        try:
            result = listener.call(*args)
        except Exception as error:  # noqa: BLE001 - all settle before any failure is told
            failures[listener] = error
        else:
            if result is not None and inspect.isawaitable(result):
                running[listener] = listener.fiber.start(outcome(result), label, quiet=True)
    if running:
        await listeners[0].fiber.registry.wait_all(running.values())
    for listener, task in running.items():
        failure = None if task.cancelled() else task.exception()
        if isinstance(failure, Exception):
            failures[listener] = failure
    if failures:
        order = [(one.fiber.name, failures[one]) for one in listeners if one in failures]
        raise ParallelError.of(name, order)


def _decides(value: object) -> bool:
    return value is not None and value is not False


async def serial(listeners: tuple[Listener, ...], name: str, args: tuple[object, ...]) -> object:
    """Ask each listener in turn until one gives a value that is neither None nor False."""
    for listener in listeners:
        result = listener.call(*args)
        if result is not None and inspect.isawaitable(result):
            try:
                result = await listener.fiber.run(outcome(result), f"listener({name!r})")
            except InactiveContextError:
                if listener.live:
                    raise
                continue
        if _decides(result):
            return result
    return None


def bail(listeners: tuple[Listener, ...], args: tuple[object, ...]) -> object:
    """Ask each listener in turn until one gives a value that is neither None nor False."""
    for listener in listeners:
        result = listener.call(*args)
        if _decides(result):
            return result
    return None


class Chain:
    """One waterfall dispatch: the listeners around an inner default."""

    __slots__ = ("_inner", "_is_async", "listeners", "name")

    def __init__(
        self,
        listeners: tuple[Listener, ...],
        name: str,
        inner: Callable[..., object],
        *,
        is_async: bool,
    ) -> None:
        self.listeners = listeners
        self.name = name
        self._inner = inner
        self._is_async = is_async

    def call(self, index: int, args: tuple[object, ...]) -> object:
        """Run the chain from listener `index` on."""
        while index < len(self.listeners) and not self.listeners[index].live:
            index += 1
        if index == len(self.listeners):
            result = self._inner(*args)
            return self._settle(result) if self._is_async else result
        link = Link(self, index, args)
        if self._is_async:
            return self._step(link)
        return link.listener.call(*args, link.next)

    async def _settle(self, result: object) -> object:
        return await result if inspect.isawaitable(result) else result

    async def _step(self, link: Link) -> object:
        """Run one listener; one that is disposed before it delegated counts as absent."""
        listener = link.listener
        result = listener.call(*link.args, link.next)
        if not inspect.isawaitable(result):
            return result
        try:
            return await listener.fiber.run(outcome(result), f"listener({self.name!r})")
        except InactiveContextError:
            if listener.live or link.used:
                raise
            return await cast("Awaitable[object]", link.next())


class Link:
    """One listener's place in a chain."""

    __slots__ = ("_chain", "_index", "args", "listener", "used")

    def __init__(self, chain: Chain, index: int, args: tuple[object, ...]) -> None:
        self._chain = chain
        self._index = index
        self.args = args
        self.listener = chain.listeners[index]
        self.used = False

    def next(self, *replaced: object) -> object:
        """Delegate to the listeners after this one."""
        if self.used:
            raise NextCalledTwiceError(self._chain.name, self.listener.fiber.name)
        self.used = True
        return self._chain.call(self._index + 1, replaced or self.args)


def is_async_default(args: tuple[object, ...]) -> bool:
    """Tell whether an undeclared waterfall is asynchronous: its inner default is `async def`."""
    return bool(args) and inspect.iscoroutinefunction(args[-1])


def waterfall(
    listeners: tuple[Listener, ...], name: str, args: tuple[object, ...], *, is_async: bool
) -> object:
    """Call the listeners around the inner default, which is passed last.

    Returns:
        What the outermost listener gives; an awaitable of it when the event is asynchronous.

    Raises:
        TypeError: No inner default was passed.
    """
    if not args or not callable(args[-1]):
        raise TypeError(
            f"waterfall of event {name!r} needs its inner default last: "
            f"ctx.waterfall({name!r}, *arguments, default)"
        )
    return Chain(listeners, name, args[-1], is_async=is_async).call(0, args[:-1])
