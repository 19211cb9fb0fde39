"""One mounted instance of a plugin, and its life."""

# Maintainers: the state machine. One transition runs at a time, in the task `driver`; `kick` is
# called whenever something that decides the state changed and starts the next one when due.
# Invariants: what a fiber owns is in its ledger; `_bound` is what its running instance was given,
# and stays readable until it is quiet; a provider's effects are undone only after every consumer
# that was bound to it is quiet.

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections.abc import AsyncIterator, Coroutine, Generator
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, TypeVar, cast

from toolset.runtime import internal
from toolset.runtime.collect import Collector, Disposer, Rest, Reversible
from toolset.runtime.config import validate
from toolset.runtime.effects import DONE, Effect, Ending, Pending
from toolset.runtime.errors import (
    ConfigError,
    DuplicateServiceError,
    InactiveContextError,
    SettleTimeoutError,
)
from toolset.runtime.reasons import explain, waiting_for
from toolset.runtime.registry import make_logger
from toolset.runtime.service import Service
from toolset.runtime.services import Registration
from toolset.runtime.waiting import AnyTask, current_task

if TYPE_CHECKING:
    import logging

    from toolset.runtime.context import Context
    from toolset.runtime.plugins import Inject, Plugin
    from toolset.runtime.registry import Registry
    from toolset.runtime.services import Check, Slot

__all__ = ["EffectInfo", "Fiber", "FiberState"]

T = TypeVar("T")


class FiberState(StrEnum):
    """Where a fiber is in its life.

    `pending` waits to be run, `failed` was run and raised; `unloading` undoes its effects,
    `disposed` is over for good.
    """

    PENDING = "pending"
    LOADING = "loading"
    ACTIVE = "active"
    FAILED = "failed"
    UNLOADING = "unloading"
    DISPOSED = "disposed"


PENDING, LOADING, ACTIVE = FiberState.PENDING, FiberState.LOADING, FiberState.ACTIVE
FAILED, UNLOADING, DISPOSED = FiberState.FAILED, FiberState.UNLOADING, FiberState.DISPOSED


class EffectInfo(NamedTuple):
    """A line of a fiber's ledger.

    Attributes:
        label: What the effect is.
        children: The effects below it.
    """

    label: str
    children: tuple[EffectInfo, ...] = ()


class OwnedTask(Reversible):
    """A task in a fiber's ledger."""

    __slots__ = ("cancelled", "fiber", "label", "task")

    def __init__(self, fiber: Fiber, label: str, task: asyncio.Task[object]) -> None:
        self.fiber = fiber
        self.label = label
        self.task = task
        self.cancelled = False

    def dispose(self) -> Ending[None]:
        """Cancel the task; one that waits for what disposes it is left to finish."""
        me = current_task()
        if self.task.done() or (me is not None and self.fiber.registry.waits.leads(self.task, me)):
            self.fiber.disown(self)
            return DONE
        if not self.cancelled:
            self.cancelled = True
            self.task.cancel()
        return Pending(self.fiber, self.task)


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


