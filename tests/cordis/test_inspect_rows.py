"""The report's sections about what is live, their exact rows, and how sections are joined."""

from __future__ import annotations

import asyncio
import contextlib
import gc

import pytest
from toolset_host import GREETER, host, snapshot

from toolset import Context

SECTIONS = ["services", "plugins", "tools", "temporary", "api", "events"]


def test_report_joins_all_sections(run) -> None:
    """Without `what` the six sections come in order, a blank line between, nothing before or after."""

    async def main() -> None:
        async with host() as h:
            gc.collect()  # events that other tests declared in passing
            parts = [await h.inspect(what=section) for section in SECTIONS]
            assert await h.inspect() == "\n\n".join(parts)
            for section, part in zip(SECTIONS, parts, strict=True):
                heading, _, body = part.partition("\n")
                assert heading == f"## {section}"
                assert body == body.strip()

    run(main())


def test_report_changes_nothing(run) -> None:
    """Inspecting leaves the runtime as it was."""

    async def main() -> None:
        async with host() as h:
            await h.mount(GREETER)
            before = snapshot(h.ctx)
            await h.inspect()
            assert snapshot(h.ctx) == before

    run(main())


def test_services_say_their_provider(run) -> None:
    """Services are sorted by key; an owner that is not active shows its state."""

    async def main() -> None:
        async with host() as h:
            release = asyncio.Event()

            async def slow(ctx: Context) -> None:
                ctx.provide("almost", object())
                await release.wait()

            h.ctx.plugin(slow)
            await asyncio.sleep(0)
            lines = (await h.inspect(what="services")).splitlines()
            assert lines[1:4] == [
                "- almost (provided by slow, state: loading)",
                "- timer (provided by Timer)",
                "- tools (provided by ToolRegistry)",
            ]
            release.set()

    run(main())


def test_plugins_say_why_not_active(run) -> None:
    """Every instance has a row; one that is pending or failed says why."""

    async def main() -> None:
        async with host() as h:

            def waiting(ctx: Context) -> None: ...

            waiting.inject = ["library"]  # type: ignore[attr-defined]

            def broken(ctx: Context) -> None:
                raise ValueError("two\nlines")

            def twin(ctx: Context) -> None: ...

            for plugin in (waiting, twin, twin, broken):
                await asyncio.wait([asyncio.ensure_future(_quiet(h.ctx, plugin))])
            lines = (await h.inspect(what="plugins")).splitlines()[1:]
            assert lines == [
                "- Timer [active]",
                "- ToolRegistry [active]",
                "- broken [failed] — failed: ValueError: two lines",
                "- cordis-dynamic [active]",
                "- tool-cordis [active]",
                "- twin [active]",
                "- twin [active]",
                "- waiting [pending] — waiting for service(s): library",
            ]

    run(main())


async def _quiet(ctx: Context, plugin: object) -> None:
    with contextlib.suppress(ValueError):
        await ctx.plugin(plugin)


def test_tools_are_those_of_the_session(run) -> None:
    """A tool of another session's scope is not listed."""

    async def main() -> None:
        async with host() as h:
            from toolset import tool  # noqa: PLC0415 - the name would hide the fixture's

            @tool
            def secret() -> str:
                """Tell a secret.

                Only to one session.
                """
                return "x"

            h.ctx.tools.register(secret, scope="s1")
            theirs = await h.ctx.tools.execute("cordis_inspect", {"what": "tools"}, session="s1")
            assert "- secret — Tell a secret." in theirs.text.splitlines()
            assert "secret" not in await h.inspect(what="tools")

    run(main())


def test_temporary_rows_and_source(run) -> None:
    """A mounted plugin has one row; with its id the source comes along."""

    async def main() -> None:
        async with host() as h:
            assert await h.inspect(what="temporary") == (
                "## temporary\nNo temporary plugin is mounted; temporary plugins end with the "
                "process and are never restored."
            )
            await h.mount(GREETER)
            row = (
                "- dyn-1: greeter [active] — provides: none; waiting for: none; "
                "registered: 1 tool, 1 listener; until unmounted or process exit"
            )
            assert await h.inspect(what="temporary") == f"## temporary\n{row}"
            assert await h.inspect(what="dynamic") == f"## temporary\n{row}"
            text = await h.inspect(what="temporary", name="dyn-1")
            assert text.startswith(f"## temporary\n{row}\n")
            assert text.endswith(f"```python\n{GREETER.rstrip()}\n```")

    run(main())


