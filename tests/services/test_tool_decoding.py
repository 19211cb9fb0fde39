"""Arguments that a model wrote as JSON text: decoded where the schema wants no text, and only there."""

from __future__ import annotations

import json

import pytest
from pydantic import BaseModel

from toolset import Context, tool
from toolset.services.tools import ToolRegistry, define_tool
from toolset.services.tools.decoding import decode_texts
from toolset.services.tools.lossless import freeze_json


class Point(BaseModel):
    """A place."""

    x: int
    label: str = ""


@tool
def typed(  # noqa: PLR0917 - the parameters are the test
    values: list[int] | None = None,
    number: int = 0,
    flag: bool = False,  # noqa: FBT001, FBT002 - a tool's parameter
    table: dict[str, float] | None = None,
    point: Point | None = None,
    text: str = "",
    either: int | str = "",
) -> str:
    """Show the arguments.

    Args:
        values: Some.
        number: One.
        flag: Whether.
        table: By name.
        point: Where.
        text: Any.
        either: Both.
    """
    return repr((values, number, flag, table, point, text, either)).replace("Point(", "P(")


DECODED = {
    "list": ({"values": "[1, 2]"}, "([1, 2], 0, False, None, None, '', '')"),
    "integer": ({"number": "7"}, "(None, 7, False, None, None, '', '')"),
    "boolean": ({"flag": "true"}, "(None, 0, True, None, None, '', '')"),
    "table": ({"table": '{"a": 1.5}'}, "(None, 0, False, {'a': 1.5}, None, '', '')"),
    "null": ({"values": "null"}, "(None, 0, False, None, None, '', '')"),
    "model": (
        {"point": '{"x": 1, "label": "[1]"}'},
        "(None, 0, False, None, P(x=1, label='[1]'), '', '')",
    ),
    "inside": (
        {"point": {"x": "1", "label": "2"}},
        "(None, 0, False, None, P(x=1, label='2'), '', '')",
    ),
    "members": ({"values": ["1", 2]}, "([1, 2], 0, False, None, None, '', '')"),
    "text stays": (
        {"number": "7", "text": "[1]", "either": "7"},
        "(None, 7, False, None, None, '[1]', '7')",
    ),
}
REFUSED = {
    "no JSON": ({"number": "seven"}, "arguments.number: expected integer, got string 'seven'"),
    "other type": ({"values": '{"a": 1}'}, "arguments.values"),
    "Python's words": ({"flag": "True"}, "arguments.flag: expected boolean, got string 'True'"),
    "not a number": ({"number": "NaN"}, "arguments.number: expected integer"),
    "twice encoded": ({"values": '"[1]"'}, "arguments.values"),
    "wrong inside": ({"values": '[1, "x"]'}, "arguments.values"),
    "very deep": ({"values": "[" * 100_000}, "arguments.values"),
}


@pytest.mark.parametrize("name", DECODED)
def test_json_text_becomes_value(run, name: str) -> None:
    """JSON text where the schema wants no text is decoded, once; text fields keep their text."""
    arguments, shown = DECODED[name]

    async def main() -> None:
        async with Context() as root:
            await root.plugin(ToolRegistry)
            root.tools.register(typed)
            assert (await root.tools.execute("typed", arguments)).text == shown

    run(main())


@pytest.mark.parametrize("name", REFUSED)
def test_other_text_is_refused(run, name: str) -> None:
    """Text that is no JSON of the wanted type is refused as before."""
    arguments, said = REFUSED[name]

    async def main() -> None:
        async with Context() as root:
            await root.plugin(ToolRegistry)
            root.tools.register(typed)
            result = await root.tools.execute("typed", arguments)
            assert result.is_error
            assert said in result.text

    run(main())


def test_card_reads_json_text() -> None:
    """The card of a call shows what the tool ran with."""
    definition = define_tool(
        name="t",
        description="A tool.",
        parameters={"n": {"type": "integer"}},
        output={"schema": {"type": "json"}},
        execute=lambda args: args,
        present_call=lambda args: {"card": "generic", "kind": "read", "title": repr(args["n"])},
    )
    assert definition.present({"n": "7"})["title"] == "7"


def test_right_arguments_are_not_touched() -> None:
    """Arguments without such text are given back as they are."""
    schema = {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string"}}}}
    arguments = freeze_json({"a": ["1"], "b": "2"})
    assert decode_texts(arguments, schema) is arguments


def test_circular_references_end() -> None:
    """A schema that only refers to itself takes anything, and so leaves text as it is."""
    schema = {"$defs": {"a": {"$ref": "#/$defs/a"}}, "properties": {"x": {"$ref": "#/$defs/a"}}}
    arguments = freeze_json(json.loads('{"x": "1"}'))
    assert decode_texts(arguments, schema) is arguments
