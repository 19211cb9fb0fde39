"""Async generators of mounted code that nobody iterates to their end: they end with their mount."""

from __future__ import annotations

import asyncio
import gc
import logging
import sys
from collections.abc import AsyncIterator

import pytest
from toolset_host import host, snapshot

BOUNDS = {"vm_timeout_ms": 100, "mount_timeout_ms": 600}
HEAD = """
import asyncio

class Y:
    def __await__(self): yield

async def forever():
    while True:
        try: await Y()
        except BaseException: pass

kept = []
"""
FINALLY = {
    "turns": "while True: await Y()",
    "waits": "await asyncio.Event().wait()",
    "stubborn": "await forever()",
}
APPLY = """
async def g():
    try:
        yield 1
    finally:
        {last}

async def apply(ctx):
    {use}
    ctx.provide("q", 1)
return apply
"""
USES = {"dropped": "async for x in g(): break", "kept": "kept.append(g()); await anext(kept[0])"}


def code(last: str, use: str) -> str:
    """Write the code of a mount that leaves a generator half-way."""
    return HEAD + APPLY.format(last=last, use=use)


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("last", FINALLY)
def test_dropped_generator_ends_with_mount(
    run, last: str, use: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Once a mount is over no generator of it runs on, whatever its `finally` does."""

    async def main() -> None:
        async with host(BOUNDS) as h, asyncio.timeout(20):
            before, hooks = snapshot(h.ctx), sys.get_asyncgen_hooks()
            tasks = asyncio.all_tasks()
            await h.mount(code(FINALLY[last], USES[use]))
            await asyncio.sleep(0)
            told = await h.call("cordis_unmount", id="dyn-1")
            assert told.text == 'unmounted dyn-1 (plugin "apply")'
            assert snapshot(h.ctx) == before
            assert asyncio.all_tasks() == tasks
            assert sys.get_asyncgen_hooks() == hooks

    with caplog.at_level(logging.WARNING):
        run(main())
        gc.collect()
    told = [record for record in caplog.records if "Executing" not in record.getMessage()]
    assert {record.name for record in told} <= {"toolset.plugin.apply"}
    assert not any(record.exc_info for record in told)


def test_spinning_clean_up_is_bounded(run, caplog: pytest.LogCaptureFixture) -> None:
    """A `finally` that spins is ended at the bound, and told in a line without the host's frames."""

    async def main() -> None:
        async with host(BOUNDS) as h, asyncio.timeout(20):
            text = await h.refuse(code("while True: pass", USES["dropped"]))
            assert text.startswith("dyn-1 was ended: line 18, in g, was still running after 100 ms")
            await h.mount(code("while True: pass", USES["kept"]))
            told = await h.call("cordis_unmount", id="dyn-2")
            assert told.text == 'unmounted dyn-2 (plugin "apply")'

    with caplog.at_level(logging.ERROR):
        run(main())
        gc.collect()
    assert {record.name for record in caplog.records} == {"toolset.plugin.apply"}
    assert not any(record.exc_info for record in caplog.records)


@pytest.mark.parametrize("use", USES)
def test_generator_cleans_up_to_end(run, use: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A `finally` that awaits a little runs to its end, at the latest before the unmount returns."""

    async def main() -> None:
        async with host() as h:
            await h.mount(code("await Y(); print('clean')", USES[use]))
            await h.call("cordis_unmount", id="dyn-1")
            assert "clean" in capsys.readouterr().out

    run(main())


def test_evaluation_closes_its_generators(run, capsys: pytest.CaptureFixture[str]) -> None:
    """What the top level drops half-way is closed before its plugin starts."""
    body = (
        "async def g():\n    try: yield 1\n    finally:\n        await Y()\n        print('clean')\n"
        "async for x in g(): break\ndef apply(ctx): print('start')\nreturn apply"
    )

    async def main() -> None:
        async with host() as h:
            await h.mount(HEAD + body)

    run(main())
    told = capsys.readouterr().out
    assert told.index("clean") < told.index("start")


def test_failed_mount_leaves_no_generator(run) -> None:
    """What a mount that fails had begun is ended with it."""

    async def main() -> None:
        async with host(BOUNDS) as h, asyncio.timeout(20):
            tasks = asyncio.all_tasks()
            failing = code(FINALLY["turns"], USES["dropped"]).replace(
                'ctx.provide("q", 1)', "1 / 0"
            )
            assert "ZeroDivisionError" in await h.refuse(failing)
            top = (
                HEAD
                + "async def g():\n    try: yield 1\n    finally:\n        while True: await Y()\n"
            )
            await h.refuse(f"{top}async for x in g(): break\nreturn print")
            assert asyncio.all_tasks() == tasks

    run(main())


def test_host_generators_stay_asyncios(run) -> None:
    """A generator of the host's that is dropped while mounts are there is closed by its loop."""
    closed: list[str] = []

    async def numbers() -> AsyncIterator[int]:
        try:
            yield 1
        finally:
            await asyncio.sleep(0)
            closed.append("closed")

    async def main() -> None:
        async with host() as h:
            before = sys.get_asyncgen_hooks()
            await h.mount("return lambda ctx: None")
            assert sys.get_asyncgen_hooks() != before
            async for _ in numbers():
                break
            gc.collect()
            for _ in range(4):
                await asyncio.sleep(0)
            assert closed == ["closed"]
        assert sys.get_asyncgen_hooks() == before

    run(main())


def test_two_toolsets_share_the_hooks(run) -> None:
    """Two hosts in one loop end in any order, and the hooks are as they were."""

    async def main() -> None:
        before = sys.get_asyncgen_hooks()
        async with host() as first:
            await first.mount("return lambda ctx: None")
            async with host() as second:
                await second.mount("return lambda ctx: None")
                await first.call("cordis_unmount", id="dyn-1")
                assert sys.get_asyncgen_hooks() != before
            assert sys.get_asyncgen_hooks() == before

    run(main())


def test_bad_yield_is_told_in_a_line(run, caplog: pytest.LogCaptureFixture) -> None:
    """What asyncio throws at an awaitable that yields nonsense is no fault of the host's."""
    body = "class B:\n    def __await__(self): yield 5\nasync def w(): await B()\n"

    async def main() -> None:
        async with host() as h:
            await h.mount(f"{body}return lambda ctx: ctx.spawn(w()) and None")
            for _ in range(3):
                await asyncio.sleep(0)
            told = await h.inspect(what="temporary")
            assert "Task got bad yield: 5 (dyn-1, line 2, in B.__await__)" in told

    run(main())
    assert [record.exc_info for record in caplog.records] == [None]


def test_unawaited_next_is_told(run) -> None:
    """A `pre-execute` listener that returns `next()` un-awaited is told so, without an address."""
    listens = (
        "async def passes(call, next): return next()\n"
        "def apply(ctx): ctx.on('tools/pre-execute', passes)\nreturn apply"
    )
    tool = (
        '@harness.tool\nasync def hi() -> str:\n    """Greet."""\n    return \'hi\'\n'
        "def apply(ctx): ctx.tools.register(hi)\napply.inject = ['tools']\nreturn apply"
    )

    async def main() -> None:
        async with host() as h:
            await h.mount(tool)
            await h.mount(listens)
            text = (await h.call("hi")).text
            assert "decided a coroutine, such as `next()` without `await`; it must return" in text

    run(main())
    gc.collect()
