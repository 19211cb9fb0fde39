"""A host with the toolset in it, as its tests drive it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

from toolset import Context, Fiber, cordis
from toolset.services.timer import Timer
from toolset.services.tools import ToolRegistry, ToolResult
from toolset.testing import snapshot

__all__ = ["GREETER", "Host", "host", "snapshot"]

GREETER = '''
async def apply(ctx):
    @harness.tool
    async def greet(name: str) -> str:
        """Greet somebody.

        Args:
            name: Whom.
        """
        return f"hello {name}"

    ctx.tools.register(greet)
    ctx.on("tools/change", lambda: None)

apply.name = "greeter"
return apply
'''


class Host:
    """A root context with tools, a timer and the toolset."""

    def __init__(self, ctx: Context, toolset: Fiber) -> None:
        self.ctx = ctx
        self.toolset = toolset

    async def call(self, tool: str, /, **arguments: object) -> ToolResult:
        """Call a tool as a model would."""
        registry = cast("ToolRegistry", self.ctx.tools)
        return await registry.execute(tool, arguments)

    async def inspect(self, **arguments: object) -> str:
        """Give a report."""
        result = await self.call("cordis_inspect", **arguments)
        assert not result.is_error, result.text
        return result.text

    async def mount(self, code: str, **arguments: object) -> dict[str, object]:
        """Mount code that must succeed."""
        result = await self.call("cordis_mount", code=code, **arguments)
        assert not result.is_error, result.text
        return cast("dict[str, object]", result.value)

    async def refuse(self, code: str, **arguments: object) -> str:
        """Mount code that must fail, and check that nothing of it stays."""
        before = snapshot(self.ctx)
        result = await self.call("cordis_mount", code=code, **arguments)
        assert result.is_error, result.text
        assert snapshot(self.ctx) == before
        return result.text


@asynccontextmanager
async def host(
    config: dict[str, object] | None = None, root: Path | None = None
) -> AsyncIterator[Host]:
    """Run a host."""
    async with Context() as ctx:
        await ctx.plugin(ToolRegistry)
        await ctx.plugin(Timer)
        if root is not None:
            from toolset.services.fs import FileSystem  # noqa: PLC0415 - few tests need files

            await ctx.plugin(FileSystem, {"root": str(root)})
        yield Host(ctx, await ctx.plugin(cordis, config))
