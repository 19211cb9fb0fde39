"""Schemas of plain annotations, without pydantic: text, numbers, lists and tables of them."""

# Maintainers: a short cut past typed.py for the annotations that most tools have, a tenth of its
# time. Invariant: whatever it answers is what typed.py would (test_tool_plain.py compares them);
# where it is not sure it answers None, and typed.py is asked.

from __future__ import annotations

import inspect
import math
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import NoneType, UnionType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, cast

from toolset.services.tools.jsontypes import JsonObject, JsonValue
from toolset.services.tools.wire import safe_text

if TYPE_CHECKING:
    from toolset.services.tools import typed

__all__ = ["PlainArguments", "PlainReturned", "plain_hints"]

Keeps: TypeAlias = "Callable[[object], bool]"

_MAX_INT_BITS = 63


class _Plain(NamedTuple):
    """A plain annotation.

    Attributes:
        schema: What it accepts.
        keeps: Tells the values that pydantic would give back as they are.
    """

    schema: JsonObject
    keeps: Keeps


def _is_text(value: object) -> bool:
    return type(value) is str and (value.isascii() or safe_text(value) == value)


def _is_int(value: object) -> bool:
    return type(value) is int and value.bit_length() <= _MAX_INT_BITS


def _is_float(value: object) -> bool:
    return type(value) is float and math.isfinite(value)


def _is_flag(value: object) -> bool:
    return type(value) is bool


def _is_null(value: object) -> bool:
    return value is None


_ATOMS: dict[object, _Plain] = {
    str: _Plain({"type": "string"}, _is_text),
    int: _Plain({"type": "integer"}, _is_int),
    float: _Plain({"type": "number"}, _is_float),
    bool: _Plain({"type": "boolean"}, _is_flag),
    NoneType: _Plain({"type": "null"}, _is_null),
}


def _is_data(value: object) -> bool:
    """Tell JSON data made of the builtin types alone."""
    atom = _ATOMS.get(type(value))
    if atom is not None:
        return atom.keeps(value)
    if type(value) is list:
        return all(map(_is_data, cast("list[object]", value)))
    if type(value) is dict:
        table = cast("dict[object, object]", value)
        return all(map(_is_text, table)) and all(map(_is_data, table.values()))
    return False


def _plain(annotation: object) -> _Plain | None:
    """Describe an annotation; None when it is not plain."""
    if type(annotation) is type:
        if annotation is list:
            return _array(_Plain({}, _is_data))
        if annotation is dict:
            return _table(None)
        return _ATOMS.get(annotation) or (_Plain({}, _is_data) if annotation is object else None)
    if annotation is typing.Any:
        return _Plain({}, _is_data)
    return _constructed(typing.get_origin(annotation), typing.get_args(annotation))


def _constructed(origin: object, args: Sequence[object]) -> _Plain | None:
    if origin is typing.Literal:
        return _choice(args)
    if origin is typing.Union or origin is UnionType:
        inner = [one for one in args if one is not NoneType]
        given = _plain(inner[0]) if len(inner) == 1 else None
        return None if given is None or not given.schema else _optional(given)
    if origin is list and len(args) == 1:
        given = _plain(args[0])
        return None if given is None else _array(given)
    if origin is dict and len(args) == 2 and args[0] is str:  # noqa: PLR2004 -- key and value
        given = _plain(args[1])
        return None if given is None else _table(given)
    return None


def _choice(values: Sequence[object]) -> _Plain | None:
    kinds = {type(value) for value in values}
    atom = _ATOMS.get(next(iter(kinds))) if kinds in ({str}, {int}) else None
    if atom is None or not all(map(atom.keeps, values)):
        return None
    listed = cast("list[JsonValue]", list(values))
    choice: JsonObject = {"enum": listed} if len(listed) > 1 else {"const": listed[0]}

    def keeps(value: object) -> bool:
        return atom.keeps(value) and value in listed

    return _Plain({**atom.schema, **choice}, keeps)


def _optional(inner: _Plain) -> _Plain:
    schema: JsonObject = {"anyOf": [inner.schema, {"type": "null"}]}

    def keeps(value: object) -> bool:
        return value is None or inner.keeps(value)

    return _Plain(schema, keeps)


def _array(inner: _Plain) -> _Plain:
    def keeps(value: object) -> bool:
        return type(value) is list and all(map(inner.keeps, cast("list[object]", value)))

    return _Plain({"type": "array", "items": inner.schema}, keeps)


def _table(inner: _Plain | None) -> _Plain:
    each = _is_data if inner is None else inner.keeps

    def keeps(value: object) -> bool:
        if type(value) is not dict:
            return False
        table = cast("dict[object, object]", value)
        return all(map(_is_text, table)) and all(map(each, table.values()))

    schema = inner.schema if inner is not None else {}
    return _Plain({"type": "object", "additionalProperties": schema or True}, keeps)


