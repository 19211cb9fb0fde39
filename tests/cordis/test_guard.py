"""Time bounds: what is ended, what is left alone, and that nothing is left behind."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import stretches

from toolset.cordis.deadline import frame_name
from toolset.cordis.errors import MountRecursionError, MountTimeoutError
from toolset.cordis.guard import Guard

SCRIPT = Path(__file__).with_name("stretches.py")
LIMIT = 0.03


def run_shapes(where: str, *shapes: str) -> list[dict[str, object]]:
    """Run shapes in one process that is killed when one of them is not ended."""
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(LIMIT), where, *shapes],
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def mounted(code: str, **names: object) -> dict[str, object]:
    """Run code as that of a mount and give its globals."""
    space: dict[str, object] = dict(names)
    exec(compile(code, frame_name("dyn-1"), "exec"), space)
    return space


def test_every_shape_ends() -> None:
    """Every loop that keeps what is raised at it is ended, and so is every way to hang."""
    records = run_shapes("main")
    assert [one["shape"] for one in records] == list(stretches.ALL)
    assert [one for one in records if one["ended"] != "timeout"] == []
    assert all(one["line"] for one in records)


def test_worker_thread_ends() -> None:
    """In a loop beside the main thread a plain endless loop is ended too."""
    shapes = ["spin", "stdlib", "keeps-exception"]
    if sys.version_info >= (3, 12):
        shapes += ["try-pass/nothing", "generator/call", "finally-continue/assign"]
    assert [one["ended"] for one in run_shapes("thread", *shapes)] == ["timeout"] * len(shapes)


def test_timeout_names_line(run) -> None:
    """The error says which line of which function of which mount was running."""

    async def main() -> MountTimeoutError:
        space = mounted("def spin():\n    while True:\n        pass\n")
        with Guard(LIMIT).held(), pytest.raises(MountTimeoutError) as caught:
            space["spin"]()
        return caught.value

    error = run(main())
    assert (error.mount_id, error.place) == ("dyn-1", "in spin")
    assert error.line in {2, 3}
    assert "dyn-1 was ended: line" in str(error)
    assert "vm_timeout_ms" in str(error)


def test_handler_and_timer_return(run) -> None:
    """The host's own signal handler and interval timer are put back with their time left."""

    async def main() -> tuple[object, float]:
        with Guard(LIMIT).held():
            pass
        return signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL)[0]

    def own(_signum: int, _frame: object) -> None:
        raise AssertionError

    before = signal.signal(signal.SIGALRM, own)
    signal.setitimer(signal.ITIMER_REAL, 50)
    try:
        handler, left = run(main())
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert handler is own
    assert 45 < left <= 50


def test_host_alarm_still_rings(run) -> None:
    """An alarm of the host's that falls due while mounts live reaches the host's handler."""
    rung: list[int] = []

    async def main() -> None:
        space = mounted("def wait(rung):\n    while not rung: pass")
        with Guard(5).held():
            space["wait"](rung)

    before = signal.signal(signal.SIGALRM, lambda number, _frame: rung.append(number))
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    try:
        run(main())
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert rung == [signal.SIGALRM]


def test_last_release_restores(run) -> None:
    """Guards of two toolsets share the alarm in any order; the last one takes it away."""

    async def main() -> list[bool]:
        before = signal.getsignal(signal.SIGALRM)
        first, second = Guard(1), Guard(2)
        seen = []
        first.hold()
        second.hold()
        first.release()
        seen.append(signal.getsignal(signal.SIGALRM) is before)
        second.release()
        seen.append(signal.getsignal(signal.SIGALRM) is before)
        seen.append(signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0))
        return seen

    assert run(main()) == [False, True, True]


def test_foreign_handler_is_replaced(run) -> None:
    """When the host has set a handler over the guard's, the next hold guards again."""

    async def main() -> None:
        guard = Guard(LIMIT)
        before = signal.getsignal(signal.SIGALRM)
        with guard.held():
            signal.signal(signal.SIGALRM, signal.SIG_IGN)
            with guard.held(), pytest.raises(MountTimeoutError):
                mounted("while True: pass")
        signal.signal(signal.SIGALRM, before)

    run(main())


async def until(condition) -> None:
    """Let the loop turn until something is so."""
    end = time.perf_counter() + 5
    while not condition():
        assert time.perf_counter() < end
        await asyncio.sleep(0)


