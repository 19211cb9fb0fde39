"""The short cuts of tools, past pydantic and past jsonschema, say what those say."""

from __future__ import annotations

import asyncio
import inspect
import json
import math
from typing import Any, Literal, Union

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from toolset.services.tools import ToolArgumentsError, ToolCall, tool, typed
from toolset.services.tools.plain import PlainArguments, PlainReturned
from toolset.services.tools.schema import output_schema, parameter_schema
from toolset.services.tools.surely import surely_fits

PLAIN = [
    *(str, int, float, bool, type(None), object, Any, list, dict),
    *(list[str], list[list[int]], dict[str, int], dict[str, Any], dict[str, object], list[Any]),
    *(str | None, None | int, Union[float, None], list[bool | None], dict[str, list[str] | None]),  # noqa: UP007 - as typing writes it
    *(
        Literal["a"],
        Literal["a", "b"],
        Literal[3],
        Literal[1, 2],
        Literal["x"] | None,
        list[Literal["a", "b"]],
    ),
]
DEFAULTS = [
    inspect.Parameter.empty,
    None,
    "text",
    3,
    2.5,
    True,
    [],
    {},
    "é",
    float("nan"),
    "\ud800",
]
ANNOTATIONS = st.recursive(
    st.sampled_from([str, int, float, bool, object, Literal["a", "b"], Literal[1]]),
    lambda inner: st.one_of(
        inner.map(lambda one: list[one]),
        inner.map(lambda one: dict[str, one]),
        inner.map(lambda one: one | None),
    ),
    max_leaves=3,
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=4)
    | st.sampled_from(["a", "b", 1, 1.0, 2**70, "\ud800", (1,), {1: 2}, b"x"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3)
    ),
    max_leaves=6,
)


def by_pydantic(parameters, descriptions):
    """Give the schema that pydantic gives, normalised as tools have it."""
    schema, violations = parameter_schema(typed.Arguments(parameters, descriptions).model)
    assert not violations
    return {**schema, "additionalProperties": False}


def parameter(annotation, default=inspect.Parameter.empty, name="value"):
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default
    )


@pytest.mark.parametrize("annotation", PLAIN, ids=str)
def test_plain_annotations_are_known(annotation) -> None:
    """Plain annotations take the short cut, as parameters and as returns."""
    assert PlainArguments.of([parameter(annotation)], {}) is not None
    assert PlainReturned.of(annotation) is not None


@pytest.mark.parametrize("default", DEFAULTS, ids=repr)
@pytest.mark.parametrize("annotation", PLAIN, ids=str)
def test_plain_schemas_are_pydantics(annotation, default) -> None:
    """A plain parameter has pydantic's schema, byte for byte, or is left to pydantic."""
    parameters = [parameter(annotation, default), parameter(str, name="other")]
    descriptions = {"value": "What: it is.", "other": ""}
    plain = PlainArguments.of(parameters, descriptions)
    if plain is not None:
        assert json.dumps(plain.schema) == json.dumps(by_pydantic(parameters, descriptions))


@given(ANNOTATIONS)
@settings(max_examples=60, deadline=None)
def test_any_plain_schema_is_pydantics(annotation) -> None:
    """However plain annotations are put together, both schemas are pydantic's."""
    plain, returned = PlainArguments.of([parameter(annotation)], {}), PlainReturned.of(annotation)
    if plain is not None and returned is not None:
        assert json.dumps(plain.schema) == json.dumps(by_pydantic([parameter(annotation)], {}))
        assert json.dumps(returned.schema) == json.dumps(output_schema(annotation)[0])


def same(one: object, other: object) -> bool:
    """Compare values and their types, NaN being itself."""
    return repr(one) == repr(other)


def outcome(function, *arguments):
    try:
        return function(*arguments)
    except ToolArgumentsError as error:
        return str(error)


