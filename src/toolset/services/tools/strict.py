"""OpenAI's strict arguments: every property required, no object open, few keywords."""

# Maintainers: answers for the conversion there (`strict_parameters`) and back
# (`without_strict_nulls`). What strict mode cannot say is widened, since the pipeline checks every
# call anyway; what would change the meaning makes a tool not strict at all.

from __future__ import annotations

from toolset.services.tools.jsontypes import JsonObject, JsonValue, thaw

__all__ = ["strict_parameters", "without_strict_nulls"]

_KEPT = {"type", "description", "title", "enum", "const", "$ref"}
_MEANINGFUL = {
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "prefixItems",
    "patternProperties",
    "propertyNames",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedProperties",
    "unevaluatedItems",
    "contains",
}
_NULL: JsonObject = {"type": "null"}


class _NotStrict(Exception):  # noqa: N818 -- a verdict, caught below
    """The schema cannot be written strictly."""


def strict_parameters(parameters: JsonObject) -> JsonObject | None:
    """Write a parameter schema as strict mode takes it.

    Args:
        parameters: A schema of `ctx.tools.schemas()`.

    Returns:
        The strict schema; None when strict mode cannot describe the arguments.
    """
    try:
        return _strict(parameters)
    except _NotStrict:
        return None


def _strict(schema: JsonObject) -> JsonObject:
    if (
        _MEANINGFUL & schema.keys()
        or not {"type", "anyOf", "oneOf", "$ref", "enum"} & schema.keys()
    ):
        raise _NotStrict
    made: JsonObject = {name: thaw(value) for name, value in schema.items() if name in _KEPT}
    for name in ("anyOf", "oneOf"):
        members = schema.get(name)
        if isinstance(members, list):
            made["anyOf"] = [_strict_child(member) for member in members]
    for name in ("$defs", "definitions"):
        named = schema.get(name)
        if isinstance(named, dict):
            made[name] = {key: _strict_child(child) for key, child in named.items()}
    if "items" in schema:
        made["items"] = _strict_child(schema["items"])
    if _names_type(schema, "object"):
        _close(schema, made)
    return made


def _strict_child(child: JsonValue) -> JsonObject:
    if not isinstance(child, dict):
        raise _NotStrict
    return _strict(child)


def _close(schema: JsonObject, made: JsonObject) -> None:
    """Require every property; the ones that were optional may be null instead."""
    properties = schema.get("properties", {})
    if not isinstance(properties, dict) or schema.get("additionalProperties", False) is not False:
        raise _NotStrict
    required = _required(schema)
    made["properties"] = {
        name: _strict_child(child) if name in required else _nullable(_strict_child(child))
        for name, child in properties.items()
    }
    made["required"] = list(properties)
    made["additionalProperties"] = False


def _required(schema: JsonObject) -> list[JsonValue]:
    required = schema.get("required")
    return required if isinstance(required, list) else []


def _nullable(schema: JsonObject) -> JsonObject:
    if _takes_null(schema):
        return schema
    kind = schema.get("type")
    if isinstance(kind, str) and not {"enum", "const"} & schema.keys():
        return {**schema, "type": [kind, "null"]}
    described = {"description": schema["description"]} if "description" in schema else {}
    return {"anyOf": [schema, dict(_NULL)], **described}


def _names_type(schema: JsonObject, wanted: str) -> bool:
    kind = schema.get("type")
    return kind == wanted or (isinstance(kind, list) and wanted in kind)


def _takes_null(schema: JsonObject) -> bool:
    members = schema.get("anyOf", schema.get("oneOf"))
    if isinstance(members, list):
        return any(isinstance(one, dict) and _takes_null(one) for one in members)
    values = schema.get("enum")
    if isinstance(values, list) and None not in values:
        return False
    return _names_type(schema, "null") or not {"type", "$ref", "const"} & schema.keys()


def without_strict_nulls(parameters: JsonObject, arguments: JsonObject) -> JsonObject:
    """Take out the nulls that a strict model sends for arguments it leaves out.

    Args:
        parameters: The schema of `ctx.tools.schemas()` that was written strictly.
        arguments: What the model sent.

    Returns:
        A copy without null where an optional property takes none.
    """
    required = _required(parameters)
    properties = parameters.get("properties")
    known = properties if isinstance(properties, dict) else {}
    made: JsonObject = {}
    for name, value in arguments.items():
        schema = known.get(name)
        if not isinstance(schema, dict):
            made[name] = value
        elif value is not None or name in required or _takes_null(schema):
            made[name] = _inside(schema, value)
    return made


def _inside(schema: JsonObject, value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return without_strict_nulls(schema, value)
    items = schema.get("items")
    if isinstance(value, list) and isinstance(items, dict):
        return [_inside(items, member) for member in value]
    return value
