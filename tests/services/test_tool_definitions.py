"""Declaring tools: `define_tool`, `@tool`, and what they refuse."""

from __future__ import annotations

import asyncio
import datetime as dt
import enum
import math
from dataclasses import dataclass
from typing import Literal, NotRequired, TypedDict

import pytest
from pydantic import BaseModel, field_validator

from toolset import Context, define_tool, tool
from toolset.services.tools import (
    ToolAnnotations,
    ToolCall,
    ToolDefinition,
    ToolDefinitionError,
    ToolRegistry,
)
from toolset.services.tools.jsontypes import FrozenObject

CALL = ToolCall("t", FrozenObject(), "call-1")
GOOD = {
    "name": "t",
    "description": "A tool.",
    "output": {"schema": {"type": "json"}},
    "execute": lambda args: args,
}


class Color(enum.Enum):
    """A color."""

    RED = "red"


@dataclass
class Point:
    """A point."""

    x: int
    y: int = 0


def refused(**options: object) -> list[str]:
    with pytest.raises(ToolDefinitionError) as caught:
        define_tool({**GOOD, **options})
    return [str(one) for one in caught.value.violations]


def test_defined_tool_is_complete():
    """A definition has what it was given, its parameters normalised."""

    def render(args: object, value: object) -> str:
        return f"{args}{value}"

    definition = define_tool(
        name="reverse-text_2",
        description="Reverse.",
        parameters={"text": {"type": "string", "required": True}},
        output={"schema": {"type": "string"}, "render": render},
        execute=lambda args: args["text"][::-1],
        annotations=ToolAnnotations(read_only=True),
    )
    assert definition.schema.name == definition.name == "reverse-text_2"
    assert definition.schema.parameters["required"] == ["text"]
    assert definition.output == {"type": "string"}
    assert definition.render is render
    assert definition.annotations.read_only is True
    assert asyncio.run(definition.run({"text": "abc"}, CALL)) == "cba"


@pytest.mark.parametrize("options", [5, [("name", "x")], "name"])
def test_options_must_be_mapping(options):
    """Options that are no mapping are refused, naming the options there are."""
    with pytest.raises(ToolDefinitionError, match=r"options: must be a mapping, got .*with name"):
        define_tool(options)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"name": None}, "name: is missing"),
        ({"description": None}, "description: is missing"),
        ({"description": "  "}, "description: must be text"),
        ({"description": "\ud800"}, "description: has a lone surrogate"),
        ({"output": None}, "output: is missing"),
        ({"output": 5}, "output: must be a mapping"),
        ({"output": {}}, "output.schema: is missing"),
        ({"output": {"schema": 5}}, "output.schema: must be a mapping"),
        ({"output": {"schema": {"type": "strng"}}}, "output.schema.type: unknown type"),
        ({"output": {"schema": {}, "rendr": 1}}, "output: 'rendr' is no key of it"),
        ({"output": {"schema": {}, "render": 5}}, "output.render: must be a function"),
        ({"execute": None}, "execute: is missing"),
        ({"execute": "x"}, "execute: must be a function"),
        ({"execute": lambda: 1}, "execute: has the parameters ()"),
        ({"execute": lambda a, b, c: 1}, "execute: has the parameters (a, b, c)"),
        ({"present_call": 5}, "present_call: must be a function"),
        ({"parameters": 5}, "parameters: must be a mapping"),
        ({"annotations": {}}, "annotations: must be ToolAnnotations"),
        ({"descripton": "x"}, "options: 'descripton' is no option (did you mean 'description'?"),
    ],
)
def test_malformed_option_is_refused(options, expected):
    """Each missing or malformed option is refused with its path and what is accepted."""
    assert [line for line in refused(**options) if line.startswith(expected)]


def test_all_mistakes_are_listed():
    """One report lists every mistake of a declaration."""
    paths = [line.partition(":")[0] for line in refused(name="a b", output=None, execute=None)]
    assert paths == ["name", "output", "execute"]


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [
        ("graph.list", "graph_list"),
        ("a b", "a_b"),
        ("x" * 65, "x" * 40),
        ("größe", "gr_e"),
        ("", "my_tool"),
        ("💥", "my_tool"),
        ("line\n", "line"),
        ("a/b:c", "a_b_c"),
    ],
)
def test_bad_name_gets_suggestion(name, suggestion):
    """A name that model APIs refuse is refused, with one that they take."""
    lines = refused(name=name)
    assert len(lines) == 1
    assert lines[0].endswith(f"(use {suggestion!r})")
    assert define_tool({**GOOD, "name": suggestion}).name == suggestion


def test_defaults_reach_the_body():
    """An absent argument with a default is filled in for the body, which may change its copy."""
    seen: list[dict[str, object]] = []
    definition = define_tool(
        {
            **GOOD,
            "parameters": {"tags": {"type": "array", "default": ["a"]}, "n": {"type": "integer"}},
            "execute": lambda args: seen.append(args) or args["tags"].append("b"),
        }
    )
    asyncio.run(definition.run({"n": 1}, CALL))
    asyncio.run(definition.run({"n": 1}, CALL))
    assert seen == [{"n": 1, "tags": ["a", "b"]}] * 2


