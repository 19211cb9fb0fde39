"""The restricted context that a mounted plugin's `apply` receives."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolset.runtime.context import Context

__all__ = ["MountContext", "facade"]


class MountContext:
    """The context of a mounted plugin: what it may do, and nothing that reaches around it."""


def facade(ctx: Context, mount_id: str) -> MountContext:
    """Wrap the context of a mount's fiber.

    Args:
        ctx: The context that the runtime handed to the mount's plugin.
        mount_id: The mount, for error texts.
    """
    raise NotImplementedError
