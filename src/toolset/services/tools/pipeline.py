"""What happens to a call between the arguments a model wrote and the result it reads."""

# Maintainers: answers for the order of the stages and for containment: only the cancellation of the
# caller leaves `Run.run`, everything else becomes a result. It knows one registered tool, the
# guards and the context to dispatch on; the table of tools is registry.py's.

from __future__ import annotations

import asyncio
import dataclasses
import inspect
import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, NoReturn, TypeAlias, cast

from toolset.runtime.closing import closes
from toolset.runtime.errors import InactiveContextError, ToolsetError, bracketed
from toolset.services.tools import events
from toolset.services.tools.entries import Registered, outcome_of
from toolset.services.tools.errors import NotJsonError, ToolArgumentsError, ToolGoneError
from toolset.services.tools.jsontypes import FrozenObject, JsonObject, JsonValue
from toolset.services.tools.lossless import freeze_json
from toolset.services.tools.paths import MAX_LISTED, Violation, listed
from toolset.services.tools.records import PreDecision, ToolCall, ToolResult, having
from toolset.services.tools.rendering import blocks_of, finish
from toolset.services.tools.wire import brief, cut, message_of, safe_text

if TYPE_CHECKING:
    from toolset.runtime.context import Context
    from toolset.runtime.events import Event
    from toolset.runtime.fiber import Fiber

__all__ = ["Guard", "GuardEntry", "Run", "failed", "plain_arguments"]

Guard: TypeAlias = "Callable[[ToolCall], str | Awaitable[str | None] | None]"
"""Judges a call: None lets it pass, a text denies it and says why. Sync or async."""

_LONGEST_MESSAGE = 4_000


class GuardEntry(NamedTuple):
    """A guard and who set it."""

    guard: Guard
    owner: Fiber


class _Stopped(Exception):  # noqa: N818 -- not an error: it carries the result of a stage that ends the call
    """A stage ended the call."""

    def __init__(self, result: ToolResult) -> None:
        self.result = result