def test_body_may_take_call():
    """A body with two parameters receives the call, one with a single parameter does not."""
    with_call = define_tool({**GOOD, "execute": lambda args, call: call.call_id})
    optional = define_tool({**GOOD, "execute": lambda args, call=None: call.call_id})
    assert asyncio.run(with_call.run({}, CALL)) == "call-1"
    assert asyncio.run(optional.run({}, CALL)) == "call-1"


def test_body_keeps_its_defaults():
    """A second parameter with a default that is not named `call` is the author's own."""
    bodies = [define_tool({**GOOD, "execute": lambda args, n=n: n}) for n in range(3)]
    assert [asyncio.run(body.run({}, CALL)) for body in bodies] == [0, 1, 2]


def test_many_mistakes_are_counted():
    """A hundred mistakes are written out, the rest is counted, and no name fills the message."""
    told = refused(parameters={f"p{n}": {"type": "strng"} for n in range(300)})
    assert len(told) == 300
    with pytest.raises(ToolDefinitionError) as caught:
        define_tool({**GOOD, "name": "n" * 9999, "parameters": {f"p{n}": {} for n in range(300)}})
    text = str(caught.value)
    assert text.endswith("- … and 201 more")
    assert len(text) < 20_000


class Anything(BaseModel):
    """A model with a field that may be anything."""

    value: object = None


LOSSY = {
    "no annotation": (None, math.nan, "output: is nan"),
    "object": (object, math.inf, "output: is inf"),
    "nested": (object, {"a": [1, math.nan]}, r"output.a[1]: is nan"),
    "dict": (dict, {"a": {"b": -math.inf}}, "output.a.b: is -inf"),
    "set": (object, {math.nan}, "output[0]: is nan"),
    "tuple": (object, (None, math.nan), "output[1]: is nan"),
    "model": (Anything, Anything(value=[math.nan]), "output.value[0]: is nan"),
    "float": (float, math.nan, "output: is nan"),
    "negative zero": (object, -0.0, "output: is -0.0"),
}


@pytest.mark.parametrize("form", LOSSY)
def test_lossy_number_is_refused(run, form):
    """A number that JSON does not have is refused by its path, whatever the annotation says."""
    annotation, value, told = LOSSY[form]

    def measure():
        """Measure."""
        return value

    if annotation is not None:
        measure.__annotations__["return"] = annotation
    explicit = {**GOOD, "name": "explicit", "execute": lambda args: value}

    async def main() -> None:
        async with Context() as ctx:
            await ctx.plugin(ToolRegistry)
            ctx.tools.register(tool(measure))
            result = await ctx.tools.execute("measure")
            assert result.is_error
            assert "tool 'measure'" in result.text
            assert told in result.text
            if not isinstance(value, BaseModel):
                ctx.tools.register(define_tool(explicit))
                assert "tool 'explicit'" in (await ctx.tools.execute("explicit")).text

    run(main())


def test_real_null_stays(run):
    """A null that the body returned itself, or that a serializer chose, is a value."""

    @tool
    def nothing() -> object:
        """Give nothing."""
        return {"a": [None, (1, None)], "b": None}

    async def main() -> object:
        async with Context() as ctx:
            await ctx.plugin(ToolRegistry)
            ctx.tools.register(nothing)
            return (await ctx.tools.execute("nothing")).value

    assert run(main()) == {"a": [None, [1, None]], "b": None}


def test_unfit_argument_names_tool(run):
    """An argument that no Python number holds is refused in the tool's name."""

    @tool
    def half(x: float) -> float:
        """Halve."""
        return x / 2

    async def main() -> str:
        async with Context() as ctx:
            await ctx.plugin(ToolRegistry)
            ctx.tools.register(half)
            return (await ctx.tools.execute("half", {"x": 10**400})).text

    assert run(main()).startswith("the arguments of tool 'half' do not fit:\n- arguments.x: ")


def test_model_validators_judge_arguments():
    """A pydantic model's own validators are asked once its schema is satisfied."""

    class Range(BaseModel):
        low: int
        high: int

        @field_validator("high")
        @classmethod
        def ordered(cls, high: int, info: object) -> int:
            if high < info.data["low"]:
                raise ValueError("high is below low")
            return high

    definition = define_tool({**GOOD, "parameters": Range})
    assert definition.check_arguments({"low": 1, "high": 2}) == []
    assert "high is below low" in str(definition.check_arguments({"low": 3, "high": 2})[0])
    assert "is required" in str(definition.check_arguments({"low": 3})[0])


