"""Read the names of a mount's code: which scope binds what, and where each name is used."""

# Maintainers: one pass over the tree, without recursion (an expression may nest thousands deep),
# and the only one: everything later looks up what this collected. It knows Python's scoping and
# nothing of plugins, services or events.
# Invariant: a binding is only recorded with a value when that value is what the name holds; any
# other way to bind a name is recorded as opaque, so that a doubtful name is never judged.

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeAlias

__all__ = ["Binding", "FunctionNode", "Scope", "Scopes", "read_scopes"]

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


_CHILDLESS = frozenset(
    {"arg", "attr", "conversion", "ctx", "id", "is_async", "kwd_attrs", "op", "ops", "type_comment"}
)


class Scope:
    """One lexical scope.

    Attributes:
        node: What opens it; the module for the mount's own body.
        parent: The scope around it.
        bindings: Every binding of each name.
    """

    __slots__ = ("bindings", "node", "parent")

    def __init__(self, node: ast.AST, parent: Scope | None) -> None:
        self.node = node
        self.parent = parent
        self.bindings: dict[str, list[Binding]] = {}

    def bind(self, name: str, binding: Binding) -> None:
        """Record one more binding of `name`."""
        self.bindings.setdefault(name, []).append(binding)

    def sole(self, name: str) -> Binding | None:
        """Give the binding of `name` when it is bound once here, else None."""
        found = self.bindings.get(name, ())
        return found[0] if len(found) == 1 else None

    def owner(self, name: str) -> Scope | None:
        """Find the scope whose `name` is read here; None for a global or builtin name."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.bindings and (scope is self or type(scope.node) is not ast.ClassDef):
                return scope
            scope = scope.parent
        return None


class Binding(NamedTuple):
    """One binding of a name.

    Attributes:
        node: The value assigned, the function, class or import; None when the value is unknown.
        scope: Where that node is to be read.
        parameter: Position of a parameter (0 first), -1 for anything else.
        imported: Dotted path of what an import binds.
    """

    node: ast.AST | None
    scope: Scope
    parameter: int = -1
    imported: str = ""


class Load(NamedTuple):
    """One read of a name."""

    node: ast.Name
    scope: Scope


class AttributeSet(NamedTuple):
    """One assignment to an attribute; `value` is None when it is not a plain one."""

    target: ast.Attribute
    value: ast.expr | None
    scope: Scope


class Scopes:
    """What one pass over a mount's code collects.

    Attributes:
        root: The scope of the mount's own body.
        every: All scopes.
        parents: The node around each node.
        scope_of: The scope that each attribute, call, return and function is read in.
        inner: The scope that each function and class opens.
        loads: Reads of each name.
        attributes: Attribute reads.
        attribute_sets: Attribute assignments, by name.
        calls: Calls.
        returns: Return statements.
        bases: Names that classes of the code derive from.
        probed: Names that the code asks about with `hasattr`, `getattr` or `in`.
    """

    def __init__(self, root: Scope) -> None:
        self.root = root
        self.every = [root]
        self.parents: dict[ast.AST, ast.AST] = {}
        self.scope_of: dict[ast.AST, Scope] = {}
        self.inner: dict[ast.AST, Scope] = {}
        self.loads: dict[str, list[Load]] = {}
        self.attributes: list[ast.Attribute] = []
        self.attribute_sets: dict[str, list[AttributeSet]] = {}
        self.calls: list[ast.Call] = []
        self.returns: list[ast.Return] = []
        self.bases: set[str] = set()
        self.probed: set[str] = set()

    def add(self, node: ast.AST, parent: Scope) -> Scope:
        """Make the scope that `node` opens."""
        scope = Scope(node, parent)
        self.every.append(scope)
        return scope

    def close(self) -> None:
        """Let go of everything: bindings and scopes hold each other, and with them the whole tree."""
        for scope in self.every:
            scope.bindings.clear()

    def loads_of(self, name: str, owner: Scope) -> Iterator[Load]:
        """Yield the reads of the `name` that `owner` binds."""
        return (load for load in self.loads.get(name, ()) if load.scope.owner(name) is owner)

    def function_of(self, node: ast.AST) -> FunctionNode | None:
        """Find the function whose body holds `node`; None in the mount's own body."""
        scope: Scope | None = self.scope_of.get(node)
        while scope is not None:
            if isinstance(scope.node, _FUNCTIONS):
                return scope.node
            scope = scope.parent
        return None

    def ancestors(self, node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
        """Yield each (child, parent) pair from `node` up to the end of its function."""
        child = node
        while (parent := self.parents.get(child)) is not None and not isinstance(
            parent, _FUNCTIONS
        ):
            yield child, parent
            child = parent


def read_scopes(tree: ast.Module) -> Scopes:
    """Collect the scopes and names of a mount's code.

    Args:
        tree: The code as parsed, its body being that of an async function.

    Returns:
        What was found.
    """
    reader = _Reader(tree)
    reader.run(tree.body)
    return reader.out


class _Reader:
    def __init__(self, tree: ast.Module) -> None:
        root = Scope(tree, None)
        self.out = Scopes(root)
        self.stack: list[tuple[ast.AST, Scope]] = []
        self.outer: list[tuple[str, Scope]] = []

    def run(self, body: list[ast.stmt]) -> None:
        root = self.out.root
        stack = self.stack
        parents = self.out.parents
        handlers = _HANDLERS
        self.push(body, root, root.node)
        while stack:
            node, scope = stack.pop()
            handler = handlers.get(type(node))
            if handler is not None:
                handler(self, node, scope)
                continue
            kind: type = type(node)
            for name in _child_fields(kind):
                value = getattr(node, name)
                if value.__class__ is list:
                    for item in value:
                        if isinstance(item, ast.AST):
                            parents[item] = node
                            stack.append((item, scope))
                elif isinstance(value, ast.AST):
                    parents[value] = node
                    stack.append((value, scope))
        for name, scope in self.outer:
            _make_opaque(name, scope)

    def push(self, nodes: Iterable[ast.AST | None], scope: Scope, parent: ast.AST) -> None:
        for node in nodes:
            if node is not None:
                self.out.parents[node] = parent
                self.stack.append((node, scope))

    # -- expressions -------------------------------------------------------------------------------

    def name(self, node: ast.Name, scope: Scope) -> None:
        if type(node.ctx) is ast.Load:
            self.out.loads.setdefault(node.id, []).append(Load(node, scope))
        else:
            scope.bind(node.id, Binding(None, scope))

    def attribute(self, node: ast.Attribute, scope: Scope) -> None:
        self.out.scope_of[node] = scope
        self.out.parents[node.value] = node
        self.stack.append((node.value, scope))
        if type(node.ctx) is ast.Load:
            self.out.attributes.append(node)
        elif type(self.out.parents[node]) not in (ast.Assign, ast.AnnAssign):
            self.set_attribute(node, None, scope)

    def set_attribute(self, node: ast.Attribute, value: ast.expr | None, scope: Scope) -> None:
        found = AttributeSet(node, value, scope)
        self.out.attribute_sets.setdefault(node.attr, []).append(found)

    def call(self, node: ast.Call, scope: Scope) -> None:
        self.out.scope_of[node] = scope
        self.out.calls.append(node)
        if type(node.func) is ast.Name and node.func.id in ("hasattr", "getattr", "setattr"):
            self.out.probed.update(_strings(node.args[1:2]))
        self.push((node.func, *node.args, *node.keywords), scope, node)

    def compare(self, node: ast.Compare, scope: Scope) -> None:
        if any(isinstance(op, (ast.In, ast.NotIn)) for op in node.ops):
            self.out.probed.update(_strings([node.left]))
        self.push((node.left, *node.comparators), scope, node)

    def named(self, node: ast.NamedExpr, scope: Scope) -> None:
        target = scope
        while isinstance(target.node, _COMPREHENSIONS) and target.parent is not None:
            target = target.parent
        value = node.value if target is scope else None
        target.bind(node.target.id, Binding(value, scope))
        self.push((node.value,), scope, node)

    def lambda_(self, node: ast.Lambda, scope: Scope) -> None:
        self.push((node.body,), self.function_scope(node, node.args, scope), node)

    def comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, scope: Scope
    ) -> None:
        inner = self.out.add(node, scope)
        results = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
        self.push(results, inner, node)
        for index, part in enumerate(node.generators):
            self.out.parents[part] = node
            self.push((part.iter,), inner if index else scope, part)
            self.push((part.target, *part.ifs), inner, part)

    # -- definitions -------------------------------------------------------------------------------

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> None:
        scope.bind(node.name, Binding(node, scope))
        inner = self.function_scope(node, node.args, scope)
        self.push((*node.decorator_list, node.returns), scope, node)
        self.push(node.body, inner, node)

    def function_scope(self, node: FunctionNode, args: ast.arguments, scope: Scope) -> Scope:
        inner = self.out.inner[node] = self.out.add(node, scope)
        self.out.scope_of[node] = scope
        positional = [*args.posonlyargs, *args.args]
        for index, arg in enumerate(positional):
            inner.bind(arg.arg, Binding(node, inner, index))
        for index, arg in enumerate(args.kwonlyargs, len(positional)):
            inner.bind(arg.arg, Binding(node, inner, index))
        for star in (args.vararg, args.kwarg):
            if star is not None:
                inner.bind(star.arg, Binding(None, inner))
        annotated = (*positional, *args.kwonlyargs, args.vararg, args.kwarg)
        self.push((a.annotation for a in annotated if a is not None), scope, node)
        self.push((*args.defaults, *args.kw_defaults), scope, node)
        return inner

    def class_(self, node: ast.ClassDef, scope: Scope) -> None:
        scope.bind(node.name, Binding(node, scope))
        self.out.scope_of[node] = scope
        inner = self.out.inner[node] = self.out.add(node, scope)
        self.out.bases.update(base.id for base in node.bases if isinstance(base, ast.Name))
        self.push((*node.decorator_list, *node.bases, *node.keywords), scope, node)
        self.push(node.body, inner, node)

    def import_(self, node: ast.Import | ast.ImportFrom, scope: Scope) -> None:
        prefix = f"{node.module or ''}." if isinstance(node, ast.ImportFrom) else ""
        for alias in node.names:
            bound = alias.asname or (alias.name if prefix else alias.name.partition(".")[0])
            path = prefix + (alias.name if alias.asname or prefix else bound)
            scope.bind(bound, Binding(node, scope, imported=path))

    # -- statements that bind ----------------------------------------------------------------------

    def assign(self, node: ast.Assign, scope: Scope) -> None:
        for target in node.targets:
            self.target(target, node.value, scope, node)
        self.push((node.value,), scope, node)

    def ann_assign(self, node: ast.AnnAssign, scope: Scope) -> None:
        if node.value is not None or not isinstance(node.target, ast.Name):
            self.target(node.target, node.value, scope, node)
        self.push((node.annotation, node.value), scope, node)

    def target(
        self, target: ast.expr, value: ast.expr | None, scope: Scope, parent: ast.AST
    ) -> None:
        self.out.parents[target] = parent
        if isinstance(target, ast.Name):
            scope.bind(target.id, Binding(value, scope))
        elif isinstance(target, ast.Attribute):
            self.set_attribute(target, value, scope)
            self.stack.append((target, scope))
        elif pairs := _pairs(target, value):
            for part, item in pairs:
                self.target(part, item, scope, parent)
        else:
            self.stack.append((target, scope))

    def handler(self, node: ast.ExceptHandler, scope: Scope) -> None:
        if node.name:
            scope.bind(node.name, Binding(None, scope))
        self.push((node.type, *node.body), scope, node)

    def capture(self, node: ast.MatchAs | ast.MatchStar | ast.MatchMapping, scope: Scope) -> None:
        name = node.rest if isinstance(node, ast.MatchMapping) else node.name
        if name:
            scope.bind(name, Binding(None, scope))
        self.push(ast.iter_child_nodes(node), scope, node)

    def outer_names(self, node: ast.Global | ast.Nonlocal, scope: Scope) -> None:
        self.outer.extend((name, scope) for name in node.names)

    def return_(self, node: ast.Return, scope: Scope) -> None:
        self.out.scope_of[node] = scope
        self.out.returns.append(node)
        self.push((node.value,), scope, node)

    def skip(self, node: ast.AST, scope: Scope) -> None:
        """Leave out what holds no names."""


