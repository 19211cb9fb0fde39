"""Explain code that does not parse: the offending line, a caret, and the habit behind it."""

# Maintainers: turns a SyntaxError into a MountSyntaxError and guesses the likely cause. It decides
# nothing: code gets here only after Python itself has refused it, so a pattern that matches too
# much costs a wrong hint and never a refusal. One row a habit, tried in order.

from __future__ import annotations

import re
from typing import Final, NamedTuple

from toolset.cordis.errors import MountSyntaxError

__all__ = ["FORMS", "explain", "lines_of"]

FORMS: Final = """\
return a function that takes the context:

    def greeter(ctx):
        ctx.logger.info("hello")
    return greeter

or an object with `apply`, and where needed `name`, `inject` and `Config`:

    class Greeter:
        name = "greeter"
        inject = ["fs"]
        async def apply(self, ctx):
            ctx.logger.info(await ctx.fs.read_text("hello.txt"))
    return Greeter()"""

_SCRIPT: Final = re.compile(
    r"^\s*(const|let|var|export)\s|=>|^\s*(async )?function\b|;\s*$|\{\s*$|^\s*\}[);]*$"
)
_SCRIPT_LINES: Final = 3
_SCRIPT_BEGINS: Final = re.compile(
    r"\s*(?://|/\*|(?:const|let|var|export|new)\s+[\w{\[]|(?:async\s+)?function\b"
    r"|class\s+\w+(?:\s+extends\s+[\w.]+)?\s*\{|(?:async\s+)?(?:\w+|\([^()]*\))\s*=>)"
)
_WIDEST: Final = 160
_STRINGS: Final = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'")


class _Habit(NamedTuple):
    pattern: re.Pattern[str]
    hint: str


def _habits(*rows: tuple[str, str]) -> tuple[_Habit, ...]:
    return tuple(_Habit(re.compile(pattern), hint) for pattern, hint in rows)


_OTHER_LANGUAGES: Final = _habits(
    (r"^\s*(`{3,}|~{3,})", "a Markdown fence inside the code: give one block of Python alone"),
    (r"\b(const|let|var)\s+[\w{\[]", "Python declares by assigning: write `name = value`"),
    (r"=>", "Python has no arrow functions: write `lambda x: ...`, or a `def` and pass its name"),
    (r"\bfunction\b", "Python writes `def name(...):`, and `async def` for what awaits"),
    (r"^\s*//|/\*|^\s*\*/?\s", "Python comments begin with `#`"),
    (r"===|!==", "Python compares with `==` and `!=`"),
    (r"&&", "Python writes `and`"),
    (r"\|\|", "Python writes `or`"),
    (
        r"\?\.|\?\?",
        "Python has neither `?.` nor `??`: test for None with `x if x is not None else y`",
    ),
    (r"\?[^:]*:", "Python writes a choice as `a if condition else b`"),
    (r"\belse\s+if\b", "Python writes `elif`"),
    (r"\bcatch\b", "Python writes `except Error as error:`"),
    (r"\bthrow\b", "Python writes `raise Error(...)`"),
    (r"\bswitch\s*\(", "Python writes `match value:` with `case` blocks"),
    (r"\bfor\s*\(", "Python writes `for item in items:`"),
    (r"\bnew\s+\w", "Python makes an object by calling its class, without `new`"),
    (r"\btypeof\b", "Python writes `isinstance(x, T)` or `type(x)`"),
    (r"\w(\+\+|--)\s*($|[;)\]])", "Python writes `x += 1`"),
    (r"(^|[^=!<>\w])!(?!=)\s*[\w(]", "Python writes `not x`"),
    (r"\.\.\.\w", "Python spreads with `*items` and `**mapping`"),
    (r"`", 'Python has no template strings: write f"...{value}..."'),
    (r"^\s*export\b", "nothing is exported: end the code with `return plugin`"),
    (r"^\s*import\b.*\bfrom\b", "Python writes `from module import name`"),
    (r"//", "Python comments begin with `#`"),
    (
        r"^\s*(if|elif|else|for|while|def|class|try)\b.*\{\s*$|\)\s*\{\s*$|^\s*\}",
        "Python marks blocks by `:` and indentation",
    ),
)

