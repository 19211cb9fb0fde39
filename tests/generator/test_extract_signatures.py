"""Signatures of any function: overloads, annotations, defaults, kinds."""

from __future__ import annotations

from pathlib import Path

import pytest
from extracting import by_name, scan, scan_case


def test_overloads_stay_one_member(tmp_path: Path) -> None:
    """Overloads are listed in source order and the untyped implementation is not."""
    store = scan_case(tmp_path, "01").type("case.Store")
    assert [item.name for item in store.members] == ["get"]
    get = store.members[0]
    assert (get.kind, get.summary) == ("coroutine", "Read a key.")
    assert [item.text for item in get.signatures] == [
        "async get(key: str) -> str",
        "async get(key: str, *, raw: bool) -> bytes",
    ]
    docs = {item.name: item.description for item in get.parameters}
    assert docs == {"key": "The key.", "raw": "Return bytes."}


def test_overloads_keep_their_kinds(tmp_path: Path) -> None:
    """Overloaded class and static methods stay such, and the first docstring found counts."""
    found = scan(
        tmp_path,
        '''
from typing import overload

class A:
    @overload
    @classmethod
    def make(cls, x: int) -> int:
        """Make."""
    @overload
    @classmethod
    def make(cls, x: str) -> str: ...
    @classmethod
    def make(cls, x): ...

    @overload
    @staticmethod
    def plain(x: int) -> int: ...
    @overload
    @staticmethod
    def plain(x: str, /) -> int: ...
    @staticmethod
    def plain(x): ...
''',
    )
    make = found.member("case.A.make")
    assert (make.binding, make.summary) == ("class", "Make.")
    assert [item.text for item in make.signatures] == ["make(x: int) -> int", "make(x: str) -> str"]
    plain = found.member("case.A.plain")
    assert plain.binding == "static"
    assert plain.returns.annotation == "int"
    assert [item.text for item in plain.signatures] == [
        "plain(x: int) -> int",
        "plain(x: str, /) -> int",
    ]


def test_quoted_annotations_lose_quotes(tmp_path: Path) -> None:
    """Strings inside postponed annotations are types, and their names resolve."""
    found = scan_case(tmp_path, "02").function("case.find")
    assert found.signature == (
        "find(name: str | None = None, tags: t.List[Tag] = ()) -> t.Optional[Tag]"
    )
    assert found.returns.type_refs == ("typing.Optional", "case.Tag")
    assert by_name(found.parameters)["tags"].type_refs == ("typing.List", "case.Tag")


@pytest.mark.parametrize("future", ["", "from __future__ import annotations\n"])
@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ('"int"', "int"),
        ("'list[\"int\"]'", "list[int]"),
        ('dict[str, "Other | None"]', "dict[str, Other | None]"),
        ('"Other" | None', "Other | None"),
        ('Callable[["Other", int], "Other"]', "Callable[[Other, int], Other]"),
        ('"Callable[..., Other]"', "Callable[..., Other]"),
        ('tuple["Other", ...]', "tuple[Other, ...]"),
        ('Literal["Other"]', 'Literal["Other"]'),
        ('"Literal[\'Other\', \\"x\\"]"', "Literal['Other', \"x\"]"),
        ('Annotated["Other", "Other"]', 'Annotated[Other, "Other"]'),
        ("Optional[ 'Other' ]", "Optional[ Other ]"),
        ("'Oth' 'er'", "Other"),
        ("'not a type!'", "'not a type!'"),
    ],
)
def test_annotations_are_spelled(tmp_path: Path, future: str, written: str, shown: str) -> None:
    """A string is a type where a type can stand, and data everywhere else."""
    found = scan(
        tmp_path,
        future
        + "from typing import *\nfrom typing import Annotated, Callable, Literal, Optional\n"
        + f"class Other: ...\ndef f(ü, x: {written}): ...\n",
    )
    assert found.function("case.f").parameters[1].annotation == shown


def test_metadata_strings_stay_data(tmp_path: Path) -> None:
    """Strings in `Annotated` metadata and `Literal` keep their quotes and are no types."""
    found = scan_case(tmp_path, "04")
    scale = found.function("case.scale")
    n, mode, fmt = scale.parameters
    assert (n.annotation, n.base_type) == ('Annotated[int, "percent", 3]', "int")
    assert n.metadata == ('"percent"', "3")
    assert mode.annotation == 'Literal["fast", "slow path", 1]'
    assert (fmt.base_type, fmt.metadata) == ("Literal['a']", ('"x y"',))
    assert (scale.returns.base_type, scale.returns.metadata) == ("str", ('"unit"',))
    assert not found.model.type_facts