@functools.cache  # there are some hundred classes of nodes
def _child_fields(kind: type) -> tuple[str, ...]:
    """Name the fields of a class of nodes that may hold others, operators and contexts left out."""
    fields: tuple[str, ...] = getattr(kind, "_fields", ())
    return tuple(name for name in fields if name not in _CHILDLESS)


def _pairs(target: ast.expr, value: ast.expr | None) -> list[tuple[ast.expr, ast.expr]]:
    """Pair the parts of `a, b = x, y`; empty when they do not pair up as they stand."""
    if not (isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)):
        return []
    parts = [*target.elts, *value.elts]
    if len(target.elts) != len(value.elts) or any(isinstance(p, ast.Starred) for p in parts):
        return []
    return list(zip(target.elts, value.elts, strict=True))


def _strings(nodes: Iterable[ast.expr]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _make_opaque(name: str, scope: Scope) -> None:
    """Forget what `name` holds wherever a `global` or `nonlocal` of `scope` may reach it."""
    outer: Scope | None = scope
    while outer is not None:
        if outer.parent is None or name in outer.bindings:
            outer.bind(name, Binding(None, outer))
            outer.bind(name, Binding(None, outer))
        outer = outer.parent


# Handlers are keyed by the exact node class, which is what makes their narrower parameter safe.
_HANDLERS: dict[type[ast.AST], Callable[..., None]] = {
    ast.Name: _Reader.name,
    ast.Attribute: _Reader.attribute,
    ast.Call: _Reader.call,
    ast.Compare: _Reader.compare,
    ast.NamedExpr: _Reader.named,
    ast.Lambda: _Reader.lambda_,
    ast.FunctionDef: _Reader.function,
    ast.AsyncFunctionDef: _Reader.function,
    ast.ClassDef: _Reader.class_,
    ast.Import: _Reader.import_,
    ast.ImportFrom: _Reader.import_,
    ast.Assign: _Reader.assign,
    ast.AnnAssign: _Reader.ann_assign,
    ast.ExceptHandler: _Reader.handler,
    ast.MatchAs: _Reader.capture,
    ast.MatchStar: _Reader.capture,
    ast.MatchMapping: _Reader.capture,
    ast.Global: _Reader.outer_names,
    ast.Nonlocal: _Reader.outer_names,
    ast.Return: _Reader.return_,
    ast.Constant: _Reader.skip,
    **dict.fromkeys(_COMPREHENSIONS, _Reader.comprehension),
}
