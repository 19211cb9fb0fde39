"""`define_tool`: the explicit way to declare a tool."""

# Maintainers: answers for checking options and for collecting all that is wrong with them before
# anything is refused. What the schemas must be is schema.py's business.

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import cast

from toolset.catalog import nearest
from toolset.services.tools.definition import PresentCall, Render, ToolBody, ToolDefinition, arity
from toolset.services.tools.errors import ToolDefinitionError
from toolset.services.tools.jsontypes import JsonObject
from toolset.services.tools.models import model_judge
from toolset.services.tools.paths import Violation
from toolset.services.tools.records import ToolAnnotations
from toolset.services.tools.schema import output_schema, parameter_schema
from toolset.services.tools.wire import brief, safe_text

__all__ = ["define_tool", "description_violations", "name_violations"]

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_OPTIONS = (
    "name",
    "description",
    "parameters",
    "output",
    "execute",
    "present_call",
    "annotations",
)
_NEEDED = {
    "name": "such as 'reverse_text'",
    "description": "say what the tool does and when to use it",
    "output": "write {'schema': {'type': 'string'}, 'render': ...}",
    "execute": "give the function that runs the tool: execute(args) or execute(args, call)",
}


def name_violations(name: object) -> list[Violation]:
    """Check a tool's name.

    Args:
        name: What was given as the name.

    Returns:
        What is wrong with it and what would be accepted.
    """
    if name is None:
        return [_missing("name")]
    if not isinstance(name, str):
        return [Violation("name", f"must be a string, got {brief(name)}", "such as 'reverse_text'")]
    if _NAME.fullmatch(name):
        return []
    suggestion = re.sub(r"[^a-zA-Z0-9_-]+", "_", name).strip("_")[:40] or "my_tool"
    problem = f"{brief(name)} is refused by model APIs, which take ^[a-zA-Z0-9_-]{{1,64}}$"
    return [Violation("name", problem, f"use {suggestion!r}")]


def description_violations(description: object) -> list[Violation]:
    """Check a tool's description.

    Args:
        description: What was given as the description.

    Returns:
        What is wrong with it and what would be accepted.
    """
    if description is None:
        return [_missing("description")]
    if not isinstance(description, str) or not description.strip():
        problem = f"must be text, got {brief(description)}"
        return [Violation("description", problem, _NEEDED["description"])]
    if safe_text(description) != description:
        return [Violation("description", "has a lone surrogate", "UTF-8 cannot encode it")]
    return []


def define_tool(
    options: Mapping[str, object] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    parameters: object = None,
    output: Mapping[str, object] | None = None,
    execute: ToolBody | None = None,
    present_call: PresentCall | None = None,
    annotations: ToolAnnotations | None = None,
) -> ToolDefinition:
    """Declare a tool explicitly.

    Args:
        options: The options below as one mapping, instead of keywords.
        name: 1 to 64 letters, digits, `_` and `-`; up to 40 leave room for prefixes.
        description: What it does and when to use it, for the model.
        parameters: A property map such as `{"text": {"type": "string", "required": True}}`, a JSON
            Schema object, or a pydantic model; left out for a tool without arguments.
        output: `{"schema": ..., "render": ...}`: the schema of the value, and optionally
            `render(args, value)`, which gives text or content blocks.
        execute: The body, sync or async, called as `execute(args)` or `execute(args, call)`. A
            second parameter that has a default is the call only when it is named `call`.
        present_call: `present_call(args)` gives the card a person sees.
        annotations: Hints for clients.

    Returns:
        The definition, for `ctx.tools.register`.

    Raises:
        ToolDefinitionError: Something is malformed; lists everything that is.
    """
    given: dict[str, object] = {
        "name": name,
        "description": description,
        "parameters": parameters,
        "output": output,
        "execute": execute,
        "present_call": present_call,
        "annotations": annotations,
    }
    violations: list[Violation] = []
    if options is not None:
        violations += _merge(given, options)
    return _define(given, violations)


