"""What mounted code is given on its context, on `ctx.tools` and on `harness`."""

# Maintainers: describes what the façade gives, for the preflight and the report; whether a name is
# really given or withheld is the façade's doing, and test_world.py holds the two together.

from __future__ import annotations

from typing import Final

from toolset.catalog import Catalog, Member, Parameter
from toolset.cordis import live
from toolset.runtime import Context
from toolset.services.tools import define_tool, tool

__all__ = [
    "CONTEXT_NAMES",
    "GIVEN",
    "TIMER_NAMES",
    "WITHHELD",
    "context_members",
    "harness_members",
]

CONTEXT_NAMES: Final = (
    *("bail", "config", "effect", "emit", "get", "logger", "on", "once", "parallel"),
    *("provide", "serial", "spawn", "waterfall"),
)
TIMER_NAMES: Final = ("debounce", "set_interval", "set_timeout", "sleep", "throttle")
GIVEN: Final = {"tools": frozenset({"get", "register", "schemas"})}
WITHHELD: Final = frozenset(
    {name for name in dir(Context) if not name.startswith("_")} | {"parent"}
).difference(CONTEXT_NAMES)


def context_members(catalog: Catalog, mixed_in: frozenset[str]) -> dict[str, Member]:
    """Describe what code is given on `ctx`.

    Args:
        catalog: Its description of the context is preferred: it has documentation in parts.
        mixed_in: Members that services forward to the context now.

    Returns:
        Members by name, sorted.
    """
    own = {member.name: member for member in live.describe_members(Context)}
    own.update((member.name, member) for member in catalog.context)
    timer = next((entry for entry in catalog.services if entry.key == "timer"), None)
    helpers = {m.name: m for m in (() if timer is None else timer.members)}
    found: dict[str, Member] = {name: own[name] for name in CONTEXT_NAMES if name in own}
    for name in TIMER_NAMES:
        if name in helpers or name in mixed_in:
            found[name] = helpers.get(name, _ANYTHING._replace(name=name, signature=f"{name}(...)"))
    return dict(sorted(found.items()))


_ANYTHING: Final = Member(
    "",
    "function",
    "",
    parameters=(
        Parameter("args", "var-positional", required=False),
        Parameter("kwargs", "var-keyword", required=False),
    ),
)


def harness_members() -> dict[str, Member]:
    """Describe what code is given on `harness`.

    Returns:
        Members by name.
    """
    described = {
        "define_tool": live.describe_function("define_tool", define_tool),
        "tool": live.describe_function("tool", tool),
    }
    register = Member(
        "register_tool",
        "function",
        "register_tool(ctx, definition)",
        parameters=(Parameter("ctx"), Parameter("definition")),
    )
    return {**described, "register_tool": register}
