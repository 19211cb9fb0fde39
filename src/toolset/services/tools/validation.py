"""Values judged against a schema: every violation, each in one short line."""

# Maintainers: answers for the sentences about arguments and outputs. jsonschema finds, this module
# words: no message echoes a value longer than a line. jsonschema is imported for the first value
# that does not surely fit, and recurses, so values are bounded (`MAX_DEPTH`) before they come here.

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, cast

from toolset.catalog import nearest
from toolset.services.tools.jsontypes import JsonObject, JsonValue
from toolset.services.tools.paths import MAX_LISTED, Path, Violation
from toolset.services.tools.surely import surely_fits
from toolset.services.tools.wire import brief, dump_json, json_type, some

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

__all__ = ["Checker"]

_MAX_ALTERNATIVES = 4


class Checker:
    """Judge values against one schema.

    Args:
        schema: A schema that `parameter_schema` or `output_schema` made.
    """

    __slots__ = ("_schema", "_validator")

    def __init__(self, schema: JsonObject) -> None:
        self._schema = schema
        self._validator: Draft202012Validator | None = None

    def violations(self, value: JsonValue, where: str) -> list[Violation]:
        """Find everything about a value that the schema refuses.

        Args:
            value: JSON data of at most `MAX_DEPTH` levels.
            where: The name of the value in messages.

        Returns:
            The violations, in the order of the schema; empty when the value fits.
        """
        return [] if surely_fits(self._schema, value) else self._closely(value, where)

    def _closely(self, value: JsonValue, where: str) -> list[Violation]:
        """Find what is wrong with a value that does not surely fit.

        Args:
            value: JSON data of at most `MAX_DEPTH` levels.
            where: The name of the value in messages.

        Returns:
            The violations, in the order of the schema; empty when the value fits.
        """
        if self._validator is None:
            from jsonschema import Draft202012Validator  # noqa: PLC0415 -- heavy, see above

            self._validator = Draft202012Validator(self._schema)
        root = Path(where)
        try:
            errors: list[ValidationError] = list(self._validator.iter_errors(value))  # pyright: ignore[reportUnknownMemberType] -- the stub leaves an overload untyped
        except RecursionError:
            problem = "is too deeply nested to be checked against this schema"
            return [Violation(where, problem, "make it flatter")]
        return [found for error in errors for found in _worded(error, root, error.absolute_path)]


def _worded(error: ValidationError, root: Path, steps: Iterable[str | int]) -> list[Violation]:
    place = root
    for step in steps:
        place = place / step
    keyword = str(error.validator)
    instance = cast("JsonValue", error.instance)
    wanted = cast("JsonValue", error.validator_value)
    if keyword == "required" and isinstance(instance, dict):
        return [_missing(error, place, wanted, instance)]
    if keyword == "additionalProperties" and isinstance(instance, dict):
        return _unknown_names(error, place, instance)
    return [Violation(str(place), _problem(error, keyword, wanted, instance))]


def _problem(error: ValidationError, keyword: str, wanted: JsonValue, instance: JsonValue) -> str:
    shown = brief(instance)
    if keyword == "type":
        got = shown if isinstance(instance, (dict, list)) else f"{json_type(instance)} {shown}"
        return f"expected {_types(wanted)}, got {got}"
    if keyword in {"enum", "const"}:
        choices = cast("list[JsonValue]", wanted) if keyword == "enum" else [wanted]
        return f"must be {_choices(choices)}, got {shown}"
    if keyword in {"oneOf", "anyOf"}:
        return _alternatives(error, keyword, wanted, shown)
    if error.validator_value is False or keyword == "not":
        return f"{shown} is not accepted here"
    return f"{shown} does not keep to {keyword} {brief(wanted)}"


def _types(wanted: JsonValue) -> str:
    names = cast("list[str]", wanted) if isinstance(wanted, list) else [str(wanted)]
    return " or ".join(names)


def _choices(choices: list[JsonValue]) -> str:
    shown = [brief(choice) if isinstance(choice, str) else _compact(choice) for choice in choices]
    return shown[0] if len(shown) == 1 else "one of (" + ", ".join(shown) + ")"


def _compact(value: JsonValue) -> str:
    return brief(value) if isinstance(value, (list, dict)) else dump_json(value)


def _missing(
    error: ValidationError, place: Path, wanted: JsonValue, instance: JsonObject
) -> Violation:
    """Name the one property that this error is about: jsonschema gives one error for each."""
    names = [str(name) for name in cast("list[JsonValue]", wanted) if name not in instance]
    name = next((name for name in names if error.message.startswith(repr(name))), names[0])
    given = "given: " + ", ".join(brief(key) for key in list(instance)[:10]) if instance else ""
    return Violation(str(place / name), "is required and missing", given)


def _unknown_names(error: ValidationError, place: Path, instance: JsonObject) -> list[Violation]:
    schema = cast("Mapping[str, JsonValue]", error.schema)
    properties = schema.get("properties")
    known = list(properties) if isinstance(properties, dict) else []
    if error.validator_value is not False or "patternProperties" in schema:
        return [Violation(str(place), "has properties that are not accepted here")]
    unknown = [name for name in instance if name not in known]
    accepted = f"accepted: {some(known)}"
    found: list[Violation] = []
    for name in unknown[:MAX_LISTED]:
        close = nearest(name, known)
        hint = f"did you mean {close[0]!r}? {accepted}" if close else accepted
        found.append(Violation(str(place / brief(name).strip("'")), "is not a known name", hint))
    if len(unknown) > MAX_LISTED:
        more = f"has {len(unknown) - MAX_LISTED:,} more names that are not known"
        found.append(Violation(str(place), more))
    return found


def _alternatives(error: ValidationError, keyword: str, wanted: JsonValue, shown: str) -> str:
    context = list(error.context or ())
    count = len(cast("list[JsonValue]", wanted))
    if not context:
        return f"{shown} fits more than one of the {count} alternatives of {keyword}"
    reasons: dict[int, str] = {}
    for inner in context:
        at = inner.relative_schema_path[0]
        if isinstance(at, int) and at not in reasons:
            reasons[at] = _reason(inner)
    told = [f"({at + 1}) {reason}" for at, reason in sorted(reasons.items())]
    if len(told) > _MAX_ALTERNATIVES:
        told[_MAX_ALTERNATIVES:] = ["…"]
    return f"{shown} fits none of the {count} alternatives: {' '.join(told)}"


def _reason(error: ValidationError) -> str:
    """Say in a few words why one alternative does not fit; alternatives inside it stay out."""
    if str(error.validator) in {"oneOf", "anyOf"}:
        return "fits none of its alternatives"
    first = _worded(error, Path("it"), error.relative_path)[0]
    return first.problem if first.path == "it" else f"{first.path} {first.problem}"
