"""Mounted code that will not end by itself, in many shapes; run as a script it runs them.

python stretches.py LIMIT main|thread [SHAPE ...]      prints a JSON record for each
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
import time
from itertools import product

from toolset.cordis.deadline import frame_name
from toolset.cordis.errors import MountTimeoutError
from toolset.cordis.guard import Guard

# What each turn of a loop does.
WORK = {
    "nothing": "pass",
    "assign": "x = 1",
    "call": "short()",
    "comprehension": "[0 for _ in iter(int, 1)]",
    "blocking": "sleep(0.001)",
    "in-c": "sum(range(1000))",
}
# Loops that keep whatever is raised at them.
LOOPS = {
    "try-pass": "while True:\n    try:\n        {0}\n    except BaseException:\n        pass",
    "one-line": "while True:\n    try: {0}\n    except BaseException: pass",
    "bare-continue": "on = 1\nwhile on:\n    try: {0}\n    except: continue",
    "endless-for": "for _ in iter(int, 1):\n    try: {0}\n    except: pass",
    "two-deep": "while True:\n    try:\n        while True:\n            try: {0}\n"
    "            except: pass\n    except: pass",
    "through-call": "def again():\n    while True:\n        try: {0}\n        except: pass\n"
    "while True:\n    try: again()\n    except: pass",
    "finally-continue": "while True:\n    try:\n        {0}\n    finally:\n        continue",
    "suppress": "from contextlib import suppress\nwhile True:\n"
    "    with suppress(BaseException): {0}",
    "own-exit": "class Keep:\n    def __enter__(self): return self\n"
    "    def __exit__(self, *_): return True\nwhile True:\n    with Keep():\n        {0}",
    "generator": "def steps():\n    while True:\n        try: yield\n        except BaseException: pass\n"
    "while True:\n    try:\n        for _ in steps(): {0}\n    except BaseException: pass",
    "except-star": "while True:\n    try: {0}\n    except* BaseException: pass",
}
# Stretches that keep nothing, but hang in one way or another.
HANGS = {
    "spin": "while True: pass",
    "sleep": "sleep(60)",
    "pattern": "import re\nre.match(r'(a+)+$', 'a' * 40 + 'b')",
    "big-numbers": "x = (1 << 5_000_000) - 1\nwhile True: x * x",
    "locked": "lock.acquire()\nlock.acquire()",
    "stdlib": "from fractions import Fraction\nx = Fraction(1, 3)\nwhile True: x = (x * 7 + 1) % 5",
    "by-hand": "async def f():\n    while True: pass\nf().send(None)",
    "keeps-exception": "while True:\n    try:\n        while True: pass\n    except Exception: pass",
    "finally-recursion": "def f():\n    try: f()\n    finally: f()\nf()",
}
SWALLOWERS = {
    f"{loop}/{work}": LOOPS[loop].format(WORK[work]) for loop, work in product(LOOPS, WORK)
}
ALL = {**SWALLOWERS, **HANGS}
HELPERS = "def short():\n    for _ in range(1000): pass\n"


async def run_one(shape: str, limit: float) -> dict[str, object]:
    """Run one shape as mounted code under a guard and tell how it ended."""
    guard = Guard(limit)
    code = compile(HELPERS + ALL[shape], frame_name("dyn-1"), "exec")
    ended = "finished"
    with guard.held():
        begun = time.perf_counter()
        try:
            exec(code, {"sleep": time.sleep, "lock": threading.Lock()})
        except MountTimeoutError:
            ended = "timeout"
        except BaseException as error:  # noqa: BLE001 - the shape decides what it raises
            ended = f"{type(error).__name__}: {error}"
        late = time.perf_counter() - begun - limit
        for _ in range(200):  # a stray exception would strike here
            await asyncio.sleep(0)
        strike = guard.strike(frame_name("dyn-1"))
    return {"shape": shape, "ended": ended, "late": late, "line": strike.line if strike else 0}


def work(limit: float, shapes: list[str]) -> None:
    """Run shapes one after the other, a line of JSON each."""
    for shape in shapes:
        print(shape, file=sys.stderr, flush=True)  # noqa: T201 - the last one is where it hangs
        print(json.dumps(asyncio.run(run_one(shape, limit))), flush=True)  # noqa: T201


def main() -> None:
    """Run the shapes named on the command line, in the main thread or beside it."""
    limit, where, *shapes = sys.argv[1:]
    if where == "main":
        work(float(limit), shapes or list(ALL))
    else:
        thread = threading.Thread(target=work, args=(float(limit), shapes or list(ALL)))
        thread.start()
        thread.join()
    os._exit(0)


if __name__ == "__main__":
    main()
