"""What a function's header lacks, where there is one answer: `-> None`, a trailing `next`."""

# Maintainers: decides from a function's tree whether it gives anything, and edits the header's
# text. Where a header ends is found by its brackets, and the edit is believed only when the header
# parses with it.

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import NamedTuple

import libcst as cst

from toolset_gen.fix.edits import Edit, RefusedError
from toolset_gen.fix.finder import docstring_of, is_marked

__all__ = ["Header", "gives_nothing", "read_header"]

_TOKEN = re.compile(
    r"""(?:[rRbBuUfF]{0,2})(?:'''(?:\\.|[^\\])*?'''|\"\"\"(?:\\.|[^\\])*?\"\"\"
    |'(?:\\.|[^\\'\r\n])*'|"(?:\\.|[^\\"\r\n])*")|\#[^\r\n]*|[()\[\]{}]""",
    re.DOTALL | re.VERBOSE,
)


class Header(NamedTuple):
    """The parameters of a function where they stand.

    Attributes:
        text: The file.
        start: Where its name begins, in characters.
        opening: Where the bracket before the parameters is.
        closing: Where the one after them is.
    """

    text: str
    start: int
    opening: int
    closing: int

    def returning_nothing(self) -> Edit:
        """Annotate that the function returns nothing.

        Returns:
            The edit.

        Raises:
            RefusedError: The header cannot be read.
        """
        return self._checked(Edit(self.closing + 1, self.closing + 1, " -> None"))

    def taking(self, parameter: str, newline: str) -> Edit:
        """Add a last parameter.

        Args:
            parameter: What it looks like in the signature.
            newline: The line end of the file.

        Returns:
            The edit.

        Raises:
            RefusedError: The header cannot be read.
        """
        inside = self.text[self.opening + 1 : self.closing]
        code = re.sub(r"#[^\r\n]*", lambda match: " " * len(match[0]), inside).rstrip()
        at = self.opening + 1 + len(code)
        margin = re.search(r"(?:\r\n|\r|\n)([ \t]*)\Z", inside)
        if not code.endswith(","):
            if "#" in inside[len(code) :]:
                raise RefusedError("a comment stands where the parameter belongs")
            return self._checked(Edit(at, at, f"{', ' if code else ''}{parameter}"))
        if margin is None:
            return self._checked(Edit(at, at, f" {parameter},"))
        indent = re.search(r"([ \t]*)\S[^\r\n]*\Z", code)
        start = self.closing - len(margin[1])
        line = f"{indent[1] if indent else margin[1]}{parameter},{newline}"
        return self._checked(Edit(start, start, line))

    def _checked(self, edit: Edit) -> Edit:
        """Believe an edit when the header is one with it."""
        before, after = self.text[self.start : edit.start], self.text[edit.end : self.closing + 1]
        code = f"def {before}{edit.new}{after}".replace("\r\n", "\n").replace("\r", "\n")
        try:
            ast.parse(f"{code}: pass")
        except (SyntaxError, ValueError):
            raise RefusedError("its signature cannot be edited for certain") from None
        return edit


def read_header(text: str, start: int) -> Header:
    """Find the parameters of a function.

    Args:
        text: The file.
        start: Where the function's name begins, in characters.

    Returns:
        Where they are.

    Raises:
        RefusedError: They cannot be found for certain.
    """
    opening, depth = -1, 0
    for match in _TOKEN.finditer(text, start):
        if match[0] in "([{":
            opening = match.start() if not depth and match[0] == "(" and opening < 0 else opening
            depth += 1
        elif match[0] in ")]}":
            depth -= 1
            if not depth and opening >= 0:
                return Header(text, start, opening, match.start())
    raise RefusedError("its signature cannot be read for certain")


def gives_nothing(node: cst.FunctionDef, owner: cst.ClassDef | None) -> bool:
    """Tell whether a function certainly returns None, and returns at all.

    Args:
        node: The function.
        owner: The class it is a method of.

    Returns:
        Whether no `return` of its own gives a value, it yields nothing, and its body is neither a
        placeholder nor ends in `raise` or in a loop without an end.
    """
    bases = () if owner is None else owner.bases
    if is_marked(node, "abstractmethod", "overload") or any(_is_protocol(b.value) for b in bases):
        return False
    statements = [*node.body.body]
    if docstring_of(node) is not None:
        statements = statements[1:] if isinstance(node.body, cst.IndentedBlock) else []
    if any(_is_placeholder(statement) for statement in statements):
        return False
    if statements and _never_ends(statements[-1]):
        return False
    finder = _Gives()
    node.body.visit(finder)
    return not finder.found


def _is_protocol(base: cst.BaseExpression) -> bool:
    inner = base.value if isinstance(base, cst.Subscript) else base
    last = inner.attr if isinstance(inner, cst.Attribute) else inner
    return isinstance(last, cst.Name) and last.value == "Protocol"


def _simple(statement: cst.CSTNode) -> Sequence[cst.CSTNode]:
    return statement.body if isinstance(statement, cst.SimpleStatementLine) else [statement]


def _is_placeholder(statement: cst.CSTNode) -> bool:
    return any(
        isinstance(part, cst.Expr) and isinstance(part.value, cst.Ellipsis)
        for part in _simple(statement)
    )


def _never_ends(statement: cst.CSTNode) -> bool:
    last = _simple(statement)[-1]
    if isinstance(last, cst.While):
        return isinstance(last.test, cst.Name | cst.Integer)
    return isinstance(last, cst.Raise)


class _Gives(cst.CSTVisitor):
    """Looks for what makes a body give something."""

    def __init__(self) -> None:
        super().__init__()
        self.found = False

    def visit_Return(self, node: cst.Return) -> None:  # noqa: N802 - libcst's name
        value = node.value
        self.found |= value is not None and not (
            isinstance(value, cst.Name) and value.value == "None"
        )

    def visit_Yield(self, node: cst.Yield) -> None:  # noqa: N802 - libcst's name
        del node
        self.found = True

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:  # noqa: N802 - libcst's name
        del node
        return False

    def visit_ClassDef(self, node: cst.ClassDef) -> bool:  # noqa: N802 - libcst's name
        del node
        return False

    def visit_Lambda(self, node: cst.Lambda) -> bool:  # noqa: N802 - libcst's name
        del node
        return False