class Run:
    """One call on its way through the stages.

    Args:
        ctx: The context to dispatch on.
        entry: The tool.
        guards: The guards that stand.
        call: The call; its arguments are not yet read.
    """

    def __init__(
        self, ctx: Context, entry: Registered, guards: Iterable[GuardEntry], call: ToolCall
    ) -> None:
        self._ctx = ctx
        self._entry = entry
        self._definition = entry.definition
        self._guards = guards
        self._call = call
        self._stage = "reading its arguments"

    async def run(self, arguments: object) -> ToolResult:
        """Take the call through every stage and tell how it ended.

        Args:
            arguments: The arguments as the caller gave them.

        Returns:
            The result.
        """
        try:
            result = await self._stages(arguments)
        except _Stopped as stopped:
            result = stopped.result
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                message = f"tool {self._call.name!r} was cancelled while {self._stage}"
                self._tell(ToolResult.failure(message, code="cancelled"))
                raise
            result = self._contained(error)
        except GeneratorExit as error:
            if closes(error):
                raise
            result = self._contained(error)
        except ToolGoneError as error:
            result = ToolResult.failure(str(error), code="unmounted")
        except BaseException as error:  # noqa: BLE001 -- listeners and renderers may raise anything
            result = self._contained(error)
        self._tell(result)
        return result

    def _tell(self, result: ToolResult) -> None:
        self._ctx.emit(events.result, self._call, result)

    def _contained(self, error: BaseException) -> ToolResult:
        return failed(self._call.name, error, f"while {self._stage}")

    async def _stages(self, arguments: object) -> ToolResult:
        self._read(arguments)
        self._stage = "deciding whether it may run (`tools/pre-execute`)"
        await self._decide()
        self._stage = "asking the guards"
        await self._ask_guards()
        result = await self._execute()
        self._stage = "looking over its result (`tools/post-execute`)"
        after = await self._ctx.waterfall(events.post_execute, self._call, result, _given)
        return await self._accepted(result, after)

    # -- before ----------------------------------------------------------------------------------

    def _read(self, arguments: object) -> None:
        """Freeze and validate the arguments; the call has them from here on."""
        try:
            read, violations = self._definition.read_arguments(_frozen(arguments))
            self._call = having(self._call, read)
        except ToolArgumentsError as error:
            violations = list(error.violations)
        if violations:
            raise _Stopped(self._unfit(violations))

    def _unfit(self, violations: Sequence[Violation]) -> ToolResult:
        return ToolResult.failure(
            safe_text(
                f"the arguments of tool {self._call.name!r} do not fit:\n{listed(violations)}"
            ),
            code="invalid_arguments",
            violations=[safe_text(str(one)) for one in violations[:MAX_LISTED]],
        )

    def _check(self, frozen: FrozenObject) -> None:
        violations = self._definition.check_arguments(frozen)
        if violations:
            raise ToolArgumentsError(violations)

    def _stop(self, message: str, code: str, **details: object) -> NoReturn:
        plain = cast("JsonObject", details)
        raise _Stopped(ToolResult.failure(safe_text(message), code=code, **plain))

    async def _decide(self) -> None:
        decided = await self._ctx.waterfall(
            events.pre_execute, self._call, lambda _: PreDecision.allow()
        )
        decision = cast("object", decided)
        name = self._call.name
        if not isinstance(decision, PreDecision):
            given = brief(decision)
            if inspect.iscoroutine(decision):
                decision.close()  # nobody awaits it
                given = "a coroutine, such as `next()` without `await`"
            self._stop(
                f"tool {name!r} was not run: a `tools/pre-execute` listener{self._of(events.pre_execute)} decided "
                f"{given}; it must return a PreDecision, or `await next()`",
                "denied",
            )
        if decision.action == "ask":
            self._stop(
                f"tool {name!r} was not run: it needs an answer to {decision.reason!r} and nobody "
                "is there to answer; a host answers by a `tools/pre-execute` listener that allows",
                "denied",
                reason=decision.reason,
            )
        if decision.action != "allow":
            reason = decision.reason or "no reason was given"
            self._stop(f"tool {name!r} was denied: {reason}", "denied", reason=reason)

    def _of(self, event: Event) -> str:
        """Say whose the listeners of an event are, one of which answered wrongly."""
        listeners = self._ctx.registry.listeners(event.name)
        owners = dict.fromkeys(bracketed(one.fiber.name) for one in listeners)
        return f" of {' or '.join(owners)}" if owners else ""

    async def _ask_guards(self) -> None:
        for guard, owner in tuple(self._guards):
            verdict: object = guard(self._call)
            if inspect.isawaitable(verdict):
                try:
                    verdict = await owner.run(outcome_of(verdict), "tools.guard")
                except InactiveContextError:
                    continue  # the guard was taken away while it judged
            if verdict is None:
                continue
            if not isinstance(verdict, str):
                verdict = f"a guard of {bracketed(owner.name)} gave {brief(verdict)}, not None or a reason"
            message = f"tool {self._call.name!r} was denied by {bracketed(owner.name)}: {verdict}"
            self._stop(message, "denied", reason=verdict)

    # -- the body --------------------------------------------------------------------------------

    async def _execute(self) -> ToolResult:
        self._stage = "running"
        call = having(self._call, self._call.arguments, self._body)
        try:
            given = await self._ctx.waterfall(events.execute, call, self._body)
        except ToolArgumentsError as error:
            return self._unfit(error.violations)
        except ToolGoneError as error:
            return ToolResult.failure(str(error), code="unmounted")
        except Exception as error:  # noqa: BLE001 -- a body may raise anything; it is its result
            logger = self._entry.owner.logger
            # The name of its class alone: what `__str__` of a foreign error does is not known.
            logger.debug("tool %r failed: %s", self._call.name, type(error).__name__)
            return failed(self._call.name, error)
        value = cast("object", given)
        if isinstance(value, ToolResult):
            return await self._accepted(None, value)
        self._stage = "rendering its output"
        return await finish(self._entry, self._call, value)

    async def _body(self, call: ToolCall) -> JsonValue:
        """Run the body: the inner end of `tools/execute`, and what `call.again()` calls."""
        given = self._call
        if call.arguments is not given.arguments:
            frozen = _frozen(call.arguments)
            self._check(frozen)
            given = having(given, frozen)
        return cast("JsonValue", await self._entry.run(given))

    # -- after -----------------------------------------------------------------------------------

    async def _accepted(self, before: ToolResult | None, after: object) -> ToolResult:
        """Check a result that a listener gave; one that it left alone is checked already."""
        if isinstance(after, ToolResult) and after is before:
            return after
        name = self._call.name
        if not isinstance(after, ToolResult):
            event = events.execute if before is None else events.post_execute
            message = (
                f"a listener{self._of(event)} gave {brief(after)} as the result of tool {name!r}"
            )
            return ToolResult.failure(f"{message}; it must return a ToolResult")
        blocks = blocks_of(after.content)
        if isinstance(blocks, str):
            message = f"the content that a listener gave for tool {name!r} is refused: it {blocks}"
            return ToolResult.failure(message, code="invalid_output")
        if after.is_error:
            return dataclasses.replace(after, content=blocks, value=None)
        return await self._refinished(before, dataclasses.replace(after, content=blocks))

    async def _refinished(self, before: ToolResult | None, after: ToolResult) -> ToolResult:
        """Check a value that a listener gave; render it unless the listener gave content too."""
        if before is not None and after.value is before.value:
            return after
        made = await finish(self._entry, self._call, after.value)
        if made.is_error or (before is not None and after.content == before.content):
            return made
        return dataclasses.replace(made, content=after.content, meta=after.meta)


