"""The events of the tool pipeline, in the order in which a call meets them."""

# Maintainers: declarations alone; registry.py and pipeline.py dispatch them. The docstrings are the
# contract that the catalog shows.

from __future__ import annotations

from toolset.runtime.events import Next, event
from toolset.services.tools.jsontypes import JsonValue
from toolset.services.tools.records import PreDecision, ToolCall, ToolResult

__all__ = ["change", "execute", "post_execute", "pre_execute", "result"]


@event("tools/change", mode="emit")
def change() -> None:
    """Tell that a tool was registered or taken back; `ctx.tools.schemas()` gives the new set."""


@event("tools/pre-execute", mode="waterfall")
async def pre_execute(call: ToolCall, next: Next[PreDecision]) -> PreDecision:  # noqa: A002 -- the name that listeners see
    """Allow, deny or ask before a tool call runs.

    The arguments are valid and frozen. A listener that answers for a person awaits `next()` and
    replaces an `ask` by allowing or denying; an `ask` that is left at the end denies. A listener
    that raises denies.

    Args:
        call: The pending call.
        next: The decision of the listeners further in, in the end to allow.

    Returns:
        The decision that stands.
    """
    raise NotImplementedError  # a declaration is never called


@event("tools/execute", mode="waterfall")
async def execute(call: ToolCall, next: Next[JsonValue]) -> JsonValue:  # noqa: A002 -- the name that listeners see
    """Run around a tool's body: deadlines, retries, metrics, cached values.

    What the body raises comes out of `next()`. It is awaited once; a listener that retries calls
    `call.again()` after that.

    Args:
        call: The call that runs; `next(changed)` runs with other arguments, which are checked anew.
        next: Runs the listeners further in, in the end the body.

    Returns:
        The value of the call, to be checked against the tool's output schema.
    """
    raise NotImplementedError  # a declaration is never called


@event("tools/post-execute", mode="waterfall")
async def post_execute(call: ToolCall, result: ToolResult, next: Next[ToolResult]) -> ToolResult:  # noqa: A002 -- the name that listeners see
    """Replace or block a result before the model sees it.

    A replaced value is checked against the output schema again and, when the content was left as it
    is, rendered again. To block, return `ToolResult.failure(reason, code="blocked")`.

    Args:
        call: The call that ended.
        result: What it gave; failures of the body come here too, refused calls do not.
        next: The result as the listeners further in leave it.

    Returns:
        The result that stands.
    """
    raise NotImplementedError  # a declaration is never called


@event("tools/result", mode="emit")
def result(call: ToolCall, result: ToolResult) -> None:
    """Tell how a tool call ended, refused and cancelled calls included.

    Args:
        call: The call; its arguments are empty when they were no JSON object.
        result: What the caller is given.
    """
