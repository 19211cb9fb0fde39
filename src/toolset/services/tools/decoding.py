"""Arguments that a model wrote as JSON text where the schema wants something else than text."""

# Maintainers: answers for undoing one habit of some models: `{"values": "[1, 2]"}` for a list,
# `"7"` for a number. Invariant: where a schema takes text, text stays as it is; what is decoded is
# not decoded again. It judges nothing: what comes out is checked like any other arguments.

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final, NoReturn, cast

from toolset.services.tools.errors import NotJsonError
from toolset.services.tools.jsontypes import FrozenArray, FrozenObject, JsonObject, JsonValue
from toolset.services.tools.keywords import TYPES, fits
from toolset.services.tools.lossless import freeze_json

__all__ = ["decode_texts"]

_REFERENCES: Final = 20  # that are followed one after the other
_ANY: Final = frozenset(TYPES)


def decode_texts(arguments: FrozenObject, schema: JsonObject) -> FrozenObject:
    """Decode the texts in arguments that hold JSON where no text is wanted.

    Args:
        arguments: The arguments as they came.
        schema: The tool's parameters.

    Returns:
        Arguments with those texts decoded once; the very same ones when there is none.
    """
    decoded = _Decoder(schema).run(arguments, schema)
    return decoded if isinstance(decoded, FrozenObject) else arguments


class _Decoder:
    def __init__(self, root: JsonObject) -> None:
        self.root = root

    def run(self, value: JsonValue, schema: JsonValue) -> JsonValue:
        """Decode what a schema says of a value; recursion ends with the value's depth."""
        if not isinstance(schema, dict):
            return value
        if isinstance(value, str):
            return self._text(value, schema)
        schema = self._chosen(schema, "object" if isinstance(value, dict) else "array")
        if isinstance(value, FrozenObject):
            given = schema.get("properties")
            properties = given if isinstance(given, dict) else {}
            made = {name: self.run(one, properties.get(name)) for name, one in value.items()}
            changed = any(made[name] is not one for name, one in value.items())
            return FrozenObject(made) if changed else value
        if isinstance(value, FrozenArray):
            listed = [self.run(one, schema.get("items")) for one in value]
            changed = any(new is not old for new, old in zip(listed, value, strict=True))
            return FrozenArray(listed) if changed else value
        return value

    def _text(self, text: str, schema: JsonObject) -> JsonValue:
        wanted = self._types(schema, _REFERENCES)
        if "string" in wanted:
            return text
        try:
            decoded = freeze_json(json.loads(text, parse_constant=_refuse))
        except (ValueError, RecursionError, NotJsonError):
            return text
        return decoded if any(fits(decoded, name) for name in wanted) else text

    def _types(self, schema: JsonObject, left: int) -> frozenset[str]:
        """Name the types that a schema takes; all of them when it does not say."""
        if not left:
            return _ANY
        schema = self._resolved(schema)
        kind = schema.get("type")
        if isinstance(kind, str):
            return frozenset({kind})
        if isinstance(kind, list):
            return frozenset(cast("list[str]", kind))
        for name in ("anyOf", "oneOf"):
            listed = schema.get(name)
            if isinstance(listed, list):
                return frozenset[str]().union(*(self._member(one, left - 1) for one in listed))
        return _ANY

    def _chosen(self, schema: JsonObject, kind: str) -> JsonObject:
        """Give the one alternative that is for values of a kind."""
        schema = self._resolved(schema)
        listed = schema.get("anyOf", schema.get("oneOf"))
        members = listed if isinstance(listed, list) else []
        fitting = [one for one in members if kind in self._member(one, _REFERENCES)]
        if len(fitting) == 1 and isinstance(fitting[0], dict):
            return self._resolved(fitting[0])
        return schema

    def _member(self, schema: JsonValue, left: int) -> frozenset[str]:
        return self._types(schema, left) if isinstance(schema, dict) else _ANY

    def _resolved(self, schema: JsonObject) -> JsonObject:
        """Follow references such as `#/$defs/Point`."""
        for _ in range(_REFERENCES):
            ref = schema.get("$ref")
            if not isinstance(ref, str) or not ref.startswith("#/"):
                break
            node: object = self.root
            for step in ref[2:].split("/"):
                node = (
                    cast("Mapping[str, object]", node).get(step) if isinstance(node, dict) else None
                )
            if not isinstance(node, dict):
                break
            schema = cast("JsonObject", node)
        return schema


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)
