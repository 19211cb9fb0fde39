"""Tell at once the values that surely fit a schema, so that most need no validator."""

# Maintainers: a short cut past jsonschema, which takes a hundred times as long for the calls that
# are right. Invariant: what it says fits does fit (test_tool_plain.py compares them); all it does
# not understand, and all that does not fit, is jsonschema's to judge and to word. The recursion is
# bounded by the value's depth, `MAX_DEPTH`, and the schema's, which an unknown keyword ends.

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias, cast

from toolset.services.tools.jsontypes import FrozenArray, FrozenObject, JsonObject, JsonValue

__all__ = ["surely_fits"]

_Rule: TypeAlias = "Callable[[JsonObject, JsonValue, JsonValue], bool]"
_MAX_SCHEMAS: Final = 50  # inside each other, judging one value


def surely_fits(schema: JsonValue, value: JsonValue, left: int = _MAX_SCHEMAS) -> bool:
    """Tell whether a value surely fits a schema.

    Args:
        schema: A normalised schema.
        value: JSON data of at most `MAX_DEPTH` levels.
        left: How many schemas may still be inside this one.

    Returns:
        True when it fits; False when it does not, or that takes a validator to tell.
    """
    if not isinstance(schema, dict):
        return schema is True
    if not left:
        return False
    for name, wanted in schema.items():
        rule = _RULES.get(name)
        if rule is not None:
            if not rule(schema, wanted, value):
                return False
        elif name in _NESTED:
            if not _nested(name, schema, value, left - 1):
                return False
        elif name not in _SILENT:
            return False
    return True


def _nested(name: str, schema: JsonObject, value: JsonValue, left: int) -> bool:
    inner = schema[name]
    if name == "anyOf":
        return any(surely_fits(one, value, left) for one in cast("list[JsonValue]", inner))
    if name == "items":
        if not isinstance(value, list):
            return True
        return all(surely_fits(inner, one, left) for one in value)
    if not isinstance(value, dict):
        return True
    properties = cast("JsonObject", schema.get("properties", {}))
    named = name == "properties"
    for key, one in value.items():
        if (key in properties) is named:
            judged = properties[key] if named else inner
            if not surely_fits(judged, one, left):
                return False
    return True


def _type(_: JsonObject, wanted: JsonValue, value: JsonValue) -> bool:
    if isinstance(wanted, list):
        return any(_type(_, one, value) for one in wanted)
    return type(value) in _CLASSES.get(cast("str", wanted), ())


def _is_one(value: JsonValue, choices: list[JsonValue]) -> bool:
    """Compare scalars; whether 1 is 1.0 is not asked here."""
    if isinstance(value, list | dict):
        return False
    return any(type(one) is type(value) and one == value for one in choices)


def _required(_: JsonObject, wanted: JsonValue, value: JsonValue) -> bool:
    return not isinstance(value, dict) or all(name in value for name in cast("list[str]", wanted))


def _size(kind: type, *, least: bool) -> _Rule:
    def rule(_: JsonObject, wanted: JsonValue, value: JsonValue) -> bool:
        if not isinstance(value, kind):
            return True
        size, bound = len(cast("list[JsonValue]", value)), cast("int", wanted)
        return size >= bound if least else size <= bound

    return rule


def _limit(*, least: bool) -> _Rule:
    def rule(_: JsonObject, wanted: JsonValue, value: JsonValue) -> bool:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return True
        bound = cast("float", wanted)
        return value >= bound if least else value <= bound

    return rule


_CLASSES: Final[dict[str, tuple[type, ...]]] = {
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
    "object": (dict, FrozenObject),
    "array": (list, FrozenArray),
}
_SILENT: Final = frozenset(
    {
        *("title", "description", "default", "examples", "format", "$comment"),
        *("deprecated", "readOnly", "writeOnly"),
    }
)
_NESTED: Final = frozenset(("anyOf", "items", "properties", "additionalProperties"))
_RULES: Final[dict[str, _Rule]] = {
    "type": _type,
    "enum": lambda _, wanted, value: _is_one(value, cast("list[JsonValue]", wanted)),
    "const": lambda _, wanted, value: _is_one(value, [wanted]),
    "required": _required,
    "minLength": _size(str, least=True),
    "maxLength": _size(str, least=False),
    "minItems": _size(list, least=True),
    "maxItems": _size(list, least=False),
    "minimum": _limit(least=True),
    "maximum": _limit(least=False),
}
