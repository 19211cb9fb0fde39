"""Find the plugins that a mount's code returns, and which parameter of theirs is the context."""

# Maintainers: fills `Evaluator.entries` and `.nexts`, and so must run before any rule. An `inject`
# that is not literal, or that the code may change elsewhere, is unknown and no read is judged by
# it.

from __future__ import annotations

import ast
from typing import NamedTuple

from toolset.cordis.preflight.evaluator import Evaluator
from toolset.cordis.preflight.literals import keys_of, literal, parameters_of
from toolset.cordis.preflight.scopes import FunctionNode
from toolset.cordis.preflight.values import (
    ClassValue,
    ContextValue,
    FunctionValue,
    GlobalValue,
    InstanceValue,
    MemberValue,
    NamespaceValue,
    NextValue,
    Value,
)

__all__ = ["Plugin", "find_plugins", "follow_listeners", "listener_of"]


class Plugin(NamedTuple):
    """A plugin that the code returns.

    Attributes:
        node: Where it is returned.
        inject: The keys it declares; None when they cannot be read.
        declared_at: Where it declares them, None when it does not.
        how: How it would declare them, with `{}` for the keys.
    """

    node: ast.Return
    inject: frozenset[str] | None
    declared_at: ast.expr | None
    how: str


class _Inject(NamedTuple):
    keys: frozenset[str] | None
    node: ast.expr | None = None


_NOTHING = _Inject(frozenset())
_UNKNOWN = _Inject(None)


def find_plugins(evaluator: Evaluator) -> list[Plugin]:
    """Find what the code returns, and tell the evaluator where its context arrives.

    Args:
        evaluator: Is given the entries.

    Returns:
        The plugins that could be followed.
    """
    scopes = evaluator.scopes
    found: list[Plugin] = []
    for node in scopes.returns:
        if scopes.scope_of[node] is scopes.root:
            value = evaluator.value(node.value, scopes.root)
            inject = _enter(evaluator, value)
            if inject is not None:
                found.append(Plugin(node, inject.keys, inject.node, _how(node, value)))
    evaluator.forget()
    return found


def follow_listeners(evaluator: Evaluator) -> None:
    """Tell the evaluator which parameter of each waterfall listener is its `next`.

    Args:
        evaluator: Is given the positions.
    """
    for call in evaluator.scopes.calls:
        if isinstance(call.func, ast.Attribute) and call.func.attr in {"on", "once"}:
            scope = evaluator.scopes.scope_of[call]
            target = evaluator.value(call.func, scope)
            if not isinstance(target, MemberValue) or target.owner != "ctx" or not call.args:
                continue
            entry = evaluator.event_named(call.args[0], scope)
            listener = evaluator.value(listener_of(call), scope)
            if entry is None or isinstance(entry, str) or not isinstance(listener, FunctionValue):
                continue
            position = listener.bound + len(entry.parameters) - 1
            parameters = parameters_of(listener.node)
            if entry.mode == "waterfall" and position < len(parameters):
                following = NextValue(entry.name, entry.is_async)
                evaluator.nexts[listener.node] = (position, following)
    if evaluator.nexts:
        evaluator.forget()


def listener_of(call: ast.Call) -> ast.expr | None:
    """Give the listener that a call of `ctx.on` or `ctx.once` passes."""
    if len(call.args) > 1:
        return call.args[1]
    return next((k.value for k in call.keywords if k.arg == "listener"), None)


def _how(node: ast.Return, value: Value) -> str:
    """Show how the plugin that is returned declares services."""
    match value:
        case ClassValue() | InstanceValue():
            return f"inject = [{{}}] in the body of class {value.node.name}"
        case NamespaceValue():
            return "inject=[{}] among its keywords"
        case FunctionValue(node=ast.FunctionDef() | ast.AsyncFunctionDef() as function):
            name = node.value.id if isinstance(node.value, ast.Name) else function.name
            return f"{name}.inject = [{{}}] after the function"
        case _ if isinstance(node.value, ast.Name):
            return f"{node.value.id}.inject = [{{}}] before the `return`"
        case _:
            return "plugin.inject = [{}] on a named function, and return that"


