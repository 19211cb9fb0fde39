"""What is a configuration in a scope, as far as it can be told."""

# Maintainers: answers for names and expressions; config_reads walks the files. An expression is a
# configuration when its type can be told: by an annotation, by the plugin's contract (`config` of `apply`,
# `ctx.config`, `self.config` of a service), or because it was assigned from one. A name bound to anything
# else, or in two ways, is none: silence is right there, a guess is not.

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from toolset_gen.extract.scope import ModuleScope, dotted

__all__ = ["Function", "Model", "Scope", "Types", "bound_names"]

Function: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda"


class Model(NamedTuple):
    """A configuration model, as far as reads of it are concerned.

    Attributes:
        path: Its canonical path.
        fields: Field to the path of the model that its value is, `""` when it is none.
    """

    path: str
    fields: Mapping[str, str]


class Scope(NamedTuple):
    """What names mean in a function or class: a model's path, `ctx`, or `""` for anything else."""

    path: str
    names: dict[str, str]
    around: tuple[dict[str, str], ...]
    this: str  # the name of the bound parameter
    attributes: dict[str, str]  # of the bound object: attribute to model
    owner: tuple[frozenset[str], str] | None  # the class: the names of its body, its path
    context_model: str  # what `ctx.config` is

    def find(self, name: str) -> str | None:
        """Look a name up here and around; None when the module's scope has to say."""
        for names in (self.names, *self.around):
            if name in names:
                return names[name]
        return None


