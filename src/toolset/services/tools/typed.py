"""What pydantic does for tools: schemas of types, checked arguments, JSON of results."""

# Maintainers: the only module of this package that imports pydantic, itself imported inside
# functions. Invariant: a type that pydantic cannot describe gives a TypeSchemaError, never one of
# pydantic's own.

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, cast

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, create_model
from pydantic.errors import PydanticUndefinedAnnotation, PydanticUserError
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaWarningKind

from toolset.services.tools.errors import ToolArgumentsError
from toolset.services.tools.jsontypes import JsonObject
from toolset.services.tools.nulls import has_null, restored
from toolset.services.tools.paths import Path, Violation
from toolset.services.tools.typeddicts import supported
from toolset.services.tools.wire import brief

__all__ = [
    "Arguments",
    "PlainSchema",
    "Returned",
    "TypeSchemaError",
    "adapter_of",
    "inline_root",
    "judge_of",
    "schema_of",
]


class TypeSchemaError(Exception):
    """Pydantic cannot describe a type; the message is for the person who wrote it."""


class PlainSchema(GenerateJsonSchema):
    """JSON Schemas without the titles that only repeat the names."""

    ignored_warning_kinds: set[JsonSchemaWarningKind] = {  # noqa: RUF012 -- pydantic declares it so
        "skipped-choice",
        "non-serializable-default",
    }

    def field_title_should_be_set(self, schema: object) -> bool:  # noqa: ARG002 -- overrides
        """Leave every generated title out."""
        return False


def adapter_of(given: object) -> TypeAdapter[object]:
    """Make pydantic's adapter of a type.

    Args:
        given: A class or a typing construct.

    Returns:
        The adapter.

    Raises:
        TypeSchemaError: Pydantic does not know the type.
    """
    try:
        return TypeAdapter(cast("type[object]", supported(given)))
    except (PydanticUserError, PydanticUndefinedAnnotation, TypeError) as error:
        raise TypeSchemaError(_told(given, error)) from error


def schema_of(given: object, *, serialization: bool = False) -> Mapping[object, object]:
    """Describe a type as a JSON Schema.

    Args:
        given: A class or a typing construct.
        serialization: Whether to describe what comes out instead of what goes in.

    Returns:
        The schema, its root written out.

    Raises:
        TypeSchemaError: Pydantic cannot describe the type.
    """
    adapter = adapter_of(given)
    try:
        made = adapter.json_schema(
            schema_generator=PlainSchema, mode="serialization" if serialization else "validation"
        )
    except PydanticUserError as error:
        raise TypeSchemaError(_told(given, error)) from error
    if isinstance(given, type) and issubclass(given, BaseModel):
        made.pop("title", None)
    return inline_root(made)


def inline_root(schema: Mapping[str, object]) -> Mapping[object, object]:
    """Write out the root of a schema that pydantic gave as a reference to itself.

    Args:
        schema: A schema of pydantic's.

    Returns:
        The same, its root a schema and no `$ref`.
    """
    made: dict[object, object] = dict(schema.items())
    ref, defs = made.get("$ref"), made.get("$defs")
    if isinstance(ref, str) and isinstance(defs, dict):
        target = cast("dict[str, dict[object, object]]", defs).get(ref.removeprefix("#/$defs/"))
        if target is not None:
            del made["$ref"]
            made = {**target, **made}
    return made


def _told(given: object, error: Exception) -> str:
    first_line = str(error).partition("\n")[0]
    return f"pydantic cannot describe {brief(given)}: {first_line}"


def judge_of(given: object) -> Callable[[JsonObject], list[Violation]]:
    """Give what a type's own validators say about arguments.

    Args:
        given: A class or a typing construct that `schema_of` could describe.

    Returns:
        A function that finds what they refuse.
    """
    adapter = adapter_of(given)

    def judge(arguments: JsonObject) -> list[Violation]:
        try:
            adapter.validate_python(arguments)
        except ValidationError as error:
            return _violations(error)
        return []

    return judge


