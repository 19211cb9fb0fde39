"""The catalog as JSON, and the JSON Schema of that."""

# Maintainers: both are derived from the record types of toolset.catalog, so that a field added
# there appears in both and they cannot disagree. Every field is present, `None` as null;
# `class_name` is `class`, JSON text (schemas of tools) becomes JSON, and `signatures` stands only
# when overloaded.

from __future__ import annotations

import json
import types
import typing
from collections.abc import Sequence
from json.encoder import encode_basestring
from typing import Literal, TypeAlias, cast, get_args, get_origin

from toolset.catalog import SCHEMA_VERSION, Catalog, Member, Signature, ToolEntry
from toolset_gen.artifacts import MARK
from toolset_gen.emit import is_record

__all__ = ["JSON_TEXT", "RENAMED", "as_json", "json_schema", "json_text"]

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"

RENAMED = {"class_name": "class"}
JSON_TEXT = {(ToolEntry, "parameters"), (ToolEntry, "output")}
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
        if (type(items), name) in JSON_TEXT:
            result[name] = cast("Json", json.loads(cast("str", item))) if item else None
        elif name != _OPTIONAL or item:
            result[RENAMED.get(name, name)] = _value(item)
    return result


def json_text(catalog: Catalog) -> str:
    """Write a catalog as JSON text: `as_json` indented, but a member that recurs is spelled once.

    Args:
        catalog: Any catalog.

    Returns:
        What `json.dumps` gives for it with an indentation of 2, without a final newline.
    """
    writer = _Writer()
    head: dict[str, Json] = {"$comment": _COMMENT, "schema_version": SCHEMA_VERSION}
    writer.record(catalog, "\n", [f'"{key}": {_nested(it, "")}' for key, it in head.items()])
    return "".join(writer.pieces)


class _Writer:
    """Writes values piece by piece; a member, which many classes may share, is one piece, made once.

    The `line` of a value is what its own line begins with: a line end and its indentation.
    """

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self._members: dict[tuple[int, str], str] = {}  # the catalog keeps them alive
        self._fields: dict[type, list[tuple[str, str]]] = {}

    def value(self, value: object, line: str) -> None:
        """Write any value of a catalog."""
        if isinstance(value, str):
            self.pieces.append(encode_basestring(value))
        elif value is None or isinstance(value, bool):
            self.pieces.append(_WORDS[value])
        elif isinstance(value, Member):
            self._member(value, line)
        elif not isinstance(value, tuple):
            self.pieces.append(_nested(cast("Json", value), line))
        elif is_record(cast("tuple[str, ...]", value)):
            self.record(cast("tuple[object, ...]", value), line)
        else:
            self._list(cast("tuple[object, ...]", value), line)

    def record(self, record: tuple[object, ...], line: str, head: Sequence[str] = ()) -> None:
        """Write a record, with what stands before its own fields."""
        inner = f"{line}  "
        items = "".join(f"{inner}{one}," for one in head)
        before = f"{{{items}{inner}"
        for (name, key), item in zip(self._keys(type(record)), record, strict=True):
            if name == _OPTIONAL and not item:
                continue
            self.pieces.append(before + key)
            if (type(record), name) in JSON_TEXT:
                parsed = cast("Json", json.loads(cast("str", item))) if item else None
                self.pieces.append(_nested(parsed, inner))
            else:
                self.value(item, inner)
            before = f",{inner}"
        self.pieces.append(f"{line}}}")

    def _member(self, member: Member, line: str) -> None:
        known = (id(member), line)
        if known not in self._members:
            start = len(self.pieces)
            self.record(member, line)
            self._members[known] = "".join(self.pieces[start:])
            del self.pieces[start:]
        self.pieces.append(self._members[known])

    def _list(self, items: tuple[object, ...], line: str) -> None:
        inner = f"{line}  "
        before = f"[{inner}"
        for item in items:
            self.pieces.append(before)
            self.value(item, inner)
            before = f",{inner}"
        self.pieces.append(f"{line}]" if items else "[]")

    def _keys(self, record: type) -> list[tuple[str, str]]:
        """Give the fields of a record, each with what stands before its value."""
        if record not in self._fields:
            names = _fields(record)
            self._fields[record] = [(name, f'"{RENAMED.get(name, name)}": ') for name in names]
        return self._fields[record]


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
        json_text = (record, name) in JSON_TEXT
        properties[RENAMED.get(name, name)] = (
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
