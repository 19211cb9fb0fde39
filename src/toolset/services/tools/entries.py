"""One registered tool and the calls of it that run."""

# Maintainers: answers for the life of a registration: bodies run as tasks of the owner's fiber, end
# when the registration does, and whatever they raise is contained. Invariant: after `withdraw` has
# ended no body of the tool runs, except one that waits for the withdrawal itself. It knows neither
# the table it stands in nor events.

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable
from typing import TYPE_CHECKING, NamedTuple

from toolset.runtime.errors import InactiveContextError
from toolset.services.tools.definition import ToolDefinition
from toolset.services.tools.errors import ToolExitError, ToolGoneError
from toolset.services.tools.records import ToolCall

if TYPE_CHECKING:
    from toolset.runtime.fiber import Fiber

__all__ = ["Registered", "outcome_of"]


class _Failed(NamedTuple):
    """How a body ended that did not return."""

    error: Exception


class Registered:
    """A tool in the registry.

    Args:
        definition: The tool.
        owner: The fiber that registered it.
        scope: The session that alone sees it, None for every one.

    Attributes:
        definition: The tool.
        owner: The fiber that registered it.
        scope: The session that alone sees it, None for every one.
    """

    __slots__ = ("_running", "_withdrawn", "definition", "owner", "scope")

    def __init__(self, definition: ToolDefinition, owner: Fiber, scope: str | None) -> None:
        self.definition = definition
        self.owner = owner
        self.scope = scope
        self._running: set[asyncio.Task[object]] = set()
        self._withdrawn = False

    def visible(self, scope: str | None) -> bool:
        """Tell whether a session may call the tool.

        Args:
            scope: The session, None for none.

        Returns:
            Whether it is registered for all or for this one.
        """
        return self.scope is None or self.scope == scope

    async def run(self, call: ToolCall) -> object:
        """Run the body once, as a task of the owner.

        Args:
            call: The call, its arguments valid.

        Returns:
            What the body returned, unchecked.

        Raises:
            ToolGoneError: The tool was withdrawn, or its owner disposed, before the body ended.
            ToolExitError: The body raised what would have ended the host.
            Exception: Whatever else the body raised.
        """
        gone = ToolGoneError(self.definition.name, self.owner.name)
        if self._over():
            raise gone
        try:
            label = f"tool {self.definition.name!r}"
            outcome = await self.owner.run(self._contained(call), label)
        except InactiveContextError:
            raise gone from None
        except asyncio.CancelledError:
            if self._over() and not _cancelled():
                raise gone from None
            raise
        if isinstance(outcome, _Failed):
            raise outcome.error
        return outcome

    async def wait(self, pending: Awaitable[object]) -> object:
        """Await something of the tool's beside its body, as a task of the owner.

        Args:
            pending: It.

        Returns:
            What it gives.

        Raises:
            ToolGoneError: The tool was withdrawn, or its owner disposed, before or meanwhile.
        """
        gone = ToolGoneError(self.definition.name, self.owner.name)
        if self._over():
            if inspect.iscoroutine(pending):
                pending.close()  # nobody will await it
            raise gone
        try:
            return await self.owner.run(outcome_of(pending), f"tool {self.definition.name!r}")
        except InactiveContextError:
            raise gone from None

    def _over(self) -> bool:
        return self._withdrawn or self.owner.closing

    async def _contained(self, call: ToolCall) -> object:
        """Run the body so that nothing it raises but its own cancellation leaves the task."""
        task = asyncio.current_task()
        if task is not None:
            self._running.add(task)
        try:
            return await self.definition.run(call.arguments, call)
        except asyncio.CancelledError as error:
            if _cancelled():
                raise
            return _Failed(ToolExitError(self.definition.name, error))
        except Exception as error:  # noqa: BLE001 -- a body may raise anything; it is its result
            return _Failed(error)
        except BaseException as error:  # noqa: BLE001 -- as above; out of a task it ends the loop
            return _Failed(ToolExitError(self.definition.name, error))
        finally:
            if task is not None:
                self._running.discard(task)

    def withdraw(self) -> Awaitable[None] | None:
        """End every running call; new ones are refused from now on.

        Returns:
            The end of the calls that were cancelled, None when there is nothing to wait for.
        """
        self._withdrawn = True
        waits = self.owner.registry.waits
        me = _current()
        cancelled = [one for one in self._running if me is None or not waits.leads(one, me)]
        for task in cancelled:
            task.cancel()
        return self._ended(cancelled) if cancelled else None

    async def _ended(self, tasks: list[asyncio.Task[object]]) -> None:
        for task in tasks:
            await self.owner.registry.waits.wait(task)


async def outcome_of(pending: Awaitable[object]) -> object:
    """Make a coroutine, which a fiber can run, of what may be any awaitable."""
    return await pending


def _current() -> asyncio.Task[object] | None:
    try:
        return asyncio.current_task()
    except RuntimeError:  # no loop runs
        return None


def _cancelled() -> bool:
    """Whether somebody cancelled the current task, rather than code in it raising the error."""
    task = _current()
    return task is not None and task.cancelling() > 0
