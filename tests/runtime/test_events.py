"""Declarations, listeners and the five modes."""

from __future__ import annotations

import asyncio
import functools
import inspect

import pytest

from toolset import Context, Next, event
from toolset.runtime import (
    EventModeError,
    EventNameError,
    ListenerSignatureError,
    NextCalledTwiceError,
    ParallelError,
    declared,
)


@event("test/emit", mode="emit")
def emitted(a: int, b: str) -> None:
    """Something happened."""


@event("test/parallel", mode="parallel")
async def paralleled(a: int) -> None:
    """Something happens."""


@event("test/serial", mode="serial")
async def serialled(a: int) -> str | None:
    """Who answers?"""


@event("test/bail", mode="bail")
def bailed(a: int) -> str | None:
    """Who answers now?"""


@event("test/waterfall", mode="waterfall")
async def flowed(a: int, next: Next[str]) -> str:
    """Decide."""


@event("test/sync-waterfall", mode="waterfall")
def flowed_now(a: int, next) -> str:
    """Decide now."""


def test_declaration_is_kept():
    """An event keeps its declaration's signature, docstring and kind."""
    assert (flowed.name, flowed.mode, flowed.is_async) == ("test/waterfall", "waterfall", True)
    assert flowed.doc == "Decide."
    assert list(flowed.signature.parameters) == ["a", "next"]
    assert repr(emitted) == "<Event 'test/emit' mode=emit>"


@pytest.mark.parametrize("name", ["plain", "", "/x", "x/", "A/b", "a b/c", "a//b", "a/b\n"])
def test_names_are_scoped(name):
    """A name that is not scope/name is refused."""
    with pytest.raises(EventNameError, match="scope/name"):
        event(name, mode="emit")


def test_unknown_mode_refused():
    """A mode that does not exist is refused, listing those that do."""
    with pytest.raises(ValueError, match="emit, parallel, serial, bail, waterfall"):
        event("a/b", mode="broadcast")


VERBS = {
    "emit": emitted,
    "parallel": paralleled,
    "serial": serialled,
    "bail": bailed,
    "waterfall": flowed,
}


async def dispatched(ctx, verb, what):
    result = getattr(ctx, verb)(what, 1, lambda a: None)
    return await result


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("mode", VERBS)
@pytest.mark.parametrize("by_name", [False, True])
def test_wrong_verb_refused(run, verb, mode, by_name):
    """An event answers only to its own verb, by object or by name; the error names the right one."""
    if verb == mode:
        return

    async def main():
        async with Context() as ctx:
            what = VERBS[mode].name if by_name else VERBS[mode]
            with pytest.raises(EventModeError, match=f"ctx.{mode}"):
                await dispatched(ctx, verb, what)

    run(main())


class Holder:
    def good(self, a, b):
        pass

    def bad(self, a):
        pass


def wrapped(listener):
    """Wrap a listener, keeping what it says of itself."""

    @functools.wraps(listener)
    def call(*args):
        return listener(*args)

    return call


def signed(listener, other):
    """Give a listener another signature."""
    listener.__signature__ = inspect.signature(other)
    return listener


@pytest.mark.parametrize(
    ("listener", "fits"),
    [
        (wrapped(lambda a, b: None), True),
        (wrapped(lambda a: None), False),
        (wrapped(wrapped(lambda a: None)), False),
        (functools.reduce(lambda made, _: wrapped(made), range(9), lambda a: None), False),
        (functools.reduce(lambda made, _: wrapped(made), range(9), lambda a, b: None), True),
        (wrapped(Holder().good), True),
        (wrapped(Holder().bad), False),
        (wrapped(functools.partial(lambda a, b, c: None, 1)), True),
        (signed(lambda *a: None, lambda a: None), False),
        (wrapped(signed(lambda *a: None, lambda a: None)), False),
        (lambda a, b: None, True),
        (lambda a, b, c=1: None, True),
        (lambda *a: None, True),
        (lambda a: None, False),
        (lambda a, b, c: None, False),
        (lambda a, *, b: None, False),
        (lambda a, b, *, c: None, False),
        (lambda a, b, *, c=1: None, True),
        (lambda a, /, b: None, True),
        (Holder().good, True),
        (Holder().bad, False),
        (functools.partial(lambda a, b, c: None, 1), True),
        (functools.partial(lambda a, b: None, 1), False),
        (print, True),
        (len, False),
        (3, False),
    ],
)
@pytest.mark.parametrize("by_name", [False, True])
def test_listeners_must_fit(run, listener, fits, by_name):
    """A listener that cannot take the declared arguments is refused, naming what it is called with."""

    async def main():
        async with Context() as ctx:
            what = "test/emit" if by_name else emitted
            if fits:
                ctx.on(what, listener)
                ctx.emit(emitted, 1, "x")
            else:
                with pytest.raises((ListenerSignatureError, TypeError)):
                    ctx.on(what, listener)
                assert ctx.registry.events() == ()

    run(main())


