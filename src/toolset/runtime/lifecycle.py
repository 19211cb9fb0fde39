"""The life of a fiber: the state machine."""

# Maintainers: one transition runs at a time, in the task `driver`; `kick` is called whenever
# something that decides the state changed and starts the next one when due.
# Invariants: what a fiber owns is in its ledger; `_bound` is what its running instance was given
# and stays readable until it is quiet; a provider's effects are undone only after every consumer
# that was bound to it is quiet.

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, cast

from toolset.runtime import internal
from toolset.runtime.belonging import context_of
from toolset.runtime.closing import as_failure, closes
from toolset.runtime.collect import Collector, Disposer, Rest, Reversible
from toolset.runtime.effects import Effect, Ending
from toolset.runtime.errors import ConfigError, InactiveContextError, SettleTimeoutError, bracketed
from toolset.runtime.provision import Provision
from toolset.runtime.reasons import caller_place, waiting_for
from toolset.runtime.service import Service
from toolset.runtime.states import FiberState
from toolset.runtime.tasks import OwnedTask

if TYPE_CHECKING:
    from toolset.runtime.context import Context
    from toolset.runtime.fiber import Fiber
    from toolset.runtime.plugins import Plugin
    from toolset.runtime.registry import Registry
    from toolset.runtime.services import Registration, Slot
    from toolset.runtime.waiting import AnyTask

__all__: list[str] = []

PENDING, LOADING, ACTIVE = FiberState.PENDING, FiberState.LOADING, FiberState.ACTIVE
FAILED, UNLOADING, DISPOSED = FiberState.FAILED, FiberState.UNLOADING, FiberState.DISPOSED


