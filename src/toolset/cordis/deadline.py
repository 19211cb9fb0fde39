"""Judge whether mounted code has run too long without returning to the event loop."""

# Maintainers: the one place that knows what a stretch is and when it is over its time. It looks at
# stacks and says what to do; signals, timers and threads belong to `alarm` and `watcher`.
#
# A stretch is one outermost frame of mounted code that stays on the stack while the loop does not
# turn. Host code that calls short mounted functions a thousand times in one turn has a thousand
# stretches, since each call has a frame of its own. The frame is held, not its id, so that a new one
# can never be taken for it.
#
# Ending a stretch means raising again and again until its outermost frame is gone ("storm"): one
# exception is swallowed by `except BaseException: pass` in a loop. Host code that mounted code called
# is let finish first, so that no registry is torn half-way. The shapes in tests/cordis/test_guard.py
# fail without either.

from __future__ import annotations

import inspect
import linecache
import os
import sys
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import Final, Literal, NamedTuple

from toolset.cordis.errors import MountTimeoutError

__all__ = [
    "FRAME_PREFIX",
    "TOP_LEVEL",
    "Judge",
    "frame_name",
    "module_name",
    "mount_of",
    "place_in",
]

FRAME_PREFIX: Final = "<mount:"
TOP_LEVEL: Final = "__mount__"  # the name of the function whose body a mount's code is
HOST_GRACE: Final = 1.0  # seconds that host code called by mounted code may take to finish
PATIENCE: Final = 3  # exceptions of one storm before line events help (Python 3.12 and newer)
_LIBRARY: Final = os.path.dirname(os.__file__) + os.sep  # noqa: PTH120 - file names are text here
_INSTALLED: Final = ("site-packages", "dist-packages")


def frame_name(mount_id: str, root: int = 1) -> str:
    """Give the file name that the frames of a mount carry.

    Args:
        mount_id: The mount, such as `dyn-1`.
        root: Tells apart the runtimes of one process, each of which has a `dyn-1`.

    Returns:
        Such as `<mount:dyn-1>`, or `<mount:dyn-1@2>` in a second runtime.
    """
    return f"{FRAME_PREFIX}{mount_id}{'' if root == 1 else f'@{root}'}>"


def module_name(filename: str) -> str:
    """Give the name that stands for a mount among the modules.

    Args:
        filename: The file name of its frames.

    Returns:
        Such as `dyn-1`, as unique as the file name.
    """
    return filename[len(FRAME_PREFIX) : -1]


def mount_of(filename: str) -> str:
    """Give the mount whose code a file name stands for, or an empty text.

    Args:
        filename: The file name of a code object.

    Returns:
        Such as `dyn-1`.
    """
    return module_name(filename).partition("@")[0] if filename.startswith(FRAME_PREFIX) else ""


def place_in(code: CodeType) -> str:
    """Say where in a mount some code stands, as its author would.

    Args:
        code: The code of one of the mount's frames.

    Returns:
        Such as `in apply` or `at the top level`.
    """
    head, nested, rest = code.co_qualname.partition(".<locals>.")
    if nested:
        return f"in {rest.replace('.<locals>.', '.')}"
    return "at the top level" if head in {TOP_LEVEL, "<module>"} else f"in {head}"


class Sight(NamedTuple):
    """What a look at a stack with mounted code on it finds.

    Attributes:
        outer: The outermost frame of mounted code.
        inner: The innermost one.
        host: Whether host code that it called is running.
    """

    outer: FrameType
    inner: FrameType
    host: bool


def look(frame: FrameType | None) -> Sight | None:
    """Look for mounted code on a stack, from the innermost frame out.

    Args:
        frame: The innermost frame.

    Returns:
        What was found, or None when no mounted code is on the stack.
    """
    outer: FrameType | None = None
    inner: FrameType | None = None
    host = False
    while frame is not None:
        name = frame.f_code.co_filename
        if name.startswith(FRAME_PREFIX):
            outer = frame
            inner = inner or frame
        elif inner is None and not host:
            host = not _is_library(name)
        frame = frame.f_back
    return None if outer is None or inner is None else Sight(outer, inner, host)


def _is_library(filename: str) -> bool:
    """Tell the standard library and generated code, which work for whoever called them."""
    if filename.startswith("<"):
        return True
    return filename.startswith(_LIBRARY) and not any(part in filename for part in _INSTALLED)


