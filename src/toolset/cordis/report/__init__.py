"""The read-only report on the live runtime and its catalogs."""

# Layers, downwards only: api, events, rows > prose, snapshot > errors.
# Sections are joined here and cut here; nothing else knows of the limit. Reporting changes nothing.

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from toolset.cordis.report.api import api
from toolset.cordis.report.errors import InspectError, NotRunningError, UnknownNameError
from toolset.cordis.report.events import events
from toolset.cordis.report.rows import plugins, services, temporary, tools
from toolset.cordis.report.snapshot import Snapshot, TemporaryPlugin, ToolRow
from toolset.services.tools.wire import brief

__all__ = [
    "DEFAULT_LIMIT",
    "SECTIONS",
    "InspectError",
    "NotRunningError",
    "Snapshot",
    "TemporaryPlugin",
    "ToolRow",
    "UnknownNameError",
    "render",
]

DEFAULT_LIMIT: Final = 60_000

_PLAIN: Final[Mapping[str, Callable[[Snapshot], str]]] = MappingProxyType(
    {"services": services, "plugins": plugins, "tools": tools}
)
_NAMED: Final[Mapping[str, Callable[[Snapshot, str | None], str]]] = MappingProxyType(
    {"temporary": temporary, "api": api, "events": events}
)
_ALIASES: Final = MappingProxyType({"dynamic": "temporary"})
SECTIONS: Final = (*_PLAIN, *_NAMED)


def render(
    snapshot: Snapshot,
    what: str | None = None,
    name: str | None = None,
    limit: int = DEFAULT_LIMIT,
) -> str:
    """Write the report.

    Args:
        snapshot: What it is made of.
        what: One section, or None for all six; `dynamic` means `temporary`.
        name: One service of `api`, event of `events` or id of `temporary`, exactly.
        limit: How many characters to give at most; the sentence that says what was left out
            comes whole, also where it is longer.

    Returns:
        Markdown: for each section `## <section>`, a newline and its body, a blank line between.

    Raises:
        UnknownNameError: There is no such section, service or event.
        NotRunningError: The service is catalogued but not live.
        InspectError: The section takes no name, or there is no such temporary plugin.
    """
    section = None if what is None else _ALIASES.get(what, what)
    if section is not None and section not in SECTIONS:
        raise UnknownNameError("section", section, SECTIONS)
    if name is not None and section not in _NAMED:
        raise InspectError(
            f"name {brief(name)} needs a section that takes one; "
            f"pass what as one of: {', '.join(_NAMED)}"
        )
    bodies = {one: _body(snapshot, one, name) for one in ([section] if section else SECTIONS)}
    return _cut(bodies, limit)


def _body(snapshot: Snapshot, section: str, name: str | None) -> str:
    if section in _PLAIN:
        return _PLAIN[section](snapshot)
    return _NAMED[section](snapshot, name)


def _cut(bodies: Mapping[str, str], limit: int) -> str:
    parts = {section: f"## {section}\n{body}" for section, body in bodies.items()}
    whole = "\n\n".join(parts.values())
    if len(whole) <= limit:
        return whole
    room = max(limit - len(_left_out(len(whole), list(parts))) - 1, 0)
    kept = whole[:room]
    kept = kept[: kept.rfind("\n") + 1]
    end = 0
    missing: list[str] = []
    for section, part in parts.items():
        end += len(part)
        if end > len(kept):
            missing.append(section)
        end += 2
    # Whole, whatever the limit: it says how to get the rest.
    return f"{kept}{_left_out(len(whole) - len(kept), missing)}"


def _left_out(count: int, sections: list[str]) -> str:
    ask = ", ".join(f'what:"{section}"' for section in sections)
    return (
        f"[left out: {count} characters of {', '.join(sections)}; ask for less with {ask}, "
        "or name:, or for more with a larger limit]"
    )
