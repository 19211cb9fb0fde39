"""Failures of mounted tools and listeners name the mount and its own lines."""

from __future__ import annotations

import pytest
from toolset_host import Host, host

from toolset.cordis.diagnostics import mount_error
from toolset.cordis.errors import MountTimeoutError

TOOL = '''
def apply(ctx):
    @harness.tool
    def t() -> str:
        """Fail."""
        {}
    ctx.tools.register(t)
return apply
'''
LISTENER = """
def apply(ctx):
    async def judge(call, next):
        {}
    ctx.on("tools/pre-execute", judge)
return apply
"""
OWNER = 'dyn-1 (plugin "apply")'


async def _failed(h: Host, tool: str = "t") -> str:
    result = await h.call(tool)
    assert result.is_error
    return result.text


BODIES = {
    "error": (
        "return {}['k']",
        "tool 't' failed: KeyError: 'k'\nraised in dyn-1:\n  line 6, in t\n    return {}['k']",
    ),
    "interrupt": (
        "raise KeyboardInterrupt",
        (
            "the body of tool 't' raised KeyboardInterrupt, which only ends this call; raise an "
            "ordinary exception to report a failure\nraised in dyn-1:\n  line 6, in t\n"
            "    raise KeyboardInterrupt"
        ),
    ),
    "exit in its message": (
        "raise type('E', (Exception,), {'__str__': lambda s: (_ for _ in ()).throw(SystemExit)})()",
        "tool 't' failed: E: (its message cannot be shown)\nraised in dyn-1:\n  line 6, in t\n",
    ),
    "unknown name": (
        "return JSON",
        "likely cause: Python writes `import json` and `json.dumps(...)`, `json.loads(...)`\nraised",
    ),
}


@pytest.mark.parametrize("name", BODIES)
def test_body_failure_has_lines(run, name: str) -> None:
    """What the body of a mounted tool raises is told with the mount's lines."""
    body, said = BODIES[name]

    async def main() -> None:
        async with host() as h:
            await h.mount(TOOL.format(body))
            for _ in range(2):
                assert said in await _failed(h)

    run(main())


def test_render_failure_has_lines(run) -> None:
    """What the `render` of a mounted tool raises is told with the mount's lines."""
    code = """
def apply(ctx):
    def render(args, value):
        return {}["k"]
    harness.register_tool(ctx, name="t", description="Fail.", execute=lambda args: "x",
                          output={"schema": {"type": "string"}, "render": render})
return apply
"""

    async def main() -> None:
        async with host() as h:
            await h.mount(code)
            text = await _failed(h)
            assert text.endswith('raised in dyn-1:\n  line 4, in render\n    return {}["k"]')

    run(main())


def test_listener_failure_has_lines(run) -> None:
    """What a mounted listener raises in a call of a tool is told with its mount and line."""

    async def main() -> None:
        async with host() as h:
            await h.mount(LISTENER.format("raise ValueError('no')"))
            await h.mount(TOOL.format("return 'x'"))
            text = await _failed(h)
            assert (
                "(`tools/pre-execute`): ValueError: no\nraised in dyn-1:\n  line 4, in judge"
                in text
            )

    run(main())


def test_wrong_decision_names_mount(run) -> None:
    """A listener that decides nothing is named by the id that unmounts it."""

    async def main() -> None:
        async with host() as h:
            await h.mount(LISTENER.format("pass"))
            await h.mount(TOOL.format("return 'x'"))
            assert f"a `tools/pre-execute` listener of {OWNER} decided None" in await _failed(h)

    run(main())


def test_duplicate_tool_names_mounts(run) -> None:
    """A second tool of one name is refused by the ids of both mounts, which can be unmounted."""

    async def main() -> None:
        async with host() as h:
            await h.mount(TOOL.format("return 'x'"))
            text = await h.refuse(TOOL.format("return 'x'"))
            assert f"already registered by {OWNER}; dyn-2 (plugin " in text
            assert f"unmount {OWNER}" in text

    run(main())


def test_failed_start_has_lines_once(run) -> None:
    """An error of `apply` has each of its lines once, whatever borders it passed."""

    async def main() -> str:
        async with host() as h:
            return await h.refuse("def apply(ctx):\n    return {}['k']\nreturn apply")

    assert run(main()) == "dyn-1 raised KeyError: 'k'\n  line 2, in apply\n    return {}['k']"


def test_rollback_is_no_cause(run) -> None:
    """An old plugin that does not start again is told with what it raised, not with why it had to."""
    old = "kept = []\ndef apply(ctx):\n    if kept: raise ValueError('again')\n    kept.append(1)\n"

    async def main() -> str:
        async with host() as h:
            await h.mount(f"{old}return apply")
            code = "def apply(ctx):\n    return {}['k']\nreturn apply"
            result = await h.call("cordis_mount", code=code, replaces="dyn-1")
            assert result.is_error
            return result.text

    text = run(main())
    assert "could not be mounted again: dyn-1 raised ValueError: again" in text
    assert "because of" not in text


def test_described_error_is_not_wrapped() -> None:
    """What names its mount already is not told to have been raised by it once more."""
    error = MountTimeoutError("dyn-1", 3, "in apply", 5.0)
    assert str(mount_error(error, "dyn-1")) == str(error)


def test_messages_steer_no_terminal(run) -> None:
    """Control characters of names and messages of mounted code do not reach a message."""

    async def main() -> None:
        async with host() as h:
            raised = "def apply(ctx): raise ValueError('\\x1b[2J!')\nreturn apply"
            assert "ValueError: \ufffd[2J!" in await h.refuse(raised)
            named = (
                "def apply(ctx): pass\napply.name = 'a\\x1b\\nb'\napply.inject = 'fs'\nreturn apply"
            )
            assert "\x1b" not in await h.refuse(named)

    run(main())
