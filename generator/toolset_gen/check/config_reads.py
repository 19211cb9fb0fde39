"""Where the sources read configurations: fields, and what leads to them."""

# Maintainers: walks one file after the other; config_types says what is a configuration, configs.py judges.
# A configuration that goes where it cannot be followed has "escaped": then nothing is known of what reads
# it.

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from toolset_gen.check.config_types import Function, Model, Scope, Types, bound_names
from toolset_gen.discover import SourceFile
from toolset_gen.extract.model import Location
from toolset_gen.extract.scope import ModuleScope, dotted

__all__ = ["Read", "Reads", "find_reads"]

# Calls that look at a configuration as a whole and at no field of it.
_HARMLESS = frozenset(
    f"builtins.{name}" for name in ("bool", "id", "isinstance", "print", "repr", "str", "type")
) | {"typing.cast", "typing_extensions.cast"}
_WHOLE = frozenset({"__dict__", "copy", "dict", "json", "model_copy", "model_dump"}) | {
    "model_dump_json",
    "model_fields_set",
}


class Read(NamedTuple):
    """One read of an attribute of a configuration.

    Attributes:
        model: Canonical path of its model.
        name: The attribute.
        location: Where.
        text: The expression, such as `config.limit`.
    """

    model: str
    name: str
    location: Location
    text: str


class Reads(NamedTuple):
    """What the sources read.

    Attributes:
        reads: Attributes of what is known to be a configuration.
        elsewhere: Names of all attributes that are read of anything else.
        escaped: Models of configurations that go where they cannot be followed.
        members: Model to the names that its class defines beside fields.
        open: Models with bases that the sources do not show.
    """

    reads: tuple[Read, ...]
    elsewhere: frozenset[str]
    escaped: frozenset[str]
    members: Mapping[str, frozenset[str]]
    open: frozenset[str]


def find_reads(
    files: Iterable[SourceFile],
    models: Mapping[str, Model],
    plugins: Mapping[str, str],
    services: frozenset[str],
) -> Reads:
    """Find every read of a configuration.

    Args:
        files: The scanned files.
        models: Configuration models by each path they are known under.
        plugins: Dotted path of a plugin's code to the path of its model, `""` without one.
        services: Dotted paths of the plugins that are services.

    Returns:
        The reads.
    """
    found = _Found()
    for file in files:
        tree = _parse(file.data)
        if tree is not None:
            scope = ModuleScope(file.module, tree.body, is_package=file.is_package)
            _Walker(file, Types(scope, models, plugins, services), found).module(tree)
    return Reads(
        tuple(sorted(found.reads, key=lambda read: (read.location, read))),
        frozenset(found.elsewhere),
        frozenset(found.escaped),
        found.members,
        frozenset(found.open),
    )


def _parse(data: bytes) -> ast.Module | None:
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return ast.parse(data.decode(encoding))
    except (SyntaxError, ValueError, LookupError, RecursionError, MemoryError):
        return None  # extraction has said so


class _Found:
    """What all files together came to."""

    def __init__(self) -> None:
        self.reads: list[Read] = []
        self.elsewhere: set[str] = set()
        self.escaped: set[str] = set()
        self.members: dict[str, frozenset[str]] = {}
        self.open: set[str] = set()


