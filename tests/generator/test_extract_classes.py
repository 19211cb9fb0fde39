"""Classes of every kind: their fields, members, constructors."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
from extracting import CASES, scan, scan_case

from toolset.catalog import Field, TypeEntry


def fields(entry: TypeEntry) -> dict[str, Field]:
    return {item.name: item for item in entry.fields}


def test_dataclass_fields_follow_python(tmp_path: Path) -> None:
    """Order, keyword-only fields, factories and inheritance are what `dataclass` makes of them."""
    found = scan_case(tmp_path, "07")
    base, child = found.type("case.Base"), found.type("case.Child")
    assert base.constructor is not None
    assert child.constructor is not None
    assert base.constructor.signature == (
        'Base(id: int, *, note: str = "n/a", seed: InitVar[int] = 0, '
        "tags: list[str] = <factory: list>)"
    )
    assert child.constructor.signature == (
        'Child(id: int, extra: float = 1.5, *, note: str = "n/a", seed: InitVar[int] = 0, '
        "tags: list[str] = <factory: list>)"
    )
    assert list(fields(child)) == ["id", "note", "tags", "hidden", "extra"]
    assert [item.name for item in child.fields if not item.init] == ["hidden"]
    assert fields(child)["tags"].factory
    assert fields(child)["id"].description == "Identifier."
    assert fields(child)["extra"].description == "Extra value."
    kinds = next(item for item in child.members if item.name == "kinds")
    assert kinds.kind == "class variable"
    assert (base.frozen, child.frozen) == (True, True)
    assert (base.kind, child.kind) == ("dataclass", "dataclass")


def test_dataclass_options_are_followed(tmp_path: Path) -> None:
    """`kw_only`, an overridden field, a written `__init__` and renamed imports are respected."""
    found = scan(
        tmp_path,
        """
import dataclasses as d
from dataclasses import dataclass as data, field as f

@data(kw_only=True)
class A:
    x: int
    y: int = f(default=2, kw_only=False)

@d.dataclass
class B(A):
    z: int = d.field(default_factory=lambda: 3)
    x: "str" = "s"

@data
class C:
    x: int
    def __init__(self, other: str) -> None: ...

class D(B):
    extra: int = 0
""",
    )

    def made(name: str) -> str:
        constructor = found.type(f"case.{name}").constructor
        assert constructor is not None
        return constructor.signature

    assert made("A") == "A(y: int = 2, *, x: int)"
    assert made("B") == 'B(x: str = "s", y: int = 2, z: int = <factory: lambda: 3>)'
    assert made("C") == "C(other: str)"
    assert made("D") == 'D(x: str = "s", y: int = 2, z: int = <factory: lambda: 3>)'
    assert found.member("case.D.extra").kind == "attribute"


def test_model_fields_follow_pydantic(tmp_path: Path) -> None:
    """Defaults, constraints, keys and descriptions of a pydantic model survive."""
    found = scan_case(tmp_path, "08")
    entry = found.type("case.Settings")
    rows = {
        item.name: (
            item.annotation,
            item.required,
            item.default,
            item.factory,
            item.constraints,
            item.key or item.name,
            item.description,
        )
        for item in entry.fields
    }
    assert rows == {
        "ttl": ("float", False, "1.5", False, ("gt=0",), "ttl", "TTL"),
        "port": ("int", False, "8080", False, ("ge=1", "le=65535"), "port", "TCP port."),
        "root": ("Path", False, 'Path("data")', False, (), "root", ""),
        "opts": ("dict[str, int]", False, "dict(a=1)", False, (), "opts", ""),
        "tags": ("list[str]", False, "list", True, (), "labels", ""),
        "mode": ('Literal["a", "b"]', False, '"a"', False, (), "mode", "Operating mode."),
        "name": ("str", True, "", False, (), "name", ""),
        "token": ("str", True, "", False, (), "token", ""),
    }
    facts = found.describer.describe_class("case.Settings")
    assert facts is not None
    assert (facts.settings["extra"], entry.frozen, entry.kind) == ("forbid", True, "model")
    assert [item.name for item in entry.members] == ["url"]
    assert entry.members[0].signature == "url: str"
    assert '@field_validator("port")\n' in entry.declaration
    assert "def _check_port(cls, v: int) -> int: ..." in entry.declaration
    assert "_cache" not in entry.declaration


def load_module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("case_08", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["case_08"] = module
    spec.loader.exec_module(module)
    return module


def test_model_agrees_with_schema(tmp_path: Path) -> None:
    """Names and required flags are those of `model_json_schema`."""
    entry = scan_case(tmp_path, "08").type("case.Settings")
    module = load_module(CASES / "08_pydantic_annotated_default.py")
    schema = module.Settings.model_json_schema()
    assert [item.key or item.name for item in entry.fields] == list(schema["properties"])
    assert [i.key or i.name for i in entry.fields if i.required] == schema["required"]


def test_model_forms_are_read(tmp_path: Path) -> None:
    """Inheritance, class keywords, annotated constraints, aliases from constants, nested `Annotated`."""
    found = scan(
        tmp_path,
        """
