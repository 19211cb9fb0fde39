"""Docstrings: their entries, their disagreements with signatures, deprecations."""

from __future__ import annotations

from pathlib import Path

import pytest
from extracting import Scan, by_name, scan, scan_case

from toolset_gen.extract.docstrings import parse_docstring
from toolset_gen.extract.facts import function_facts


def facts_of(found: Scan, path: str) -> set[tuple[str, str, int]]:
    definition = found.describer.library.definition(path)
    assert definition is not None
    facts = function_facts(found.describer, definition, "service")
    return {(item.kind, item.name, item.location.line) for item in facts}


def test_types_come_from_signatures(tmp_path: Path) -> None:
    """A docstring's type never replaces an annotation, and each disagreement has its line."""
    found = scan_case(tmp_path, "17")
    move = found.member("case.S.move")
    assert {name: item.annotation for name, item in by_name(move.parameters).items()} == {
        "src": "str",
        "dst": "str",
        "force": "bool",
    }
    assert (move.returns.annotation, move.returns.description) == (
        "int",
        "A count: how many moved.",
    )
    assert [(i.type, i.path, i.description) for i in move.raises] == [
        ("OSError", "builtins.OSError", "On trouble."),
        ("ValueError", "builtins.ValueError", "On trouble."),
        ("Ghost", "", "Never imported."),
    ]
    assert facts_of(found, "case.S.move") == {
        ("type disagreement", "src", 6),
        ("unknown entry", "target", 7),
        ("empty entry", "force", 8),
        ("undocumented parameter", "dst", 2),
        ("unresolved raise", "Ghost", 15),
    }


def test_disagreement_says_both(tmp_path: Path) -> None:
    """A type disagreement carries what stands in the docstring and in the annotation."""
    found = scan_case(tmp_path, "17")
    definition = found.describer.library.definition("case.S.move")
    assert definition is not None
    facts = function_facts(found.describer, definition, "service")
    (fact,) = [item for item in facts if item.kind == "type disagreement"]
    assert (fact.found, fact.expected, fact.location.path) == ("int", "str", "case.py")


def test_agreeing_types_are_quiet(tmp_path: Path) -> None:
    """A docstring type that repeats the annotation, or adds `optional`, is no disagreement."""
    found = scan(
        tmp_path,
        '''
from typing import Annotated

def f(a: int, b: "str | None" = None, c: Annotated[int, 3] = 3) -> int:
    """F.

    Args:
        a (int): A.
        b (str|None, optional): B.
        c (int): C.

    Returns:
        int: The count: always.
    """
''',
    )
    assert facts_of(found, "case.f") == set()
    assert found.function("case.f").returns.description == "The count: always."


def test_missing_parts_are_facts(tmp_path: Path) -> None:
    """What a function lacks is stated part by part."""
    found = scan(
        tmp_path,
        '''
def bare(a, *b): ...

def silent(a: int) -> int:
    """

    Args:
        a: A.
        what is this line
    """

def gen() -> "Iterator[int]":
    """Give."""
    yield 1

async def nothing() -> None:
    """Do."""

class A:
    x = 1
    def __enter__(self): return self
    @property
    def p(self):
        """P."""
''',
    )
    assert facts_of(found, "case.bare") == {
        ("no docstring", "", 2),
        ("no annotation", "a", 2),
        ("no annotation", "b", 2),
        ("no return annotation", "", 2),
    }
    assert facts_of(found, "case.silent") == {
        ("no prose", "", 4),
        ("malformed entry", "", 9),
        ("no returns", "", 4),
    }
    assert facts_of(found, "case.gen") == {("no returns", "", 12)}
    assert facts_of(found, "case.nothing") == set()
    assert facts_of(found, "case.A.x") == {("undocumented attribute", "x", 20)}
    assert facts_of(found, "case.A.p") == {("no return annotation", "", 23)}


def test_inherited_docs_document(tmp_path: Path) -> None:
    """A parameter that the base documents is documented; a new one is not."""
    found = scan(
        tmp_path,
        '''
class A:
    def f(self, a: int) -> None:
        """F.

        Args:
            a: A.
        """
class B(A):
    def f(self, a: int, b: int = 0) -> None: ...
''',
    )
    assert facts_of(found, "case.B.f") == {("undocumented parameter", "b", 10)}


