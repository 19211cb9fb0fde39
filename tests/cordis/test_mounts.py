"""Mounting, replacing and unmounting: what is left, in which words, and what fails cleanly."""

from __future__ import annotations

import asyncio
import linecache
import logging
import os

import pytest
from toolset_host import GREETER, host, snapshot

from toolset import Context, cordis
from toolset.services.tools import ToolRegistry

CYCLES = int(os.environ.get("TOOLSET_FUZZ_CYCLES", "1000"))


def test_mount_tells_and_registers(run) -> None:
    """A mount says its id, name and state, and its tool can be called at once."""

    async def main() -> None:
        async with host() as h:
            result = await h.call("cordis_mount", code=GREETER)
            assert result.text == 'mounted dyn-1 (plugin "greeter", state: active)'
            assert result.value == {
                "id": "dyn-1",
                "plugin_name": "greeter",
                "state": "active",
                "provides": [],
                "waiting_for": [],
                "notes": ["registered: tools.register('greet'), ctx.on('tools/change')"],
            }
            assert (await h.call("greet", name="you")).text == "hello you"

    run(main())


def test_unmount_leaves_nothing(run) -> None:
    """After unmounting, the runtime is what it was before mounting."""

    async def main() -> None:
        async with host() as h:
            before = snapshot(h.ctx)
            await h.mount(GREETER)
            result = await h.call("cordis_unmount", id="dyn-1")
            assert result.text == 'unmounted dyn-1 (plugin "greeter")'
            assert snapshot(h.ctx) == before
            assert "<mount:dyn-1>" not in linecache.cache

    run(main())


@pytest.mark.parametrize("mount_id", ["dyn-9", "tool-cordis", "1", ""])
def test_unmount_refuses_other_ids(run, mount_id: str) -> None:
    """Only ids of temporary plugins can be unmounted."""

    async def main() -> None:
        async with host() as h:
            result = await h.call("cordis_unmount", id=mount_id)
            assert result.is_error
            assert (
                f'no temporary plugin with id "{mount_id}" '
                '(list them with cordis_inspect what:"temporary")'
            ) in result.text

    run(main())


def test_repeated_unmount_is_refused(run) -> None:
    """A second unmount of one id is an unknown id."""

    async def main() -> None:
        async with host() as h:
            await h.mount(GREETER)
            await h.call("cordis_unmount", id="dyn-1")
            again = await h.call("cordis_unmount", id="dyn-1")
            assert 'no temporary plugin with id "dyn-1"' in again.text

    run(main())


def test_ids_are_never_reused(run) -> None:
    """An id is given once, also to a mount that failed."""

    async def main() -> None:
        async with host() as h:
            await h.mount(GREETER)
            await h.call("cordis_unmount", id="dyn-1")
            await h.refuse("return 1")
            assert (await h.mount(GREETER))["id"] == "dyn-3"

    run(main())


def test_pending_mount_succeeds(run) -> None:
    """A plugin whose services are missing is mounted and says what it waits for."""

    async def main() -> None:
        async with host() as h:
            code = "def apply(ctx): ctx.on('a/b', print)\napply.inject = ['library', 'archive']\nreturn apply"
            result = await h.call("cordis_mount", code=code)
            assert result.text == (
                'mounted dyn-1 (plugin "apply", state: pending — waiting for service(s): '
                "library, archive (activates when provided))"
            )
            assert result.value["waiting_for"] == ["library", "archive"]
            assert result.value["notes"] == []

    run(main())


def test_names_stay_in_their_line(run) -> None:
    """A plugin's name cannot write rows of its own into a report, nor fill one."""

    async def main() -> None:
        async with host() as h:
            code = "def apply(ctx): ctx.on('a/b', print)\napply.name = {!r}\nreturn apply"
            first = await h.mount(code.format("x\n## services\n- evil [active]"))
            assert first["plugin_name"] == "x ## services - evil [active]"
            assert "- x ## services - evil [active] [active]" in await h.inspect(what="plugins")
            assert len(str((await h.mount(code.format("x" * 10_000)))["plugin_name"])) == 81
            assert (await h.mount(code.format("\n")))["plugin_name"] == "<anonymous>"

    run(main())


def test_idle_mount_is_noted(run) -> None:
    """A mount that ended up registering nothing says so."""

    async def main() -> None:
        async with host() as h:
            result = await h.call("cordis_mount", code="def apply(ctx): pass\nreturn apply")
            assert result.text.startswith('mounted dyn-1 (plugin "apply", state: active)\nnote: ')
            assert "registered nothing" in result.text

    run(main())