def plain_arguments(arguments: object) -> object:
    """Decode arguments that a model wrote as JSON text, once.

    Args:
        arguments: What the caller gave; None for none.

    Returns:
        The JSON object that a text holds, else what was given.
    """
    if arguments is None:
        return {}
    if not isinstance(arguments, str):
        return arguments
    try:
        decoded: object = json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments
    return cast("object", decoded) if isinstance(decoded, dict) else arguments


def _frozen(arguments: object) -> FrozenObject:
    """Freeze arguments.

    Raises:
        ToolArgumentsError: They are no lossless JSON object.
    """
    given = plain_arguments(arguments)
    try:
        frozen = freeze_json(given, "arguments")
    except NotJsonError as error:
        raise ToolArgumentsError([error.violation]) from None
    if not isinstance(frozen, FrozenObject):
        problem = f"must be a JSON object, got {brief(given)}"
        raise ToolArgumentsError([Violation("arguments", problem, "such as {'name': 'value'}")])
    return frozen


def failed(name: str, error: BaseException, when: str = "") -> ToolResult:
    """Make the result of a call that something raised in.

    Args:
        name: The tool.
        error: What was raised.
        when: The stage, as `while ...`; empty for the body itself.

    Returns:
        The result, its message bounded and safe to send.
    """
    said = message_of(error)
    kind = type(error).__name__
    if isinstance(error, ToolsetError) and said and not when:
        message = said  # written for whoever reads it: what happened, and the way out
    else:
        message = f"tool {name!r} failed{' ' * bool(when)}{when}: {kind}{': ' * bool(said)}{said}"
    notes = [note for note in getattr(error, "__notes__", ()) if isinstance(note, str)]
    said = safe_text(cut("\n".join([message, *notes]), _LONGEST_MESSAGE))
    return ToolResult.failure(said, code="failed", error=kind)


def _given(_: ToolCall, result: ToolResult) -> ToolResult:
    return result