def test_markdown_survives(tmp_path: Path) -> None:
    """Pipes, angle brackets, paragraphs and fences come through untouched."""
    weird = scan_case(tmp_path, "15").function("case.weird")
    assert [item.name for item in weird.parameters] == ["a", "b", "args", "__dunder__"]
    docs = by_name(weird.parameters)
    assert docs["a"].description == "Either | or."
    assert docs["b"].description == ("See ``b`` and [link](x) and <T>.\n\nSecond paragraph of b.")
    assert weird.summary == ("Pipes | and <b>html</b> and `ticks` and *stars* and __init__.")
    assert weird.description == ("Example:\n    ```python\n    weird(1)  # | not a cell\n    ```")


def test_deprecations_are_found(tmp_path: Path) -> None:
    """Decorator, section and directive all deprecate; the word in prose does not."""
    found = scan_case(tmp_path, "18")
    old, older, oldest, fine = (
        found.function(f"case.{name}") for name in ("old_api", "older", "oldest", "fine")
    )
    assert [item.deprecated for item in (old, older, oldest, fine)] == [
        ("use new_api", ""),
        ("Use new_api instead.", "1.2"),
        ("Use new_api.", "1.0"),
        None,
    ]
    assert [item.summary for item in (old, older, oldest)] == ["Old.", "Older.", "Oldest."]
    assert oldest.description == ""


def test_classes_can_be_deprecated(tmp_path: Path) -> None:
    """A deprecated class, property and attribute say so, the message from a constant too."""
    found = scan(
        tmp_path,
        '''
import typing_extensions as te
WHY = "use B"

@te.deprecated(WHY)
class A:
    @property
    @te.deprecated("no p")
    def p(self) -> int: ...
    x: int = 0
    """X.

    Deprecated:
        Use y.
    """
''',
    )
    facts = found.describer.describe_class("case.A")
    assert facts is not None
    assert facts.deprecated == ("use B", "")
    assert [item.deprecated for item in facts.members] == [("no p", ""), ("Use y.", "")]


@pytest.mark.parametrize(
    ("text", "returns"),
    [
        ("F.\n\nReturns: the thing.", "the thing."),
        ("F.\n\nReturns:\n    One\n    line.\n\n    Two.", "One line.\n\nTwo."),
        ("F.\n\nYields:\n    - a\n    - b", ""),
        ("Returns:\n    It.", "It."),
        ("F. It\nReturns: is prose here.", ""),
        ("F.\n\n```\nReturns:\n    no\n```", ""),
    ],
)
def test_returns_forms_are_read(text: str, returns: str) -> None:
    """`Returns:` counts as a section with text beside or below it, and nowhere else."""
    assert parse_docstring(text, 1).returns == returns


def test_sections_keep_their_lines() -> None:
    """Entries have the lines of the file, whatever precedes them."""
    doc = parse_docstring(
        "\n    F.\n\n    Args:\n        a: A\n            more.\n\n        b, *c: BC.\n"
        "        **d (int): D: with colon.\n",
        10,
    )
    assert [(i.name, i.type, i.text, i.line) for i in doc.parameters] == [
        ("a", "", "A more.", 14),
        ("b", "", "BC.", 17),
        ("c", "", "BC.", 17),
        ("d", "int", "D: with colon.", 18),
    ]
    assert (doc.summary, doc.description) == ("F.", "")


def test_summary_is_first_paragraph() -> None:
    """A first paragraph over several lines is one summary; what follows is the description."""
    doc = parse_docstring("One\ntwo.\n\nRest\nof it.\n\nNote:\n    Kept.", 1)
    assert doc.summary == "One two."
    assert doc.description == "Rest\nof it.\n\nNote:\n    Kept."


@pytest.mark.parametrize("text", ["", "   ", "\n\n", "Args:", "Args:\n\n", ":", "Raises:\n  :"])
def test_odd_docstrings_end(text: str) -> None:
    """No docstring makes the parser fail."""
    parse_docstring(text, 1)
