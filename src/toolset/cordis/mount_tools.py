"""The tools of the host, as a mounted plugin sees them."""

# Maintainers: the part of `ctx.tools` that is given, and its words.

from __future__ import annotations

import reprlib
from collections.abc import Iterable
from typing import Final, cast

from toolset.cordis.errors import FacadeError
from toolset.cordis.harness import HarnessTool
from toolset.cordis.lent import lent
from toolset.cordis.membrane import Membrane
from toolset.services.tools.records import ToolSchema
from toolset.services.tools.registry import ToolRegistry

__all__ = ["MountTools"]

_OPEN: Final = frozenset({"__class__", "__doc__"})
_OF_TOOLS: Final = frozenset({"get", "register", "schemas"})


class MountTools:
    """The tools of the host, as a mounted plugin sees them.

    Args:
        registry: The registry, as the plugin's context reads it.
        membrane: The border of the mount.
    """

    __slots__ = ("_membrane", "_registry")

    def __init__(self, registry: ToolRegistry, membrane: Membrane) -> None:
        put = object.__setattr__
        put(self, "_registry", registry)
        put(self, "_membrane", membrane)

    def __getattribute__(self, name: str) -> object:
        if name in _OF_TOOLS or name in _OPEN:
            return object.__getattribute__(self, name)
        raise FacadeError(
            f"ctx.tools.{name} is withheld from mounted code by design; there is "
            f"{', '.join(sorted(_OF_TOOLS))}",
            name,
        )

    def __setattr__(self, name: str, value: object) -> None:
        raise FacadeError(f"ctx.tools.{name} is read-only", name)

    def __dir__(self) -> Iterable[str]:
        return sorted(_OF_TOOLS)

    def __repr__(self) -> str:
        return "<ctx.tools>"

    def register(self, definition: object) -> object:
        """Register a tool until the plugin is unmounted.

        Args:
            definition: What `@harness.tool` or `harness.define_tool` made.

        Returns:
            The effect: `await effect.dispose()` takes the tool back.

        Raises:
            FacadeError: It was not made by `harness`.
            DuplicateToolError: Its name is taken.
        """
        if not isinstance(definition, HarnessTool):
            raise FacadeError(
                "ctx.tools.register takes a tool made by `harness`, not "
                f"{reprlib.repr(definition)}: decorate an async function with @harness.tool, or call "
                "harness.define_tool(name=..., description=..., parameters=..., output=..., "
                "execute=...)",
                "register",
            )
        membrane = cast("Membrane", object.__getattribute__(self, "_membrane"))
        effect = _registry(self).register(lent(definition, membrane))
        return membrane.inward(effect, "ctx.tools.register()")

    def schemas(self) -> tuple[ToolSchema, ...]:
        """Describe the tools that every session may call.

        Returns:
            A record each: name, description, parameters.
        """
        return _registry(self).schemas()

    def get(self, name: str) -> ToolSchema | None:
        """Describe one tool; it gives nothing to call.

        Args:
            name: The tool.

        Returns:
            Its name, description and parameters; None when there is no such tool.
        """
        found = _registry(self).get(name)
        return None if found is None else found.schema


def _registry(tools: MountTools) -> ToolRegistry:
    return cast("ToolRegistry", object.__getattribute__(tools, "_registry"))