from typing import Annotated, ClassVar, Optional
import annotated_types as at
import pydantic
from pydantic import BaseModel as Model, Field as F, StringConstraints

KEY = "the-key"
Port = Annotated[int, F(ge=1)]

class Base(Model, extra="allow"):
    model_config = {"frozen": True}
    a: int = F(alias="x", validation_alias=KEY)
    shared: ClassVar[int] = 3

class Sub(Base, extra="forbid"):
    b: Annotated[Annotated[str, StringConstraints(min_length=2)], at.MaxLen(5)] = "ab"
    c: Optional[int]
    d: "Annotated[list[int], pydantic.Field(default_factory=list)]"
    e: Annotated[int, F(description="E.")] = F(5, lt=9)
    a: str = "over"
""",
    )
    sub = fields(found.type("case.Sub"))
    assert list(sub) == ["a", "b", "c", "d", "e"]
    assert (sub["a"].annotation, sub["a"].default, sub["a"].key) == ("str", '"over"', "")
    assert sub["b"].constraints == ("max_length=5", "min_length=2")
    assert (sub["b"].annotation, sub["b"].default) == ("str", '"ab"')
    assert sub["c"].required
    assert (sub["d"].default, sub["d"].factory, sub["d"].required) == ("list", True, False)
    assert (sub["e"].default, sub["e"].constraints) == ("5", ("lt=9",))
    assert sub["e"].description == "E."
    assert fields(found.type("case.Base"))["a"].key == "the-key"
    facts = found.describer.describe_class("case.Sub")
    assert facts is not None
    assert dict(facts.settings) == {"extra": "forbid", "frozen": "True"}


def test_properties_are_one_member(tmp_path: Path) -> None:
    """Getter, setter and cached properties are told apart and listed once."""
    p = {item.name: item for item in scan_case(tmp_path, "10").type("case.P").members}
    assert list(p) == ["size", "table", "remote"]
    assert (p["size"].kind, p["size"].read_only, p["size"].summary) == (
        "property",
        False,
        "Getter doc.",
    )
    assert (p["table"].kind, p["table"].read_only) == ("cached property", True)
    assert p["table"].returns.annotation == "dict[str, int]"
    assert (p["remote"].awaited, p["remote"].signature) == (True, "remote: str")


def test_inherited_members_say_so(tmp_path: Path) -> None:
    """Own members come first; inherited members and docstrings say where they are from."""
    impl = scan_case(tmp_path, "11").type("pkg.impl.Impl")
    assert [item.name for item in impl.members] == ["start", "ping", "stop"]
    start, _, stop = impl.members
    assert start.signature == "async start(timeout: float = 2.0) -> None"
    assert (start.summary, start.parameters[0].description) == ("Start it.", "Seconds.")
    assert start.doc_inherited_from == "pkg.base.Base.start"
    assert (start.inherited_from, stop.inherited_from) == ("", "pkg.base.Base")
    assert impl.summary == ""


def test_diamond_bases_linearise(tmp_path: Path) -> None:
    """Inheritance follows Python's order; contradictory or circular bases end no run."""
    found = scan(
        tmp_path,
        '''
class A:
    def f(self):
        """A."""
class B(A):
    def f(self):
        """B."""
class C(A):
    def f(self):
        """C."""
    def g(self): ...
class D(B, C): ...
class Bad(A, B): ...
class Loop(Loop2): ...
class Loop2(Loop): ...
''',
    )
    assert [(i.name, i.inherited_from) for i in found.type("case.D").members] == [
        ("f", "case.B"),
        ("g", "case.C"),
    ]
    assert found.type("case.Bad").members[0].name == "f"
    assert found.type("case.Loop").members == ()


def test_private_names_stay_out(tmp_path: Path) -> None:
    """`__all__` beats the underscore rule both ways; members follow the underscore rule."""
    found = scan_case(tmp_path, "19")
    assert found.offered("case") == ["case._Listed", "case.Public", "case.helper_in_all"]
    public = found.type("case.Public")
    assert public.constructor is not None
    assert public.constructor.signature == "Public(a: int)"
    assert public.constructor.parameters[0].description == "The a."
    assert [item.name for item in public.members] == ["a", "__call__"]
    a, call = public.members
    assert (a.signature, a.summary, a.kind) == ("a: int", "Attribute a.", "attribute")
    assert call.signature == "__call__() -> int"
    assert "_b" not in public.declaration
    assert "__slots__" not in public.declaration


def test_provided_class_shows_its_making(tmp_path: Path) -> None:
    """A class that others wrote tells how it is made when it is provided; one of the runtime does not."""
    found = scan_case(tmp_path, "19", public="case:Public")
    (entry,) = found.model.catalog.services
    assert entry.constructor is not None
    assert entry.constructor.signature == "Public(a: int)"
    assert entry.constructor.parameters[0].description == "The a."


