"""The self-referential toolset: look at the live runtime, extend it, and take the extension away.

A plugin that registers three model-facing tools. Mount the module itself: `ctx.plugin(cordis)`.
"""

# Layers, downwards only: catalogs, config, tools, world > described, mounts > mount_errors, mounted
# > preflight, report > knowledge > live > evaluate, sandbox, sandbox_page > console, names > facade
# > inside > mount_tools > harness, lent > membrane > ending, screening, spared, diagnostics >
# guard, waiting_at > alarm, asyncgens, watcher, traps > deadline, parse_errors > errors.
# This module is the plugin: name, inject, Config and apply are its public face.

from __future__ import annotations

from toolset.cordis.catalogs import find_catalogs
from toolset.cordis.config import Config
from toolset.cordis.mounts import Bounds, Mounts
from toolset.cordis.report import Snapshot, ToolRow
from toolset.cordis.tools import inspect_tool, mount_tool, unmount_tool
from toolset.cordis.world import World
from toolset.runtime import Context
from toolset.services.tools import ToolRegistry

__all__ = ["Config", "apply", "inject", "name"]

name = "tool-cordis"
inject = ["tools"]


async def apply(ctx: Context, config: Config) -> None:
    """Register the three tools, over a fiber of its own for what they mount.

    That fiber is a child of the toolset's, so disposing or reloading the toolset disposes every
    mount.

    Args:
        ctx: The toolset's context.
        config: Its configuration.
    """
    world = World(find_catalogs(config.catalogs, ctx.logger))
    dynamic = await ctx.plugin(_Dynamic())
    bounds = Bounds(config.vm_timeout_ms / 1000, config.mount_timeout_ms / 1000)
    mounts = Mounts(dynamic.ctx, bounds, lambda: world.look(dynamic.ctx))
    registry = _tools(ctx)

    def snapshot(session: str | None) -> Snapshot:
        return Snapshot(
            ctx.registry,
            world.look(dynamic.ctx),
            lambda: [ToolRow(one.name, one.description) for one in registry.schemas(session)],
            mounts.listing(),
        )

    for definition in (inspect_tool(snapshot), mount_tool(mounts), unmount_tool(mounts)):
        registry.register(definition)


class _Dynamic:
    """The plugin whose fiber mounts live below; it does nothing itself."""

    name = "cordis-dynamic"

    def apply(self, ctx: Context) -> None:
        """Do nothing."""


def _tools(ctx: Context) -> ToolRegistry:
    found: object = getattr(ctx, "tools")  # noqa: B009 - services are no attributes for type checkers
    if not isinstance(found, ToolRegistry):
        raise TypeError(
            f"service 'tools' is {type(found).__name__}, but the toolset registers its tools with a "
            "toolset.services.tools.ToolRegistry; mount that one"
        )
    return found
