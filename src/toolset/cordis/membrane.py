"""What passes between mounted code and the host, and in what form."""

# Maintainers: the two directions of every crossing. `inward`: what the host hands to mounted code
# never is a context or a fiber, nor something whose attributes, calls, awaited values or iteration
# give one. `outward`: what mounted code hands to the host is what it was given, unwrapped; its
# functions take their arguments inward and raise nothing that could end the host.
# It serves honest code: closures, frames and the collector stay open, which docs/sandbox.md says.
# Time is not its business: the guard bounds mounted code by its frames, whoever calls it.

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Generator, Iterable
from contextlib import AbstractAsyncContextManager
from types import BuiltinMethodType, FunctionType, MethodType, MethodWrapperType
from typing import Final, TypeAlias, TypeVar, cast
from weakref import WeakKeyDictionary, WeakValueDictionary

from toolset.catalog import nearest
from toolset.cordis.diagnostics import is_interrupt, mount_error, note_places
from toolset.cordis.ending import Life, drive
from toolset.cordis.errors import FacadeError
from toolset.cordis.screening import CONTAINERS, INTERNALS, PLAIN, needs_screen, rebuilt
from toolset.runtime import Effect, Fiber, Service

__all__ = ["Membrane", "Proxy", "peel"]

T = TypeVar("T")

Function: TypeAlias = "Callable[..., object]"

_FUNCTIONS: Final = (
    FunctionType,
    MethodType,
    BuiltinMethodType,
    MethodWrapperType,
    functools.partial,
)
_DEEPEST: Final = 4
_OPEN: Final = frozenset({"__class__", "__doc__"})
_OF_A_FIBER: Final = frozenset({"uid", "name", "state", "missing", "provides", "why"})
_OF_A_SERVICE: Final = frozenset({"ctx", "caller", "seen_by"})
_PROTOCOLS: Final = (
    *("__call__", "__len__", "__bool__", "__contains__"),
    *("__getitem__", "__setitem__", "__delitem__"),
    *("__iter__", "__next__", "__reversed__", "__aiter__", "__anext__", "__await__"),
    *("__enter__", "__exit__", "__aenter__", "__aexit__"),
)


