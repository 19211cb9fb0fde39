"""Find the line of mounted code that a task is waiting at."""

# Maintainers: walks what a suspended coroutine awaits. It looks only, and only at frames whose file
# name says they are a mount's.

from __future__ import annotations

import asyncio
import gc
import inspect
import linecache
from types import FrameType
from typing import cast

from toolset.cordis.deadline import mount_of, place_in

__all__ = ["waiting_at"]

_DEEPEST = 200
_DRIVER = "toolset.cordis.ending"


def waiting_at(waiting: object, mount_id: str) -> str:
    """Say where a task or coroutine waits in the code of a mount.

    Args:
        waiting: The task or the coroutine, suspended; None for none.
        mount_id: The mount.

    Returns:
        Its innermost line, such as `line 3, in apply: await forever()`; `""` when it is in none.
    """
    found = ""
    current = waiting
    if isinstance(waiting, asyncio.Task):
        current = cast("asyncio.Task[object]", waiting).get_coro()
    for _ in range(_DEEPEST):
        if current is None:
            break
        frame = _part(current, "frame")
        if isinstance(frame, FrameType) and mount_of(frame.f_code.co_filename) == mount_id:
            text = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
            found = f"line {frame.f_lineno}, {place_in(frame.f_code)}: {text}"
        awaited = _part(current, "await") or _generator_of(current)
        current = _driven(frame) if awaited is None else awaited
    return found


def _generator_of(step: object) -> object:
    """Give the async generator that `anext(...)` takes one step of; None for anything else."""
    if type(step).__name__ != "async_generator_asend":
        return None
    return next(filter(inspect.isasyncgen, gc.get_referents(step)), None)  # no other way to it


def _driven(frame: object) -> object:
    """Give the coroutine that `ending.drive` drives, when this is its frame."""
    if not isinstance(frame, FrameType) or frame.f_globals.get("__name__") != _DRIVER:
        return None
    found: object = frame.f_locals.get("work")
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