def _frames(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


class Judge:
    """Follows the mounted code of one thread from look to look.

    Args:
        limit: Longest stretch, in seconds.
        on_strike: Called with the file name of each mount concerned, once, when a stretch begins to
            be ended.
    """

    def __init__(self, limit: float, on_strike: Callable[[str, MountTimeoutError], None]) -> None:
        self.limit = limit
        self.raised = 0
        self._on_strike = on_strike
        self._frame: FrameType | None = None
        self._since = 0.0
        self._error: MountTimeoutError | None = None
        self._condemned = ""
        self._lines = LineEvents(self)

    def verdict(
        self, frame: FrameType | None, now: float, begun: Callable[[FrameType], None]
    ) -> MountTimeoutError | Literal["wait"] | None:
        """Look at a stack and say what to do.

        Args:
            frame: The innermost frame.
            now: A monotonic clock, in seconds.
            begun: Called with the outermost frame when a new stretch is seen.

        Returns:
            The error to raise in it now, `wait` to look again as soon as possible, or None.
        """
        sight = look(frame)
        if sight is None:
            self.forget()
            return None
        is_condemned = sight.outer.f_code.co_filename == self._condemned
        if sight.outer is not self._frame:
            self.forget()
            self._frame, self._since = sight.outer, now
            if not is_condemned:
                begun(sight.outer)
                return None
        # Not a limit taken from the beginning: of what is left, rounding makes less than nothing.
        over = now - self._since - (0.0 if is_condemned else self.limit)
        if over < 0:
            return None
        if sight.host and over < HOST_GRACE:
            return "wait"
        return self._strike(sight)

    def condemn(self, filename: str = "") -> None:
        """Take every stretch of a mount that is seen from now on as over its time.

        Args:
            filename: The file name of its frames; none when left out.
        """
        self._condemned = filename
        self.forget()

    def forget(self, frame: FrameType | None = None) -> None:
        """Forget the stretch that was followed; the loop has turned or its code is gone.

        Args:
            frame: Forget only when this is its outermost frame.
        """
        if frame is None or frame is self._frame:
            self._frame = self._error = None
            self.raised = 0
            self._lines.stop()

    def still_ends(self, frame: FrameType | None) -> MountTimeoutError | None:
        """Give the error to raise again when the stretch being ended is still on a stack.

        Args:
            frame: The innermost frame.

        Returns:
            The error, or None when nothing is being ended there.
        """
        error = self._error
        if error is None or all(each is not self._frame for each in _frames(frame)):
            return None
        return error.again()

    def _strike(self, sight: Sight) -> MountTimeoutError:
        error = self._error
        if error is None:
            self._error = error = _describe(sight.inner, self.limit)
            for name in {each.f_code.co_filename for each in (sight.outer, sight.inner)}:
                self._on_strike(name, error)
        self.raised += 1
        if self.raised > PATIENCE:
            self._lines.watch(sight.inner)
        return error.again()


def _describe(frame: FrameType, limit: float) -> MountTimeoutError:
    code = frame.f_code
    line = frame.f_lineno or 0
    text = linecache.getline(code.co_filename, line).strip()
    return MountTimeoutError(mount_of(code.co_filename), line, place_in(code), limit, text)


class LineEvents:
    """Raises at every line of the mounted functions on a stack that will not end.

    A signal's exception can be raised inside the very `try` that swallows it: Python 3.12 checks
    for signals after a backward jump, at its target. Line events are raised there too. They exist
    from 3.12 on, and are set on the functions concerned alone, for as long as the storm lasts.

    Args:
        judge: Knows whether the stretch is still on the stack.
    """

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._codes: set[CodeType] = set()
        self._tool = -1

    def watch(self, frame: FrameType) -> None:
        """Set line events on every mounted function of a stack.

        Args:
            frame: Its innermost frame of mounted code.
        """
        if sys.version_info >= (3, 12):
            monitoring = sys.monitoring
            if self._tool < 0:
                free = (tool for tool in (4, 3) if monitoring.get_tool(tool) is None)
                self._tool = next(free, -1)
                if self._tool < 0:
                    return  # other tools hold every slot: signals alone must do
                monitoring.use_tool_id(self._tool, "toolset-guard")
                monitoring.register_callback(self._tool, monitoring.events.LINE, self._on_line)
            for each in _frames(frame):
                code = each.f_code
                if code.co_filename.startswith(FRAME_PREFIX) and code not in self._codes:
                    self._codes.add(code)
                    monitoring.set_local_events(self._tool, code, monitoring.events.LINE)

    def stop(self) -> None:
        """Take every line event back."""
        if sys.version_info >= (3, 12) and self._tool >= 0:
            monitoring = sys.monitoring
            for code in self._codes:
                monitoring.set_local_events(self._tool, code, monitoring.events.NO_EVENTS)
            monitoring.register_callback(self._tool, monitoring.events.LINE, None)
            monitoring.free_tool_id(self._tool)
            self._tool = -1
            self._codes.clear()

    def _on_line(self, *_: object) -> None:
        error = self._judge.still_ends(inspect.currentframe())
        if error is not None:
            raise error
