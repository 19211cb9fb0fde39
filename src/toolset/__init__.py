"""A plugin runtime that can be looked at, extended while it runs, and un-extended again."""

# Layers, downwards only: cli, bridges > cordis, loader > services > runtime > catalog.
# Importing this package loads the runtime and nothing heavy; `tool` and `define_tool` come from the
# services on first use.

from typing import TYPE_CHECKING

from toolset.runtime import Context, Event, Fiber, Next, Service, ToolsetError, event

if TYPE_CHECKING:
    from toolset.services.tools import define_tool, tool

__all__ = [
    "Context",
    "Event",
    "Fiber",
    "Next",
    "Service",
    "ToolsetError",
    "define_tool",
    "event",
    "tool",
]


def __getattr__(name: str) -> object:
    if name in {"define_tool", "tool"}:
        from toolset.services import tools  # noqa: PLC0415 - on first use, see above

        value: object = getattr(tools, name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
