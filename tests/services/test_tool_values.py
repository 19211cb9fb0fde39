"""Lossless JSON: what survives a round trip, and how the rest is refused."""

from __future__ import annotations

import copy
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolset.services.tools import NotJsonError
from toolset.services.tools.lossless import copy_json, depth_of, freeze_json
from toolset.services.tools.paths import Path
from toolset.services.tools.wire import brief, safe_json, safe_text

# Adding 0.0 makes -0.0, which JSON readers change, an ordinary zero.
NUMBERS = st.floats(allow_nan=False, allow_infinity=False).map(lambda number: number + 0.0)
SCALARS = st.none() | st.booleans() | st.integers() | st.text() | NUMBERS
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)


class Color(str):
    """A string that is more than a string."""

    __slots__ = ()


def nested(depth: int) -> object:
    value: object = "leaf"
    for step in range(depth):
        value = {"a": value} if step % 2 else [value]
    return value


def cycle() -> object:
    ring: list[object] = []
    ring.append({"back": ring})
    return ring


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (math.nan, "finite numbers"),
        ({"a": [math.inf]}, r"value\.a\[0\] is inf"),
        (-math.inf, "finite numbers"),
        (-0.0, r"-0\.0"),
        ([{1}], r"value\[0\] is a set.*use a list"),
        ((1, 2), "is a tuple.*use a list"),
        (b"x", "base64"),
        (object(), "is an object"),
        ({"a": {1: 2}}, r"value\.a has the key 1, which is no string"),
        ({(1, 2): 3}, "which is no string"),
        (cycle(), r"value\[0\]\.back contains itself"),
        ([10**5000], "too long to print"),
    ],
)
def test_lossy_value_is_refused(value, message):
    """A value that does not survive JSON is refused with its path and what to use instead."""
    for convert in (copy_json, freeze_json):
        with pytest.raises(NotJsonError, match=message):
            convert(value)


@given(VALUES)
def test_copies_equal_their_source(value):
    """Whatever JSON can write and read back is copied unchanged, and shares nothing."""
    copied = copy_json(value)
    assert copied == value == json.loads(json.dumps(value))
    assert freeze_json(value, max_depth=None) == value


@pytest.mark.parametrize("depth", [5_000, 50_000])
def test_depth_does_not_recurse(depth):
    """Nesting of any depth is measured and copied without recursion."""
    value = nested(depth)
    assert depth_of(copy_json(value)) == depth
    with pytest.raises(NotJsonError, match="nested deeper than 100 levels"):
        freeze_json(value)


def test_shared_parts_are_no_cycle():
    """The same list in two places is two lists afterwards, not a cycle."""
    shared = [1]
    copied = copy_json({"a": shared, "b": shared})
    assert copied == {"a": [1], "b": [1]}
    assert copied["a"] is not copied["b"]


def test_endless_sharing_is_refused():
    """A small value that unfolds to millions of items is refused in time."""
    value: object = [1]
    for _ in range(64):
        value = [value, value]
    with pytest.raises(NotJsonError, match="more than 500,000 items"):
        copy_json(value)


def test_subclasses_become_plain():
    """Subclasses of the JSON types become those types, key order kept."""
    copied = copy_json({Color("b"): Color("x"), "a": True})
    assert list(copied) == ["b", "a"]
    assert {type(key) for key in copied} == {str}
    assert type(copied["b"]) is str


@pytest.mark.parametrize(
    "change",
    [
        lambda value: value.update(x=1),
        lambda value: value.pop("list"),
        lambda value: value.__setitem__("x", 1),
        lambda value: value.setdefault("x", 1),
        lambda value: value["list"].append(1),
        lambda value: value["list"].sort(),
        lambda value: value["list"].__iadd__([1]),
        lambda value: value["list"].__delitem__(0),
    ],
)
def test_frozen_values_stay(change):
    """A frozen value refuses every change, and its deep copy takes them."""
    frozen = freeze_json({"list": [1, {"a": 2}]})
    with pytest.raises(TypeError, match="frozen"):
        change(frozen)
    assert frozen == {"list": [1, {"a": 2}]}
    changed = copy.deepcopy(frozen)
    changed["list"].append(3)
    changed["list"][1]["b"] = 1
    assert frozen == {"list": [1, {"a": 2}]}
    assert json.dumps(frozen) == '{"list": [1, {"a": 2}]}'


def test_surrogates_are_replaced():
    """A lone surrogate is replaced in text, keys and values; all else stays."""
    assert safe_text("a\ud800b🙂") == "a\ufffdb🙂"
    assert safe_json({"\udfff": ["\ud800", 1]}) == {"\ufffd": ["\ufffd", 1]}


def test_brief_never_echoes():
    """A value in a message is a line at most, whatever its `repr` does."""

    class Angry:
        def __repr__(self) -> str:
            raise RuntimeError

    assert len(brief("x" * 10_000)) < 120
    assert brief(["x"] * 3) == "array of 3 items"
    assert brief(Angry()) == "<Angry>"
    assert len(brief(10**200)) < 120


def test_long_paths_are_shortened():
    """The path of a deep place stays readable and is cheap to build."""
    path = Path("parameters")
    for _ in range(5_000):
        path /= "a"
    assert str(path / "type").startswith("parameters.a.a")
    assert len(str(path / "type")) < 200
    assert str(Path("p") / "__proto__" / "größe" / "a b" / 3) == "p.__proto__.größe['a b'][3]"
