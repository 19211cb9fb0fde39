"""Parameter schemas: three forms, one result, and everything malformed refused with its path."""

from __future__ import annotations

import math
from typing import Literal

import pytest
from pydantic import BaseModel, Field

from toolset.services.tools.schema import output_schema, parameter_schema
from toolset.services.tools.shallow import shallow

TEXT = {"type": "string"}


class Options(BaseModel):
    """Options of a search."""

    pattern: str = Field(description="What to find.")
    limit: int = Field(default=10, ge=1)
    mode: Literal["fast", "slow"] | None = None


class Tree(BaseModel):
    """A tree."""

    name: str
    children: list[Tree] = []


def accepted(parameters: object) -> dict[str, object]:
    schema, violations = parameter_schema(parameters)
    assert violations == []
    return schema


def refused(parameters: object) -> list[str]:
    return [str(one) for one in parameter_schema(parameters)[1]]


def wrapped(**properties: object) -> dict[str, object]:
    return {"type": "object", "properties": properties}


def test_forms_give_one_schema():
    """A property map, a JSON Schema and a model of the same arguments give the same schema."""

    class Arguments(BaseModel, extra="forbid"):
        text: str = Field(description="A text.")
        times: int = 1

    short = {
        "text": {"type": "string", "description": "A text.", "required": True},
        "times": {"type": "integer", "default": 1},
    }
    raw = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "A text."},
            "times": {"type": "integer", "default": 1},
        },
        "required": ["text"],
        "additionalProperties": False,
    }
    model = accepted(Arguments)
    model.pop("title", None)
    assert accepted(short) == accepted(raw) == model


