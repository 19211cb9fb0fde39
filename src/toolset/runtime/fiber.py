"""One mounted instance of a plugin."""

# Maintainers: what others see of a fiber and may ask of it. How it comes from one state to the next
# is lifecycle.py's, what it provides provision.py's.

from __future__ import annotations

import functools
from collections.abc import Coroutine, Generator
from typing import TYPE_CHECKING, NamedTuple, TypeVar, cast

from toolset.runtime import internal
from toolset.runtime.belonging import give_way
from toolset.runtime.effects import Effect, Ending
from toolset.runtime.errors import ConfigError, InactiveContextError, InterruptedRunError
from toolset.runtime.lifecycle import DISPOSED, Lifecycle
from toolset.runtime.reasons import explain
from toolset.runtime.registry import make_logger
from toolset.runtime.tasks import OwnedTask
from toolset.runtime.waiting import current_task

if TYPE_CHECKING:
    import logging

    from toolset.runtime.collect import Reversible
    from toolset.runtime.plugins import Inject

__all__ = ["EffectInfo", "Fiber"]

T = TypeVar("T")


class EffectInfo(NamedTuple):
    """A line of a fiber's ledger.

    Attributes:
        label: What the effect is.
        children: The effects below it.
        where: `file:line` of its registration; known only when the root has a `settle_timeout`.
    """

    label: str
    children: tuple[EffectInfo, ...] = ()
    where: str = ""


class Disposal(Ending["tuple[Exception, ...]"]):
    """The end of a fiber; awaiting it gives the failures of its clean-up."""

    __slots__ = ("_fiber",)

    def __init__(self, fiber: Fiber) -> None:
        self._fiber = fiber

    @property
    def over(self) -> bool:
        """Whether the fiber is disposed."""
        return self._fiber.state is DISPOSED

    def __await__(self) -> Generator[object, None, tuple[Exception, ...]]:
        if not self.over:
            yield from self._fiber.until_disposed().__await__()
        return tuple(self._fiber.failures)


class Fiber(Lifecycle):
    """One mounted instance of a plugin; made by `Context.plugin`.

    Attributes:
        uid: Its number, never used again in its root.
        plugin: What was mounted, in normal form.
        parent: The fiber it was mounted in, None for the root.
        config: Its validated configuration.
        error: Why it failed, None unless it is `failed`.
        state: Where it is in its life.
        failures: What went wrong while it was cleaned up, in order.
        registry: The live state of its root.
        ctx: The context its plugin receives.
    """

    def __repr__(self) -> str:
        return f"<Fiber {self.uid} {self.name!r} [{self.state}]>"

    @property
    def name(self) -> str:
        """Display name of its plugin."""
        return self.plugin.name

    @property
    def inject(self) -> Inject:
        """The services it asks for."""
        return self.plugin.inject

    @property
    def children(self) -> tuple[Fiber, ...]:
        """The fibers mounted in it, in order."""
        return tuple(one for one in self._ledger if isinstance(one, Fiber))

    @functools.cached_property
    def logger(self) -> logging.Logger:
        """A standard logger named after the fiber, `toolset.plugin.<name>`."""
        return make_logger(self.name)

    def effects(self) -> tuple[EffectInfo, ...]:
        """List what it has done and not undone, in order.

        Returns:
            A line an effect, with what is below it.
        """
        return tuple(_info(one) for one in self._ledger)

    def provides(self) -> tuple[str, ...]:
        """List the services it provides.

        Returns:
            Their keys, in the order they were provided.
        """
        return tuple(registration.key for registration in self.provision)

    def missing(self) -> tuple[str, ...]:
        """List the required services that no active provider offers.

        Returns:
            Their keys, in declared order.
        """
        required = self._slots[: len(self.inject.required)]
        return tuple(slot.key for slot in required if self.offer(slot) is None)

    def why(self) -> str:
        """Say in one sentence why it is not active.

        Returns:
            The reason; `is active` when it is.
        """
        return explain(self)

    def __await__(self) -> Generator[object, None, Fiber]:
        return self.settle().__await__()

    def dispose(self) -> Disposal:
        """End it: everything it owns is undone, in reverse order, to quiescence.

        What is synchronous is done when this returns. A task of the fiber's own that disposes it is
        left to finish.

        Returns:
            An awaitable that ends when all is over, with the failures of the clean-up; it raises
            nothing but `SettleTimeoutError`.
        """
        if self.state is DISPOSED:
            return Disposal(self)
        me = current_task()
        if me is not None:
            self.registry.waits.link(me, self._itself)
            self._requesters.append(me)
        if not self._ending:
            self._ending = True
            if self._driver is None:
                self._unwind_now()
            self.kick()
        return Disposal(self)

    async def restart(self) -> Fiber:
        """Undo everything it did and run its plugin again.

        Returns:
            The fiber, once settled.

        Raises:
            InactiveContextError: It is disposed.
        """
        if self._ending:
            raise InactiveContextError(self.name, self.state, "fiber.restart()")
        self._restart, self._halted = True, False
        self.kick()
        return await self.settle()

    async def update(self, config: object) -> Fiber:
        """Give it a new configuration and run its plugin again with it.

        The configuration is validated first; when it is refused, the running instance stays.

        Args:
            config: The new configuration, as for `ctx.plugin`.

        Returns:
            The fiber, once settled.

        Raises:
            ConfigError: The configuration does not fit.
            InactiveContextError: It is disposed.
        """
        if self._ending:
            raise InactiveContextError(self.name, self.state, "fiber.update()")
        self.config = self.plugin.accept(config)
        if isinstance(self.error, ConfigError):
            self.error = None
        self.registry.tell(internal.update, self)
        return await self.restart()

    async def run(self, work: Coroutine[object, object, T], label: str = "run") -> T:
        """Run a coroutine as a task of this fiber and wait for it.

        The task is cancelled when the fiber is disposed, or when the waiter is cancelled.

        Args:
            work: The coroutine.
            label: What it is, for the ledger.

        Returns:
            What it returns.

        Raises:
            InterruptedRunError: The fiber was disposed before it ended.
        """
        entry = self.begin(work, label)
        task = entry.task
        try:
            await self.registry.wait_all((task,))
        finally:
            self.disown(entry)
        if task.cancelled() and self.closing:
            await give_way()
            raise InterruptedRunError(self.name, self.state, label)
        return cast("T", task.result())


def _info(entry: Reversible) -> EffectInfo:
    if isinstance(entry, Fiber):
        return EffectInfo(f"plugin {entry.name}", entry.effects())
    if isinstance(entry, Effect):
        below = tuple(EffectInfo(child) for child in entry.children)
        return EffectInfo(entry.label, below, entry.where)
    task = cast("OwnedTask", entry)
    return EffectInfo(task.label, (), task.where)
