"""Keep the way out open: no listener of mounted code decides about the toolset's own tools."""

# Maintainers: a listener that forgets `next` denies every call, the one that takes it away included
# (test_mount_cannot_lock_itself_in), and one that awaits for ever holds up the very mount that added
# it (test_endless_listener_is_passed_over). The tools are left alone by name; the rest of
# a listener's reach is its author's affair.

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable
from typing import Final, cast

from toolset.runtime import Event
from toolset.services.tools.records import ToolCall

__all__ = ["spared"]

_AROUND: Final = frozenset({"tools/pre-execute", "tools/execute", "tools/post-execute"})
_LEFT_ALONE: Final = frozenset({"cordis_inspect", "cordis_mount", "cordis_unmount"})


def spared(event: Event | str, listener: Callable[..., object]) -> Callable[..., object]:
    """Have a listener passed over when one of the toolset's tools is called.

    Args:
        event: What it listens to.
        listener: The listener.

    Returns:
        One that goes on with `next` for those tools; the listener itself for other events.
    """
    name = event if isinstance(event, str) else event.name
    if name not in _AROUND:
        return listener

    def passed(*args: object) -> object:
        if isinstance(args[0], ToolCall) and args[0].name in _LEFT_ALONE:
            go_on = cast("Callable[[], object]", args[-1])
            return go_on()
        return listener(*args)

    async def passed_async(*args: object) -> object:
        return await cast("Awaitable[object]", passed(*args))

    made = passed_async if inspect.iscoroutinefunction(listener) else passed
    return functools.update_wrapper(made, listener)
