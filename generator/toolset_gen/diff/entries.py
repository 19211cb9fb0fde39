"""Two catalogs compared, entry by entry."""

# Maintainers: says what is part of the public surface. Prose, producers, listeners and who provides what
# are not: they may change with every commit.

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias, TypeVar, cast

from toolset.catalog import (
    Catalog,
    ConfigEntry,
    EventEntry,
    Parameter,
    PluginEntry,
    ServiceEntry,
    ToolEntry,
    TypeEntry,
)
from toolset_gen.diff.changes import Change, same_type
from toolset_gen.diff.fields import compare_fields
from toolset_gen.diff.signatures import (
    compare_member,
    compare_members,
    default_change,
    deprecation,
)

__all__ = ["compare"]

_E = TypeVar("_E")
_Json: TypeAlias = "dict[str, object]"
# What a schema says for readers alone.
_PROSE = frozenset({"$comment", "default", "deprecated", "description", "examples", "title"})


def compare(old: Catalog, new: Catalog) -> tuple[Change, ...]:
    """Find what changed in the public surface.

    Args:
        old: The catalog as it was.
        new: As it is.

    Returns:
        The changes by kind and name, those of one thing in the order of its parts.
    """
    return (
        *compare_members("context", "ctx", old.context, new.context),
        *_each("service", old.services, new.services, lambda e: e.key, _service),
        *_each("event", old.events, new.events, lambda e: e.name, _event),
        *_each("type", old.types, new.types, lambda e: e.path, _type),
        *_each("plugin", old.plugins, new.plugins, lambda e: e.name, _plugin),
        *_each("config", old.configs, new.configs, lambda e: e.plugin, _config),
        *_each("tool", old.tools, new.tools, lambda e: e.name, _tool),
    )


def _each(
    kind: str,
    old: Iterable[_E],
    new: Iterable[_E],
    name_of: Callable[[_E], str],
    compared: Callable[[_E, _E], Iterator[Change]],
) -> Iterator[Change]:
    before, after = {name_of(e): e for e in old}, {name_of(e): e for e in new}
    for name in sorted({*before, *after}):
        if name not in after:
            yield Change(kind, name, "removed", breaking=True)
        elif name not in before:
            yield Change(kind, name, "added")
        else:
            yield from compared(before[name], after[name])


def _service(old: ServiceEntry, new: ServiceEntry) -> Iterator[Change]:
    if old.path != new.path:
        yield Change("service", new.key, "changed", "class", old.path, new.path, breaking=True)
    yield from deprecation("service", new.key, old.deprecated, new.deprecated)
    yield from compare_members("service", new.key, old.members, new.members)


def _event(old: EventEntry, new: EventEntry) -> Iterator[Change]:
    def change(detail: str, before: str, after: str, *, breaking: bool = True) -> Change:
        return Change("event", new.name, "changed", detail, before, after, breaking=breaking)

    if old.path != new.path:
        yield change("declaration", old.path, new.path)
    if old.mode != new.mode:
        yield change("mode", old.mode, new.mode)
    if old.is_async != new.is_async:
        words = {True: "async", False: "sync"}
        yield change(f"is now {words[new.is_async]}", words[old.is_async], words[new.is_async])
    yield from _passed(new.name, old.parameters, new.parameters)
    if not same_type(old.returns.annotation, new.returns.annotation):
        yield change("what listeners return", old.returns.annotation, new.returns.annotation)
    yield from deprecation("event", new.name, old.deprecated, new.deprecated)


def _passed(name: str, old: Sequence[Parameter], new: Sequence[Parameter]) -> Iterator[Change]:
    """Compare what a dispatch passes: by position, to listeners and by dispatchers, so nothing may change."""

    def change(detail: str, before: str, after: str, *, breaking: bool = True) -> Change:
        return Change("event", name, "changed", detail, before, after, breaking=breaking)

    if len(old) != len(new):
        yield change("parameters", ", ".join(p.name for p in old), ", ".join(p.name for p in new))
        return
    for was, now in zip(old, new, strict=True):
        if was.name != now.name:
            detail = f"parameter {was.name!r} is renamed"
            yield change(detail, was.name, now.name, breaking=was.kind == "keyword-only")
        if not same_type(was.annotation, now.annotation):
            yield change(f"parameter {now.name!r}: type", was.annotation, now.annotation)
        if was.kind != now.kind:
            yield change(f"parameter {now.name!r}: how it is passed", was.kind, now.kind)
        if was.required != now.required:
            words = {True: "required", False: "optional"}
            detail = f"parameter {now.name!r} is now {words[now.required]}"
            yield change(detail, words[was.required], words[now.required], breaking=now.required)
        elif was.default != now.default:
            yield from default_change("event", f"{name}, {now.name}", was.default, now.default)


