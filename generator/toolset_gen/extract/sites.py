"""Where a module uses contexts: dispatches, listens, provides, reads, mounts."""

# Maintainers: answers for finding the sites of one module and describing them as written. Whether a
# receiver really is a context, and what a name finally means, is linked later (uses.py). A text
# filter spares modules that cannot have any.

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from toolset_gen.extract.bindings import BoundContext, BoundFunction, BoundValue, Unknown
from toolset_gen.extract.expressions import read_expr
from toolset_gen.extract.frames import Frame
from toolset_gen.extract.functions import own_nodes, read_lambda
from toolset_gen.extract.gather import Gatherer
from toolset_gen.extract.raw import RawListener, RawSite, RawUses
from toolset_gen.extract.scope import ModuleScope, dotted
from toolset_gen.extract.text import SourceText

__all__ = ["VERBS", "read_uses"]

VERBS = frozenset(
    {"emit", "parallel", "serial", "bail", "waterfall", "on", "once", "provide", "get", "plugin"}
    | {"inject", "mixin", "accessor", "isolate", "intercept"}
)
_MAY = re.compile(r"\bctx\b|\bcaller\b|Context\b")
_TELLING = frozenset(
    {ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.Call, ast.Attribute}
    | {ast.Name, ast.Return, ast.Assign, ast.AnnAssign}
)


def read_uses(
    tree: ast.Module, source: SourceText, scope: ModuleScope, *, always: bool = False
) -> RawUses | None:
    """Find the uses of contexts in a module, and what its functions do with what they are given.

    Args:
        tree: The module.
        source: Its text.
        scope: Its scope.
        always: Whether to look even where no word hints at a context.

    Returns:
        What was found, None when nothing hints at a context.
    """
    if not always and not any(_MAY.search(line) for line in source.lines):
        return None
    reader = _Reader(source)
    top = Frame(scope, source)
    top.names.update(reader.module_contexts(tree.body, top))
    reader.gather.open(top)
    reader.body(own_nodes(tree.body), top)
    sites = sorted(reader.sites, key=lambda site: (site.line, site.verb))
    return RawUses(tuple(sites), reader.gather.flows(), reader.gather.mentions())


class _Reader:
    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.sites: list[RawSite] = []
        self.gather = Gatherer()

    def module_contexts(self, body: list[ast.stmt], top: Frame) -> dict[str, BoundContext]:
        """Find the contexts among a module's own variables; the module's scope knows the rest."""
        probe = Frame(top.scope, top.source)
        probe.bind_body(own_nodes(body))
        return {name: b for name, b in probe.names.items() if isinstance(b, BoundContext)}

    def body(self, nodes: Iterable[ast.AST], frame: Frame) -> None:
        for node in nodes:
            if type(node) in _TELLING:
                self._node(node, frame)

    def _node(self, node: ast.AST, frame: Frame) -> None:
        match node:
            case ast.Name():
                self.gather.name(node, frame)
            case ast.Call():
                self._call(node, frame)
            case ast.Attribute():
                self._attribute(node, frame)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._function(node, frame)
            case ast.ClassDef():
                inner = frame.child(node.name, is_class=True)
                for base in [*node.bases, *node.decorator_list]:
                    self._expression(base, frame)
                self.body(own_nodes(node.body), inner)
            case ast.Lambda():
                inner = frame.within(node)
                self.gather.open(inner, inner.bind_parameters(node.args), node)
                self._expression(node.body, inner)
            case ast.Return(value=ast.expr() as value):
                self.gather.returned(value, frame)
            case ast.Assign() | ast.AnnAssign():
                self.gather.assigned(node, frame)
            case _:
                pass

    def _attribute(self, node: ast.Attribute, frame: Frame) -> None:
        if not isinstance(node.ctx, ast.Load) or self.gather.is_called(node):
            return
        context = frame.context(node.value)
        if context is not None:
            self._add(node.attr, context, None, node.lineno, frame)
        else:
            self.gather.name(node, frame)

    def _expression(self, node: ast.expr, frame: Frame) -> None:
        statement = ast.Expr(node, lineno=node.lineno, col_offset=node.col_offset)
        self.body(own_nodes([statement]), frame)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame) -> None:
        for part in [*node.decorator_list, *node.args.defaults, *node.args.kw_defaults]:
            if part is not None:
                self._expression(part, frame)
        inner = frame.child(node.name)
        marks = {dotted(item) for item in node.decorator_list}
        here = f"{frame.scope.module}.{frame.path}" if frame.is_class else ""
        owner = "" if marks & {"staticmethod", "classmethod"} else here
        of_class = here if "classmethod" in marks else ""
        parameters = inner.bind_parameters(node.args, method_of=owner, of_class=of_class)
        if not owner:
            inner.this = frame.this
        nodes = list(own_nodes(node.body))
        inner.bind_body(nodes)
        self.gather.open(inner, parameters, node)
        self.body(nodes, inner)

    def _call(self, node: ast.Call, frame: Frame) -> None:
        self.gather.call(node, frame)
        verb, context = "", None
        if isinstance(node.func, ast.Attribute):
            verb, context = node.func.attr, frame.context(node.func.value)
        elif isinstance(node.func, ast.Name):
            bound = frame.find(node.func.id)
            value = bound.value if isinstance(bound, BoundValue) else None
            if value is not None and value.kind == "attribute" and value.of is not None:
                verb = value.name
                context = BoundContext(value.of.name) if value.of.kind == "context" else None
        if context is not None:
            self._add(verb, context, node if verb in VERBS else None, node.lineno, frame)

    def _add(
        self, verb: str, context: BoundContext, call: ast.Call | None, line: int, frame: Frame
    ) -> None:
        listener = None
        if call is not None and verb in {"on", "once"}:
            given = call.args[1] if len(call.args) > 1 else _keyword(call, "listener")
            listener = self._listener(given, frame) if given is not None else None
        self.sites.append(
            RawSite(
                verb=verb,
                receiver=context.type,
                call=read_expr(call, self.source, frame.resolve) if call is not None else None,
                line=line,
                function=frame.path,
                listener=listener,
            )
        )

    def _listener(self, node: ast.expr, frame: Frame) -> RawListener | None:
        if isinstance(node, ast.Lambda):
            function = read_lambda(node, self.source, frame.resolve)
            return RawListener(f"{frame.scope.module}.<lambda>", function)
        if isinstance(node, ast.Call):
            return self._partial(node, frame)
        name = dotted(node)
        owner, _, method = name.rpartition(".")
        if frame.this is not None and owner == frame.this[0]:
            return RawListener(f"{frame.this[1]}.{method}", bound=1)
        bound = frame.find(name)
        if isinstance(bound, BoundFunction):
            return RawListener(bound.path, bound.function)
        path = frame.resolve(name) if name and not isinstance(bound, Unknown) else "?"
        return None if path.startswith("?") else RawListener(path)

    def _partial(self, node: ast.Call, frame: Frame) -> RawListener | None:
        if frame.resolve(dotted(node.func) or "?") != "functools.partial" or not node.args:
            return None
        starred = any(isinstance(arg, ast.Starred) for arg in node.args)
        inner = self._listener(node.args[0], frame)
        if inner is None or starred or any(item.arg is None for item in node.keywords):
            return None
        names = tuple(item.arg for item in node.keywords if item.arg is not None)
        bound = inner.bound + len(node.args) - 1
        return inner._replace(bound=bound, filled=(*inner.filled, *names))


def _keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((item.value for item in call.keywords if item.arg == name), None)
