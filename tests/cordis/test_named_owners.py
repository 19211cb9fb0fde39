"""Failures of mounted tools and listeners name the mount and its own lines."""

from __future__ import annotations

import pytest
from toolset_host import Host, host

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
