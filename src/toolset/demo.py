"""A recorded agent extends a live runtime, step by step: what `toolset demo` plays."""

# Maintainers: the main job end to end on real parts; nothing here is mocked. A step names what must
# come of it, and one that did not do what it should ends the run with a non-zero status. It knows
# the services and the toolset like any host would, by their public faces.

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import NamedTuple, TextIO

from toolset import cordis
from toolset.demo_steps import STEPS, WORKSPACE, Step
from toolset.runtime import Context
from toolset.services.fs import FileSystem
from toolset.services.timer import Timer
from toolset.services.tools import ToolRegistry, ToolResult
from toolset.testing import Snapshot, snapshot

__all__ = ["main"]

_WIDTH = 92
_LINES = 18
_TITLED = sum(1 for step in STEPS if step.title)


class Failure(NamedTuple):
    """A step that did not do what it should.

    Attributes:
        step: The step's title.
        problem: What was expected and what came.
    """

    step: str
    problem: str


class Screen:
    """Writes the run for people: plain text in a log, a little colour on a terminal."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._colour = out.isatty() and "NO_COLOR" not in os.environ

    def write(self, text: str = "", *, style: str = "") -> None:
        """Write lines, in a style when the terminal has one."""
        painted = f"\x1b[{style}m{text}\x1b[0m" if style and self._colour else text
        self._out.write(f"{painted}\n")
        self._out.flush()

    def block(self, mark: str, text: str, *, style: str = "") -> None:
        """Write a text behind a mark, long lines wrapped, cut when it has many."""
        lines = text.rstrip("\n").splitlines() or [""]
        for line in lines[:_LINES]:
            for part in _wrapped(line):
                self.write(f"  {mark} {part}".rstrip(), style=style)
        if len(lines) > _LINES:
            self.write(f"  {mark} ... {len(lines) - _LINES} more lines", style=style)


def _wrapped(line: str) -> list[str]:
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    return textwrap.wrap(line, _WIDTH, subsequent_indent=indent, drop_whitespace=False) or [line]


def main() -> int:
    """Play the recorded run on standard output.

    Returns:
        0 when every step did what it should, else 1.
    """
    screen = Screen(sys.stdout)
    try:
        failures = asyncio.run(_play(screen))
    except KeyboardInterrupt:
        screen.write("interrupted; everything mounted was disposed")
        return 130
    screen.write()
    for failure in failures:
        screen.write(f"FAILED  {failure.step}: {failure.problem}", style="31")
    if failures:
        return 1
    screen.write("Every step did what it should.", style="32")
    return 0


async def _play(screen: Screen) -> list[Failure]:
    with tempfile.TemporaryDirectory(prefix="toolset-demo-") as folder:
        _fill(folder)
        async with Context() as ctx:
            await _boot(ctx, folder)
            screen.write("A runtime with tools, timer, fs and the toolset is running.")
            before = snapshot(ctx)
            failures = [failure async for failure in _steps(ctx, screen)]
            failures += _left_over(before, snapshot(ctx), screen)
    failures += _verify(screen)
    return failures


def _fill(folder: str) -> None:
    for name, text in WORKSPACE.items():
        Path(folder, name).write_text(text, encoding="utf-8", newline="\n")


async def _boot(ctx: Context, folder: str) -> None:
    await ctx.plugin(ToolRegistry)
    await ctx.plugin(Timer)
    await ctx.plugin(FileSystem, {"root": folder})
    await ctx.plugin(cordis)


async def _steps(ctx: Context, screen: Screen) -> AsyncIterator[Failure]:
    tools = _tools(ctx)
    number = 0
    for step in STEPS:
        if step.title:
            number += 1
            screen.write()
            screen.write(f"{number}. {step.title}", style="1")
        _show_call(screen, step)
        result = await tools.execute(step.tool, dict(step.arguments), session="demo")
        screen.block("<", result.text, style="31" if result.is_error else "36")
        problem = _problem(step, result)
        if problem:
            yield Failure(step.title, problem)


def _tools(ctx: Context) -> ToolRegistry:
    found = ctx.get("tools")
    if not isinstance(found, ToolRegistry):
        raise TypeError(f"the demo needs a ToolRegistry, got {found!r}")
    return found


def _show_call(screen: Screen, step: Step) -> None:
    plain = {key: value for key, value in step.arguments.items() if key != "code"}
    shown = ", ".join(f"{key}={value!r}" for key, value in plain.items())
    screen.write(f"  > {step.tool}({shown})", style="33")
    code = step.arguments.get("code")
    if isinstance(code, str):
        screen.block(">   ", textwrap.dedent(code).strip(), style="2")


def _problem(step: Step, result: ToolResult) -> str:
    if result.is_error is not step.fails:
        return f"it {'succeeded' if step.fails else 'failed'}: {result.text}"
    missing = [text for text in step.expects if text not in result.text]
    return f"expected {missing[0]!r} in: {result.text}" if missing else ""


def _left_over(before: Snapshot, after: Snapshot, screen: Screen) -> Iterator[Failure]:
    """Compare the runtime with what it was before the agent came."""
    screen.write()
    screen.write(f"{_TITLED + 1}. Nothing is left behind", style="1")
    if before == after:
        screen.block("<", "the runtime equals the one before the first mount", style="36")
        return
    yield Failure("nothing is left behind", f"before: {before}\nafter: {after}")


def _verify(screen: Screen) -> Iterator[Failure]:
    """Check that the catalog the agent read still says what the sources say."""
    screen.write()
    screen.write(f"{_TITLED + 2}. The catalog is what the sources say", style="1")
    if not _in_project():
        screen.block("<", "no project here: run `toolset catalog verify` where yours is")
        return
    screen.write("  > toolset catalog verify", style="33")
    command = [sys.executable, "-m", "toolset.cli", "catalog", "verify"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own
    screen.block("<", done.stdout or done.stderr, style="31" if done.returncode else "36")
    if done.returncode:
        yield Failure("the catalog is what the sources say", f"exit status {done.returncode}")


def _in_project() -> bool:
    """Tell whether the current folder configures a catalog."""
    try:
        text = Path("pyproject.toml").read_text(encoding="utf-8")
    except (OSError, ValueError):
        return False
    return "[tool.toolset.catalog]" in text
