"""Values and content made fit for a model: checked, rendered, safe to send."""

# Maintainers: answers for what may leave a call. Invariant: what comes out of `finish` is lossless
# JSON that fits the tool's output schema, with text that UTF-8 can encode. It runs foreign code
# (`render`) and lets its exceptions pass: pipeline.py contains them.

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import cast

from toolset.services.tools.definition import ToolDefinition
from toolset.services.tools.entries import Registered
from toolset.services.tools.errors import NotJsonError
from toolset.services.tools.jsontypes import JsonObject, JsonValue, thaw
from toolset.services.tools.lossless import MAX_DEPTH, copy_json
from toolset.services.tools.paths import listed
from toolset.services.tools.records import ContentBlock, ToolCall, ToolResult, text_block
from toolset.services.tools.wire import brief, dump_json, safe_json, safe_text

__all__ = ["blocks_of", "finish"]


async def finish(entry: Registered, call: ToolCall, value: object) -> ToolResult:
    """Check what a body returned and make the result of the call.

    Args:
        entry: The tool.
        call: The call.
        value: What the body returned.

    Returns:
        The result; a failure naming every violation when the value may not be returned.

    Raises:
        ToolGoneError: The tool was taken back while its `render` awaited something.
    """
    definition = entry.definition
    checked = _checked(definition, value)
    if isinstance(checked, ToolResult):
        return checked
    plain = checked[0]
    if definition.render is None:
        return ToolResult((text_block(_as_text(plain)),), value=plain)
    rendered: object = definition.render(_own(call.arguments), thaw(plain))
    if inspect.isawaitable(rendered):
        rendered = await entry.wait(rendered)
    blocks = blocks_of(rendered)
    if isinstance(blocks, str):
        message = f"the `render` of tool {definition.name!r} {blocks}"
        return ToolResult.failure(message, code="invalid_output")
    return ToolResult(blocks, value=plain)


def _own(arguments: JsonObject) -> JsonObject:
    """Copy arguments for whoever may change them."""
    return {name: thaw(value) for name, value in arguments.items()}


def _checked(definition: ToolDefinition, value: object) -> tuple[JsonValue] | ToolResult:
    """Give a safe copy of the value, or the failure that it is."""
    name = definition.name
    try:
        plain = safe_json(copy_json(value, "output", max_depth=MAX_DEPTH))
    except NotJsonError as error:
        message = f"tool {name!r} returned a value that is not lossless JSON:\n- {error.violation}"
        return ToolResult.failure(message, code="invalid_output")
    violations = definition.check_output(plain)
    if violations:
        message = f"tool {name!r} returned a value that does not fit its output schema:\n"
        return ToolResult.failure(message + listed(violations), code="invalid_output")
    return (plain,)


def _as_text(value: JsonValue) -> str:
    return value if isinstance(value, str) else dump_json(value)


def blocks_of(rendered: object) -> tuple[ContentBlock, ...] | str:
    """Make content blocks of what `render` or a listener gave.

    Args:
        rendered: Text, a block, or a sequence of both.

    Returns:
        The blocks, safe to send; or what is wrong, to follow the name of who gave it.
    """
    if isinstance(rendered, (list, tuple)):
        members = cast("Sequence[object]", rendered)
    else:
        members = [rendered]
    blocks: list[ContentBlock] = []
    for at, member in enumerate(members):
        if isinstance(member, str):
            blocks.append(text_block(safe_text(member)))
            continue
        block = _block(member, at)
        if isinstance(block, str):
            return block
        blocks.append(block)
    return tuple(blocks)


def _block(member: object, at: int) -> ContentBlock | str:
    try:
        block = safe_json(copy_json(member, f"content[{at}]", max_depth=MAX_DEPTH))
    except NotJsonError as error:
        return f"gave {error}"
    if not isinstance(block, dict) or not isinstance(block.get("type"), str):
        return (
            f"gave {brief(member)} at content[{at}]; give text, or blocks such as "
            "{'type': 'text', 'text': '...'}"
        )
    if block["type"] == "text" and not isinstance(block.get("text"), str):
        return f"gave a text block without `text` at content[{at}]"
    return block
