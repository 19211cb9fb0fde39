"""What a preflight found."""

# Maintainers: the records that leave the package, and the class every rule reports through. A rule
# says what it found; whether code around it makes that doubtful is decided here, once for all rules.

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from toolset.cordis.knowledge import Knowledge
from toolset.cordis.preflight.evaluator import Evaluator
from toolset.cordis.preflight.literals import literal
from toolset.cordis.preflight.plugins import Plugin
from toolset.cordis.preflight.scopes import Scope, Scopes
from toolset.cordis.preflight.values import GlobalValue, Value

__all__ = ["Code", "Finding", "Findings"]

_BROAD = frozenset({"Exception", "BaseException"})
_ASKING = frozenset({"hasattr", "getattr", "isinstance", "issubclass", "callable", "dir", "vars"})


class Finding(NamedTuple):
    """One thing that a preflight has to say.

    Attributes:
        line: Line of the code, from 1.
        column: Column, from 0.
        rule: Stable name of the rule.
        message: One sentence: what is wrong and what to write.
        certain: Whether it is a mistake; else it is a note.
    """

    line: int
    column: int
    rule: str
    message: str
    certain: bool = True

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}"


class Findings(NamedTuple):
    """Everything that a preflight has to say, by line.

    Attributes:
        mistakes: What fails the mount.
        notes: What is likely a mistake.
    """

    mistakes: tuple[Finding, ...] = ()
    notes: tuple[Finding, ...] = ()


class Code:
    """The code under preflight, as the rules see it.

    Args:
        scopes: Its names.
        evaluator: What its expressions hold.
        knowledge: The services and events there are.
        plugins: The plugins it returns.
    """

    def __init__(
        self,
        scopes: Scopes,
        evaluator: Evaluator,
        knowledge: Knowledge,
        plugins: Iterable[Plugin],
    ) -> None:
        self.scopes = scopes
        self.evaluator = evaluator
        self.knowledge = knowledge
        self.plugins = tuple(plugins)
        self._provided: set[str | None] | None = None
        self._found: dict[tuple[int, int, str], Finding] = {}

    def may_provide(self, key: str) -> bool:
        """Tell whether the code provides `key` itself, or something whose key is not certain."""
        if self._provided is None:
            self._provided = {
                _key_of(call, self.scope(call))
                for call in self.scopes.calls
                if isinstance(call.func, ast.Attribute) and call.func.attr == "provide"
            }
        return key in self._provided or None in self._provided

    def value(self, node: ast.AST | None, at: ast.AST) -> Value:
        """Tell what an expression holds, read in the scope of `at`."""
        return self.evaluator.value(node, self.scope(at))

    def scope(self, node: ast.AST) -> Scope:
        """Give the scope that an attribute, call, return or function is read in."""
        return self.scopes.scope_of[node]

    def mistake(self, node: ast.AST, rule: str, message: str, *, raises: str) -> None:
        """Report what cannot work.

        Args:
            node: Where.
            rule: The rule.
            message: What is wrong and what to write.
            raises: The exception it would end in; code that catches it by name is trying on
                purpose and nothing is reported, code that catches everything makes it a note.
        """
        caught = self._caught(node, raises)
        if caught != raises:
            self._add(node, rule, message, certain=caught is None)

    def note(self, node: ast.AST, rule: str, message: str) -> None:
        """Report what is likely a mistake."""
        self._add(node, rule, message, certain=False)

    def findings(self) -> Findings:
        """Give everything reported so far, by line."""
        ordered = sorted(self._found.values(), key=lambda f: (f.line, f.column, f.rule))
        return Findings(
            tuple(f for f in ordered if f.certain), tuple(f for f in ordered if not f.certain)
        )

    def _add(self, node: ast.AST, rule: str, message: str, *, certain: bool) -> None:
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        if isinstance(node, ast.Attribute):
            # The attribute's name, not the start of a chain that may begin lines above.
            line = node.end_lineno or line
        self._found.setdefault((line, column, rule), Finding(line, column, rule, message, certain))

    def _caught(self, node: ast.AST, raises: str) -> str | None:
        """Tell what the code around `node` catches of `raises`: it, everything, or nothing."""
        broad: str | None = None
        for child, parent in self.scopes.ancestors(node):
            for name in self._names_caught(child, parent):
                if name == raises:
                    return raises
                if name in _BROAD:
                    broad = name
            if isinstance(parent, (ast.If, ast.IfExp, ast.BoolOp, ast.While)) and _asks(parent):
                return raises
        return broad

    def _names_caught(self, child: ast.AST, parent: ast.AST) -> Iterator[str]:
        if isinstance(parent, (ast.Try, ast.TryStar)) and child in parent.body:
            for handler in parent.handlers:
                yield from _type_names(handler.type)
        elif isinstance(parent, (ast.With, ast.AsyncWith)):
            for item in parent.items:
                call = item.context_expr
                if isinstance(call, ast.Call) and call in self.scopes.scope_of:
                    made_by = self.value(call.func, call)
                    if made_by == GlobalValue("contextlib.suppress"):
                        for arg in call.args:
                            yield from _type_names(arg)


def _key_of(call: ast.Call, scope: Scope) -> str | None:
    """Read the key that a call of `ctx.provide` publishes; None when it is not literal."""
    node = call.args[0] if call.args else next((k.value for k in call.keywords), None)
    key = literal(node, scope)
    return key if isinstance(key, str) else None


def _type_names(node: ast.expr | None) -> Iterator[str]:
    if node is None:
        yield "BaseException"
    for part in node.elts if isinstance(node, ast.Tuple) else (node,):
        if isinstance(part, ast.Name):
            yield part.id


def _asks(node: ast.If | ast.IfExp | ast.BoolOp | ast.While) -> bool:
    """Tell whether a condition looks at what there is before using it."""
    tests = node.values if isinstance(node, ast.BoolOp) else [node.test]
    return any(
        isinstance(part, ast.Name) and part.id in _ASKING for t in tests for part in ast.walk(t)
    )
