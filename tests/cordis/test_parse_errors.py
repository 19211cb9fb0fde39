"""Code that does not parse is explained: the line, a caret, the likely cause."""

from __future__ import annotations

import pytest

from toolset.cordis.errors import MountSyntaxError
from toolset.cordis.evaluate import parse


def refusal(code: str) -> MountSyntaxError:
    """Give what parsing raises."""
    with pytest.raises(MountSyntaxError) as caught:
        parse(code, "dyn-1")
    return caught.value


HABITS = [
    ("const x = 1\nreturn x", 1, "assigning"),
    ("let { a } = b\nreturn a", 1, "assigning"),
    ("f = (x) => x\nreturn f", 1, "lambda"),
    ("ctx.on('a', (e) => {\n  e\n})\nreturn 1", 1, "lambda"),
    ("function apply(ctx) {\n}\nreturn apply", 1, "def name"),
    ("x = async function () {\n}\nreturn x", 1, "def name"),
    ("// a comment\nreturn 1", 1, "begin with `#`"),
    ("/* a comment */\nreturn 1", 1, "begin with `#`"),
    ("x = 1 // one is enough here\nreturn x", 1, "begin with `#`"),
    ("return a && b", 1, "`and`"),
    ("return a || b", 1, "`or`"),
    ("return !a", 1, "`not x`"),
    ("if a === b:\n    pass\nreturn 1", 1, "`==`"),
    ("return a !== b", 1, "`!=`"),
    ("x = new Map()\nreturn x", 1, "without `new`"),
    ("return a ? b : c", 1, "a if condition else b"),
    ("return a?.b", 1, "neither `?.`"),
    ("return a ?? b", 1, "neither `?.`"),
    ("if a:\n    pass\nelse if b:\n    pass\nreturn 1", 3, "elif"),
    ("try:\n    pass\ncatch (e):\n    pass\nreturn 1", 3, "except"),
    ("throw ValueError('x')\nreturn 1", 1, "raise"),
    ("x++\nreturn x", 1, "x += 1"),
    ("return typeof x", 1, "isinstance"),
    ("return `a`", 1, "template"),
    ("return f(...args)", 1, "spreads"),
    ("export default x", 1, "return plugin"),
    ("import fs from 'fs'\nreturn 1", 1, "from module import name"),
    ("for (x of y):\n    pass\nreturn 1", 1, "for item in items"),
    ("switch (x):\n    pass\nreturn 1", 1, "match value"),
    ("if x {\n    y\n}\nreturn 1", 1, "indentation"),
    ("while (x) {\n    y\n}\nreturn 1", 1, "indentation"),
]


@pytest.mark.parametrize(("code", "line", "hint"), HABITS, ids=[row[0][:20] for row in HABITS])
def test_other_languages_are_named(code: str, line: int, hint: str) -> None:
    """A habit of JavaScript is met with what Python writes, at the line where it stands."""
    error = refusal(code)
    assert error.line == line
    assert hint in error.hint


PYTHON = [
    ("x = (1,\ny = 2\nreturn x", 1, "was never closed", "close it"),
    ("return [1, 2", 1, "was never closed", "close it"),
    ("x = f(1))\nreturn x", 1, "unmatched ')'", "closes nothing"),
    ("x = (1]\nreturn x", 1, "does not match", "cross each other"),
    ("return 'a", 1, "unterminated string", "close the string"),
    ("x = '''a\nreturn x", 1, "unterminated triple-quoted", "close the string"),
    ("def f():\nreturn 1", 2, "expected an indented block", "four spaces"),
    ("if x:\n    a\n   b\nreturn 1", 3, "unindent does not match", "four spaces"),
    ("x = 1\n    y = 2\nreturn x", 2, "unexpected indent", "deeper"),
    ("    x = 1\ny = 2\nreturn x", 1, "unexpected indent", "deeper"),
    ("if x:\n    a\n\tb\nreturn 1", 3, "inconsistent use of tabs", "spaces only"),
    ("def f():\n    await g()\nreturn f", 2, "'await' outside", "async def"),
    ("from math import *\nreturn 1", 1, "import *", "name what you import"),
    ("yield 1\nreturn 1", 1, "'yield' at the top level", "apply"),
    ("x = 1\nfor x in y\n    pass\nreturn 1", 2, "expected ':'", ""),
    ("return 1\nbreak", 2, "'break' outside loop", ""),
    ("```python\nreturn 1\n```\nand\n```python\nreturn 2\n```", 2, "invalid syntax", "one block"),
]


@pytest.mark.parametrize(("code", "line", "problem", "hint"), PYTHON, ids=[r[2] for r in PYTHON])
def test_python_mistakes_are_explained(code: str, line: int, problem: str, hint: str) -> None:
    """A mistake in Python shows its line, what the parser says, and the way out."""
    error = refusal(code)
    assert error.line == line
    assert problem in error.problem
    assert hint in error.hint


def test_caret_points_at_place() -> None:
    """The offending line is shown without its indentation, the caret below the place."""
    text = str(refusal("if a:\n    const x = 1\nreturn 1"))
    assert text.splitlines()[1:3] == ["    const x = 1", "          ^"]


def test_long_line_is_cut() -> None:
    """Of a very long line only a window around the place is shown."""
    text = str(refusal("x = '" + "a" * 5000 + "' $ 1\nreturn x"))
    line, caret = text.splitlines()[1:3]
    assert len(line) < 200
    assert line[caret.index("^")] == "$"


FORMS = "return a function that takes the context"


def test_missing_return_shows_forms() -> None:
    """Code without a `return` of its own is refused with both accepted forms."""
    for code in ("", "# only a comment", "x = 1", "def f():\n    pass"):
        error = refusal(code)
        assert "no `return` at its top level" in error.problem
        assert FORMS in error.hint
        assert "class Greeter:" in error.hint


def test_nested_return_is_told() -> None:
    """A `return` that stands inside a nested function only is told from the code's own."""
    hint = refusal("async def apply(ctx):\n    if ctx:\n        return 1\n").hint
    assert "the `return` in line 3 belongs to the function `apply`" in hint
    assert "did you forget `return apply` at the end?" in hint


def test_strings_are_no_habits() -> None:
    """What stands in a string or a comment is not taken for another language."""
    error = refusal("x = 'const y => null'  # function\nx = = 1\nreturn x")
    assert error.hint == ""
