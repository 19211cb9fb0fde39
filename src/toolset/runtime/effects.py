"""A reversible side effect of a fiber."""

# Maintainers: an effect is in its fiber's ledger from the moment it may hold something until all of
# it is undone. `dispose` does at once what can be done synchronously.

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Generator
from typing import TYPE_CHECKING, TypeVar, cast

from toolset.runtime.belonging import create_task
from toolset.runtime.closing import as_failure, closes
from toolset.runtime.collect import Collector, Disposer, Rest, Reversible, undo
from toolset.runtime.errors import NoLoopError, bracketed

if TYPE_CHECKING:
    from toolset.runtime.fiber import Fiber

__all__ = ["Effect"]


T_co = TypeVar("T_co", covariant=True)


class Ending(Awaitable[T_co]):
    """The end of something, to be awaited or not; `over` tells whether it has come."""

    __slots__ = ()

    @property
    def over(self) -> bool:
        """Whether there is nothing left to wait for."""
        return True


class Done(Ending[None]):
    """An end that has come."""

    __slots__ = ()

    def __await__(self) -> Generator[object, None, None]:
        return
        yield  # makes this a generator


DONE = Done()


class Pending(Ending[None]):
    """The end of a task of the runtime; its outcome and cancellation do not reach the waiter."""

    __slots__ = ("_fiber", "_task")

    def __init__(self, fiber: Fiber, task: asyncio.Task[object]) -> None:
        self._fiber = fiber
        self._task = task

    @property
    def over(self) -> bool:
        """Whether the task is over."""
        return self._task.done()

    def __await__(self) -> Generator[object, None, None]:
        yield from self._fiber.registry.waits.wait(self._task).__await__()


class Effect(Reversible):
    """One reversible side effect; `await effect` waits for its set-up.

    Attributes:
        label: What it is, such as `ctx.on('tools/change')`.
        fiber: The fiber that owns it.
        where: `file:line` of its registration; known only when the root has a `settle_timeout`.
    """

    __slots__ = ("_disposal", "_setup", "_stopping", "_undo", "fiber", "label", "where")

    def __init__(self, fiber: Fiber, label: str) -> None:
        self.fiber = fiber
        self.label = label
        self.where = ""
        self._undo: list[Disposer] = []
        self._setup: asyncio.Task[None] | None = None
        self._disposal: Ending[None] | None = None
        self._stopping = False

    @classmethod
    def of(cls, fiber: Fiber, label: str, disposer: Disposer) -> Effect:
        """Record something that is done already and how to undo it."""
        effect = cls(fiber, label)
        effect._undo.append(disposer)
        fiber.own(effect)
        return effect

    @classmethod
    def begin(cls, fiber: Fiber, label: str, setup: Callable[[], object]) -> Effect:
        """Run a set-up; what it acquired is undone when it raises."""
        effect = cls(fiber, label)
        fiber.own(effect)
        collector = Collector(label, effect._undo.append, lambda: effect._stopping)
        made: object = None
        rest: Rest | None = None
        try:
            made = setup()
            rest = collector.take(made)
            if rest is not None:
                work = effect._finish(rest)
                effect._setup = create_task(work, f"{label} of {fiber.name}", effect)
                effect._setup.add_done_callback(_retrieve)
        except NoLoopError:
            _close(made, rest)
            _ = effect.dispose()
            raise
        except BaseException:
            _ = effect.dispose()  # what is asynchronous goes on in the ledger
            raise
        if rest is not None:
            return effect
        if effect._stopping:
            effect._disposal = None
            _ = effect.dispose()  # disposed from inside its own set-up
        elif not effect._undo:
            fiber.disown(effect)
        return effect

    async def _finish(self, rest: Rest) -> None:
        failed = True
        try:
            await rest
            failed = False
        except Exception as error:
            if not self._stopping:
                self.fiber.report(error, f"set-up of {self.label}")
            raise
        except GeneratorExit as error:
            if not closes(error) and not self._stopping:
                self.fiber.report(as_failure(error), f"set-up of {self.label}")
            raise
        finally:
            if failed or self._stopping:
                self._stopping = True
                left = undo(self._undo, self._failed)
                if left is not None:
                    await left
                if self._disposal is None:
                    self._disposal = DONE
                    self.fiber.disown(self)

    def _failed(self, error: Exception) -> None:
        self.fiber.report(error, f"clean-up of {self.label}")

    def __repr__(self) -> str:
        return f"<Effect {self.label} of {bracketed(self.fiber.name)}>"

    def __await__(self) -> Generator[object, None, Effect]:
        return self._settled().__await__()

    async def _settled(self) -> Effect:
        task = self._setup
        if task is not None:
            await self.fiber.registry.waits.wait(cast("asyncio.Task[object]", task))
            if task.done() and not task.cancelled():
                task.result()
        return self

    def push(self, disposer: Disposer) -> None:
        """Add what undoes a further part of it."""
        self._undo.append(disposer)

    @property
    def children(self) -> tuple[str, ...]:
        """Names of the disposers it has collected, in order; none when it is all one."""
        if len(self._undo) < 2:  # noqa: PLR2004 - one disposer is the effect itself
            return ()
        return tuple(getattr(one, "__qualname__", None) or repr(one) for one in self._undo)

    def dispose(self) -> Ending[None]:
        """Undo the effect, once; what is synchronous is done when this returns.

        Returns:
            An awaitable that ends when all of it is undone; it raises nothing.
        """
        if self._disposal is not None:
            return self._disposal
        self._disposal = DONE
        self._stopping = True
        setup = self._setup
        rest: Rest | None
        if setup is not None and not setup.done():
            rest = self._stop(setup)
        else:
            rest = undo(self._undo, self._failed)
        if rest is None:
            self.fiber.disown(self)
        else:
            task = create_task(self._end(rest), f"undo {self.label}", None)
            self._disposal = Pending(self.fiber, cast("asyncio.Task[object]", task))
        return self._disposal

    @property
    def ending(self) -> bool:
        """Whether its fiber, or one that this is mounted in, is ending or over."""
        return self.fiber.ender() is not None

    def abandon(self) -> bool:
        """Stop its set-up; False when this waits for the end of its fiber."""
        setup, ender = self._setup, self.fiber.ender()
        if setup is not None and ender is not None:
            task = cast("asyncio.Task[object]", setup)
            if self.fiber.registry.waits.leads(task, ender):
                return False
        _ = self.dispose()
        return True

    async def _end(self, rest: Rest) -> None:
        try:
            await rest
        finally:
            self.fiber.disown(self)

    async def _stop(self, setup: asyncio.Task[None]) -> None:
        """Let a running set-up come to its next step; it undoes what it collected itself."""
        await self.fiber.registry.stop(cast("asyncio.Task[object]", setup))


def _close(*coroutines: object) -> None:
    """Drop an asynchronous set-up that cannot start."""
    for one in coroutines:
        if inspect.iscoroutine(one):
            one.close()


def _retrieve(task: asyncio.Task[None]) -> None:
    """Mark a set-up's failure as seen: it was reported, and `await effect` raises it."""
    if not task.cancelled():
        task.exception()