class Fiber(Reversible):
    """One mounted instance of a plugin.

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

    # A fiber is made by `Context.plugin`; the rest of the package uses the members below the line.
    def __init__(self, registry: Registry, parent: Fiber | None, plugin: Plugin) -> None:
        self.registry = registry
        self.parent = parent
        self.plugin = plugin
        self.config: object = None
        self.error: BaseException | None = None
        self.state = PENDING
        self.failures: list[Exception] = []
        self.ctx: Context
        self._ledger: dict[Reversible, None] = {}
        self._provided: dict[Registration, None] = {}
        self._slots: tuple[Slot, ...] = ()
        self._bound: dict[Slot, Registration] = {}
        self._loaded: tuple[Registration | None, ...] | None = None
        self._driver: asyncio.Task[None] | None = None
        self._grace: asyncio.TimerHandle | None = None
        self._requesters: list[AnyTask] = []
        self._ending = False
        self._restart = False
        self._halted = False
        self._cancel_sent = False
        self.uid = registry.enroll(self)

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
        return tuple(registration.key for registration in self._provided)

    def missing(self) -> tuple[str, ...]:
        """List the required services that no active provider offers.

        Returns:
            Their keys, in declared order.
        """
        required = self._slots[: len(self.inject.required)]
        return tuple(slot.key for slot in required if self._offer(slot) is None)

    def why(self) -> str:
        """Say in one sentence why it is not active.

        Returns:
            The reason; `is active` when it is.
        """
        return explain(self)

    def __await__(self) -> Generator[object, None, Fiber]:
        return self._settle().__await__()

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
            self.registry.waits.link(me, self)
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
        self.ensure_open("fiber.restart()")
        self._restart, self._halted = True, False
        self.kick()
        return await self._settle()

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
        self.ensure_open("fiber.update()")
        self.config = validate(self.name, self.plugin.config, config)
        if isinstance(self.error, ConfigError):
            self.error = None
        self.registry.tell(internal.update, self)
        return await self.restart()

    # -- for the runtime's own modules ---------------------------------------------------------

    @property
    def driver(self) -> AnyTask | None:
        """The task of the transition that runs now."""
        return cast("AnyTask | None", self._driver)

    @property
    def provides_now(self) -> bool:
        """Whether what it provides is available to others."""
        return self.state is ACTIVE

    @property
    def closing(self) -> bool:
        """Whether nothing may be registered on it any more."""
        return self.state is UNLOADING or self.state is DISPOSED

    def ensure_open(self, what: str) -> None:
        """Refuse `what` on a fiber that is ending or over."""
        if self.closing:
            raise InactiveContextError(self.name, self.state, what)

    def own(self, effect: Effect) -> None:
        """Take an effect into the ledger."""
        self.ensure_open(effect.label)
        self._ledger[effect] = None

    def disown(self, entry: Reversible) -> None:
        """Take out of the ledger what is undone."""
        self._ledger.pop(entry, None)

    def report(self, error: Exception, what: str) -> None:
        """Log and publish a failure that no caller is told of."""
        if self.closing:
            self.failures.append(error)
        self.registry.report(self, error, what)

    def mount(self, config: object, slots: tuple[Slot, ...]) -> None:
        """Begin its life: validate the configuration, register interest, start when possible."""
        self._slots = slots
        for slot in slots:
            slot.consumers[self] = None
        if self.parent is not None:
            self.parent._ledger[self] = None
        try:
            self.config = validate(self.name, self.plugin.config, config)
        except ConfigError as error:
            self._fail(error)
        self.registry.tell(internal.plugin, self)
        self.kick()

    def open_root(self) -> None:
        """Make the root fiber active; it has no plugin to run."""
        self.state = ACTIVE
        self._loaded = ()

    def bound(self, slot: Slot) -> Registration | None:
        """What the running instance was given for an injected key."""
        return self._bound.get(slot)

    def wants(self, slot: Slot) -> bool:
        """Whether it injects the key of this slot."""
        return slot in self._slots

    def own_registration(self, slot: Slot) -> Registration | None:
        """What it provides itself under the key of this slot."""
        found = slot.registration
        return found if found is not None and found.fiber is self else None

    def start(
        self, work: Coroutine[object, object, object], label: str, *, quiet: bool = False
    ) -> asyncio.Task[object]:
        """Start a task that belongs to it; a failure is reported unless `quiet`."""
        task = self.registry.create_task(work, f"{label} of {self.name}")
        entry = OwnedTask(self, label, task)
        self._ledger[entry] = None
        task.add_done_callback(functools.partial(self._task_over, entry, quiet))
        return task

    def _task_over(self, entry: OwnedTask, quiet: bool, task: asyncio.Task[object]) -> None:  # noqa: FBT001 - a callback's
        self.disown(entry)
        if task.cancelled():
            return
        error = task.exception()
        if isinstance(error, Exception) and not quiet:
            self.report(error, entry.label)

    async def run(self, work: Coroutine[object, object, T], label: str = "run") -> T:
        """Run a coroutine as a task of this fiber and wait for it.

        Args:
            work: The coroutine.
            label: What it is, for the ledger.

        Returns:
            What it returns.

        Raises:
            InactiveContextError: The fiber was disposed before it ended.
        """
        task = self.start(work, label, quiet=True)
        waits, me = self.registry.waits, asyncio.current_task()
        if me is not None:
            waits.link(me, task)
        try:
            await asyncio.wait((task,))
        except asyncio.CancelledError:
            task.cancel()
            await asyncio.wait((task,))
            raise
        finally:
            if me is not None:
                waits.unlink(me, task)
        if task.cancelled() and self.closing:
            raise InactiveContextError(self.name, self.state, label)
        return cast("T", task.result())

    # -- the state machine ---------------------------------------------------------------------

    def _to(self, state: FiberState) -> None:
        old, self.state = self.state, state
        self.registry.tell(internal.status, self, old)

    def _offer(self, slot: Slot) -> Registration | None:
        """What an injected key would give now."""
        found = slot.registration
        if found is None or not found.live or found.fiber is self:
            return None
        if found.check is None:
            return found
        try:
            return found if found.check(self.ctx) else None
        except Exception as error:  # noqa: BLE001 - a check that raises offers nothing, and is told of
            found.fiber.report(error, f'check of service "{found.key}"')
            return None

    def _epoch(self) -> tuple[Registration | None, ...] | None:
        """What it would be run with now; None while something required is missing."""
        offers = tuple(self._offer(slot) for slot in self._slots)
        if None in offers[: len(self.inject.required)]:
            return None
        return offers

    def _due(self) -> bool:
        """Whether a transition should start."""
        if self.state is DISPOSED:
            return False
        if self._ending:
            return True
        if self._halted or isinstance(self.error, ConfigError):
            return False
        if self.state is PENDING:
            return self._epoch() is not None
        if self.state is ACTIVE or self.state is FAILED:
            return self._restart or self._epoch() != self._loaded
        return False

    def kick(self) -> None:
        """Look again at what decides the state; start the transition that is due."""
        if self._driver is not None:
            if self.state is LOADING and (
                self._ending or self._restart or self._epoch() != self._loaded
            ):
                self._stop_loading()
            return
        if not self._due():
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self.registry.defer(self)
            return
        self._driver = loop.create_task(self._drive(), name=f"plugin {self.name}")
        self.registry.start_deferred()

    async def _drive(self) -> None:
        """Make one transition; the next one, when due, gets a task of its own."""
        try:
            epoch = self._epoch() if self.state is PENDING and not self._ending else None
            if epoch is not None:
                await self._load(epoch)
            else:
                await self._unload()
        finally:
            self._driver = None
            self.kick()

    async def _load(self, epoch: tuple[Registration | None, ...]) -> None:
        self._loaded = epoch
        self._bound = {s: r for s, r in zip(self._slots, epoch, strict=True) if r is not None}
        self._restart = self._cancel_sent = False
        self.error = None
        self._to(LOADING)
        failure = await self._run_plugin()
        if self.state is UNLOADING:
            await self._unload()
        elif failure is not None:
            await self._unload_failed(failure)
        else:
            self._to(ACTIVE)
            for registration in tuple(self._provided):
                self._announce(registration.slot)

    async def _run_plugin(self) -> BaseException | None:
        """Run the plugin and give what it raised, or what cancelled it."""
        try:
            rest = self._call_plugin()
            if rest is not None:
                await rest
        except Exception as error:  # noqa: BLE001 - whatever a plugin raises is its failure
            return error
        except asyncio.CancelledError as error:
            if not self._cancel_sent:
                return error
            task = asyncio.current_task()
            if task is not None:
                task.uncancel()
        finally:
            if self._grace is not None:
                self._grace.cancel()
                self._grace = None
        return None

    def _call_plugin(self) -> Rest | None:
        plugin = self.plugin
        made = plugin.call(self.ctx, self.config) if plugin.with_config else plugin.call(self.ctx)
        service = isinstance(made, Service) and plugin.service is not None
        collector = Collector(
            f"<{self.name}>", self._collect, lambda: self.closing, lenient=not service
        )
        if service:
            return self._serve(cast("Service", made), collector)
        return None if isinstance(plugin.source, type) else collector.take(made)

    def _serve(self, service: Service, collector: Collector) -> Rest | None:
        """Start a service and provide it."""
        start: object = getattr(service, "start", None)
        rest = collector.take(start()) if callable(start) else None
        if rest is None:
            self.ctx.provide(service.key, service)
            return None

        async def later() -> None:
            await rest
            self.ctx.provide(service.key, service)

        return later()

    def _collect(self, disposer: Disposer) -> None:
        """Take a disposer that the plugin yielded; it is acquired, so no state refuses it."""
        name = getattr(disposer, "__qualname__", None) or repr(disposer)
        effect = Effect(self, f"disposer {name}")
        effect.push(disposer)
        self._ledger[effect] = None

    def _stop_loading(self) -> None:
        """Let the running plugin come to its next step; cancel it when it does not."""
        self._to(UNLOADING)
        loop = asyncio.get_running_loop()
        self._grace = loop.call_later(self.registry.settings.stop_grace, self._cancel_loading)

    def _cancel_loading(self) -> None:
        driver = self._driver
        if driver is None or self.registry.waits.leads(cast("AnyTask", driver), self):
            return
        self._cancel_sent = True
        driver.cancel()

    async def _unload_failed(self, failure: BaseException) -> None:
        self._to(UNLOADING)
        if isinstance(failure, asyncio.CancelledError):
            self._halted = True
            await self._unload()
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise failure
            return
        await self._unwind()
        self._fail(cast("Exception", failure))

    def _fail(self, error: Exception) -> None:
        self.error = error
        self._to(FAILED)
        self.registry.report(self, error, "start")

    async def _unload(self) -> None:
        if self.state is not UNLOADING:
            self._to(UNLOADING)
        await self._unwind()
        self._loaded = None
        if self._ending:
            self._finish()
        else:
            self._to(PENDING)

    async def _unwind(self) -> None:
        """Undo everything in reverse order, consumers of what it provides first."""
        self._withdraw_all()
        for registration in tuple(self._provided):
            await self._until_quiet(registration)
        while self._ledger:
            entry = next(reversed(self._ledger))
            await entry.dispose()
            self._ledger.pop(entry, None)
        self._bound = {}

    def _unwind_now(self) -> None:
        """Undo at once as much as is synchronous; the driver does the rest."""
        if self.state is not UNLOADING:
            self._to(UNLOADING)
        self._withdraw_all()
        if any(_consumers(registration) for registration in self._provided):
            return
        with self.registry.nested() as shallow:
            while self._ledger:
                entry = next(reversed(self._ledger))
                if not shallow or not cast("Ending[object]", entry.dispose()).over:
                    return
                self._ledger.pop(entry, None)
        self._finish()

    def _finish(self) -> None:
        """Leave every table."""
        for slot in self._slots:
            slot.consumers.pop(self, None)
            self.registry.table.release(slot)
        self._bound = {}
        self.registry.by_uid.pop(self.uid, None)
        if self.parent is not None:
            self.parent.disown(self)
        for task in self._requesters:
            self.registry.waits.unlink(task, self)
        self._requesters.clear()
        self._to(DISPOSED)
        self.registry.tell(internal.plugin, self)

    async def _settle(self) -> Fiber:
        self.registry.start_deferred()
        async with self._budget():
            while self._driver is not None:
                if not await self.registry.waits.wait(cast("AnyTask", self._driver)):
                    return self
        if self.state is FAILED and self.error is not None:
            raise self.error
        return self

    async def until_disposed(self) -> None:
        """Wait until it is disposed, unless that would wait for the current task."""
        self.registry.start_deferred()
        async with self._budget():
            while self.state is not DISPOSED:
                self.kick()
                driver = self._driver
                if driver is None or not await self.registry.waits.wait(cast("AnyTask", driver)):
                    return

    @contextlib.asynccontextmanager
    async def _budget(self) -> AsyncIterator[None]:
        seconds = self.registry.settings.settle_timeout
        try:
            async with asyncio.timeout(seconds):
                yield
        except TimeoutError:
            waits_for = waiting_for(self)
            raise SettleTimeoutError(self.name, self.state, seconds or 0, waits_for) from None

    # -- what it provides ----------------------------------------------------------------------

    def provide(self, slot: Slot, value: object, check: Check | None) -> Effect:
        """Publish a value under a slot's key until the effect is disposed."""
        label = f"ctx.provide({slot.key!r})"
        taken = slot.registration
        if taken is not None:
            raise DuplicateServiceError(slot.key, taken.fiber.name, self.name)
        try:
            self.ensure_open(label)
        except InactiveContextError:
            self.registry.table.release(slot)
            raise
        registration = Registration(slot, value, self, check)
        slot.registration = registration
        self._provided[registration] = None
        effect = Effect.of(self, label, functools.partial(self._unprovide, registration))
        if self.state is ACTIVE:
            self._announce(slot)
        return effect

    def _announce(self, slot: Slot) -> None:
        """Tell everyone who wants a key that its provider changed."""
        for consumer in tuple(slot.consumers):
            consumer.kick()
        self.registry.tell(internal.service, slot.key)

    def _withdraw_all(self) -> None:
        for registration in tuple(self._provided):
            self._withdraw(registration)

    def _withdraw(self, registration: Registration) -> None:
        if not registration.withdrawn:
            registration.withdrawn = True
            self._announce(registration.slot)

    def _unprovide(self, registration: Registration) -> Rest | None:
        self._withdraw(registration)
        if _consumers(registration):
            return self._unprovide_rest(registration)
        self._drop(registration)
        return None

    async def _unprovide_rest(self, registration: Registration) -> None:
        await self._until_quiet(registration)
        self._drop(registration)

    def _drop(self, registration: Registration) -> None:
        slot = registration.slot
        self._provided.pop(registration, None)
        slot.registration = None
        registration.forget()
        self.registry.table.release(slot)

    async def _until_quiet(self, registration: Registration) -> None:
        """Wait until nobody runs on a withdrawn registration, save who waits for us."""
        for consumer in _consumers(registration):
            while consumer.bound(registration.slot) is registration:
                driver = consumer.driver
                if driver is None or not await self.registry.waits.wait(driver):
                    break


def _consumers(registration: Registration) -> list[Fiber]:
    slot = registration.slot
    return [one for one in slot.consumers if one.bound(slot) is registration]


def _info(entry: Reversible) -> EffectInfo:
    if isinstance(entry, Fiber):
        return EffectInfo(f"plugin {entry.name}", entry.effects())
    if isinstance(entry, Effect):
        return EffectInfo(entry.label, tuple(EffectInfo(child) for child in entry.children))
    return EffectInfo(cast("OwnedTask", entry).label)
