"""The three model-facing tools: `cordis_inspect`, `cordis_mount`, `cordis_unmount`."""

# Maintainers: schemas, texts and cards; what the tools do is `report` and `mounts`. The texts are
# what a model knows of the toolset, so limits are stated here too.
# Invariant: names and the first line of each result are a contract (test_toolset_tools.py).

from __future__ import annotations

from collections.abc import Callable
from typing import Final, cast

from toolset.cordis.evaluate import LONGEST_CODE
from toolset.cordis.mounts import REGISTERED, Mounts
from toolset.cordis.report import DEFAULT_LIMIT, SECTIONS, Snapshot, render
from toolset.services.tools import (
    JsonObject,
    JsonValue,
    ToolAnnotations,
    ToolCall,
    ToolCard,
    ToolDefinition,
    define_tool,
)
from toolset.services.tools.wire import some

__all__ = ["inspect_tool", "mount_tool", "unmount_tool"]

_INSPECT: Final = """\
Report on the live plugin runtime you run in. Read-only.

Sections: services (what is provided, by whom), plugins (every instance and its state), tools (what \
you can call now), temporary (what was mounted with cordis_mount), api (exact signatures of the \
services a plugin can inject, the types they use, and what every plugin's ctx offers), events (every \
event, its mode, its listener's signature, who listens). Leave `what` out for all six.

Read `api` before writing a plugin, and name:"<service>" for the full documentation of one service. \
Rows say live, loadable (known but not running) or uncatalogued (running, known only from the object)."""

_MOUNT: Final = """\
Mount a temporary plugin from Python code, in the runtime you run in.

`code` is the body of an async Python function and must `return` a plugin: a function taking ctx \
(with optional attributes name and inject), a class taking ctx, or an object with apply(ctx):

    async def apply(ctx):
        @harness.tool
        async def count_lines(path: str) -> int:
            \"\"\"Count the lines of a file.

            Args:
                path: The file.
            \"\"\"
            return len((await ctx.fs.read_text(path)).splitlines())

        ctx.tools.register(count_lines)

    apply.name = "line-counter"
    apply.inject = ["fs"]
    return apply

Services come from ctx, declared in inject; cordis_inspect what:"api" shows their signatures. Files \
and time are services (fs and timer, and shell and web where the host provides them), not imports; \
pure standard modules can be imported. Everything registered through ctx is undone by cordis_unmount. A plugin whose \
services are missing is mounted as pending and starts when they appear. `replaces` swaps an earlier \
mount for this one; if the new one fails, the old one stays.

Code is checked against the known signatures before it runs. A tool that a mount registers can be \
called from your next step on; never wait for the end of the current call or turn inside it. Mounts \
end with the process and are never restored. This is no security boundary: injected services reach \
the real system, so treat mounting like shell access."""

_UNMOUNT: Final = """\
Unmount one temporary plugin by its id (dyn-1, ...), undoing everything it registered; returns when \
nothing of it runs any more. Configured and installed plugins cannot be unmounted."""


def inspect_tool(snapshot: Callable[[str | None], Snapshot]) -> ToolDefinition:
    """Make `cordis_inspect`.

    Args:
        snapshot: Looks at the live runtime as the given session sees it.

    Returns:
        The definition.
    """

    def execute(args: JsonObject, call: ToolCall) -> JsonValue:
        limit = args.get("limit")
        return render(
            snapshot(call.session),
            _text(args, "what"),
            _text(args, "name"),
            limit if isinstance(limit, int) else DEFAULT_LIMIT,
        )

    return define_tool(
        name="cordis_inspect",
        description=_INSPECT,
        parameters={
            "type": "object",
            "properties": {
                "what": {
                    "type": "string",
                    "enum": [*SECTIONS, "dynamic"],
                    "description": "One section; all six when left out. `dynamic` is `temporary`.",
                },
                "name": {
                    "type": "string",
                    "description": "With what api, events or temporary: exactly one service, event "
                    "or id, in full.",
                },
                "limit": {
                    "type": "integer",
                    "minimum": 1,
                    "description": f"Most characters to return, {DEFAULT_LIMIT} by default; a last "
                    "sentence, always whole, says what was left out.",
                },
            },
            "additionalProperties": False,
        },
        output={"schema": {"type": "string"}},
        execute=execute,
        present_call=_inspect_card,
        annotations=ToolAnnotations(read_only=True, idempotent=True, open_world=False),
    )


