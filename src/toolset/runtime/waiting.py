"""Who waits for whom, so that a disposal never waits for the task it runs in."""

# Maintainers: answers one question, "would this wait close a circle?". Nodes are tasks and things
# driven by a task (fibers). It knows neither states nor effects.
# Invariant: an edge exists only while its waiter waits, or until the thing waited for is over.

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Protocol, TypeAlias

__all__: list[str] = []

AnyTask: TypeAlias = "asyncio.Task[object]"


class Driven(Protocol):
    """Something whose current transition runs in a task."""

    @property
    def driver(self) -> AnyTask | None:
        """The task that drives it now."""
        ...


Node: TypeAlias = "AnyTask | Driven"


def current_task() -> AnyTask | None:
    """Give the task that runs now, or None outside a running loop."""
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None


async def ended(task: AnyTask) -> None:
    """Wait until a task is over; neither its outcome nor its cancellation reaches the waiter."""
    if task.done():
        return
    waiter = task.get_loop().create_future()

    def wake(_: AnyTask) -> None:
        if not waiter.done():
            waiter.set_result(None)

    task.add_done_callback(wake)
    try:
        await waiter
    finally:
        task.remove_done_callback(wake)


class WaitGraph:
    """The waits of one root that the runtime knows of."""

    __slots__ = ("_edges",)

    def __init__(self) -> None:
        self._edges: dict[AnyTask, list[Sequence[Node]]] = {}

    @property
    def size(self) -> int:
        """How many tasks wait for something."""
        return len(self._edges)

    def link(self, waiter: AnyTask, targets: Sequence[Node]) -> None:
        """Record that `waiter` waits for all `targets`; the same object takes it back."""
        self._edges.setdefault(waiter, []).append(targets)

    def unlink(self, waiter: AnyTask, targets: Sequence[Node]) -> None:
        """Take the record of this very sequence back."""
        waits = self._edges.get(waiter, [])
        for index, known in enumerate(waits):
            if known is targets:
                del waits[index]
                break
        if not waits:
            self._edges.pop(waiter, None)

    def leads(self, start: Node, goal: Node) -> bool:
        """Tell whether `start` waits for `goal`, directly or through others."""
        seen: set[Node] = set()
        queue: list[Node] = [start]
        while queue:
            node = queue.pop()
            if node is goal:
                return True
            if node in seen:
                continue
            seen.add(node)
            if isinstance(node, asyncio.Task):
                for targets in self._edges.get(node, ()):
                    queue.extend(targets)
            elif node.driver is not None:
                queue.append(node.driver)
        return False

    async def wait(self, task: AnyTask) -> bool:
        """Wait until `task` is over, unless it waits for the current task.

        Neither the task's outcome nor its cancellation reaches the waiter, and a cancelled waiter
        does not cancel the task.

        Returns:
            False when waiting would have closed a circle and was left out.
        """
        me = current_task()
        if task.done():
            return True
        if me is None or self.leads(task, me):
            return False
        targets = (task,)
        self.link(me, targets)
        try:
            await ended(task)
        finally:
            self.unlink(me, targets)
        return True