def test_guard_notices_foreign_handler(run) -> None:
    """A handler that the host sets while mounts live is noticed: the guard goes on, and it rings."""
    rung: list[int] = []

    async def main() -> None:
        with Guard(LIMIT).held():
            guarding = signal.getsignal(signal.SIGALRM)
            signal.signal(signal.SIGALRM, lambda number, _frame: rung.append(number))
            signal.setitimer(signal.ITIMER_REAL, 3 * LIMIT)
            await until(lambda: isinstance(signal.getsignal(signal.SIGALRM), type(guarding)))
            with pytest.raises(MountTimeoutError):
                mounted("while True: pass")
            await until(lambda: rung)
            with pytest.raises(MountTimeoutError):
                mounted("while True: pass")
        assert callable(signal.getsignal(signal.SIGALRM))
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)

    before = signal.getsignal(signal.SIGALRM)
    try:
        run(main())
    finally:
        signal.signal(signal.SIGALRM, before)
    assert rung == [signal.SIGALRM]


@pytest.mark.parametrize("seconds", [0.01, 50])
def test_guard_outlives_foreign_timer(run, seconds: float) -> None:
    """A timer that the host sets while mounts live stays the host's, and silences nobody."""
    rung: list[int] = []

    async def main() -> float:
        with Guard(LIMIT).held():
            signal.setitimer(signal.ITIMER_REAL, seconds)
            if seconds < 1:
                await until(lambda: rung)
            else:
                await until(lambda: signal.getitimer(signal.ITIMER_REAL)[1])
            with pytest.raises(MountTimeoutError):
                mounted("while True: pass")
        return signal.getitimer(signal.ITIMER_REAL)[0]

    before = signal.signal(signal.SIGALRM, lambda number, _frame: rung.append(number))
    try:
        left = run(main())
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert (rung, left > 0) == (([signal.SIGALRM], False) if seconds < 1 else ([], True))


def test_lent_handler_forwards(run) -> None:
    """A host that puts the guard's handler back after its end has its own all the same."""
    rung: list[int] = []

    async def main() -> None:
        guard = Guard(LIMIT)
        guard.hold()
        lent = signal.getsignal(signal.SIGALRM)
        guard.release()
        signal.signal(signal.SIGALRM, lent)  # as code does that had saved it meanwhile
        signal.raise_signal(signal.SIGALRM)
        with guard.held(), pytest.raises(MountTimeoutError):
            mounted("while True: pass")

    before = signal.signal(signal.SIGALRM, lambda number, _frame: rung.append(number))
    try:
        run(main())
        signal.raise_signal(signal.SIGALRM)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert rung == [signal.SIGALRM] * 2


def test_no_thread_stays() -> None:
    """The watching thread of a loop beside the main thread is gone with the last holder."""
    counts: list[int] = []

    async def main() -> None:
        with Guard(1).held():
            counts.append(sum(one.name == "toolset-guard" for one in threading.enumerate()))
        counts.append(sum(one.name == "toolset-guard" for one in threading.enumerate()))

    thread = threading.Thread(target=lambda: asyncio.run(main()))
    thread.start()
    thread.join()
    assert counts == [1, 0]


def test_nothing_traces(run) -> None:
    """Code within its time is neither traced nor monitored."""

    async def main() -> tuple[object, object]:
        with Guard(1).held():
            monitoring = getattr(sys, "monitoring", None)
            tools = [monitoring.get_tool(n) for n in (3, 4)] if monitoring else []
            return sys.gettrace(), tools

    trace, tools = run(main())
    assert trace is None or "toolset" not in repr(trace)
    assert "toolset-guard" not in tools


def test_line_events_are_removed(run) -> None:
    """After a storm that needed line events the slot is free and the function runs again."""

    async def main() -> object:
        space = mounted(
            "def spin(rounds):\n    while rounds:\n        rounds -= 1\n"
            "        try: x = 1\n        except BaseException: pass\n    return 'done'\n"
        )
        with Guard(LIMIT).held():
            with pytest.raises(MountTimeoutError):
                space["spin"](-1)
            result = space["spin"](3)
            monitoring = getattr(sys, "monitoring", None)
            await asyncio.sleep(0)
            return result, [monitoring.get_tool(n) for n in (3, 4)] if monitoring else []

    result, tools = run(main())
    assert result == "done"
    assert "toolset-guard" not in tools


