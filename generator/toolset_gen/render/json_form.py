"""The catalog as JSON, and the JSON Schema of that."""

# Maintainers: both are derived from the record types of toolset.catalog, so that a field added there
# appears in both and they cannot disagree. Every field is present, `None` as null; `class_name` is
# `class`, JSON text (schemas of tools) becomes JSON, and `signatures` stands only when overloaded.

from __future__ import annotations

import json
import types
import typing
from collections.abc import Mapping
from json.encoder import encode_basestring
from typing import Literal, TypeAlias, cast, get_args, get_origin

from toolset.catalog import SCHEMA_VERSION, Catalog, Signature, ToolEntry
from toolset_gen.artifacts import MARK
from toolset_gen.emit import is_record

__all__ = ["as_json", "json_schema", "json_text"]

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"

_RENAMED = {"class_name": "class"}
_JSON_TEXT = {(ToolEntry, "parameters"), (ToolEntry, "output")}
_OPTIONAL = "signatures"
_WORDS: dict[bool | None, str] = {None: "null", False: "false", True: "true"}
_COMMENT = f"{MARK} from the sources: edit those and run it again. Do not merge by hand."


def as_json(catalog: Catalog) -> Json:
    """Turn a catalog into JSON values.

    Args:
        catalog: Any catalog.

    Returns:
        An object with a list for each kind of entry.
    """
    head: dict[str, Json] = {"$comment": _COMMENT, "schema_version": SCHEMA_VERSION}
    return head | cast("dict[str, Json]", _value(catalog))


def _value(value: object) -> Json:
    if not isinstance(value, tuple):
        return cast("Json", value)
    items = cast("tuple[object, ...]", value)
    if not is_record(cast("tuple[str, ...]", value)):
        return [_value(item) for item in items]
    result: dict[str, Json] = {}
    for name, item in zip(_fields(type(items)), items, strict=True):
        if (type(items), name) in _JSON_TEXT:
            result[name] = cast("Json", json.loads(cast("str", item))) if item else None
        elif name != _OPTIONAL or item:
            result[_RENAMED.get(name, name)] = _value(item)
    return result


def json_text(catalog: Catalog) -> str:
    """Write a catalog as JSON text: `as_json` indented, but each record that recurs only once.

    Args:
        catalog: Any catalog.

    Returns:
        What `json.dumps` gives for it with an indentation of 2, without a final newline.
    """
    return _Writer().value(catalog, "\n", {"$comment": _COMMENT, "schema_version": SCHEMA_VERSION})


class _Writer:
    """Writes values; text of records is kept by identity and depth as long as the catalog lives."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, str], str] = {}

    def value(self, value: object, line: str, head: Mapping[str, Json] | None = None) -> str:
        """Write a value whose own line begins with `line`: a line end and its indentation."""
        if isinstance(value, str):
            return encode_basestring(value)
        if value is None or isinstance(value, bool):
            return _WORDS[value]
        if not isinstance(value, tuple):
            return _nested(cast("Json", value), line)
        items = cast("tuple[object, ...]", value)
        if not items:
            return "[]"
        if not is_record(cast("tuple[str, ...]", items)):
            return _bracketed("[", [self.value(item, f"{line}  ") for item in items], "]", line)
        key = (id(items), line)
        if key not in self._known:
            self._known[key] = _bracketed("{", self._members(items, f"{line}  ", head), "}", line)
        return self._known[key]

    def _members(
        self, record: tuple[object, ...], line: str, head: Mapping[str, Json] | None
    ) -> list[str]:
        found = [
            f"{encode_basestring(key)}: {_nested(it, line)}" for key, it in (head or {}).items()
        ]
        for name, item in zip(_fields(type(record)), record, strict=True):
            if (type(record), name) in _JSON_TEXT:
                parsed = cast("Json", json.loads(cast("str", item))) if item else None
                found.append(f'"{_RENAMED.get(name, name)}": {_nested(parsed, line)}')
            elif name != _OPTIONAL or item:
                found.append(f'"{_RENAMED.get(name, name)}": {self.value(item, line)}')
        return found


def _bracketed(start: str, items: list[str], end: str, line: str) -> str:
    inner = f"{line}  "
    return f"{start}{inner}{f',{inner}'.join(items)}{line}{end}" if items else start + end


def _nested(value: Json, line: str) -> str:
    """Write plain JSON below an indentation; texts in it hold no line ends of their own."""
    return json.dumps(value, indent=2, ensure_ascii=False).replace("\n", line)


def _fields(record: type) -> tuple[str, ...]:
    return cast("tuple[str, ...]", getattr(record, "_fields", ()))


def json_schema() -> Json:
    """Describe what `as_json` gives.

    Returns:
        A JSON Schema, draft 2020-12.
    """
    definitions: dict[str, Json] = {}
    top = cast("dict[str, Json]", _record(Catalog, definitions))
    properties = cast("dict[str, Json]", top["properties"])
    required = cast("list[Json]", top["required"])
    top["properties"] = {
        "$comment": {"type": "string"},
        "schema_version": {"const": SCHEMA_VERSION},
        **properties,
    }
    top["required"] = ["schema_version", *required]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": _COMMENT,
        "title": "API catalog",
        **top,
        "$defs": dict(sorted(definitions.items())),
    }


def _record(record: type, definitions: dict[str, Json]) -> Json:
    hints = typing.get_type_hints(record)
    properties: dict[str, Json] = {}
    for name in _fields(record):
        json_text = (record, name) in _JSON_TEXT
        properties[_RENAMED.get(name, name)] = (
            {"type": ["object", "boolean", "null"]}
            if json_text
            else _schema(hints[name], definitions)
        )
    doc = (record.__doc__ or "").partition("\n")[0]
    return {
        "description": doc,
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if record is Signature or name != _OPTIONAL],
        "additionalProperties": False,
    }


_PLAIN: dict[object, Json] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    type(None): {"type": "null"},
}


def _schema(hint: object, definitions: dict[str, Json]) -> Json:
    """Describe the values of one annotation of a record."""
    if hint in _PLAIN:
        return _PLAIN[hint]
    origin, arguments = get_origin(hint), cast("tuple[object, ...]", get_args(hint))
    if origin is Literal:
        return {"enum": [cast("str", argument) for argument in arguments]}
    if origin is tuple:
        return {"type": "array", "items": _schema(arguments[0], definitions)}
    if origin in {types.UnionType, typing.Union}:
        return {"anyOf": [_schema(argument, definitions) for argument in arguments]}
    record = cast("type", hint)
    if record.__name__ not in definitions:
        definitions[record.__name__] = None  # a place held, should a record ever refer to itself
        definitions[record.__name__] = _record(record, definitions)
    return {"$ref": f"#/$defs/{record.__name__}"}