class _Walker:
    def __init__(self, file: SourceFile, types: Types, found: _Found) -> None:
        self.file = file
        self.types = types
        self.models = types.models
        self.found = found

    def module(self, tree: ast.Module) -> None:
        top = Scope(self.file.module, {}, (), "", {}, None, "")
        self.body(tree.body, top)

    def body(self, statements: Iterable[ast.stmt], scope: Scope) -> None:
        for statement in statements:
            self.visit(statement, scope)

    # Definitions

    def klass(self, node: ast.ClassDef, scope: Scope) -> None:
        path = f"{scope.path}.{node.name}"
        names = frozenset(bound_names(node.body))
        model = self.models.get(path)
        if model is not None:
            self.found.members[model.path] = names
            bases = [self.types.module_scope.path(dotted(base) or "?") for base in node.bases]
            known = {"pydantic.BaseModel", "pydantic.main.BaseModel", "typing.NamedTuple"}
            if any(base not in known for base in bases):
                self.found.open.add(model.path)
        inner = Scope(path, {}, (scope.names, *scope.around), "", {}, (names, path), "")
        inner = inner._replace(attributes=self.types.attributes(node, inner))
        for expression in (*node.decorator_list, *node.bases, *(k.value for k in node.keywords)):
            self.visit(expression, scope)
        for statement in node.body:
            self.visit(statement, inner)

    def function(self, node: Function, scope: Scope) -> None:
        defaults = [*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)]
        marks = [] if isinstance(node, ast.Lambda) else node.decorator_list
        for expression in (*marks, *defaults):
            self.visit(expression, scope)
        inner = self.types.entered(node, scope)
        if isinstance(node, ast.Lambda):
            self.visit(node.body, inner)
        else:
            self.body(node.body, inner)

    # Uses

    def visit(self, node: ast.AST, scope: Scope, *, safe: bool = False) -> None:
        """Look at a node; `safe` when whoever gets its value is followed too."""
        if isinstance(node, ast.ClassDef):
            self.klass(node, scope)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            self.function(node, scope)
        elif isinstance(node, ast.expr):
            self.expression(node, scope, safe=safe)
        else:
            self._patterns(node)
            for child in ast.iter_child_nodes(node):
                self.visit(child, scope, safe=self._keeps(node, scope))

    def _patterns(self, node: ast.AST) -> None:
        if isinstance(node, ast.MatchClass):
            self.found.elsewhere.update(node.kwd_attrs)

    def _keeps(self, node: ast.AST, scope: Scope) -> bool:
        """Tell whether a statement lets nothing out: it is assigned to what is followed, or tested."""
        if isinstance(node, ast.Assign):
            return all(
                isinstance(target, ast.Name)
                or (isinstance(target, ast.Attribute) and dotted(target.value) == scope.this != "")
                for target in node.targets
            )
        return isinstance(
            node, ast.AnnAssign | ast.Assert | ast.Expr | ast.FormattedValue | ast.If | ast.Match
        )

    def expression(self, node: ast.expr, scope: Scope, *, safe: bool) -> None:
        kind = self.types.type_of(node, scope)
        if kind in self.models and not safe and not isinstance(node, ast.Call):
            self.found.escaped.add(kind)
        match node:
            case ast.Attribute(value=value, attr=attr):
                self._attribute(node, value, attr, scope)
            case ast.Call():
                self._call(node, scope)
            case ast.Compare() | ast.UnaryOp() | ast.FormattedValue() | ast.JoinedStr():
                for child in ast.iter_child_nodes(node):
                    self.visit(child, scope, safe=True)
            case ast.BoolOp() | ast.IfExp() | ast.NamedExpr():
                for child in ast.iter_child_nodes(node):
                    self.visit(child, scope, safe=safe or child is getattr(node, "test", None))
            case _:
                for child in ast.iter_child_nodes(node):
                    self.visit(child, scope)

    def _attribute(self, node: ast.Attribute, value: ast.expr, attr: str, scope: Scope) -> None:
        owner = self.types.type_of(value, scope)
        if owner in self.models and isinstance(node.ctx, ast.Load):
            place = Location(self.file.path, node.end_lineno or node.lineno)
            self.found.reads.append(Read(owner, attr, place, ast.unparse(node)))
            if attr in _WHOLE:
                self.found.escaped.add(owner)
        elif isinstance(node.ctx, ast.Load):
            self.found.elsewhere.add(attr)
        self.visit(value, scope, safe=True)

    def _call(self, node: ast.Call, scope: Scope) -> None:
        name = dotted(node.func)
        path = self.types.resolve(name, scope) if name else "?"
        ours = path.partition(".")[0] == self.file.module.partition(".")[0]
        bound = name.partition(".")[0] == scope.this != ""
        followed = path in _HARMLESS or ours or bound or _is_of_super(node.func)
        if path == "builtins.getattr":
            strings = [a.value for a in node.args if isinstance(a, ast.Constant)]
            self.found.elsewhere.update(text for text in strings if isinstance(text, str))
            followed = bool(strings)
        self.visit(node.func, scope, safe=True)
        for argument in node.args:
            self.visit(argument, scope, safe=followed)
        for keyword in node.keywords:
            self.visit(keyword.value, scope, safe=followed and keyword.arg is not None)


def _is_of_super(function: ast.expr) -> bool:
    """Tell whether a method of `super()` is called."""
    match function:
        case ast.Attribute(value=ast.Call(func=ast.Name(id="super"))):
            return True
        case _:
            return False
