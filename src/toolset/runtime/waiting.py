"""Who waits for whom, so that a disposal never waits for the task it runs in."""

# Maintainers: answers one question, "would this wait close a circle?". Nodes are tasks and things
# driven by a task (fibers). It knows neither states nor effects.
# Invariant: an edge exists only while its waiter waits, or until the thing waited for is over.

from __future__ import annotations

import asyncio
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


class WaitGraph:
    """The waits of one root that the runtime knows of."""

    __slots__ = ("_edges",)

    def __init__(self) -> None:
        self._edges: dict[AnyTask, dict[Node, int]] = {}

    @property
    def size(self) -> int:
        """How many tasks wait for something."""
        return len(self._edges)

    def link(self, waiter: AnyTask, target: Node) -> None:
        """Record that `waiter` waits for `target`, once more."""
        edges = self._edges.setdefault(waiter, {})
        edges[target] = edges.get(target, 0) + 1

    def unlink(self, waiter: AnyTask, target: Node) -> None:
        """Take one record of `link` back."""
        edges = self._edges.get(waiter)
        if edges is None or target not in edges:
            return
        edges[target] -= 1
        if not edges[target]:
            del edges[target]
            if not edges:
                del self._edges[waiter]

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
                queue.extend(self._edges.get(node, ()))
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
        self.link(me, task)
        try:
            await asyncio.wait((task,))
        finally:
            self.unlink(me, task)
        return True