class Types:
    """Tells what expressions of one module are.

    Args:
        module_scope: What the names at the module's top refer to.
        models: Configuration models by each path they are known under.
        plugins: Dotted path of a plugin's code to the path of its model, `""` without one.
        services: Dotted paths of the plugins that are services.
    """

    def __init__(
        self,
        module_scope: ModuleScope,
        models: Mapping[str, Model],
        plugins: Mapping[str, str],
        services: frozenset[str],
    ) -> None:
        self.module_scope = module_scope
        self.models = models
        self.plugins = plugins
        self.services = services

    def attributes(self, node: ast.ClassDef, scope: Scope) -> dict[str, str]:
        """Tell which attributes of a class's instances are configurations."""
        found: dict[str, str] = {}
        if scope.path in self.services and self.plugins.get(scope.path):
            found["config"] = self.plugins[scope.path]
        for statement in node.body:
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                found[statement.target.id] = self.annotated(statement.annotation, scope)
        for method in node.body:
            if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef):
                inner = self.entered(method, scope)
                for name, kind in self._assigned_attributes(method, inner):
                    same = name not in found or found[name] == kind or name == "config"
                    found[name] = kind if same else ""
        return found

    def _assigned_attributes(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope
    ) -> Iterator[tuple[str, str]]:
        for item in ast.walk(node):
            target, value, note = None, None, None
            if isinstance(item, ast.Assign) and len(item.targets) == 1:
                target, value = item.targets[0], item.value
            elif isinstance(item, ast.AnnAssign):
                target, value, note = item.target, item.value, item.annotation
            if isinstance(target, ast.Attribute) and dotted(target.value) == scope.this != "":
                kind = self.annotated(note, scope) if note is not None else ""
                yield target.attr, kind or (self.type_of(value, scope) if value else "")

    def entered(self, node: Function, scope: Scope) -> Scope:
        """Bind what a function's parameters and assignments bind."""
        name = "" if isinstance(node, ast.Lambda) else f".{node.name}"
        in_class = scope.owner is not None and scope.path == scope.owner[1]
        path = f"{scope.path}{name}"
        every = [*node.args.posonlyargs, *node.args.args]
        model = self._model_of_entry(path, in_class=in_class)
        around = scope.around if in_class else (scope.names, *scope.around)
        bound = every[0].arg if in_class and every else scope.this
        inner = Scope(
            path, {}, around, bound, scope.attributes, scope.owner, model or scope.context_model
        )
        for index, arg in enumerate([*every, *node.args.kwonlyargs]):
            kind = self.annotated(arg.annotation, inner)
            place = index - (1 if in_class else 0)
            if not kind and arg.arg == "ctx":
                kind = "ctx" if model or in_class else ""
            elif not kind and model and place == 1 and arg.annotation is None:
                kind = model
            inner.names[arg.arg] = kind
        for extra in (node.args.vararg, node.args.kwarg):
            if extra is not None:
                inner.names[extra.arg] = ""
        if not isinstance(node, ast.Lambda):
            self._bind(node.body, inner)
        return inner

    def _model_of_entry(self, path: str, *, in_class: bool) -> str:
        """Give the model of the plugin that a function is the entry of."""
        owner, _, name = path.rpartition(".")
        if in_class and name in {"apply", "__init__"}:
            return self.plugins.get(owner, "")
        return self.plugins.get(path, "") or (
            self.plugins.get(owner, "") if name == "apply" else ""
        )

    def _bind(self, body: Iterable[ast.stmt], scope: Scope) -> None:
        for statement in body:
            for item in own_statements(statement):
                for name, value in targets_of(item):
                    kind = self.type_of(value, scope) if value is not None else ""
                    before = scope.names.get(name)
                    keeps = before is None or before == kind
                    scope.names[name] = kind if keeps else ""

    def resolve(self, name: str, scope: Scope) -> str:
        """Say what a dotted name refers to, `?` when that is not told."""
        head = name.partition(".")[0]
        if scope.find(head) is not None:
            return "?"
        if head == scope.this and scope.owner is not None:
            rest = name.partition(".")[2]
            return f"{scope.owner[1]}.{rest}" if rest in scope.owner[0] else "?"
        return self.module_scope.path(name, scope.owner)

    def model(self, path: str) -> str:
        """Give the canonical path of the model at a path, `""` when there is none."""
        found = self.models.get(path)
        return found.path if found is not None else ""

    def annotated(self, node: ast.expr | None, scope: Scope) -> str:
        """Give the model that an annotation names, alone or beside None."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                return self.annotated(ast.parse(node.value, mode="eval").body, scope)
            except (SyntaxError, ValueError):
                return ""
        if isinstance(node, ast.BinOp):
            return self.annotated(node.left, scope) or self.annotated(node.right, scope)
        if isinstance(node, ast.Subscript) and dotted(node.value).rpartition(".")[2] == "Optional":
            return self.annotated(node.slice, scope)
        name = dotted(node) if node is not None else ""
        return self.model(self.module_scope.path(name, scope.owner)) if name else ""

    def type_of(self, node: ast.expr, scope: Scope) -> str:
        """Give the model of a configuration, `ctx` for a context, `""` for anything else."""
        match node:
            case ast.Name(id=name):
                return scope.find(name) or ""
            case ast.Attribute(value=value, attr=attr):
                return self._type_of_attribute(value, attr, scope)
            case ast.IfExp() | ast.BoolOp(op=ast.Or()) | ast.NamedExpr():
                return self._joined(_choices(node), scope)
            case ast.Call(func=function):
                return self._type_of_call(function, node, scope)
            case _:
                return ""

    def _type_of_attribute(self, value: ast.expr, attr: str, scope: Scope) -> str:
        if isinstance(value, ast.Name) and value.id == scope.this and scope.find(value.id) == "":
            if attr == "ctx" and self.plugins.get(scope.owner[1] if scope.owner else ""):
                return "ctx"
            return scope.attributes.get(attr, "")
        owner = self.type_of(value, scope)
        if owner == "ctx":
            own = scope.context_model
            if scope.owner is not None:
                own = self.plugins.get(scope.owner[1], "")
            return own if attr == "config" else ""
        found = self.models.get(owner)
        return found.fields.get(attr, "") if found is not None else ""

    def _joined(self, values: Iterable[ast.expr], scope: Scope) -> str:
        kinds = {
            self.type_of(value, scope)
            for value in values
            if not (isinstance(value, ast.Constant) and value.value is None)
        }
        return kinds.pop() if len(kinds) == 1 else ""

    def _type_of_call(self, function: ast.expr, call: ast.Call, scope: Scope) -> str:
        name = dotted(function)
        path = self.resolve(name, scope) if name else "?"
        if path in {"typing.cast", "typing_extensions.cast"} and call.args:
            return self.annotated(call.args[0], scope)
        return self.model(path) or self.model(path.removesuffix(".model_validate"))


def _choices(node: ast.IfExp | ast.BoolOp | ast.NamedExpr) -> list[ast.expr]:
    """List what an expression may give."""
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    return node.values if isinstance(node, ast.BoolOp) else [node.value]


def own_statements(statement: ast.stmt) -> Iterator[ast.AST]:
    """Walk a statement without the functions and classes defined in it."""
    stack: list[ast.AST] = [statement]
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            stack.extend(reversed(list(ast.iter_child_nodes(node))))


def targets_of(node: ast.AST) -> Iterator[tuple[str, ast.expr | None]]:
    """Give the names that a node binds, each with its value when that is one expression."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)]):
            yield name, node.value
        case ast.AnnAssign(target=ast.Name(id=name)):
            yield name, node.value
        case ast.NamedExpr(target=ast.Name(id=name)):
            yield name, node.value
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield node.name, None
        case ast.Import() | ast.ImportFrom():
            for alias in node.names:
                yield (alias.asname or alias.name.partition(".")[0]), None
        case ast.Assign() | ast.AugAssign() | ast.For() | ast.AsyncFor() | ast.withitem():
            for item in _bound_in(node):
                yield item, None
        case ast.ExceptHandler(name=str(name)):
            yield name, None
        case _:
            return


def _bound_in(node: ast.AST) -> Iterator[str]:
    targets: list[ast.expr] = []
    match node:
        case ast.Assign():
            targets = node.targets
        case ast.AugAssign() | ast.For() | ast.AsyncFor():
            targets = [node.target]
        case ast.withitem(optional_vars=ast.expr() as target):
            targets = [target]
        case _:
            pass
    for target in targets:
        for item in ast.walk(target):
            if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store):
                yield item.id


def bound_names(body: Iterable[ast.stmt]) -> Iterator[str]:
    """List the names that the body of a class binds."""
    for statement in body:
        for item in own_statements(statement):
            for name, _ in targets_of(item):
                yield name
