"""Fixtures that every test folder shares."""

from __future__ import annotations

import asyncio
import gc
import signal
import threading
from collections.abc import Callable, Coroutine
from typing import TypeVar

import pytest

T = TypeVar("T")

# Started in the background of a shell, Ctrl-C is ignored, and by every program a test starts.
if (
    threading.current_thread() is threading.main_thread()
    and signal.getsignal(signal.SIGINT) is signal.SIG_IGN
):
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def run() -> Callable[[Coroutine[object, object, T]], T]:
    """Run a coroutine under asyncio's debug mode and fail when it leaves a task behind."""

    def runner(main: Coroutine[object, object, T]) -> T:
        async def checked() -> T:
            result = await main
            await asyncio.sleep(0)
            left = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            assert not left, f"tasks left running: {left}"
            return result

        return asyncio.run(checked(), debug=True)

    return runner


@pytest.fixture
def count_objects() -> Callable[[], int]:
    """Count the objects the collector tracks, after everything unreachable is gone."""

    def counter() -> int:
        for _ in range(3):
            gc.collect()
        return len(gc.get_objects())

    return counter
