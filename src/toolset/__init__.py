"""A plugin runtime that can be looked at, extended while it runs, and un-extended again."""

# Layers, downwards only: cli, bridges > cordis, loader > services > runtime > catalog.
# Importing this package loads nothing: each name comes from its home on first use. `toolset --help`
# and an unchanged `toolset catalog verify` pass through here and need no runtime, whose asyncio alone
# costs more than all they do (benchmarks hold them to it).

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolset.runtime import Context, Event, Fiber, Next, Service, ToolsetError, event
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
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = "toolset.services.tools" if name in {"define_tool", "tool"} else "toolset.runtime"
    value: object = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
