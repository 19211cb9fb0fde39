"""Mounts that would lock the host out, hold it up or end it: none does."""

from __future__ import annotations

import asyncio

import pytest
from toolset_host import GREETER, host, snapshot

LOCKS = {
    "forgets next": 'def deny(call, next): return None\nctx.on("tools/pre-execute", deny)',
    "denies": 'async def deny(call, next): raise ValueError("no")\nctx.on("tools/pre-execute", deny)',
    "answers itself": 'async def answer(call, next): return 3\nctx.once("tools/execute", answer)',
    "hides": 'async def hide(call, result, next): return 3\nctx.on("tools/post-execute", hide)',
}


@pytest.mark.parametrize("name", LOCKS)
def test_mount_cannot_lock_itself_in(run, name: str) -> None:
    """Whatever a mounted listener does to tool calls, the plugin can be unmounted."""
    body = "".join(f"    {line}\n" for line in LOCKS[name].splitlines())

    async def main() -> None:
        async with host() as h:
            before = snapshot(h.ctx)
            await h.call("cordis_mount", code=f"async def apply(ctx):\n{body}return apply")
            assert (await h.call("cordis_unmount", id="dyn-1")).text.startswith("unmounted dyn-1")
            assert snapshot(h.ctx) == before

    run(main())


ENDLESS = {
    "tools/pre-execute": "async def wait(call, next): await forever.wait(); return await next()",
    "tools/execute": "async def wait(call, next): await forever.wait(); return await next()",
    "tools/post-execute": "async def wait(call, result, next): await forever.wait()",
}


@pytest.mark.parametrize("event", ENDLESS)
def test_endless_listener_is_passed_over(run, event: str) -> None:
    """A mounted listener that awaits for ever holds up no call of the toolset's own tools."""
    code = (
        "import asyncio\nasync def apply(ctx):\n    forever = asyncio.Event()\n"
        f"    {ENDLESS[event]}\n    ctx.on({event!r}, wait)\nreturn apply"
    )

    async def main() -> None:
        async with host() as h, asyncio.timeout(20):
            before = snapshot(h.ctx)
            await h.mount(code)
            assert "dyn-1" in await h.inspect(what="temporary")
            await h.mount(GREETER)
            assert not (await h.call("cordis_unmount", id="dyn-2")).is_error
            assert not (await h.call("cordis_unmount", id="dyn-1")).is_error
            assert snapshot(h.ctx) == before

    run(main())


def test_long_code_is_refused(run) -> None:
    """Code over the bound is refused before it is parsed, with its size and the bound."""

    async def main() -> str:
        async with host() as h:
            return await h.refuse("(" * 200_001)

    assert run(main()).startswith(
        "the code of dyn-1 was not run: it has 200,001 characters, and 200,000 is the most"
    )


EXITS = {
    "function": "def apply(ctx):\n    raise GeneratorExit\nreturn apply",
    "coroutine": "async def apply(ctx):\n    raise GeneratorExit\nreturn apply",
    "generator": "def apply(ctx):\n    raise GeneratorExit\n    yield\nreturn apply",
    "async generator": "async def apply(ctx):\n    raise GeneratorExit\n    yield\nreturn apply",
    "top level": "raise GeneratorExit\nreturn print",
    "configuration": (
        "class Config:\n    @classmethod\n    def model_validate(cls, data): raise GeneratorExit\n"
        "def apply(ctx, config): pass\napply.Config = Config\nreturn apply"
    ),
    "configuration exits": (
        "class Config:\n    @classmethod\n    def model_validate(cls, data): raise SystemExit(3)\n"
        "def apply(ctx, config): pass\napply.Config = Config\nreturn apply"
    ),
    "property": (
        "class Plugin:\n    @property\n    def apply(self): raise GeneratorExit\nreturn Plugin()"
    ),
}


@pytest.mark.parametrize("name", EXITS)
def test_raised_exit_fails_the_mount(run, name: str) -> None:
    """A GeneratorExit that mounted code raises is its failure, and what it replaces stays."""

    async def main() -> str:
        async with host() as h:
            await h.mount(GREETER)
            told = await h.call("cordis_mount", code=EXITS[name], replaces="dyn-1")
            assert told.is_error
            assert (await h.call("greet", name="you")).text == "hello you"
            await h.call("cordis_unmount", id="dyn-1")
            return told.text

    text = run(main())
    assert "dyn-2" in text
    assert "GeneratorExit" in text or "SystemExit" in text


EXITING_PARTS = {
    "disposer": "def apply(ctx):\n    def part(): raise GeneratorExit\n    yield part",
    "async disposer": "def apply(ctx):\n    async def part(): raise GeneratorExit\n    yield part",
    "listener": (
        'def apply(ctx):\n    def part(*_): raise GeneratorExit\n    ctx.on("tools/result", part)'
    ),
    "async listener": (
        "def apply(ctx):\n    async def part(*_): raise GeneratorExit\n"
        '    ctx.on("tools/result", part)'
    ),
    "status listener": (
        'def apply(ctx):\n    def part(*_): raise GeneratorExit\n    ctx.on("internal/status", part)'
    ),
}


@pytest.mark.parametrize("name", EXITING_PARTS)
def test_raised_exit_reaches_no_host(run, name: str) -> None:
    """A disposer or listener of mounted code that raises GeneratorExit is reported, no more."""

    async def main() -> int:
        async with host() as h:
            before = snapshot(h.ctx)
            reported: list[Exception] = []
            h.ctx.on("internal/error", lambda _, error: reported.append(error))
            listening = snapshot(h.ctx)
            await h.mount(f"{EXITING_PARTS[name]}\nreturn apply")
            await asyncio.sleep(0)
            assert not (await h.call("cordis_unmount", id="dyn-1")).is_error
            assert snapshot(h.ctx) == listening != before
            return len(reported)

    assert run(main()) > 0


def test_failure_is_worded_once(run) -> None:
    """What a plugin raised to end the host is told once, with the lines it came through."""

    async def main() -> str:
        async with host() as h:
            return await h.refuse("def apply(ctx):\n    raise SystemExit(3)\nreturn apply")

    assert run(main()) == "dyn-1 raised SystemExit: 3\n  line 2, in apply\n    raise SystemExit(3)"
