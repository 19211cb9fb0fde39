"""What a mount still awaits when it is over: it is cancelled, then ended, and nothing hangs."""

from __future__ import annotations

import asyncio
import gc
import logging
import sys
import time

import pytest
from toolset_host import host, snapshot

from toolset.cordis.deadline import Judge, frame_name
from toolset.cordis.errors import MountTimeoutError

BOUNDS = {"vm_timeout_ms": 100, "mount_timeout_ms": 800}
SHORT = {"vm_timeout_ms": 100, "mount_timeout_ms": 300}

KEEPS_GOING = """
import asyncio, types
from contextlib import asynccontextmanager

gate = asyncio.Event()

async def forever():
    while True:
        try:
            await gate.wait()
        except BaseException:
            pass

class Raw:
    def __await__(self):
        while True:
            try:
                yield
            except BaseException:
                pass

async def raw():
    await Raw()

"""

STARTS = {
    "apply": "async def apply(ctx): await forever()",
    "async generator": "async def apply(ctx):\n    yield print\n    await forever()",
    "service": "class apply(Service, key='slow'):\n    async def start(self): await forever()",
    "top level": "await forever()\napply = print",
}

ACTIVE = {
    "task": "def apply(ctx): ctx.spawn(forever())",
    "tasks": "def apply(ctx):\n    for _ in range(3): ctx.spawn(forever())",
    "awaitable": "def apply(ctx): ctx.spawn(raw())",
    "finally": (
        "async def work():\n    try: await gate.wait()\n    finally: await forever()\n"
        "def apply(ctx): ctx.spawn(work())"
    ),
    "listener": (
        "def apply(ctx):\n    async def heard(*_): await forever()\n"
        "    ctx.on('tools/result', heard)"
    ),
    "disposer": "def apply(ctx):\n    yield forever",
    "quiet disposer": "def apply(ctx):\n    yield gate.wait",
    "set-up": (
        "def apply(ctx):\n    async def part():\n        yield print\n        await forever()\n"
        "    ctx.effect(part)"
    ),
    "manager": (
        "def apply(ctx):\n    @asynccontextmanager\n    async def part():\n        try: yield\n"
        "        finally: await gate.wait()\n    ctx.effect(part)"
    ),
}


@pytest.mark.parametrize("name", STARTS)
def test_start_that_keeps_going_is_ended(run, name: str) -> None:
    """A start that catches its own cancellation fails in its time and leaves nothing."""

    async def main() -> str:
        async with host(SHORT) as h, asyncio.timeout(20):
            return await h.refuse(f"{KEEPS_GOING}{STARTS[name]}\nreturn apply")

    text = run(main())
    assert text.startswith("dyn-1 was ended: it was not mounted after 300 ms")
    assert "still ending" not in text


@pytest.mark.parametrize("name", ACTIVE)
def test_unmount_ends_what_keeps_going(run, name: str) -> None:
    """Unmounting ends what catches its own cancellation, or never comes to an end, in its time."""

    async def main() -> None:
        async with host(BOUNDS) as h, asyncio.timeout(20):
            before = snapshot(h.ctx)
            await h.mount(f"{KEEPS_GOING}{ACTIVE[name]}\nreturn apply")
            await asyncio.sleep(0)
            told = await h.call("cordis_unmount", id="dyn-1")
            assert told.text == 'unmounted dyn-1 (plugin "apply")'
            assert snapshot(h.ctx) == before

    run(main())
    gc.collect()


def test_host_ends_with_it(run) -> None:
    """Disposing the host ends what keeps going too, so that its process comes to an end."""

    async def main() -> None:
        async with asyncio.timeout(20), host(SHORT) as h:
            for name in ("task", "disposer", "set-up"):
                await h.mount(f"{KEEPS_GOING}{ACTIVE[name]}\nreturn apply")

    run(main())


def test_forced_end_is_logged(run, caplog: pytest.LogCaptureFixture) -> None:
    """What had to be ended is named in the log, with the line it was waiting at."""

    async def main() -> None:
        async with host(BOUNDS) as h:
            await h.mount(f"{KEEPS_GOING}{ACTIVE['task']}\nreturn apply")
            await asyncio.sleep(0)

    with caplog.at_level(logging.WARNING):
        run(main())
    (told,) = [record.getMessage() for record in caplog.records]
    assert told.startswith(
        "`forever` of dyn-1 was ended: its plugin is over, but it went on, at line"
    )
    assert "await gate.wait()" in told


