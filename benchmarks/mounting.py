"""What mounting code costs beside mounting the same plugin without the toolset; and what a check costs."""

from __future__ import annotations

import ast
import asyncio
import textwrap
from collections.abc import Callable, Coroutine, Sequence

from _measure import Ratio, calls, compare, report
from preflight import look, plugin

from toolset import Context, cordis, tool
from toolset.cordis.preflight import check
from toolset.services.timer import Timer
from toolset.services.tools import ToolRegistry

ROUNDS = 41
CHECK_SECONDS = 0.005  # of processor time, for 200 lines

TOOL = '''
async def apply(ctx):
    @harness.tool
    async def shout(text: str, times: int = 1) -> str:
        """Say a text loudly.

        Args:
            text: What to say.
            times: How often.
        """
        return text.upper() + "!" * times

    ctx.tools.register(shout)
    ctx.on("tools/change", lambda: None)

apply.name = "shouter"
apply.inject = ["tools"]
return apply
'''


class Harness:
    """What stands for `harness` where no toolset is."""

    tool = staticmethod(tool)


async def runtime(*more: object) -> Context:
    """Make a root with tools and a timer."""
    root = Context()
    for one in (ToolRegistry, Timer, *more):
        await root.plugin(one)
    return root


def native(source: str) -> object:
    """Make the plugin that some code returns, as an ordinary module would have it."""
    space: dict[str, object] = {"harness": Harness}
    body = textwrap.indent(source, "    ")
    exec(f"async def code():{body}", space)
    code = space["code"]
    assert callable(code)
    steps = code()
    try:
        steps.send(None)
    except StopIteration as end:
        return end.value
    raise AssertionError


def mounting(root: Context, source: str) -> Callable[[], Coroutine[object, object, None]]:
    """Mount code by the tools that a model calls, call its tool, and unmount it."""
    tools: ToolRegistry = root.tools

    async def cycle() -> None:
        mounted = await tools.execute("cordis_mount", {"code": source})
        called = await tools.execute("shout", {"text": "a"})
        ended = await tools.execute("cordis_unmount", {"id": mounted.value["id"]})
        assert (called.text, ended.is_error) == ("A!", False)

    return cycle


def plain(root: Context, source: str) -> Callable[[], Coroutine[object, object, None]]:
    """Mount the same plugin without the toolset, call its tool, unmount it; compile its code once."""
    tools: ToolRegistry = root.tools
    made = native(source)
    body = f"async def code():{textwrap.indent(source, '    ')}"

    async def cycle() -> None:
        fiber = await root.plugin(made)
        called = await tools.execute("shout", {"text": "a"})
        await fiber.dispose()
        compile(body, "<code>", "exec")
        assert called.text == "A!"

    return cycle


def measure() -> Sequence[Ratio]:
    """Compare the cycle with that of the same plugin, and a check with the time it may take."""
    knowledge = asyncio.run(look())
    tree = ast.parse(plugin(200))
    with asyncio.Runner() as runner:
        run = runner.get_loop().run_until_complete
        ours, floor = run(runtime(cordis)), run(runtime())
        mount, without = mounting(ours, TOOL), plain(floor, TOOL)
        ratios = [
            compare(
                "mount, call, unmount / the same without the toolset, and compile",
                calls(lambda: run(mount())),
                calls(lambda: run(without())),
                bound=3.0,
                rounds=ROUNDS,
            ),
            compare(
                "check 200 lines / 5 ms",
                calls(lambda: check(tree, knowledge)),
                lambda: CHECK_SECONDS,
                bound=1.0,
                rounds=ROUNDS,
            ),
        ]
        for root in (ours, floor):
            run(root.dispose())
    return ratios


if __name__ == "__main__":
    report("Toolset", measure)
