"""A small world of services and events for the preflight's tests."""

from __future__ import annotations

import ast
import contextlib
import textwrap
from collections.abc import AsyncIterator, Iterator

from toolset.catalog import (
    Catalog,
    EventEntry,
    Field,
    Member,
    Parameter,
    Returns,
    ServiceEntry,
    Signature,
    TypeEntry,
)
from toolset.cordis import live
from toolset.cordis.knowledge import Knowledge, LiveService
from toolset.cordis.preflight import Findings, check


class Stat:
    """What `stat` gives."""

    size: int


class FileSystem:
    """Files."""

    root: str = "/"

    async def read_text(self, path: str, *, encoding: str = "utf-8") -> str: ...

    async def write_text(self, path: str, text: str, *, encoding: str = "utf-8") -> None: ...

    async def list(self, path: str = ".") -> list[str]: ...
    async def stat(self, path: str) -> Stat: ...

    def join(self, *parts: str) -> str: ...

    def walk(self, path: str) -> Iterator[str]:
        yield path

    async def lines(self, path: str) -> AsyncIterator[str]:
        yield path

    @contextlib.asynccontextmanager
    async def opened(self, path: str) -> AsyncIterator[object]:
        yield path

    @contextlib.contextmanager
    def locked(self, path: str) -> Iterator[object]:
        yield path

    @property
    def workspace(self) -> str:
        return "/"


class Timer:
    """Time."""

    async def sleep(self, seconds: float) -> None: ...

    def set_timeout(self, callback: object, seconds: float) -> object: ...

    def set_interval(self, callback: object, seconds: float) -> object: ...


class ToolRegistry:
    """Tools."""

    def register(self, tool: object) -> object: ...

    def schemas(self, scope: object = None) -> list[object]: ...

    def get(self, name: str) -> object: ...

    async def execute(self, name: str, arguments: object) -> object: ...


class Shell:
    """Programs."""

    async def run(self, command: str, *, cwd: str | None = None) -> object: ...


class Store:
    """Only live, in no catalog."""

    async def load(self, key: str) -> object: ...

    def save(self, key: str, value: object, *, ttl: float = 0) -> None: ...


class Anything:
    """Computes its attributes."""

    def __getattr__(self, name: str) -> object:
        return name


class MountContext:
    """The context as mounted code gets it."""

    config: object
    logger: object

    def on(self, event: object, listener: object, *, prepend: bool = False) -> object: ...
    def once(self, event: object, listener: object, *, prepend: bool = False) -> object: ...
    def emit(self, event: object, *args: object) -> None: ...
    async def parallel(self, event: object, *args: object) -> None: ...
    async def serial(self, event: object, *args: object) -> object: ...
    def bail(self, event: object, *args: object) -> object: ...
    def waterfall(self, event: object, *args: object) -> object: ...
    def provide(self, key: str, value: object, *, check: object = None) -> object: ...
    def effect(self, setup: object, label: str | None = None) -> object: ...
    def spawn(self, coro: object, name: str | None = None) -> object: ...
    def get(self, key: str, default: object = None) -> object: ...


class MountTools:
    """The tools as mounted code gets them."""

    def register(self, definition: object) -> object: ...
    def schemas(self) -> list[object]: ...
    def get(self, name: str) -> object: ...


class Harness:
    """What makes tools."""

    def tool(self, function: object = None, /, **options: object) -> object: ...
    def define_tool(self, options: object = None, /, **named: object) -> object: ...
    def register_tool(
        self, ctx: object, definition: object = None, /, **options: object
    ) -> object: ...


def _overloaded() -> ServiceEntry:
    key = Parameter("key", annotation="str")
    default = Parameter("default", annotation="str")
    get = Member(
        "get",
        "coroutine",
        "async get(...)",
        signatures=(
            Signature("async get(key: str) -> str | None", (key,), Returns("str | None")),
            Signature("async get(key: str, default: str) -> str", (key, default), Returns("str")),
        ),
    )
    return ServiceEntry("cache", "Cache", "acme.Cache", members=(get,), plugin="cache")


def _with_types(entry: ServiceEntry) -> ServiceEntry:
    """Refer to the types that the catalog knows, as a generated one does."""
    members = [
        m._replace(returns=m.returns._replace(type_refs=("acme.Stat",)))
        if m.returns.annotation == "Stat"
        else m
        for m in entry.members
    ]
    return entry._replace(members=tuple(members))


def _event(name: str, mode: str, text: str, *parameters: str) -> EventEntry:
    return EventEntry(
        name,
        mode,
        text.startswith("async "),
        text,
        tuple(Parameter(p) for p in parameters),
    )


def world(*services: LiveService) -> Knowledge:
    """Know the services above as a catalog would, and two that are only live."""
    catalogued = [
        live.describe(key, cls())
        for key, cls in (
            ("fs", FileSystem),
            ("timer", Timer),
            ("tools", ToolRegistry),
            ("shell", Shell),
        )
    ]
    catalog = Catalog(
        services=(*(_with_types(entry) for entry in catalogued), _overloaded()),
        types=(
            TypeEntry(
                "Stat",
                "acme.Stat",
                "dataclass",
                "@dataclass(frozen=True)\nclass Stat:\n    size: int",
                fields=(Field("size", "int"), Field("kind", "str")),
                members=(Member("age", "function", "age() -> float"),),
            ),
        ),
        events=(
            _event("app/ready", "parallel", "async ready(version: str) -> None", "version"),
            _event("doc/resolve", "serial", "async resolve(name: str) -> str", "name"),
            _event("cache/lookup", "bail", "lookup(key: str) -> object", "key"),
            _event(
                "text/filter", "waterfall", "filter(text: str, next: Next[str])", "text", "next"
            ),
            _event("tools/change", "emit", "change(names: list[str]) -> None", "names"),
            _event(
                "tools/pre-execute",
                "waterfall",
                "async pre_execute(call: ToolCall, next: Next[PreDecision]) -> PreDecision",
                "call",
                "next",
            ),
        ),
    )
    knowledge = Knowledge(
        catalog,
        services
        or (
            LiveService("fs", FileSystem(), "FileSystem"),
            LiveService("tools", ToolRegistry(), "ToolRegistry"),
            LiveService("store", Store(), "dyn-1"),
            LiveService("magic", Anything(), "magic"),
        ),
        context={
            **{m.name: m for m in live.describe_members(MountContext())},
            **{name: Member(name, "attribute", name) for name in ("config", "logger")},
        },
        withheld=("root", "fiber", "registry", "plugin", "extend", "isolate", "mixin", "parent"),
        given={"tools": {m.name: m for m in live.describe_members(MountTools())}},
        harness={m.name: m for m in live.describe_members(Harness())},
    )
    knowledge.forwarded = {"timer": {m.name: m for m in live.describe_members(Timer())}}
    return knowledge


def preflight(code: str, knowledge: Knowledge | None = None) -> Findings:
    """Check one piece of code."""
    return check(ast.parse(textwrap.dedent(code)), knowledge or world())
