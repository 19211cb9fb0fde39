"""JSON Schemas of Python types, by pydantic, which is imported when a type turns up."""

# Maintainers: answers for the one place where a type becomes a schema. Keeps pydantic out of
# `import toolset`: see tests/services/test_tool_imports.py.

from __future__ import annotations

import typing
from collections.abc import Callable, Mapping

from toolset.services.tools.jsontypes import JsonObject
from toolset.services.tools.paths import Path, Violation

__all__ = ["described", "is_described", "model_judge"]


def is_described(given: object) -> bool:
    """Tell whether a value is a type, to be described by pydantic.

    Args:
        given: What stands where a schema is expected.

    Returns:
        Whether it is a class or a typing construct.
    """
    return isinstance(given, type) or typing.get_origin(given) is not None


def described(
    given: object, place: Path, mode: str
) -> tuple[Mapping[object, object] | None, list[Violation]]:
    """Describe a type as a JSON Schema.

    Args:
        given: A class or a typing construct.
        place: Its name in messages.
        mode: `validation` for what goes in, `serialization` for what comes out.

    Returns:
        The schema, or None and what is wrong.
    """
    from toolset.services.tools import typed  # noqa: PLC0415 -- imports pydantic

    try:
        return typed.schema_of(given, serialization=mode == "serialization"), []
    except typed.TypeSchemaError as error:
        return None, [Violation(str(place), str(error), "use types that JSON has")]


def model_judge(given: object) -> Callable[[JsonObject], list[Violation]] | None:
    """Give what a model's own validators say about arguments that fit its schema.

    Args:
        given: What a tool declared as its parameters.

    Returns:
        A function that finds what they refuse; None when it was not declared by a type.
    """
    if not is_described(given):
        return None
    from toolset.services.tools import typed  # noqa: PLC0415 -- imports pydantic

    return typed.judge_of(given)