def _inspect_card(args: JsonObject) -> ToolCard:
    asked = [text for key in ("what", "name") if (text := _text(args, key)) is not None]
    return {
        "card": "generic",
        "kind": "read",
        "title": ": ".join(["Inspect cordis runtime", *asked]),
    }


def mount_tool(mounts: Mounts) -> ToolDefinition:
    """Make `cordis_mount`.

    Args:
        mounts: The manager.

    Returns:
        The definition.
    """

    async def execute(args: JsonObject) -> JsonValue:
        result = await mounts.mount(str(args["code"]), _text(args, "replaces"))
        return {
            "id": result.id,
            "plugin_name": result.plugin_name,
            "state": result.state,
            "provides": list(result.provides),
            "waiting_for": list(result.waiting_for),
            "notes": list(result.notes),
        }

    texts: JsonObject = {"type": "array", "items": {"type": "string"}}
    return define_tool(
        name="cordis_mount",
        description=_MOUNT,
        parameters={
            "type": "object",
            "properties": {
                "code": {
                    "type": "string",
                    "description": "Body of an async Python function that returns a plugin, at most "
                    f"{LONGEST_CODE:,} characters.",
                },
                "replaces": {
                    "type": "string",
                    "description": "Id of a temporary plugin to replace, such as dyn-1.",
                },
            },
            "required": ["code"],
            "additionalProperties": False,
        },
        output={
            "schema": {
                "type": "object",
                "properties": {
                    "id": {"type": "string"},
                    "plugin_name": {"type": "string"},
                    "state": {"type": "string"},
                    "provides": texts,
                    "waiting_for": texts,
                    "notes": texts,
                },
                "required": ["id", "plugin_name", "state", "provides", "waiting_for", "notes"],
                "additionalProperties": False,
            },
            "render": _mounted,
        },
        execute=execute,
        present_call=_mount_card,
        annotations=ToolAnnotations(read_only=False, open_world=True),
    )


def _mounted(_: JsonObject, value: JsonValue) -> str:
    """Say what was mounted; what it registered is in the value, what looks wrong is said."""
    result = cast("dict[str, str]", value)
    lists = cast("dict[str, list[str]]", value)
    state = result["state"]
    if lists["waiting_for"]:
        missing = some(lists["waiting_for"])
        state += f" — waiting for service(s): {missing} (activates when provided)"
    notes = [f"note: {note}" for note in lists["notes"] if not note.startswith(REGISTERED)]
    first = f'mounted {result["id"]} (plugin "{result["plugin_name"]}", state: {state})'
    return "\n".join([first, *notes])


def _mount_card(args: JsonObject) -> ToolCard:
    return {
        "card": "generic",
        "kind": "execute",
        "title": "Mount temporary plugin",
        "raw_input": args["code"],
    }


def unmount_tool(mounts: Mounts) -> ToolDefinition:
    """Make `cordis_unmount`.

    Args:
        mounts: The manager.

    Returns:
        The definition.
    """

    async def execute(args: JsonObject) -> JsonValue:
        mount_id = str(args["id"])
        return {"id": mount_id, "plugin_name": await mounts.unmount(mount_id)}

    return define_tool(
        name="cordis_unmount",
        description=_UNMOUNT,
        parameters={
            "type": "object",
            "properties": {
                "id": {"type": "string", "description": "Id of a temporary plugin, such as dyn-1."}
            },
            "required": ["id"],
            "additionalProperties": False,
        },
        output={
            "schema": {
                "type": "object",
                "properties": {"id": {"type": "string"}, "plugin_name": {"type": "string"}},
                "required": ["id", "plugin_name"],
                "additionalProperties": False,
            },
            "render": _unmounted,
        },
        execute=execute,
        present_call=_unmount_card,
        annotations=ToolAnnotations(read_only=False, destructive=True, open_world=False),
    )


def _unmounted(_: JsonObject, value: JsonValue) -> str:
    result = cast("dict[str, str]", value)
    return f'unmounted {result["id"]} (plugin "{result["plugin_name"]}")'


def _unmount_card(args: JsonObject) -> ToolCard:
    return {
        "card": "generic",
        "kind": "delete",
        "title": f"Unmount temporary plugin {args['id']}",
    }


def _text(args: JsonObject, key: str) -> str | None:
    value = args.get(key)
    return value if isinstance(value, str) else None
