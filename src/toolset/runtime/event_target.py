"""Listening and dispatching: the part of a context that speaks to events."""

# Maintainers: the typed face of dispatch.py. The overloads are what lets checkers judge listeners
# and dispatches; the emit path is kept short because it is the one that is timed.

from __future__ import annotations

import reprlib
from collections.abc import Awaitable, Callable
from typing import TypeVar, TypeVarTuple, cast, overload

from toolset.runtime import dispatch
from toolset.runtime.effects import Effect
from toolset.runtime.events import (
    AsyncWaterfallEvent,
    BailEvent,
    EmitEvent,
    Event,
    Next,
    ParallelEvent,
    SerialEvent,
    SyncNext,
    WaterfallEvent,
    declared,
    name_for,
)
from toolset.runtime.fiber import Fiber
from toolset.runtime.hooks import EmitTable, Listener

__all__ = ["EventTarget"]

R = TypeVar("R")
Ts = TypeVarTuple("Ts")


class EventTarget:
    """What can be listened to and dispatched on, in the name of a fiber."""

    __slots__ = ("_emits", "_fiber")

    _fiber: Fiber
    _emits: EmitTable

    @overload
    def on(
        self,
        event: EmitEvent[*Ts] | ParallelEvent[*Ts],
        listener: Callable[[*Ts], object],
        *,
        prepend: bool = False,
        once: bool = False,
    ) -> Effect: ...
    @overload
    def on(
        self,
        event: SerialEvent[R, *Ts],
        listener: Callable[[*Ts], Awaitable[R | None] | R | None],
        *,
        prepend: bool = False,
        once: bool = False,
    ) -> Effect: ...
    @overload
    def on(
        self,
        event: BailEvent[R, *Ts],
        listener: Callable[[*Ts], R | None],
        *,
        prepend: bool = False,
        once: bool = False,
    ) -> Effect: ...
    @overload
    def on(
        self,
        event: AsyncWaterfallEvent[R, *Ts],
        listener: Callable[[*Ts, Next[R]], Awaitable[R] | R],
        *,
        prepend: bool = False,
        once: bool = False,
    ) -> Effect: ...
    @overload
    def on(
        self,
        event: WaterfallEvent[R, *Ts],
        listener: Callable[[*Ts, SyncNext[R]], R],
        *,
        prepend: bool = False,
        once: bool = False,
    ) -> Effect: ...
    @overload
    def on(
        self,
        event: str,
        listener: Callable[..., object],
        *,
        prepend: bool = False,
        once: bool = False,
    ) -> Effect: ...
    def on(
        self,
        event: Event | str,
        listener: Callable[..., object],
        *,
        prepend: bool = False,
        once: bool = False,
    ) -> Effect:
        """Listen to an event until the effect is disposed.

        Args:
            event: An `Event`, or its name.
            listener: Called with the event's arguments; of a waterfall with a trailing `next`.
            prepend: Whether to be called before the listeners there are.
            once: Whether to stop listening when first called.

        Returns:
            The effect.

        Raises:
            ListenerSignatureError: The listener cannot take what the event declares.
            InactiveContextError: This context's fiber is ending or over.
        """
        name = event if isinstance(event, str) else event.name
        known = declared(event) if isinstance(event, str) else event
        fiber = self._fiber
        if known is not None:
            known.check_listener(listener, fiber.name)
        elif not callable(listener):
            raise TypeError(f"listener {reprlib.repr(listener)} of event {name!r} cannot be called")
        label = f"ctx.on({name!r})"
        fiber.ensure_open(label)
        entry = Listener(fiber, listener)
        remove = fiber.registry.hooks.add(name, entry, prepend=prepend)
        effect = Effect.of(fiber, label, remove)
        if once:
            entry.call = _once(entry, effect)
        return effect

    @overload
    def once(
        self,
        event: EmitEvent[*Ts] | ParallelEvent[*Ts],
        listener: Callable[[*Ts], object],
        *,
        prepend: bool = False,
    ) -> Effect: ...
    @overload
    def once(
        self,
        event: SerialEvent[R, *Ts],
        listener: Callable[[*Ts], Awaitable[R | None] | R | None],
        *,
        prepend: bool = False,
    ) -> Effect: ...
    @overload
    def once(
        self,
        event: BailEvent[R, *Ts],
        listener: Callable[[*Ts], R | None],
        *,
        prepend: bool = False,
    ) -> Effect: ...
    @overload
    def once(
        self,
        event: AsyncWaterfallEvent[R, *Ts],
        listener: Callable[[*Ts, Next[R]], Awaitable[R] | R],
        *,
        prepend: bool = False,
    ) -> Effect: ...
    @overload
    def once(
        self,
        event: WaterfallEvent[R, *Ts],
        listener: Callable[[*Ts, SyncNext[R]], R],
        *,
        prepend: bool = False,
    ) -> Effect: ...
    @overload
    def once(
        self,
        event: str,
        listener: Callable[..., object],
        *,
        prepend: bool = False,
    ) -> Effect: ...
    def once(
        self, event: Event | str, listener: Callable[..., object], *, prepend: bool = False
    ) -> Effect:
        """Listen to an event until it was called once.

        Args:
            event: An `Event`, or its name.
            listener: Called with the event's arguments, one time.
            prepend: Whether to be called before the listeners there are.

        Returns:
            The effect.

        Raises:
            ListenerSignatureError: The listener cannot take what the event declares.
            InactiveContextError: This context's fiber is ending or over.
        """
        return self.on(cast("str", event), listener, prepend=prepend, once=True)

    @overload
    def emit(self, event: EmitEvent[*Ts], *args: *Ts) -> None: ...
    @overload
    def emit(self, event: str, *args: object) -> None: ...
    def emit(self, event: Event | str, *args: object) -> None:
        """Tell every listener; the caller sees none of their failures.

        An asynchronous listener runs as a task of its own fiber.

        Args:
            event: An `Event` of mode `emit`, or a name.
            *args: What the event declares.

        Raises:
            EventModeError: The event is declared with another mode.
        """
        calls = self._emits[event]
        if len(args) == 1:  # the common case, spared the cost of unpacking
            (argument,) = args
            for call in calls:
                try:
                    result = call(argument)
                except (Exception, GeneratorExit) as error:  # noqa: BLE001 - fault isolation is what emit promises
                    dispatch.fail(calls, call, event, error)
                else:
                    if result is not None:
                        dispatch.take(calls, call, event, result)
            return
        for call in calls:
            try:
                result = call(*args)
            except (Exception, GeneratorExit) as error:  # noqa: BLE001 - fault isolation is what emit promises
                dispatch.fail(calls, call, event, error)
            else:
                if result is not None:
                    dispatch.take(calls, call, event, result)

    @overload
    async def parallel(self, event: ParallelEvent[*Ts], *args: *Ts) -> None: ...
    @overload
    async def parallel(self, event: str, *args: object) -> None: ...
    async def parallel(self, event: Event | str, *args: object) -> None:
        """Tell every listener and wait for all of them.

        Args:
            event: An `Event` of mode `parallel`, or a name.
            *args: What the event declares.

        Raises:
            ParallelError: Listeners failed; an exception group with a line for each.
            EventModeError: The event is declared with another mode.
        """
        name = name_for(event, "parallel")
        await dispatch.parallel(self._fiber.registry.listeners(name), name, args)

    @overload
    async def serial(self, event: SerialEvent[R, *Ts], *args: *Ts) -> R | None: ...
    @overload
    async def serial(self, event: str, *args: object) -> object: ...
    async def serial(self, event: Event | str, *args: object) -> object:
        """Ask each listener in turn until one answers.

        Args:
            event: An `Event` of mode `serial`, or a name.
            *args: What the event declares.

        Returns:
            The first value that is neither None nor False, else None.

        Raises:
            EventModeError: The event is declared with another mode.
        """
        name = name_for(event, "serial")
        return await dispatch.serial(self._fiber.registry.listeners(name), name, args)

    @overload
    def bail(self, event: BailEvent[R, *Ts], *args: *Ts) -> R | None: ...
    @overload
    def bail(self, event: str, *args: object) -> object: ...
    def bail(self, event: Event | str, *args: object) -> object:
        """Ask each listener in turn, synchronously, until one answers.

        Args:
            event: An `Event` of mode `bail`, or a name.
            *args: What the event declares.

        Returns:
            The first value that is neither None nor False, else None.

        Raises:
            EventModeError: The event is declared with another mode.
        """
        name = name_for(event, "bail")
        return dispatch.bail(self._fiber.registry.listeners(name), args)

    @overload
    def waterfall(
        self,
        event: AsyncWaterfallEvent[R, *Ts],
        *args: *tuple[*Ts, Callable[[*Ts], Awaitable[R] | R]],
    ) -> Awaitable[R]: ...
    @overload
    def waterfall(
        self,
        event: WaterfallEvent[R, *Ts],
        *args: *tuple[*Ts, Callable[[*Ts], R]],
    ) -> R: ...
    @overload
    def waterfall(self, event: str, *args: object) -> object: ...
    def waterfall(self, event: Event | str, *args: object) -> object:
        """Run the listeners around an inner default, each deciding whether the next one runs.

        Args:
            event: An `Event` of mode `waterfall`, or a name.
            *args: What the event declares, then the inner default: called with the arguments when
                the last listener delegates.

        Returns:
            What the outermost listener returns; to be awaited when the event is declared `async`.

        Raises:
            EventModeError: The event is declared with another mode.
            TypeError: The inner default is missing.
        """
        name = name_for(event, "waterfall")
        known = declared(event) if isinstance(event, str) else event
        is_async = known.is_async if known is not None else dispatch.is_async_default(args)
        listeners = self._fiber.registry.listeners(name)
        return dispatch.waterfall(listeners, name, args, is_async=is_async)


def _once(entry: Listener, effect: Effect) -> Callable[..., object]:
    callback = entry.callback

    def call(*args: object) -> object:
        _ = effect.dispose()  # a listener's removal is synchronous
        return callback(*args)

    return call
