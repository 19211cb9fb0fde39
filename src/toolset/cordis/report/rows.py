"""The sections about what is live: services, plugins, tools, temporary plugins."""

# Maintainers: one line a thing, sorted, so that two reports can be compared. The forms of the lines
# are a contract: docs/toolset.md shows them, test_inspect_rows.py holds them.

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from toolset.cordis.report.errors import InspectError
from toolset.cordis.report.snapshot import Snapshot, TemporaryPlugin
from toolset.runtime import Fiber, FiberState
from toolset.services.tools.wire import cut, some

__all__ = ["count_registered", "plugins", "services", "temporary", "temporary_row", "tools"]

_NO_TEMPORARY = (
    "No temporary plugin is mounted; temporary plugins end with the process and are never restored."
)


def services(snapshot: Snapshot) -> str:
    """List what is provided now, by key."""
    rows = sorted(
        f"- {one.key} (provided by {one.fiber.name}{_state_unless_active(one.fiber)})"
        for one in snapshot.registry.services()
    )
    if not rows:
        return "No service is live."
    return "\n".join(
        [*rows, 'All of these are live; what:"api" also names what is loadable but not running.']
    )


def _state_unless_active(fiber: Fiber) -> str:
    return "" if fiber.state is FiberState.ACTIVE else f", state: {fiber.state}"


def plugins(snapshot: Snapshot) -> str:
    """List every live fiber, a line an instance."""
    fibers = [fiber for fiber in snapshot.registry.fibers() if fiber.parent is not None]
    return "\n".join(sorted(_plugin_row(fiber) for fiber in fibers)) or "No plugin is mounted."


def _plugin_row(fiber: Fiber) -> str:
    row = f"- {fiber.name} [{fiber.state}]"
    return row if fiber.state is FiberState.ACTIVE else f"{row} — {_one_line(fiber.why())}"


def tools(snapshot: Snapshot) -> str:
    """List what the calling session can call."""
    rows = sorted(
        f"- {tool.name} — {cut(tool.description.strip().partition(chr(10))[0], _LONGEST)}"
        for tool in snapshot.tools()
    )
    return "\n".join(rows) or "No tool can be called from this session."


def temporary(snapshot: Snapshot, name: str | None) -> str:
    """List the mounted plugins; with a name, one of them and its source."""
    if name is None:
        return "\n".join(temporary_row(one) for one in snapshot.temporary) or _NO_TEMPORARY
    found = next((one for one in snapshot.temporary if one.id == name), None)
    if found is None:
        ids = some([one.id for one in snapshot.temporary])
        raise InspectError(f'no temporary plugin with id "{cut(name, _LONGEST)}"; mounted: {ids}')
    notes = [f"  note: {cut(note, _LONGEST)}" for note in found.notes]
    return "\n".join([temporary_row(found), *notes, *_fenced(found.source)])


def _fenced(source: str) -> Iterator[str]:
    fence = "```"
    while fence in source:
        fence += "`"
    yield f"{fence}python"
    yield source.rstrip("\n")
    yield fence


def temporary_row(one: TemporaryPlugin) -> str:
    """Say everything about a mounted plugin in one line."""
    fiber = one.fiber
    provides = some(fiber.provides())
    waiting = some(fiber.missing())
    failed = f"; {_one_line(fiber.why())}" if fiber.state is FiberState.FAILED else ""
    failures = f"; {one.failures}" if one.failures else ""
    return (
        f"- {one.id}: {fiber.name} [{fiber.state}] — provides: {provides}; waiting for: {waiting}; "
        f"registered: {count_registered(fiber)}{failed}{failures}; until unmounted or process exit"
    )


def count_registered(fiber: Fiber) -> str:
    """Count what a fiber has registered, by kind: `1 tool, 2 listeners`; `nothing` when none."""
    counts = Counter(kind for info in fiber.effects() if (kind := _kind_of(info.label)))
    parts = [
        f"{counts[kind]} {kind if counts[kind] == 1 else plural}"
        for kind, plural in _KINDS.items()
        if counts[kind]
    ]
    return ", ".join(parts) or "nothing"


_KINDS = {
    "tool": "tools",
    "listener": "listeners",
    "timer": "timers",
    "task": "tasks",
    "plugin": "plugins",
    "effect": "effects",
}
# Beginnings of the labels of a fiber's ledger. Services are not counted: their keys are shown.
_LABELS = {
    "ctx.provide(": "",
    "ctx.tools.": "tool",
    "tools.": "tool",
    "ctx.on(": "listener",
    "ctx.timer.": "timer",
    "timer.": "timer",
    "ctx.spawn(": "task",
    "plugin ": "plugin",
}


def _kind_of(label: str) -> str:
    return next((kind for start, kind in _LABELS.items() if label.startswith(start)), "effect")


_LONGEST = 1000


def _one_line(text: str) -> str:
    return cut(" ".join(text.split()), _LONGEST)