def test_nested_short_form():
    """Objects, arrays, alternatives and `json` of the short form become JSON Schema."""
    schema = accepted(
        {
            "point": {
                "type": "object",
                "properties": {"x": {"type": "number", "required": True}, "y": {"type": "number"}},
                "additionalProperties": False,
                "required": True,
            },
            "any": {"type": "json"},
            "rows": {"type": "array", "items": {"type": "array"}},
            "id": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
        }
    )
    assert schema == {
        "type": "object",
        "properties": {
            "point": {
                "type": "object",
                "properties": {"x": {"type": "number"}, "y": {"type": "number"}},
                "required": ["x"],
                "additionalProperties": False,
            },
            "any": {},
            "rows": {"type": "array", "items": {"type": "array", "items": {}}},
            "id": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
        },
        "required": ["point"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    "parameters", [{}, wrapped(), {"properties": {}}, {"type": "object", "properties": {}}]
)
def test_no_arguments_is_an_object(parameters):
    """A tool without arguments still says `type: object` and `properties`."""
    schema = accepted(parameters)
    assert schema["type"] == "object"
    assert schema["properties"] == {}


def test_odd_names_are_kept():
    """Property names that are keywords, private, or not ASCII are properties like any other."""
    names = [
        "__proto__",
        "constructor",
        "größe",
        "名前",
        "type",
        "properties",
        "required",
        "$ref",
        "",
    ]
    schema = accepted(dict.fromkeys(names, TEXT))
    assert list(schema["properties"]) == names


def test_boolean_subschemas_are_rewritten():
    """`true` as a property, which some clients cannot read, becomes the empty schema."""
    assert accepted(wrapped(a=True, b=False))["properties"] == {"a": {}, "b": {"not": {}}}


def test_model_schemas_stand_alone():
    """A model's schema has no titles that repeat names, and a recursive one no `$ref` root."""
    assert accepted(Options)["properties"]["limit"] == {
        "type": "integer",
        "default": 10,
        "minimum": 1,
    }
    tree = accepted(Tree)
    assert tree["type"] == "object"
    assert "$ref" not in tree
    assert tree["properties"]["children"]["items"] == {"$ref": "#/$defs/Tree"}


@pytest.mark.parametrize(
    ("parameters", "path", "words"),
    [
        (5, "parameters", "must be a mapping"),
        ([1], "parameters", "must be a mapping"),
        ({"a": 5}, "parameters.a", "must be a mapping, got 5"),
        ({"a": None}, "parameters.a", "must be a mapping, got None"),
        ({"a": {"type": "strng"}}, "parameters.a.type", "did you mean 'string'? accepted types: string, number, integer, boolean, null, object, array, json"),
        ({"a": {"type": 3}}, "parameters.a.type", "unknown type 3"),
        ({"a": {"type": []}}, "parameters.a.type", "unknown type"),
        ({"a": {}}, "parameters.a.type", "is missing"),
        ({"a": {"type": "string", "required": False}}, "parameters.a.required", "must be true"),
        ({"a": {"type": "string", "required": "yes"}}, "parameters.a.required", "must be true"),
        ({"a": {"type": "string", "properties": {}}}, "parameters.a.properties", "belongs to object"),
        ({"a": {"type": "integer", "items": TEXT}}, "parameters.a.items", "belongs to array"),
        ({"a": {"type": "object"}}, "parameters.a.additionalProperties", "must be said"),
        ({"a": {"type": "array", "items": {"type": "object"}}}, "parameters.a.items.additionalProperties", "must be said"),
        ({"a": {"type": "array", "items": [TEXT]}}, "parameters.a.items", "prefixItems"),
        ({"a": {"oneOf": TEXT}}, "parameters.a.oneOf", "must be a list"),
        ({"a": {"oneOf": []}}, "parameters.a.oneOf", "give 2 or more"),
        ({"a": {"oneOf": [TEXT]}}, "parameters.a.oneOf", "has 1 schemas"),
        ({"a": {"enum": []}}, "parameters.a.enum", "is empty"),
        ({"a": {"enum": "ab"}}, "parameters.a.enum", "must be a list"),
        ({"a": {"type": "string", "enum": ["x", 1]}}, "parameters.a.enum[1]", "another type"),
        ({"a": {"type": "boolean", "enum": [True, 1]}}, "parameters.a.enum[1]", "another type"),
        ({"a": {"type": "string", "const": 1}}, "parameters.a.const", "another type"),
        ({"a": {"type": "integer", "const": True}}, "parameters.a.const", "another type"),
        ({"a": {"type": "json", "default": math.nan}}, "parameters.a.default", "finite"),
        ({"a": {"type": "json", "default": -0.0}}, "parameters.a.default", "-0.0"),
        ({"a": {"type": "json", "default": {1, 2}}}, "parameters.a.default", "set"),
        ({"a": {"type": "json", "examples": [b"x"]}}, "parameters.a.examples[0]", "bytes"),
        ({"a": {"type": "json", "examples": [object()]}}, "parameters.a.examples[0]", "object"),
        ({"a": {"type": "json", "examples": [{"b": {1: 2}}]}}, "parameters.a.examples[0].b", "key 1"),
        ({"a": {"type": "json", "examples": 3}}, "parameters.a.examples", "must be a list"),
        ({"a": {"type": "string", "minLenght": 1}}, "parameters.a.minLenght", "did you mean 'minLength'?"),
        ({"a": {"type": "string", "minLength": -1}}, "parameters.a.minLength", "0 or more"),
        ({"a": {"type": "string", "pattern": "("}}, "parameters.a.pattern", "regular expression"),
        ({"a": {"type": "string", "description": 3}}, "parameters.a.description", "a string"),
        ({"a": {"type": "string", "description": "\ud800"}}, "parameters.a.description", "surrogate"),
        ({"\ud800": TEXT}, "parameters", "surrogate"),
        ({1: TEXT}, "parameters", "key 1"),
        ({"a": {"type": "string", "required": True, "oneOf": [{"type": "string", "required": True}, TEXT]}}, "parameters.a.oneOf[0].required", "misplaced"),
        ({"type": "object"}, "parameters.properties", "is missing"),
        ({"type": "array", "properties": {}}, "parameters.type", "must be 'object'"),
        ({**wrapped(a=TEXT), "required": "a"}, "parameters.required", "must be a list"),
        ({**wrapped(a=TEXT), "required": [3]}, "parameters.required[0]", "got 3"),
        ({**wrapped(name=TEXT), "required": ["nam"]}, "parameters.required[0]", "did you mean 'name'?"),
        (wrapped(a={"type": "string", "required": True}), "parameters.properties.a.required", "list of names"),
        (wrapped(a=5), "parameters.properties.a", "must be a mapping"),
        (wrapped(a={"type": "strng"}), "parameters.properties.a.type", "unknown type"),
        (wrapped(a={"minimum": "x"}), "parameters.properties.a.minimum", "a number"),
        ({**wrapped(), "anyOf": [{}]}, "parameters.anyOf", "root"),
        (wrapped(a={"$ref": "#/$defs/b"}), "parameters.properties.a.$ref", "leads nowhere"),
        (wrapped(a={"$ref": "https://example.org/s"}), "parameters.properties.a.$ref", "leads nowhere"),
        ({**wrapped(a={"$ref": "#/$defs/b"}), "$defs": {"b": {"$ref": "#/$defs/b"}}}, "parameters.$defs.b.$ref", "refers to itself"),
        (int, "parameters.type", "must be 'object'"),
    ],
)  # fmt: skip
def test_malformed_schema_is_refused(parameters, path, words):
    """Each kind of malformed schema is refused, naming the place and what is accepted."""
    found = [line for line in refused(parameters) if line.startswith(f"{path}: ")]
    assert found, refused(parameters)
    assert words in found[0]


def test_every_violation_is_listed():
    """All that is wrong comes in one report, in the order of the source."""
    lines = refused({"a": {"type": "strng"}, "b": 5, "c": {"type": "object"}})
    assert [line.partition(":")[0] for line in lines] == [
        "parameters.a.type",
        "parameters.b",
        "parameters.c.additionalProperties",
    ]


def test_cyclic_schema_is_refused():
    """A schema that contains itself as an object is refused, in every form."""
    ring: dict[str, object] = {"type": "array"}
    ring["items"] = ring
    assert "parameters.a.items: contains itself" in refused({"a": ring})[0]
    assert "parameters.properties.a.items: contains itself" in refused(wrapped(a=ring))[0]
    value: list[object] = []
    value.append(value)
    assert "contains itself" in refused({"a": {"type": "json", "default": value}})[0]


@pytest.mark.parametrize("raw", [False, True], ids=["short", "raw"])
def test_deep_schema_does_not_recurse(raw):
    """5,000 levels are accepted, and a mistake at the bottom is found, without recursion."""

    def deep(leaf: dict[str, object]) -> object:
        node = leaf
        for _ in range(5_000):
            node = {"type": "object", "properties": {"a": node}, "additionalProperties": False}
        return wrapped(a=node) if raw else {"a": node}

    accepted(deep({"type": "string", "default": "x"}))
    assert "unknown type 'strng'" in refused(deep({"type": "strng"}))[0]


def test_deep_data_does_not_recurse():
    """A default of 5,000 levels is copied without recursion and left out of what is sent."""
    value: object = 1
    for _ in range(5_000):
        value = [value]
    schema = accepted({"a": {"type": "json", "default": value}})
    assert "default" in schema["properties"]["a"]
    assert shallow(schema)["properties"]["a"] == {}


def test_stacked_alternatives_are_bounded():
    """Alternatives inside alternatives, which no validator could follow, are refused."""
    node: dict[str, object] = dict(TEXT)
    for _ in range(5_000):
        node = {"anyOf": [node]}
    assert "stacks more than 32 schemas" in refused({"a": node})[0]


def test_wide_sharing_is_bounded():
    """A small schema that unfolds to millions is refused in time."""
    node: dict[str, object] = dict(TEXT)
    for _ in range(40):
        node = {"oneOf": [node, node]}
    assert any("use fewer" in line for line in refused({"a": node}))


def test_source_is_left_alone():
    """The schema shares nothing with what it was made of, which stays as it was."""
    source = {"a": {"type": "array", "default": [1], "required": True}}
    schema = accepted(source)
    schema["properties"]["a"]["default"].append(2)
    assert source == {"a": {"type": "array", "default": [1], "required": True}}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string"}, {"type": "string"}),
        ({"type": "json"}, {}),
        ({"type": "array", "items": TEXT}, {"type": "array", "items": TEXT}),
        ({}, {}),
        (str, {"type": "string"}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (
            {"a": {"type": "string", "required": True}},
            {
                "type": "object",
                "properties": {"a": TEXT},
                "required": ["a"],
                "additionalProperties": False,
            },
        ),
    ],
)
def test_output_schema_forms(schema, expected):
    """An output is described by a JSON Schema of any type, a Python type, or a property map."""
    assert output_schema(schema) == (expected, [])
