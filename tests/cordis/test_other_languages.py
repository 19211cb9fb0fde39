"""Habits of JavaScript are answered with what Python writes, wherever they show up."""

from __future__ import annotations

import pytest
from preflight_world import preflight
from toolset_host import host

from toolset.cordis.errors import MountSyntaxError
from toolset.cordis.evaluate import parse

READS = {
    "ctx.setInterval(print, 1)": "did you mean ctx.set_interval(callback: object, seconds: float)",
    "ctx.setTimeout(print, 1)": "did you mean ctx.set_timeout(callback: object, seconds: float)",
    "ctx.registerTool(1)": "registered with ctx.tools.register(tool), made by @harness.tool",
    "await ctx.fs.readFile('a')": "did you mean async read_text(path: str",
    "ctx.fs.read_text('a').then(print)": "write `result = await ctx.fs.read_text(...)` and go on",
    "(await ctx.fs.list()).length": "write len(...) around it",
}


@pytest.mark.parametrize("body", READS)
def test_member_is_answered_in_python(body: str) -> None:
    """A member that JavaScript would have is answered with the one that is there."""
    found = preflight(f"async def apply(ctx):\n    {body}\napply.inject = ['fs']\nreturn apply")
    assert READS[body] in found.mistakes[0].message


@pytest.mark.parametrize(
    "code",
    [
        "const a = 1",
        "let a = 1",
        "(ctx) => ctx.log('a')",
        "ctx => 1",
        "class X {",
        "class X extends Y {",
        "export default apply",
        "new X()",
        "\n// a plugin\nreturn 1",
    ],
)
def test_code_of_another_language(code: str) -> None:
    """Code that begins as JavaScript does is told to be Python, with both forms of a plugin."""
    with pytest.raises(MountSyntaxError) as caught:
        parse(code, "dyn-1")
    assert "this looks like JavaScript, and the code must be Python" in caught.value.hint
    assert "return Greeter()" in caught.value.hint


def test_length_is_answered_when_run(run) -> None:
    """`.length` of a value that nothing is known of is answered by `len` when it fails."""

    async def main() -> str:
        async with host() as h:
            await h.mount("def apply(ctx): console.debug('here')\nreturn apply")
            return await h.refuse("def apply(ctx): [1].length\nreturn apply")

    assert "likely cause: Python writes `len(x)`" in run(main())
