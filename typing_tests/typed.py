"""What type checkers know of services read off a typed context: checked, never run."""

from __future__ import annotations

from typing import assert_type

from toolset.services.fs import FileSystem
from toolset.services.timer import Timer
from toolset.services.tools import ToolDefinition, ToolRegistry, ToolResult
from toolset.typed_context import Context

from toolset import define_tool, tool
from toolset import Context as PlainContext


@tool
def reverse_text(text: str) -> str:
    """Reverse a text.

    Args:
        text: Text to reverse.
    """
    return text[::-1]


async def services(ctx: Context) -> None:
    """Each service that the catalog knows is a typed attribute; a misspelt one is an error."""
    assert_type(ctx.fs, FileSystem)
    assert_type(ctx.timer, Timer)
    assert_type(ctx.tools, ToolRegistry)
    assert_type(await ctx.fs.read_text("notes.txt"), str)
    assert_type(await ctx.tools.execute("reverse_text", {"text": "abc"}), ToolResult)
    await ctx.fs.read_txt("notes.txt")  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    await ctx.fs.read_text(1)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    ctx.fs.read_text("notes.txt")  # type: ignore[unused-coroutine]  # pyright: ignore[reportUnusedCoroutine]
    ctx.shel  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]


def plain(ctx: Context) -> PlainContext:
    """A typed context is a context."""
    return ctx


def tools(ctx: Context) -> None:
    """A decorated function is a definition; what is registered must be one."""
    assert_type(reverse_text, ToolDefinition)
    ctx.tools.register(reverse_text)
    ctx.tools.register(len)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    define_tool(name=1)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
