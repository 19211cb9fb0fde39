"""What was ended for its time is told with the mount, its line and a way out that applies."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from toolset_host import host

ASYNC_GENERATOR = """
import asyncio
async def apply(ctx):
    await asyncio.Event().wait()
    yield lambda: None
return apply
"""
TOP_LEVEL = """
import asyncio
await asyncio.Event().wait()
return print
"""
SHORT: dict[str, object] = {"mount_timeout_ms": 200, "vm_timeout_ms": 100}

WAITING = {
    "async generator": (
        ASYNC_GENERATOR,
        "waiting at line 4, in apply: await asyncio.Event().wait(); return from `apply` (or `yield`)",
    ),
    "top level": (
        TOP_LEVEL,
        "waiting at line 3, at the top level: await asyncio.Event().wait(); await nothing long at",
    ),
}


@pytest.mark.parametrize("name", WAITING)
def test_hanging_mount_names_line(run, name: str) -> None:
    """A mount that hangs is told with the line it waits at, and advice for that place."""
    code, said = WAITING[name]

    async def main() -> str:
        async with host(SHORT) as h:
            return await h.refuse(code)

    assert said in run(main())


RECURSING = """
import asyncio, sys
from toolset_host import host

async def main():
    async with host({"vm_timeout_ms": 100}) as h:
        print(await h.refuse(sys.argv[1]))

asyncio.run(main())
"""


@pytest.mark.parametrize("head", ["def apply(ctx):", "if True:"])
def test_endless_recursion_names_line(head: str) -> None:
    """A recursion that catches its own error is ended with the mount's id and where it began."""
    body = "def f():\n  try: f()\n  except RecursionError: f()\n f()"
    code = f"{head}\n {body}\nreturn {'apply' if 'apply' in head else 'f'}"
    code = code.replace("\n  ", "\n   ")
    # In a process of its own: at the limit of recursion a test runner's hooks fail too.
    done = subprocess.run(
        [sys.executable, "-c", RECURSING, code],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith("dyn-1 was ended: ")
    assert "\n  line 5, " in done.stdout
    assert len(done.stdout.splitlines()) < 10
