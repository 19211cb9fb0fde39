"""Look at the main thread's stack now and then, by an interval timer, and end what is over its time."""

# Maintainers: the only module that touches SIGALRM and ITIMER_REAL. One alarm serves every guard of
# the process; it is found again as the installed handler, so there is no list of alarms to keep. It
# must not know what a stretch is: the judge says what to do, the alarm does it.
#
# Between its raise and the next check for signals the alarm marks its own signal as pending, so that
# every later call, function entry or backward jump of the code being ended raises again. Marking
# must not itself be followed by a check, or the handler would be entered again at once, without end:
# a CALL is (so `signal.raise_signal` is no way), reading a property is not.

from __future__ import annotations

import _thread
import asyncio
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType
from typing import Final, Protocol, TypeAlias

from toolset.cordis.deadline import Judge
from toolset.cordis.errors import MountRecursionError, MountTimeoutError

__all__ = ["Alarm", "Throw"]

BEAT: Final = (
    0.02  # seconds between signals while a stretch is being ended; they break system calls
)
SLOWEST: Final = 0.25  # seconds between two looks, at most
FASTEST: Final = 0.002
_ROUNDING: Final = 2e-6  # of the kernel, in seconds
_LATE: Final = 0.0005  # seconds that two clocks may disagree by; ticks are further apart
_ARRIVES: Final = 0.05  # seconds within which a tick surely arrives


Throw: TypeAlias = "Callable[[BaseException], object]"


class Member(Protocol):
    """A guard, as the alarm needs it."""

    @property
    def limit(self) -> float:
        """Longest stretch, in seconds."""
        ...

    def record(self, filename: str, error: MountTimeoutError) -> None:
        """Take note that a stretch of a mount is being ended."""
        ...


class _Trip(int):
    """A signal number whose `now` marks it as pending, without a check for signals after it."""

    now = property(_thread.interrupt_main)


