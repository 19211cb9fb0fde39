"""The approval example: a person says yes or no before a mount, and silence is a no."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import subprocess
import sys
import types
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from toolset import Context, cordis
from toolset.services.tools import PreDecision, ToolRegistry, ToolResult
from toolset.testing import snapshot

SCRIPT = Path(__file__).resolve().parents[2] / "examples" / "approve.py"
CODE = "def apply(ctx): ctx.on('a/b', print)\nreturn apply"


@pytest.fixture(scope="module")
def approve() -> types.ModuleType:
    """Import the example."""
    spec = importlib.util.spec_from_file_location("approve_example", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Person:
    """Types prepared lines, then closes the input."""

    def __init__(self, *lines: str) -> None:
        self.lines = list(lines)
        self.seen = ""

    def read(self) -> str:
        return self.lines.pop(0) if self.lines else ""

    def write(self, text: str) -> None:
        self.seen += text


@asynccontextmanager
async def host(approve: types.ModuleType, person: Person | None) -> AsyncIterator[Context]:
    async with Context() as ctx:
        for plugin in (ToolRegistry, cordis, approve.policy):
            await ctx.plugin(plugin)
        if person is not None:
            await ctx.plugin(approve.terminal, approve.Terminal(person.read, person.write))
        yield ctx


async def mount(ctx: Context, code: str = CODE) -> ToolResult:
    return await ctx.tools.execute("cordis_mount", {"code": code})


@pytest.mark.parametrize("answer", ["y\n", "YES\n", " yes \n"])
def test_yes_mounts(run: Callable, approve: types.ModuleType, answer: str) -> None:
    """After a yes the code is mounted; the person saw the code and what it is for."""
    person = Person(answer)

    async def main() -> None:
        async with host(approve, person) as ctx:
            result = await mount(ctx)
            assert result.text == 'mounted dyn-1 (plugin "apply", state: active)'

    run(main())
    assert person.seen == (
        "  def apply(ctx): ctx.on('a/b', print)\n  return apply\n"
        "Mount temporary plugin: may this code be mounted? [y/N] "
    )


@pytest.mark.parametrize("answer", ["n\n", "\n", "yikes\n", ""])
def test_anything_else_denies(run: Callable, approve: types.ModuleType, answer: str) -> None:
    """No, nonsense, an empty line and a closed input all leave the runtime as it was."""

    async def main() -> None:
        async with host(approve, Person(answer)) as ctx:
            before = snapshot(ctx)
            result = await mount(ctx)
            assert result.meta["code"] == "denied"
            assert "the person at the terminal said no" in result.text
            assert snapshot(ctx) == before

    run(main())


def test_nobody_to_answer_denies(run: Callable, approve: types.ModuleType) -> None:
    """Where nothing answers for a person, an ask denies and says so."""

    async def main() -> None:
        async with host(approve, None) as ctx:
            result = await mount(ctx)
            assert result.meta["code"] == "denied"
            assert (
                "needs an answer to 'may this code be mounted?' and nobody is there" in result.text
            )

    run(main())


def test_other_tools_are_not_asked(run: Callable, approve: types.ModuleType) -> None:
    """Looking and unmounting need no answer, and a denial is not asked about."""
    person = Person("y\n")

    async def main() -> None:
        async with host(approve, person) as ctx:
            await mount(ctx)
            seen = person.seen
            assert not (await ctx.tools.execute("cordis_inspect", {"what": "temporary"})).is_error
            assert not (await ctx.tools.execute("cordis_unmount", {"id": "dyn-1"})).is_error
            ctx.on("tools/pre-execute", lambda call, next: PreDecision.deny("never"))
            assert "never" in (await mount(ctx)).text
            assert person.seen == seen

    run(main())


def test_tricky_code_is_written_out(run: Callable, approve: types.ModuleType) -> None:
    """Code cannot hide from the person by what a terminal obeys."""
    person = Person("n\n")

    async def main() -> None:
        async with host(approve, person) as ctx:
            await mount(ctx, "evil()\x1b[2K\r# \u202eharmless")

    run(main())
    assert "evil()\\x1b[2K\n  # \\u202eharmless" in person.seen


def test_questions_take_turns(run: Callable, approve: types.ModuleType) -> None:
    """Two mounts at once are asked about one after the other; each has its own answer."""
    person = Person("y\n", "n\n")

    async def main() -> None:
        async with host(approve, person) as ctx:
            results = await asyncio.gather(mount(ctx), mount(ctx))
            assert [one.is_error for one in results] == [False, True]

    run(main())


@pytest.mark.skipif(sys.platform == "win32", reason="a pseudo terminal is a thing of POSIX")
@pytest.mark.parametrize(("typed", "said"), [(b"y\n", "mounted dyn-1"), (b"n\n", "said no")])
def test_script_asks_on_terminal(typed: bytes, said: str) -> None:
    """Run as a program, it asks on a real terminal and does what was typed."""
    mine, theirs = os.openpty()
    with os.fdopen(mine, "wb", buffering=0) as keyboard:
        keyboard.write(typed)
        done = subprocess.run(
            [sys.executable, str(SCRIPT)], stdin=theirs, capture_output=True, text=True, check=False
        )
        os.close(theirs)
    assert done.returncode == 0, done.stderr
    assert said in done.stdout
