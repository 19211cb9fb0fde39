"""What mounted code is given on its context, on `ctx.tools` and on `harness`, as records."""

# Maintainers: describes what the façade gives, for the preflight and the report. It reads the façade's
# own classes, so a member added there is known here.

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from toolset.catalog import Catalog, Member
from toolset.cordis import live
from toolset.cordis.facade import MountContext
from toolset.cordis.harness import Harness
from toolset.cordis.mount_tools import MountTools
from toolset.runtime import Context

__all__ = [
    "TIMER",
    "WITHHELD",
    "context_members",
    "given_members",
    "harness_members",
    "helper_members",
]

TIMER: Final = "timer"
_HELPERS: Final = frozenset({"debounce", "set_interval", "set_timeout", "sleep", "throttle"})
WITHHELD: Final = frozenset(
    {name for name in dir(Context) if not name.startswith("_")}
    | {"children", "events", "parent", "scope"}
).difference(vars(MountContext))


def context_members(catalog: Catalog) -> dict[str, Member]:
    """Describe what code is given on `ctx` without declaring anything.

    Args:
        catalog: Its prose about the context is shown where it has any.

    Returns:
        Members by name, sorted.
    """
    prose = {member.name: member for member in catalog.context}
    found: dict[str, Member] = {}
    for member in live.describe_members(MountContext):
        known = prose.get(member.name)
        found[member.name] = (
            member
            if known is None or known.kind != member.kind
            else member._replace(summary=known.summary, returns=known.returns)
        )
    return found


def helper_members(timer: Mapping[str, Member]) -> dict[str, Member]:
    """Describe what the timer adds to `ctx` for plugins that declare it.

    Args:
        timer: Members of the timer service.

    Returns:
        Members by name, sorted.
    """
    return {name: timer[name] for name in sorted(_HELPERS) if name in timer}


def given_members() -> dict[str, dict[str, Member]]:
    """Describe the services of which mounted code is given a part only.

    Returns:
        Their members by name, by key.
    """
    return {"tools": {member.name: member for member in live.describe_members(MountTools)}}


def harness_members() -> dict[str, Member]:
    """Describe what code is given on `harness`.

    Returns:
        Members by name.
    """
    return {member.name: member for member in live.describe_members(Harness)}
