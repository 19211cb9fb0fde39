"""Follow names, attributes and calls of a mount's code to what they hold."""

# Maintainers: an abstract evaluator over `Scopes`. Its one rule: when there are two answers, or none
# that is certain, the answer is None and no rule speaks. How a context reaches a parameter is told
# to it by `plugins` through `entries` and `nexts`, before anything else is asked.

from __future__ import annotations

import ast

from toolset.catalog import EventEntry, Member, Returns
from toolset.cordis.knowledge import Knowledge
from toolset.cordis.preflight.forms import global_value, is_generator, is_static
from toolset.cordis.preflight.literals import event_of, literal
from toolset.cordis.preflight.scopes import Binding, FunctionNode, Scope, Scopes
from toolset.cordis.preflight.values import (
    ClassValue,
    ContextValue,
    EventValue,
    FunctionValue,
    GlobalValue,
    InstanceValue,
    MemberValue,
    NamespaceValue,
    NextValue,
    PendingValue,
    ResultValue,
    ServiceValue,
    ToolValue,
    Value,
)

__all__ = ["Evaluator"]

_DEEPEST = 60
_NAMESPACES = frozenset({"types.SimpleNamespace", "SimpleNamespace"})
_TRANSPARENT = frozenset({"staticmethod", "classmethod", "functools.wraps"})


