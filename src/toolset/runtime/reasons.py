"""Why a fiber is not active, in a sentence."""

# Maintainers: words only; reads states, changes none.

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from toolset.runtime.errors import bracketed

if TYPE_CHECKING:
    from toolset.runtime.fiber import Fiber

__all__: list[str] = []


def explain(fiber: Fiber) -> str:
    """Say why a fiber is not active."""
    match fiber.state.value:
        case "active":
            return "is active"
        case "pending":
            return _why_pending(fiber)
        case "failed":
            return f"failed: {type(fiber.error).__name__}: {fiber.error}"
        case "disposed":
            return "is disposed"
        case _:
            return f"is {fiber.state}, waiting for {waiting_for(fiber)}"


def _why_pending(fiber: Fiber) -> str:
    missing = fiber.missing()
    if not missing:
        return "is about to start" if fiber.driver else "its start was cancelled; restart it"
    text = f"waiting for service(s): {', '.join(missing)}"
    cycle = _cycle(fiber)
    return f"{text}; they wait on each other: {cycle}" if cycle else text


def _cycle(fiber: Fiber) -> str:
    """Follow missing keys through the pending plugins known to provide them, back to this fiber."""
    if not fiber.plugin.provides:  # nothing can wait for it; a report asks thousands
        return ""
    makers: dict[str, Fiber] = {}
    for other in fiber.registry.fibers():
        for key in other.plugin.provides:
            makers.setdefault(key, other)
    queue: list[tuple[Fiber, tuple[str, ...]]] = [(fiber, (bracketed(fiber.name),))]
    seen: set[Fiber] = set()
    while queue:
        current, path = queue.pop()
        for key in current.missing():
            maker = makers.get(key)
            if maker is None:
                continue
            step = (*path, f"{key} from {bracketed(maker.name)}")
            if maker is fiber:
                return " needs ".join(step)
            if maker not in seen:
                seen.add(maker)
                queue.append((maker, step))
    return ""


def waiting_for(fiber: Fiber) -> str:
    """Say what a fiber in transition waits for, and where that was registered."""
    if fiber.state.value == "loading":
        return "its start to return"
    busy = [child for child in fiber.children if child.driver is not None]
    if busy:
        return f"{bracketed(busy[-1].name)}, which waits for {waiting_for(busy[-1])}"
    effects = fiber.effects()
    if effects:
        last = effects[-1]
        return f"{last.label} (registered at {last.where})" if last.where else last.label
    consumers = [
        bracketed(other.name)
        for key in fiber.provides()
        for other in fiber.registry.fibers()
        if key in (*other.inject.required, *other.inject.optional) and other.driver is not None
    ]
    return ", ".join(consumers) or "its start to stop"


def caller_place() -> str:
    """Give `file:line` of the nearest caller outside this package."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_globals.get("__package__") == __package__:
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame is not None else ""