def test_tool_reads_its_function():
    """`@tool` takes name, prose, parameters, descriptions and output from the function."""

    @tool
    async def repeat_text(text: str, times: int = 2, *, mode: Literal["a", "b"] = "a") -> list[str]:
        """Repeat a text.

        Use it to make a text longer.

        Args:
            text: What to repeat,
                as it is.
            times (int): How often.

        Returns:
            The copies.
        """
        return [text + mode] * times

    assert isinstance(repeat_text, ToolDefinition)
    assert repeat_text.name == "repeat_text"
    assert repeat_text.description == "Repeat a text.\n\nUse it to make a text longer."
    assert repeat_text.parameters == {
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "What to repeat, as it is."},
            "times": {"type": "integer", "default": 2, "description": "How often."},
            "mode": {"type": "string", "default": "a", "enum": ["a", "b"]},
        },
        "required": ["text"],
        "additionalProperties": False,
    }
    assert repeat_text.output == {"type": "array", "items": {"type": "string"}}
    assert asyncio.run(repeat_text.run({"text": "x"}, CALL)) == ["xa", "xa"]


def test_tool_converts_types():
    """Arguments arrive as the annotated types, and the value leaves as JSON."""

    @tool(name="convert", description="Convert.")
    def convert(
        point: Point,
        /,
        _when: dt.date,
        colors: set[Color],
        call: ToolCall,
        copy: int | None = None,
    ) -> tuple[Point, dt.date, set[Color]]:
        assert isinstance(point, Point)
        assert (copy, call.call_id) == (None, "call-1")
        return point, _when, colors

    arguments = {"point": {"x": 1}, "_when": "2020-02-01", "colors": ["red"]}
    assert convert.check_arguments(arguments) == []
    value = asyncio.run(convert.run(arguments, CALL))
    assert value == [{"x": 1, "y": 0}, "2020-02-01", ["red"]]
    assert convert.check_output(value) == []
    assert "call" not in convert.parameters["properties"]


def undocumented(text: str) -> str:
    return text


def untyped(text) -> str:
    """Do."""
    return text


def starred(*texts: str, **more: str) -> str:
    """Do."""
    return f"{texts}{more}"


def misnamed(text: str) -> str:
    """Do.

    Args:
        texts: A text.
    """
    return text


def foreign(task: asyncio.Task[None]) -> str:
    """Do."""
    return str(task)


def unresolved(text: Nowhere) -> str:  # noqa: F821
    """Do."""
    return text


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (undocumented, "description: is missing"),
        (untyped, "parameters.text: has no annotation"),
        (starred, "parameters.texts: takes any number of arguments"),
        (misnamed, r"docstring.Args.texts: describes no parameter \(did you mean 'text'\?\)"),
        (foreign, "signature: pydantic cannot describe"),
        (unresolved, "signature: has annotations that cannot be read: name 'Nowhere'"),
        (lambda: 1, "name: '<lambda>' is refused"),
        (int, "takes a function, got <class 'int'>"),
        (3, "takes a function, got 3"),
    ],
)
def test_unfit_function_is_refused(function, message):
    """A function that cannot be a tool is refused where it is decorated, with the reason."""
    with pytest.raises(ToolDefinitionError, match=message):
        tool(function)


def test_card_is_pure():
    """A card is made of arguments that fit; odd arguments or a failing function give None."""
    definition = define_tool(
        {
            **GOOD,
            "parameters": {"path": {"type": "string", "required": True}},
            "present_call": lambda args: {
                "card": "generic",
                "kind": "read",
                "title": f"Read {args['path']}",
                "raw_input": args.pop("path"),
            },
        }
    )
    arguments = {"path": "a"}
    card = {"card": "generic", "kind": "read", "title": "Read a", "raw_input": "a"}
    assert definition.present(arguments) == card
    assert arguments == {"path": "a"}
    for odd in ({}, {"path": 3}, {"path": "a", "more": 1}, None, "text", [object()]):
        assert definition.present(odd) is None
    for bad in (lambda args: 1 / 0, lambda args: {"card": "generic"}, lambda args: 5):
        assert define_tool({**GOOD, "present_call": bad}).present({}) is None
    assert define_tool(GOOD).present({}) is None


class Size(TypedDict):
    """How large something is."""

    width: int
    unit: NotRequired[str]


class Box(TypedDict, total=False):
    """A box."""

    size: Size
    tags: list[str]
    kind: Literal["flat", "tall"] | None


def test_typed_dicts_are_types(run):
    """A `TypedDict` of `typing` describes arguments and results, on every Python."""

    @tool
    def pack(box: Box, spare: list[Size] | None = None) -> Size:
        """Pack.

        Args:
            box: The box.
            spare: Others.
        """
        return {"width": box["size"]["width"] + len(spare or ())}

    async def main() -> tuple[object, str]:
        async with Context() as ctx:
            await ctx.plugin(ToolRegistry)
            ctx.tools.register(pack)
            good = {"box": {"size": {"width": 2}, "kind": "flat"}, "spare": [{"width": 1}]}
            value = (await ctx.tools.execute("pack", good)).value
            return value, (await ctx.tools.execute("pack", {"box": {"size": {}}})).text

    value, refused_text = run(main())
    assert value == {"width": 3}
    assert "arguments.box.size.width: is required and missing" in refused_text
    described = pack.parameters["$defs"]
    assert described["Size"]["required"] == ["width"]
    assert described["Size"]["description"] == "How large something is."
    assert "required" not in described["Box"]
