"""Mount plugins from code, replace them, and take them away again."""

# Maintainers: the manager of temporary plugins. It answers for ids, for what is listed, and for
# leaving nothing behind when a mount fails or is ended. It knows no Markdown and no tool.
# Invariants: an id is given once, also to what fails; whatever a failed mount did is undone before
# its error is raised; the guard is held from before the first line runs until the fiber is over.

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import NamedTuple
from weakref import WeakKeyDictionary

from toolset.cordis.asyncgens import Generators
from toolset.cordis.diagnostics import check_plugin, ended, mount_error, tidy
from toolset.cordis.ending import Life, Terms, close_now
from toolset.cordis.errors import MountError, MountTimeoutError
from toolset.cordis.evaluate import Source, evaluate, forget, parse
from toolset.cordis.guard import Guard
from toolset.cordis.knowledge import Knowledge
from toolset.cordis.mount_errors import (
    MountGoneError,
    MountWaitError,
    PreflightError,
    StillEndingError,
    UnknownMountError,
)
from toolset.cordis.mounted import MountedPlugin
from toolset.cordis.preflight import check
from toolset.cordis.report import TemporaryPlugin
from toolset.cordis.sandbox import make_namespace
from toolset.cordis.waiting_at import waiting_at
from toolset.runtime import Context, Fiber, FiberState, ToolsetError
from toolset.services.tools.wire import some

__all__ = ["Bounds", "MountResult", "Mounts"]


class _Root(NamedTuple):
    """What the toolsets of one runtime share.

    Attributes:
        place: Tells its mounts from those of other runtimes in the process.
        numbers: The numbers of the ids to come.
    """

    place: int
    numbers: Iterator[int]

    @classmethod
    def of(cls, root: Context) -> _Root:
        """Give that of a root context."""
        found = _roots.get(root)
        if found is None:
            taken = {one.place for one in _roots.values()}
            place = next(number for number in itertools.count(1) if number not in taken)
            found = _roots[root] = cls(place, itertools.count(1))
        return found


# Per root, and weakly: an id is never given again, not even by a toolset that was reloaded
# (test_reloaded_toolset_starts_empty).
_roots: WeakKeyDictionary[Context, _Root] = WeakKeyDictionary()

_FORCE = 2.0  # seconds that ending by force may take
_MOST_LABELS = 100
REGISTERED = "registered: "
_NOTHING = (
    "registered nothing: its start left no tool, listener, service or other effect behind; "
    "did it forget to register one?"
)


class Bounds(NamedTuple):
    """How long mounting may take.

    Attributes:
        stretch: Longest synchronous stretch of mounted code, in seconds.
        mount: Longest mount or unmount as a whole, in seconds.
    """

    stretch: float = 5.0
    mount: float = 30.0


class MountResult(NamedTuple):
    """What mounting gave.

    Attributes:
        id: Such as `dyn-1`.
        plugin_name: Display name of the plugin.
        state: State of its fiber: `active`, or `pending` when it waits for services.
        provides: Keys it provides, in order.
        waiting_for: Keys it waits for, in declared order.
        notes: What it registered, in order, and what looks like a mistake.
    """

    id: str
    plugin_name: str
    state: str
    provides: tuple[str, ...]
    waiting_for: tuple[str, ...]
    notes: tuple[str, ...]


class _Mount:
    """One mounted plugin, or one about to be."""

    __slots__ = ("fiber", "leaving", "notes", "plugin", "source")

    def __init__(self, source: Source, plugin: MountedPlugin, notes: tuple[str, ...]) -> None:
        self.source = source
        self.plugin = plugin
        self.notes = notes
        self.fiber: Fiber | None = None
        self.leaving = False

    @property
    def id(self) -> str:
        return self.source.mount_id

    @contextmanager
    def left(self) -> Generator[None]:
        """Refuse to have it unmounted or replaced a second time meanwhile."""
        self.leaving = True
        try:
            yield
        finally:
            self.leaving = False


