"""The registry of model-facing tools, `ctx.tools`."""

# Maintainers: answers for the table: who registered what, who sees it, and that a refused
# registration changes nothing. Invariant: an entry stands in the table exactly as long as its
# effect does. Stages of a call are pipeline.py's, running bodies entries.py's.

from __future__ import annotations

import copy
import itertools
from collections.abc import Awaitable
from typing import TYPE_CHECKING, cast

from toolset.catalog import nearest
from toolset.runtime.effects import Effect
from toolset.runtime.service import Service
from toolset.services.tools import events
from toolset.services.tools.definition import ToolDefinition
from toolset.services.tools.entries import Registered
from toolset.services.tools.errors import (
    DuplicateToolError,
    ReservedToolError,
    ToolDefinitionError,
    ToolLookupError,
)
from toolset.services.tools.jsontypes import FrozenObject
from toolset.services.tools.paths import Violation
from toolset.services.tools.pipeline import Guard, GuardEntry, Run
from toolset.services.tools.records import ToolCall, ToolCard, ToolResult, ToolSchema
from toolset.services.tools.wire import brief, safe_text

if TYPE_CHECKING:
    from toolset.runtime.context import Context

__all__ = ["RESERVED_NAMES", "ToolRegistry"]

RESERVED_NAMES = ("cordis_call", "cordis_inspect", "cordis_mount", "cordis_unmount")
"""Names that the toolset alone registers."""

_TOOLSET = "tool-cordis"


class ToolRegistry(Service, key="tools"):
    """Register the tools a model may call, and run its calls."""

    def __init__(self, ctx: Context) -> None:
        super().__init__(ctx)
        self._entries: dict[str, Registered] = {}
        self._by_twin: dict[str, Registered] = {}
        self._guards: dict[int, GuardEntry] = {}
        self._numbers = itertools.count(1)

    # -- what there is ---------------------------------------------------------------------------

    def names(self, scope: str | None = None) -> tuple[str, ...]:
        """List the tools that a session may call.

        Args:
            scope: The session; None lists what every session may call.

        Returns:
            Their names, sorted.
        """
        return tuple(sorted(name for name, one in self._entries.items() if one.visible(scope)))

    def schemas(self, scope: str | None = None) -> tuple[ToolSchema, ...]:
        """Describe the tools that a session may call, as a model is told about them.

        Args:
            scope: The session; None describes what every session may call.

        Returns:
            A record each, sorted by name, of plain data that is the reader's own.
        """
        found = (self._entries[name].definition.schema for name in self.names(scope))
        return tuple(one._replace(parameters=copy.deepcopy(one.parameters)) for one in found)

    def get(self, name: str) -> ToolDefinition | None:
        """Get a tool's full definition.

        Args:
            name: The tool.

        Returns:
            The definition, or None when no tool has that name.
        """
        entry = self._entries.get(name)
        return None if entry is None else entry.definition

    def owner(self, name: str) -> str | None:
        """Name the plugin that registered a tool.

        Args:
            name: The tool.

        Returns:
            The plugin's display name, or None when no tool has that name.
        """
        entry = self._entries.get(name)
        return None if entry is None else entry.owner.name

    def present(self, name: str, arguments: object) -> ToolCard | None:
        """Show a call to a person; pure, and safe on logs of any age.

        Args:
            name: The tool.
            arguments: The arguments as they were logged.

        Returns:
            The card; None when there is no such tool, it has no cards, or the arguments do not fit.
        """
        entry = self._entries.get(name)
        return None if entry is None else entry.definition.present(arguments)

    # -- registering -----------------------------------------------------------------------------

    def register(self, definition: ToolDefinition, *, scope: str | None = None) -> Effect:
        """Register a tool until the calling plugin is unmounted or the effect is disposed.

        Taking it back ends its running calls; their callers are told.

        Args:
            definition: What `@tool` or `define_tool` made.
            scope: The session that alone may call it; None for every one.

        Returns:
            The effect; `await effect.dispose()` takes the tool back.

        Raises:
            DuplicateToolError: The name, or one that differs in case and dashes only, is taken.
            ReservedToolError: The name belongs to the toolset.
            ToolDefinitionError: `definition` is no tool.
            InactiveContextError: The calling plugin is ending or over.
        """
        fiber = self.caller.fiber
        if not isinstance(cast("object", definition), ToolDefinition):
            problem = f"must be made by @tool or define_tool, got {brief(definition)}"
            raise ToolDefinitionError("", [Violation("definition", problem)])
        name = definition.name
        if name in RESERVED_NAMES and fiber.name != _TOOLSET:
            raise ReservedToolError(name, fiber.name, RESERVED_NAMES)
        self._check_free(name, fiber.name)
        entry = Registered(definition, fiber, scope)

        def take_back() -> Awaitable[None] | None:
            del self._entries[name], self._by_twin[_folded(name)]
            ended = entry.withdraw()
            self.ctx.emit(events.change)
            return ended

        def put() -> object:
            self._entries[name] = self._by_twin[_folded(name)] = entry
            return take_back

        effect = self.caller.effect(put, f"tools.register({name!r})")
        self.ctx.emit(events.change)
        return effect

    def _check_free(self, name: str, refused: str) -> None:
        entry = self._by_twin.get(_folded(name))
        if entry is not None:
            raise DuplicateToolError(name, entry.definition.name, entry.owner.name, refused)

    def guard(self, guard: Guard) -> Effect:
        """Judge every call after `tools/pre-execute`; what a guard denies stays denied.

        Args:
            guard: Called with the call; gives None to let it pass, or the reason to deny it. One
                that raises denies.

        Returns:
            The effect; it ends with the calling plugin.

        Raises:
            InactiveContextError: The calling plugin is ending or over.
        """
        number = next(self._numbers)
        entry = GuardEntry(guard, self.caller.fiber)

        def put() -> object:
            self._guards[number] = entry
            return lambda: self._guards.pop(number, None) and None

        return self.caller.effect(put, "tools.guard")

    # -- calling ---------------------------------------------------------------------------------

    async def execute(
        self,
        name: str,
        arguments: object = None,
        *,
        session: str | None = None,
        call_id: str | None = None,
    ) -> ToolResult:
        """Run one call of a tool, from the arguments a model wrote to the result it reads.

        Never raises for a failure of the tool: that is a result with `is_error`. Cancelling the
        caller ends the body and goes on.

        Args:
            name: The tool.
            arguments: A JSON object, or text that holds one; None for none.
            session: The session that calls; it reaches the tools of its scope.
            call_id: Identifies the call in logs; made up when left out.

        Returns:
            What the model sees, the value, and whether the call failed.
        """
        identity = call_id if call_id is not None else f"call-{next(self._numbers)}"
        call = ToolCall(name, FrozenObject(), identity, session)
        entry = self._entries.get(name)
        if entry is None or not entry.visible(session):
            result = self._unknown(name, session)
            self.ctx.emit(events.result, call, result)
            return result
        return await Run(self.ctx, entry, self._guards.values(), call).run(arguments)

    def _unknown(self, name: str, session: str | None) -> ToolResult:
        known = self.names(session)
        close = nearest(name, known)
        message = safe_text(str(ToolLookupError(name, close, known)))
        return ToolResult.failure(message, code="unknown_tool", nearest=list(close))


def _folded(name: str) -> str:
    return name.casefold().replace("-", "_")