def _enter(evaluator: Evaluator, value: Value) -> _Inject | None:
    match value:
        case FunctionValue():
            inject = _inject_of_function(evaluator, value)
            _set_entry(evaluator, value, inject)
        case ClassValue():
            inject = _inject_of_class(evaluator, value.node, [value])
            evaluator.injects[value.node] = inject.keys
            constructor = evaluator.attribute(InstanceValue(value.node), "__init__")
            _set_entry(evaluator, constructor, inject)
        case InstanceValue():
            inject = _inject_of_class(evaluator, value.node, [value, ClassValue(value.node)])
            _set_entry(evaluator, evaluator.attribute(value, "apply"), inject)
        case NamespaceValue():
            inject = _inject_of_namespace(evaluator, value)
            given = {k.arg: k.value for k in value.node.keywords}
            scope = evaluator.scopes.scope_of[value.node]
            _set_entry(evaluator, evaluator.value(given.get("apply"), scope), inject)
        case _:
            return None
    return inject


def _set_entry(evaluator: Evaluator, function: Value, inject: _Inject) -> None:
    if isinstance(function, FunctionValue):
        evaluator.entries[function.node] = (function.bound, ContextValue(inject.keys))


# -- inject ----------------------------------------------------------------------------------------


def _inject_of_function(evaluator: Evaluator, value: FunctionValue) -> _Inject:
    if not isinstance(value.node, ast.Lambda) and _escapes(evaluator, value.node):
        return _UNKNOWN
    return _single(evaluator, _assigned(evaluator, [value]), [value])


def _inject_of_class(evaluator: Evaluator, node: ast.ClassDef, values: list[Value]) -> _Inject:
    scope = evaluator.scopes.inner[node]
    found = _assigned(evaluator, values)
    if "inject" in scope.bindings:
        binding = scope.sole("inject")
        if binding is None or not isinstance(binding.node, ast.expr):
            return _UNKNOWN
        found.append(_Inject(keys_of(literal(binding.node, binding.scope)), binding.node))
    if not found:
        return _inherited(evaluator, node)
    return _single(evaluator, found, values)


def _inherited(evaluator: Evaluator, node: ast.ClassDef) -> _Inject:
    scope = evaluator.scopes.scope_of[node]
    for base in node.bases:
        value = evaluator.value(base.value if isinstance(base, ast.Subscript) else base, scope)
        if isinstance(value, ClassValue):
            return _inject_of_class(evaluator, value.node, [value])
        known = isinstance(value, GlobalValue) and (
            value.path in {"Service", "object"} or value.path.startswith(("typing.", "abc."))
        )
        if not known:
            return _UNKNOWN
    return _NOTHING


def _inject_of_namespace(evaluator: Evaluator, value: NamespaceValue) -> _Inject:
    given = {k.arg: k.value for k in value.node.keywords}
    if None in given:
        return _UNKNOWN
    found = _assigned(evaluator, [value])
    if "inject" in given:
        scope = evaluator.scopes.scope_of[value.node]
        found.append(_Inject(keys_of(literal(given["inject"], scope)), given["inject"]))
    return _single(evaluator, found, [value])


def _assigned(evaluator: Evaluator, values: list[Value]) -> list[_Inject]:
    """Read every `x.inject = ...` whose `x` is one of the values."""
    return [
        _Inject(keys_of(literal(found.value, found.scope)), found.value)
        for found in evaluator.scopes.attribute_sets.get("inject", ())
        if evaluator.value(found.target.value, found.scope) in values
    ]


def _single(evaluator: Evaluator, found: list[_Inject], values: list[Value]) -> _Inject:
    if len(found) > 1 or _is_changed(evaluator, found, values):
        return _UNKNOWN
    return found[0] if found else _NOTHING


def _is_changed(evaluator: Evaluator, found: list[_Inject], values: list[Value]) -> bool:
    """Tell whether the code reads the list again, and so may add to it."""
    scopes = evaluator.scopes
    for node in scopes.attributes:
        if node.attr == "inject":
            base = evaluator.value(node.value, scopes.scope_of[node])
            if base in values or base is None:
                return True
    names = [f.node.id for f in found if isinstance(f.node, ast.Name)]
    names += ["inject"] if found else []
    return any(
        isinstance(scopes.parents.get(load.node), (ast.Attribute, ast.Subscript, ast.Call))
        for name in names
        for load in scopes.loads.get(name, ())
    )


def _escapes(evaluator: Evaluator, node: FunctionNode) -> bool:
    """Tell whether something else than the code at hand may set attributes of a function."""
    if isinstance(node, ast.Lambda):
        return False
    scopes = evaluator.scopes
    owner = scopes.scope_of[node]
    for load in scopes.loads_of(node.name, owner):
        parent = scopes.parents.get(load.node)
        called = isinstance(parent, ast.Call) and parent.func is load.node
        if not called and not isinstance(
            parent, (ast.Return, ast.Attribute, ast.Assign, ast.keyword)
        ):
            return True
    return False