@given(ANNOTATIONS, VALUES)
@settings(max_examples=150, deadline=None)
def test_plain_values_are_pydantics(annotation, value) -> None:
    """What is bound to a parameter, and what a return value becomes, is what pydantic makes of it."""
    parameters = [parameter(annotation)]
    plain, returned = PlainArguments.of(parameters, {}), PlainReturned.of(annotation)
    if plain is None or returned is None:
        return
    arguments = {"value": value}
    if Draft202012Validator(plain.schema).is_valid(arguments):
        expected = outcome(typed.Arguments(parameters, {}).bind, arguments)
        assert same(outcome(plain.bind, arguments), expected)
    assert same(returned.to_json(value), typed.Returned(annotation).to_json(value))


def test_whole_floats_become_integers() -> None:
    """A model's 3.0 for an `int` arrives as 3, as pydantic has it."""

    @tool
    def double(number: int) -> int:
        """Double a number."""
        return number * 2

    call = ToolCall("double", {}, "1")
    result = asyncio.run(double.run({"number": 3.0}, call))
    assert (result, type(result)) == (6, int)


def test_mixed_function_is_pydantics() -> None:
    """One annotation that is not plain has the whole function described by pydantic."""

    @tool
    def pair(first: int, second: tuple[int, int]) -> int:
        """Add."""
        return first + sum(second)

    properties = pair.parameters["properties"]
    assert properties["first"] == {"type": "integer"}
    assert properties["second"]["prefixItems"] == [{"type": "integer"}] * 2


SCHEMAS = st.recursive(
    st.sampled_from(
        [
            {},
            True,
            False,
            {"type": "string", "minLength": 1, "maxLength": 2},
            {"type": ["integer", "null"]},
            {"type": "number", "minimum": 0, "maximum": 5},
            {"minimum": 1},
            {"type": "boolean"},
            {"enum": ["a", 1, None, [1]]},
            {"const": True},
            {"const": 1, "description": "One."},
            {"type": "array", "minItems": 1, "maxItems": 2},
            {"type": "string", "pattern": "^a"},
            {"not": {}},
        ]
    ),
    lambda inner: st.one_of(
        st.builds(lambda one: {"type": "array", "items": one}, inner),
        st.builds(lambda *some: {"anyOf": list(some)}, inner, inner),
        st.builds(lambda *some: {"oneOf": list(some)}, inner, inner),
        st.builds(
            lambda one, other, extra, required: {
                "type": "object",
                "properties": {"a": one, "b": other},
                "additionalProperties": extra,
                "required": required,
            },
            inner,
            inner,
            inner,
            st.lists(st.sampled_from(["a", "b"]), unique=True),
        ),
    ),
    max_leaves=5,
)
JSON = st.recursive(
    st.sampled_from([None, True, False, 0, 1, 1.0, 2.5, -1, 9, "", "a", "b", "abc"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "c"]), inner, max_size=3)
    ),
    max_leaves=5,
)


@given(SCHEMAS, JSON)
@settings(max_examples=400, deadline=None)
def test_what_surely_fits_is_valid(schema, value) -> None:
    """Whatever passes without jsonschema is valid for jsonschema."""
    if surely_fits(schema, value):
        assert Draft202012Validator(schema).is_valid(value)


@pytest.mark.parametrize("value", [{"a": "x"}, {"a": "x", "b": [1, 2]}, {"a": "x", "c": None}])
def test_right_arguments_surely_fit(value) -> None:
    """Arguments of everyday schemas that are right need no validator."""
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": "string", "enum": ["x", "y"], "description": "A."},
            "b": {"type": "array", "items": {"type": "integer"}, "default": []},
            "c": {"anyOf": [{"type": "number", "minimum": 0}, {"type": "null"}]},
        },
        "required": ["a"],
        "additionalProperties": False,
    }
    assert surely_fits(schema, value)
    assert not surely_fits(schema, {**value, "d": 1})
    assert not surely_fits(schema, {**value, "a": math.pi})


def test_deep_schemas_are_not_sure() -> None:
    """A schema that is very deep is left to the validator, without recursion trouble."""
    schema: dict[str, object] = {}
    for _ in range(5000):
        schema = {"anyOf": [schema]}
    assert not surely_fits(schema, 1)