class Evaluator:
    """What expressions hold.

    Args:
        scopes: The names of the code.
        knowledge: The services and events there are.

    Attributes:
        entries: Position of the context among a function's parameters, and that context.
        nexts: For a waterfall's listener, the position of `next` and its value.
        injects: Keys that a class returned as a plugin declares; None when they cannot be read.
    """

    def __init__(self, scopes: Scopes, knowledge: Knowledge) -> None:
        self.scopes = scopes
        self.knowledge = knowledge
        self.entries: dict[FunctionNode, tuple[int, ContextValue]] = {}
        self.nexts: dict[FunctionNode, tuple[int, NextValue]] = {}
        self.injects: dict[ast.ClassDef, frozenset[str] | None] = {}
        self._known: dict[ast.AST, Value] = {}
        self._depth = 0
        self._declared: dict[str, EventEntry] | None = None

    def forget(self) -> None:
        """Drop what was evaluated before `entries` or `nexts` were filled."""
        self._known.clear()

    def value(self, node: ast.AST | None, scope: Scope) -> Value:
        """Tell what an expression holds.

        Args:
            node: The expression.
            scope: Where it is read.

        Returns:
            Its value; None when it is not certain.
        """
        if node is None:
            return None
        if node in self._known:
            return self._known[node]
        if self._depth > _DEEPEST:
            return None
        self._known[node] = None  # what refers to itself is unknown
        self._depth += 1
        try:
            found = self._known[node] = self._evaluate(node, scope)
        finally:
            self._depth -= 1
        return found

    def _evaluate(self, node: ast.AST, scope: Scope) -> Value:  # noqa: PLR0911 - a case, a return
        match node:
            case ast.Name():
                return self._name(node.id, scope)
            case ast.Attribute():
                return self.attribute(self.value(node.value, scope), node.attr)
            case ast.Call():
                return self._call(node, scope)
            case ast.Lambda():
                return FunctionValue(node)
            case ast.Await():
                return _result(self.value(node.value, scope))
            case ast.NamedExpr():
                return self.value(node.value, scope)
            case ast.IfExp():
                one, other = self.value(node.body, scope), self.value(node.orelse, scope)
                return one if one == other else None
            case _:
                return None

    # -- names -------------------------------------------------------------------------------------

    def _name(self, name: str, scope: Scope) -> Value:
        owner = scope.owner(name)
        if owner is None:
            return GlobalValue(name)
        binding = owner.sole(name)
        return None if binding is None else self._binding(name, binding, owner)

    def _binding(self, name: str, binding: Binding, owner: Scope) -> Value:
        node = binding.node
        if binding.imported:
            return global_value(binding.imported)
        if binding.parameter >= 0 and isinstance(
            node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
        ):
            return self._parameter(node, binding.parameter, name)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return self._function(node, binding.scope)
        if isinstance(node, ast.ClassDef):
            return None if self._opaque_class(node, owner) else ClassValue(node)
        return self.value(node, binding.scope)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> Value:
        for decorator in node.decorator_list:
            target = decorator.func if isinstance(decorator, ast.Call) else decorator
            made_by = self.value(target, scope)
            if made_by == GlobalValue("harness.tool"):
                return ToolValue(node)
            if made_by == GlobalValue("event") and isinstance(decorator, ast.Call):
                entry = event_of(decorator, node, scope)
                return None if entry is None else EventValue(entry)
            if not (isinstance(made_by, GlobalValue) and made_by.path in _TRANSPARENT):
                return None
        return FunctionValue(node)

    def _opaque_class(self, node: ast.ClassDef, scope: Scope) -> bool:
        for decorator in node.decorator_list:
            target = decorator.func if isinstance(decorator, ast.Call) else decorator
            if self.value(target, scope) not in (
                GlobalValue("dataclasses.dataclass"),
                GlobalValue("typing.final"),
            ):
                return True
        return False

    def _parameter(self, function: FunctionNode, position: int, name: str) -> Value:
        for told in (self.entries.get(function), self.nexts.get(function)):
            if told is not None and told[0] == position:
                return told[1]
        owner = self.scopes.scope_of[function]
        if isinstance(owner.node, ast.ClassDef):
            return self._method_parameter(function, position, name, owner.node)
        if isinstance(function, ast.Lambda):
            return None
        return self._from_callers(function, position, name, owner)

    def _method_parameter(
        self, function: FunctionNode, position: int, name: str, node: ast.ClassDef
    ) -> Value:
        if position == 0:
            return None if is_static(function) else InstanceValue(node)
        if isinstance(function, ast.FunctionDef) and function.name == "__init__":
            return self._from_callers(node, position - 1, name, self.scopes.scope_of[node])
        return None

    def _from_callers(
        self,
        called: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef,
        position: int,
        name: str,
        owner: Scope,
    ) -> Value:
        """Join what every caller passes; None unless all calls are seen and agree."""
        if called.decorator_list or owner.sole(called.name) is None:
            return None
        passed: list[Value] = []
        for load in self.scopes.loads_of(called.name, owner):
            call = self.scopes.parents.get(load.node)
            if not isinstance(call, ast.Call) or call.func is not load.node:
                return None
            passed.append(self._argument(call, position, name, load.scope))
        first = passed[0] if passed else None
        return first if all(value == first for value in passed) else None

    def _argument(self, call: ast.Call, position: int, name: str, scope: Scope) -> Value:
        for keyword in call.keywords:
            if keyword.arg == name:
                return self.value(keyword.value, scope)
        before = call.args[: position + 1]
        if len(before) <= position or any(isinstance(a, ast.Starred) for a in before):
            return None
        return self.value(before[position], scope)

    # -- attributes --------------------------------------------------------------------------------

    def attribute(self, base: Value, name: str) -> Value:
        """Tell what the attribute `name` of a value holds.

        Args:
            base: The value it is read from.
            name: The attribute.

        Returns:
            Its value; None when it is not certain.
        """
        match base:
            case ContextValue():
                return self._of_context(base, name)
            case ServiceValue():
                member = self.member(base.key, name)
                return None if member is None else MemberValue(f"ctx.{base.key}", member)
            case GlobalValue():
                return global_value(f"{base.path}.{name}")
            case InstanceValue():
                return self._of_instance(base, name)
            case _:
                return None

    def member(self, key: str, name: str) -> Member | None:
        """Find a member of the service under `key`; None when the service or member is unknown."""
        return self.knowledge.members(key).get(name)

    def _of_context(self, base: ContextValue, name: str) -> Value:
        knowledge = self.knowledge
        forwarded = knowledge.forwarded_by(name)
        if forwarded is not None:
            return MemberValue("ctx", knowledge.forwarded[forwarded][name], base.inject)
        member = knowledge.context.get(name)
        if member is not None and name not in knowledge.given:
            return MemberValue("ctx", member, base.inject)
        return None if name in knowledge.withheld else ServiceValue(name)

    def _of_instance(self, base: InstanceValue, name: str) -> Value:
        if base.node.name in self.scopes.bases:
            return None  # a class that derives from it may define the same name anew
        inner = self.scopes.inner[base.node]
        assigned = [
            found
            for found in self.scopes.attribute_sets.get(name, ())
            if self.value(found.target.value, found.scope) == base
        ]
        if name in inner.bindings:
            return None if assigned else self._method(inner, name)
        if assigned:
            only = assigned[0]
            return self.value(only.value, only.scope) if len(assigned) == 1 else None
        is_context = name == "ctx" and self.is_service(base.node)
        return ContextValue(self.injects.get(base.node)) if is_context else None

    def _method(self, inner: Scope, name: str) -> Value:
        binding = inner.sole(name)
        value = None if binding is None else self._binding(name, binding, inner)
        if isinstance(value, FunctionValue) and not isinstance(value.node, ast.Lambda):
            return FunctionValue(value.node, 0 if is_static(value.node, "staticmethod") else 1)
        return None

    def is_service(self, node: ast.ClassDef) -> bool:
        """Tell whether a class of the code derives directly from the given `Service`."""
        scope = self.scopes.scope_of[node]
        return any(self.value(base, scope) == GlobalValue("Service") for base in node.bases)

    # -- calls -------------------------------------------------------------------------------------

    def _call(self, node: ast.Call, scope: Scope) -> Value:
        target = self.value(node.func, scope)
        match target:
            case MemberValue():
                return self._call_member(target, node, scope)
            case NextValue():
                kind = "coroutine" if target.is_async else "function"
                return PendingValue("next", kind) if target.is_async else None
            case ClassValue():
                return InstanceValue(target.node)
            case FunctionValue():
                return self._call_function(target)
            case GlobalValue():
                return self._callglobal_value(target.path, node)
            case _:
                return None

    def _call_member(self, target: MemberValue, node: ast.Call, scope: Scope) -> Value:
        member = target.member
        if target.owner == "ctx":
            if member.name == "get" and node.args:
                key = literal(node.args[0], scope)
                return ServiceValue(key) if isinstance(key, str) and len(node.args) == 1 else None
            if member.name == "waterfall":
                return self._dispatch_waterfall(node, scope)
        kind = member.kind
        if kind in {"property", "cached property", "attribute", "class variable"}:
            return None
        # Overloads may give different things: what such a call gives is not known.
        returns = Returns() if member.signatures else member.returns
        return PendingValue(f"{target.owner}.{member.name}", kind, returns)

    def _dispatch_waterfall(self, node: ast.Call, scope: Scope) -> Value:
        entry = self.event_named(node.args[0], scope) if node.args else None
        if entry is None or isinstance(entry, str) or not entry.is_async:
            return None
        return PendingValue("ctx.waterfall", "coroutine", entry.returns)

    def _call_function(self, target: FunctionValue) -> Value:
        node = target.node
        if isinstance(node, ast.Lambda):
            return self.value(node.body, self.scopes.inner[node])
        inner = self.scopes.inner[node]
        if is_generator(node):
            return None
        if isinstance(node, ast.AsyncFunctionDef):
            return PendingValue(node.name, "coroutine")
        returned = [r for r in self.scopes.returns if self.scopes.scope_of[r] is inner]
        only = returned[0] if len(returned) == 1 and returned[0] in node.body else None
        return None if only is None else self.value(only.value, inner)

    def _callglobal_value(self, path: str, node: ast.Call) -> Value:
        if path in _NAMESPACES:
            return NamespaceValue(node)
        if path in {"harness.define_tool", "harness.tool"}:
            return ToolValue(node)
        return None

    # -- events ------------------------------------------------------------------------------------

    def event_named(self, node: ast.expr, scope: Scope) -> EventEntry | str | None:
        """Find the event that an argument names.

        Args:
            node: The argument: a string, or an event the code declared.
            scope: Where it is read.

        Returns:
            The declared event; its name when nothing declares it; None when it is not certain.
        """
        value = self.value(node, scope)
        if isinstance(value, EventValue):
            return value.entry
        name = literal(node, scope)
        if not isinstance(name, str):
            return None
        return self.declared_here().get(name) or self.knowledge.event(name) or name

    def declared_here(self) -> dict[str, EventEntry]:
        """Give the events that the code declares itself, by name."""
        if self._declared is None:
            self._declared = {}
            for node in self.scopes.inner:
                if (
                    isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
                    and node.decorator_list
                ):
                    value = self._function(node, self.scopes.scope_of[node])
                    if isinstance(value, EventValue):
                        self._declared[value.entry.name] = value.entry
        return self._declared


def _result(awaited: Value) -> Value:
    if isinstance(awaited, PendingValue) and awaited.kind == "coroutine":
        return ResultValue(awaited.shown, awaited.returns)
    return None
