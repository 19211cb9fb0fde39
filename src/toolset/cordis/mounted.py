"""A plugin that mounted code returned, as the runtime mounts it."""

# Maintainers: the one difference to an ordinary plugin is the context its code receives. Everything
# else (name, inject, Config, provides, what `apply` may return) is passed through as it is, so that
# a mount lives on an ordinary fiber.

from __future__ import annotations

from collections.abc import Coroutine

from toolset.cordis.asyncgens import AsyncGen
from toolset.cordis.diagnostics import in_one_line, is_fault, tidy
from toolset.cordis.ending import Life, Terms, close, close_all, close_now
from toolset.cordis.facade import facade
from toolset.cordis.membrane import Membrane
from toolset.runtime import Context, Fiber, Service
from toolset.runtime.errors import PluginName
from toolset.runtime.plugins import Plugin

__all__ = ["MountedPlugin"]


class MountedPlugin:
    """Runs a mounted plugin with its façade.

    Args:
        plugin: The plugin that the code returned.
        mount_id: The mount.
        terms: What is left to it once it is over; left out, it ends when its code lets it.

    Attributes:
        name: Display name of the plugin.
        inject: The services it asks for, as declared.
        Config: Its configuration model, or None.
        provides: Keys it is known to provide.
        failures: How often something of it failed where no caller was told, its start left out.
        last_failure: The last time, in a line.
    """

    def __init__(self, plugin: Plugin, mount_id: str, terms: Terms | None = None) -> None:
        name = tidy(plugin.name)
        self.name = PluginName(name, f'{mount_id} (plugin "{name}")')
        self.inject: object = getattr(plugin.source, "inject", None)
        self.Config: object = plugin.config
        self.provides = plugin.provides
        self._plugin = plugin
        self._mount_id = mount_id
        self._terms = terms
        self.failures = 0
        self.last_failure = ""
        self._life: Life | None = None
        self._fiber: Fiber | None = None

        # A plain function: the runtime reads the parameters of those without `inspect.signature`.
        def apply(ctx: Context, config: object) -> object:
            return self._apply(ctx, config)

        self.apply = apply

    def _apply(self, ctx: Context, config: object) -> object:
        """Run the plugin.

        Args:
            ctx: The context of the mount's fiber.
            config: Its validated configuration.

        Returns:
            What the plugin returned: a disposer, a generator of them, an awaitable, or nothing.
        """
        plugin = self._plugin
        life = self._life = self._begin(ctx)
        membrane = Membrane(self._mount_id, life)
        given = facade(ctx, membrane, plugin.source)
        made = membrane.call(plugin.invoke, given, config)
        if isinstance(made, Service) and plugin.service is not None:
            return self._serve(ctx, made, membrane)
        return None if isinstance(plugin.source, type) else made

    def _begin(self, ctx: Context) -> Life | None:
        terms, fiber = self._terms, ctx.fiber
        self._fiber = fiber
        if terms is None:
            return None
        life = Life(
            self._mount_id,
            terms,
            over=lambda: fiber.closing,
            tell=lambda message: fiber.logger.warning("%s", message),
        )

        def own(generator: AsyncGen) -> bool:
            if fiber.closing:  # `close_generators` takes it
                return False
            fiber.start(close(generator, life), _closing(generator.__name__))
            return True

        terms.generators.owner = own
        terms.generators.hand_over()
        return life

    def word_failure(self, error: Exception) -> str | None:
        """Word a failure of the plugin for the host's log, and keep it for the model.

        Args:
            error: What its code, or the host for it, raised.

        Returns:
            One line; None for a fault of the host's own, whose traceback is worth keeping.
        """
        line = in_one_line(error, self._mount_id)
        if self._fiber is None or error is not self._fiber.error:
            self.failures += 1
            self.last_failure = line
        return None if is_fault(error) else line

    async def close_generators(self) -> None:
        """Close the async generators that its code has left half-way, in the time it has left."""
        terms, life, fiber = self._terms, self._life, self._fiber
        if terms is not None and life is not None and fiber is not None:
            await close_all(terms, life, lambda error: fiber.report(error, _closing("")))

    def forget_generators(self) -> None:
        """End those that are left, at once."""
        if self._terms is not None:
            close_now(self._terms)

    def hurry(self) -> None:
        """Leave what it still runs no time to end by itself: it has had its time."""
        if self._life is not None:
            self._life.hurry()

    def _serve(
        self, ctx: Context, service: Service, membrane: Membrane
    ) -> Coroutine[object, object, None] | None:
        start = membrane.outward(getattr(service, "start", None))
        if not callable(start):
            ctx.provide(service.key, service)
            return None

        async def started() -> None:
            await ctx.effect(start, f"{type(service).__name__}.start")
            ctx.provide(service.key, service)

        return started()


def _closing(name: str) -> str:
    return f"closing async generator {name}".rstrip()
