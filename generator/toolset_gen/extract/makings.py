"""Where a module may declare events, decorator syntax or not."""

# Maintainers: every declaration passes `mode=`, as the runtime takes it by name alone; that is the
# text filter. Which call is the runtime's `event` is linked later (events.py), which has to account
# for each.

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from toolset_gen.extract.expressions import read_expr
from toolset_gen.extract.frames import Frame
from toolset_gen.extract.functions import own_nodes, read_lambda
from toolset_gen.extract.raw import Expr, RawMaking
from toolset_gen.extract.scope import ModuleScope, dotted
from toolset_gen.extract.text import SourceText

__all__ = ["read_makings"]

_MODE = re.compile(r"\bmode\s*=")


def read_makings(tree: ast.Module, source: SourceText, scope: ModuleScope) -> tuple[RawMaking, ...]:
    """Find the calls that may declare events.

    Args:
        tree: The module.
        source: Its text.
        scope: Its scope.

    Returns:
        The calls in source order.
    """
    if not any("mode" in line and _MODE.search(line) for line in source.lines):
        return ()
    reader = _Reader(source)
    reader.body(tree.body, Frame(scope, source), "", "")
    return tuple(sorted(reader.found, key=lambda making: making.call.line))


class _Reader:
    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.found: list[RawMaking] = []

    def body(self, body: list[ast.stmt], frame: Frame, function: str, owner: str) -> None:
        taken: set[int] = set()
        for node in own_nodes(body):
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    self._decorators(node, frame, function, owner)
                    inner = frame.child(node.name)
                    inner.bind_parameters(node.args)
                    inner.bind_body(own_nodes(node.body))
                    self.body(node.body, inner, inner.path, "")
                case ast.ClassDef():
                    self._decorators(node, frame, function, owner)
                    inner = frame.child(node.name, is_class=True)
                    self.body(node.body, inner, function, inner.path)
                case ast.Assign() | ast.AnnAssign() if node.value is not None:
                    taken.update(self._assigned(node, frame, function, owner))
                case ast.Call() if _has_mode(node) and id(node) not in taken:
                    self._add(RawMaking(self._read(node, frame), function, owner))
                case _:
                    pass

    def _add(self, making: RawMaking) -> None:
        self.found.append(making)

    def _read(self, node: ast.Call, frame: Frame) -> Expr:
        return read_expr(node, self.source, frame.resolve)

    def _decorators(
        self,
        node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef,
        frame: Frame,
        function: str,
        owner: str,
    ) -> None:
        for mark in node.decorator_list:
            if isinstance(mark, ast.Call) and _has_mode(mark):
                call = self._read(mark, frame)
                self._add(RawMaking(call, function, owner, node.name, "decorator"))

    def _assigned(
        self, node: ast.Assign | ast.AnnAssign, frame: Frame, function: str, owner: str
    ) -> Iterator[int]:
        """Take `name = event(…)(given)` and `name = event(…)`; give the nodes that are accounted for."""
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        name = dotted(targets[0]) if len(targets) == 1 else ""
        value = node.value
        if not isinstance(value, ast.Call) or not name or "." in name:
            return
        if _has_mode(value):
            yield id(value)
            self._add(RawMaking(self._read(value, frame), function, owner, name, "kept"))
        elif isinstance(value.func, ast.Call) and _has_mode(value.func) and len(value.args) == 1:
            yield id(value.func)
            given = value.args[0]
            made = (
                read_lambda(given, self.source, frame.resolve)
                if isinstance(given, ast.Lambda)
                else None
            )
            self._add(
                RawMaking(
                    self._read(value.func, frame),
                    function,
                    owner,
                    name,
                    "applied",
                    read_expr(given, self.source, frame.resolve),
                    made,
                )
            )


def _has_mode(node: ast.Call) -> bool:
    return any(item.arg == "mode" for item in node.keywords)
