"""Rules on configuration models beyond their documentation."""

# Maintainers: nothing is imported, so only what the source says as literals is judged; a default or a
# constraint that is computed breaks no rule. Pydantic does not validate defaults: that is why a wrong
# one can stand for years.

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sized
from typing import cast

from toolset.catalog import Field
from toolset_gen.check.facts import Facts
from toolset_gen.check.rules import RULES
from toolset_gen.diagnostics import Diagnostic

__all__ = ["check_configs"]


def check_configs(facts: Facts) -> Iterator[Diagnostic]:
    """Judge the defaults of configuration fields.

    Args:
        facts: What to judge.

    Yields:
        Violations of CFG003.
    """
    for config in facts.model.catalog.configs:
        for field in config.fields:
            refused = _refusal(field)
            if refused:
                yield RULES["CFG003"].at(
                    facts.place(f"{config.path}.{field.name}"),
                    f"{config.plugin}.{field.name}",
                    f"default {field.default} of field {field.name!r} of plugin {config.plugin!r} "
                    f"is refused by its own constraint {refused}",
                    "change the default or the constraint",
                )


def _refusal(field: Field) -> str:
    """Name the constraint that refuses a field's default, `""` when none is known to."""
    if field.required or field.factory or not field.default:
        return ""
    try:
        default: object = ast.literal_eval(field.default)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return ""
    if default is None:
        return ""
    for constraint in field.constraints:
        name, _, text = constraint.partition("=")
        try:
            bound: object = ast.literal_eval(text)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            continue
        if name in _CHECKS and not _holds(_CHECKS[name], default, bound):
            return constraint
    return _refused_choice(field, default)


def _refused_choice(field: Field, default: object) -> str:
    """Judge a default against `Literal[...]`, when that is the whole type."""
    choices = re.fullmatch(r"(?:\w+\.)?(Literal\[(.*)\])", field.annotation, re.DOTALL)
    if choices is None:
        return ""
    try:
        values: object = ast.literal_eval(f"({choices[2]},)")
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return ""
    options = cast("tuple[object, ...]", values)
    known = any(type(option) is type(default) and option == default for option in options)
    return "" if known else choices[1]


def _holds(check: Callable[[object, object], bool], default: object, bound: object) -> bool:
    """Apply a check; what cannot be compared is left to pydantic."""
    try:
        return check(default, bound)
    except (TypeError, ValueError, ZeroDivisionError, re.error):
        return True


def _number(value: object) -> float:
    if isinstance(value, int | float):
        return value
    raise TypeError(type(value))


def _length(value: object) -> int:
    if isinstance(value, str | bytes | list | tuple | dict | set):
        return len(cast("Sized", value))
    raise TypeError(type(value))


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    raise TypeError(type(value))


_CHECKS: dict[str, Callable[[object, object], bool]] = {
    "ge": lambda default, bound: _number(default) >= _number(bound),
    "gt": lambda default, bound: _number(default) > _number(bound),
    "le": lambda default, bound: _number(default) <= _number(bound),
    "lt": lambda default, bound: _number(default) < _number(bound),
    "multiple_of": lambda default, bound: _number(default) % _number(bound) == 0,
    "min_length": lambda default, bound: _length(default) >= _number(bound),
    "max_length": lambda default, bound: _length(default) <= _number(bound),
    "pattern": lambda default, bound: re.search(_text(bound), _text(default)) is not None,
}
