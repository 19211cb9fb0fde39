"""Typed events: a decorated function is the declaration, its signature the listener's."""

# Maintainers: what an event is and whether a listener fits it. Who listens and how a dispatch goes
# is dispatch.py's. `_declared` holds weak references alone: a declaration is a fact of the process,
# like a class, and by-name dispatch must find its mode; it goes when nobody keeps the Event.

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Awaitable, Callable
from types import FunctionType, MethodType
from typing import Generic, Literal, Protocol, TypeAlias, TypeVar, TypeVarTuple, cast, overload
from weakref import WeakValueDictionary

from toolset.catalog import EventMode
from toolset.runtime.errors import EventModeError, EventNameError, ListenerSignatureError

__all__ = [
    "AsyncWaterfallEvent",
    "BailEvent",
    "EmitEvent",
    "Event",
    "Next",
    "ParallelEvent",
    "SerialEvent",
    "SyncNext",
    "WaterfallEvent",
    "declarations",
    "declared",
    "event",
]

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
Ts = TypeVarTuple("Ts")

_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]*(/[a-z0-9][a-z0-9_.-]*)+")
_declared: WeakValueDictionary[str, Event] = WeakValueDictionary()


class Next(Protocol[R_co]):
    """The rest of an asynchronous waterfall: `await next()` delegates to it, once.

    Arguments passed to it replace the event's own for everyone after.
    """

    def __call__(self, *args: object) -> Awaitable[R_co]:
        """Delegate to the listeners after this one, and in the end to the inner default."""
        ...


class SyncNext(Protocol[R_co]):
    """The rest of a synchronous waterfall: `next()` delegates to it, once."""

    def __call__(self, *args: object) -> R_co:
        """Delegate to the listeners after this one, and in the end to the inner default."""
        ...


class Event:
    """A declared event; made by the decorator `event`.

    Attributes:
        name: `scope/name`.
        mode: The verb it is dispatched with.
        declaration: The decorated function.
        signature: What a listener is called with.
        is_async: Whether the declaration is `async def`.
        doc: Its docstring, indentation removed.
    """

    __slots__ = ("__weakref__", "arity", "declaration", "is_async", "mode", "name", "signature")

    def __init__(self, name: str, mode: EventMode, declaration: Callable[..., object]) -> None:
        self.name = name
        self.mode: EventMode = mode
        self.declaration = declaration
        self.signature = inspect.signature(declaration)
        self.is_async = inspect.iscoroutinefunction(declaration)
        self.arity = len(self.signature.parameters)

    @property
    def doc(self) -> str:
        """The declaration's docstring, indentation removed."""
        return inspect.getdoc(self.declaration) or ""

    def __repr__(self) -> str:
        return f"<Event {self.name!r} mode={self.mode}>"

    def check_listener(self, listener: Callable[..., object], owner: str) -> None:
        """Refuse a listener whose parameters cannot take this event's arguments.

        Args:
            listener: The function to be called.
            owner: Display name of the fiber that listens.

        Raises:
            ListenerSignatureError: It cannot be called with what the event declares.
        """
        if _accepts(listener, self.arity):
            return
        name = getattr(listener, "__qualname__", None) or repr(listener)
        shown = f"{name}{_text(inspect.signature(listener))}"
        raise ListenerSignatureError(self.name, shown, f"listener{_text(self.signature)}", owner)


class EmitEvent(Event, Generic[*Ts]):
    """An event dispatched with `ctx.emit`."""

    __slots__ = ()


class ParallelEvent(Event, Generic[*Ts]):
    """An event dispatched with `await ctx.parallel`."""

    __slots__ = ()


class SerialEvent(Event, Generic[R, *Ts]):
    """An event dispatched with `await ctx.serial`."""

    __slots__ = ()


class BailEvent(Event, Generic[R, *Ts]):
    """An event dispatched with `ctx.bail`."""

    __slots__ = ()


class WaterfallEvent(Event, Generic[R, *Ts]):
    """An event dispatched with `ctx.waterfall`, declared with `def`."""

    __slots__ = ()


class AsyncWaterfallEvent(Event, Generic[R, *Ts]):
    """An event dispatched with `await ctx.waterfall`, declared with `async def`."""

    __slots__ = ()


class _Emit(Protocol):
    def __call__(self, fn: Callable[[*Ts], object], /) -> EmitEvent[*Ts]: ...


class _Parallel(Protocol):
    def __call__(self, fn: Callable[[*Ts], object], /) -> ParallelEvent[*Ts]: ...


class _Serial(Protocol):
    def __call__(self, fn: Callable[[*Ts], Awaitable[R | None]], /) -> SerialEvent[R, *Ts]: ...


class _Bail(Protocol):
    def __call__(self, fn: Callable[[*Ts], R | None], /) -> BailEvent[R, *Ts]: ...