class Membrane:
    """The border of one mount.

    Args:
        mount_id: The mount, for messages.
        life: Ends what the mount still awaits after its end; left out, nothing does.
    """

    def __init__(self, mount_id: str, life: Life | None = None) -> None:
        self.mount_id = mount_id
        self.life = life
        self._outside: WeakValueDictionary[Function, FunctionType] = WeakValueDictionary()
        self._originals: WeakKeyDictionary[Function, Function] = WeakKeyDictionary()
        self._kinds: dict[type, type[Proxy]] = {}

    # -- from the host to the mount ----------------------------------------------------------------

    def inward(self, value: object, path: str, *, depth: int = 0) -> object:
        """Give mounted code a value of the host's.

        Args:
            value: The value.
            path: What it is, such as `ctx.fs.read_text()`, for messages.
            depth: How many containers it stands in.

        Returns:
            The value itself when it is plain data, else something that screens what it gives.

        Raises:
            FacadeError: It is a context, or another part of the framework's inside.
        """
        kind = type(value)
        if kind in PLAIN or isinstance(value, Proxy | type):
            return value
        if isinstance(value, INTERNALS):
            raise FacadeError(
                f"{path} gives a {kind.__name__}, which is withheld from mounted code by design; "
                "use what `ctx` itself offers (`dir(ctx)` lists it)",
                path,
            )
        if isinstance(value, _FUNCTIONS):
            return self._inside(cast("Function", value), path)
        if kind in CONTAINERS:
            give = functools.partial(self.inward, path=path, depth=depth + 1)
            return rebuilt(value, give) if depth < _DEEPEST else value
        return self.screen(value, path) if needs_screen(value) else value

    def argument(self, value: object, path: str) -> object:
        """Give a callback of mounted code one of its arguments.

        Args:
            value: The argument.
            path: What is called, for messages.

        Returns:
            As `inward`; of a fiber its name and state can be read, of a context nothing.
        """
        if isinstance(value, INTERNALS):
            return self.screen(value, f"the {type(value).__name__} given to {path}")
        return self.inward(value, path)

    def screen(self, value: object, path: str) -> object:
        """Wrap an object so that all it gives passes inward.

        Args:
            value: The object.
            path: What it is, for messages.

        Returns:
            A proxy with the protocols that the object has.
        """
        kind = type(value)
        made = self._kinds.get(kind)
        if made is None:
            made = _proxy_with(tuple(name for name in _PROTOCOLS if hasattr(kind, name)))
            self._kinds[kind] = made
        return made(value, self, path)

    def _inside(self, function: Function, path: str) -> Function:
        """Let mounted code call a function of the host's."""

        def call(*args: object, **named: object) -> object:
            given = [self.outward(arg) for arg in args]
            result = function(*given, **{key: self.outward(arg) for key, arg in named.items()})
            return self.inward(result, f"{path}()")

        for name in ("__name__", "__qualname__", "__doc__"):
            kept: object = getattr(function, name, None)
            if isinstance(kept, str):
                setattr(call, name, kept)
        self._originals[call] = function
        return call

    # -- from the mount to the host ----------------------------------------------------------------

    def outward(self, value: object) -> object:
        """Give the host a value of mounted code's.

        Args:
            value: The value.

        Returns:
            What stands behind it when it came from the host; functions, coroutines and generators
            of the mount's contained; everything else itself.
        """
        kind = type(value)
        if kind in PLAIN:
            return value
        if isinstance(value, Proxy):
            return peel(value)
        if isinstance(value, _FUNCTIONS):
            return self._outside_of(cast("Function", value))
        return rebuilt(value, _peeled) if kind in CONTAINERS else self._running(value)

    def _running(self, value: object) -> object:
        """Contain what runs when the host goes on with it."""
        if inspect.iscoroutine(value):
            return self._contained(value)
        if inspect.isgenerator(value):
            return self._steps(cast("Generator[object, object, object]", value))
        if inspect.isasyncgen(value):
            return self._async_steps(cast("AsyncGenerator[object, None]", value))
        return value

    def call(self, function: Function, *args: object, **named: object) -> object:
        """Call mounted code for the host.

        Args:
            function: A function or class of the mount's.
            args: What to call it with, passed as they are.
            named: The same by name.

        Returns:
            What it returned, outward.

        Raises:
            MountError: It raised something that would end the host.
        """
        try:
            return self.outward(function(*args, **named))
        except BaseException as error:
            self._raise(error)
            raise

    def _outside_of(self, function: Function) -> Function:
        """Let the host call a function of mounted code, always the same for the same one."""
        original = _lookup(self._originals, function)
        if original is not None:
            return original
        made = _lookup(self._outside, function)
        if made is None:
            made = self._callback(function)
            if not isinstance(function, functools.partial):
                self._outside[function] = made
        return made

    def _callback(self, function: Function) -> FunctionType:
        path = f"`{getattr(function, '__name__', 'the callback')}`"

        def call(*args: object, **named: object) -> object:
            given = [self.argument(arg, path) for arg in args]
            return self.call(
                function, *given, **{key: self.argument(arg, path) for key, arg in named.items()}
            )

        async def call_async(*args: object, **named: object) -> object:
            return await cast("Awaitable[object]", call(*args, **named))

        made = call_async if inspect.iscoroutinefunction(function) else call
        return cast("FunctionType", functools.update_wrapper(made, function))

    def managed(self, value: object) -> object:
        """Have what an async context manager of mounted code awaits end with the mount too.

        Args:
            value: What a set-up gave.

        Returns:
            The same, or a manager in its place.
        """
        if self.life is None or not isinstance(value, AbstractAsyncContextManager):
            return value
        return _Managed(cast("AbstractAsyncContextManager[object]", value), self)

    def driven(self, work: Coroutine[object, object, T], name: str) -> Awaitable[T]:
        """Have a coroutine end when the mount's time is up.

        Args:
            work: A coroutine of the mount's, or one of the host's that awaits it.
            name: What it is, for messages.

        Returns:
            What to await in its place.
        """
        return work if self.life is None else drive(work, self.life, name)

    async def _contained(self, work: Coroutine[object, object, object]) -> object:
        try:
            return self.outward(await self.driven(work, _shown(work)))
        except BaseException as error:
            self._raise(error)
            raise

    def _steps(self, steps: Generator[object, object, object]) -> Generator[object, object, object]:
        try:
            while True:
                try:
                    value = next(steps)
                except StopIteration as end:
                    return end.value
                yield self.outward(value)
        except BaseException as error:
            self._raise(error)
            raise
        finally:
            steps.close()

    async def _async_steps(self, steps: AsyncGenerator[object, None]) -> AsyncGenerator[object]:
        try:
            while True:
                try:
                    value = await self.driven(anext(steps), _shown(steps))
                except StopAsyncIteration:
                    break
                yield self.outward(value)
        except BaseException as error:
            self._raise(error)
            raise
        finally:
            await self.driven(steps.aclose(), _shown(steps))

    def _raise(self, error: BaseException) -> None:
        """Raise in place of what would end the host; add the way out to an unknown name."""
        if isinstance(error, Exception):
            self.annotate(error)
        elif not is_interrupt(error):
            raise mount_error(error, self.mount_id) from error

    def annotate(self, error: BaseException) -> None:
        """Add to what mounted code raised where it did, and the way out of an unknown name.

        Args:
            error: What it raised.
        """
        if not is_interrupt(error):
            note_places(error, self.mount_id)


class _Managed(AbstractAsyncContextManager[object]):
    """An async context manager of mounted code."""

    def __init__(self, manager: AbstractAsyncContextManager[object], membrane: Membrane) -> None:
        self._manager = manager
        self._membrane = membrane

    async def __aenter__(self) -> object:
        return await self._part(self._manager.__aenter__())

    async def __aexit__(self, *error: object) -> None:
        exit_ = cast("Callable[..., Coroutine[object, object, object]]", self._manager.__aexit__)
        await self._part(exit_(*error))

    async def _part(self, work: object) -> object:
        if not inspect.iscoroutine(work):  # a class may give any awaitable
            return await cast("Awaitable[object]", work)
        return await cast("Awaitable[object]", self._membrane.outward(work))