def test_many_short_calls_pass(run) -> None:
    """Short calls in one turn of the loop are not one long stretch, however many they are."""

    async def main() -> int:
        space = mounted("def short():\n    for _ in range(200): pass")
        calls = 0
        with Guard(LIMIT).held():
            end = time.perf_counter() + 6 * LIMIT
            while time.perf_counter() < end:
                space["short"]()
                calls += 1
        return calls

    assert run(main()) > 100


def test_awaiting_ends_stretch(run) -> None:
    """A coroutine that returns to the loop in time may run for as long as it likes."""

    async def main() -> str:
        space = mounted(
            "async def work(pause, clock, end):\n    while clock() < end:\n"
            "        for _ in range(200): pass\n        await pause(0)\n    return 'done'"
        )
        with Guard(LIMIT).held():
            end = time.perf_counter() + 6 * LIMIT
            return await space["work"](asyncio.sleep, time.perf_counter, end)

    assert run(main()) == "done"


def test_coroutine_stretch_ends(run) -> None:
    """A stretch of a coroutine is ended after its first await as well."""

    async def main() -> None:
        space = mounted(
            "async def work(pause):\n    await pause(0)\n    while True:\n"
            "        try: pass\n        except BaseException: pass"
        )
        with Guard(LIMIT).held(), pytest.raises(MountTimeoutError):
            await space["work"](asyncio.sleep)

    run(main())


def test_strike_survives_hiding(run) -> None:
    """A strike is told to who asks for it, also when the code hid it, and only once."""

    async def main() -> tuple[object, object]:
        guard = Guard(LIMIT)
        with guard.held():
            with contextlib.suppress(MountTimeoutError):  # hiding it succeeds on some versions only
                mounted("try:\n    while True: pass\nexcept Exception: pass")
            return guard.strike(frame_name("dyn-1")), guard.strike(frame_name("dyn-1"))

    first, second = run(main())
    assert isinstance(first, MountTimeoutError)
    assert second is None


class Pair:
    """Host code with an invariant: both counts are equal outside of `add`."""

    def __init__(self) -> None:
        self.first = self.second = 0

    def add(self) -> None:
        self.first += 1
        for _ in range(200):
            pass
        self.second += 1


def test_host_code_stays_whole(run) -> None:
    """Host code that mounted code calls is let finish before its caller is ended."""

    async def main() -> list[bool]:
        torn = []
        with Guard(0.005).held():
            for _ in range(30):
                pair = Pair()
                with pytest.raises(MountTimeoutError):
                    mounted("while True: pair.add()", pair=pair)
                torn.append(pair.first != pair.second)
                await asyncio.sleep(0)
        return torn

    assert not any(run(main()))


def test_host_is_never_hit(run) -> None:
    """Code that ends right at its bound leaves no exception behind for the host."""

    async def main() -> int:
        ends = 0
        code = "def until(clock, end):\n    while clock() < end: pass"
        space = mounted(code)
        limit = 0.004
        with Guard(limit).held():
            for number in range(200):
                try:
                    now = time.perf_counter()
                    space["until"](time.perf_counter, now + limit + (number % 21 - 10) * 1e-4)
                except MountTimeoutError:
                    ends += 1
                for _ in range(50):
                    pass
                await asyncio.sleep(0)
        return ends

    assert run(main()) < 200


def test_host_loop_is_free(run) -> None:
    """Host code may block the loop for as long as it likes: it is not the guard's business."""

    async def main() -> float:
        with Guard(LIMIT).held():
            begun = time.perf_counter()
            while time.perf_counter() < begun + 4 * LIMIT:
                pass
            return time.perf_counter() - begun

    assert run(main()) >= 4 * LIMIT


RECURSING = """
import asyncio
from toolset_host import host

CODE = "def r():\\n  try: return r()\\n  except RecursionError: return r()\\nreturn r()"

async def main():
    async with host({"vm_timeout_ms": 100}) as h:
        for _ in range(2):
            print(await h.refuse(CODE))

asyncio.run(main())
"""


def test_recursion_is_told_truly() -> None:
    """A recursion that hides RecursionError is ended, without a line or a time that are not known."""
    # In a process of its own: at the limit of recursion a test runner's hooks fail too.
    done = subprocess.run(
        [sys.executable, "-c", RECURSING],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "ended" in done.stdout
    for text in (done.stdout, str(MountRecursionError().again())):
        assert "line 0" not in text
        assert " 0 ms" not in text
    assert "recursed" in str(MountRecursionError())