class _Waterfall(Protocol):
    @overload
    def __call__(  # type: ignore[overload-overlap]  # `SyncNext` of an awaitable is written `Next`
        self, fn: Callable[[*Ts, Next[R]], Awaitable[R]], /
    ) -> AsyncWaterfallEvent[R, *Ts]: ...
    @overload
    def __call__(self, fn: Callable[[*Ts, SyncNext[R]], R], /) -> WaterfallEvent[R, *Ts]: ...


@overload
def event(name: str, *, mode: Literal["emit"]) -> _Emit: ...
@overload
def event(name: str, *, mode: Literal["parallel"]) -> _Parallel: ...
@overload
def event(name: str, *, mode: Literal["serial"]) -> _Serial: ...
@overload
def event(name: str, *, mode: Literal["bail"]) -> _Bail: ...
@overload
def event(name: str, *, mode: Literal["waterfall"]) -> _Waterfall: ...
def event(name: str, *, mode: EventMode) -> object:
    """Declare an event; the decorated function is its contract and never called.

    Args:
        name: `scope/name`, lower case.
        mode: `emit`, `parallel`, `serial`, `bail` or `waterfall`.

    Returns:
        A decorator that makes the `Event`.

    Raises:
        EventNameError: The name is not `scope/name`.
        ValueError: There is no such mode.
    """
    if not _NAME.fullmatch(name):
        raise EventNameError(name)
    kinds: dict[str, type[Event]] = {
        "emit": EmitEvent,
        "parallel": ParallelEvent,
        "serial": SerialEvent,
        "bail": BailEvent,
        "waterfall": WaterfallEvent,
    }
    if mode not in kinds:
        raise ValueError(
            f"event {name!r}: there is no mode {mode!r}; use one of {', '.join(kinds)}"
        )

    def declare(declaration: Callable[..., object]) -> Event:
        kind = kinds[mode]
        if mode == "waterfall" and inspect.iscoroutinefunction(declaration):
            kind = cast("type[Event]", AsyncWaterfallEvent)
        made = kind(name, mode, declaration)
        known = _declared.get(name)
        if known is None or _home(known) == _home(made):
            _declared[name] = made
        return made

    return declare


def _home(declared_event: Event) -> tuple[str, str]:
    declaration = declared_event.declaration
    return declaration.__module__, getattr(declaration, "__qualname__", "")


def name_for(event: Event | str, verb: EventMode) -> str:
    """Give the name an event is known by, if `verb` may dispatch it.

    Raises:
        EventModeError: It is declared with another mode.
    """
    known = _declared.get(event) if isinstance(event, str) else event
    if known is not None and known.mode != verb:
        raise EventModeError(known.name, known.mode, verb)
    return event if isinstance(event, str) else event.name


class _Source(str):
    """An annotation that is source text, shown without quotes."""

    __slots__ = ()
    __repr__ = str.__str__


def _text(signature: inspect.Signature) -> str:
    """Write a signature as its source has it, postponed annotations included."""

    def plain(annotation: object) -> object:
        return _Source(annotation) if isinstance(annotation, str) else annotation

    parameters = [p.replace(annotation=plain(p.annotation)) for p in signature.parameters.values()]
    returns = plain(signature.return_annotation)
    return str(signature.replace(parameters=parameters, return_annotation=returns))


def declared(name: str) -> Event | None:
    """Find the declaration of an event by its name.

    Args:
        name: `scope/name`.

    Returns:
        The first declaration that is alive, or None.
    """
    return _declared.get(name)


def declarations() -> tuple[Event, ...]:
    """List the events that are declared in this process.

    Returns:
        One declaration a name, sorted by name; none of a module that was unloaded, such as a mount's,
        whose declaration only waits to be collected.
    """
    loaded = [one for one in _declared.values() if one.declaration.__module__ in sys.modules]
    return tuple(sorted(loaded, key=lambda one: one.name))


_Arity: TypeAlias = "tuple[int, float]"
_WRAPPERS = 4  # of `functools.wraps` around each other that are looked through


def _accepts(listener: Callable[..., object], count: int) -> bool:
    """Tell whether `listener` can be called with `count` positional arguments."""
    arity = _plain_arity(listener)
    if arity is not None:
        return arity[0] <= count <= arity[1]
    try:
        inspect.signature(listener).bind(*(None,) * count)
    except TypeError:
        return False
    except ValueError:  # a builtin without a signature: only the call can tell
        return True
    return True


def _plain_arity(listener: object) -> _Arity | None:
    """Read off a function's code how many positionals it takes; None when that does not tell."""
    bound = 0
    if isinstance(listener, MethodType):
        listener, bound = listener.__func__, 1
    for _ in range(_WRAPPERS):
        if not isinstance(listener, FunctionType) or "__signature__" in listener.__dict__:
            return None
        if "__wrapped__" not in listener.__dict__:
            break
        listener = cast("object", listener.__dict__["__wrapped__"])
    else:
        return None
    code = listener.__code__
    if len(listener.__kwdefaults__ or ()) < code.co_kwonlyargcount:
        return None
    low = code.co_argcount - len(listener.__defaults__ or ()) - bound
    high = float("inf") if code.co_flags & inspect.CO_VARARGS else code.co_argcount - bound
    return low, high
