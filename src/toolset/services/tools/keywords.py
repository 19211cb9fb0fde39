"""The keywords of a parameter schema: what each holds and where it may stand."""

# Maintainers: a table, read by schema.py. It answers for JSON Schema draft 2020-12 as model APIs
# take it; a keyword that is not here is an annotation in a raw schema and a mistake in the short
# form. It must not know how schemas are walked.

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias, cast

__all__ = ["IN_PLACE", "KEYWORDS", "SHORT", "TYPES", "Keyword", "fits", "value_problem"]

Holds: TypeAlias = Literal[
    "text",
    "pattern",
    "number",
    "positive number",
    "count",
    "flag",
    "json",
    "json list",
    "schema",
    "schema list",
    "schema map",
    "name list map",
    "special",
]

TYPES = ("string", "number", "integer", "boolean", "null", "object", "array", "json")
"""The types a schema may name; `json` stands for any JSON value."""


class Keyword(NamedTuple):
    """One keyword of a schema.

    Attributes:
        holds: What its value is.
        types: The types it constrains; empty when it may stand anywhere.
        least: The fewest members of a list.
        short: Whether the short form knows it.
    """

    holds: Holds
    types: tuple[str, ...] = ()
    least: int = 0
    short: bool = True


_NUMBERS = ("number", "integer")

KEYWORDS: Mapping[str, Keyword] = {
    "type": Keyword("special"),
    "required": Keyword("special"),
    "title": Keyword("text"),
    "description": Keyword("text"),
    "default": Keyword("json"),
    "examples": Keyword("json list"),
    "enum": Keyword("json list", least=1),
    "const": Keyword("json"),
    "oneOf": Keyword("schema list", least=2),
    "anyOf": Keyword("schema list", least=1),
    "properties": Keyword("schema map", ("object",)),
    "additionalProperties": Keyword("schema", ("object",)),
    "minProperties": Keyword("count", ("object",)),
    "maxProperties": Keyword("count", ("object",)),
    "items": Keyword("schema", ("array",)),
    "minItems": Keyword("count", ("array",)),
    "maxItems": Keyword("count", ("array",)),
    "uniqueItems": Keyword("flag", ("array",)),
    "minLength": Keyword("count", ("string",)),
    "maxLength": Keyword("count", ("string",)),
    "pattern": Keyword("pattern", ("string",)),
    "format": Keyword("text"),
    "minimum": Keyword("number", _NUMBERS),
    "maximum": Keyword("number", _NUMBERS),
    "exclusiveMinimum": Keyword("number", _NUMBERS),
    "exclusiveMaximum": Keyword("number", _NUMBERS),
    "multipleOf": Keyword("positive number", _NUMBERS),
    "allOf": Keyword("schema list", least=1, short=False),
    "not": Keyword("schema", short=False),
    "if": Keyword("schema", short=False),
    "then": Keyword("schema", short=False),
    "else": Keyword("schema", short=False),
    "prefixItems": Keyword("schema list", ("array",), least=1, short=False),
    "contains": Keyword("schema", ("array",), short=False),
    "minContains": Keyword("count", ("array",), short=False),
    "maxContains": Keyword("count", ("array",), short=False),
    "unevaluatedItems": Keyword("schema", ("array",), short=False),
    "patternProperties": Keyword("schema map", ("object",), short=False),
    "propertyNames": Keyword("schema", ("object",), short=False),
    "dependentRequired": Keyword("name list map", ("object",), short=False),
    "dependentSchemas": Keyword("schema map", ("object",), short=False),
    "unevaluatedProperties": Keyword("schema", ("object",), short=False),
    "$ref": Keyword("text", short=False),
    "$anchor": Keyword("text", short=False),
    "$comment": Keyword("text", short=False),
    "$defs": Keyword("schema map", short=False),
    "definitions": Keyword("schema map", short=False),
    "deprecated": Keyword("flag", short=False),
    "readOnly": Keyword("flag", short=False),
    "writeOnly": Keyword("flag", short=False),
}

SHORT = tuple(name for name, keyword in KEYWORDS.items() if keyword.short)
"""The keywords of the short form."""

IN_PLACE = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas")
"""Keywords whose schemas judge the same value as the schema they stand in."""


def fits(value: object, type_name: str) -> bool:
    """Tell whether a JSON value has a type.

    Args:
        value: JSON data.
        type_name: One of `TYPES`; anything else fits.

    Returns:
        Whether it does; 1.0 is an integer, True is no number.
    """
    number = _is_number(value)
    verdicts: dict[str, bool] = {
        "string": isinstance(value, str),
        "number": number,
        "integer": number and _is_whole(cast("float", value)),
        "boolean": isinstance(value, bool),
        "null": value is None,
        "object": isinstance(value, Mapping),
        "array": isinstance(value, list),
    }
    return verdicts.get(type_name, True)


def _is_whole(value: float) -> bool:
    return isinstance(value, int) or value.is_integer()


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_positive(value: object) -> bool:
    return _is_number(value) and cast("float", value) > 0


def _is_names(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(name, str) for name in cast("Sequence[object]", value)
    )


def _is_name_map(value: object) -> bool:
    return isinstance(value, Mapping) and all(
        _is_names(names) for names in cast("Mapping[object, object]", value).values()
    )


_WANTED: Mapping[Holds, tuple[Callable[[object], bool], str]] = {
    "text": (lambda value: isinstance(value, str), "a string"),
    "pattern": (lambda value: isinstance(value, str), "a string with a regular expression"),
    "number": (_is_number, "a number"),
    "positive number": (_is_positive, "a number above 0"),
    "count": (_is_count, "a whole number, 0 or more"),
    "flag": (lambda value: isinstance(value, bool), "true or false"),
    "name list map": (_is_name_map, "a mapping from property names to lists of property names"),
}


def value_problem(keyword: Keyword, value: object) -> str:
    """Say what is wrong with the value of a keyword that holds no schema.

    Args:
        keyword: The keyword.
        value: What stands there.

    Returns:
        What it must be, or `""` when nothing is wrong.
    """
    known = _WANTED.get(keyword.holds)
    if known is None:
        return ""
    check, wanted = known
    if not check(value):
        return f"must be {wanted}"
    if keyword.holds == "pattern":
        try:
            re.compile(cast("str", value))
        except re.error as error:
            return f"is no regular expression: {error}"
    return ""