def plain_hints(annotations: Mapping[str, object]) -> dict[str, object] | None:
    """Take annotations as they are when nothing in them is left to be evaluated.

    Args:
        annotations: What a function's `__annotations__` hold.

    Returns:
        What `typing.get_type_hints` would give, or None when it has to be asked.
    """
    hints = {name: NoneType if one is None else one for name, one in annotations.items()}
    return hints if all(type(one) is type for one in hints.values()) else None


class PlainArguments:
    """The parameters of a function, all of them plain, as what checks and converts arguments.

    Attributes:
        schema: JSON Schema of the arguments.
    """

    __slots__ = ("_descriptions", "_fields", "_typed", "schema")

    def __init__(
        self,
        fields: Sequence[tuple[inspect.Parameter, Keeps]],
        schema: JsonObject,
        descriptions: Mapping[str, str],
    ) -> None:
        self.schema = schema
        self._fields = fields
        self._descriptions = descriptions
        self._typed: typed.Arguments | None = None

    @classmethod
    def of(
        cls, parameters: Sequence[inspect.Parameter], descriptions: Mapping[str, str]
    ) -> PlainArguments | None:
        """Describe parameters.

        Args:
            parameters: The parameters that a model fills in, their annotations evaluated.
            descriptions: Parameter names to their descriptions.

        Returns:
            Them, or None when one of them is not plain.
        """
        properties: JsonObject = {}
        fields: list[tuple[inspect.Parameter, Keeps]] = []
        for parameter in parameters:
            found = _plain(parameter.annotation)
            described = None if found is None else _property(found, parameter, descriptions)
            if found is None or described is None:
                return None
            properties[parameter.name] = described
            fields.append((parameter, found.keeps))
        return cls(fields, _object(properties, parameters), descriptions)

    def bind(self, arguments: JsonObject) -> tuple[list[object], dict[str, object]]:
        """Convert JSON arguments into Python ones.

        Args:
            arguments: Arguments that fit the schema, which the function may keep.

        Returns:
            The positional and the named arguments.

        Raises:
            ToolArgumentsError: Pydantic refuses a value.
        """
        positional: list[object] = []
        named: dict[str, object] = {}
        for parameter, keeps in self._fields:
            value: object = arguments.get(parameter.name, parameter.default)
            if parameter.name in arguments and not keeps(value):
                return self._by_pydantic().bind(arguments)
            if parameter.kind is parameter.POSITIONAL_ONLY:
                positional.append(value)
            else:
                named[parameter.name] = value
        return positional, named

    def _by_pydantic(self) -> typed.Arguments:
        """Give what converts values that are not exactly of their types."""
        if self._typed is None:
            from toolset.services.tools import typed  # noqa: PLC0415 -- imports pydantic

            parameters = [parameter for parameter, _ in self._fields]
            self._typed = typed.Arguments(parameters, self._descriptions)
        return self._typed


def _property(
    plain: _Plain, parameter: inspect.Parameter, descriptions: Mapping[str, str]
) -> JsonObject | None:
    """Describe one parameter, its keywords in the order that they have by pydantic."""
    schema = dict(plain.schema)
    described = descriptions.get(parameter.name)
    if described and not _is_text(described):
        return None
    if described:
        schema["description"] = described
    if parameter.default is not parameter.empty:
        if type(parameter.default) not in _ATOMS or not plain.keeps(parameter.default):
            return None
        schema["default"] = parameter.default
    return dict(sorted(schema.items(), key=lambda item: (item[0] != "type", item[0])))


def _object(properties: JsonObject, parameters: Iterable[inspect.Parameter]) -> JsonObject:
    required: list[JsonValue] = [one.name for one in parameters if one.default is one.empty]
    schema: JsonObject = {
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
    }
    return {**schema, "required": required} if required else schema


class PlainReturned:
    """A plain return annotation, as what turns a function's values into JSON.

    Attributes:
        schema: JSON Schema of the values.
    """

    __slots__ = ("_annotation", "_keeps", "_typed", "schema")

    def __init__(self, annotation: object, schema: JsonObject, keeps: Keeps) -> None:
        self.schema = schema
        self._annotation = annotation
        self._keeps = keeps
        self._typed: typed.Returned | None = None

    @classmethod
    def of(cls, annotation: object) -> PlainReturned | None:
        """Describe a return annotation.

        Args:
            annotation: The annotation, evaluated.

        Returns:
            It, or None when it is not plain.
        """
        found = _plain(annotation)
        return None if found is None else cls(annotation, found.schema, found.keeps)

    def to_json(self, value: object) -> object:
        """Turn a value into JSON data, as far as it can be.

        Args:
            value: What the function returned.

        Returns:
            JSON data, to be checked against the schema.
        """
        try:
            if self._keeps(value):
                return value
        except RecursionError:  # the check for JSON says how deep it may be
            return value
        if self._typed is None:
            from toolset.services.tools import typed  # noqa: PLC0415 -- imports pydantic

            self._typed = typed.Returned(self._annotation)
        return self._typed.to_json(value)
