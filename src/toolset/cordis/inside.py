"""What stands behind the restricted context of a mount."""

# Maintainers: which names a mounted plugin can read besides the façade's own methods, and what it
# is told about the others. It refuses by name, before the real context is asked.

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from types import FunctionType
from typing import Final, cast

from toolset.catalog import nearest
from toolset.cordis.errors import FacadeError
from toolset.cordis.membrane import Membrane
from toolset.cordis.mount_tools import MountTools
from toolset.runtime import Context, ServiceAccessError
from toolset.services.tools.registry import ToolRegistry

__all__ = ["MEMBERS", "Inside", "undeclared"]

MEMBERS: Final = frozenset(
    {
        *("on", "once", "emit", "parallel", "serial", "bail", "waterfall"),
        *("provide", "effect", "spawn", "get", "logger", "config", "tools"),
    }
)
_LONGEST_NAME: Final = 200
_TIMER: Final = frozenset({"set_timeout", "set_interval", "sleep", "throttle", "debounce"})
_WITHHELD: Final = {
    "plugin": "mount a second plugin with cordis_mount",
    "inject": "write `inject` on the plugin that the code returns",
    "dispose": "a temporary plugin is ended with cordis_unmount",
    **dict.fromkeys(
        (
            *("root", "fiber", "registry", "parent", "scope", "children", "events"),
            *("extend", "isolate", "intercept", "intercepted", "accessor", "mixin", "drop_view"),
        ),
        "`dir(ctx)` lists what there is",
    ),
}


class Inside:
    """What a façade stands for."""

    __slots__ = ("_plugin", "_seen", "ctx", "membrane")

    def __init__(self, ctx: Context, membrane: Membrane, plugin: object) -> None:
        self.ctx = ctx
        self.membrane = membrane
        self._plugin = plugin
        self._seen: dict[str, tuple[object, object]] = {}

    def declared(self) -> tuple[str, ...]:
        """The keys that the plugin declares or provides."""
        fiber = self.ctx.fiber
        return (*fiber.inject.required, *fiber.inject.optional, *fiber.provides())

    def declare(self, value: str) -> str:
        """Show how the plugin that the code returned declares services.

        Args:
            value: What its `inject` should be.

        Returns:
            The line to write, and where.
        """
        source = self._plugin
        if isinstance(source, FunctionType) and source.__name__.isidentifier():
            return f"{source.__name__}.inject = {value} after the function"
        if isinstance(source, FunctionType) or source is None:
            return f"inject = {value} on the plugin, such as plugin.inject = {value}"
        kind = source if isinstance(source, type) else type(source)
        return f"inject = {value} in the body of class {kind.__name__}"

    def read(self, name: str) -> object:
        """Give a member that is no method of the façade: a service, or what one adds to contexts."""
        if len(name) > _LONGEST_NAME:
            raise FacadeError(f"ctx has no member with a name of {len(name):,} characters", name)
        if name.startswith("_") or name in _WITHHELD:
            way = _WITHHELD.get(name, "`dir(ctx)` lists what there is")
            raise FacadeError(f"ctx.{name} is withheld from mounted code by design: {way}", name)
        if name in self.ctx.registry.accessors:
            return self._added(name)
        if name in self.declared():
            return self._shown(name, cast("object", getattr(self.ctx, name)))
        if name in _TIMER:
            raise undeclared(f"ctx.{name}", "timer", self.declare)
        if self.ctx.get(name) is not None:
            raise undeclared(f"ctx.{name}", name, self.declare)
        raise self._unknown(name)

    def optional(self, key: str, default: object) -> object:
        """Give a service that may not be there."""
        found = self.ctx.get(key)
        if found is None:
            return default
        if key not in self.declared():
            raise undeclared(f"ctx.get({key!r})", key, self.declare, optional=True)
        return self._shown(key, found)

    def names(self) -> Iterable[str]:
        """List what can be read."""
        added = self.ctx.registry.accessors if "timer" in self.declared() else ()
        return sorted({*MEMBERS, *self.declared(), *added})

    def _shown(self, key: str, value: object) -> object:
        """Give a service in the form that mounted code sees, the same one while it is the same."""
        if isinstance(value, ToolRegistry):
            return MountTools(value, self.membrane)
        kept = self._seen.get(key)
        if kept is None or kept[0] is not value:
            path = f"ctx.{key}"
            shown = self.membrane.inward(value, path)
            if shown is value and _is_object(value):
                shown = self.membrane.screen(value, path)
            kept = self._seen[key] = (value, shown)
        return kept[1]

    def _added(self, name: str) -> object:
        try:
            return self.membrane.inward(cast("object", getattr(self.ctx, name)), f"ctx.{name}")
        except ServiceAccessError as error:
            raise undeclared(f"ctx.{name}", error.key, self.declare) from None

    def _unknown(self, name: str) -> FacadeError:
        live = {one.key for one in self.ctx.registry.services() if one.live}
        near = nearest(name, sorted({*self.names(), *live}))
        hint = f"; did you mean ctx.{near[0]}?" if near else ""
        return FacadeError(
            f"ctx.{name}: there is no service {name!r} now and no such member{hint} "
            f"(reachable: {', '.join(self.names())})",
            name,
        )


def _is_object(value: object) -> bool:
    """Tell an object with members of its own from plain data."""
    return type(value).__module__ != "builtins" and not isinstance(value, type | Awaitable)


def undeclared(
    read: str, key: str, declare: Callable[[str], str], *, optional: bool = False
) -> FacadeError:
    """Make the refusal of a service that the plugin does not declare.

    Args:
        read: What was read, such as `ctx.fs`.
        key: The service's key.
        declare: Shows how the plugin declares services.
        optional: Whether it was read as one that may not be there.

    Returns:
        The error, with the line to write.
    """
    value = f'{{"optional": ["{key}"]}}' if optional else f'["{key}"]'
    return FacadeError(
        f'{read}: the plugin does not declare service "{key}"; write {declare(value)} '
        "(a variable `inject` of the code has no effect)",
        key,
    )
