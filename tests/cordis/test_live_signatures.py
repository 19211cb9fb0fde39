"""Reading shapes off live objects."""

from __future__ import annotations

import contextlib
import functools
import types
from collections.abc import AsyncIterator, Iterator

import pytest

from toolset import Service
from toolset.catalog import Member, ServiceEntry
from toolset.cordis import live


class Base:
    def inherited(self) -> None: ...


class Everything(Base):
    """Have one of each."""

    constant = 3

    def __init__(self) -> None:
        self.value = "x"
        self.callback = lambda a, b=1: a

    def plain(self, a: int, /, b: str = "x", *args: object, c: bool, **kwargs: object) -> None: ...
    async def coroutine(self) -> int: ...
    def generator(self) -> Iterator[int]:
        yield 1

    async def async_generator(self) -> AsyncIterator[int]:
        yield 1

    @contextlib.contextmanager
    def manager(self) -> Iterator[int]:
        yield 1

    @contextlib.asynccontextmanager
    async def async_manager(self) -> AsyncIterator[int]:
        yield 1

    @property
    def prop(self) -> int:
        raise AssertionError

    @functools.cached_property
    def cached(self) -> int:
        raise AssertionError

    @staticmethod
    def static(a: int) -> int: ...
    @classmethod
    def of(cls, a: int) -> Everything: ...
    def _private(self) -> None: ...


MEMBERS = {
    "async_generator": ("async generator", "async_generator() -> AsyncIterator[int]"),
    "async_manager": ("async context manager", "async_manager() -> AsyncIterator[int]"),
    "cached": ("cached property", "cached: int"),
    "callback": ("function", "callback(a, b=1)"),
    "constant": ("class variable", "constant: int"),
    "coroutine": ("coroutine", "async coroutine() -> int"),
    "generator": ("generator", "generator() -> Iterator[int]"),
    "inherited": ("function", "inherited() -> None"),
    "manager": ("context manager", "manager() -> Iterator[int]"),
    "of": ("function", "of(a: int) -> Everything"),
    "plain": (
        "function",
        "plain(a: int, /, b: str = 'x', *args: object, c: bool, **kwargs: object) -> None",
    ),
    "prop": ("property", "prop: int"),
    "static": ("function", "static(a: int) -> int"),
    "value": ("attribute", "value: str"),
}


def test_every_kind_of_member() -> None:
    """Each public member is described as what it is, and no property is read."""
    found = {m.name: (m.kind, m.signature) for m in live.describe_members(Everything())}
    assert found == MEMBERS


def test_service_base_is_left_out() -> None:
    """What every service has is no member of this one."""

    class Mine(Service, key="mine"):
        def own(self) -> None: ...

    service = object.__new__(Mine)
    service.ctx = service.config = None
    assert [m.name for m in live.describe_members(service)] == ["own"]


@pytest.mark.parametrize(
    ("value", "names"),
    [
        (types.SimpleNamespace(a=1, go=lambda: 2), {"a", "go"}),
        ({"k": 1}, {"items", "get", "pop"}),
        (types, {"SimpleNamespace", "new_class"}),
    ],
    ids=["namespace", "dict", "module"],
)
def test_any_object_is_described(value: object, names: set[str]) -> None:
    """Objects that are no services, builtin ones included, have members too."""
    assert names <= {m.name for m in live.describe_members(value)}


def test_signature_that_builtins_hide() -> None:
    """A builtin that does not tell its signature accepts anything."""
    member = next(m for m in live.describe_members({}) if m.name == "update")
    assert member.signature == "update(...)"
    assert [p.kind for p in member.parameters] == ["var-positional", "var-keyword"]


def test_completeness_is_known() -> None:
    """Only an object whose class computes no attributes can be listed completely."""

    class Computed:
        def __getattr__(self, name: str) -> str:
            return name

    assert live.is_complete(Everything())
    assert not live.is_complete(Computed())


def test_class_of_catalog_is_recognised() -> None:
    """An object is the catalog's when its class, or a base, has the name and package of the entry."""
    entry = ServiceEntry("x", "Base", f"{__name__}.Base")
    assert live.is_instance_of(Everything(), entry)
    assert not live.is_instance_of(Everything(), entry._replace(path="other.Base"))


def test_extra_members_come_last() -> None:
    """What only the live object has is added to the catalog's entry."""
    entry = ServiceEntry("x", "Base", "m.Base", members=(Member("inherited", "function", "doc"),))
    names = [m.name for m in live.with_extra_members(entry, Everything()).members]
    assert names[0] == "inherited"
    assert sorted(names) == sorted(MEMBERS)
