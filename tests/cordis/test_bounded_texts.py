"""Texts of mounted code without measure: every report, message and log line stays short."""

from __future__ import annotations

import pytest
from toolset_host import GREETER, host

from toolset import tool
from toolset.cordis.diagnostics import in_one_line, is_fault

HUGE = 1_000_000
REFUSED = {
    "message": "def apply(ctx): raise ValueError('x' * HUGE)",
    "notes": "def apply(ctx):\n    e = ValueError()\n    e.add_note('n' * HUGE)\n    raise e",
    "key": "def apply(ctx): ctx.provide('k' * HUGE, 1)",
    "injected key": "def apply(ctx): pass\napply.inject = ['k' * HUGE]",
    "many injected keys": "def apply(ctx): pass\napply.inject = [f'k{n}' for n in range(10_000)]",
    "event name": "def apply(ctx): ctx.on('e' * HUGE, print)",
    "member": "def apply(ctx): getattr(ctx, 'm' * HUGE)",
    "tool name": (
        "def apply(ctx): ctx.tools.register(harness.define_tool(name='t' * HUGE, description='d', "
        "output={'schema': {}}, execute=lambda args: 1))"
    ),
    "many mistakes": "def apply(ctx):\n"
    + "    ctx.fs.nothing()\n" * 2000
    + "apply.inject = ['fs']",
    "source line": "def apply(ctx): raise ValueError('" + "x" * 100_000 + "'[:3])",
    "repr": "class R:\n    def __repr__(self): return 'r' * HUGE\napply = R()",
    "repr of a set-up": (
        "class R:\n    def __repr__(self): return 'r' * HUGE\n"
        "def apply(ctx): ctx.effect(lambda: R())"
    ),
    "repr of a task": (
        "class R:\n    def __repr__(self): return 'r' * HUGE\ndef apply(ctx): ctx.spawn(R())"
    ),
    "repr of a tool": (
        "class R:\n    def __repr__(self): return 'r' * HUGE\ndef apply(ctx): ctx.tools.register(R())"
    ),
    "recursive repr": "class R:\n    def __repr__(self): return repr(self)\napply = R()",
    "endless repr": "class R:\n    def __repr__(self):\n        while True: pass\napply = R()",
    "failing message": (
        "class E(Exception):\n    def __str__(self): raise ValueError\ndef apply(ctx): raise E"
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusal_stays_short(run, tmp_path, caplog: pytest.LogCaptureFixture, name: str) -> None:
    """A mount that fails with a huge text is told of in a short one, and logged in a line."""

    async def main() -> str:
        async with host({"vm_timeout_ms": 200}, root=tmp_path) as h:
            return await h.refuse(f"HUGE = {HUGE}\n{REFUSED[name]}\nreturn apply")

    text = run(main())
    assert text.startswith(("dyn-1 ", "the code of dyn-1 ", "the plugin that the code of dyn-1 "))
    assert len(text) < 4000
    for record in caplog.records:
        assert record.exc_info is None
        assert len(record.getMessage()) < 500
        assert "\n" not in record.getMessage()


MOUNTED = (
    f"""
def apply(ctx):
    ctx.provide("a", 1)
apply.name = "n" * {HUGE}
return apply
""",
    f"""
class Box:
    def take(self): pass
Box.__doc__ = Box.take.__doc__ = "D" * {HUGE}
def apply(ctx):
    ctx.provide("box", Box())
    ctx.effect(lambda: print, "l" * {HUGE})
    for n in range(200):
        ctx.provide(f"p{{n}}", Box.take)
    async def documented() -> str: return ""
    documented.__doc__ = "D" * {HUGE}
    ctx.tools.register(harness.tool(documented))
    for n in range(300):
        ctx.tools.register(harness.define_tool(
            name=f"tool_{{n}}", description="d" * 10_000, output={{"schema": {{}}}},
            execute=lambda args: 1,
        ))
return apply
""",
    "def apply(ctx): pass\napply.inject = [f'k{n}' for n in range(900)]\nreturn apply",
)


def test_reports_stay_whole(run) -> None:
    """No row hides the rows after it, and each says how much of it was left out."""

    async def main() -> None:
        async with host() as h:
            for code in MOUNTED:
                assert len(str(await h.mount(code))) < 20_000
            temporary = await h.inspect(what="temporary")
            assert [row[:8] for row in temporary.splitlines()[1:]] == [
                f"- dyn-{n}:" for n in (1, 2, 3)
            ]
            assert len(temporary) < 3000
            assert "p18, … and 181 more" in temporary
            assert "k19, … and 880 more" in temporary
            tools = await h.inspect(what="tools", limit=500_000)
            assert "- tool_299 — " in tools
            assert "(9,000 characters left out)" in tools
            box = await h.inspect(what="api", name="box")
            assert len(box) < 3000
            unknown = (await h.call("tool_999")).text
            assert "did you mean 'tool_99'" in unknown
            assert unknown.endswith("… and 284 more")
            nothing = (await h.call("x" * HUGE)).text + (
                await h.call("cordis_unmount", id="x" * HUGE)
            ).text
            assert len(nothing) < 1000

    run(main())


def test_print_is_cut(run, capsys: pytest.CaptureFixture[str]) -> None:
    """One call of `print` writes a million characters at most, and says what was left out."""

    async def main() -> None:
        async with host() as h:
            await h.mount(
                f"print('x' * {3 * HUGE})\ndef apply(ctx): ctx.provide('a', 1)\nreturn apply"
            )

    run(main())
    assert capsys.readouterr().out.endswith("x… (2,000,001 characters left out)\n")


def test_failure_is_logged_in_a_line(run, caplog: pytest.LogCaptureFixture) -> None:
    """A mistake of mounted code is one line of the log: who, what, and where in its code."""

    async def main() -> None:
        async with host() as h:
            await h.refuse("def apply(ctx):\n    raise ValueError('no')\nreturn apply")

    run(main())
    (record,) = caplog.records
    assert record.getMessage() == (
        'start failed in plugin dyn-1 (plugin "apply"): ValueError: no (dyn-1, line 2, in apply)'
    )
    assert record.exc_info is None


def test_fault_keeps_its_traceback() -> None:
    """What this package's own code raises unasked is no mistake of mounted code."""
    space: dict[str, object] = {"read": tool}
    exec(compile("def apply(): read.nothing()", "<mount:dyn-1>", "exec"), space)
    for call, fault in ((space["apply"], False), (lambda: in_one_line(None, ""), True)):
        with pytest.raises(AttributeError) as caught:
            call()
        assert is_fault(caught.value) is fault


def test_ended_tool_can_be_mounted_again(run) -> None:
    """A mount whose tool was once ended for its time comes back when its replacement fails."""
    spin = GREETER.replace('return f"hello {name}"', "while name: pass\n        return 'hello'")

    async def main() -> str:
        async with host({"vm_timeout_ms": 50}) as h:
            await h.mount(spin)
            assert "dyn-1 was ended" in (await h.call("greet", name="you")).text
            failed = await h.call(
                "cordis_mount", code="def f(ctx): raise ValueError\nreturn f", replaces="dyn-1"
            )
            assert (await h.call("greet", name="")).text == "hello"
            return failed.text

    assert 'dyn-1 (plugin "greeter") was mounted again, state: active' in run(main())