def _violations(error: ValidationError) -> list[Violation]:
    found: list[Violation] = []
    for one in error.errors(include_url=False, include_context=False, include_input=False):
        place = Path("arguments")
        for step in one["loc"]:
            place = place / step
        found.append(Violation(str(place), one["msg"]))
    return found


class Arguments:
    """The parameters of a function, as a model that checks and converts arguments.

    Args:
        parameters: The parameters that a model fills in, their annotations evaluated.
        descriptions: Parameter names to their descriptions.

    Attributes:
        model: The pydantic model; its aliases are the parameters' names.

    Raises:
        TypeSchemaError: Pydantic does not know one of the types.
    """

    __slots__ = ("_fields", "model")

    def __init__(
        self, parameters: Sequence[inspect.Parameter], descriptions: Mapping[str, str]
    ) -> None:
        fields: dict[str, tuple[object, object]] = {}
        self._fields: list[tuple[str, inspect.Parameter]] = []
        for at, parameter in enumerate(parameters):
            # pydantic refuses some names as fields (`_x`, `copy`); as aliases it takes any
            key = f"argument_{at}"
            given = Field(
                ... if parameter.default is parameter.empty else parameter.default,
                alias=parameter.name,
                description=descriptions.get(parameter.name) or None,
            )
            fields[key] = (supported(parameter.annotation), given)
            self._fields.append((key, parameter))
        self.model = _model(fields)

    def bind(self, arguments: JsonObject) -> tuple[list[object], dict[str, object]]:
        """Convert JSON arguments into Python ones.

        Args:
            arguments: Arguments that fit the schema.

        Returns:
            The positional and the named arguments.

        Raises:
            ToolArgumentsError: A type's own validator refuses a value.
        """
        try:
            checked = self.model.model_validate(arguments)
        except ValidationError as error:
            raise ToolArgumentsError(_violations(error)) from None
        except OverflowError as error:  # pydantic does not turn this one into its own
            raise ToolArgumentsError([Violation("arguments", f"{error}")]) from None
        positional: list[object] = []
        named: dict[str, object] = {}
        for key, parameter in self._fields:
            value = cast("object", getattr(checked, key))
            if parameter.kind is parameter.POSITIONAL_ONLY:
                positional.append(value)
            else:
                named[parameter.name] = value
        return positional, named


def _model(fields: dict[str, tuple[object, object]]) -> type[BaseModel]:
    make = cast("Callable[..., type[BaseModel]]", create_model)
    config = ConfigDict(extra="forbid", protected_namespaces=())
    try:
        return make("Arguments", __config__=config, **fields)
    except (PydanticUserError, PydanticUndefinedAnnotation, TypeError) as error:
        first_line = str(error).partition("\n")[0]
        raise TypeSchemaError(f"pydantic cannot describe the parameters: {first_line}") from error


class Returned:
    """The return annotation of a function, as what turns its values into JSON.

    Args:
        annotation: The annotation, evaluated.

    Attributes:
        annotation: The annotation, evaluated.

    Raises:
        TypeSchemaError: Pydantic does not know the type.
    """

    __slots__ = ("_adapter", "annotation")

    def __init__(self, annotation: object) -> None:
        self.annotation = type(None) if annotation is None else annotation
        self._adapter = adapter_of(self.annotation)

    def to_json(self, value: object) -> object:
        """Turn a value into JSON data, as far as it can be.

        Args:
            value: What the function returned.

        Returns:
            JSON data, to be checked against the schema; the value itself when it does not
            convert, for the check to name what is wrong with it.
        """
        try:
            made: object = self._dumped(value, "json")
            return restored(made, self._dumped(value, "python")) if has_null(made) else made
        except (ValueError, OverflowError):  # also what is too deep, or contains itself
            return value

    def _dumped(self, value: object, mode: Literal["json", "python"]) -> object:
        return self._adapter.dump_python(value, mode=mode, by_alias=True, warnings=False)
