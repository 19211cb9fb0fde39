"""What checking a mount's code before it runs costs, in compilations of the same code."""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Sequence

from _measure import Ratio, calls, compare, report

from toolset import Context
from toolset.catalog import Catalog
from toolset.cordis.knowledge import Knowledge
from toolset.cordis.preflight import check
from toolset.cordis.world import World
from toolset.services.fs import FileSystem
from toolset.services.timer import Timer
from toolset.services.tools import ToolRegistry

ROUNDS = 41
TOOL = '''
    @harness.tool
    async def {name}(path: str, limit: int = 10) -> str:
        """Show part {number} of a file.

        Args:
            path: The file.
            limit: How many lines.
        """
        text = await ctx.fs.read_text(path, encoding="utf-8")
        lines = [line.strip() for line in text.splitlines() if line]
        if len(lines) > limit:
            seen["{name}"] = seen.get("{name}", 0) + 1
            await fs.write_text(f"{{path}}.{name}", "\\n".join(lines[:limit]))
        return "\\n".join(lines[:limit])

    ctx.tools.register({name})
    ctx.on("tools/pre-execute", lambda call, next: next())
    ctx.set_timeout(lambda: seen.clear(), 600)
'''


def plugin(lines: int) -> str:
    """Write a correct plugin of about so many lines, in the style that models write."""
    count = lines // TOOL.count("\n")
    tools = [TOOL.format(name=f"tool_{number}", number=number) for number in range(count)]
    head = "async def apply(ctx):\n    fs = ctx.fs\n    seen = {}"
    return "\n".join([head, *tools, 'apply.inject = ["fs", "timer"]', "return apply", ""])


async def look() -> Knowledge:
    """See the live services as a mount does, described before."""
    async with Context() as ctx:
        for service in (ToolRegistry, Timer, FileSystem):
            await ctx.plugin(service)
        knowledge = World(Catalog()).look(ctx)
        for key in knowledge.service_keys():
            knowledge.members(key)
        return knowledge


def measure() -> Sequence[Ratio]:
    """Compare the check of 200 and 2,000 lines with their compilation."""
    knowledge = asyncio.run(look())
    ratios: list[Ratio] = []
    for lines in (200, 2000):
        source = plugin(lines)
        tree = ast.parse(source)
        found = check(tree, knowledge)
        assert not found.mistakes, found.mistakes
        assert not found.notes, found.notes
        body = source.replace("\nreturn apply\n", "\n")
        ratios.append(
            compare(
                f"check {lines} lines / compile them",
                calls(lambda tree=tree: check(tree, knowledge)),
                calls(lambda body=body: compile(body, "<mount>", "exec")),
                bound=2.0,
                rounds=ROUNDS,
            )
        )
    return ratios


if __name__ == "__main__":
    report("Preflight", measure)
