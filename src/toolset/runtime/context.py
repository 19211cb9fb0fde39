"""The context: what a plugin receives, and the only way it touches the runtime."""

# Maintainers: the public face. It resolves keys to services and delegates; the state machine is
# fiber.py's, order and modes are dispatch.py's. `__getattr__` is hidden from type checkers so that
# a misspelt service is an error for them; the generated `typed_context` gives the real attributes.
# Invariant: a context holds no state of its own but its place (fiber, scope) and views it gave out.

from __future__ import annotations

import types
from collections.abc import Callable, Coroutine, Iterable, Mapping
from typing import TYPE_CHECKING, Self, TypeVar, cast, overload

from toolset.runtime.access import read, scope_label
from toolset.runtime.effects import Effect
from toolset.runtime.errors import ServiceAccessError
from toolset.runtime.event_target import EventTarget
from toolset.runtime.fiber import Fiber
from toolset.runtime.plugins import HasApply, Inject, Plugin, check_key, read_inject, read_plugin
from toolset.runtime.registry import Accessor, Registry, Settings
from toolset.runtime.service import Service

if TYPE_CHECKING:
    import asyncio
    import logging

    from toolset.runtime.services import Check, Registration

__all__ = ["Context"]

C = TypeVar("C")
K = TypeVar("K", bound="Context")
T = TypeVar("T")

_ROOT = Plugin(None, "root", Inject(), None, (), lambda: None, None, "no")
_EMPTY: Mapping[str, object] = types.MappingProxyType({})