class Alarm:
    """The signal handler that looks at the stack.

    It is installed by the first member and gone with the last, handler and timer of the host being
    put back with the time they had left.
    """

    def __init__(self) -> None:
        self._members: list[Member] = []
        self._judge = Judge(0.0, self._record)
        self._busy = False
        self._trip = _Trip(signal.SIGALRM)
        self._spare = MountRecursionError()
        self._every = self._ticking = 0.0
        self._since = self._heard = 0.0  # when the timer was set, and last heard
        self._host = _HostTimer()

    @staticmethod
    def join(member: Member) -> Alarm:
        """Join the process's alarm, installing it when there is none.

        Args:
            member: The guard that asks for it.

        Returns:
            The alarm.
        """
        installed = signal.getsignal(signal.SIGALRM)
        alarm = installed if isinstance(installed, Alarm) else Alarm()
        alarm.admit(member)
        return alarm

    def admit(self, member: Member) -> None:
        """Take a member in, the first one by installing the handler.

        Args:
            member: The guard that joins.
        """
        with self._alone():
            if not self.installed():
                self._host = _HostTimer.take(self)
            elif not self._members:  # the host has put a handler back that it was lent
                self._host.absorb()
            self._members.append(member)
            self._adjust()

    def leave(self, member: Member) -> None:
        """Leave the alarm; the last member gives signal and timer back.

        Args:
            member: The guard that had joined.
        """
        with self._alone():
            self._members.remove(member)
            self._judge.forget()
            if not self.installed():
                if self._owns_timer():  # the handler is the host's: so is the timer that it had
                    self._host.start_timer()
            elif self._members:
                self._adjust()
            else:
                self._end_ticking()
                self._host.give_back()

    def keep(self) -> None:
        """See to it that the alarm goes on when the host has set a timer of its own over it.

        That one is kept beside it: its signals reach the handler that the host had.
        """
        if self._owns_timer():
            return
        with self._alone():
            if not self._owns_timer():  # the first look may have been interrupted by a tick
                self._host.absorb()
                self._tick_every(self._every)

    def throw(self, throw: Throw, error: BaseException, filename: str) -> object:
        """Throw into suspended code of a mount, and raise in it again until its frames are gone.

        Args:
            throw: The suspended coroutine's own.
            error: What to throw.
            filename: The file name of the mount's frames.

        Returns:
            What it awaits now, when it goes on all the same.
        """
        self._judge.condemn(filename)
        try:
            _ = self._trip.now  # seen at the first call or jump of the code that is thrown into
            return throw(error)
        finally:
            self._judge.condemn()

    @contextmanager
    def _alone(self) -> Generator[None]:
        """Change handler and timer without being called meanwhile, when they do not fit each other.

        A signal that is sent meanwhile comes after; one that is only marked as pending is passed over.
        """
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
        self._busy = True
        try:
            yield
        finally:
            self._busy = False
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)

    def _owns_timer(self) -> bool:
        every = signal.getitimer(signal.ITIMER_REAL)[1]
        return bool(every) and abs(every - self._ticking) < _ROUNDING

    def installed(self) -> bool:
        """Tell whether this is still the handler: the host may have set its own over it.

        Returns:
            Whether signals come here.
        """
        return signal.getsignal(signal.SIGALRM) is self

    def __call__(self, signum: int, frame: FrameType | None) -> None:
        """Look at the interrupted stack; raise in mounted code that is over its time."""
        self._heard = time.perf_counter()
        if self._busy:
            return
        self._busy = True
        error: MountTimeoutError | None = None
        try:
            if not self._members:  # a handler that the host was lent and put back
                self._host.ring(signum, frame)
                return
            if not self._owns_timer():
                self._host.absorb(rings=True)
                self._ticking = 0.0  # so that the beat below sets ours again
            self._host.pass_on(signum, frame)
            verdict = self._judge.verdict(frame, time.perf_counter(), self._begun)
            self._beat(fast=verdict is not None)
            if verdict is None:
                return
            error = None if verdict == "wait" else verdict
        except RecursionError:  # mounted code sits at the recursion limit: no room left to look
            error = self._spare
            error.__traceback__ = None
        finally:
            self._busy = False
        if error is None:
            _ = self._trip.now
            return
        raise error from self._trip.now  # nothing is called between the mark and the raise: see above

    def _begun(self, frame: FrameType) -> None:
        """Have the loop say when it turns, which ends the stretch."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # code driven by hand: its frame alone tells
            return
        loop.call_soon_threadsafe(self._judge.forget, frame)

    def _record(self, filename: str, error: MountTimeoutError) -> None:
        for member in self._members:
            member.record(filename, error)

    def _adjust(self) -> None:
        self._judge.limit = min(member.limit for member in self._members)
        self._every = min(max(self._judge.limit / 20, FASTEST), SLOWEST)
        self._tick_every(self._every)

    def _beat(self, *, fast: bool) -> None:
        every = min(BEAT, self._every) if fast else self._every
        if every != self._ticking:
            self._tick_every(every)

    def _tick_every(self, seconds: float) -> None:
        self._ticking = seconds
        self._since = time.perf_counter()
        signal.setitimer(signal.ITIMER_REAL, seconds, seconds)

    def _end_ticking(self) -> None:
        """Stop the timer, and wait for a tick that is on its way to another thread.

        Arriving later, it would find no handler of ours, and Python complains of that: some thirty
        times in ten thousand, where a tick is due as the guard is released.
        """
        if not self._owns_timer():
            return
        left, every = signal.setitimer(signal.ITIMER_REAL, 0)
        now = time.perf_counter()
        last = now - (every - left) if left else now  # it is set anew when a tick is delivered
        if last - self._since < every / 2 or _take_pending():  # there was none yet, or here it is
            return
        while self._heard < last - _LATE and time.perf_counter() < now + _ARRIVES:
            time.sleep(_LATE / 5)


def _take_pending() -> bool:
    """Take a tick that is still to be delivered, since this thread has it blocked."""
    if sys.platform in {"darwin", "win32"}:
        return signal.SIGALRM in signal.sigpending()  # it is dropped where its handler is replaced
    return signal.sigtimedwait({signal.SIGALRM}, 0) is not None


class _HostTimer:
    """The handler and interval timer that the host had, and when its next signal is due."""

    def __init__(self) -> None:
        self._handler: Callable[[int, FrameType | None], object] | int = signal.SIG_DFL
        self._due = self._every = 0.0

    @classmethod
    def take(cls, alarm: Alarm) -> _HostTimer:
        """Install the alarm and keep what it replaces."""
        timer = cls()
        timer._handler = signal.signal(signal.SIGALRM, alarm) or signal.SIG_DFL
        timer.absorb()
        return timer

    def absorb(self, *, rings: bool = False) -> None:
        """Take the running timer as the host's; it has just sent a signal when it `rings`."""
        left, self._every = signal.setitimer(signal.ITIMER_REAL, 0)
        now = time.perf_counter()
        self._due = now if rings else now + left if left else 0.0

    def pass_on(self, signum: int, frame: FrameType | None) -> None:
        """Let the host have its signal when it is due."""
        if not self._due or time.perf_counter() < self._due:
            return
        self._due = time.perf_counter() + self._every if self._every else 0.0
        self.ring(signum, frame)

    def ring(self, signum: int, frame: FrameType | None) -> None:
        """Do what the host's handler does."""
        if callable(self._handler):
            self._handler(signum, frame)
        elif self._handler == signal.SIG_DFL:  # the host asked to be ended now
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.raise_signal(signum)

    def give_back(self) -> None:
        """Put handler and timer back, with the time that is left."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        # Ignoring drops a last tick of ours that is still to be delivered: it would end the process
        # of a host without a handler (test_fuzz_mounts.py dies of it).
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
        signal.signal(signal.SIGALRM, self._handler)
        self.start_timer()

    def start_timer(self) -> None:
        """Set the timer to what the host's has left."""
        left = max(1e-6, self._due - time.perf_counter()) if self._due else 0.0
        signal.setitimer(signal.ITIMER_REAL, left, self._every if left else 0.0)


def usable() -> bool:
    """Tell whether this thread can be interrupted by signals.

    Returns:
        True in the main thread of a POSIX process.
    """
    return sys.platform != "win32" and threading.current_thread() is threading.main_thread()
