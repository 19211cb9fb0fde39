"""The importable artifact: a Python module that builds each entry on first use."""

# Maintainers: one private function an entry, keyword calls, one argument a line, and sorted indexes
# at the end: 400 KB of that import in a few milliseconds, and two branches that add entries merge.

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from toolset.catalog import SCHEMA_VERSION, Catalog
from toolset_gen.artifacts import MARK
from toolset_gen.emit import Data, Known, emit, is_record, quote
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
    groups: tuple[tuple[str, str, str, dict[str, tuple[Data, ...]]], ...] = (
        ("SERVICE_API", "service", "ServiceEntry", {e.key: e for e in catalog.services}),
        ("EVENT_API", "event", "EventEntry", {e.name: e for e in catalog.events}),
        ("TYPE_API", "type", "TypeEntry", {e.path: e for e in catalog.types}),
        ("PLUGIN_API", "plugin", "PluginEntry", {e.name: e for e in catalog.plugins}),
    )
    functions: list[_Function] = []
    indexes: list[str] = []
    for constant, prefix, record, entries in groups:
        named = _functions(prefix, record, entries)
        functions += named.values()
        indexes.append(_index(constant, record, {key: f.name for key, f in named.items()}))
    members: dict[str, tuple[Data, ...]] = {m.name: m for m in catalog.context}
    context = _functions("context", "Member", members)
    functions += context.values()
    indexes.append(_sequence("INHERITED_CTX_API", [f.name for f in context.values()]))
    records = [record for group in (*groups, ("", "", "", members)) for record in group[3].values()]
    return fill(
        "api_catalog.py.j2",
        packages=packages,
        mark=MARK,
        imports=sorted(
            {"Entries", "Member", *(group[2] for group in groups), *_names(records)},
        ),
        schema_version=SCHEMA_VERSION,
        functions=functions,
        indexes=indexes,
    )


def _functions(
    prefix: str, record: str, entries: dict[str, tuple[Data, ...]]
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


def _names(values: Iterable[Data]) -> Iterator[str]:
    """Give the class names of all records that are spelled out, nested ones included."""
    for value in values:
        if isinstance(value, tuple):
            if is_record(value):
                yield type(value).__name__
                defaults: dict[str, object] = getattr(value, "_field_defaults", {})
                fields: tuple[str, ...] = getattr(value, "_fields", ())
                named = zip(fields, value, strict=True)
                yield from _names(v for n, v in named if n not in defaults or defaults[n] != v)
            else:
                yield from _names(value)