class Lifecycle(Reversible):
    """The states of a fiber and the way from one to the next."""

    ctx: Context

    def __init__(self, registry: Registry, parent: Fiber | None, plugin: Plugin) -> None:
        self.registry = registry
        self.parent = parent
        self.plugin = plugin
        self.config: object = None
        self.failures: list[Exception] = []
        self.provision = Provision(self._me)
        self.uid = registry.enroll(self._me)
        self.error: Exception | None = None
        self.state = PENDING
        self._ledger: dict[Reversible, None] = {}
        self._slots: tuple[Slot, ...] = ()
        self._bound: dict[Slot, Registration] = {}
        self._loaded: tuple[Registration | None, ...] | None = None
        self._driver: asyncio.Task[None] | None = None
        self._grace: asyncio.TimerHandle | None = None
        self._requesters: list[AnyTask] = []
        self._itself = (self._me,)
        self._ending = False
        self._restart = False
        self._halted = False
        self._cancel_sent = False

    @property
    def _me(self) -> Fiber:
        return cast("Fiber", self)

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

    def ender(self) -> Fiber | None:
        """Give the innermost of itself and those it is mounted in that is ending or over."""
        fiber: Fiber | None = self._me
        while fiber is not None and not fiber.closing:
            fiber = fiber.parent
        return fiber

    def _to(self, state: FiberState) -> None:
        old, self.state = self.state, state
        self.registry.tell(internal.status, self, old)

    # -- what it owns --------------------------------------------------------------------------

    def ensure_open(self, what: str) -> None:
        """Refuse `what` on a fiber that is ending or over."""
        if self.closing:
            raise InactiveContextError(self.plugin.name, self.state, what)

    def own(self, effect: Effect) -> None:
        """Take an effect into the ledger."""
        self.ensure_open(effect.label)
        if self.registry.settings.settle_timeout is not None:
            effect.where = caller_place()
        self._ledger[effect] = None

    def disown(self, entry: Reversible) -> None:
        """Take out of the ledger what is undone."""
        self._ledger.pop(entry, None)

    def report(self, error: Exception, what: str) -> None:
        """Log and publish a failure that no caller is told of."""
        fiber: Fiber | None = self._me
        while fiber is not None and fiber.closing:
            fiber.failures.append(error)
            fiber = fiber.parent
        self.registry.report(self._me, error, what)

    def mount(self, config: object, slots: tuple[Slot, ...]) -> None:
        """Begin its life: validate the configuration, register interest, start when possible."""
        self._slots = slots
        for slot in slots:
            slot.consumers[self._me] = None
        if self.parent is not None:
            self.parent.adopt(self._me)
        self.registry.tell(internal.plugin, self)
        try:
            self.config = self.plugin.accept(config)
        except ConfigError as error:
            self._fail(error)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 -- a model's own validators may raise anything
            said = f"{type(error).__name__}: {error}".removesuffix(": ")
            self._fail(ConfigError(self.plugin.name, [said]))
        self.kick()

    def adopt(self, child: Fiber) -> None:
        """Take a child fiber into the ledger."""
        self._ledger[child] = None

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

    def start(self, work: Coroutine[object, object, object], label: str) -> asyncio.Task[object]:
        """Start a task that belongs to it and that nobody waits for; a failure is reported."""
        entry = self.begin(work, label)
        entry.task.add_done_callback(entry.over)
        return entry.task

    def begin(self, work: Coroutine[object, object, object], label: str) -> OwnedTask:
        """Start a task that belongs to it; whoever does must wait for it, then disown it."""
        entry = OwnedTask(self._me, label, work)
        if self.registry.settings.settle_timeout is not None:
            entry.where = caller_place()
        self._ledger[entry] = None
        return entry

    # -- what decides the state ----------------------------------------------------------------

    def offer(self, slot: Slot) -> Registration | None:
        """What an injected key would give now."""
        found = slot.registration
        if found is None or found.fiber is self or not found.offered_to(self.ctx):
            return None
        return found

    def _epoch(self) -> tuple[Registration | None, ...] | None:
        """What it would be run with now; None while something required is missing."""
        offers = tuple(self.offer(slot) for slot in self._slots)
        if None in offers[: len(self.plugin.inject.required)]:
            return None
        return offers

    def _stale(self) -> bool:
        """Whether the running instance should end."""
        return self._ending or self._restart or self._epoch() != self._loaded

    def _due(self) -> bool:
        """Whether a transition should start."""
        match self.state:
            case FiberState.DISPOSED:
                return False
            case FiberState.LOADING | FiberState.UNLOADING:
                return self._ending  # a transition whose task died
            case FiberState.PENDING:
                return self._ending or (not self._halted and self._epoch() is not None)
            case FiberState.ACTIVE:
                return self._stale()
            case FiberState.FAILED:
                return self._ending or (not isinstance(self.error, ConfigError) and self._stale())

    def kick(self) -> None:
        """Look again at what decides the state; start the transition that is due."""
        if self._driver is not None:
            if self.state is LOADING and self._stale():
                self._stop_loading()
            return
        if not self._due():
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self.registry.defer(self._me)
            return
        name, context = f"plugin {self.plugin.name}", context_of(self)
        self._driver = loop.create_task(self._drive(), name=name, context=context)
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

    # -- loading -------------------------------------------------------------------------------

    async def _load(self, epoch: tuple[Registration | None, ...]) -> None:
        self._loaded = epoch
        self._bound = {s: r for s, r in zip(self._slots, epoch, strict=True) if r is not None}
        self._restart = self._cancel_sent = False
        self.error = None
        self.failures.clear()
        self._to(LOADING)
        failure = await self._run_plugin()
        if self.closing:
            await self._unload()
        elif failure is not None:
            await self._unload_failed(failure)
        else:
            self._to(ACTIVE)
            self.provision.announce()

    async def _run_plugin(self) -> BaseException | None:
        """Run the plugin and give what it raised, or what cancelled it."""
        try:
            rest = self._call_plugin()
            if rest is not None:
                await rest
        except Exception as error:  # noqa: BLE001 - whatever a plugin raises is its failure
            return error
        except GeneratorExit as error:
            if closes(error):
                raise
            return as_failure(error)
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
        made = plugin.invoke(self.ctx, self.config)
        is_service = plugin.service is not None and isinstance(made, Service)
        collector = Collector(
            bracketed(plugin.name), self._collect, lambda: self.closing, lenient=not is_service
        )
        if is_service:
            return self._serve(cast("Service", made), collector)
        return None if isinstance(plugin.source, type) else collector.take(made)

    def _serve(self, service: Service, collector: Collector) -> Rest | None:
        """Start a service and provide it."""
        self.plugin.check_made(service)
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
        owner: object = getattr(disposer, "__self__", None)
        if isinstance(owner, Reversible) and owner in self._ledger and disposer == owner.dispose:
            self._ledger[owner] = self._ledger.pop(owner)  # one line, undone where it was yielded
            return
        name = getattr(disposer, "__qualname__", None) or repr(disposer)
        effect = Effect(self._me, f"disposer {name}")
        effect.push(disposer)
        self._ledger[effect] = None

    def _stop_loading(self) -> None:
        """Let the running plugin come to its next step; cancel it when it does not."""
        self._to(UNLOADING)
        loop = asyncio.get_running_loop()
        self._grace = loop.call_later(self.registry.settings.stop_grace, self._cancel_loading)

    def _cancel_loading(self) -> None:
        driver = self._driver
        if driver is None or self.registry.waits.leads(cast("AnyTask", driver), self._me):
            return
        self._cancel_sent = True
        driver.cancel()

    @property
    def ending(self) -> bool:
        """Whether it, or one that it is mounted in, is ending or over."""
        return self.ender() is not None

    def abandon(self) -> bool:
        """Cancel the plugin's run, once; False when it waits for the end of its fiber."""
        driver, ender = self.driver, self.ender()
        if driver is None or self._grace is None or self._cancel_sent:
            return True  # what the plugin started beside its run, or what is cancelled already
        if ender is not None and self.registry.waits.leads(driver, ender):
            return False
        self._grace.cancel()
        self._cancel_loading()
        return True

    # -- unloading -----------------------------------------------------------------------------

    async def _unload_failed(self, failure: BaseException) -> None:
        self._to(UNLOADING)
        if isinstance(failure, Exception):
            await self._unwind()
            self._fail(failure)
            return
        self._halted = True  # cancelled from outside: no failure of the plugin's
        await self._unload()
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise failure

    def _fail(self, error: Exception) -> None:
        self.error = error
        self._to(FAILED)
        self.registry.report(self._me, error, "start")

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
        self.provision.withdraw()
        await self.provision.until_quiet()
        while self._ledger:
            entry = next(reversed(self._ledger))
            await entry.dispose()
            self._ledger.pop(entry, None)
        self._bound = {}

    def _unwind_now(self) -> None:
        """Undo at once as much as is synchronous; the driver does the rest."""
        if self.state is not UNLOADING:
            self._to(UNLOADING)
        self.provision.withdraw()
        if self.provision.consumed:
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
            slot.consumers.pop(self._me, None)
            self.registry.table.release(slot)
        self._bound = {}
        self.registry.by_uid.pop(self.uid, None)
        if self.parent is not None:
            self.parent.disown(self)
        for task in self._requesters:
            self.registry.waits.unlink(task, self._itself)
        self._requesters.clear()
        self._to(DISPOSED)
        self.registry.tell(internal.plugin, self)

    # -- waiting -------------------------------------------------------------------------------

    async def settle(self) -> Fiber:
        """Wait until no transition runs; raise what the plugin raised."""
        self.registry.start_deferred()
        await self._in_time(self._until_settled)
        if self.state is FAILED and self.error is not None:
            raise self.error
        return self._me

    async def _until_settled(self) -> None:
        while self._driver is not None:
            if not await self.registry.waits.wait(cast("AnyTask", self._driver)):
                return

    async def until_disposed(self) -> None:
        """Wait until it is disposed, unless that would wait for the current task."""
        self.registry.start_deferred()
        await self._in_time(self._until_over)

    async def _until_over(self) -> None:
        while self.state is not DISPOSED:
            self.kick()
            driver = self.driver
            if driver is None or not await self.registry.waits.wait(driver):
                return

    async def _in_time(self, wait: Callable[[], Awaitable[None]]) -> None:
        """Wait within the root's `settle_timeout`."""
        seconds = self.registry.settings.settle_timeout
        if seconds is None:
            await wait()
            return
        try:
            async with asyncio.timeout(seconds):
                await wait()
        except TimeoutError:
            waits_for = waiting_for(self._me)
            raise SettleTimeoutError(self.plugin.name, self.state, seconds, waits_for) from None
