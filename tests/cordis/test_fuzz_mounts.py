"""Thousands of broken mounts: none hangs, none ends the host, none leaves anything behind."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import linecache
import logging
import os
import signal
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mutated import CODE, DEEP, DEPTHS, SCHEMAS

from toolset import Context, cordis
from toolset.cordis import errors, mount_errors
from toolset.services.fs import FileSystem
from toolset.services.timer import Timer
from toolset.services.tools import ToolRegistry, ToolResult
from toolset.services.tools import errors as tool_errors
from toolset.testing import snapshot

pytestmark = [
    # A mutation drops an `await` now and then, which Python warns about.
    pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning"),
    # A bound may strike in a callback of the collector, where Python can only print what was raised.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
EXAMPLES = int(os.environ.get("TOOLSET_FUZZ_EXAMPLES", "60"))
SETTINGS = settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    print_blob=True,
)
STRETCH, MOUNT = 0.1, 0.3  # the bounds, in seconds
# Both, the second that host code may take to finish, and the same for the end of it, on a busy machine.
LONGEST = 10.0
EXPECTED = {name for module in (errors, mount_errors, tool_errors) for name in module.__all__}


@pytest.fixture(autouse=True)
def silent():
    """Keep what the code prints, and the failures that it provokes, out of the way."""
    logging.disable(logging.CRITICAL)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield
    logging.disable(logging.NOTSET)


@asynccontextmanager
async def host(root: Path, *, patient: bool = False) -> AsyncIterator[Context]:
    """Run a host with everything the corpus injects; a patient one has the default bounds."""
    async with Context(stop_grace=0.2) as ctx:
        for plugin in (ToolRegistry, Timer):
            await ctx.plugin(plugin)
        await ctx.plugin(FileSystem, {"root": str(root)})
        bounds = {"vm_timeout_ms": int(STRETCH * 1000), "mount_timeout_ms": int(MOUNT * 1000)}
        await ctx.plugin(cordis, None if patient else bounds)
        yield ctx


def kept() -> object:
    """Say what the process keeps beside the runtime: lines, modules, tasks, the alarm."""
    return (
        [name for name in linecache.cache if name.startswith("<mount:")],
        [name for name in sys.modules if name.startswith("dyn-")],
        len(asyncio.all_tasks()),
        signal.getsignal(signal.SIGALRM),
        signal.getitimer(signal.ITIMER_REAL),
    )


async def call(ctx: Context, name: str, arguments: object) -> ToolResult:
    """Call a tool, which must end in its time and give a result that can be sent."""
    begun = time.perf_counter()
    result = await ctx.tools.execute(name, arguments)
    assert time.perf_counter() - begun < LONGEST, f"{name} took too long"
    json.dumps([result.text, result.value], allow_nan=False).encode()
    return result


async def mounted(ctx: Context, code: str) -> ToolResult:
    """Mount code, use whatever came of it, and take it away; nothing may be left."""
    before, around = snapshot(ctx), kept()
    tools = set(ctx.tools.names())
    result = await call(ctx, "cordis_mount", {"code": code})
    if result.is_error and result.meta["code"] == "failed":
        # Or it was mounted, and a listener of its own then spoilt the result.
        spoilt = " while " in result.text or "listener" in result.text
        assert spoilt or result.meta.get("error") in EXPECTED, result.text
    if not result.is_error:
        await call(ctx, "cordis_inspect", {"what": "temporary", "name": "dyn-1"})
        for name in sorted(set(ctx.tools.names()) - tools):
            await call(ctx, name, {})
            await call(ctx, name, {"text": "a", "path": "b", "name": "c", "n": 1})
    # Also after an error: a listener of its own may have hidden that it is mounted.
    ended = await call(ctx, "cordis_unmount", {"id": "dyn-1"})
    assert not ended.is_error or "no temporary plugin" in ended.text, ended.text
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert snapshot(ctx) == before
    assert kept() == around
    return result


def play(root: Path, code: str, *, patient: bool = False) -> ToolResult:
    """Mount code in a host of its own."""

    async def main() -> ToolResult:
        async with host(root, patient=patient) as ctx:
            return await mounted(ctx, code)

    return asyncio.run(main())


def test_mutated_code_leaves_nothing(tmp_path: Path) -> None:
    """Correct plugins, cut up and poisoned, end in their time and leave the host as it was."""

    @SETTINGS
    @given(CODE)
    def check(code: str) -> None:
        play(tmp_path, code)

    check()


TOOL = """
def apply(ctx):
    ctx.on("fuzz/first", print)
    ctx.tools.register(harness.define_tool(
        name="fuzzed", description="A tool.", parameters={parameters!r},
        output={{"schema": {output!r}, "render": lambda args, value: str(value)}},
        execute=lambda args: {value!r},
    ))
return apply
"""


def test_generated_schemas_leave_nothing(tmp_path: Path) -> None:
    """Schemas of any shape are taken or refused by name; a tool that is taken can be listed and called."""

    @SETTINGS
    @given(SCHEMAS, SCHEMAS, SCHEMAS)
    def check(parameters: object, output: object, value: object) -> None:
        code = TOOL.format(parameters=parameters, output=output, value=value)
        result = play(tmp_path, code, patient=True)
        if result.is_error:
            assert "fuzzed" in result.text or "surrogate" in result.text

    check()


@pytest.mark.parametrize("shape", DEEP)
def test_deep_code_leaves_nothing(tmp_path: Path, shape: str) -> None:
    """Code of any depth is mounted or refused in a sentence, and never runs into the recursion limit."""

    async def main() -> None:
        for depth in DEPTHS:
            async with host(tmp_path) as ctx:
                code = f"def apply(ctx): ctx.on('a/b', print)\n{DEEP[shape](depth)}\nreturn apply"
                result = await mounted(ctx, code)
                assert "RecursionError" not in result.text

    asyncio.run(main())


@given(st.text(max_size=60) | st.binary(max_size=60).map(lambda raw: raw.decode("latin-1")))
@settings(parent=SETTINGS)
def test_any_text_is_answered(code: str) -> None:
    """Text that is no code at all is refused."""
    assert play(Path.cwd(), code).is_error