def _type(old: TypeEntry, new: TypeEntry) -> Iterator[Change]:
    def change(detail: str, before: str, after: str, *, breaking: bool = True) -> Change:
        return Change("type", new.path, "changed", detail, before, after, breaking=breaking)

    if old.kind != new.kind:
        yield change("kind", old.kind, new.kind)
    if old.frozen != new.frozen:
        words = {True: "immutable", False: "mutable"}
        detail = f"is now {words[new.frozen]}"
        yield change(detail, words[old.frozen], words[new.frozen], breaking=new.frozen)
    shaped = [*old.fields, *old.members, *new.fields, *new.members]
    if not shaped and old.declaration != new.declaration:
        yield change("declaration", old.declaration, new.declaration)
    yield from compare_fields("type", new.path, old.fields, new.fields, read=True)
    yield from compare_members("type", new.path, old.members, new.members)
    plain = not old.fields and not new.fields  # else the fields have said it
    if plain and old.constructor is not None and new.constructor is not None:
        yield from compare_member("type", new.path, old.constructor, new.constructor)
    elif (old.constructor is None) != (new.constructor is None):
        words = {True: "cannot be called", False: "can be called"}
        before, after = (words[e.constructor is None] for e in (old, new))
        yield change(f"{after} now", before, after, breaking=new.constructor is None)


def _plugin(old: PluginEntry, new: PluginEntry) -> Iterator[Change]:
    def change(detail: str, before: str, after: str, *, breaking: bool = True) -> Change:
        return Change("plugin", new.name, "changed", detail, before, after, breaking=breaking)

    if old.path != new.path:
        yield change("import path", old.path, new.path)
    if old.config != new.config:
        yield change("configuration", old.config, new.config, breaking=False)
    for key in sorted({*new.inject} - {*old.inject}):
        yield change("requires a service", "", key)
    for key in sorted({*old.inject} - {*new.inject}):
        yield change("no longer requires a service", key, "", breaking=False)
    for key in sorted({*old.optional} ^ {*new.optional}):
        pair = (key, "") if key in old.optional else ("", key)
        yield change("optional services", *pair, breaking=False)
    for key in sorted({*old.provides} - {*new.provides}):
        yield change("no longer provides a service", key, "")
    for key in sorted({*new.provides} - {*old.provides}):
        yield change("provides a service", "", key, breaking=False)


def _config(old: ConfigEntry, new: ConfigEntry) -> Iterator[Change]:
    if old.extra != new.extra:
        yield Change(
            "config",
            new.plugin,
            "changed",
            "unknown keys",
            old.extra,
            new.extra,
            breaking=new.extra == "forbid",
        )
    yield from compare_fields("config", new.plugin, old.fields, new.fields)


def _tool(old: ToolEntry, new: ToolEntry) -> Iterator[Change]:
    yield from _arguments(new.name, _loaded(old.parameters), _loaded(new.parameters))
    if _loaded(old.output) != _loaded(new.output):
        yield Change(
            "tool", new.name, "changed", "output schema", old.output, new.output, breaking=True
        )


def _arguments(name: str, old: object, new: object) -> Iterator[Change]:
    before, after = _part(old, "properties"), _part(new, "properties")
    needed = set(cast("list[str]", _object(new).get("required", [])))
    was_needed = set(cast("list[str]", _object(old).get("required", [])))
    for key in sorted({*before, *after}):
        label = f"{name}.{key}"
        if key not in after:
            yield Change("tool", label, "removed", old=_text(before[key]), breaking=True)
        elif key not in before:
            breaking = key in needed
            yield Change("tool", label, "added", new=_text(after[key]), breaking=breaking)
        elif before[key] != after[key]:
            texts = _text(before[key]), _text(after[key])
            yield Change("tool", label, "changed", "schema", *texts, breaking=True)
        elif (key in needed) != (key in was_needed):
            word = "required" if key in needed else "optional"
            breaking = key in needed
            yield Change("tool", label, "changed", f"is now {word}", breaking=breaking)
    rest = [
        {
            key: value
            for key, value in _object(schema).items()
            if key not in {"properties", "required"}
        }
        for schema in (old, new)
    ]
    if rest[0] != rest[1]:
        texts = _text(rest[0]), _text(rest[1])
        yield Change("tool", name, "changed", "schema of the arguments", *texts, breaking=True)


def _loaded(text: str) -> object:
    return _without_prose(json.loads(text)) if text else None


def _without_prose(value: object) -> object:
    """Drop what a schema says for readers; the names of properties stay, whatever they are."""
    if isinstance(value, list):
        return [_without_prose(item) for item in cast("list[object]", value)]
    if not isinstance(value, dict):
        return value
    found: _Json = {}
    for key, item in cast("_Json", value).items():
        if key in {"properties", "$defs"} and isinstance(item, dict):
            named = cast("_Json", item)
            found[key] = {name: _without_prose(schema) for name, schema in named.items()}
        elif key not in _PROSE:
            found[key] = _without_prose(item)
    return found


def _object(value: object) -> _Json:
    return cast("_Json", value) if isinstance(value, dict) else {}


def _part(value: object, key: str) -> _Json:
    return _object(_object(value).get(key))


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
