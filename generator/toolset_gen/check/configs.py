"""Rules on configuration models beyond their documentation."""

# Maintainers: nothing is imported, so only what the source says as literals is judged; a default or a
# constraint that is computed breaks no rule. Pydantic does not validate defaults: that is why a wrong
# one can stand for years. What reads a field, config_reads finds; a field counts as read when anything
# that cannot be told apart from its configuration has an attribute of its name read.

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sized
from typing import cast

from toolset.catalog import Field, PluginEntry, nearest
from toolset_gen.check.config_models import Models
from toolset_gen.check.config_reads import Reads, find_reads
from toolset_gen.check.facts import Facts
from toolset_gen.check.rules import RULES
from toolset_gen.diagnostics import Diagnostic

__all__ = ["check_configs"]

# What every model has beside its fields.
_PYDANTIC = re.compile(
    r"_|model_|(construct|copy|dict|from_orm|json|parse_\w+|schema\w*|validate)$"
)


def check_configs(facts: Facts) -> Iterator[Diagnostic]:
    """Judge the defaults of configuration fields, and who reads them.

    Args:
        facts: What to judge.

    Yields:
        Violations of CFG003 to CFG005.
    """
    yield from _defaults(facts)
    models = Models(facts)
    if models.labels:
        yield from _reads(facts, models)


def _reads(facts: Facts, models: Models) -> Iterator[Diagnostic]:
    plugins = {_code(facts, plugin.path): facts.canonical(plugin.config) for plugin in _own(facts)}
    services = frozenset(_code(facts, plugin.path) for plugin in _own(facts) if plugin.provides)
    found = find_reads(facts.files, models.by_path(), plugins, services)
    yield from _never_read(facts, models, found)
    for read in found.reads:
        fields = [field.name for field in models.fields[read.model]]
        known = {*fields, *found.members.get(read.model, ())}
        vague = read.model in found.open or read.model in models.loose
        if read.name in known or vague or _PYDANTIC.match(read.name):
            continue
        label = models.labels[read.model]
        close = nearest(read.name, fields, limit=1)
        hint = f"did you mean {close[0]!r}?" if close else f"it has {', '.join(fields) or 'none'}"
        yield RULES["CFG005"].at(
            read.location,
            f"{label}.{read.name}",
            f"`{read.text}` is read, and the configuration of {label!r} has no field "
            f"{read.name!r}; {hint}",
            "correct the name, or add the field to the model",
        )


def _own(facts: Facts) -> Iterator[PluginEntry]:
    return (plugin for plugin in facts.model.catalog.plugins if plugin.kind != "seam")


def _code(facts: Facts, path: str) -> str:
    return facts.canonical(path.replace(":", "."))


def _never_read(facts: Facts, models: Models, found: Reads) -> Iterator[Diagnostic]:
    seams = {p.name for p in facts.model.catalog.plugins if p.kind == "seam"}
    read = {(read.model, read.name) for read in found.reads}
    for path, fields in models.fields.items():
        label = models.labels[path]
        if _escapes(path, models, found) or label.partition(".")[0] in seams:
            continue
        for field in fields:
            if (path, field.name) not in read and field.name not in found.elsewhere:
                yield RULES["CFG004"].at(
                    facts.place(f"{path}.{field.name}"),
                    f"{label}.{field.name}",
                    f"field {field.name!r} of the configuration of {label!r} is read nowhere",
                    "read it, or remove it: whoever sets it is ignored",
                )


def _escapes(path: str, models: Models, found: Reads) -> bool:
    """Tell whether a configuration, or one that it is part of, goes where it cannot be followed."""
    seen: set[str] = set()
    queue = [path]
    while queue:
        one = queue.pop()
        if one in found.escaped:
            return True
        if one not in seen:
            seen.add(one)
            queue.extend(models.inside.get(one, ()))
    return False


def _defaults(facts: Facts) -> Iterator[Diagnostic]:
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
