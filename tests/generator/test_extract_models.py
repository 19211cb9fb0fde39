"""Fields of pydantic models, form by form, compared with what pydantic itself makes of them."""

from __future__ import annotations

import ast
import sys
import types
from collections.abc import Iterator
from pathlib import Path

import pytest
from extracting import scan_folder

from toolset.catalog import Field

ALIASES = '''"""Types."""

from typing import Annotated, Optional, TypeVar

import annotated_types
from pydantic import Field
from typing_extensions import TypeAlias, TypeAliasType

T = TypeVar("T")
Port = Annotated[int, Field(ge=1, le=65535, description="A port.")]
Same = Port
Declared: TypeAlias = Port
Small = Annotated[Port, Field(le=100, description="A small port.")]
Smaller = Annotated[Small, Field(le=10)]
Some = Annotated[list[T], Field(min_length=1)]
Ratio = Annotated[float, annotated_types.Ge(0), annotated_types.Lt(1)]
Maybe = Optional[Port]
MaybeToo = Port | None
Keyed = Annotated[int, Field(alias="the-key", default=3)]
Lazy = TypeAliasType("Lazy", Annotated[int, Field(ge=1, description="Lazy.")])
Word: TypeAlias = "Annotated[str, Field(max_length=4)]"
'''
HEAD = '''"""A model."""

from typing import Annotated, ClassVar, Literal, NewType, Optional, Union

import annotated_types
import pydantic
from pydantic import (
    AliasChoices,
    AliasPath,
    BaseModel,
    ConfigDict,
    Field,
    NonNegativeFloat,
    PositiveInt,
    PrivateAttr,
    RootModel,
    StringConstraints,
    computed_field,
    conint,
    constr,
)
from pydantic.alias_generators import to_camel, to_pascal

import MODULE_types
from MODULE_types import *
from MODULE_types import Port as P, Lazy

KEY = "a-key"
TEXT = "A text."
Own = Annotated[P, Field(ge=10)]
New = NewType("New", Annotated[int, Field(ge=1)])
'''
# The body of a model each; `M` is the model that is compared.
FORMS = {
    "alias": "x: P",
    "alias of alias": "x: Same\n    y: Declared = 3",
    "alias by module": "x: MODULE_types.Port",
    "alias from here": "x: Own = 12",
    "alias that narrows": "x: Small\n    y: Smaller",
    "generic alias": "x: Some[int]\n    y: Some[str] = ['a']",
    "annotated types": "x: Ratio = 0.5",
    "quoted alias": "x: 'P' = 3\n    y: Word = 'abc'",
    "alias or none": "x: P | None = None\n    y: Optional[P] = 4\n    z: Union[None, P] = None",
    "none in the alias": "x: Maybe = None\n    y: MaybeToo = 1",
    "annotated or none": "x: Annotated[int, Field(ge=1, description='In it.')] | None = None",
    "lazy alias": "x: Lazy\n    y: Lazy = 4",
    "new type": "x: New = 3",
    "key in the alias": "x: Keyed\n    y: Annotated[Keyed, Field(alias='other')]",
    "nested annotated": "x: Annotated[Annotated[int, Field(ge=1, description='In.')], Field(le=5)]",
    "later wins": "x: Annotated[Annotated[int, Field(ge=5)], Field(ge=1)] = 7",
    "assigned loses": "x: P = Field(5, ge=10)",
    "assigned describes": "x: P = Field(description='Mine.')\n    y: Annotated[P, Field(description='Mine.')]",
    "constant texts": "x: int = Field(1, alias=KEY, description=TEXT)",
    "default in annotated": "x: Annotated[int, Field(default=7)]\n    y: Annotated[int, Field(default=7)] = 8",
    "default kept": "x: Annotated[int, Field(default=7)] = Field(description='Said.')",
    "factory in annotated": "x: Annotated[list[int], Field(default_factory=list)]",
    "factory": "x: dict[str, int] = Field(default_factory=dict)",
    "no default": "x: int = Field(...)\n    y: int = Field(description='Needed.')",
    "alias key": "x: int = Field(alias='a')\n    y: int = Field(1, alias='b', serialization_alias='c')",
    "validation alias": "x: int = Field(alias='a', validation_alias='b')",
    "choices": "x: int = Field(validation_alias=AliasChoices('a', 'b'))",
    "choices of paths": "x: int = Field(validation_alias=AliasChoices(AliasPath('a', 'b'), 'c'))",
    "own types": "x: PositiveInt = 3\n    y: NonNegativeFloat = 0.5\n    z: pydantic.PositiveInt = 1",
    "called types": "x: conint(ge=3, multiple_of=2) = 4\n    y: constr(min_length=1) | None = None",
    "string constraints": "x: Annotated[str, StringConstraints(max_length=3)] = 'a'",
    "extra forbid": "model_config = ConfigDict(extra='forbid')\n    x: int = 1",
    "extra allow": "model_config = {'extra': 'allow'}\n    x: int = 1",
    "class variable": "x: int = 1\n    y: ClassVar[int] = 2\n    z: 'ClassVar[str]' = 'a'",
    "private": "x: int = 1\n    _y: int = 2\n    _z: dict = PrivateAttr(default_factory=dict)",
    "computed": "x: int = 1\n    @computed_field\n    @property\n    def y(self) -> int:\n        return 1",
    "method beside": "x: int = 1\n    def y(self) -> int: return 1\n    class Inner: ...",
    "camel": "model_config = ConfigDict(alias_generator=to_camel)\n    a_b: int = 1\n    c: int = 2\n    d_e: int = Field(1, alias='f')",
    "pascal": "model_config = ConfigDict(alias_generator=to_pascal)\n    a_b: int = 1",
    "upper": "model_config = ConfigDict(alias_generator=str.upper)\n    a_b: int = 1",
    "literal": "x: Literal['a', 'b'] = 'a'",
}
# Whole classes, of which the last is compared.
CLASSES = {
    "inherited": "class A(BaseModel):\n    x: int = Field(3, ge=1, description='Of A.')\nclass M(A):\n    y: int = 1",
    "overridden": "class A(BaseModel):\n    x: int = Field(3, ge=1, description='Of A.')\n    y: int = 1\nclass M(A):\n    x: int",
    "overridden and described": "class A(BaseModel):\n    x: int = 3\nclass M(A):\n    x: Annotated[int, Field(le=9)] = 6",
    "overridden by class variable": "class A(BaseModel):\n    x: int = 3\n    y: int = 4\nclass M(A):\n    x: ClassVar[int] = 3",
    "two bases": "class A(BaseModel):\n    x: int = 1\nclass B(BaseModel):\n    y: int = 2\n    x: int = 3\nclass M(A, B):\n    z: int = 4",
    "mixin": "class A:\n    def f(self): ...\nclass M(A, BaseModel):\n    x: P = 1",
    "inherited settings": "class A(BaseModel):\n    model_config = ConfigDict(alias_generator=to_camel, extra='forbid')\n    a_b: int = 1\nclass M(A):\n    c_d: int = 1",
    "settings of a class": "class M(BaseModel, extra='forbid'):\n    x: int = 1",
    "generic": "from typing import Generic\nclass A(BaseModel, Generic[T]):\n    x: int = 1\nclass M(A[int]):\n    y: int = 2",
}
BOUNDS = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}
BOUNDS |= {"multiple_of": "multipleOf", "pattern": "pattern"}
LENGTHS = {"string": ("minLength", "maxLength"), "array": ("minItems", "maxItems")}
KNOWN = {*BOUNDS.values(), *LENGTHS["string"], *LENGTHS["array"]}
Schema = dict[str, object]


