"""The restricted context that a mounted plugin's `apply` receives."""

# Maintainers: the whitelist. What else can be read, and what is told about the rest, is
# inside.py's; what passes through it, in which form, membrane.py's. A façade holds nothing but its
# inside.

from __future__ import annotations

import inspect
import logging
import reprlib
from collections.abc import Callable, Iterable
from typing import Final, cast

from toolset.cordis.diagnostics import tidy
from toolset.cordis.errors import FacadeError
from toolset.cordis.inside import MEMBERS, Inside, undeclared
from toolset.cordis.membrane import Membrane
from toolset.cordis.mount_tools import MountTools
from toolset.cordis.spared import spared
from toolset.runtime import Context, Event, ServiceAccessError
from toolset.services.tools.registry import ToolRegistry

__all__ = ["MountContext", "behind", "facade"]

_LONGEST_EVENT: Final = 200
_OPEN: Final = frozenset({"__class__", "__doc__"})


class MountContext:
    """The context of a mounted plugin: what it may do, and nothing that reaches around it.

    It listens, dispatches, provides, registers effects and tools, and reads the services that the
    plugin's `inject` declares. All it does is undone when the plugin is unmounted.
    """

    __slots__ = ("__weakref__", "_inside")

    def __getattribute__(self, name: str) -> object:
        if name in MEMBERS or name in _OPEN:
            return object.__getattribute__(self, name)
        return _inside(self).read(name)

    def __setattr__(self, name: str, value: object) -> None:
        raise FacadeError(
            f"ctx.{name} is read-only: publish a service with ctx.provide({name!r}, value), keep "
            "values in variables of your own",
            name,
        )

    def __delattr__(self, name: str) -> None:
        raise FacadeError(f"ctx.{name} is read-only", name)

    def __dir__(self) -> Iterable[str]:
        return _inside(self).names()

    def __repr__(self) -> str:
        return f"<ctx of {_inside(self).membrane.mount_id}>"

    # -- events ------------------------------------------------------------------------------------

    def on(
        self,
        event: Event | str,
        listener: Callable[..., object],
        *,
        prepend: bool = False,
        once: bool = False,
    ) -> object:
        """Listen to an event until the plugin is unmounted.

        Args:
            event: An `Event`, or its name.
            listener: Called with the event's arguments; of a waterfall with a trailing `next`.
            prepend: Whether to be called before the listeners there are.
            once: Whether to stop listening when first called.

        Returns:
            The effect: `await effect.dispose()` stops listening.

        Raises:
            ListenerSignatureError: The listener cannot take what the event declares.
        """
        inside = _inside(self)
        if isinstance(event, str) and len(event) > _LONGEST_EVENT:
            raise FacadeError(
                f"an event name has at most {_LONGEST_EVENT} characters, not {len(event):,}", "on"
            )
        call = cast("Callable[..., object]", inside.membrane.outward(listener))
        call = spared(event, call)
        effect = inside.ctx.on(cast("str", event), call, prepend=prepend, once=once)
        return inside.membrane.inward(effect, "ctx.on()")

    def once(
        self, event: Event | str, listener: Callable[..., object], *, prepend: bool = False
    ) -> object:
        """Listen to an event until it was called once.

        Args:
            event: An `Event`, or its name.
            listener: Called with the event's arguments, one time.
            prepend: Whether to be called before the listeners there are.

        Returns:
            The effect.

        Raises:
            ListenerSignatureError: The listener cannot take what the event declares.
        """
        return self.on(event, listener, prepend=prepend, once=True)

    def emit(self, event: Event | str, *args: object) -> None:
        """Tell every listener; none of their failures comes back.

        Args:
            event: An `Event` of mode `emit`, or a name.
            args: What the event declares.

        Raises:
            EventModeError: The event is declared with another mode.
        """
        inside = _inside(self)
        inside.ctx.emit(cast("str", event), *map(inside.membrane.outward, args))

    async def parallel(self, event: Event | str, *args: object) -> None:
        """Tell every listener and wait for all of them.

        Args:
            event: An `Event` of mode `parallel`, or a name.
            args: What the event declares.

        Raises:
            ParallelError: Listeners failed.
            EventModeError: The event is declared with another mode.
        """
        inside = _inside(self)
        await inside.ctx.parallel(cast("str", event), *map(inside.membrane.outward, args))

    async def serial(self, event: Event | str, *args: object) -> object:
        """Ask each listener in turn until one answers.

        Args:
            event: An `Event` of mode `serial`, or a name.
            args: What the event declares.

        Returns:
            The first value that is neither None nor False, else None.

        Raises:
            EventModeError: The event is declared with another mode.
        """
        inside = _inside(self)
        found = await inside.ctx.serial(cast("str", event), *map(inside.membrane.outward, args))
        return inside.membrane.inward(found, "ctx.serial()")

    def bail(self, event: Event | str, *args: object) -> object:
        """Ask each listener in turn, synchronously, until one answers.

        Args:
            event: An `Event` of mode `bail`, or a name.
            args: What the event declares.

        Returns:
            The first value that is neither None nor False, else None.

        Raises:
            EventModeError: The event is declared with another mode.
        """
        inside = _inside(self)
        found = inside.ctx.bail(cast("str", event), *map(inside.membrane.outward, args))
        return inside.membrane.inward(found, "ctx.bail()")

    def waterfall(self, event: Event | str, *args: object) -> object:
        """Run the listeners around an inner default.

        Args:
            event: An `Event` of mode `waterfall`, or a name.
            args: What the event declares, then the inner default.

        Returns:
            What the outermost listener returns; to be awaited when the event is declared `async`.

        Raises:
            EventModeError: The event is declared with another mode.
            TypeError: The inner default is missing.
        """
        inside = _inside(self)
        found = inside.ctx.waterfall(cast("str", event), *map(inside.membrane.outward, args))
        return inside.membrane.inward(found, "ctx.waterfall()")

    # -- effects and services ----------------------------------------------------------------------

    def provide(
        self, key: str, value: object, *, check: Callable[[object], object] | None = None
    ) -> object:
        """Publish a service until the plugin is unmounted.

        Args:
            key: The key to read it by.
            value: The service, of any class.
            check: Called for a reader; the service is available to it when this is true.

        Returns:
            The effect.

        Raises:
            DuplicateServiceError: The key has a provider.
            ServiceKeyError: The key cannot be a service's.
        """
        inside = _inside(self)
        give = inside.membrane.outward
        judge = cast("Callable[[Context], object] | None", give(check))
        return inside.membrane.inward(
            inside.ctx.provide(key, give(value), check=judge), "ctx.provide()"
        )

    def effect(self, setup: Callable[[], object], label: str | None = None) -> object:
        """Do something that is undone when the plugin is unmounted.

        Args:
            setup: Does it; returns or yields what undoes it, or a context manager.
            label: What it is, for the plugin's ledger.

        Returns:
            The effect; `await` it to wait for its set-up.

        Raises:
            EffectTypeError: `setup` returned something that cannot be undone.
        """
        inside = _inside(self)
        name = str(getattr(setup, "__qualname__", None) or repr(setup)).rpartition(".<locals>.")[2]
        call = cast("Callable[[], object]", inside.membrane.outward(setup))
        effect = inside.ctx.effect(
            lambda: inside.membrane.managed(call()), tidy(label or f"ctx.effect({name})")
        )
        return inside.membrane.inward(effect, "ctx.effect()")

    def spawn(self, coro: object, name: str | None = None) -> object:
        """Start a background task that ends with the plugin.

        Args:
            coro: The coroutine to run: call the async function.
            name: What it is, for the plugin's ledger.

        Returns:
            The task.

        Raises:
            FacadeError: It is no coroutine.
        """
        inside = _inside(self)
        work = inside.membrane.outward(coro)
        if not inspect.iscoroutine(work):
            called: object = getattr(coro, "__name__", None) if callable(coro) else None
            way = f"call it: ctx.spawn({called}())" if called else "wrap other awaitables in one"
            raise FacadeError(
                "ctx.spawn takes a coroutine, what an `async def` gives when it is called, not "
                f"{f'the function `{called}`' if called else reprlib.repr(coro)}; {way}",
                "spawn",
            )
        shown = name or str(getattr(coro, "__qualname__", "task")).rpartition(".<locals>.")[2]
        return inside.membrane.inward(inside.ctx.spawn(work, tidy(shown)), "ctx.spawn()")

    def get(self, key: str, default: object = None) -> object:
        """Read a service that may not be there, declared as optional.

        Args:
            key: The service's key.
            default: What to give when nobody provides it.

        Returns:
            The service, or the default.

        Raises:
            FacadeError: It is there, and the plugin's `inject` does not declare it.
        """
        return _inside(self).optional(key, default)

    @property
    def logger(self) -> logging.Logger:
        """A standard logger named after the plugin."""
        return _inside(self).ctx.logger

    @property
    def config(self) -> object:
        """The plugin's configuration: its `Config` with every default, or None."""
        inside = _inside(self)
        return inside.membrane.inward(inside.ctx.config, "ctx.config")

    @property
    def tools(self) -> MountTools:
        """The tools of the host: register those made by `harness`, read the schemas of all."""
        inside = _inside(self)
        try:
            registry: object = getattr(inside.ctx, "tools")  # noqa: B009 - hidden from type checkers
        except ServiceAccessError:
            raise undeclared("ctx.tools", "tools", inside.declare) from None
        return MountTools(cast("ToolRegistry", registry), inside.membrane)


def _inside(ctx: MountContext) -> Inside:
    return cast("Inside", object.__getattribute__(ctx, "_inside"))


def facade(ctx: Context, membrane: Membrane, plugin: object = None) -> MountContext:
    """Wrap the context of a mount's fiber.

    Args:
        ctx: The context that the runtime handed to the mount's plugin.
        membrane: The border of the mount.
        plugin: What the mount's code returned, for messages.

    Returns:
        What the plugin's `apply` receives.
    """
    made = object.__new__(MountContext)
    object.__setattr__(made, "_inside", Inside(ctx, membrane, plugin))
    return made


def behind(ctx: MountContext) -> Membrane:
    """Give the border of the mount that a façade belongs to.

    Args:
        ctx: The façade.

    Returns:
        The border.
    """
    return _inside(ctx).membrane
