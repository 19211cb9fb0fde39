"""The section `api`: what services can be called, whether live or loadable."""

# Maintainers: the join itself is `Knowledge`; this gives it words. Every row says live, loadable or
# uncatalogued, so that something absent is never taken for something that does not exist.

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolset.catalog import ServiceEntry
from toolset.cordis.knowledge import Known
from toolset.cordis.report import prose
from toolset.cordis.report.errors import NotRunningError, UnknownNameError
from toolset.cordis.report.snapshot import Snapshot

__all__ = ["api"]


def api(snapshot: Snapshot, name: str | None) -> str:
    """Show every service's signatures; with a name, one service and its whole documentation."""
    return "\n".join(_overview(snapshot) if name is None else _one(snapshot, name))


def _overview(snapshot: Snapshot) -> Iterator[str]:
    knowledge = snapshot.knowledge
    keys = sorted(knowledge.live)
    found = [(key, known) for key in keys if (known := knowledge.service(key)) is not None]
    refs: list[str] = []
    for key, known in found:
        yield _row(snapshot, key, known)
        yield from prose.member_rows(known.entry.members, "  ")
        yield from _for_mounts(snapshot, key)
        refs.extend(prose.refs_of(known.entry.members))
    if not found:
        yield "No service is live."
    yield f"not running (loadable): {_loadable(snapshot)}"
    refs.extend(prose.refs_of(knowledge.context.values()))
    shapes = list(prose.type_block(knowledge.catalog, refs))
    if shapes:
        yield "Types that these signatures refer to:"
        yield from shapes
    yield "Every plugin's `ctx`, besides the services it injects:"
    yield from prose.member_rows(knowledge.context.values())
    yield from _names_given(snapshot)
    yield 'Ask with name:"<service>" for one service with its documentation.'


# What a tool is made of stands here, beside the signatures: a model reads it before it writes one.
_FORMS: Final = """\
Names that mounted code is given without an import:
  @harness.tool above a function with annotations and a docstring (with `Args:`) makes a tool
  harness.define_tool(name="reverse", description="Reverse a text.",
    parameters={"text": {"type": "string", "required": True, "description": "The text."}},
    output={"schema": {"type": "string"}},  # and optionally "render": lambda args, value: "..."
    execute=lambda args: args["text"][::-1])  # sync or async, (args) or (args, call)
  harness.register_tool(ctx, tool) in `apply`, or ctx.tools.register(tool); it is no decorator
  @event("scope/name", mode="emit") above a function declares an event
  class Greeter(Service, key="greeter") is a plugin that provides itself
  print(...), console.log/info/debug/warn/error(...) write to the host's output"""


def _names_given(snapshot: Snapshot) -> Iterator[str]:
    """Say what mounted code is given besides its `ctx`."""
    yield _FORMS
    for member in snapshot.knowledge.harness.values():
        yield f"  - `harness.{member.signature}`"


def _row(snapshot: Snapshot, key: str, known: Known) -> str:
    if known.state == "live":
        return f"- {key} [live] — {known.entry.summary or known.entry.class_name}"
    owner = snapshot.knowledge.live[key].owner
    return (
        f"- {key} [live, uncatalogued] — {known.entry.class_name}, provided by {owner}; "
        f"signatures read off the live object{'' if known.complete else ', which may have more'}"
    )


def _for_mounts(snapshot: Snapshot, key: str) -> Iterator[str]:
    """Say in what mounted code sees a service otherwise than it is."""
    knowledge = snapshot.knowledge
    given, forwarded = knowledge.given.get(key, {}), knowledge.forwarded.get(key, {})
    if given:
        yield "  mounted code is given of it, without declaring it:"
        yield from prose.member_rows(given.values(), "  ")
    if forwarded:
        names = ", ".join(f"ctx.{name}" for name in forwarded)
        yield f"  adds to the ctx of plugins that declare it: {names}"


def _loadable(snapshot: Snapshot) -> str:
    knowledge = snapshot.knowledge
    rows = [
        f"{entry.key} (plugin {entry.plugin})" if entry.plugin else entry.key
        for entry in knowledge.catalog.services
        if entry.key not in knowledge.live
    ]
    return ", ".join(rows) or "none"


def _one(snapshot: Snapshot, name: str) -> Iterator[str]:
    knowledge = snapshot.knowledge
    known = knowledge.service(name)
    if known is None and name == "harness":
        yield from _names_given(snapshot)
        for member in knowledge.harness.values():
            yield from prose.member_doc(member)
        return
    if known is None and name == "ctx":
        for member in knowledge.context.values():
            yield from prose.member_doc(member)
        yield from _names_given(snapshot)
        return
    if known is None:
        raise UnknownNameError("service", name, knowledge.service_keys())
    if known.state == "loadable":
        raise NotRunningError(name, known.entry.plugin, known.entry.path)
    yield from _full(snapshot, name, known, known.entry)


def _full(snapshot: Snapshot, name: str, known: Known, entry: ServiceEntry) -> Iterator[str]:
    yield _row(snapshot, name, known)
    if known.state == "live":
        yield f"  provided by {snapshot.knowledge.live[name].owner}"
    if entry.description:
        yield entry.description
    given = snapshot.knowledge.given.get(name, {})
    if given:  # first: what a reader of this can use
        yield "What mounted code is given of it, without declaring it:"
        for member in given.values():
            yield from prose.member_doc(member)
        yield "The host's own members, as installed plugins see them (withheld from mounted code):"
    for member in entry.members:
        yield from prose.member_doc(member)
    if not given:
        yield from _for_mounts(snapshot, name)
    yield from prose.type_block(snapshot.knowledge.catalog, prose.refs_of(entry.members))
