"""What a report is made of: the live state and the catalogs at one moment."""

# Maintainers: gathers, renders nothing and changes nothing. The rest of the package sees only this.

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from toolset.cordis.knowledge import Knowledge
from toolset.runtime import Fiber, Registry

__all__ = ["Snapshot", "TemporaryPlugin", "ToolRow"]


class ToolRow(NamedTuple):
    """A tool that the calling session can call.

    Attributes:
        name: Its name.
        description: What the model is told.
    """

    name: str
    description: str


class TemporaryPlugin(NamedTuple):
    """A mounted plugin.

    Attributes:
        id: Such as `dyn-1`.
        fiber: Its fiber.
        source: Its code.
        notes: What was said when it was mounted.
        failures: What of it failed since where no caller was told, in a line; `""` when nothing.
    """

    id: str
    fiber: Fiber
    source: str
    notes: tuple[str, ...] = ()
    failures: str = ""


class Snapshot(NamedTuple):
    """What a report is made of.

    Attributes:
        registry: The live state.
        knowledge: Catalogs and live services and events, joined.
        tools: Gives the tools that the calling session can call.
        temporary: The mounted plugins, in order.
    """

    registry: Registry
    knowledge: Knowledge
    tools: Callable[[], Iterable[ToolRow]]
    temporary: tuple[TemporaryPlugin, ...] = ()
