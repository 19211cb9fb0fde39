"""Tool schemas on the wire, in each dialect."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from toolset import define_tool
from toolset.services.tools import ToolAnnotations, ToolDefinition, ToolSchema
from toolset.services.tools.dialects import (
    anthropic_tools,
    mcp_structured_content,
    mcp_tools,
    openai_strict_tools,
    openai_tools,
)
from toolset.services.tools.schema import parameter_schema
from toolset.services.tools.strict import strict_parameters, without_strict_nulls

PARAMETERS = {
    "path": {"type": "string", "description": "A path.", "required": True},
    "limit": {"type": "integer", "default": 5, "minimum": 1},
    "mode": {"type": "string", "enum": ["a", "b"]},
}


def made(
    name: str, parameters: object = None, output: object = None, **more: object
) -> ToolDefinition:
    return define_tool(
        name=name,
        description="A tool.",
        parameters=parameters,
        output={"schema": {"type": "string"} if output is None else output},
        execute=lambda args: args,
        **more,
    )


def schemas(*definitions: ToolDefinition) -> list[ToolSchema]:
    return [definition.schema for definition in definitions]


def test_dialects_wrap_schemas():
    """Each dialect has its own names around the same schema, sorted by tool name."""
    pair = schemas(made("b", PARAMETERS), made("a"))
    parameters = pair[0].parameters
    empty = {"type": "object", "properties": {}, "additionalProperties": False}
    assert openai_tools(pair) == [
        {
            "type": "function",
            "function": {"name": "a", "description": "A tool.", "parameters": empty},
        },
        {
            "type": "function",
            "function": {"name": "b", "description": "A tool.", "parameters": parameters},
        },
    ]
    assert anthropic_tools(pair) == [
        {"name": "a", "description": "A tool.", "input_schema": empty},
        {"name": "b", "description": "A tool.", "input_schema": parameters},
    ]


def test_strict_requires_everything():
    """Strict schemas require every property, make optional ones nullable, and close objects."""
    function = openai_strict_tools(schemas(made("a", PARAMETERS)))[0]["function"]
    assert function["strict"] is True
    assert function["parameters"] == {
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "A path."},
            "limit": {"type": ["integer", "null"]},
            "mode": {"anyOf": [{"type": "string", "enum": ["a", "b"]}, {"type": "null"}]},
        },
        "required": ["path", "limit", "mode"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    "child",
    [
        {"type": "json"},
        {"type": "object", "additionalProperties": True},
        {"type": "object", "additionalProperties": {"type": "string"}},
        {"type": "array"},
    ],
)
def test_open_schema_is_not_strict(child):
    """What strict mode cannot describe is written without it, as it is."""
    definition = made("a", {"x": child})
    function = openai_strict_tools(schemas(definition))[0]["function"]
    assert "strict" not in function
    assert function["parameters"] == definition.schema.parameters


def test_strict_nulls_are_undone():
    """Nulls that a strict model sends for absent arguments are taken out, others are kept."""
    schema, _ = parameter_schema(
        {
            "a": {"type": "string", "required": True},
            "b": {"type": "string"},
            "c": {"oneOf": [{"type": "string"}, {"type": "null"}]},
            "d": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"e": {"type": "integer"}},
                    "additionalProperties": False,
                },
            },
        }
    )
    sent = {"a": "x", "b": None, "c": None, "d": [{"e": None}, {"e": 1}]}
    strict = strict_parameters(schema)
    assert strict is not None
    Draft202012Validator(strict).validate(sent)
    undone = without_strict_nulls(schema, sent)
    assert undone == {"a": "x", "c": None, "d": [{}, {"e": 1}]}
    Draft202012Validator(schema).validate(undone)


def test_mcp_outputs_are_objects():
    """MCP gets an output schema whose root is an object, and structured content that fits it."""
    listing = made("a", output={"type": "array", "items": {"type": "integer"}})
    point = made(
        "b",
        output={"x": {"type": "integer"}},
        annotations=ToolAnnotations(read_only=True, destructive=False),
    )
    first, second = mcp_tools([point, listing])
    assert first["outputSchema"] == {
        "type": "object",
        "properties": {"result": {"type": "array", "items": {"type": "integer"}}},
        "required": ["result"],
    }
    assert "annotations" not in first
    assert second["outputSchema"]["properties"] == {"x": {"type": "integer"}}
    assert second["annotations"] == {"readOnlyHint": True, "destructiveHint": False}
    for definition, value in ((listing, [1, 2]), (point, {"x": 1})):
        content = mcp_structured_content(definition, value)
        Draft202012Validator(mcp_tools([definition])[0]["outputSchema"]).validate(content)


def test_mcp_keeps_definitions_reachable():
    """References inside a wrapped output still lead to their definitions."""
    output = {"type": "array", "items": {"$ref": "#/$defs/n"}, "$defs": {"n": {"type": "integer"}}}
    schema = mcp_tools([made("a", output=output)])[0]["outputSchema"]
    Draft202012Validator(schema).validate({"result": [1]})
    assert not Draft202012Validator(schema).is_valid({"result": ["x"]})


def test_deep_schemas_stay_sendable():
    """A schema of 5,000 levels is cut where JSON readers give up; the rest is any value."""
    node: dict[str, object] = {"type": "string"}
    for _ in range(5_000):
        node = {"type": "object", "properties": {"a": node}, "additionalProperties": False}
    definition = made("a", {"x": node}, output={"type": "array", "items": node})
    for wire in (
        openai_tools(schemas(definition)),
        openai_strict_tools(schemas(definition)),
        anthropic_tools(schemas(definition)),
        mcp_tools([definition]),
    ):
        assert json.loads(json.dumps(wire)) == wire


def test_exports_share_nothing():
    """Changing an export changes neither the tool nor the next export."""
    definition = made("a", PARAMETERS)
    for export in (openai_tools, anthropic_tools, openai_strict_tools):
        before = json.dumps(export([definition.schema]))
        first = export([definition.schema])[0]
        parameters = first.get("input_schema") or first["function"]["parameters"]
        parameters["properties"].clear()
        assert json.dumps(export([definition.schema])) == before