def modules() -> Iterator[tuple[str, str]]:
    for number, body in enumerate(FORMS.values()):
        yield f"m{number}", f"class M(BaseModel):\n    {body}\n"
    for number, body in enumerate(CLASSES.values()):
        yield f"c{number}", f"{body}\n"


class Made:
    """All forms, scanned at once and imported."""

    def __init__(self, root: Path) -> None:
        for name, body in modules():
            (root / f"{name}_types.py").write_text(ALIASES)
            (root / f"{name}.py").write_text((HEAD + body).replace("MODULE", name))
        names = [name for name, _ in modules()]
        self.scan = scan_folder(root, *names, *(f"{name}_types" for name in names))

    def fields(self, name: str) -> dict[str, Field]:
        return {field.key or field.name: field for field in self.scan.type(f"{name}.M").fields}

    def settings(self, name: str) -> str:
        facts = self.scan.describer.describe_class(f"{name}.M")
        return facts.settings.get("extra", "ignore") if facts is not None else ""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    root = tmp_path_factory.mktemp("models")
    sys.path.insert(0, str(root))
    yield Made(root)
    sys.path.remove(str(root))
    for name, _ in modules():
        sys.modules.pop(name, None)
        sys.modules.pop(f"{name}_types", None)


def imported(name: str) -> types.ModuleType:
    __import__(name)
    return sys.modules[name]


