"""Rules on events: their names, their verbs, their arguments and their listeners."""

# Maintainers: names that nothing declares are allowed by the runtime, so they are notes at most.

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Final

from toolset.catalog import EventEntry, Parameter, nearest
from toolset.cordis.preflight.arguments import accepts_positionals
from toolset.cordis.preflight.findings import Code
from toolset.cordis.preflight.literals import parameters_of
from toolset.cordis.preflight.plugins import listener_of
from toolset.cordis.preflight.scopes import FunctionNode
from toolset.cordis.preflight.values import FunctionValue, MemberValue

__all__ = ["check_event_call"]

_VERBS: Final = frozenset({"emit", "parallel", "serial", "bail", "waterfall"})


def check_event_call(code: Code, call: ast.Call, target: MemberValue) -> None:
    """Judge a call of `ctx.on`, `ctx.once` or a dispatch."""
    name = target.member.name
    if target.owner != "ctx" or not call.args or isinstance(call.args[0], ast.Starred):
        return
    if name not in _VERBS and name not in {"on", "once"}:
        return
    found = code.evaluator.event_named(call.args[0], code.scope(call))
    if isinstance(found, str):
        _check_name(code, call, found)
    elif found is not None and name in _VERBS:
        _check_dispatch(code, call, found, name)
    elif found is not None:
        _check_listener(code, call, found)


def _check_name(code: Code, call: ast.Call, name: str) -> None:
    known = {*code.knowledge.event_names(), *code.evaluator.declared_here()}
    close = nearest(name, known)
    if name in known or not close or _is_its_own(code, name):
        return
    meant = " or ".join(repr(c) for c in close)
    code.note(
        call, "unknown-event", f"nothing known declares the event {name!r}; did you mean {meant}?"
    )


def _is_its_own(code: Code, name: str) -> bool:
    """Tell whether the code both dispatches an event and listens to it, so that it is its own."""
    seen = {"listens": False, "dispatches": False}
    for call in code.scopes.calls:
        if isinstance(call.func, ast.Attribute) and call.args:
            verb = call.func.attr
            if verb in _VERBS or verb in {"on", "once"}:
                found = code.evaluator.event_named(call.args[0], code.scope(call))
                if found == name:
                    seen["dispatches" if verb in _VERBS else "listens"] = True
    return all(seen.values())


def _check_dispatch(code: Code, call: ast.Call, entry: EventEntry, verb: str) -> None:
    if entry.mode != verb:
        wait = "await " if entry.mode in {"parallel", "serial"} or _is_async_fall(entry) else ""
        code.mistake(
            call,
            "wrong-verb",
            f"event {entry.name!r} is declared with mode {entry.mode!r}, not {verb!r}; "
            f"write {wait}ctx.{entry.mode}({entry.name!r}, ...)",
            raises="EventModeError",
        )
        return
    given = call.args[1:]
    if call.keywords or any(isinstance(arg, ast.Starred) for arg in given):
        return
    # A waterfall's dispatch passes the inner default where its listeners get `next`.
    if not accepts_positionals(entry.parameters, len(given)):
        code.mistake(
            call,
            "bad-event-arguments",
            f"event {entry.name!r} is dispatched with {len(given)} argument(s) after its name, "
            f"but is declared as {entry.signature}",
            raises="TypeError",
        )


def _is_async_fall(entry: EventEntry) -> bool:
    return entry.mode == "waterfall" and entry.is_async


def _check_listener(code: Code, call: ast.Call, entry: EventEntry) -> None:
    node = listener_of(call)
    listener = code.value(node, call)
    if node is None or not isinstance(listener, FunctionValue):
        return
    parameters = parameters_of(listener.node)[listener.bound :]
    if not accepts_positionals(parameters, len(entry.parameters)):
        shown = ast.unparse(listener.node.args)
        code.mistake(
            node,
            "bad-listener",
            f"the listener takes ({shown}), but event {entry.name!r} calls it as {entry.signature}",
            raises="TypeError",
        )
    elif entry.mode == "waterfall":
        _check_next(code, node, entry, listener, parameters)


def _check_next(
    code: Code,
    node: ast.expr,
    entry: EventEntry,
    listener: FunctionValue,
    parameters: Sequence[Parameter],
) -> None:
    last = len(entry.parameters) - 1
    plain = [p for p in parameters if not p.kind.startswith("var-")]
    if last >= len(plain) or _reads(code, listener.node, plain[last].name):
        return
    code.note(
        node,
        "next-not-called",
        f"this listener of the waterfall {entry.name!r} never calls {plain[last].name!r}, so no "
        "listener after it runs and the default is never reached; return next() to go on",
    )


def _reads(code: Code, function: FunctionNode, name: str) -> bool:
    owner = code.scopes.inner[function]
    return any(code.scopes.loads_of(name, owner))