def test_defaults_keep_source_text(tmp_path: Path) -> None:
    """Defaults are shown as written and never evaluated."""
    found = scan_case(tmp_path, "05").function("case.f")
    assert [item.default for item in found.parameters] == [
        "1_000_000",
        "0xFF",
        "1e-3",
        r'r"\d+"',
        "'it is \"x\"'",
        "Color.RED",
        "_MISSING",
        "lambda row, *rest, k=1: (row, k)",
        '{"a": 1, **{"b": 2}}',
        "-1",
        '"a" "b"',
    ]
    assert not any(item.required for item in found.parameters)


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("dict(\n    a=1,\n    b=2,\n)", "dict(a=1, b=2)"),
        ("(\n    1,\n)", "(1,)"),
        ("(\n    1,\n    2,\n)", "(1, 2)"),
        ("f(\n    1,\n)", "f(1)"),
        ("[f(\n    1,\n), x in (\n    1,\n)]", "[f(1), x in (1,)]"),
        ("{\n    'a': (\n        1,\n        2,\n    ),\n}", "{'a': (1, 2)}"),
        ('"a  b"', '"a  b"'),
        ("[  1,   2 ]", "[ 1, 2 ]"),
        ("[  # why\n    1,  # one\n    '# no',\n]", "[1, '# no']"),
        ('"""a\nb"""', "'a\\nb'"),
        ("os.environ['X']", "os.environ['X']"),
        ("f'{1  +  1}  x'", "f'{1  +  1}  x'"),
        ("(1 +\n 2)", "1 + 2"),
        ("'ü'  +  'ö'", "'ü' + 'ö'"),
    ],
)
def test_defaults_fit_one_line(tmp_path: Path, written: str, shown: str) -> None:
    """Whitespace is collapsed outside strings only."""
    found = scan(tmp_path, f"def g(x={written}): ...\n")
    assert found.function("case.g").parameters[0].default == shown


def test_parameter_kinds_are_kept(tmp_path: Path) -> None:
    """All five kinds are told apart, and starred entries document their parameters."""
    found = scan_case(tmp_path, "06")
    call = found.function("case.call")
    assert call.signature == (
        'call(a, b=1, /, c=2, *args: int, d, e: str = "x", **kw: object) -> None'
    )
    assert [item.kind for item in call.parameters] == [
        "positional-only",
        "positional-only",
        "positional-or-keyword",
        "var-positional",
        "keyword-only",
        "keyword-only",
        "var-keyword",
    ]
    assert [item.name for item in call.parameters if item.required] == ["a", "d"]
    assert [item.description for item in call.parameters] == [
        "First.",
        "Second.",
        "Third.",
        "Rest.",
        "Named.",
        "Named too.",
        "More.",
    ]
    assert found.function("case.star_only").signature == "star_only(*, x: int) -> None"


def test_bound_parameter_goes_by_place(tmp_path: Path) -> None:
    """The bound parameter is the first one whatever it is called; a static method has none."""
    found = scan(
        tmp_path,
        """
class A:
    def method(this, self): ...
    @classmethod
    def made(klass, x): ...
    @staticmethod
    def plain(self, x): ...
    def anything(*args): ...
    def only(self, /): ...
""",
    )
    texts = [item.signature for item in found.type("case.A").members]
    assert texts == ["method(self)", "made(x)", "plain(self, x)", "anything(*args)", "only()"]


def test_async_kinds_are_told(tmp_path: Path) -> None:
    """Kinds say how a member is used, and generators say what they give."""
    api = {item.name: item for item in scan_case(tmp_path, "09").type("case.Api").members}
    assert {name: item.kind for name, item in api.items()} == {
        "one": "coroutine",
        "many": "async generator",
        "session": "async context manager",
        "lock": "context manager",
        "later": "function",
        "nested": "coroutine",
        "abstract_stream": "coroutine",
    }
    assert api["one"].returns.annotation == "int"
    assert api["many"].returns.item == "int"
    assert api["many"].returns.description == "Numbers: always growing."
    assert api["session"].returns.item == "str"
    assert api["lock"].returns.item == "None"
    assert api["later"].signature == "later() -> Awaitable[int]"
    assert api["abstract_stream"].returns.annotation == "AsyncIterator[int]"
    assert not api["many"].signature.startswith("async ")
    assert not api["session"].signature.startswith("async ")


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("    return (yield)", "generator"),
        ("    x = [(lambda: (yield)) for _ in ()]", "function"),
        ("    if 0:\n        yield from ()", "generator"),
        ("    class X:\n        def g(self):\n            yield", "function"),
        ("    return 'yield'", "function"),
    ],
)
def test_generators_yield_themselves(tmp_path: Path, body: str, kind: str) -> None:
    """Only a yield of the function's own body makes it a generator."""
    assert scan(tmp_path, f"def f():\n{body}\n").function("case.f").kind == kind


def test_renamed_managers_are_seen(tmp_path: Path) -> None:
    """A context manager decorator is known through an import under another name."""
    found = scan(
        tmp_path,
        """
import contextlib as c
from contextlib import asynccontextmanager as acm

@c.contextmanager
def a(): yield 1

@acm
async def b(): yield 1
""",
    )
    assert found.function("case.a").kind == "context manager"
    assert found.function("case.b").kind == "async context manager"
