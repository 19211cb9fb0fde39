"""Parameter schemas in their three forms, made into one JSON Schema or refused."""

# Maintainers: answers for telling the forms apart and for what the root must be. The walk itself is
# walk.py's, references are references.py's. Invariant: what comes back without violations is a
# schema that every model API takes: `type: object` and `properties` at the root of parameters.

from __future__ import annotations

from collections.abc import Mapping

from toolset.services.tools.jsontypes import JsonObject
from toolset.services.tools.models import described, is_described
from toolset.services.tools.paths import Path, Violation
from toolset.services.tools.references import check_references
from toolset.services.tools.walk import Walk, is_mapping
from toolset.services.tools.wire import brief

__all__ = ["output_schema", "parameter_schema"]

_RAW_MARKS = ("$schema", "$defs", "$ref", "allOf", "anyOf", "oneOf")
_NOT_AT_ROOT = ("oneOf", "anyOf", "allOf", "not", "if", "enum", "const", "$ref")
_AN_OBJECT = "a tool takes an object: {'type': 'object', 'properties': {...}}"
_THREE_FORMS = "write a property map, a JSON Schema object or a pydantic model"


def parameter_schema(
    parameters: object, path: str = "parameters"
) -> tuple[JsonObject, list[Violation]]:
    """Make the JSON Schema of a tool's arguments from any of the three forms.

    Args:
        parameters: A pydantic model class, a raw JSON Schema object, or a short property map.
        path: Its name in messages.

    Returns:
        The schema, with `type: object` and `properties` at its root, and all that is wrong with it.
    """
    place = Path(path)
    source, violations = _source(parameters, place, "validation", _THREE_FORMS)
    if source is None:
        return {}, violations
    if source is parameters and not _is_raw(source):
        walk = Walk("short")
        return _finished(walk.run_map(source, place), walk, place)
    walk = Walk("raw")
    _check_root(walk, source, place)
    root: JsonObject = {"type": "object", "properties": {}}
    return _finished(root | walk.run(source, place), walk, place)


def output_schema(
    schema: object, path: str = "output.schema"
) -> tuple[JsonObject, list[Violation]]:
    """Make the JSON Schema of a tool's output.

    Args:
        schema: A type pydantic understands, a JSON Schema (`{"type": "json"}` takes any value), or
            a short property map.
        path: Its name in messages.

    Returns:
        The schema and all that is wrong with it.
    """
    place = Path(path)
    source, violations = _source(
        schema, place, "serialization", "write a JSON Schema such as {'type': 'string'}"
    )
    if source is None:
        return {}, violations
    if source is schema and source and not _is_raw(source) and _is_property_map(source):
        walk = Walk("short")
        return _finished(walk.run_map(source, place), walk, place)
    walk = Walk("raw")
    return _finished(walk.run(source, place), walk, place)


def _source(
    given: object, place: Path, mode: str, remedy: str
) -> tuple[Mapping[object, object] | None, list[Violation]]:
    """Give the mapping to walk: what was written, or what pydantic makes of a type."""
    if is_described(given):
        return described(given, place, mode)
    if not is_mapping(given):
        return None, [Violation(str(place), f"must be a mapping, got {brief(given)}", remedy)]
    return given, []


def _finished(root: JsonObject, walk: Walk, place: Path) -> tuple[JsonObject, list[Violation]]:
    if not walk.violations:
        walk.violations.extend(check_references(root, place))
    return root, walk.violations


def _is_property_map(source: Mapping[object, object]) -> bool:
    return all(is_mapping(child) and not str(key).startswith("$") for key, child in source.items())


def _is_raw(source: Mapping[object, object]) -> bool:
    """Tell a raw schema from a property map, whose properties may have any name."""
    if isinstance(source.get("type"), (str, list)) or isinstance(
        source.get("required"), (str, list)
    ):
        return True
    if any(mark in source and not _is_property(source[mark]) for mark in _RAW_MARKS):
        return True
    if isinstance(source.get("additionalProperties"), bool):
        return True
    properties = source.get("properties")
    return is_mapping(properties) and not _is_property(properties)


def _is_property(value: object) -> bool:
    """Whether this reads as the schema of one property."""
    return is_mapping(value) and isinstance(value.get("type"), str)


def _check_root(walk: Walk, source: Mapping[object, object], path: Path) -> None:
    """Refuse what model APIs refuse at the root of a tool's parameters."""
    kind = source.get("type", "object")
    if kind != "object":
        walk.refuse(path / "type", f"must be 'object' at the root, got {brief(kind)}", _AN_OBJECT)
    if "properties" not in source:
        walk.refuse(path / "properties", "is missing", _AN_OBJECT)
    for keyword in _NOT_AT_ROOT:
        if keyword in source:
            problem = "is refused by model APIs at the root of parameters"
            walk.refuse(path / keyword, problem, "move it into a property")