_BY_MESSAGE: Final = _habits(
    (r"was never closed", "the bracket marked above has no partner: close it"),
    (r"unmatched '", "this bracket closes nothing: remove it or open its partner"),
    (r"does not match opening", "brackets cross each other: close the inner one first"),
    (r"'await' outside", "make the function around it `async def`"),
    (r"'async (for|with)' outside", "make the function around it `async def`"),
    (r"import \* only", "name what you import: `from module import a, b`"),
    (
        r"f-string: expecting '}'",
        "close the `{` of the f-string; before Python 3.12 its braces cannot hold its own quotes",
    ),
    (
        r"unterminated (triple-quoted )?(f-)?string",
        "close the string; use triple quotes over lines",
    ),
    (r"unexpected indent", "this line is deeper than the block it stands in"),
    (r"unindent does not match", "this line matches no outer block: indent by four spaces a level"),
    (r"expected an indented block", "indent the block's lines by four spaces, or write `pass`"),
    (r"inconsistent use of tabs", "indent with spaces only"),
    (r"[Yy]ield.*async generator|'return' with value in async", "`yield` belongs into a function"),
)


def lines_of(text: str) -> list[str]:
    """Split code into lines as Python counts them, without their ends.

    Args:
        text: The code.

    Returns:
        The lines.
    """
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def explain(error: SyntaxError, text: str, mount_id: str, *, shift: int = 0) -> MountSyntaxError:
    """Explain what the parser refused.

    Args:
        error: What the parser raised.
        text: The code.
        mount_id: The mount.
        shift: Lines that were put before the code for parsing.

    Returns:
        The error to raise.
    """
    lines = lines_of(text)
    number = min(max(0, (error.lineno or 0) - shift), len(lines))  # it may point behind the end
    line = lines[number - 1] if number else ""
    hint = _hint(error.msg, line, lines)
    if _is_script(lines):
        hint = f"this looks like JavaScript, and the code must be Python\n{hint}\n{FORMS}"
    return MountSyntaxError(
        error.msg,
        mount_id,
        line=number,
        excerpt=_excerpt(line, error.offset or 0, error.end_offset or 0) if line.strip() else "",
        hint=hint,
    )


def _is_script(lines: list[str]) -> bool:
    """Tell code of another language from Python with one slip in it."""
    bare = [_STRINGS.sub('""', line) for line in lines]
    first = next((line for line in bare if line.strip()), "")
    return (
        bool(_SCRIPT_BEGINS.match(first))
        or sum(bool(_SCRIPT.search(line)) for line in bare) >= _SCRIPT_LINES
    )


def _excerpt(line: str, offset: int, end: int) -> str:
    """Show a line and a caret below the place, cut to a window when it is very long."""
    indent = len(line) - len(line.lstrip())
    start = max(indent, offset - 1)
    width = max(1, end - offset)
    first = indent if start - indent < _WIDEST - 20 else start - _WIDEST // 2
    shown = line[first : first + _WIDEST].rstrip()
    before = "".join("\t" if char == "\t" else " " for char in line[first:start])
    marks = "^" * min(width, max(1, len(shown) - len(before)))
    return f"    {shown}\n    {before}{marks}" if offset else f"    {shown}"


def _hint(message: str, line: str, lines: list[str]) -> str:
    """Guess the likely cause from the line, from the message, or from the rest of the code."""
    own = _habit_of(line)
    if own:
        return f"likely cause: {own}"
    for habit in _BY_MESSAGE:
        if habit.pattern.search(message):
            brackets = "{" in message or "}" in message
            other = _first_habit(lines) if brackets else ""
            return f"likely cause: {habit.hint}" + (f"; {other}" if other else "")
    other = _first_habit(lines)
    return f"likely cause: {other}" if other else ""


def _habit_of(line: str) -> str:
    bare = _STRINGS.sub('""', line)
    bare = bare.partition("#")[0]
    return next((habit.hint for habit in _OTHER_LANGUAGES if habit.pattern.search(bare)), "")


def _first_habit(lines: list[str]) -> str:
    for number, line in enumerate(lines, 1):
        hint = _habit_of(line)
        if hint:
            return f"line {number} is not Python: {hint}"
    return ""
