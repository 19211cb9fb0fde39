"""A type's shape as Python text: fields and signatures, no bodies."""

# Maintainers: text that people and models read; valid Python but for factories shown as such. Own
# members only: bases are named and described themselves.

from __future__ import annotations

from collections.abc import Iterable, Sequence

from toolset.catalog import Member, Parameter, ParameterKind, TypeKind
from toolset_gen.extract.fields import FieldSpec
from toolset_gen.extract.raw import RawClass, RawFunction, RawVariable
from toolset_gen.extract.spelling import spell

__all__ = ["LONGEST", "declare_alias", "declare_class"]

_VALIDATORS = frozenset(
    f"{module}.{name}"
    for module in ("pydantic", "pydantic.functional_validators")
    for name in ("field_validator", "model_validator")
)
LONGEST = 1500
"""Characters of a declaration; a longer one is cut and said to be."""


def declare_class(
    raw: RawClass,
    kind: TypeKind,
    members: Sequence[Member],
    fields: Sequence[FieldSpec],
) -> str:
    """Spell a class.

    Args:
        raw: The class.
        kind: What kind it is.
        members: Its own public members.
        fields: Its own fields.

    Returns:
        Its declaration.
    """
    lines = [f"@{item.text}" for item in raw.decorators if kind == "dataclass"]
    arguments = [base.text for base in raw.bases]
    arguments += [f"{name}={value.text}" for name, value in raw.keywords]
    inside = f"({', '.join(arguments)})" if arguments else ""
    lines.append(f"class {raw.name}{inside}:")
    body = [*_settings(raw, kind), *_fields(raw, kind, fields), *_constructor(raw, kind)]
    body += _validators(raw)
    for member in members:
        body += _member(member)
    return "\n".join([*lines, *(f"    {line}" for line in body or ["..."])])


def declare_alias(raw: RawVariable) -> str:
    """Spell a type alias.

    Args:
        raw: The variable.

    Returns:
        Its declaration.
    """
    note = raw.annotation
    if raw.is_alias and note is not None:
        return f"{raw.name}: TypeAlias = {note.text}"
    return f"{raw.name} = {raw.value.text if raw.value is not None else '...'}"


def _settings(raw: RawClass, kind: TypeKind) -> Iterable[str]:
    config = raw.member("model_config")
    if kind == "model" and isinstance(config, RawVariable) and config.value is not None:
        yield f"model_config = {config.value.text}"


def _fields(raw: RawClass, kind: TypeKind, fields: Sequence[FieldSpec]) -> Iterable[str]:
    """The fields as they are written: what stands below `_: KW_ONLY` is passed by keyword."""
    written = [(spec.raw.line, _field(spec)) for spec in fields]
    if kind == "dataclass":
        for item in raw.members:
            note = item.annotation if isinstance(item, RawVariable) else None
            if note is not None and "dataclasses.KW_ONLY" in note.refs:
                written.append((item.line, f"{item.name}: {note.text}"))
    return (text for _, text in sorted(written, key=lambda one: one[0]))


def _field(spec: FieldSpec) -> str:
    raw = spec.raw
    value = f" = {raw.value.text}" if raw.value is not None else ""
    return f"{raw.name}: {raw.annotation.text}{value}" if raw.annotation else f"{raw.name}{value}"


def _constructor(raw: RawClass, kind: TypeKind) -> Iterable[str]:
    made = raw.member("__init__")
    if not isinstance(made, RawFunction) or kind in {"enum", "typed dict", "protocol"}:
        return
    yield _as_written(made)


def _as_written(raw: RawFunction) -> str:
    parameters = [
        Parameter(
            name=item.name,
            kind=item.kind,
            annotation=item.annotation.text if item.annotation else "",
            default=item.default or "",
        )
        for item in raw.parameters
    ]
    returns = raw.returns.text if raw.returns else ""
    return f"{'async ' if raw.is_async else ''}def {spell(raw.name, parameters, returns)}: ..."


def _validators(raw: RawClass) -> Iterable[str]:
    """The validators of a pydantic model: what they check is part of its contract."""
    for item in raw.members:
        if not isinstance(item, RawFunction):
            continue
        if any(mark.path in _VALIDATORS for mark in item.decorators):
            yield from (f"@{mark.text}" for mark in item.decorators)
            yield _as_written(item)


def _member(member: Member) -> Iterable[str]:
    if member.kind in {"attribute", "class variable"}:
        value = f" = {member.default}" if member.default else ""
        note = member.returns.annotation
        wrapped = f"ClassVar[{note}]" if member.kind == "class variable" and note else note
        yield f"{member.name}: {wrapped}{value}" if note else f"{member.name}{value or ': ...'}"
        return
    if member.kind in {"property", "cached property"}:
        yield "@property" if member.kind == "property" else "@cached_property"
        note = member.returns.annotation
        arrow = f" -> {note}" if note else ""
        yield f"{'async ' if member.awaited else ''}def {member.name}(self){arrow}: ..."
        return
    several = len(member.signatures) > 1
    for signature in member.signatures or ():
        yield from _decorators(member, overloaded=several)
        yield _function(member, signature.parameters, signature.returns.annotation)
    if not several:
        yield from _decorators(member, overloaded=False)
        yield _function(member, member.parameters, member.returns.annotation)


def _decorators(member: Member, *, overloaded: bool) -> Iterable[str]:
    if overloaded:
        yield "@overload"
    if member.kind == "context manager":
        yield "@contextmanager"
    if member.kind == "async context manager":
        yield "@asynccontextmanager"
    if member.binding == "class":
        yield "@classmethod"
    if member.binding == "static":
        yield "@staticmethod"


def _function(member: Member, parameters: Sequence[Parameter], returns: str) -> str:
    first = {"instance": "self", "class": "cls"}.get(member.binding)
    if first is not None:
        only = bool(parameters) and parameters[0].kind == "positional-only"
        kind: ParameterKind = "positional-only" if only else "positional-or-keyword"
        parameters = [Parameter(first, kind), *parameters]
    text = spell(member.name, parameters, returns)
    word = (
        "async def"
        if member.kind in {"coroutine", "async generator", "async context manager"}
        else "def"
    )
    return f"{word} {text}: ..."