def test_refusal_shows_signature(run):
    """The refusal of a listener shows the signature that it must take."""

    async def main():
        async with Context() as ctx:
            with pytest.raises(ListenerSignatureError, match=r"\(a: int, b: str\) -> None"):
                ctx.on(emitted, lambda: None)

    run(main())


def test_emit_isolates_failures(run, caplog):
    """A listener that raises is reported with its owner; the others run and the caller sees nothing."""
    log = []

    async def slow(a, b):
        await asyncio.sleep(0)
        log.append("async")

    def bad(a, b):
        raise OSError("bad listener")

    async def bad_async(a, b):
        raise OSError("bad async listener")

    async def main():
        async with Context() as ctx:
            ctx.on("internal/error", lambda fiber, error: log.append(str(error)))
            for listener in (bad, slow, bad_async, lambda a, b: log.append((a, b))):
                ctx.on(emitted, listener)
            assert ctx.emit(emitted, 1, "x") is None
            assert log == ["bad listener", (1, "x")]
            for _ in range(4):
                await asyncio.sleep(0)
            assert sorted(map(str, log[2:])) == ["async", "bad async listener"]

    run(main())
    assert caplog.records[0].getMessage() == (
        'listener of event "test/emit" failed in plugin <root>'
    )


def test_failing_error_listener(run, caplog):
    """A listener of internal/error that raises is logged and does not go round in circles."""

    def bad(*_):
        raise OSError("again")

    async def main():
        async with Context() as ctx:
            ctx.on("internal/error", bad)
            ctx.on(emitted, bad)
            ctx.emit(emitted, 1, "x")

    run(main())
    assert len(caplog.records) == 2


def test_order_and_prepend(run):
    """Listeners run in order of registration; prepended ones go first, the last prepended before all."""
    log = []

    async def main():
        async with Context() as ctx:
            for name, first in (("a", False), ("b", True), ("c", False), ("d", True)):
                ctx.on("x/y", functools.partial(log.append, name), prepend=first)
            ctx.emit("x/y")
            assert log == ["d", "b", "a", "c"]

    run(main())


def test_snapshot_at_dispatch(run):
    """A listener removed during a dispatch is skipped; one added meanwhile waits for the next."""
    log = []

    async def main():
        async with Context() as ctx:

            def first():
                log.append("first")
                later.dispose()
                ctx.on("x/y", lambda: log.append("added"))

            ctx.once("x/y", first)
            later = ctx.on("x/y", lambda: log.append("removed"))
            ctx.emit("x/y")
            assert log == ["first"]
            ctx.emit("x/y")
            assert log == ["first", "added"]

    run(main())


def test_once_reentered(run):
    """A once listener runs a single time, also when it dispatches its own event."""
    log = []

    async def main():
        async with Context() as ctx:

            def listener():
                log.append(1)
                ctx.emit("x/y")

            ctx.once("x/y", listener)
            ctx.emit("x/y")
            ctx.emit("x/y")
            assert log == [1]
            assert ctx.registry.events() == ()

    run(main())


def test_once_undone_unused(run):
    """A once listener that was never called is removed like any other."""

    async def main():
        async with Context() as ctx:
            effect = ctx.once("x/y", print)
            await effect.dispose()
            assert ctx.registry.events() == ()

    run(main())


