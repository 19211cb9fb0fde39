"""The emitter's text is what black would write, and reads back as the value."""

from __future__ import annotations

import ast
from functools import partial
from typing import NamedTuple

import black
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolset.catalog import Member, Parameter, Returns
from toolset_gen.emit import Data, Named, emit, quote


class Record(NamedTuple):
    """A record with and without defaults."""

    first: Data
    second: Data = ""
    third: Data = ()


TEXT = st.one_of(
    st.text(alphabet="ab \"'\\\n\té√\U0001f600\x00\x7f\u200b\ud800{}%|#界\u0301", max_size=14),
    st.text(max_size=100),
    st.lists(st.text(alphabet="a\"'\\é界\t ", max_size=40), min_size=2, max_size=5).map("\n".join),
)
SCALARS = st.one_of(
    TEXT,
    st.integers(),
    st.booleans(),
    st.none(),
    st.floats(allow_nan=False, allow_infinity=False),
)
FUNCTIONS = [f"_{'f' * size}" for size in (1, 30, 60)]
VALUES = st.recursive(
    st.one_of(SCALARS, st.sampled_from(FUNCTIONS).map(Named)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(tuple),
        st.builds(Record, inner, inner, inner),
    ),
    max_leaves=12,
)


def module(value: Data) -> str:
    body = emit(value, indent=4, used=len("    return "))
    return f'"""G."""\n\n\ndef _entry() -> object:\n    return {body}\n'


@given(st.builds(Record, VALUES, VALUES, VALUES))
@settings(max_examples=400, deadline=None)
def test_black_changes_nothing(value: Data) -> None:
    """Black leaves every module that returns a record, as all of ours do, as it stands."""
    source = module(value).encode("utf-8", "surrogatepass").decode("utf-8")
    assert black.format_str(source, mode=black.Mode()) == source


@given(VALUES)
@settings(max_examples=300, deadline=None)
def test_emitted_value_reads_back(value: Data) -> None:
    """Executing the text gives a value equal to the one that was emitted."""
    namespace: dict[str, object] = {"Record": Record}
    namespace |= {name: partial(Named, name) for name in FUNCTIONS}
    exec(compile(module(value), "emitted", "exec"), namespace)
    entry = namespace["_entry"]
    assert callable(entry)
    assert entry() == value


@settings(deadline=None)
@given(TEXT)
def test_quote_reads_back(text: str) -> None:
    """A quoted text is one line, encodes as UTF-8 and evaluates to itself."""
    literal = quote(text)
    literal.encode("utf-8")
    assert "\n" not in literal
    assert ast.literal_eval(literal) == text
    assert quote(text, ascii_only=True).isascii()


@pytest.mark.parametrize("size", range(60, 100))
@pytest.mark.parametrize("count", [1, 2])
def test_long_calls_stay(size: int, count: int) -> None:
    """Black leaves a tuple of calls with names of any length as it stands."""
    source = module(Record((Named("f" * size),) * count))
    assert black.format_str(source, mode=black.Mode()) == source


def test_defaults_are_left_out() -> None:
    """Fields that hold their default do not appear."""
    assert emit(Member(name="run", kind="coroutine", signature="async run()")) == (
        'Member(\n    name="run",\n    kind="coroutine",\n    signature="async run()",\n)'
    )


def test_nested_records_explode() -> None:
    """A record inside a tuple inside a record stands on lines of its own."""
    member = Member(
        name="get",
        kind="function",
        signature="get(key: str) -> str",
        parameters=(Parameter(name="key", annotation="str"),),
        returns=Returns("str"),
    )
    text = emit(member)
    assert '    parameters=(\n        Parameter(\n            name="key",\n' in text
    assert '    returns=Returns(\n        annotation="str",\n    ),\n' in text


def test_long_text_takes_lines() -> None:
    """A text of several lines that fits on none is spelled a line each, so that diffs are."""
    lines = [f"line {n} of a text that is long enough" for n in range(3)]
    assert emit(Record("\n".join(lines))) == (
        "Record(\n    first=(\n"
        '        "line 0 of a text that is long enough\\n"\n'
        '        "line 1 of a text that is long enough\\n"\n'
        '        "line 2 of a text that is long enough"\n'
        "    ),\n)"
    )
    assert emit(Record("a\nb")) == 'Record(\n    first="a\\nb",\n)'


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1}, object()])
def test_unspeakable_value_raises(value: object) -> None:
    """A value without a literal is refused, naming it."""
    with pytest.raises(TypeError, match="cannot spell"):
        emit((value,))  # type: ignore[arg-type]  # that is what is tested


def test_newer_characters_are_escaped() -> None:
    """What Unicode added after 3.2 is escaped, so that every Python writes the same bytes."""
    assert quote("é界") == '"é界"'
    assert quote("\U0001f600") == '"\\U0001f600"'
