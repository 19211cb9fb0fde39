"""Watch a loop's thread from a thread beside it, where no signal can interrupt it."""

# Maintainers: the fallback for loops outside the main thread and for systems without SIGALRM. It
# sees what the alarm sees, but its exception is delivered only between bytecodes, so a long call
# into C or a blocking system call is not broken; below Python 3.12 code that swallows every
# exception in a loop is not ended either. The thread is joined when the guard is released.

from __future__ import annotations

import asyncio
import ctypes
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Final

from toolset.cordis.deadline import Judge
from toolset.cordis.errors import MountTimeoutError

__all__ = ["Watcher"]

SLOWEST: Final = 0.1
BEAT: Final = 0.01
JOIN: Final = 5.0


class Watcher:
    """A thread that looks at another thread's stack now and then.

    Args:
        limit: Longest stretch, in seconds.
        record: Called with the file name of each mount concerned, once, when a stretch begins to be
            ended.
        loop: The loop that runs in the calling thread.
    """

    def __init__(
        self,
        limit: float,
        record: Callable[[str, MountTimeoutError], None],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._judge = Judge(limit, record)
        self._judging = threading.Lock()
        self._every = min(max(limit / 20, BEAT / 2), SLOWEST)
        self._loop = loop
        self._watched = threading.get_ident()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="toolset-guard", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread and wait for it."""
        self._over.set()
        self._thread.join(JOIN)
        self._forget(None)

    def _run(self) -> None:
        wait = self._every
        while not self._over.wait(wait):
            frame = _frame_of(self._watched)
            with self._judging:
                verdict = self._judge.verdict(frame, time.perf_counter(), self._begun)
            del frame
            wait = self._every if verdict is None else BEAT
            if isinstance(verdict, MountTimeoutError) and not self._over.is_set():
                _raise_in(self._watched, verdict)

    def _begun(self, frame: FrameType) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._forget, frame)

    def _forget(self, frame: FrameType | None) -> None:
        with self._judging:
            self._judge.forget(frame)


def _frame_of(thread: int) -> FrameType | None:
    """Give the innermost frame of a thread."""
    frames = sys._current_frames()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - no other way
    return frames.get(thread)


def _raise_in(thread: int, error: MountTimeoutError) -> None:
    """Have another thread raise an error at its next bytecode."""

    class EndedError(MountTimeoutError):  # the interpreter takes a class, and makes the error
        def __init__(self) -> None:
            super().__init__(error.mount_id, error.line, error.place, error.seconds, error.text)

        def again(self) -> MountTimeoutError:
            return error.again()

    EndedError.__name__ = EndedError.__qualname__ = MountTimeoutError.__name__
    EndedError.__module__ = MountTimeoutError.__module__
    raise_in = ctypes.pythonapi.PyThreadState_SetAsyncExc
    raise_in(ctypes.c_ulong(thread), ctypes.py_object(EndedError))
