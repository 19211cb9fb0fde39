"""Tool schemas as model APIs and MCP write them on the wire, a function each.

All lists are sorted by name: a model provider caches a prompt up to the first tool that moved.
"""

# Maintainers: answers for the wire shapes and for nothing that a call does. Input is what
# `ctx.tools.schemas()` or `ctx.tools.get(name)` gives, of bounded depth, so recursion is bounded
# too. The strict dialect is strict.py's.

from __future__ import annotations

from collections.abc import Iterable

from toolset.services.tools.definition import ToolDefinition
from toolset.services.tools.jsontypes import JsonObject, JsonValue, thaw
from toolset.services.tools.records import ToolAnnotations, ToolSchema
from toolset.services.tools.shallow import shallow
from toolset.services.tools.strict import strict_parameters

__all__ = [
    "anthropic_tools",
    "mcp_structured_content",
    "mcp_tools",
    "openai_strict_tools",
    "openai_tools",
]


def openai_tools(schemas: Iterable[ToolSchema]) -> list[JsonObject]:
    """Write tools for OpenAI chat completions and what speaks the same.

    Args:
        schemas: What `ctx.tools.schemas()` gives.

    Returns:
        The request's `tools`.
    """
    return [_openai(schema, schema.parameters) for schema in _sorted(schemas)]


def openai_strict_tools(schemas: Iterable[ToolSchema]) -> list[JsonObject]:
    """Write tools for OpenAI with strict arguments where their schema allows it.

    A strict model sends null for an argument it leaves out: give what it sends to
    `without_strict_nulls` before the call.

    Args:
        schemas: What `ctx.tools.schemas()` gives.

    Returns:
        The request's `tools`; those that strict mode cannot describe are written without it.
    """
    made: list[JsonObject] = []
    for schema in _sorted(schemas):
        parameters = strict_parameters(schema.parameters)
        if parameters is None:
            made.append(_openai(schema, schema.parameters))
        else:
            made.append(_openai(schema, parameters, strict=True))
    return made


def _openai(schema: ToolSchema, parameters: JsonObject, *, strict: bool = False) -> JsonObject:
    function: JsonObject = {
        "name": schema.name,
        "description": schema.description,
        "parameters": thaw(parameters),
    }
    if strict:
        function["strict"] = True
    return {"type": "function", "function": function}


def anthropic_tools(schemas: Iterable[ToolSchema]) -> list[JsonObject]:
    """Write tools for Anthropic messages.

    Args:
        schemas: What `ctx.tools.schemas()` gives.

    Returns:
        The request's `tools`.
    """
    return [
        {
            "name": schema.name,
            "description": schema.description,
            "input_schema": thaw(schema.parameters),
        }
        for schema in _sorted(schemas)
    ]


def mcp_tools(definitions: Iterable[ToolDefinition]) -> list[JsonObject]:
    """Write tools for MCP's `tools/list`.

    Args:
        definitions: What `ctx.tools.get(name)` gives.

    Returns:
        The result's `tools`. An output that is no object is described as `{"result": ...}`; see
        `mcp_structured_content`.
    """
    made: list[JsonObject] = []
    for definition in sorted(definitions, key=lambda one: one.name):
        tool: JsonObject = {
            "name": definition.name,
            "description": definition.description,
            "inputSchema": thaw(definition.schema.parameters),
            "outputSchema": _object_output(shallow(definition.output)),
        }
        hints = _hints(definition.annotations)
        if hints:
            tool["annotations"] = hints
        made.append(tool)
    return made


def mcp_structured_content(definition: ToolDefinition, value: JsonValue) -> JsonObject:
    """Write a value as MCP's `structuredContent`, which is an object always.

    Args:
        definition: The tool.
        value: The value of a result that is no error.

    Returns:
        The value itself where the output is described as an object, else `{"result": value}`.
    """
    if definition.output.get("type") == "object" and isinstance(value, dict):
        return value
    return {"result": value}


def _object_output(output: JsonObject) -> JsonObject:
    """Describe an output whose root is no object as one, its `$defs` still at the root."""
    if output.get("type") == "object":
        return output
    inner = {name: value for name, value in output.items() if name not in {"$defs", "definitions"}}
    outer = {name: value for name, value in output.items() if name in {"$defs", "definitions"}}
    return {"type": "object", "properties": {"result": inner}, "required": ["result"], **outer}


def _hints(annotations: ToolAnnotations) -> JsonObject:
    hints: dict[str, bool | None] = {
        "readOnlyHint": annotations.read_only,
        "destructiveHint": annotations.destructive,
        "idempotentHint": annotations.idempotent,
        "openWorldHint": annotations.open_world,
    }
    return {name: hint for name, hint in hints.items() if hint is not None}


def _sorted(schemas: Iterable[ToolSchema]) -> list[ToolSchema]:
    return sorted(schemas, key=lambda schema: schema.name)
