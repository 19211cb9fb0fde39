"""What is written without black or `json` is what they would write."""

from __future__ import annotations

import ast
import json
import string
import textwrap
from collections.abc import Mapping

import black
from black.mode import TargetVersion
from black.parsing import InvalidInput
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_catalog import CATALOG

from toolset.catalog import Catalog, Member, ServiceEntry, TypeEntry, load
from toolset_gen.emit import emit
from toolset_gen.render.code import lay_out
from toolset_gen.render.json_form import as_json, json_text
from toolset_gen.render.module import catalog_module

MODE = black.Mode(target_versions={TargetVersion.PY313})

NAMES = st.sampled_from(["a", "self", "item", "type", "match", "_", "a_rather_long_name_of_it"])
ATOMS = st.one_of(
    NAMES,
    st.sampled_from(
        ["int", "None", "...", "()", "[]", "0", "-1", "12", "0xF", "1.0", "1e5", "x.y.Z", "lambda"]
    ),
    st.sampled_from(
        ['"a b"', '"é"', '"|, ["', "'q'", 'b"x"', '"\\n"', "dict(a = 1)", "{}", "not x"]
    ),
)
TYPES = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.builds("{}[{}]".format, NAMES, inner),
        st.builds("{}[{}, {}]".format, NAMES, inner, inner),
        st.builds("{}[[{}], {}]".format, NAMES, inner, inner),
        st.builds("{} | {}".format, inner, inner),
        st.builds("{}|{}".format, inner, inner),
        st.builds("{}[{},]".format, NAMES, inner),
    ),
    max_leaves=6,
)
PARAMETERS = st.one_of(
    NAMES,
    st.builds("{}={}".format, NAMES, TYPES),
    st.builds("{}: {}".format, NAMES, TYPES),
    st.builds("{}: {} = {}".format, NAMES, TYPES, ATOMS),
)
SIGNATURES = st.builds(
    lambda head, name, items, more, returns: (
        f"{head}def {name}({', '.join([*items, *more])}){returns}: ..."
    ),
    st.sampled_from(["", "async ", "@overload\n"]),
    NAMES,
    st.lists(PARAMETERS, max_size=5),
    st.sampled_from([[], ["*", "a1"], ["/"], ["*args: int", "**kwargs: int"], ["**options"]]),
    st.one_of(st.just(""), TYPES.map(" -> {}".format)),
)
FIELDS = st.one_of(
    st.builds("{}: {}".format, NAMES, TYPES),
    st.builds("{}: {} = {}".format, NAMES, TYPES, TYPES),
    st.builds("{} = {}".format, NAMES, TYPES),
)
MEMBERS = st.one_of(
    SIGNATURES, SIGNATURES, FIELDS, FIELDS, st.sampled_from(["@property", "@a.b", "# …", "pass"])
)
CLASSES = st.builds(
    lambda head, body: "\n".join([head, *(textwrap.indent(line, "    ") for line in body)]),
    st.one_of(
        st.sampled_from(["class A:", "class A: ...", "class A():", "class A(b=C):"]),
        st.lists(TYPES, max_size=5).map(lambda bases: f"class A({', '.join(bases)}):"),
    ),
    st.one_of(st.lists(MEMBERS, max_size=6), st.just(["..."])),
)
STATEMENTS = st.one_of(SIGNATURES, FIELDS, NAMES, CLASSES, CLASSES)


@given(STATEMENTS)
@settings(max_examples=400, deadline=None)
def test_layout_is_blacks(text: str) -> None:
    """A signature that is laid out without black is laid out as black would."""
    laid_out = lay_out(text)
    if laid_out is None:
        return
    try:
        expected = black.format_str(text, mode=MODE).strip("\n")
    except InvalidInput:
        expected = text
    assert laid_out == expected or not is_python(text)


def is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def test_ordinary_signatures_need_no_black() -> None:
    """Short ones and long ones alike; what black would spell otherwise is left to it."""
    long = ", ".join(f"name_{letter}: dict[str, int] | None = None" for letter in "abcd")
    assert lay_out("async def get(key: str, /, *, limit: int = 5) -> list[str]: ...")
    assert lay_out(f"def f({long}) -> int: ...") == (
        "def f(\n"
        + "".join(f"    name_{c}: dict[str, int] | None = None,\n" for c in "abcd")
        + ") -> int: ..."
    )
    for odd in ("def f(a='x'): ...", "def f(a=1+1): ...", "def f(a=0XF): ...", "x: int|None"):
        assert lay_out(odd) is None


def test_json_text_is_what_json_gives() -> None:
    """The text of a catalog is `as_json` indented by two."""
    for catalog in (CATALOG, load(["toolset.api_catalog"]), Catalog()):
        assert json_text(catalog) == json.dumps(as_json(catalog), indent=2, ensure_ascii=False)


@given(st.text(alphabet=string.printable + "é\u2028\ud800\x00"))
@settings(deadline=None)
def test_json_text_escapes_alike(text: str) -> None:
    """Whatever stands in a text."""
    catalog = CATALOG._replace(services=(CATALOG.services[0]._replace(summary=text),))
    assert json_text(catalog) == json.dumps(as_json(catalog), indent=2, ensure_ascii=False)


def test_recurring_records_are_alike() -> None:
    """A record that recurs, at any depth, is spelled as if it stood alone."""
    member = CATALOG.services[0].members[0]
    data = (member, (member, (member,)), (member._replace(name="other"),))
    assert emit(data, indent=4, used=4, known={}) == emit(data, indent=4, used=4)


def test_inherited_members_stand_once() -> None:
    """A member that several entries have is written once in the module, and read in each."""
    own = Member(name="own", kind="function", signature="own()", path="pkg.B.own")
    shared = Member(name="go", kind="function", signature="go()", path="pkg.A.go")
    copy = shared._replace()  # equal, and another object
    namesake = shared._replace(summary="Overridden somehow.")
    catalog = Catalog(
        services=(
            ServiceEntry(key="a", class_name="A", path="pkg.A", members=(shared, own)),
            ServiceEntry(key="b", class_name="B", path="pkg.B", members=(copy,)),
            ServiceEntry(key="c", class_name="C", path="pkg.C", members=(namesake,)),
            ServiceEntry(key="d", class_name="D", path="pkg.D", members=(namesake,)),
        ),
        types=(TypeEntry(name="T", path="pkg.T", kind="class", declaration="", members=(shared,)),),
    )
    text = catalog_module(catalog, ("pkg",))
    assert text.count('name="go"') == 2
    assert black.format_str(text, mode=black.Mode()) == text
    module: dict[str, object] = {"__name__": "catalog"}
    exec(compile(text, "catalog", "exec"), module)
    for name, entries in (("SERVICE_API", catalog.services), ("TYPE_API", catalog.types)):
        found = module[name]
        assert isinstance(found, Mapping)
        assert tuple(found.values()) == entries