def _merge(given: dict[str, object], options: object) -> list[Violation]:
    """Take the options from one mapping."""
    if not isinstance(options, Mapping):
        known = ", ".join(_OPTIONS)
        return [Violation("options", f"must be a mapping, got {brief(options)}", f"with {known}")]
    violations: list[Violation] = []
    for key, value in cast("Mapping[object, object]", options).items():
        if key in given:
            given[str(key)] = value
        else:
            close = nearest(key, _OPTIONS) if isinstance(key, str) else ()
            hint = f"did you mean {close[0]!r}? " if close else ""
            known = "accepted: " + ", ".join(_OPTIONS)
            violations.append(Violation("options", f"{brief(key)} is no option", hint + known))
    return violations


def _define(given: Mapping[str, object], violations: list[Violation]) -> ToolDefinition:
    name, description = given["name"], given["description"]
    violations += name_violations(name)
    violations += description_violations(description)
    parameters = given["parameters"]
    schema, found = parameter_schema({} if parameters is None else parameters)
    violations += found
    output, render, found = _output(given["output"])
    violations += found + _callables(given)
    if violations:
        raise ToolDefinitionError(name if isinstance(name, str) else "", violations)
    return ToolDefinition(
        name=cast("str", name),
        description=cast("str", description),
        parameters=schema,
        output=output,
        execute=cast("ToolBody", given["execute"]),
        render=render,
        present_call=cast("PresentCall | None", given["present_call"]),
        annotations=cast("ToolAnnotations | None", given["annotations"]) or ToolAnnotations(),
        fill=_defaults(schema),
        judge=model_judge(parameters),
    )


def _missing(option: str) -> Violation:
    return Violation(option, "is missing", _NEEDED[option])


def _output(output: object) -> tuple[JsonObject, Render | None, list[Violation]]:
    """Take `output` apart into a schema and a function."""
    if output is None:
        return {}, None, [_missing("output")]
    if not isinstance(output, Mapping):
        problem = f"must be a mapping, got {brief(output)}"
        return {}, None, [Violation("output", problem, _NEEDED["output"])]
    given = cast("Mapping[object, object]", output)
    violations = [
        Violation("output", f"{brief(key)} is no key of it", "accepted: schema, render")
        for key in given
        if key not in {"schema", "render"}
    ]
    schema: JsonObject = {}
    if "schema" in given:
        schema, found = output_schema(given["schema"])
        violations += found
    else:
        violations.append(Violation("output.schema", "is missing", _NEEDED["output"]))
    render = given.get("render")
    if render is not None and not callable(render):
        problem = f"must be a function, got {brief(render)}"
        violations.append(Violation("output.render", problem, "called as render(args, value)"))
    return schema, cast("Render | None", render), violations


def _callables(given: Mapping[str, object]) -> list[Violation]:
    """Check the two functions and the annotations."""
    execute, present = given["execute"], given["present_call"]
    violations: list[Violation] = []
    if execute is None:
        violations.append(_missing("execute"))
    elif not callable(execute):
        violations.append(Violation("execute", f"must be a function, got {brief(execute)}"))
    elif arity(execute) == 0:
        problem = f"has the parameters {inspect.signature(execute)}"
        violations.append(Violation("execute", problem, "it is called as (args) or (args, call)"))
    if present is not None and not callable(present):
        violations.append(Violation("present_call", f"must be a function, got {brief(present)}"))
    hints = given["annotations"]
    if hints is not None and not isinstance(hints, ToolAnnotations):
        problem = f"must be ToolAnnotations, got {brief(hints)}"
        violations.append(Violation("annotations", problem, "ToolAnnotations(read_only=True)"))
    return violations


def _defaults(schema: JsonObject) -> JsonObject:
    """Give the defaults of the top-level properties, which absent arguments take."""
    properties = cast("JsonObject", schema["properties"])
    return {
        name: child["default"]
        for name, child in properties.items()
        if isinstance(child, dict) and "default" in child
    }
