"""Tasks that belong to a fiber."""

# Maintainers: what cancelling means for a task that a fiber owns. A task that waits for what
# disposes it is left to finish: cancelling it, or waiting for it, would close a circle.

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import TYPE_CHECKING

from toolset.runtime.belonging import create_task
from toolset.runtime.closing import as_failure
from toolset.runtime.collect import Reversible
from toolset.runtime.effects import DONE, Ending, Pending
from toolset.runtime.waiting import current_task

if TYPE_CHECKING:
    from toolset.runtime.fiber import Fiber

__all__: list[str] = []


class OwnedTask(Reversible):
    """A task in a fiber's ledger."""

    __slots__ = ("cancelled", "fiber", "label", "spared", "task", "where")

    task: asyncio.Task[object]

    def __init__(
        self, fiber: Fiber, label: str, coroutine: Coroutine[object, object, object]
    ) -> None:
        self.fiber = fiber
        self.label = label
        self.where = ""
        self.cancelled = self.spared = False
        self.task = create_task(coroutine, label, self)

    @property
    def ending(self) -> bool:
        """Whether its fiber, or one that this is mounted in, is ending or over."""
        return self.fiber.ender() is not None

    def abandon(self) -> bool:
        """Cancel the task, once; False when it waits for the end of its fiber."""
        ender = self.fiber.ender()
        if self.spared or (ender is not None and self.fiber.registry.waits.leads(self.task, ender)):
            return False
        self._cancel()
        return True

    def _cancel(self) -> None:
        if not self.cancelled:
            self.cancelled = True
            self.task.cancel()

    def over(self, task: asyncio.Task[object]) -> None:
        """Leave the ledger; report a failure that nobody else is told of."""
        self.fiber.disown(self)
        if not task.cancelled():
            error = task.exception()
            if isinstance(error, Exception | GeneratorExit):
                self.fiber.report(as_failure(error), self.label)

    def dispose(self) -> Ending[None]:
        """Cancel the task; one that waits for what disposes it is left to finish."""
        me = current_task()
        if self.task.done() or (me is not None and self.fiber.registry.waits.leads(self.task, me)):
            self.spared = True
            self.fiber.disown(self)
            return DONE
        self._cancel()
        return Pending(self.fiber, self.task)