PROVIDER = """
class Library(Service, key="library"):
    async def borrow(self, title: str) -> str:
        return f"borrowed {title}"

return Library
"""
CONSUMER = """
async def apply(ctx):
    text = await ctx.library.borrow("a book")
    ctx.provide("shelf", [text])

apply.name = "reader"
apply.inject = ["library"]
return apply
"""


def test_mounts_compose(run) -> None:
    """A consumer follows its provider: it waits, starts, waits again and starts again."""

    async def main() -> None:
        async with host() as h:
            assert (await h.mount(CONSUMER))["state"] == "pending"
            assert (await h.mount(PROVIDER))["provides"] == ["library"]
            assert "- dyn-1: reader [active] — provides: shelf" in await h.inspect(what="temporary")
            await h.call("cordis_unmount", id="dyn-2")
            assert (
                "- dyn-1: reader [pending] — provides: none; waiting for: library; "
                "registered: nothing; until unmounted or process exit"
            ) in await h.inspect(what="temporary")
            await h.mount(PROVIDER)
            assert "reader [active]" in await h.inspect(what="plugins")

    run(main())


def test_second_provider_is_refused(run) -> None:
    """Providing a key twice fails and names the owner."""

    async def main() -> None:
        async with host() as h:
            await h.mount(PROVIDER)
            text = await h.refuse(PROVIDER)
            assert 'service "library" is already provided by dyn-1 (plugin "Library")' in text

    run(main())


def test_preflight_refuses_before_running(run, capfd: pytest.CaptureFixture[str]) -> None:
    """Code with certain mistakes does not run; all of them are listed by line."""

    async def main() -> None:
        async with host() as h:
            code = (
                "print('running')\n"
                "async def apply(ctx):\n"
                "    ctx.root.dispose()\n"
                "    await ctx.timer.slep(1)\n"
                "apply.inject = ['timer']\n"
                "return apply"
            )
            text = await h.refuse(code)
            assert "the code of dyn-1 was not run: it has 2 mistakes\n  line 3: " in text
            assert "line 4: ctx.timer (Timer) has no 'slep'; did you mean async sleep" in text

    run(main())
    assert "running" not in capfd.readouterr().out


