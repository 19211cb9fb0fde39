"""The scopes inside a module: what a name in a function refers to, shadowing respected."""

# Maintainers: answers for names in functions. A frame knows the names its body binds and what each
# is bound to when that can be told: a context, a function, an import. A name bound in two ways is
# unknown: silence here is right, a guess is not. Class frames are skipped by the functions in them,
# as Python does.

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from toolset_gen.extract.bindings import (
    Binding,
    BoundContext,
    BoundFunction,
    BoundPath,
    BoundValue,
    Unknown,
    other_targets,
)
from toolset_gen.extract.expressions import read_annotation
from toolset_gen.extract.functions import AnyFunction, read_function
from toolset_gen.extract.parameters import context_in, each_parameter, typed
from toolset_gen.extract.scope import ModuleScope, dotted, import_targets
from toolset_gen.extract.text import SourceText
from toolset_gen.extract.values import UNKNOWN, FlowParameter, Value

__all__ = ["Frame"]

_DERIVE = frozenset({"extend", "isolate", "intercept"})
_HOLDERS = frozenset({"ctx", "caller"})
_BINDERS = frozenset(
    {ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Global}
    | {ast.Assign, ast.AnnAssign, ast.AugAssign, ast.NamedExpr, ast.Delete, ast.For, ast.AsyncFor}
    | {ast.withitem, ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.Nonlocal}
    | {ast.comprehension}
)
_DEEPEST = 8