def test_registered_is_counted_by_kind(run) -> None:
    """What a mount registered is counted by kind; a sleep is a timer, a service is not counted."""

    async def main() -> None:
        async with host() as h:
            await h.mount(
                "async def apply(ctx):\n"
                "    ctx.on('a/b', print); ctx.on('a/c', print)\n"
                "    ctx.timer.set_timeout(print, 900); ctx.set_interval(print, 900)\n"
                "    ctx.effect(lambda: print)\n"
                "    ctx.provide('thing', 1)\n"
                "    async def forever():\n"
                "        await ctx.timer.sleep(900)\n"
                "    ctx.spawn(forever())\n"
                "apply.inject = ['timer']\n"
                "return apply"
            )
            text = await h.inspect(what="temporary")
            assert "provides: thing; " in text
            assert "registered: 2 listeners, 3 timers, 1 task, 1 effect; " in text

    run(main())


FAILING = """
async def w(): raise ValueError("bg")
def heard(*_): raise KeyError("heard\\nmore")
def apply(ctx):
    ctx.on("clockwork/tick", heard)
    ctx.spawn(w())
return apply
"""


def test_background_failures_are_told(run) -> None:
    """What fails in a task or listener is in the notes when it was in time, and in the row."""

    async def main() -> None:
        async with host() as h:
            told = await h.call("cordis_mount", code=FAILING)
            first = "failed in the background once: ValueError: bg (dyn-1, line 2, in w)"
            assert told.text.endswith(f"\nnote: {first}")
            row = await h.inspect(what="temporary")
            assert f"registered: 1 listener; {first}; until unmounted" in row
            h.ctx.emit("clockwork/tick")
            for what in ({}, {"name": "dyn-1"}):
                text = await h.inspect(what="temporary", **what)
                assert (
                    "; failed in the background 2 times, the last: KeyError: 'heard\\nmore' "
                    "(dyn-1, line 3, in heard); until unmounted" in text
                )
            await h.mount("return lambda ctx: None")
            text = await h.inspect(what="temporary")
            assert "; registered: nothing; until unmounted" in text

    run(main())


def test_failed_temporary_says_why(run) -> None:
    """A mount that failed when its service came back stays listed, with its reason."""

    async def main() -> None:
        async with host() as h:
            await h.mount(
                "def apply(ctx):\n    raise ValueError(ctx.word)\napply.inject = ['word']\nreturn apply"
            )
            await h.mount("def apply(ctx): ctx.provide('word', 'no')\nreturn apply")
            for _ in range(5):
                await asyncio.sleep(0)
            text = await h.inspect(what="temporary")
            assert "- dyn-1: apply [failed]" in text
            assert "failed: ValueError: no" in text

    run(main())


ERRORS = {
    "unknown section": ({"what": "service"}, "services"),
    "name without section": ({"name": "fs"}, "name 'fs' needs a section that takes one"),
    "name with a plain section": (
        {"what": "plugins", "name": "x"},
        "one of: temporary, api, events",
    ),
    "unknown service": (
        {"what": "api", "name": "timr"},
        "no service is called 'timr'; did you mean 'timer'?",
    ),
    "unknown event": (
        {"what": "events", "name": "tools/chang"},
        "no event is called 'tools/chang'; did you mean 'tools/change'",
    ),
    "unknown mount": (
        {"what": "temporary", "name": "dyn-9"},
        'no temporary plugin with id "dyn-9"',
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_wrong_question_is_answered(run, name: str) -> None:
    """A question that cannot be answered says what to ask instead."""
    arguments, said = ERRORS[name]

    async def main() -> None:
        async with host() as h:
            result = await h.call("cordis_inspect", **arguments)
            assert result.is_error
            assert said in result.text

    run(main())


@pytest.mark.parametrize("limit", [1, 50, 300, 1000, 2500])
def test_limit_caps_report(run, limit: int) -> None:
    """A report never exceeds its limit; what was left out, and how to get it, is said."""

    async def main() -> None:
        async with host() as h:
            whole = await h.inspect()
            text = await h.inspect(limit=limit)
            closing = text[text.index("[left out: ") :]
            assert len(text) <= max(limit, len(closing))
            assert limit < len(whole)
            assert closing.endswith("]")
            if limit >= 300:
                kept, _, note = text.rpartition("[left out: ")
                assert whole.startswith(kept)
                count = int(note.split()[0])
                assert count == len(whole) - len(kept)
                assert 'what:"events"' in note

    run(main())
