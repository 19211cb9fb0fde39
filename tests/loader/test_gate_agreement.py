"""The loader and the gate's rules CFG006 and CFG007 take the same files and refuse the same lines."""

from __future__ import annotations

import os

import pytest
from composing import Case, cases
from hypothesis import given, settings
from hypothesis import strategies as st

from toolset.loader import InvalidCompositionError
from toolset.loader.parse import parse
from toolset_gen.check.composition_entries import Entries
from toolset_gen.check.composition_yaml import Nodes

EXAMPLES = int(os.environ.get("TOOLSET_FUZZ_EXAMPLES", "150"))
CASES = cases()
LINES = sorted({line for case in CASES for line in case.text.splitlines()})
PIECES = [
    "&a ",
    "*a",
    "<<: *a",
    "!x ",
    "~",
    "{",
    "]",
    ": ",
    "- ",
    "\n",
    "'",
    "  ",
    "${env:",
    "#2",
    "1",
    "id: a",
]


def by_loader(text: str) -> set[int]:
    try:
        parse(text, "cordis.yml")
    except InvalidCompositionError as error:
        return {one.line for one in error.problems}
    return set()


def by_gate(text: str) -> set[int]:
    nodes = Nodes()
    root = nodes.root(text)
    if root is not None:
        list(Entries(nodes).judge(root))
    return {one.line for one in nodes.faults}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_gate_follows_table(case: Case) -> None:
    """The gate finds a fault in each line where the table has a mistake, and in no other."""
    assert by_gate(case.text) == {line for line, _, _ in case.mistakes}


@st.composite
def edited(draw: st.DrawFn) -> str:
    """Draw a file of the table with pieces put in, and lines taken out or put elsewhere."""
    lines = draw(st.sampled_from(CASES)).text.splitlines()
    lines += draw(st.lists(st.sampled_from(LINES), max_size=3))
    if draw(st.booleans()):
        lines = draw(st.permutations(lines))
    text = "\n".join(lines)
    for piece in draw(st.lists(st.sampled_from(PIECES), max_size=3)):
        place = draw(st.integers(0, len(text)))
        text = text[:place] + piece + text[place + draw(st.integers(0, 2)) :]
    return text


@settings(max_examples=EXAMPLES, deadline=None)
@given(text=edited())
def test_edited_files_are_judged_alike(text: str) -> None:
    """However a file is edited, both find fault with the same lines."""
    assert by_gate(text) == by_loader(text)