def test_parallel_settles_all(run):
    """All listeners settle before the failures are raised, one line for each."""
    log = []

    async def slow(a):
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        log.append("slow")

    async def bad(a):
        raise OSError("one")

    def bad_now(a):
        raise ValueError("two")

    async def main():
        async with Context() as ctx:
            for listener in (bad, slow, bad_now, lambda a: log.append("now")):
                ctx.on(paralleled, listener)
            with pytest.raises(ParallelError) as caught:
                await ctx.parallel(paralleled, 1)
            assert log == ["now", "slow"]
            assert str(caught.value).startswith(
                '2 listener(s) of event "test/parallel" failed:\n'
                "  <root>: OSError: one\n  <root>: ValueError: two"
            )
            assert [type(e) for e in caught.value.exceptions] == [OSError, ValueError]

    run(main())


def test_parallel_is_concurrent(run):
    """Asynchronous listeners of a parallel dispatch run at the same time."""

    async def main():
        async with Context() as ctx:
            barrier = asyncio.Barrier(3)

            async def meet(a):
                await barrier.wait()

            for _ in range(3):
                ctx.on(paralleled, meet)
            await asyncio.wait_for(ctx.parallel(paralleled, 1), 1)

    run(main())


@pytest.mark.parametrize("mode", ["serial", "bail"])
def test_first_answer_wins(run, mode):
    """The first value that is neither None nor False is the answer; 0 and the empty string are."""

    async def ask(ctx, answers):
        called = []
        what = VERBS[mode]
        effects = [ctx.on(what, lambda a, v=v: called.append(v) or v) for v in answers]
        result = getattr(ctx, mode)(what, 1)
        result = await result if mode == "serial" else result
        for effect in effects:
            await effect.dispose()
        return result, called

    async def main():
        async with Context() as ctx:
            assert await ask(ctx, [None, False, 0, "no"]) == (0, [None, False, 0])
            assert await ask(ctx, [None, "", 1]) == ("", [None, ""])
            assert await ask(ctx, [None, False]) == (None, [None, False])
            assert await ask(ctx, []) == (None, [])

    run(main())


def test_serial_awaits_in_turn(run):
    """Serial awaits each listener before the next and propagates what one raises."""
    log = []

    async def first(a):
        await asyncio.sleep(0)
        log.append("first")

    async def second(a):
        log.append("second")
        raise OSError("stop")

    async def main():
        async with Context() as ctx:
            ctx.on(serialled, first)
            ctx.on(serialled, second)
            ctx.on(serialled, lambda a: log.append("never"))
            with pytest.raises(OSError, match="stop"):
                await ctx.serial(serialled, 1)
            assert log == ["first", "second"]

    run(main())


def test_waterfall_wraps(run):
    """Listeners wrap one another and the inner default; next may replace arguments."""

    async def outer(a, next):
        return f"outer({await next()})"

    async def adding(a, next):
        return f"adding({await next(a + 1)})"

    def plain(a, next):
        return next()

    async def default(a):
        return f"default({a})"

    async def main():
        async with Context() as ctx:
            for listener in (outer, adding, plain):
                ctx.on(flowed, listener)
            assert await ctx.waterfall(flowed, 1, default) == "outer(adding(default(2)))"
            ctx.on(flowed, lambda a, next: "short", prepend=True)
            assert await ctx.waterfall(flowed, 1, default) == "short"

    run(main())


def test_sync_waterfall(run):
    """A waterfall declared without async is dispatched and answered synchronously."""

    async def main():
        async with Context() as ctx:
            ctx.on(flowed_now, lambda a, next: next(a * 2) + "!")
            assert ctx.waterfall(flowed_now, 2, str) == "4!"
            assert ctx.waterfall("undeclared/flow", 2, str) == "2"

    run(main())


def test_next_is_single_use(run):
    """Calling next a second time is refused, naming the listener's owner."""

    async def twice(a, next):
        await next()
        return await next()

    async def main():
        async with Context() as ctx:
            ctx.on(flowed, twice)
            with pytest.raises(NextCalledTwiceError, match="<root>"):
                await ctx.waterfall(flowed, 1, str)

    run(main())


def test_waterfall_needs_its_default(run):
    """A waterfall without an inner default says so."""

    async def main():
        async with Context() as ctx:
            with pytest.raises(TypeError, match="inner default last"):
                ctx.waterfall("x/y", 1)

    run(main())


