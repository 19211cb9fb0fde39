"""The process that plugins are booted in: `python -m toolset_gen.boot_child FD`.

Reads one request a line from standard input and writes one report a line to the file descriptor.
"""

# Maintainers: the only module of the generator that runs the code it describes, and so the only one
# that imports the runtime. Whatever a plugin raises is its report, SystemExit included; whatever it
# prints goes nowhere. Each request gets a root context of its own.

from __future__ import annotations

import asyncio
import importlib
import json
import logging
import os
import signal
import sys
import traceback
from types import ModuleType, TracebackType
from typing import TypeAlias, cast

from toolset import Context
from toolset.catalog import SCHEMA_VERSION
from toolset.runtime import HasApply
from toolset.services.tools import ToolRegistry

__all__ = ["main"]

Report: TypeAlias = "dict[str, object]"


def main(descriptor: int) -> None:
    """Answer requests until standard input ends.

    Args:
        descriptor: Where reports are written.
    """
    logging.disable(logging.CRITICAL)
    with os.fdopen(descriptor, "w", encoding="utf-8") as pipe:
        for line in sys.stdin.buffer:
            request = cast("dict[str, object]", json.loads(line))
            _stand_in(cast("str", request["catalog"]), cast("str", request["typed_context"]))
            # A parent that was killed cannot end this process: a plugin that hangs must not outlive it.
            signal.alarm(cast("int", request["seconds"]) + 5)
            report = _answer(
                cast("str", request["plugin"]), cast("list[str]", request["providers"])
            )
            signal.alarm(0)
            pipe.write(json.dumps(report) + "\n")
            pipe.flush()


def _stand_in(catalog: str, typed_context: str) -> None:
    """Put empty modules in the place of the ones that are being generated."""
    empty: dict[str, object] = {
        "SCHEMA_VERSION": SCHEMA_VERSION,
        "SERVICE_API": {},
        "EVENT_API": {},
        "TYPE_API": {},
        "PLUGIN_API": {},
        "INHERITED_CTX_API": (),
    }
    for name, content in ((catalog, empty), (typed_context, {"Context": Context})):
        if name and name not in sys.modules:
            module = ModuleType(name)
            vars(module).update(content)
            sys.modules[name] = module


class _ImportFailedError(Exception):
    """A module cannot be imported.

    Args:
        wanted: The module that was to be imported.
        cause: What it raised.
    """

    def __init__(self, wanted: str, cause: BaseException) -> None:
        self.wanted = wanted
        self.cause = cause
        super().__init__(wanted)

    def report(self) -> Report:
        """Say which module failed, which may be one that the wanted one imports."""
        failed = _failed_module(self.cause.__traceback__) or self.wanted
        way = "" if failed == self.wanted else f" for {self.wanted!r}"
        reason = f"module {failed!r} could not be imported{way}: it raised {_said(self.cause)}"
        missing = self.cause.name if isinstance(self.cause, ModuleNotFoundError) else None
        return {
            **_failure(reason, self.cause.__traceback__),
            "unimported": failed,
            "missing": missing or "",
        }


def _failed_module(trace: TracebackType | None) -> str:
    """Name the innermost module whose body was being run."""
    found = ""
    while trace is not None:
        frame = trace.tb_frame
        if frame.f_code.co_name == "<module>" and "__spec__" in frame.f_globals:
            found = str(frame.f_globals.get("__name__", ""))
        trace = trace.tb_next
    return found


def _answer(plugin: str, providers: list[str]) -> Report:
    try:
        return asyncio.run(_boot(plugin, providers))
    except _ImportFailedError as failed:
        return failed.report()
    except BaseException as error:  # noqa: BLE001 - what a plugin raises, exits included, is the report
        return _failure(f"it raised {_said(error)}", error.__traceback__)


async def _boot(plugin: str, providers: list[str]) -> Report:
    async with Context() as ctx:
        for path in providers:
            provider = await ctx.plugin(_load(path))
            if provider.state != "active":
                return _failure(f"{path}, which it needs, is {provider.state}: {provider.why()}")
        before = _tools(ctx)
        fiber = await ctx.plugin(_load(plugin))
        await asyncio.sleep(0)
        if fiber.state != "active":
            return _failure(f"it is {fiber.state}: {fiber.why()}")
        after = _tools(ctx)
        return {
            "tools": [after[name] for name in sorted(after.keys() - before.keys())],
            "failure": "",
            "frames": [],
        }


def _load(path: str) -> HasApply:
    module, _, attribute = path.partition(":")
    try:
        found: object = importlib.import_module(module)
    except BaseException as error:  # SystemExit too
        raise _ImportFailedError(module, error) from error
    for name in filter(None, attribute.split(".")):
        found = getattr(found, name)
    return cast("HasApply", found)  # whatever it is: mounting refuses what is no plugin


def _tools(ctx: Context) -> dict[str, Report]:
    registry = ctx.get("tools")
    if not isinstance(registry, ToolRegistry):
        return {}
    found: dict[str, Report] = {}
    for schema in registry.schemas():
        definition = registry.get(schema.name)
        found[schema.name] = {
            "name": schema.name,
            "description": schema.description,
            "parameters": schema.parameters,
            "output": (definition.output or None) if definition is not None else None,
        }
    return found


def _failure(reason: str, trace: TracebackType | None = None) -> Report:
    frames = [[frame.filename, frame.lineno] for frame in traceback.extract_tb(trace)]
    return {"tools": [], "failure": reason, "frames": frames}


def _said(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


if __name__ == "__main__":
    main(int(sys.argv[1]))
