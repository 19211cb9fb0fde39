"""Check a mount's code against what is known of services and events, before anything runs."""

# Layers, downwards only: awaiting, defining, listening, results > reads > findings > plugins >
# evaluator > arguments, forms, literals > values > scopes.
# Nothing here runs code, imports what the code imports, or touches a live object but through
# `Knowledge`.

from __future__ import annotations

import ast

from toolset.cordis.knowledge import Knowledge
from toolset.cordis.preflight import awaiting, defining, listening, reads, results
from toolset.cordis.preflight.evaluator import Evaluator
from toolset.cordis.preflight.findings import Code, Finding, Findings
from toolset.cordis.preflight.plugins import find_plugins, follow_listeners
from toolset.cordis.preflight.scopes import Scopes, read_scopes
from toolset.cordis.preflight.values import (
    ContextValue,
    GlobalValue,
    MemberValue,
    PendingValue,
    ResultValue,
    ServiceValue,
)

__all__ = ["Finding", "Findings", "check"]


def check(tree: ast.Module, knowledge: Knowledge) -> Findings:
    """Check code against what is known.

    Args:
        tree: The code as parsed, its body being that of an async function.
        knowledge: The services and events there are.

    Returns:
        Certain mistakes and likely ones, each by line. Nothing is said of code whose meaning is
        not certain.
    """
    scopes = read_scopes(tree)
    try:
        return _check(scopes, knowledge)
    finally:
        scopes.close()


def _check(scopes: Scopes, knowledge: Knowledge) -> Findings:
    evaluator = Evaluator(scopes, knowledge)
    plugins = find_plugins(evaluator)
    follow_listeners(evaluator)
    code = Code(scopes, evaluator, knowledge, plugins)
    for node in scopes.attributes:
        _check_attribute(code, node)
    for assigned in (one for sets in scopes.attribute_sets.values() for one in sets):
        base = code.value(assigned.target.value, assigned.target)
        if isinstance(base, ContextValue):
            reads.check_context_write(code, assigned.target)
    for call in scopes.calls:
        _check_call(code, call)
    reads.check_inject(code)
    return code.findings()


def _check_attribute(code: Code, node: ast.Attribute) -> None:
    base = code.value(node.value, node)
    if isinstance(base, ContextValue):
        reads.check_context_read(code, node, base)
    elif isinstance(base, ServiceValue):
        reads.check_member_read(code, node, base)
    elif isinstance(base, ResultValue) or (
        isinstance(base, PendingValue) and base.kind == "function"
    ):
        results.check_result_read(code, node, base.shown, base.returns)


def _check_call(code: Code, call: ast.Call) -> None:
    target = code.value(call.func, call)
    if target is None:
        return
    if isinstance(target, MemberValue):
        reads.check_get(code, call, target)
        reads.check_call(code, call, target)
        listening.check_event_call(code, call, target)
    defining.check_definition(code, call, target)
    if not isinstance(target, GlobalValue):
        awaiting.check_result(code, call)
