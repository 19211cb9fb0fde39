"""Find the line of mounted code that a task is waiting at."""

# Maintainers: walks what a suspended coroutine awaits. It looks only, and only at frames whose file
# name says they are a mount's.

from __future__ import annotations

import asyncio
import linecache
from types import FrameType

from toolset.cordis.deadline import mount_of, place_in

__all__ = ["waiting_at"]

_DEEPEST = 200


def waiting_at(task: asyncio.Task[object] | None, mount_id: str) -> str:
    """Say where a task waits in the code of a mount.

    Args:
        task: The task, suspended.
        mount_id: The mount.

    Returns:
        Its innermost line, such as `line 3, in apply: await forever()`; `""` when it is in none.
    """
    found = ""
    current: object = None if task is None else task.get_coro()
    for _ in range(_DEEPEST):
        if current is None:
            break
        frame = _part(current, "frame")
        if isinstance(frame, FrameType) and mount_of(frame.f_code.co_filename) == mount_id:
            text = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
            found = f"line {frame.f_lineno}, {place_in(frame.f_code)}: {text}"
        current = _part(current, "await")
    return found


def _part(suspended: object, what: str) -> object:
    names = {"frame": ("cr_frame", "gi_frame", "ag_frame")}.get(
        what, ("cr_await", "gi_yieldfrom", "ag_await")
    )
    for name in names:
        found: object = getattr(suspended, name, None)
        if found is not None:
            return found
    return None
