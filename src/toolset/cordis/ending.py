"""End what a mount still awaits when its time is over, also what does not let itself be cancelled."""

# Maintainers: every coroutine of mounted code that the host waits for is driven here, step by step,
# so that it can be taken down from outside. While the mount lives that changes nothing. Once it is
# over, a coroutine has until the deadline; then it is cancelled, if it was not yet, and after a
# grace ended by the guard, which raises in its frames until they are gone. One that outlives even
# that is never resumed again. Without this a task with `except BaseException: pass` in a loop keeps
# an unmount, and the end of the process, waiting for ever (test_unmount_ends_what_keeps_going).
# It knows neither fibers nor plugins: a `Life` says when a mount is over.

from __future__ import annotations

import asyncio
import types
from collections.abc import Callable, Coroutine, Generator
from typing import Final, NamedTuple, TypeAlias, TypeVar, cast

from toolset.cordis.alarm import Throw
from toolset.cordis.asyncgens import AsyncGen, Generators
from toolset.cordis.errors import MountEndedError
from toolset.cordis.guard import Guard
from toolset.cordis.waiting_at import waiting_at

__all__ = ["Life", "Terms", "close", "close_all", "close_now", "drive"]

T = TypeVar("T")

Work: TypeAlias = "Coroutine[object, object, T]"

_LEAST: Final = 0.02  # seconds
_TRIES: Final = 20  # to end a coroutine that awaits something new each time


class Terms(NamedTuple):
    """What a mount is mounted on.

    Attributes:
        guard: Ends what does not end by itself.
        filename: The file name of the mount's frames.
        patience: Seconds from its end until what it still awaits is cancelled.
        grace: Seconds from then until it is ended by force.
        generators: The async generators that its code has begun.
    """

    guard: Guard
    filename: str
    patience: float
    grace: float
    generators: Generators


class Life:
    """What is left to a mount once it is over.

    Args:
        mount_id: The mount, for messages.
        terms: What it was mounted on.
        over: Tells whether it is over.
        tell: Called with a sentence when a coroutine had to be ended.
    """

    __slots__ = ("_deadline", "_hurried", "_over", "_tell", "mount_id", "terms")

    def __init__(
        self, mount_id: str, terms: Terms, over: Callable[[], bool], tell: Callable[[str], None]
    ) -> None:
        self.mount_id = mount_id
        self.terms = terms
        self._over = over
        self._tell = tell
        self._hurried = False
        self._deadline: float | None = None

    @property
    def over(self) -> bool:
        """Whether the mount is over, and what it runs should end."""
        return self._over()

    def hurry(self) -> None:
        """Leave what it still runs no more than the grace: it has had its time."""
        self._hurried = True

    def left(self, now: float) -> float:
        """Say how long a coroutine may go on that is found running after the end.

        Args:
            now: The loop's time.

        Returns:
            Seconds: until the deadline; after it what is left of one grace, which all share.
        """
        if self._deadline is None:
            self._deadline = now if self._hurried else now + self.terms.patience
        grace = min(self.terms.grace, self._deadline + self.terms.grace - now)
        return max(self._deadline - now, grace, _LEAST)

    def tell(self, message: str) -> None:
        """Say that something had to be ended.

        Args:
            message: A sentence.
        """
        self._tell(message)