def test_listener_disposed_mid_chain(run):
    """A listener disposed while it runs counts as absent when it had not delegated."""
    gate = None

    async def stuck(a, next):
        gate.set()
        await asyncio.sleep(60)
        return "stuck"

    async def default(a):
        return f"default({a})"

    async def main():
        nonlocal gate
        gate = asyncio.Event()
        async with Context() as ctx:
            fiber = await ctx.plugin(lambda c: c.on(flowed, stuck) and None)
            ctx.on(flowed, lambda a, next: next(a + 1))
            call = asyncio.ensure_future(ctx.waterfall(flowed, 1, default))
            await gate.wait()
            await fiber.dispose()
            assert await call == "default(2)"

    run(main())


def test_serial_listener_disposed(run):
    """A serial listener that is disposed while it runs is skipped."""
    gate = None

    async def stuck(a):
        gate.set()
        await asyncio.sleep(60)

    async def main():
        nonlocal gate
        gate = asyncio.Event()
        async with Context() as ctx:
            fiber = await ctx.plugin(lambda c: c.on(serialled, stuck) and None)
            ctx.on(serialled, lambda a: "next one")
            call = asyncio.create_task(ctx.serial(serialled, 1))
            await gate.wait()
            await fiber.dispose()
            assert await call == "next one"

    run(main())


def test_dispatch_cancelled_with_caller(run):
    """Cancelling the caller of a parallel dispatch ends every listener first."""
    log = []

    async def slow(a):
        try:
            await asyncio.sleep(60)
        finally:
            log.append("ended")

    async def main():
        async with Context() as ctx:
            ctx.on(paralleled, slow)
            ctx.on(paralleled, slow)
            call = asyncio.create_task(ctx.parallel(paralleled, 1))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            assert log == ["ended", "ended"]

    run(main())


def test_mount_from_listener(run):
    """A plugin mounted from a listener runs and belongs to the listener's fiber."""
    log = []

    def mounted(ctx):
        log.append(ctx.fiber.parent.name)

    def plugin(ctx):
        ctx.on("x/y", lambda: ctx.plugin(mounted) and None)

    async def main():
        async with Context() as ctx:
            await ctx.plugin(plugin)
            ctx.emit("x/y")
            await asyncio.sleep(0)
            assert log == ["plugin"]

    run(main())


def test_redeclared_elsewhere_keeps_first():
    """A second declaration of a name elsewhere does not change what the name means."""

    @event("test/emit", mode="waterfall")
    def impostor(next) -> None:
        """Not the event."""

    assert declared("test/emit") is emitted
    assert impostor.mode == "waterfall"


def test_removed_from_every_walk(run):
    """A listener that is removed is skipped by every dispatch that runs, the outer ones too."""
    log = []

    async def main():
        async with Context() as ctx:

            def first():
                log.append("first")
                if len(log) == 1:
                    extra = ctx.on("x/y", lambda: log.append("extra"))
                    ctx.emit("x/y")
                    victim.dispose()
                    extra.dispose()

            ctx.on("x/y", first)
            ctx.on("x/y", lambda: log.append("second"), prepend=False)
            victim = ctx.on("x/y", lambda: log.append("victim"))
            ctx.emit("x/y")
            assert log == ["first", "first", "second", "victim", "extra", "second"]
            assert ctx.registry.hooks.emits == {}
            log.clear()
            ctx.emit("x/y")
            assert log[:2] == ["first", "first"]

    run(main())


def test_emit_of_several_arguments(run):
    """Any number of arguments reaches the listeners, and a failure among them is whose it is."""
    log = []

    def bad(*args):
        raise OSError(str(args))

    async def main():
        async with Context() as ctx:
            fiber = await ctx.plugin(lambda c: c.on("x/y", bad) and None)
            ctx.on("internal/error", lambda owner, error: log.append((owner is fiber, str(error))))
            for args in ((), (1,), (1, 2), (1, 2, 3)):
                ctx.emit("x/y", *args)
            assert log == [(True, str(args)) for args in ((), (1,), (1, 2), (1, 2, 3))]

    run(main())
