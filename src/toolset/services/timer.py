"""Delayed and repeated calls that end with the plugin that asked for them."""

# Maintainers: answers for time. Every timer is an effect of the calling fiber; a callback that
# fails is its owner's failure, told like any other. Time itself comes from a `Clock`, so that tests
# move it. Invariant: once a timer has fired for the last time, or its fiber is over, nothing of it
# is left in the loop or in a ledger.

from __future__ import annotations

import asyncio
import inspect
import math
import reprlib
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Generic, ParamSpec, Protocol, cast

from toolset.runtime.belonging import abandoned, current_work, give_way
from toolset.runtime.errors import InactiveContextError, NoLoopError, ToolsetError
from toolset.runtime.service import Service

if TYPE_CHECKING:
    from toolset.runtime.context import Context
    from toolset.runtime.effects import Effect

__all__ = ["Clock", "Limited", "LoopClock", "Scheduled", "Timer", "TimerDelayError"]

P = ParamSpec("P")


class Scheduled(Protocol):
    """A call that is due at some time."""

    def cancel(self) -> None:
        """Take the call back; of no effect once it ran."""
        ...


class Clock(Protocol):
    """Where a timer takes its time from."""

    def time(self) -> float:
        """Tell the time.

        Returns:
            Seconds since a moment of the clock's own.
        """
        ...

    def call_at(self, when: float, callback: Callable[[], None]) -> Scheduled:
        """Call something once, later.

        Args:
            when: The time, on this clock; the past means as soon as possible.
            callback: What to call, never before this method has returned.

        Returns:
            What takes the call back.
        """
        ...


class LoopClock:
    """The clock of the event loop that runs."""

    def time(self) -> float:
        """Tell the loop's time.

        Returns:
            Seconds since a moment of the loop's own.
        """
        return _loop().time()

    def call_at(self, when: float, callback: Callable[[], None]) -> Scheduled:
        """Call something once, later.

        Args:
            when: The time, on the loop's clock.
            callback: What to call.

        Returns:
            What takes the call back.
        """
        return _loop().call_at(when, callback)


def _loop() -> asyncio.AbstractEventLoop:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        raise NoLoopError("a timer") from None


class TimerDelayError(ToolsetError, ValueError):
    """A delay is no number of seconds that can be waited for.

    Attributes:
        seconds: What was given.
    """

    def __init__(self, seconds: object, method: str = "set_timeout") -> None:
        self.seconds = seconds
        order = f"; the function comes first: {method}(callback, seconds)" * callable(seconds)
        least = "above 0" if method == "set_interval" else "0 or more"
        super().__init__(
            f"a timer waits a finite number of seconds, {least}, not {reprlib.repr(seconds)}{order}"
        )


