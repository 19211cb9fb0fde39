"""The importable artifact: a Python module that builds each entry on first use."""

# Maintainers: one private function an entry, keyword calls, one argument a line, and sorted indexes
# at the end: 400 KB of that import in a few milliseconds, and two branches that add entries merge.
# A member that several entries have, mostly by inheritance, has a function of its own: written out
# in each, the members of a deep hierarchy make the module ten times as large.

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple, cast

from toolset.catalog import SCHEMA_VERSION, Catalog, Member, ServiceEntry, TypeEntry
from toolset_gen.artifacts import MARK
from toolset_gen.emit import Data, Known, Named, emit, is_record, quote
from toolset_gen.render.environment import fill

__all__ = ["catalog_module"]


class _Function(NamedTuple):
    """A function of the module."""

    name: str
    record: str
    body: str


def catalog_module(catalog: Catalog, packages: tuple[str, ...]) -> str:
    """Write a catalog as a module.

    Args:
        catalog: What it holds; configurations and tools are left to the pages and the JSON.
        packages: The packages it was read from.

    Returns:
        Source that black leaves as it stands.
    """
    several = _several([*catalog.services, *catalog.types])
    shared = _functions("member", "Member", several)
    calls = {several[name]: Named(function.name) for name, function in shared.items()}
    groups: tuple[tuple[str, str, str, Mapping[str, tuple[Data, ...]]], ...] = (
        ("SERVICE_API", "service", "ServiceEntry", _calling(catalog.services, calls)),
        ("EVENT_API", "event", "EventEntry", {e.name: e for e in catalog.events}),
        ("TYPE_API", "type", "TypeEntry", _calling(catalog.types, calls)),
        ("PLUGIN_API", "plugin", "PluginEntry", {e.name: e for e in catalog.plugins}),
    )
    functions = [*shared.values()]
    indexes: list[str] = []
    for constant, prefix, record, entries in groups:
        named = _functions(prefix, record, entries)
        functions += named.values()
        indexes.append(_index(constant, record, {key: f.name for key, f in named.items()}))
    members: dict[str, tuple[Data, ...]] = {m.name: m for m in catalog.context}
    context = _functions("context", "Member", members)
    functions += context.values()
    indexes.append(_sequence("INHERITED_CTX_API", [f.name for f in context.values()]))
    names = {"Entries", "Member", *(group[2] for group in groups)}
    for spelled in (*(group[3] for group in groups), several, members):
        _add_names(spelled.values(), names)
    return fill(
        "api_catalog.py.j2",
        packages=packages,
        mark=MARK,
        imports=sorted(names),
        schema_version=SCHEMA_VERSION,
        functions=functions,
        indexes=indexes,
    )


def _several(entries: Iterable[ServiceEntry | TypeEntry]) -> dict[str, Member]:
    """Give the members that several entries have, by a name that no other has."""
    of_all = [member for entry in entries for member in entry.members]
    distinct = {id(member): member for member in of_all}
    counts: Counter[Member] = Counter()
    for identity, count in Counter(map(id, of_all)).items():
        counts[distinct[identity]] += count
    named: dict[str, Member] = {}
    for member in sorted(member for member, count in counts.items() if count > 1):
        name = member.path or member.name
        while name in named:
            name += "."
        named[name] = member
    return named


def _calling(
    entries: Iterable[ServiceEntry] | Iterable[TypeEntry], calls: Mapping[Member, Named]
) -> dict[str, tuple[Data, ...]]:
    """Give entries by key, with calls where members have a function: for `emit`, of no other use."""
    known: dict[int, Member | Named] = {}

    def call(member: Member) -> Member | Named:
        if id(member) not in known:
            known[id(member)] = calls.get(member, member)
        return known[id(member)]

    return {
        entry.key if isinstance(entry, ServiceEntry) else entry.path: entry._replace(
            members=cast("tuple[Member, ...]", tuple(map(call, entry.members)))
        )
        for entry in entries
    }


def _functions(
    prefix: str, record: str, entries: Mapping[str, tuple[Data, ...]]
) -> dict[str, _Function]:
    taken: set[str] = set()
    known: Known = {}
    functions: dict[str, _Function] = {}
    for key in sorted(entries):
        name = f"_{prefix}_{re.sub(r'[^A-Za-z0-9]+', '_', key).strip('_')}"
        while name in taken:
            name += "_"
        taken.add(name)
        body = emit(entries[key], indent=4, used=len("    return "), known=known)
        functions[key] = _Function(name, record, body)
    return functions


def _index(constant: str, record: str, names: dict[str, str]) -> str:
    head = f"{constant}: Entries[{record}] = Entries("
    if not names:
        return head + "{})"
    lines = "".join(f"        {quote(key)}: {name},\n" for key, name in names.items())
    return f"{head}\n    {{\n{lines}    }}\n)"


def _sequence(constant: str, names: list[str]) -> str:
    head = f"{constant}: tuple[Member, ...] = "
    if not names:
        return head + "()"
    if len(names) == 1:
        return f"{head}({names[0]}(),)"
    return head + "(\n" + "".join(f"    {name}(),\n" for name in names) + ")"


def _add_names(values: Iterable[Data], names: set[str]) -> None:
    """Collect the class names of all records that are spelled out, nested ones included."""
    for value in values:
        if isinstance(value, tuple) and value and not isinstance(value, Named):
            if is_record(value):
                names.add(type(value).__name__)
                defaults: dict[str, object] = getattr(value, "_field_defaults", {})
                fields: tuple[str, ...] = getattr(value, "_fields", ())
                named = zip(fields, value, strict=True)
                _add_names((v for n, v in named if n not in defaults or defaults[n] != v), names)
            else:
                _add_names(value, names)