def test_condemned_code_is_struck_at_once() -> None:
    """Code that is to be ended is over its time at the first look, whatever the clock says."""
    filename = frame_name("dyn-1")
    found: dict[str, object] = {}
    exec(compile("frame = look()", filename, "exec"), {"look": lambda: sys._getframe(1)}, found)
    for tick in range(200):
        judge = Judge(0.1, lambda *_: None)
        judge.condemn(filename)
        told = judge.verdict(found["frame"], tick * 0.137, lambda _: None)
        assert isinstance(told, MountTimeoutError)


class Pause:
    """A service that lets the loop turn."""

    async def turn(self) -> None:
        await asyncio.sleep(0)


def test_clean_up_has_its_time(run) -> None:
    """Clean-up that awaits something after its cancellation is not disturbed."""

    async def main() -> list[str]:
        seen: list[str] = []
        async with host({"mount_timeout_ms": 20_000}) as h:
            h.ctx.provide("seen", seen)
            h.ctx.provide("pause", Pause())
            await h.mount(
                "import asyncio\nasync def work(ctx, seen):\n    try: await asyncio.Event().wait()\n"
                "    finally:\n        for _ in range(5): await ctx.pause.turn()\n"
                "        seen.append('done')\n"
                "def apply(ctx): ctx.spawn(work(ctx, ctx.seen))\n"
                "apply.inject = ['pause', 'seen']\nreturn apply"
            )
            await asyncio.sleep(0)
            await h.call("cordis_unmount", id="dyn-1")
        return seen

    assert run(main()) == ["done"]


STUCK_TOOLS = {
    "body": (
        "@harness.tool\n    async def stuck() -> str:\n        'Hang.'\n        await forever()\n"
        "    ctx.tools.register(stuck)"
    ),
    "render": (
        "async def show(args, value): await forever()\n"
        "    ctx.tools.register(harness.define_tool(name='stuck', description='Hang.',\n"
        "        output={'schema': {}, 'render': show}, execute=lambda args: 1))"
    ),
}


@pytest.mark.parametrize("part", STUCK_TOOLS)
def test_call_ends_with_its_mount(run, part: str) -> None:
    """A running call whose body or rendering keeps going ends with the mount, and says so."""

    async def main() -> str:
        async with host(BOUNDS) as h, asyncio.timeout(20):
            await h.mount(f"{KEEPS_GOING}def apply(ctx):\n    {STUCK_TOOLS[part]}\nreturn apply")
            call = asyncio.ensure_future(h.call("stuck"))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            assert not (await h.call("cordis_unmount", id="dyn-1")).is_error
            return (await call).text

    assert run(main()).startswith(
        "tool 'stuck' is gone: plugin dyn-1 (plugin \"apply\") was unmounted"
    )


PATTERNS = {
    "arguments": (
        "parameters={'type': 'object', 'properties': {'text': {'type': 'string', "
        "'pattern': '^(a+)+$'}}}, output={'schema': {}}, execute=lambda args: 1"
    ),
    "property names": (
        "parameters={'type': 'object', 'properties': {}, 'patternProperties': {'^(a+)+$': {}}}, "
        "output={'schema': {}}, execute=lambda args: 1"
    ),
    "output": (
        "parameters={'type': 'object', 'properties': {'text': {}}}, "
        "output={'schema': {'pattern': '^(a+)+$'}}, execute=lambda args: args['text']"
    ),
}


@pytest.mark.parametrize("where", PATTERNS)
def test_endless_pattern_is_ended(run, where: str) -> None:
    """A schema whose regular expression backtracks without end fails its call, not the host."""
    text = "a" * 60 + "b"

    async def main() -> tuple[str, float]:
        async with host({"vm_timeout_ms": 50}) as h:
            await h.mount(
                "def apply(ctx):\n    ctx.tools.register(harness.define_tool(name='match', "
                f"description='Match.', {PATTERNS[where]}))\nreturn apply"
            )
            begun = time.perf_counter()
            result = await h.call(
                "match", **({text: 1} if where == "property names" else {"text": text})
            )
            assert result.is_error
            taken = time.perf_counter() - begun
            assert not (await h.call("cordis_inspect", what="tools")).is_error
            replaced = await h.call("cordis_mount", code="raise ValueError", replaces="dyn-1")
            assert "stays mounted" in replaced.text
            return result.text, taken

    told, taken = run(main())
    assert "could not be checked within 50 ms, nor in the 1 s more that" in told
    assert "`pattern`" in told
    assert taken < 10