class Limited(Generic[P]):
    """A function that calls another one less often; made by `throttle` and `debounce`."""

    __slots__ = ("_call", "_effect")

    def __init__(self, call: Callable[P, None], effect: Effect) -> None:
        self._call = call
        self._effect = effect

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Ask for a call; ignored when its plugin was unmounted."""
        self._call(*args, **kwargs)

    def dispose(self) -> Awaitable[None]:
        """Drop a call that is still due, and ignore what is asked for from now on.

        Returns:
            An awaitable that is over.
        """
        return self._effect.dispose()


class Timer(Service, key="timer"):
    """Call functions later or again and again; every delay is in seconds.

    The methods stand on the context too: `ctx.set_timeout(...)` is `ctx.timer.set_timeout(...)`.
    All of them end with the plugin that called them.
    """

    def __init__(self, ctx: Context) -> None:
        super().__init__(ctx)
        self._clocks: list[Clock] = [LoopClock()]

    def start(self) -> None:
        """Put the methods on every context."""
        self.ctx.mixin("timer", ["set_timeout", "set_interval", "sleep", "throttle", "debounce"])

    def use_clock(self, clock: Clock) -> Effect:
        """Take the time from another clock, for timers that start from now on.

        Args:
            clock: The clock.

        Returns:
            The effect; disposing it goes back to the clock before.

        Raises:
            InactiveContextError: The calling plugin is ending or over.
        """

        def put() -> object:
            self._clocks.append(clock)
            return lambda: self._clocks.remove(clock)

        return self.caller.effect(put, "timer.use_clock")

    def set_timeout(self, callback: Callable[[], object], seconds: float) -> Effect:
        """Call a function once, later.

        Args:
            callback: What to call, sync or async; a failure is logged with the calling plugin.
            seconds: How long to wait, in seconds (not milliseconds).

        Returns:
            The effect; disposing it before the call takes the call back.

        Raises:
            TimerDelayError: `seconds` is negative or not finite.
            InactiveContextError: The calling plugin is ending or over.
        """
        clock, delay = self._clocks[-1], _delay(seconds)
        calls = _Calls(self.caller, "timer.set_timeout")

        def fire() -> None:
            _ = effect.dispose()  # synchronous: the call is over in the ledger before it is made
            calls.make(callback)

        def put() -> object:
            return clock.call_at(clock.time() + delay, fire).cancel

        effect = self.caller.effect(put, f"timer.set_timeout({seconds:g} s)")
        return effect

    def set_interval(self, callback: Callable[[], object], seconds: float) -> Effect:
        """Call a function again and again.

        A call that is due while an async one before it still runs is left out; time that was
        missed is not made up for.

        Args:
            callback: What to call, sync or async; a failure is logged with the calling plugin and
                the next call comes all the same.
            seconds: Time between two calls, in seconds (not milliseconds), above 0.

        Returns:
            The effect; disposing it ends the calls.

        Raises:
            TimerDelayError: `seconds` is not above 0 or not finite.
            InactiveContextError: The calling plugin is ending or over.
        """
        clock, period = self._clocks[-1], _delay(seconds, "set_interval")
        if period == 0:
            raise TimerDelayError(seconds, "set_interval")
        calls = _Calls(self.caller, "timer.set_interval")
        beat = _Beat(clock, period, lambda: None if calls.running else calls.make(callback))
        return self.caller.effect(beat.start, f"timer.set_interval({seconds:g} s)")

    async def sleep(self, seconds: float) -> None:
        """Wait; what the calling plugin runs is cancelled here when the plugin ends.

        Args:
            seconds: How long, in seconds (not milliseconds).

        Raises:
            TimerDelayError: `seconds` is negative or not finite.
            InactiveContextError: Code that is none of the calling plugin's waits for it, and it was
                unmounted meanwhile, or is ending.
        """
        clock, delay = self._clocks[-1], _delay(seconds)
        fiber, label = self.caller.fiber, f"timer.sleep({seconds:g} s)"
        work = current_work()
        woken: asyncio.Future[None] = _loop().create_future()

        def wake() -> None:
            if not woken.done():
                woken.set_result(None)

        def put() -> object:
            scheduled = clock.call_at(clock.time() + delay, wake)

            def end() -> None:
                scheduled.cancel()
                if woken.done():
                    return
                if abandoned(work):
                    woken.cancel()
                else:
                    woken.set_exception(InactiveContextError(fiber.name, fiber.state, label))

            return end

        try:
            effect = self.caller.effect(put, label)
        except InactiveContextError:
            await give_way()
            raise
        try:
            await woken
        finally:
            _ = effect.dispose()  # synchronous

    def throttle(self, callback: Callable[P, object], seconds: float) -> Limited[P]:
        """Call a function at most once in a time, the first call at once.

        Calls in between are put together: when the time is over, the last one is made.

        Args:
            callback: What to call, sync or async; a failure is logged with the calling plugin.
            seconds: The time between two calls, in seconds (not milliseconds).

        Returns:
            A function taking the same arguments; its `dispose()` drops what is still due.

        Raises:
            TimerDelayError: `seconds` is negative or not finite.
            InactiveContextError: The calling plugin is ending or over.
        """
        return self._limited(callback, seconds, "timer.throttle", restart=False)

    def debounce(self, callback: Callable[P, object], seconds: float) -> Limited[P]:
        """Call a function once nobody has asked for it for a time, with the last arguments.

        Args:
            callback: What to call, sync or async; a failure is logged with the calling plugin.
            seconds: The time of quiet, in seconds (not milliseconds).

        Returns:
            A function taking the same arguments; its `dispose()` drops what is still due.

        Raises:
            TimerDelayError: `seconds` is negative or not finite.
            InactiveContextError: The calling plugin is ending or over.
        """
        return self._limited(callback, seconds, "timer.debounce", restart=True)

    def _limited(
        self, callback: Callable[P, object], seconds: float, what: str, *, restart: bool
    ) -> Limited[P]:
        delay = _delay(seconds, what.removeprefix("timer."))
        gate = _Gate(self._clocks[-1], delay, _Calls(self.caller, what), restart=restart)

        def ask(*args: P.args, **kwargs: P.kwargs) -> None:
            gate.ask(lambda: callback(*args, **kwargs))

        return Limited(ask, self.caller.effect(lambda: gate.close, f"{what}({seconds:g} s)"))


def _delay(seconds: float, method: str = "set_timeout") -> float:
    given = cast("object", seconds)
    if isinstance(given, bool) or not isinstance(given, (int, float)):
        raise TimerDelayError(given, method)
    if not math.isfinite(given) or given < 0:
        raise TimerDelayError(given, method)
    return float(given)


class _Calls:
    """Makes the calls of one timer in the name of the plugin that owns it."""

    __slots__ = ("_ctx", "_task", "_what")

    def __init__(self, ctx: Context, what: str) -> None:
        self._ctx = ctx
        self._what = what
        self._task: asyncio.Task[object] | None = None

    @property
    def running(self) -> bool:
        """Whether the last async call still runs."""
        return self._task is not None and not self._task.done()

    def make(self, callback: Callable[[], object]) -> None:
        fiber = self._ctx.fiber
        try:
            result = callback()
        except Exception as error:  # noqa: BLE001 -- whatever a callback raises is its owner's failure
            fiber.report(error, f"callback of {self._what}")
            return
        if inspect.isawaitable(result):
            if fiber.closing:
                _drop(result)
            else:
                self._task = self._ctx.spawn(_outcome(result), self._what)


def _drop(pending: object) -> None:
    """Close what an async callback gave after its plugin disposed itself in it."""
    if inspect.iscoroutine(pending):
        pending.close()


async def _outcome(pending: Awaitable[object]) -> object:
    return await pending


class _Beat:
    """Calls something again and again, without drifting and without making up for lost time."""

    __slots__ = ("_call", "_clock", "_due", "_period", "_scheduled")

    def __init__(self, clock: Clock, period: float, call: Callable[[], None]) -> None:
        self._clock = clock
        self._period = period
        self._call = call
        self._due = clock.time()
        self._scheduled: Scheduled | None = None

    def start(self) -> Callable[[], None]:
        self._schedule()
        return self.stop

    def stop(self) -> None:
        if self._scheduled is not None:
            self._scheduled.cancel()

    def _schedule(self) -> None:
        self._due = max(self._due + self._period, self._clock.time())
        self._scheduled = self._clock.call_at(self._due, self._fire)

    def _fire(self) -> None:
        self._schedule()
        self._call()


class _Gate:
    """Lets calls through less often than they are asked for."""

    __slots__ = ("_calls", "_clock", "_closed", "_due", "_latest", "_restart", "_seconds")

    def __init__(self, clock: Clock, seconds: float, calls: _Calls, *, restart: bool) -> None:
        self._clock = clock
        self._seconds = seconds
        self._calls = calls
        self._restart = restart
        self._due: Scheduled | None = None
        self._latest: Callable[[], object] | None = None
        self._closed = False

    def ask(self, call: Callable[[], object]) -> None:
        if self._closed:
            return
        if self._restart:
            self._latest = call
            if self._due is not None:
                self._due.cancel()
            self._schedule()
        elif self._due is None:
            self._schedule()
            self._calls.make(call)
        else:
            self._latest = call

    def _schedule(self) -> None:
        self._due = self._clock.call_at(self._clock.time() + self._seconds, self._fire)

    def _fire(self) -> None:
        call, self._latest, self._due = self._latest, None, None
        if call is None:
            return
        if not self._restart:
            self._schedule()
        self._calls.make(call)

    def close(self) -> None:
        self._closed, self._latest = True, None
        if self._due is not None:
            self._due.cancel()
            self._due = None