class Frame:
    """One scope.

    Args:
        scope: The module's scope.
        source: The module's text.
        path: Dotted path inside the module, `""` at its top.
        parent: The scope around it.
        is_class: Whether it is a class body.
    """

    __slots__ = ("flow", "is_class", "names", "parent", "path", "scope", "source", "this")

    def __init__(
        self,
        scope: ModuleScope,
        source: SourceText,
        path: str = "",
        parent: Frame | None = None,
        *,
        is_class: bool = False,
    ) -> None:
        self.scope = scope
        self.source = source
        self.path = path
        self.parent = parent
        self.is_class = is_class
        self.names: dict[str, Binding] = {}
        self.this: tuple[str, str] | None = None
        self.flow = ".".join(filter(None, [scope.module, path]))

    def child(self, name: str, *, is_class: bool = False) -> Frame:
        """Make the frame of a function or class in this one.

        Args:
            name: Its name.
            is_class: Whether it is a class.

        Returns:
            An empty frame.
        """
        path = ".".join(filter(None, [self.path, name]))
        return Frame(self.scope, self.source, path, self, is_class=is_class)

    def within(self, node: ast.Lambda) -> Frame:
        """Make the frame of a lambda in this one.

        Args:
            node: The lambda.

        Returns:
            A frame that knows its parameters; its path is that of what is around it.
        """
        frame = Frame(self.scope, self.source, self.path, self)
        frame.flow = self._flow_of(node)
        frame.this = self.this
        return frame

    def _flow_of(self, node: ast.Lambda) -> str:
        return f"{self.flow}.<lambda {node.lineno}:{node.col_offset}>"

    def find(self, name: str) -> Binding | None:
        """Find what a name is bound to in this scope or one around it.

        Args:
            name: The name.

        Returns:
            Its binding, None when the module's scope has to say.
        """
        frame: Frame | None = self
        while frame is not None:
            if name in frame.names and (frame is self or not frame.is_class):
                return frame.names[name]
            frame = frame.parent
        return None

    def resolve(self, name: str) -> str:
        """Say what a dotted name refers to here.

        Args:
            name: The name as written.

        Returns:
            An absolute dotted path, `?name` when it cannot be told.
        """
        head, dot, rest = name.partition(".")
        match self.find(head):
            case None:
                return self.scope.path(name)
            case BoundPath(path) | BoundFunction(path, _):
                return f"{path}{dot}{rest}"
            case _:
                return f"?{name}"

    def context(self, node: ast.expr) -> BoundContext | None:
        """Say whether an expression is a context.

        Args:
            node: The expression.

        Returns:
            The context; None when it is not known to be one.
        """
        if isinstance(node, ast.Name):
            bound = self.find(node.id)
            return bound if isinstance(bound, BoundContext) else None
        if isinstance(node, ast.Attribute):
            if node.attr == "root":
                return self.context(node.value)
            return BoundContext("") if node.attr in _HOLDERS else None
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and node.func.attr in _DERIVE:
                return self.context(node.func.value)
            path = self.resolve(dotted(node.func)) if dotted(node.func) else ""
            return BoundContext(path) if path.endswith(".Context") else None
        return None

    def value(self, node: ast.expr, depth: int = _DEEPEST) -> Value:
        """Say what an expression is, for those who see more than this module.

        Args:
            node: The expression.
            depth: How many levels of it are looked into.

        Returns:
            Its value.
        """
        context = self.context(node) if depth else None
        if context is not None:
            return Value("context", context.type)
        match node:
            case ast.Name(id=name):
                return self._named(name)
            case ast.Constant(value=str(text)):
                return Value("text", text)
            case ast.Lambda():
                return Value("function", self._flow_of(node))
            case _:
                return self._compound(node, depth - 1) if depth else UNKNOWN

    def _compound(self, node: ast.expr, depth: int) -> Value:
        match node:
            case ast.Attribute(value=inner, attr=name):
                return _attribute(self.value(inner, depth), name)
            case ast.Call():
                return self._called(node, depth)
            case ast.IfExp(body=first, orelse=second):
                return self._several([first, second], depth)
            case ast.BoolOp(values=values):
                return self._several(values, depth)
            case ast.NamedExpr(value=inner) | ast.Await(value=inner):
                return self.value(inner, depth)
            case _:
                return UNKNOWN

    def _named(self, name: str) -> Value:
        match self.find(name):
            case None:
                path = self.scope.path(name)
                return UNKNOWN if path.startswith("?") else Value("path", path)
            case BoundPath(path):
                return Value("path", path)
            case BoundFunction(path, _):
                return Value("function", path)
            case BoundValue(value):
                return value
            case _:
                return UNKNOWN

    def _several(self, nodes: Iterable[ast.expr], depth: int) -> Value:
        return Value("several", args=tuple(self.value(node, depth) for node in nodes))

    def _called(self, node: ast.Call, depth: int) -> Value:
        if dotted(node.func) == "super" and not node.args and self.this is not None:
            return Value("super", self.this[1])
        plain = [arg for arg in node.args if not isinstance(arg, ast.Starred)]
        named = [(item.arg, item.value) for item in node.keywords if item.arg is not None]
        return Value(
            "call",
            of=self.value(node.func, depth),
            args=tuple(self.value(arg, depth) for arg in plain),
            keywords=tuple((name, self.value(item, depth)) for name, item in named),
            starred=len(plain) < len(node.args) or len(named) < len(node.keywords),
        )

    def bind_parameters(
        self, args: ast.arguments, *, method_of: str = "", of_class: str = ""
    ) -> tuple[FlowParameter, ...]:
        """Bind the parameters of a function.

        Args:
            args: Its parameters.
            method_of: Path of the class whose method it is, `""` for none.
            of_class: Path of the class whose class method it is, `""` for none.

        Returns:
            The parameters.
        """
        found: list[FlowParameter] = []
        outer = self.parent or self
        for arg, kind, default in each_parameter(args):
            binding: Binding = Unknown()
            if not found and (method_of or of_class):
                own = Value("instance", method_of) if method_of else Value("path", of_class)
                binding = self._passed(arg.arg, own)
            elif kind not in {"var-positional", "var-keyword"}:
                binding = self._parameter(arg)
            self.names[arg.arg] = binding
            given = outer.value(default) if default is not None else None
            found.append(FlowParameter(arg.arg, kind, given))
        if method_of and found:
            self.this = (found[0].name, method_of)
        return tuple(found)

    def _parameter(self, arg: ast.arg) -> Binding:
        if arg.annotation is None:
            return BoundContext("") if arg.arg == "ctx" else self._passed(arg.arg, UNKNOWN)
        note = read_annotation(arg.annotation, self.source, self.resolve)
        found = context_in(note)
        return found or self._passed(arg.arg, typed(note))

    def _passed(self, name: str, of: Value) -> Binding:
        return BoundValue(Value("parameter", name, self.flow, of))

    def _annotated(self, node: ast.AnnAssign) -> Binding:
        note = read_annotation(node.annotation, self.source, self.resolve)
        found = context_in(note)
        if found is not None:
            return found
        value = self.value(node.value) if node.value is not None else UNKNOWN
        return _bound_to(typed(note) if value == UNKNOWN else value)

    def bind_body(self, nodes: Iterable[ast.AST]) -> None:
        """Bind every name that a body binds.

        Args:
            nodes: The nodes of the body, in order.
        """
        declared: set[str] = set()
        for node in nodes:
            if type(node) not in _BINDERS:
                continue
            if isinstance(node, (ast.Global, ast.Nonlocal)):
                declared.update(node.names)
                continue
            for name, binding in self._bound(node):
                before = self.names.get(name)
                same = before is None or before == binding
                self.names[name] = binding if same else Unknown()
        for name in declared:
            self.names.pop(name, None)

    def _bound(self, node: ast.AST) -> Iterator[tuple[str, Binding]]:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield node.name, self._function(node)
            case ast.ClassDef():
                yield node.name, BoundPath(self._absolute(node.name))
            case ast.Import() | ast.ImportFrom():
                package = self.scope.is_package
                for name, path in import_targets(node, self.scope.module, is_package=package):
                    yield name, BoundPath(path)
            case ast.Assign(targets=[ast.Name(id=name)]):
                yield name, self._value(node.value)
            case ast.withitem(optional_vars=ast.Name(id=name)):
                yield name, self.context(node.context_expr) or Unknown()
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name, self._annotated(node)
            case (
                ast.For(target=ast.Name(id=name), iter=items)
                | ast.comprehension(target=ast.Name(id=name), iter=items)
            ):
                yield name, self._item_of(items)
            case _:
                for name in other_targets(node):
                    yield name, Unknown()

    def _function(self, node: AnyFunction) -> Binding:
        return BoundFunction(
            self._absolute(node.name), read_function(node, self.source, self.resolve)
        )

    def _absolute(self, name: str) -> str:
        return ".".join(filter(None, [self.scope.module, self.path, name]))

    def _item_of(self, node: ast.expr) -> Binding:
        """What a loop over a list that is written down gives."""
        if not isinstance(node, (ast.List, ast.Tuple, ast.Set)) or not node.elts:
            return Unknown()
        return BoundValue(self._several(node.elts, _DEEPEST))

    def _value(self, node: ast.expr) -> Binding:
        if isinstance(node, ast.Name):
            bound = self.find(node.id)
            if bound is not None:
                return bound
        return _bound_to(self.value(node))


def _bound_to(value: Value) -> Binding:
    match value.kind:
        case "context":
            return BoundContext(value.name)
        case "path":
            return BoundPath(value.name)
        case "unknown":
            return Unknown()
        case _:
            return BoundValue(value)


def _attribute(of: Value, name: str) -> Value:
    if of.kind == "path":
        return of._replace(name=f"{of.name}.{name}")
    return of if of.kind == "unknown" else Value("attribute", name, of=of)
