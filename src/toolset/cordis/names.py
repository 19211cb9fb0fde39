"""What mounted code gets when it imports `toolset`: the names it is given, in their mounted form."""

# Maintainers: the one list of them; traps.py reads its parts, sandbox.py puts three of them into
# the namespace. `Service` differs from the runtime's in whom it says it was called by.

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from toolset.cordis.facade import MountContext, behind, facade
from toolset.cordis.harness import Harness
from toolset.cordis.membrane import Membrane
from toolset.runtime import Next, ToolsetError, event
from toolset.runtime import Service as RuntimeService

if TYPE_CHECKING:
    from toolset.runtime import Context

__all__ = ["Next", "Service", "ToolsetError", "define_tool", "event", "harness", "tool"]

harness = Harness()
tool = harness.tool
define_tool = harness.define_tool


class Service(RuntimeService):
    """A plugin that provides its instance under a key: `class Greeter(Service, key="greeter")`.

    Mounting the class constructs it with `(ctx, config)`, runs its optional `start()`, and then
    provides it.
    """

    @property
    def caller(self) -> Context:
        """The restricted context of whoever reads this service; effects for it belong to it."""
        reader = super().caller
        seen, own = cast("object", reader), cast("object", self.ctx)
        if isinstance(seen, MountContext):
            return reader
        border = behind(own) if isinstance(own, MountContext) else Membrane("")
        return cast("Context", facade(reader, border))
