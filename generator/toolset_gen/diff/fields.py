"""Fields of configurations and record types compared, with their constraints."""

# Maintainers: a field is given by users and read by code. What bounds its values may be loosened.

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator

from toolset.catalog import Field
from toolset_gen.diff.changes import Change, covers, same_type
from toolset_gen.diff.signatures import default_change

__all__ = ["compare_fields"]

# Constraint to whether a new bound takes every value that an old one took.
_LOOSER: dict[str, Callable[[float, float], bool]] = {
    "ge": lambda old, new: new <= old,
    "gt": lambda old, new: new <= old,
    "min_length": lambda old, new: new <= old,
    "le": lambda old, new: new >= old,
    "lt": lambda old, new: new >= old,
    "max_length": lambda old, new: new >= old,
}


def compare_fields(
    kind: str, owner: str, old: Iterable[Field], new: Iterable[Field], *, read: bool = False
) -> Iterator[Change]:
    """Compare the fields of a class.

    Args:
        kind: What the class is to its users.
        owner: What it is called.
        old: Its fields as they were.
        new: As they are.
        read: Whether users read the fields too, so that a wider type breaks them.

    Yields:
        The changes, by name.
    """
    before, after = {f.name: f for f in old}, {f.name: f for f in new}
    for name in sorted({*before, *after}):
        label = f"{owner}.{name}"
        if name not in after:
            yield Change(kind, label, "removed", old=_spell(before[name]), breaking=True)
        elif name not in before:
            needed = after[name].required and after[name].init
            yield Change(kind, label, "added", new=_spell(after[name]), breaking=needed)
        else:
            yield from _field(kind, label, before[name], after[name], read=read)


def _spell(field: Field) -> str:
    text = f"{field.name}: {field.annotation}" if field.annotation else field.name
    return text if field.required or not field.default else f"{text} = {field.default}"


def _field(kind: str, label: str, old: Field, new: Field, *, read: bool) -> Iterator[Change]:
    def change(detail: str, before: str, after: str, *, breaking: bool) -> Change:
        return Change(kind, label, "changed", detail, before, after, breaking=breaking)

    if old.required != new.required:
        words = {True: "required", False: "optional"}
        detail = f"is now {words[new.required]}"
        yield change(detail, words[old.required], words[new.required], breaking=new.required)
    if not same_type(old.annotation, new.annotation):
        fine = covers(new.annotation, old.annotation) and not read
        yield change("type", old.annotation, new.annotation, breaking=not fine)
    elif sorted(old.type_refs) != sorted(new.type_refs):
        refs = ", ".join(old.type_refs), ", ".join(new.type_refs)
        yield change("what its type is", refs[0], refs[1], breaking=True)
    if not old.required and not new.required:
        yield from default_change(kind, label, _default(old), _default(new))
    if old.key != new.key:
        yield change("key in input", old.key or old.name, new.key or new.name, breaking=True)
    if old.init != new.init:
        words = {True: "given to the constructor", False: "not given to the constructor"}
        detail = f"is now {words[new.init]}"
        yield change(detail, words[old.init], words[new.init], breaking=not new.init)
    yield from _constraints(kind, label, old.constraints, new.constraints)


def _default(field: Field) -> str:
    return f"{field.default}()" if field.factory else field.default


def _constraints(kind: str, label: str, old: Iterable[str], new: Iterable[str]) -> Iterator[Change]:
    before = {name: value for name, _, value in (item.partition("=") for item in old)}
    after = {name: value for name, _, value in (item.partition("=") for item in new)}
    for name in sorted({*before, *after}):
        was, now = before.get(name), after.get(name)
        if was != now:
            yield Change(
                kind,
                label,
                "changed",
                f"constraint `{name}`",
                was or "",
                now or "",
                breaking=now is not None and not _is_looser(name, was, now),
            )


def _is_looser(name: str, old: str | None, new: str) -> bool:
    if old is None or name not in _LOOSER:
        return False
    try:
        values: list[object] = [ast.literal_eval(old), ast.literal_eval(new)]
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False
    numbers = [value for value in values if isinstance(value, int | float)]
    return len(numbers) == len(values) and _LOOSER[name](numbers[0], numbers[1])
