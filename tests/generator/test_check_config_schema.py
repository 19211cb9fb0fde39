"""What the catalog says of a configuration, compared with the schema that pydantic makes of it."""

from __future__ import annotations

import ast
import sys
import types
from pathlib import Path

import pytest
from extracting import scan

from toolset.catalog import ConfigEntry, Field

SOURCE = '''
from typing import Annotated, Literal, Optional, Union

import annotated_types
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, StringConstraints

from toolset import Context

PORT = "the-port"
Ratio = Annotated[float, Field(ge=0, le=1)]


class Tls(BaseModel):
    """How to encrypt."""

    certificate: str
    private_key: str = "key.pem"


class Base(BaseModel):
    """What all have."""

    inherited: int = Field(7, description="From the base.")
    replaced: int = 1


class Config(Base):
    """How."""

    model_config = ConfigDict(extra="forbid")

    plain: int
    text: str = "a"
    limited: int = Field(3, ge=1, le=9, description="A limit.")
    strict: Annotated[float, Field(gt=0, lt=2.5, multiple_of=0.5)] = 1.5
    named: int = Field(8080, alias=PORT)
    validated: int = Field(1, validation_alias="other-name")
    names: list[str] = Field(default_factory=list, min_length=0, max_length=3)
    mapping: dict[str, int] = Field(default_factory=lambda: {"a": 1})
    word: Annotated[str, StringConstraints(min_length=2, max_length=5, pattern="^a")] = "abc"
    sized: Annotated[str, annotated_types.Len(1, 4)] = "x"
    mode: Literal["a", "b"] = "a"
    either: int | str | None = None
    older: Optional[int] = None
    oldest: Union[int, str] = 1
    tls: Tls | None = None
    required_tls: Tls
    needed: Optional[int]
    ratio: Ratio = 0.5
    replaced: int = 2
    described: Annotated[bool, Field(description="In the annotation.")] = True


def apply(ctx: Context, config: Config) -> None:
    """Mount."""
'''
BOUNDS = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
    "multiple_of": "multipleOf",
    "pattern": "pattern",
}
LENGTHS = {"string": ("minLength", "maxLength"), "array": ("minItems", "maxItems")}
Schema = dict[str, object]


@pytest.fixture(scope="module")
def entry(tmp_path_factory: pytest.TempPathFactory) -> ConfigEntry:
    (found,) = scan(tmp_path_factory.mktemp("config"), SOURCE).model.catalog.configs
    return found


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> types.ModuleType:
    made = types.ModuleType("schema_case")
    sys.modules["schema_case"] = made
    exec(compile(SOURCE, str(tmp_path_factory.mktemp("x") / Path("case.py")), "exec"), vars(made))
    return made


@pytest.fixture(scope="module")
def schema(module: types.ModuleType) -> Schema:
    return module.Config.model_json_schema()


def by_key(entry: ConfigEntry) -> dict[str, Field]:
    return {field.key or field.name: field for field in entry.fields}


def test_fields_are_the_properties(entry: ConfigEntry, schema: Schema) -> None:
    """Names, aliases, order, required fields and unknown keys are those of the schema."""
    fields = by_key(entry)
    assert list(fields) == list(schema["properties"])
    assert [key for key, field in fields.items() if field.required] == schema["required"]
    assert (entry.extra == "forbid") == (schema["additionalProperties"] is False)


def test_descriptions_are_the_schemas(entry: ConfigEntry, schema: Schema) -> None:
    """A description says the same wherever it is written."""
    for key, field in by_key(entry).items():
        assert schema["properties"][key].get("description", "") == field.description, key


def test_defaults_are_the_schemas(
    entry: ConfigEntry, schema: Schema, module: types.ModuleType
) -> None:
    """A default is the schema's; what a factory makes is what the model has."""
    for key, field in by_key(entry).items():
        if field.required:
            assert "default" not in schema["properties"][key]
        elif field.factory:
            made = module.Config.model_fields[field.name].get_default(call_default_factory=True)
            assert eval(f"({field.default})()", vars(module)) == made  # noqa: S307 - of this file's own text
        else:
            assert ast.literal_eval(field.default) == schema["properties"][key]["default"], key


def test_constraints_are_the_schemas(entry: ConfigEntry, schema: Schema) -> None:
    """Every constraint is in the schema, and every bound of the schema is a constraint."""
    for key, field in by_key(entry).items():
        found: Schema = {}
        shown = schema["properties"][key]
        lengths = LENGTHS.get(shown.get("type"), ("", ""))
        for constraint in field.constraints:
            name, _, value = constraint.partition("=")
            names = {**BOUNDS, "min_length": lengths[0], "max_length": lengths[1]}
            found[names[name]] = ast.literal_eval(value)
        known = {*BOUNDS.values(), *LENGTHS["string"], *LENGTHS["array"]}
        expected = {name: value for name, value in shown.items() if name in known}
        assert found == expected, key


PLAIN = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "None",
}


def spelled(shown: Schema) -> set[str]:
    """Spell the type that a schema means, a member of a union each."""
    if "anyOf" in shown:
        return set().union(*(spelled(one) for one in shown["anyOf"]))
    if "$ref" in shown:
        return {shown["$ref"].rpartition("/")[2]}
    if "enum" in shown:
        return {f"Literal[{', '.join(repr(one) for one in shown['enum'])}]"}
    if shown["type"] == "array":
        return {f"list[{spelled(shown['items']).pop()}]"}
    if shown["type"] == "object":
        return {f"dict[str, {spelled(shown['additionalProperties']).pop()}]"}
    return {PLAIN[shown["type"]]}


def written(node: ast.expr) -> set[str]:
    """Take the union that an annotation spells apart."""
    if isinstance(node, ast.BinOp):
        return written(node.left) | written(node.right)
    if isinstance(node, ast.Subscript) and ast.unparse(node.value) in {"Optional", "Union"}:
        items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        extra = {"None"} if ast.unparse(node.value) == "Optional" else set()
        return extra.union(*(written(item) for item in items))
    return {ast.unparse(node)}


def test_types_are_the_schemas(entry: ConfigEntry, schema: Schema) -> None:
    """Unions, literals and nested models are those of the schema, in whatever spelling."""
    for key, field in by_key(entry).items():
        if key != "ratio":
            tree = ast.parse(field.annotation, mode="eval").body
            assert written(tree) == spelled(schema["properties"][key]), key