class Context(EventTarget):
    """What a plugin receives: services by key, typed events, and effects that are undone with it.

    `Context()` makes a root; no running loop is needed. `async with Context() as ctx:` disposes it
    at the end. The runtime trusts its plugins: a context is no security boundary.

    Args:
        settle_timeout: Seconds a mount or a disposal may take to settle; None for no bound.
        stop_grace: Seconds a set-up that must stop has to reach its next step before it is cancelled.
    """

    __slots__ = ("__weakref__", "_intercepts", "_root", "_scope", "_views")

    _root: Context
    _scope: Mapping[str, object]
    _intercepts: Mapping[str, tuple[object, ...]]
    _views: dict[str, tuple[Registration, object]]

    def __init__(self, *, settle_timeout: float | None = None, stop_grace: float = 0.05) -> None:
        registry = Registry(Settings(settle_timeout, stop_grace))
        fiber = Fiber(registry, None, _ROOT)
        self._place(fiber, self, _EMPTY, cast("Mapping[str, tuple[object, ...]]", _EMPTY))
        fiber.ctx = registry.root = self
        fiber.open_root()

    def _place(
        self,
        fiber: Fiber,
        root: Context,
        scope: Mapping[str, object],
        intercepts: Mapping[str, tuple[object, ...]],
    ) -> None:
        put = object.__setattr__
        put(self, "_fiber", fiber)
        put(self, "_root", root)
        put(self, "_scope", scope)
        put(self, "_intercepts", intercepts)
        put(self, "_views", {})
        put(self, "_emits", fiber.registry.hooks.emits)

    def _derive(
        self,
        *,
        fiber: Fiber | None = None,
        scope: Mapping[str, object] | None = None,
        intercepts: Mapping[str, tuple[object, ...]] | None = None,
    ) -> Context:
        made = object.__new__(type(self))
        made._place(
            self._fiber if fiber is None else fiber,
            self._root,
            self._scope if scope is None else scope,
            self._intercepts if intercepts is None else intercepts,
        )
        return made

    def __repr__(self) -> str:
        return f"<Context of {self._fiber!r}>"

    async def __aenter__(self) -> Self:
        self.registry.start_deferred()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.dispose()

    async def dispose(self) -> tuple[Exception, ...]:
        """Dispose the fiber of this context; of a root context everything.

        Returns:
            What went wrong while cleaning up, in order; it was logged too.
        """
        return await self._fiber.dispose()

    # -- ambient handles -----------------------------------------------------------------------

    @property
    def root(self) -> Context:
        """The root context."""
        return self._root

    @property
    def fiber(self) -> Fiber:
        """The fiber this context belongs to."""
        return self._fiber

    @property
    def registry(self) -> Registry:
        """The live state of the root: fibers, services, listeners."""
        return self._fiber.registry

    @property
    def logger(self) -> logging.Logger:
        """A standard logger named after the fiber."""
        return self._fiber.logger

    @property
    def config(self) -> object:
        """The fiber's validated configuration."""
        return self._fiber.config

    @property
    def scope(self) -> Mapping[str, object]:
        """The isolated keys, each with the label of its slot."""
        return self._scope

    # -- plugins and effects -------------------------------------------------------------------

    @overload
    def plugin(self, plugin: HasApply, config: object = None) -> Fiber: ...
    @overload
    def plugin(
        self, plugin: Callable[[K], object], config: Mapping[str, object] | None = None
    ) -> Fiber: ...
    @overload
    def plugin(
        self, plugin: Callable[[K, C], object], config: C | Mapping[str, object] | None = None
    ) -> Fiber: ...
    def plugin(self, plugin: object, config: object = None) -> Fiber:
        """Mount a plugin; it starts when the loop runs next and what it injects is available.

        Args:
            plugin: A function `(ctx)` or `(ctx, config)`, sync, async or a generator of disposers; a
                class taking the same; or an object or module with a callable `apply`.
            config: Its configuration: a mapping, or an instance of its `Config`.

        Returns:
            The fiber; `await` it to wait until it has settled.

        Raises:
            PluginTypeError: It is no plugin.
            InactiveContextError: This context's fiber is ending or over.
        """
        return self._mount(read_plugin(plugin), config)

    def inject(self, names: object, callback: Callable[[Context], object]) -> Fiber:
        """Run a callback, as a child fiber, while services are available.

        Args:
            names: Service keys: a list, a mapping to intercept configuration, or a mapping with
                `required` and `optional` lists.
            callback: A plugin function taking the context.

        Returns:
            The child fiber.

        Raises:
            PluginTypeError: `names` is none of these.
            InactiveContextError: This context's fiber is ending or over.
        """
        plugin = read_plugin(callback)
        return self._mount(plugin._replace(inject=read_inject(plugin.name, names)), None)

    def _mount(self, plugin: Plugin, config: object) -> Fiber:
        self._fiber.ensure_open(f"ctx.plugin({plugin.name})")
        fiber = Fiber(self.registry, self._fiber, plugin)
        ctx = self._derive(fiber=fiber)
        for key, layer in plugin.inject.configs.items():
            ctx = ctx.intercept(key, layer)
        fiber.ctx = ctx
        keys = (*plugin.inject.required, *plugin.inject.optional)
        table = self.registry.table
        fiber.mount(config, tuple(table.claim(key, scope_label(ctx, key)) for key in keys))
        return fiber

    def effect(self, setup: Callable[[], object], label: str | None = None) -> Effect:
        """Do something that is undone with this fiber.

        Args:
            setup: Does it; returns a disposer (sync or async), a generator or async generator
                yielding disposers, an awaitable of a disposer, a context manager or async context
                manager, or None.
            label: What it is, for the fiber's ledger.

        Returns:
            The effect; `await` it to wait for its set-up, `await effect.dispose()` to undo it.

        Raises:
            EffectTypeError: `setup` returned something else.
            InactiveContextError: This context's fiber is ending or over.
        """
        name = label or f"ctx.effect({getattr(setup, '__qualname__', None) or repr(setup)})"
        return Effect.begin(self._fiber, name, setup)

    def spawn(self, coro: Coroutine[object, object, T], name: str | None = None) -> asyncio.Task[T]:
        """Start a background task that ends with this fiber.

        Args:
            coro: The coroutine to run.
            name: What it is, for the fiber's ledger.

        Returns:
            The task; its failure is logged with its owner.

        Raises:
            InactiveContextError: This context's fiber is ending or over.
            NoLoopError: No event loop runs.
        """
        label = f"ctx.spawn({name or getattr(coro, '__qualname__', 'task')!r})"
        try:
            self._fiber.ensure_open(label)
        except Exception:
            coro.close()
            raise
        return cast("asyncio.Task[T]", self._fiber.start(coro, label))

    # -- services ------------------------------------------------------------------------------

    def provide(self, key: str, value: object, *, check: Check | None = None) -> Effect:
        """Publish a service until the effect is disposed.

        Others see it once this fiber is active.

        Args:
            key: The key to read it by: an identifier that no context has already.
            value: The service, of any class.
            check: Called with a reader's context; the service is available to it when this is true.

        Returns:
            The effect.

        Raises:
            DuplicateServiceError: The key has a provider in this scope.
            ServiceKeyError: The key cannot be a service's.
            InactiveContextError: This context's fiber is ending or over.
        """
        check_key(key, self._is_member)
        slot = self.registry.table.claim(key, scope_label(self, key))
        return self._fiber.provision.publish(slot, value, check)

    def _is_member(self, key: str) -> bool:
        return hasattr(Context, key) or key in self.registry.accessors

    def get(self, key: str, default: object = None) -> object:
        """Read a service that may not be there; needs no `inject`.

        Args:
            key: The service's key.
            default: What to give when no active provider exists.

        Returns:
            The service, or the default.
        """
        found = read(self, key, required=False)
        return default if found is None else self._view(key, found)

    def _view(self, key: str, found: Registration) -> object:
        kept = self._views.get(key)
        if kept is not None and kept[0] is found:
            return kept[1]
        value = found.value
        if isinstance(value, Service):
            value = value.seen_by(self)
            self._views[key] = (found, value)
            found.remember(self)
        return value

    def drop_view(self, registration: Registration) -> None:
        """Forget the view of a registration that is gone; the runtime calls this.

        Args:
            registration: What is gone.
        """
        kept = self._views.get(registration.key)
        if kept is not None and kept[0] is registration:
            del self._views[registration.key]

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            if name.startswith("_"):
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            accessor = self._fiber.registry.accessors.get(name)
            if accessor is not None:
                return accessor.get(self)
            found = read(self, name, required=True)
            return self._view(name, found)

        def __setattr__(self, name: str, value: object) -> None:
            accessor = self._fiber.registry.accessors.get(name)
            if accessor is not None and accessor.set is not None:
                accessor.set(self, value)
                return
            raise ServiceAccessError(
                f"ctx.{name} cannot be assigned; publish a service with "
                f"ctx.provide({name!r}, value)",
                name,
            )

    # -- derived contexts and computed members -------------------------------------------------

    def isolate(self, key: str, label: object = None) -> Context:
        """Derive a context with a service slot of its own for `key`.

        Args:
            key: The service's key.
            label: Contexts isolated with one label share the slot; None makes a fresh one.

        Returns:
            A context over the same fiber.
        """
        own = object() if label is None else ("shared", label)
        return self._derive(scope={**self._scope, key: own})

    def intercept(self, key: str, config: object) -> Context:
        """Derive a context that layers configuration over a service, for all below it.

        Args:
            key: The service's key.
            config: The layer; services read the layers with `intercepted`, inner over outer.

        Returns:
            A context over the same fiber.
        """
        layers = (*self._intercepts.get(key, ()), config)
        return self._derive(intercepts={**self._intercepts, key: layers})

    def intercepted(self, key: str) -> tuple[object, ...]:
        """Give the configuration layered over a service here.

        Args:
            key: The service's key.

        Returns:
            The layers, outer first.
        """
        return self._intercepts.get(key, ())

    def extend(self) -> Context:
        """Derive a context over the same fiber.

        Returns:
            A context with the same scope and layers.
        """
        return self._derive()

    def accessor(
        self,
        name: str,
        get: Callable[[Context], object],
        set: Callable[[Context, object], None] | None = None,  # noqa: A002 - the name of the contract
    ) -> Effect:
        """Give every context of this root a computed member.

        Args:
            name: Its name.
            get: Called with the context it is read through.
            set: Called with the context and the value when it is assigned; None makes it read-only.

        Returns:
            The effect that takes it away again.

        Raises:
            ServiceKeyError: Contexts have such a member already.
            InactiveContextError: This context's fiber is ending or over.
        """
        check_key(name, self._is_member)
        table = self.registry.accessors
        label = f"ctx.accessor({name!r})"
        self._fiber.ensure_open(label)
        table[name] = Accessor(get, set)
        return Effect.of(self._fiber, label, lambda: table.pop(name, None))

    def mixin(self, key: str, names: Iterable[str]) -> Effect:
        """Forward members of every context to a service: `ctx.sleep` becomes `ctx.timer.sleep`.

        Args:
            key: The service's key.
            names: The members to forward.

        Returns:
            The effect that takes them away again.

        Raises:
            ServiceKeyError: Contexts have such a member already.
            InactiveContextError: This context's fiber is ending or over.
        """
        wanted = tuple(names)
        for name in wanted:
            check_key(name, self._is_member)
        table = self.registry.accessors
        label = f"ctx.mixin({key!r})"
        self._fiber.ensure_open(label)
        for name in wanted:
            table[name] = Accessor(_forward(key, name), None)

        def remove() -> None:
            for name in wanted:
                table.pop(name, None)

        return Effect.of(self._fiber, label, remove)


def _forward(key: str, name: str) -> Callable[[Context], object]:
    def get(ctx: Context) -> object:
        return cast("object", getattr(getattr(ctx, key), name))

    return get