class Proxy:
    """An object of the host's as mounted code sees it.

    Args:
        value: The object.
        membrane: The border it passed.
        path: What it is, such as `ctx.fs`.
    """

    __slots__ = ("__weakref__", "_membrane", "_path", "_value")

    def __init__(self, value: object, membrane: Membrane, path: str) -> None:
        put = object.__setattr__
        put(self, "_value", value)
        put(self, "_membrane", membrane)
        put(self, "_path", path)

    def __getattribute__(self, name: str) -> object:
        if name in _OPEN:
            return object.__getattribute__(self, name)
        value, path = peel(self), _path(self)
        if name.startswith("_") or _is_inside(value, name):
            raise FacadeError(f"{path}.{name} is withheld from mounted code by design", name)
        try:
            found: object = getattr(value, name)
        except AttributeError as error:
            raise _unknown(value, path, name, error) from None
        return _membrane(self).inward(found, f"{path}.{name}")

    def __setattr__(self, name: str, value: object) -> None:
        if name.startswith("_") or _is_inside(peel(self), name):
            raise FacadeError(f"{_path(self)}.{name} is read-only", name)
        setattr(peel(self), name, _membrane(self).outward(value))

    def __dir__(self) -> Iterable[str]:
        value = peel(self)
        return [name for name in dir(value) if name[0] != "_" and not _is_inside(value, name)]

    def __repr__(self) -> str:
        return f"<{_path(self)}>"

    def __eq__(self, other: object) -> bool:
        return bool(peel(self) == _peeled(other))

    def __hash__(self) -> int:
        return hash(peel(self))


def peel(proxy: Proxy) -> object:
    """Give the object behind a proxy.

    Args:
        proxy: The proxy.

    Returns:
        The host's object.
    """
    return object.__getattribute__(proxy, "_value")


def _shown(work: object) -> str:
    """Name a coroutine or generator of mounted code."""
    name: object = getattr(work, "__qualname__", "a coroutine")
    return f"`{str(name).rpartition('.<locals>.')[2]}`"


def _peeled(value: object) -> object:
    return peel(value) if isinstance(value, Proxy) else value


def _membrane(proxy: Proxy) -> Membrane:
    return cast("Membrane", object.__getattribute__(proxy, "_membrane"))


def _path(proxy: Proxy) -> str:
    return cast("str", object.__getattribute__(proxy, "_path"))


def _is_inside(value: object, name: str) -> bool:
    """Tell whether a member belongs to the framework's inside."""
    if isinstance(value, Fiber):
        return name not in _OF_A_FIBER
    if isinstance(value, Service):
        return name in _OF_A_SERVICE
    return isinstance(value, INTERNALS) or (isinstance(value, Effect) and name == "fiber")


def _unknown(value: object, path: str, name: str, error: AttributeError) -> FacadeError:
    near = nearest(name, [one for one in dir(value) if one[0] != "_"])
    if error.name != name or not near:  # raised inside a property, or nothing is near
        return FacadeError(f"{path}.{name}: {error}", name)
    return FacadeError(f"{path} has no {name!r}; did you mean {', '.join(near)}?", name)


def _lookup(table: object, function: Function) -> FunctionType | None:
    """Find a function in a weak table; what cannot be hashed is in none."""
    try:
        return cast("WeakValueDictionary[Function, FunctionType]", table).get(function)
    except TypeError:
        return None


@functools.lru_cache(maxsize=64)
def _proxy_with(protocols: tuple[str, ...]) -> type[Proxy]:
    """Make the class of the proxies of objects with some protocols: one for all mounts."""
    methods = {name: _forward(name) for name in protocols}
    return type("Proxy", (Proxy,), {"__slots__": (), **methods}) if methods else Proxy


def _forward(name: str) -> Function:
    """Make the method by which a proxy has one of its object's protocols."""
    if name == "__await__":
        return _await
    if name == "__bool__":
        return _bool

    def method(self: Proxy, *args: object, **named: object) -> object:
        value, membrane = peel(self), _membrane(self)
        bound = cast("Function", getattr(type(value), name))
        given = [membrane.outward(arg) for arg in args]
        result = bound(value, *given, **{key: membrane.outward(arg) for key, arg in named.items()})
        return membrane.inward(result, f"{_path(self)}{_SHOWN.get(name, '')}")

    method.__name__ = name
    return method


_SHOWN: Final = {"__call__": "()", "__getitem__": "[...]"}


def _bool(self: Proxy) -> bool:
    return bool(peel(self))


def _await(self: Proxy) -> Generator[object, object, object]:
    value, membrane = cast("Awaitable[object]", peel(self)), _membrane(self)
    result = yield from value.__await__()
    return membrane.inward(result, _path(self))
