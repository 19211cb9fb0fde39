"""The scopes inside a module: what a name in a function refers to, shadowing respected."""

# Maintainers: answers for names in functions. A frame knows the names its body binds and what each is
# bound to when that can be told: a context, a function, an import. A name bound in two ways is
# unknown: silence here is right, a guess is not. Class frames are skipped by the functions in them, as
# Python does.

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

from toolset_gen.extract.expressions import read_annotation
from toolset_gen.extract.functions import AnyFunction, read_function
from toolset_gen.extract.raw import RawFunction
from toolset_gen.extract.scope import ModuleScope, dotted, import_targets
from toolset_gen.extract.text import SourceText

__all__ = ["Binding", "BoundContext", "BoundFunction", "BoundPath", "BoundVerb", "Frame", "Unknown"]

_DERIVE = frozenset({"extend", "isolate", "intercept"})
_HOLDERS = frozenset({"ctx", "caller"})
_BINDERS = frozenset(
    {ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Global}
    | {ast.Assign, ast.AnnAssign, ast.AugAssign, ast.NamedExpr, ast.Delete, ast.For, ast.AsyncFor}
    | {ast.withitem, ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.Nonlocal}
)


class BoundContext(NamedTuple):
    """A context; `type` is the path of the annotation, `""` when only the name says so."""

    type: str


class BoundFunction(NamedTuple):
    """A function defined inside a function."""

    path: str
    function: RawFunction


class BoundPath(NamedTuple):
    """An import, or another name for something at the module's top."""

    path: str


class BoundVerb(NamedTuple):
    """A method taken off a context: `emit = ctx.emit`."""

    context: BoundContext
    verb: str


class Unknown(NamedTuple):
    """Anything else."""


Binding: TypeAlias = "BoundContext | BoundFunction | BoundPath | BoundVerb | Unknown"


class Frame:
    """One scope.

    Args:
        scope: The module's scope.
        source: The module's text.
        path: Dotted path inside the module, `""` at its top.
        parent: The scope around it.
        is_class: Whether it is a class body.
    """

    __slots__ = ("is_class", "names", "parent", "path", "scope", "source", "this")

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

    def child(self, name: str, *, is_class: bool = False) -> Frame:
        """Make the frame of a function or class in this one.

        Args:
            name: Its name, `""` for a lambda.
            is_class: Whether it is a class.

        Returns:
            An empty frame.
        """
        path = ".".join(filter(None, [self.path, name]))
        return Frame(self.scope, self.source, path, self, is_class=is_class)

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

    def bind_parameters(self, args: ast.arguments, *, method_of: str = "") -> None:
        """Bind the parameters of a function.

        Args:
            args: Its parameters.
            method_of: Path of the class whose method it is, `""` for none.
        """
        every = [*args.posonlyargs, *args.args, *args.kwonlyargs]
        for arg in every:
            self.names[arg.arg] = self._parameter(arg)
        for extra in (args.vararg, args.kwarg):
            if extra is not None:
                self.names[extra.arg] = Unknown()
        if method_of and every:
            self.this = (every[0].arg, method_of)

    def _parameter(self, arg: ast.arg) -> Binding:
        if arg.annotation is None:
            return BoundContext("") if arg.arg == "ctx" else Unknown()
        refs = read_annotation(arg.annotation, self.source, self.resolve).refs
        found = next((path for path in refs if path.endswith("Context")), None)
        return Unknown() if found is None else BoundContext(found.removeprefix("?"))

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
                yield name, self._parameter(ast.arg(name, node.annotation))
            case ast.ExceptHandler(name=str(name)):
                yield name, Unknown()
            case _:
                yield from _other_targets(node)

    def _function(self, node: AnyFunction) -> Binding:
        return BoundFunction(
            self._absolute(node.name), read_function(node, self.source, self.resolve)
        )

    def _absolute(self, name: str) -> str:
        return ".".join(filter(None, [self.scope.module, self.path, name]))

    def _value(self, node: ast.expr) -> Binding:
        context = self.context(node)
        if context is not None:
            return context
        if isinstance(node, ast.Attribute):
            owner = self.context(node.value)
            if owner is not None:
                return BoundVerb(owner, node.attr)
        path = self.resolve(dotted(node)) if dotted(node) else "?"
        return Unknown() if path.startswith("?") else BoundPath(path)


def _other_targets(node: ast.AST) -> Iterator[tuple[str, Binding]]:
    """The names that a statement binds to something that is not followed."""
    match node:
        case ast.Assign(targets=targets) | ast.Delete(targets=targets):
            found = targets
        case ast.AugAssign() | ast.For() | ast.AsyncFor() | ast.NamedExpr():
            found = [node.target]
        case ast.withitem(optional_vars=ast.expr() as target):
            found = [target]
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name, Unknown()
            return
        case _:
            return
    for target in found:
        for item in ast.walk(target):
            if isinstance(item, ast.Name) and not isinstance(item.ctx, ast.Load):
                yield item.id, Unknown()
