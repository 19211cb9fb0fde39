"""Schemas cut to a depth that every JSON reader takes."""

# Maintainers: answers for the wire: model APIs and JSON parsers give up on deep nesting, and one
# such tool would make the whole list unreadable. Calls are judged by the whole schema, never by
# this copy. Recursion is bounded by the depth it cuts to.

from __future__ import annotations

from toolset.services.tools.jsontypes import JsonObject, JsonValue, thaw
from toolset.services.tools.keywords import KEYWORDS
from toolset.services.tools.lossless import depth_of

__all__ = ["MAX_WIRE_SCHEMAS", "shallow"]

MAX_WIRE_SCHEMAS = 24
"""Schemas inside each other that are sent; what lies deeper is sent as `{}`, any value."""

_MAX_DATA = 16


def shallow(schema: JsonObject) -> JsonObject:
    """Copy a schema for sending.

    Args:
        schema: A normalised schema of any depth.

    Returns:
        A copy at most `MAX_WIRE_SCHEMAS` deep, which accepts whatever the schema accepts.
    """
    return _cut(schema, MAX_WIRE_SCHEMAS)


def _cut(schema: JsonObject, left: int) -> JsonObject:
    if left == 0:
        return {}
    made: JsonObject = {}
    for name, value in schema.items():
        keyword = KEYWORDS.get(name)
        holds = "json" if keyword is None else keyword.holds
        if holds == "schema list" and isinstance(value, list):
            made[name] = [_cut_child(child, left - 1) for child in value]
        elif holds == "schema map" and isinstance(value, dict):
            made[name] = {key: _cut_child(child, left - 1) for key, child in value.items()}
        elif holds == "schema":
            made[name] = _cut_child(value, left - 1)
        elif depth_of(value) <= _MAX_DATA:
            made[name] = thaw(value)
    return made


def _cut_child(child: JsonValue, left: int) -> JsonValue:
    return _cut(child, left) if isinstance(child, dict) else child
