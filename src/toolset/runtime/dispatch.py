"""The ways to dispatch an event that wait for answers, or ask in turn."""

# Maintainers: order and the meaning of each mode. `emit`, the one that is timed, is event_target.py's;
# who listens is hooks.py's.

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Coroutine
from types import CoroutineType
from typing import TYPE_CHECKING, cast

from toolset.runtime.closing import as_failure
from toolset.runtime.errors import (
    InactiveContextError,
    NextCalledTwiceError,
    ParallelError,
)
from toolset.runtime.hooks import Calls, Listener

if TYPE_CHECKING:
    from toolset.runtime.events import Event
    from toolset.runtime.tasks import OwnedTask

__all__: list[str] = []


def _name(event: Event | str) -> str:
    return event if isinstance(event, str) else event.name


def take(calls: Calls, call: object, event: Event | str, result: object) -> None:
    """Go on with what a listener of an emit returned: an asynchronous one runs as its fiber's task."""
    work = outcome(result)
    if work is not None:
        _ = calls.who(call).fiber.start(work, f"listener({_name(event)!r})")


def fail(calls: Calls, call: object, event: Event | str, error: Exception | GeneratorExit) -> None:
    """Report what a listener of an emit raised, with its owner."""
    calls.who(call).fiber.report(as_failure(error), f'listener of event "{_name(event)}"')


async def _wait_for(pending: Awaitable[object]) -> object:
    return await pending


def outcome(result: object) -> Coroutine[object, object, object] | None:
    """Give a coroutine for what a listener returned; None when there is nothing to await."""
    if result is None:
        return None
    if isinstance(result, CoroutineType):
        return cast("Coroutine[object, object, object]", result)
    return _wait_for(result) if inspect.isawaitable(result) else None


async def parallel(listeners: tuple[Listener, ...], name: str, args: tuple[object, ...]) -> None:
    """Call each listener and wait for all of them.

    Raises:
        ParallelError: Some failed; the others have settled too.
    """
    failures: dict[Listener, Exception] = {}
    running: list[tuple[Listener, OwnedTask]] = []
    label = f"listener({name!r})"
    for listener in listeners:
        try:
            result = listener.call(*args)
        except (Exception, GeneratorExit) as error:  # noqa: BLE001 - all settle before any failure is told
            failures[listener] = as_failure(error)
        else:
            work = outcome(result)
            if work is not None:
                running.append((listener, listener.fiber.begin(work, label)))
    await _settle(running)
    for listener, entry in running:
        failure = None if entry.task.cancelled() else entry.task.exception()
        if isinstance(failure, Exception | GeneratorExit):
            failures[listener] = as_failure(failure)
    if failures:
        order = [(one.fiber.name, failures[one]) for one in listeners if one in failures]
        raise ParallelError.of(name, order)


async def _settle(running: list[tuple[Listener, OwnedTask]]) -> None:
    """Wait for the tasks of a dispatch and let their fibers forget them."""
    if not running:
        return
    try:
        await running[0][0].fiber.registry.wait_all([entry.task for _, entry in running])
    finally:
        for listener, entry in running:
            listener.fiber.disown(entry)


def _decides(value: object) -> bool:
    return value is not None and value is not False


async def serial(listeners: tuple[Listener, ...], name: str, args: tuple[object, ...]) -> object:
    """Ask each listener in turn until one gives a value that is neither None nor False."""
    for listener in listeners:
        result = listener.call(*args)
        work = outcome(result)
        if work is not None:
            try:
                result = await listener.fiber.run(work, f"listener({name!r})")
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
        work = outcome(result)
        if work is None:
            return result
        try:
            return await listener.fiber.run(work, f"listener({self.name!r})")
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
