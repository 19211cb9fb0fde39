"""Taking in what a set-up gave, and undoing it in reverse."""

# Maintainers: the one place that knows the forms a set-up may have. Synchronous forms are taken in
# at once; the others come back as a coroutine that finishes the work.
# Invariant: whatever was acquired has been handed to `push` before anything else can fail.

from __future__ import annotations

import asyncio
import inspect
from abc import abstractmethod
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Generator
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from types import FunctionType, MethodType
from typing import TypeAlias, cast

from toolset.runtime.closing import as_failure, closes
from toolset.runtime.errors import EffectTypeError

__all__: list[str] = []

Disposer: TypeAlias = Callable[[], object]
Push: TypeAlias = Callable[[Disposer], None]
Rest: TypeAlias = Coroutine[object, object, None]


class Reversible:
    """What can be disposed: an effect, a fiber."""

    __slots__ = ()

    @abstractmethod
    def dispose(self) -> Awaitable[object]:
        """Undo it, once."""
        raise AssertionError  # pragma: no cover - every subclass defines it


class Collector:
    """Takes in one set-up.

    Args:
        label: The effect's label, for messages.
        push: Called with each disposer, in order of acquisition.
        stopped: Tells whether the set-up should stop at its next step.
        lenient: Whether a value that is none of the accepted forms is ignored: a plugin's function
            may return what it likes.
    """

    __slots__ = ("_label", "_lenient", "_push", "_stopped")

    def __init__(
        self, label: str, push: Push, stopped: Callable[[], bool], *, lenient: bool = False
    ) -> None:
        self._label, self._push, self._stopped, self._lenient = label, push, stopped, lenient

    def take(self, result: object) -> Rest | None:
        """Take in what a set-up returned.

        Returns:
            None when all is taken in, else a coroutine that does the rest.

        Raises:
            EffectTypeError: It is none of the accepted forms.
        """
        if result is None:
            return None
        rest = self._take_async(result)
        if rest is None and not self._take_now(result) and not self._lenient:
            raise EffectTypeError(self._label, result)
        return rest

    def _take_now(self, result: object) -> bool:
        """Take in a synchronous form; tell whether it was one."""
        if isinstance(result, FunctionType | MethodType):
            self._push(result)
        elif isinstance(result, Reversible):
            self._push(result.dispose)
        elif isinstance(result, Generator):
            self._steps(cast("Generator[object, None, None]", result))
        elif isinstance(result, AbstractContextManager):
            self._enter(cast("AbstractContextManager[object]", result))
        elif callable(result):
            self._push(cast("Disposer", result))
        else:
            return False
        return True

    def _take_async(self, result: object) -> Rest | None:
        """Begin to take in an asynchronous form; None when it is not one."""
        if isinstance(result, FunctionType | MethodType | Reversible | Generator):
            return None
        if isinstance(result, AsyncGenerator):
            return self._async_steps(cast("AsyncGenerator[object, None]", result))
        if isinstance(result, AbstractAsyncContextManager):
            return self._enter_async(cast("AbstractAsyncContextManager[object]", result))
        if inspect.isawaitable(result):
            return self._await(cast("Awaitable[object]", result))
        return None

    def _take_step(self, value: object) -> None:
        if value is None:
            return
        if isinstance(value, Reversible):
            value = value.dispose
        if not callable(value):
            raise EffectTypeError(self._label, value, yielded=True)
        self._push(cast("Disposer", value))

    def _steps(self, steps: Generator[object, None, None]) -> None:
        try:
            for value in steps:
                self._take_step(value)
                if self._stopped():
                    break
        finally:
            steps.close()

    async def _async_steps(self, steps: AsyncGenerator[object, None]) -> None:
        try:
            async for value in steps:
                self._take_step(value)
                if self._stopped():
                    break
        finally:
            await steps.aclose()

    def _enter(self, manager: AbstractContextManager[object]) -> None:
        manager.__enter__()
        self._push(lambda: manager.__exit__(None, None, None) and None)

    async def _enter_async(self, manager: AbstractAsyncContextManager[object]) -> None:
        await manager.__aenter__()
        self._push(lambda: manager.__aexit__(None, None, None))

    async def _await(self, pending: Awaitable[object]) -> None:
        rest = self.take(await pending)
        if rest is not None:
            await rest


def undo(disposers: list[Disposer], failed: Callable[[Exception], None]) -> Rest | None:
    """Call disposers, last first, until one is asynchronous.

    Args:
        disposers: What to call; emptied on the way.
        failed: Called with what a disposer raised; the others still run.

    Returns:
        None when all are done, else a coroutine that does the rest.
    """
    while disposers:
        disposer = disposers.pop()
        try:
            result = disposer()
        except (Exception, GeneratorExit) as error:  # noqa: BLE001 - whatever a disposer raises is its owner's failure
            failed(as_failure(error))
            continue
        if result is not None and inspect.isawaitable(result):
            return _undo_rest(cast("Awaitable[object]", result), disposers, failed)
    return None


async def _undo_rest(
    pending: Awaitable[object] | None,
    disposers: list[Disposer],
    failed: Callable[[Exception], None],
) -> None:
    cancelled: asyncio.CancelledError | None = None
    while pending is not None or disposers:
        try:
            result = pending if pending is not None else disposers.pop()()
            pending = None
            if inspect.isawaitable(result):
                await result
        except Exception as error:  # noqa: BLE001 - whatever a disposer raises is its owner's failure
            failed(error)
        except GeneratorExit as error:
            if closes(error):
                raise
            failed(as_failure(error))
        except (
            asyncio.CancelledError
        ) as error:  # the others still run, then the cancellation goes on
            cancelled = error
    me = asyncio.current_task()
    if cancelled is not None and me is not None and me.cancelling():
        raise cancelled
