"""Which fiber's work the running code is, and ending it when that fiber ends."""

# Maintainers: a fiber's tasks run in a context of their own that names the work, so that tasks which
# the work starts itself (gather, TaskGroup) belong to it too. It knows what a work can be asked, not
# what it is. Invariant: a clean-up belongs to no work, whoever disposes.

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Coroutine
from typing import Protocol, TypeVar

from toolset.runtime.errors import NoLoopError

__all__: list[str] = []

T = TypeVar("T")


class Work(Protocol):
    """Something that runs for a fiber, in a task."""

    @property
    def ending(self) -> bool:
        """Whether its fiber, or one that this is mounted in, is ending or over."""
        ...

    def abandon(self) -> bool:
        """Cancel it, once; False when it waits for the end of its fiber and is left to finish."""
        ...


_current: contextvars.ContextVar[Work | None] = contextvars.ContextVar("work", default=None)


def abandoned(work: Work | None) -> bool:
    """Cancel a work whose fiber is ending; tell whether it is cancelled."""
    return work is not None and work.ending and work.abandon()


def current_work() -> Work | None:
    """Give the work that the running code belongs to; None for a host's own and for clean-ups."""
    return _current.get()


async def give_way() -> None:
    """Let others run before something is refused, and end here what its fiber ends anyway.

    Whoever tries again and again would otherwise never let the cancellation come.
    """
    ended = abandoned(_current.get())
    await asyncio.sleep(0)
    if ended:
        raise asyncio.CancelledError


def context_of(work: Work | None) -> contextvars.Context:
    """Make the context for a task that does a work."""
    context = contextvars.copy_context()
    context.run(_current.set, work)
    return context


def create_task(
    coroutine: Coroutine[object, object, T], name: str, work: Work | None
) -> asyncio.Task[T]:
    """Start a task of the running loop that does a work.

    Raises:
        NoLoopError: There is none.
    """
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        coroutine.close()
        raise NoLoopError(name) from None
    return loop.create_task(coroutine, name=name, context=context_of(work))