class _Leash:
    """Takes one coroutine down in time."""

    __slots__ = ("_asked", "_handle", "_life", "_name", "_struck", "_task")

    def __init__(self, life: Life, name: str) -> None:
        self._life = life
        self._name = name
        self._task: asyncio.Task[object] | None = None
        self._handle: asyncio.TimerHandle | None = None
        self._asked = False
        self._struck = False

    def arm(self, *, asked: bool) -> None:
        """Set the time when the mount is over; `asked` says that the coroutine was cancelled."""
        if not self._life.over:
            return
        self._asked |= asked
        if self._handle is None:
            loop = asyncio.get_running_loop()
            self._task = asyncio.current_task()
            self._handle = loop.call_later(self._life.left(loop.time()), self._strike)

    def release(self) -> None:
        """Let go: the coroutine is over."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def _strike(self) -> None:
        """Wake the coroutine, so that what stands in `drive` can take it down."""
        self._handle = None
        if self._task is not None:
            self._struck = True
            self._task.cancel()

    def struck(self, error: BaseException) -> bool:
        """Tell whether a cancellation is the leash's own, and take it back."""
        if not self._struck or not isinstance(error, asyncio.CancelledError):
            return False
        self._struck = False
        if self._task is not None:
            self._task.uncancel()
        return True

    def end(self, work: Work[T], error: BaseException) -> object:
        """Cancel the coroutine politely the first time, by force the second.

        Returns:
            What it awaits now.

        Raises:
            MountEndedError: It did not end by itself.
        """
        if not self._asked:
            self._asked = True
            self.arm(asked=True)
            return work.throw(error)
        life = self._life
        failure = MountEndedError(life.mount_id, self._name, waiting_at(work, life.mount_id))
        _force(work.throw, error, life.terms)
        task = self._task
        if task is None or not task.cancelling():
            raise failure
        life.tell(str(failure))  # whoever cancelled it waits for that, and for no error
        raise asyncio.CancelledError from failure


def _force(throw: Throw, error: BaseException, terms: Terms) -> None:
    for _ in range(_TRIES):
        try:
            terms.guard.throw(throw, error, terms.filename)
        except BaseException:  # noqa: BLE001 - however it ended, it is over
            return


@types.coroutine
def drive(work: Work[T], life: Life, name: str) -> Generator[object, object, T]:
    """Await a coroutine of a mount.

    Args:
        work: The coroutine.
        life: Says when the mount is over.
        name: What the coroutine is, for messages.

    Yields:
        What the coroutine awaits.

    Returns:
        What it returns.

    Raises:
        MountEndedError: Its mount is over and it did not end by itself.
    """
    leash = _Leash(life, name)
    leash.arm(asked=False)
    try:
        awaited = work.send(None)
        while True:
            try:
                sent = yield awaited
            except GeneratorExit:
                work.close()
                raise
            except BaseException as error:  # noqa: BLE001 - it is thrown on
                if leash.struck(error):
                    awaited = leash.end(work, error)
                else:
                    leash.arm(asked=isinstance(error, asyncio.CancelledError))
                    awaited = work.throw(error)
            else:
                awaited = work.send(sent)
    except StopIteration as end:
        return cast("T", end.value)
    finally:
        leash.release()


async def close(generator: AsyncGen, life: Life) -> None:
    """Close an async generator of a mount, as long as the mount has for it.

    Args:
        generator: The generator, half-way.
        life: Says when the mount is over.

    Raises:
        MountEndedError: Its mount is over and it did not end by itself.
    """
    await drive(generator.aclose(), life, f"`{generator.__name__}`")


async def close_all(terms: Terms, life: Life, failed: Callable[[Exception], None]) -> None:
    """Close the async generators that a mount has left half-way.

    Args:
        terms: What it is mounted on.
        life: Says when it is over.
        failed: Called with what one of them raised.
    """
    while left := terms.generators.take():
        for generator in left:
            try:
                await close(generator, life)
            except asyncio.CancelledError:
                task = asyncio.current_task()
                if task is not None and task.cancelling():
                    raise  # it is the waiter that is cancelled, not the generator in its time
            except Exception as error:  # noqa: BLE001 - whatever a clean-up raises is its failure
                failed(error)


def close_now(terms: Terms) -> None:
    """Close what a mount that is over has left half-way, at once: nothing in it awaits any more.

    Args:
        terms: What it was mounted on.
    """
    terms.generators.owner = None
    for generator in terms.generators.take():
        closing = generator.aclose()
        with terms.guard.held():
            try:
                closing.send(None)
                _force(closing.throw, asyncio.CancelledError(), terms)
            except BaseException:  # noqa: BLE001, S110 - however it ended, it is over
                pass