def test_foreign_bases_are_read(tmp_path: Path) -> None:
    """What a service inherits from a package that is not scanned is offered, with its origin."""
    found = scan(
        tmp_path,
        '''
import logging.handlers
import string
from toolset import Service

class Letter(string.Template, Service, key="letter"):
    """A letter."""

class Log(logging.handlers.MemoryHandler):
    """A log."""
''',
        log="case:Log",
    )
    origins = {
        (entry.key, member.name): member.inherited_from
        for entry in found.model.catalog.services
        for member in entry.members
    }
    assert origins["letter", "safe_substitute"] == "string.Template"
    assert origins["log", "setTarget"] == "logging.handlers.MemoryHandler"
    assert origins["log", "setFormatter"] == "logging.Handler"


def test_attributes_keep_their_types(tmp_path: Path) -> None:
    """Attributes take their type from the annotation or the parameter, their text from either place."""
    found = scan(
        tmp_path,
        '''
from typing import ClassVar, Final

class A:
    """A.

    Attributes:
        x: The x.
        z: The z.
    """

    z: "int"
    LIMIT: ClassVar[int] = 3
    SEED: Final = 4

    def __init__(self, x: str, y) -> None:
        self.x = x
        if y:
            self.y: list[int] = []
            """The y."""
        self.n = 0

class B(A):
    def __init__(self) -> None:
        self.x: str = ""
''',
    )
    a = {item.name: item for item in found.type("case.A").members}
    assert {name: item.signature for name, item in a.items()} == {
        "z": "z: int",
        "LIMIT": "LIMIT: int",
        "SEED": "SEED",
        "x": "x: str",
        "y": "y: list[int]",
        "n": "n",
    }
    assert (a["LIMIT"].kind, a["LIMIT"].default) == ("class variable", "3")
    assert a["SEED"].read_only
    assert [a[name].summary for name in ("x", "y", "z")] == ["The x.", "The y.", "The z."]
    inherited = found.member("case.B.x")
    assert (inherited.summary, inherited.doc_inherited_from) == ("The x.", "case.A.x")


def test_enums_list_their_members(tmp_path: Path) -> None:
    """Enum members keep their value's text; what else the class has is no member of the enum."""
    found = scan_case(tmp_path, "20")
    level = found.type("case.Level")
    assert [(i.name, i.default, i.description) for i in level.fields] == [
        ("LOW", "1", "Low level."),
        ("HIGH", "enum.auto()", ""),
    ]
    assert [(item.name, item.kind) for item in level.members] == [("label", "property")]
    row = found.type("case.Row")
    assert row.constructor is not None
    assert row.constructor.signature == 'Row(x: int, y: str = "a")'
    opts = found.type("case.Opts")
    assert [(i.name, i.annotation, i.required) for i in opts.fields] == [
        ("a", "int", True),
        ("b", "str", False),
        ("c", "bytes", False),
    ]
    assert found.function("case.use").signature == (
        "use(level: Level = Level.LOW, row: Row = Row(1)) -> Opts"
    )
    assert (level.kind, row.kind, opts.kind) == ("enum", "named tuple", "typed dict")


def test_record_inheritance_is_followed(tmp_path: Path) -> None:
    """Typed dicts inherit keys with their own totality; enums may have private values."""
    found = scan(
        tmp_path,
        """
from enum import Flag, StrEnum
from typing import TypedDict, Protocol

class A(TypedDict):
    a: int
class B(A, total=False):
    b: "str"

class F(Flag):
    X = 1
    _ignore_ = ["y"]
    Y = X | 2
    def go(self): ...

class S(StrEnum):
    ONE = "one"

class P(Protocol):
    size: int
    def f(self) -> int: ...

class E(ValueError):
    def __init__(self, code: int) -> None:
        self.code = code
""",
    )
    assert [(i.name, i.required) for i in found.type("case.B").fields] == [
        ("a", True),
        ("b", False),
    ]
    assert [(i.name, i.default) for i in found.type("case.F").fields] == [
        ("X", "1"),
        ("Y", "X | 2"),
    ]
    assert found.type("case.S").kind == "enum"
    assert found.type("case.P").kind == "protocol"
    error = found.type("case.E")
    assert error.kind == "exception"
    assert error.constructor is not None
    assert error.constructor.signature == "E(code: int)"


@pytest.mark.parametrize("number", [f"{n:02}" for n in range(1, 21) if n not in {13, 14}])
def test_declarations_are_python(tmp_path: Path, number: str) -> None:
    """Every declaration of the cases is Python that parses."""
    found = scan_case(tmp_path, number)
    for module in found.describer.library.modules():
        for item in found.describer.describe_module(module):
            if item.type is not None:
                compile(item.type.declaration, item.path, "exec")