def plain(shown: Schema, schema: Schema) -> Schema:
    """Follow a schema to where its bounds are: through a reference, and past the null of an optional."""
    if "$ref" in shown:
        target = schema["$defs"][shown["$ref"].rpartition("/")[2]]
        return {**target, **{k: v for k, v in shown.items() if k != "$ref"}}
    options = [one for one in shown.get("anyOf", ()) if one.get("type") != "null"]
    if len(options) == 1:
        return {**plain(options[0], schema), **{k: v for k, v in shown.items() if k != "anyOf"}}
    return shown


CASES = [
    *((f"m{n}", name) for n, name in enumerate(FORMS)),
    *((f"c{n}", n_) for n, n_ in enumerate(CLASSES)),
]


@pytest.mark.parametrize("name", [module for module, _ in CASES], ids=[name for _, name in CASES])
def test_fields_are_pydantics(made: Made, name: str) -> None:
    """Keys, required fields, defaults, constraints and descriptions are those that pydantic has."""
    model = imported(name).M
    schema = model.model_json_schema()
    fields = made.fields(name)
    assert list(fields) == list(schema.get("properties", ()))
    assert [key for key, field in fields.items() if field.required] == schema.get("required", [])
    for key, field in fields.items():
        shown = plain(schema["properties"][key], schema)
        assert field.description == shown.get("description", "")
        lengths = LENGTHS.get(shown.get("type"), ("", ""))
        names = {**BOUNDS, "min_length": lengths[0], "max_length": lengths[1]}
        split = [constraint.partition("=") for constraint in field.constraints]
        found = {names[word]: ast.literal_eval(value) for word, _, value in split}
        assert found == {word: value for word, value in shown.items() if word in KNOWN}
        if field.factory:
            default = model.model_fields[field.name].get_default(call_default_factory=True)
            assert default == {"list": [], "dict": {}}[field.default]
        elif not field.required:
            assert ast.literal_eval(field.default) == shown["default"]
    extra = {False: "forbid", True: "allow"}.get(schema.get("additionalProperties"), "ignore")
    assert made.settings(name) == extra


@pytest.mark.parametrize(
    ("code", "annotation", "required"),
    [
        ("class M(RootModel[list[int]]):\n    ...", "list[int]", True),
        ("class M(RootModel[dict[str, P]]):\n    ...", "dict[str, P]", True),
        ("class M(RootModel):\n    root: list[int] = [1]", "list[int]", False),
        ("class M(pydantic.RootModel[int]):\n    root: int = 3", "int", False),
    ],
)
def test_root_model_has_one_field(
    tmp_path: Path,
    code: str,
    annotation: str,
    required: bool,  # noqa: FBT001 - a column of the table
) -> None:
    """A root model holds one value, as its only field."""
    (tmp_path / "case_types.py").write_text(ALIASES)
    (tmp_path / "case.py").write_text(HEAD.replace("MODULE", "case") + code + "\n")
    (field,) = scan_folder(tmp_path, "case", "case_types").type("case.M").fields
    assert (field.name, field.annotation, field.required) == ("root", annotation, required)


def test_path_begins_with_its_key(tmp_path: Path) -> None:
    """A field that is taken from inside another value has the key where its path begins."""
    (tmp_path / "case_types.py").write_text(ALIASES)
    code = "class M(BaseModel):\n    x: int = Field(validation_alias=AliasPath('a', 'b', 0))\n"
    (tmp_path / "case.py").write_text(HEAD.replace("MODULE", "case") + code)
    (field,) = scan_folder(tmp_path, "case", "case_types").type("case.M").fields
    assert (field.name, field.key) == ("x", "a")


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the syntax is new in Python 3.12")
def test_type_statement_is_followed(tmp_path: Path) -> None:
    """`type X = …` and generic ones carry their constraints."""
    code = (
        "type Low = Annotated[int, Field(ge=1, description='Low.')]\n"
        "type Some2[T] = Annotated[list[T], Field(min_length=2)]\n"
        "class M(BaseModel):\n    x: Low\n    y: Some2[int]\n    z: Low | None = None\n"
    )
    (tmp_path / "case_types.py").write_text(ALIASES)
    (tmp_path / "case.py").write_text(HEAD.replace("MODULE", "case") + code)
    fields = scan_folder(tmp_path, "case", "case_types").type("case.M").fields
    assert [f.constraints for f in fields] == [("ge=1",), ("min_length=2",), ("ge=1",)]
    assert [f.description for f in fields] == ["Low.", "", "Low."]
