"""What each body of a module does with what it is given, gathered while its sites are read."""

# Maintainers: fills RawFlows. It keeps the calls that may be given an event and forgets the rest,
# since every call that is kept is followed once more for each event that is passed around. What is
# named where nobody follows is a mention: with it, silence about an event proves nothing.

from __future__ import annotations

import ast

from toolset_gen.extract.frames import Frame
from toolset_gen.extract.scope import dotted
from toolset_gen.extract.values import FlowParameter, RawCall, RawFlow, Value

__all__ = ["Gatherer"]

_FOLLOWED = frozenset({"path", "parameter", "attribute", "text", "several", "function"})
_MAY_BE = frozenset(
    {ast.Name, ast.Attribute, ast.Lambda, ast.IfExp, ast.BoolOp, ast.NamedExpr, ast.Await}
)
_NO_HELPERS = frozenset(
    f"builtins.{name}"
    for name in ("isinstance", "issubclass", "len", "print", "repr", "str", "type", "hasattr", "id")
)


class _Flow:
    """A flow that is being gathered."""

    __slots__ = ("attributes", "calls", "frame", "is_async", "line", "parameters", "returns")

    def __init__(
        self,
        frame: Frame,
        parameters: tuple[FlowParameter, ...],
        node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | None,
    ) -> None:
        self.frame = frame
        self.parameters = parameters
        self.line = node.lineno if node is not None else 0
        self.is_async = isinstance(node, ast.AsyncFunctionDef)
        self.calls: list[RawCall] = []
        self.attributes: list[tuple[str, Value]] = []
        self.returns: list[Value] = []

    def done(self) -> RawFlow:
        return RawFlow(
            self.frame.flow,
            self.frame.path,
            self.parameters,
            tuple(self.calls),
            tuple(self.attributes),
            tuple(self.returns),
            self.line,
            self.is_async,
        )


class Gatherer:
    """Gathers the flows of one module."""

    def __init__(self) -> None:
        self._flows: dict[str, _Flow] = {}
        self._mentions: set[str] = set()
        self._called: set[int] = set()
        self._given: set[int] = set()

    def open(
        self,
        frame: Frame,
        parameters: tuple[FlowParameter, ...] = (),
        node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | None = None,
    ) -> None:
        """Begin a flow.

        Args:
            frame: Its scope.
            parameters: Its parameters.
            node: Its definition, None for a module.
        """
        before = self._flows.get(frame.flow)
        made = _Flow(frame, parameters, node)
        if before is not None:  # an overload, or the other branch: the last signature counts
            made.calls, made.attributes = before.calls, before.attributes
            made.returns = before.returns
        self._flows[frame.flow] = made

    def flows(self) -> tuple[RawFlow, ...]:
        """Give the flows in the order of the source."""
        return tuple(flow.done() for flow in self._flows.values())

    def mentions(self) -> tuple[str, ...]:
        """Give what is named where nobody follows it."""
        return tuple(sorted(self._mentions))

    def is_called(self, node: ast.AST) -> bool:
        """Say whether a node is what a call that was taken calls.

        Args:
            node: The node.

        Returns:
            Whether it is called.
        """
        return id(node) in self._called

    def name(self, node: ast.Name | ast.Attribute, frame: Frame) -> None:
        """Take a name that is read.

        Args:
            node: The name, with or without dots.
            frame: Where.
        """
        if (
            id(node) in self._given
            or id(node) in self._called
            or not isinstance(node.ctx, ast.Load)
        ):
            return
        written = dotted(node)
        path = frame.resolve(written) if written else "?"
        if not path.startswith(("?", "builtins.")):
            self._mentions.add(path)

    def call(self, node: ast.Call, frame: Frame) -> None:
        """Take a call.

        Args:
            node: The call.
            frame: Where.
        """
        self._called.add(id(node.func))
        given = [*node.args, *(item.value for item in node.keywords)]
        for arg in given:
            self._take(arg)
        if not any(type(arg) in _MAY_BE or _is_name(arg) for arg in given):
            return
        value = frame.value(node)
        flow = self._flows.get(self._body_of(frame))
        if flow is None or value.kind != "call" or not _may_be_given(value):
            return
        callee = value.of.name if value.of is not None and value.of.kind == "attribute" else ""
        callee = callee or dotted(node.func).rpartition(".")[2]
        first = dotted(node.args[0]) if node.args else ""
        flow.calls.append(RawCall(value, callee, node.lineno, first))

    def _take(self, node: ast.expr) -> None:
        """Mark a name that is an argument, and what it is read from, as followed."""
        while isinstance(node, (ast.Name, ast.Attribute)):
            self._given.add(id(node))
            if isinstance(node, ast.Name):
                break
            node = node.value

    def returned(self, node: ast.expr, frame: Frame) -> None:
        """Take what a function returns.

        Args:
            node: The value.
            frame: Where.
        """
        flow = self._flows.get(frame.flow)
        value = frame.value(node)
        if flow is not None:
            flow.returns.append(value)

    def assigned(self, node: ast.Assign | ast.AnnAssign, frame: Frame) -> None:
        """Take what is set on a bound parameter, or on a module.

        Args:
            node: The assignment.
            frame: Where.
        """
        flow = self._flows.get(frame.flow)
        if flow is None or node.value is None:
            return
        top = frame.parent is None
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            owner, _, name = dotted(target).rpartition(".")
            mine = frame.this is not None and owner == frame.this[0]
            if name and (mine or (top and not owner)):
                flow.attributes.append((name, frame.value(node.value)))

    def _body_of(self, frame: Frame) -> str:
        """The flow that runs what stands in a frame: a class body runs where the class stands."""
        while frame.is_class and frame.parent is not None:
            frame = frame.parent
        return frame.flow


def _is_name(node: ast.expr) -> bool:
    """Whether an argument may be the name of an event."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and "/" in node.value


def _may_be_given(call: Value) -> bool:
    if call.of is None or (call.of.kind == "path" and call.of.name in _NO_HELPERS):
        return False
    given = [*call.args, *(value for _, value in call.keywords)]
    return any(value.kind in _FOLLOWED for value in given)