class Mounts:
    """The temporary plugins of one toolset.

    Args:
        ctx: The context below which everything is mounted; disposing its fiber ends all.
        bounds: How long mounting may take.
        knowledge: Gives what is known of services and events now, for the preflight.
    """

    def __init__(self, ctx: Context, bounds: Bounds, knowledge: Callable[[], Knowledge]) -> None:
        self._ctx = ctx
        self._bounds = bounds
        self._knowledge = knowledge
        self._guard = Guard(bounds.stretch)
        self._mounts: dict[str, _Mount] = {}
        self._root = _Root.of(ctx.root)
        # Made first, so undone last: when the mounts' fibers are over.
        ctx.effect(lambda: self._close, "temporary plugins")

    def listing(self) -> tuple[TemporaryPlugin, ...]:
        """List what is mounted, in order of mounting."""
        return tuple(
            TemporaryPlugin(one.id, one.fiber, one.source.text, one.notes, _failures(one.plugin))
            for one in self._mounts.values()
            if one.fiber is not None
        )

    async def mount(self, code: str, replaces: str | None = None) -> MountResult:
        """Evaluate code and mount the plugin it returns.

        Args:
            code: The body of an async Python function that returns a plugin.
            replaces: Id of a temporary plugin to unmount once the code is evaluated and checked.

        Returns:
            What was mounted. A plugin that waits for services is mounted too, `pending`.

        Raises:
            MountError: It failed, with everything it did undone. What it was to replace is mounted
                again, or still; the message says which.
        """
        old = None if replaces is None else self._find(replaces)
        deadline = asyncio.get_running_loop().time() + self._bounds.mount
        mount_id = f"dyn-{next(self._root.numbers)}"
        with self._guard.held():
            if old is None:
                return await self._start(await self._prepare(code, mount_id, deadline), deadline)
            try:
                new = await self._prepare(code, mount_id, deadline)
            except MountError as error:
                raise _told(error, mount_id, f"{_name(old)} stays mounted") from error
            return await self._replace(old, new, deadline)

    async def unmount(self, mount_id: str) -> str:
        """Dispose one temporary plugin, to quiescence.

        Args:
            mount_id: Its id.

        Returns:
            Display name of the plugin.

        Raises:
            UnknownMountError: There is none with that id.
            StillEndingError: Its clean-up did not end in its time.
        """
        mount = self._find(mount_id)
        with mount.left():
            await self._end(mount)
        self._forget(mount)
        return mount.plugin.name

    def _find(self, mount_id: str) -> _Mount:
        found = self._mounts.get(mount_id)
        if found is None or found.leaving:
            raise UnknownMountError(mount_id)
        return found

    # -- mounting ----------------------------------------------------------------------------------

    async def _prepare(self, code: str, mount_id: str, deadline: float) -> _Mount:
        """Parse, check and evaluate; nothing is mounted yet."""
        source = parse(code, mount_id, self._root.place)
        findings = check(source.tree, self._knowledge())
        if findings.mistakes:
            raise PreflightError(mount_id, findings.mistakes, findings.notes)
        source = source.checked()
        namespace = make_namespace(mount_id, source.module)
        terms = self._terms(source.filename)
        try:
            value = await self._evaluated(source, namespace, terms, deadline)
            plugin = MountedPlugin(check_plugin(value, mount_id), mount_id, terms)
        except BaseException:
            close_now(terms)
            forget(source)
            raise
        return _Mount(source, plugin, (*map(str, findings.notes), *source.warnings))

    def _terms(self, filename: str) -> Terms:
        """Share out the time of an unmount, so that what has to be ended by force is over in it."""
        stretch, whole = self._bounds
        kept = Generators()
        self._guard.keep_generators(filename, kept)
        return Terms(self._guard, filename, whole / 2, min(stretch, whole / 4), kept)

    async def _start(self, mount: _Mount, deadline: float) -> MountResult:
        """Mount what was prepared; undo it all when it does not start."""
        try:
            fiber = await self._launch(mount, deadline)
        except BaseException:
            self._forget(mount)
            raise
        failures = _failures(mount.plugin)
        mount.notes = (*_registered(fiber), *mount.notes, *([failures] if failures else []))
        return MountResult(
            id=mount.id,
            plugin_name=str(fiber.name),
            state=str(fiber.state),
            provides=fiber.provides(),
            waiting_for=fiber.missing(),
            notes=mount.notes,
        )

    async def _launch(self, mount: _Mount, deadline: float) -> Fiber:
        """Mount on a fiber and wait until it has settled; end it when it does not start."""
        if mount.id not in self._mounts:
            self._guard.hold()
            self._mounts[mount.id] = mount
        # Mounted again, it may have been ended in an earlier life: that was told then.
        self._guard.strike(mount.source.filename)
        try:
            fiber = mount.fiber = self._ctx.plugin(mount.plugin)
        except ToolsetError as error:  # such as metadata that are malformed
            raise mount_error(error, mount.id) from error
        try:
            await self._settle(mount, fiber, deadline)
        except BaseException as error:
            mount.plugin.hurry()
            await self._end_failed(mount, error)
            raise
        return fiber

    async def _end_failed(self, mount: _Mount, error: BaseException) -> None:
        try:
            await self._end(mount)
        except StillEndingError as still:
            raise _told(MountError(str(error)), mount.id, str(still)) from error

    async def _settle(self, mount: _Mount, fiber: Fiber, deadline: float) -> None:
        bound = asyncio.timeout_at(deadline)
        try:
            async with bound:
                await fiber
        except Exception as error:
            if bound.expired():
                where = waiting_at(fiber.driver, mount.id)
                raise MountWaitError(mount.id, self._bounds.mount, where) from None
            raise self._described(error, mount.source) from error
        strike = self._guard.strike(mount.source.filename)
        if strike is not None:  # its code hid that it was ended
            raise strike.again()
        if fiber.state is FiberState.DISPOSED or fiber.state is FiberState.UNLOADING:
            raise MountGoneError(mount.id, fiber.name)

    def _described(self, error: Exception, source: Source) -> MountError:
        if isinstance(error, MountTimeoutError):
            self._guard.strike(source.filename)
            return ended(error, source.mount_id)
        return mount_error(error, source.mount_id)

    async def _evaluated(
        self, source: Source, namespace: dict[str, object], terms: Terms, deadline: float
    ) -> object:
        """Run the code, no longer than the mount may take; in a task of its own if it awaits."""
        if not source.awaits:  # as most code: it cannot be suspended, and the guard ends it
            return await evaluate(source, namespace, guard=self._guard)
        over = asyncio.Event()
        tell = self._ctx.logger.warning
        life = Life(source.mount_id, terms, over.is_set, lambda message: tell("%s", message))
        life.hurry()
        work = evaluate(source, namespace, guard=self._guard, life=life)
        task = asyncio.ensure_future(work)
        left = max(deadline - asyncio.get_running_loop().time(), 0)
        try:
            done, _ = await asyncio.wait((task,), timeout=left)
            if done:
                return task.result()
            where = waiting_at(task, source.mount_id)
            raise MountWaitError(source.mount_id, self._bounds.mount, where, starting=False)
        finally:
            over.set()
            await _stop(task, terms.grace + _FORCE)

    # -- replacing ---------------------------------------------------------------------------------

    async def _replace(self, old: _Mount, new: _Mount, deadline: float) -> MountResult:
        """Unmount the old, mount the new; mount the old again when that fails."""
        try:
            self._find(old.id)  # it may have been unmounted while the code was evaluated
        except MountError:
            self._forget(new)
            raise
        with old.left():
            try:
                await self._end(old)
                result = await self._start(new, deadline)
            except BaseException as error:
                self._forget(new)
                outcome = await self._restore(old)
                if isinstance(error, MountError):
                    raise _told(error, new.id, outcome) from error
                raise
        self._forget(old)
        return result

    async def _restore(self, old: _Mount) -> str:
        """Mount what was to be replaced again, and say how that went."""
        if old.fiber is not None and old.fiber.state is not FiberState.DISPOSED:
            return f"{_name(old)} is still ending and was not mounted again"
        deadline = asyncio.get_running_loop().time() + self._bounds.mount
        try:
            fiber = await self._launch(old, deadline)
        except MountError as error:
            self._forget(old)
            return f"{_name(old)} could not be mounted again: {error}"
        return f"{_name(old)} was mounted again, state: {fiber.state}"

    # -- ending ------------------------------------------------------------------------------------

    async def _end(self, mount: _Mount) -> None:
        """Dispose a mount's fiber to quiescence, within the bound."""
        fiber = mount.fiber
        if fiber is None:
            return
        bound = asyncio.timeout(self._bounds.mount)
        try:
            async with bound:
                # In this task, so that a plugin whose own tool unmounts it is not waited for.
                await fiber.dispose()
                await mount.plugin.close_generators()
        except TimeoutError as error:
            why = fiber.why() if bound.expired() else str(error)
            raise StillEndingError(mount.id, fiber.name, self._bounds.mount, why) from None

    def _forget(self, mount: _Mount) -> None:
        """Take a mount that is over off the list, and its lines out of memory; once."""
        if mount.fiber is not None and mount.fiber.state is not FiberState.DISPOSED:
            return  # still ending: it stays listed and can be unmounted again
        mount.plugin.forget_generators()
        if self._mounts.get(mount.id) is mount:
            del self._mounts[mount.id]
            self._guard.release()
        forget(mount.source)

    def _close(self) -> None:
        for mount in tuple(self._mounts.values()):
            mount.fiber = None
            self._forget(mount)


async def _stop(task: asyncio.Task[object], grace: float) -> None:
    """Cancel a task that is no longer waited for, and look at what became of it."""
    if not task.done():
        task.cancel()
        await asyncio.wait((task,), timeout=grace)
    if task.done() and not task.cancelled():
        task.exception()


def _registered(fiber: Fiber) -> tuple[str, ...]:
    """Say what a started plugin registered, in order."""
    if fiber.state is not FiberState.ACTIVE:
        return ()
    labels = [tidy(info.label) for info in fiber.effects()]
    return (f"{REGISTERED}{some(labels, _MOST_LABELS)}" if labels else _NOTHING,)


def _failures(plugin: MountedPlugin) -> str:
    """Say how often something of a plugin failed that nobody waited for, and how the last time."""
    if not plugin.failures:
        return ""
    times = "once" if plugin.failures == 1 else f"{plugin.failures:,} times, the last"
    return f"failed in the background {times}: {plugin.last_failure}"


def _name(mount: _Mount) -> str:
    return f'{mount.id} (plugin "{mount.plugin.name}")'


def _told(error: MountError, mount_id: str, outcome: str) -> MountError:
    return MountError(f"{error}\n{outcome}", mount_id)