FAILURES = {
    "no code": ("", "has no `return`"),
    "syntax": ("return (", "'(' was never closed"),
    "evaluation": ("1 / 0\nreturn print", "ZeroDivisionError"),
    "no plugin": ("return 42", "returned an int: 42, which is no plugin"),
    "apply raises": (
        "def apply(ctx):\n    ctx.on('a/b', print)\n    ctx.provide('x', 1)\n    1 / 0\nreturn apply",
        "line 4, in apply",
    ),
    "async apply raises": (
        "async def apply(ctx):\n    ctx.on('a/b', print)\n    raise KeyError('k')\nreturn apply",
        "KeyError: 'k'",
    ),
    "apply exits": ("def apply(ctx):\n    raise SystemExit(3)\nreturn apply", "SystemExit: 3"),
    "generator raises": (
        "def apply(ctx):\n    yield lambda: None\n    raise ValueError('late')\nreturn apply",
        "ValueError: late",
    ),
    "start raises": (
        "class S(Service, key='s'):\n    def start(self):\n        raise ValueError('no')\nreturn S",
        "ValueError: no",
    ),
    "deep value": ("v = []\nfor _ in range(5000): v = [v]\nreturn v", "returned a list: [[[[[["),
    "deep inject": (
        "v = []\nfor _ in range(5000): v = [v]\ndef apply(ctx): pass\napply.inject = v\nreturn apply",
        "names [[[[[[[...]]]]]]], no service key",
    ),
    "endless inject": (
        (
            "import itertools\ndef apply(ctx): pass\n"
            "apply.inject = itertools.repeat('fs')\nreturn apply"
        ),
        "names more than 1000 service keys",
    ),
    "raising plugin": (
        (
            "class Meta(type):\n    def __getattr__(cls, name): raise RuntimeError('no')\n"
            "class P(metaclass=Meta):\n    def __init__(self, ctx): pass\nreturn P"
        ),
        "dyn-1 raised RuntimeError: no\n  line 2, in Meta.__getattr__",
    ),
    "bad config": ("def apply(ctx): pass\napply.Config = 3\nreturn apply", "`Config` of plugin"),
    "bad inject": ("def apply(ctx): pass\napply.inject = 'fs'\nreturn apply", "inject"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_failed_mount_leaves_nothing(run, name: str) -> None:
    """A mount that fails says why, and everything it did is undone before the error comes."""
    code, said = FAILURES[name]

    async def main() -> None:
        async with host() as h:
            assert said in await h.refuse(code)
            assert "No temporary plugin" in await h.inspect(what="temporary")
            assert "<mount:dyn-1>" not in linecache.cache

    run(main())


def test_loop_in_apply_is_ended(run) -> None:
    """A synchronous stretch over the bound is ended, even when the code hides it."""

    async def main() -> None:
        async with host({"vm_timeout_ms": 150}) as h:
            loop = "def apply(ctx):\n    ctx.on('a/b', print)\n    try:\n        while True: pass\n"
            text = await h.refuse(f"{loop}    except BaseException:\n        pass\nreturn apply")
            assert "dyn-1 was ended: line 4, in apply" in text

    run(main())


STUCK = """
class Never:
    def __await__(self):
        while True:
            yield

async def apply(ctx):
    ctx.on("a/b", print)
    await Never()

return apply
"""


def test_endless_start_is_ended(run) -> None:
    """A start that never returns is ended after the mount's bound, naming its line."""

    async def main() -> None:
        async with host({"mount_timeout_ms": 300}) as h:
            text = await h.refuse(STUCK)
            assert "dyn-1 was ended: it was not mounted after 300 ms, waiting at line" in text

    run(main())


def test_endless_evaluation_is_ended(run) -> None:
    """The mount's bound holds while the code itself awaits, too."""

    async def main() -> None:
        async with host({"mount_timeout_ms": 300}) as h:
            text = await h.refuse(STUCK.replace("return apply", "await Never()\nreturn apply"))
            assert "dyn-1 was ended: it was not mounted after 300 ms" in text

    run(main())


def test_replacing_swaps(run) -> None:
    """A replacement has an id of its own, and the old plugin is gone."""

    async def main() -> None:
        async with host() as h:
            await h.mount(GREETER)
            new = await h.mount(GREETER.replace("hello", "good day"), replaces="dyn-1")
            assert new["id"] == "dyn-2"
            assert (await h.call("greet", name="you")).text == "good day you"
            assert "dyn-1" not in await h.inspect(what="temporary")
            assert "<mount:dyn-1>" not in linecache.cache

    run(main())


@pytest.mark.parametrize("code", ["return (", "return 1", "def apply(ctx): ctx.root\nreturn apply"])
def test_bad_replacement_is_checked_first(run, code: str) -> None:
    """Code that is refused before it is mounted leaves what it was to replace untouched."""

    async def main() -> None:
        async with host() as h:
            await h.mount(GREETER)
            assert 'dyn-1 (plugin "greeter") stays mounted' in await h.refuse(
                code, replaces="dyn-1"
            )
            assert (await h.call("greet", name="you")).text == "hello you"

    run(main())


def test_failed_replacement_rolls_back(run) -> None:
    """When the new plugin does not start, the old one is mounted again, and the error says so."""

    async def main() -> None:
        async with host() as h:
            await h.mount(GREETER)
            code = GREETER.replace("    ctx.on", "    1 / 0\n    ctx.on")
            result = await h.call("cordis_mount", code=code, replaces="dyn-1")
            assert result.is_error
            assert "ZeroDivisionError" in result.text
            assert 'dyn-1 (plugin "greeter") was mounted again, state: active' in result.text
            assert (await h.call("greet", name="you")).text == "hello you"
            assert "- dyn-1: greeter [active]" in await h.inspect(what="temporary")
            await h.call("cordis_unmount", id="dyn-1")

    run(main())


def test_failed_rollback_is_told(run) -> None:
    """When the old plugin cannot be mounted again either, the error says that nothing is left."""

    async def main() -> None:
        async with host() as h:
            once = (
                "starts = []\n"
                "def apply(ctx):\n"
                "    starts.append(1)\n"
                "    if len(starts) > 1: raise ValueError('only once')\n"
                "    ctx.on('a/b', print)\n"
                "return apply"
            )
            before = snapshot(h.ctx)
            await h.mount(once)
            code = "def apply(ctx): 1 / 0\nreturn apply"
            result = await h.call("cordis_mount", code=code, replaces="dyn-1")
            assert 'dyn-1 (plugin "apply") could not be mounted again' in result.text
            assert "ValueError: only once" in result.text
            assert snapshot(h.ctx) == before

    run(main())


@pytest.mark.parametrize("again", ["cordis_unmount", "cordis_mount"])
def test_leaving_mount_is_left_once(run, again: str) -> None:
    """Of two calls at once that would take a mount away, one succeeds and the other is told."""

    async def main() -> None:
        async with host() as h:
            await h.mount(GREETER)
            arguments = {"id": "dyn-1"}
            if again == "cordis_mount":
                arguments = {"code": GREETER, "replaces": "dyn-1"}
            results = await asyncio.gather(*(h.call(again, **arguments) for _ in range(2)))
            assert sorted(result.is_error for result in results) == [False, True]
            assert 'no temporary plugin with id "dyn-1"' in "".join(one.text for one in results)

    run(main())


def test_unknown_replacement_is_refused(run) -> None:
    """`replaces` must name a temporary plugin; nothing is evaluated otherwise."""

    async def main() -> None:
        async with host() as h:
            text = await h.refuse(GREETER, replaces="dyn-7")
            assert 'no temporary plugin with id "dyn-7"' in text

    run(main())


def test_toolset_disposal_ends_mounts(run) -> None:
    """Disposing the toolset disposes every mount, and its three tools."""

    async def main() -> None:
        async with Context() as ctx:
            await ctx.plugin(ToolRegistry)
            before = snapshot(ctx)
            fiber = await ctx.plugin(cordis)
            for code in (GREETER, PROVIDER, CONSUMER):
                assert not (await ctx.tools.execute("cordis_mount", {"code": code})).is_error
            assert [child.name for child in fiber.children] == ["cordis-dynamic"]
            await fiber.dispose()
            assert snapshot(ctx) == before
            assert not any(name.startswith("<mount:") for name in linecache.cache)

    run(main())


def test_reloaded_toolset_starts_empty(run) -> None:
    """Reloading the toolset disposes every mount; ids go on where they were."""

    async def main() -> None:
        async with host() as h:
            before = snapshot(h.ctx)
            await h.mount(GREETER)
            await h.toolset.restart()
            assert snapshot(h.ctx) == before
            assert "No temporary plugin" in await h.inspect(what="temporary")
            assert (await h.mount(GREETER))["id"] == "dyn-2"

    run(main())


def test_mount_unmounts_itself(run) -> None:
    """A tool of a mount that unmounts its own plugin does not wait for itself."""

    async def main() -> None:
        async with host() as h:
            before = snapshot(h.ctx)
            await h.mount(GREETER)
            seen: list[str] = []

            async def unmount(call: object, next: object) -> object:
                if call.name == "greet":
                    result = await h.call("cordis_unmount", id="dyn-1")
                    seen.append(result.text)
                return await next()

            effect = h.ctx.on("tools/execute", unmount)
            result = await asyncio.wait_for(h.call("greet", name="you"), 5)
            await effect.dispose()
            assert seen == ['unmounted dyn-1 (plugin "greeter")']
            assert result.is_error
            assert snapshot(h.ctx) == before

    run(main())


def test_many_mounts_at_once(run) -> None:
    """Two hundred mounts at once all get ids of their own and all go away."""

    async def main() -> None:
        async with host() as h:
            before = snapshot(h.ctx)
            code = "def apply(ctx): ctx.on('a/b', print)\nreturn apply"
            mounted = await asyncio.gather(*(h.mount(code) for _ in range(200)))
            ids = [str(one["id"]) for one in mounted]
            assert len(set(ids)) == 200
            await asyncio.gather(*(h.call("cordis_unmount", id=one) for one in ids))
            assert snapshot(h.ctx) == before

    run(main())


def test_cancelled_mount_leaves_nothing(run) -> None:
    """Cancelling the call that mounts undoes what was mounted so far."""

    async def main() -> None:
        async with host() as h:
            before = snapshot(h.ctx)
            task = asyncio.ensure_future(h.call("cordis_mount", code=STUCK))
            while all(fiber.name != "apply" for fiber in h.ctx.registry.fibers()):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
            assert snapshot(h.ctx) == before
            assert "No temporary plugin" in await h.inspect(what="temporary")

    run(main())


def test_mount_cycle_keeps_nothing(count_objects, caplog: pytest.LogCaptureFixture) -> None:
    """Mounting, calling and unmounting fresh code again and again keeps no object."""
    caplog.set_level(logging.CRITICAL)

    async def main() -> int:
        async with host() as h:

            async def cycle(number: int) -> None:
                mounted = await h.mount(GREETER.replace("hello", f"hello {number}"))
                await h.call("greet", name="you")
                await h.call("cordis_unmount", id=mounted["id"])

            for number in range(60):
                await cycle(number)
            await asyncio.sleep(0)
            before = count_objects()
            for number in range(CYCLES):
                await cycle(100 + number)
            await asyncio.sleep(0)
            caplog.clear()
            return count_objects() - before

    assert asyncio.run(main()) <= 0  # not in debug mode, which remembers more
