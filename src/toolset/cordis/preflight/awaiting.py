"""Rules on results that must be awaited, entered or iterated before they are used."""

# Maintainers: looks at where the result of a call stands, and when it is given a name, at where that
# name is read. A result that is handed on to something unknown is never judged: it may be awaited
# there.

from __future__ import annotations

import ast
from typing import Final

from toolset.cordis.preflight.findings import Code
from toolset.cordis.preflight.reads import is_plain
from toolset.cordis.preflight.values import GlobalValue, PendingValue

__all__ = ["check_result"]

_HOW: Final = {
    "coroutine": "await it",
    "async generator": "iterate with `async for`",
    "async context manager": "enter it with `async with`",
    "context manager": "enter it with `with`",
    "generator": "iterate with `for`",
}
_IS: Final = {
    "coroutine": "is a coroutine method",
    "async generator": "is an async generator",
    "async context manager": "gives an async context manager",
    "context manager": "gives a context manager",
    "generator": "is a generator",
}
# What the object itself has, whatever it stands for.
_OWN: Final = {
    "coroutine": {"close", "send", "throw", "cr_await", "cr_code", "cr_frame", "cr_running"},
    "async generator": {"aclose", "asend", "athrow", "ag_running", "ag_frame", "ag_code"},
    "generator": {"close", "send", "throw", "gi_running", "gi_frame", "gi_code", "gi_yieldfrom"},
}
_CHAINED: Final = frozenset({"then", "catch", "finally"})
_CONSUMERS: Final = frozenset(
    {
        *("len", "str", "int", "float", "bool", "list", "tuple", "set", "frozenset", "dict"),
        *("sorted", "sum", "any", "all", "iter", "next", "enumerate", "reversed", "print"),
        *("json.loads", "json.dumps", "max", "min", "bytes"),
    }
)
_ITERATING: Final = frozenset(
    {"list", "tuple", "set", "frozenset", "sorted", "sum", "any", "all", "iter", "next"}
    | {"enumerate", "dict", "max", "min", "print", "str", "bool"}
)


def check_result(code: Code, call: ast.Call) -> None:
    """Judge what becomes of a call's result."""
    result = code.value(call, call)
    if not isinstance(result, PendingValue):
        return
    parent = code.scopes.parents.get(call)
    if isinstance(parent, (ast.Assign, ast.AnnAssign)) and parent.value is call:
        _check_named(code, call, parent, result)
    else:
        _check_use(code, call, parent, result)


def _check_named(
    code: Code, call: ast.Call, parent: ast.Assign | ast.AnnAssign, result: PendingValue
) -> None:
    targets = parent.targets if isinstance(parent, ast.Assign) else [parent.target]
    target = targets[0]
    if len(targets) != 1 or not isinstance(target, ast.Name) or result.kind not in _HOW:
        return
    scope = code.scope(call)
    owner = scope.owner(target.id)
    if owner is None or owner.sole(target.id) is None:
        return
    loads = [load.node for load in code.scopes.loads_of(target.id, owner)]
    if not loads and not isinstance(owner.node, ast.ClassDef):
        _report(code, call, result, f"its result {target.id!r} is never used")
    for load in loads:
        _check_use(code, load, code.scopes.parents.get(load), result)


def _check_use(code: Code, node: ast.expr, parent: ast.AST | None, result: PendingValue) -> None:
    problem = _problem(code, node, parent, result)
    if problem:
        _report(code, node, result, problem)
    elif (
        result.kind == "coroutine"
        and isinstance(parent, ast.Return)
        and isinstance(code.scopes.function_of(parent), ast.AsyncFunctionDef)
    ):
        code.note(
            node,
            "not-awaited",
            f"{result.shown}() is returned without `await`; "
            "whoever awaits this function gets a coroutine, not its result",
        )


def _report(code: Code, node: ast.expr, result: PendingValue, problem: str) -> None:
    parent = code.scopes.parents.get(node)
    chained = isinstance(parent, ast.Attribute) and parent.attr in _CHAINED
    if chained and result.kind == "coroutine":
        message = (
            f"{result.shown}() gives no promise: write `result = await {result.shown}(...)` and go on "
            "with `result` in the next line, `try`/`except` around it for what fails"
        )
    elif result.kind not in _HOW:
        message = f"{result.shown}() returns {result.returns.annotation}: {problem}"
    else:
        message = f"{result.shown}() {_IS[result.kind]}: {problem}; {_HOW[result.kind]}"
    code.mistake(node, "not-awaited", message, raises="TypeError")


def _problem(  # noqa: PLR0911 - a case, a return
    code: Code, node: ast.expr, parent: ast.AST | None, result: PendingValue
) -> str:
    """Say what is wrong with the place where a result stands, `""` when nothing certain is."""
    kind = result.kind
    match parent:
        case ast.Await():
            return _wrong_await(result)
        case ast.AsyncFor() | ast.For() if parent.iter is node:
            return _wrong_iteration(kind, is_async=isinstance(parent, ast.AsyncFor))
        case ast.comprehension() if parent.iter is node:
            return _wrong_iteration(kind, is_async=bool(parent.is_async))
        case ast.withitem():
            return _wrong_entry(code, parent, kind)
        case _ if kind not in _HOW:
            return ""
        case ast.Expr():
            return "nothing runs, since its result is dropped"
        case ast.Attribute():
            own = parent.attr in _OWN.get(kind, ()) or parent.attr.startswith("__")
            return "" if own else f"its result is read ({parent.attr!r}) too early"
        case ast.Subscript() if parent.value is node:
            return "its result is indexed too early"
        case ast.Call() if parent.func is not node:
            return _wrong_argument(code, parent, kind)
        case _:
            return "" if kind != "coroutine" else _wrong_coroutine(node, parent)


def _wrong_await(result: PendingValue) -> str:
    if result.kind == "coroutine":
        return ""
    if result.kind == "function":
        return (
            "it is not awaitable; drop the `await`" if is_plain(result.returns.annotation) else ""
        )
    return "it cannot be awaited"


def _wrong_iteration(kind: str, *, is_async: bool) -> str:
    if kind == "function" or (kind == "async generator" and is_async):
        return ""
    if kind == "generator" and not is_async:
        return ""
    return f"it cannot be iterated with `{'async for' if is_async else 'for'}`"


def _wrong_entry(code: Code, item: ast.withitem, kind: str) -> str:
    is_async = isinstance(code.scopes.parents.get(item), ast.AsyncWith)
    if kind in {"function", "async context manager" if is_async else "context manager"}:
        return ""
    return f"it cannot be entered with `{'async with' if is_async else 'with'}`"


def _wrong_argument(code: Code, call: ast.Call, kind: str) -> str:
    callee = code.value(call.func, call)
    if not isinstance(callee, GlobalValue) or callee.path not in _CONSUMERS:
        return ""
    if kind == "generator" and callee.path in _ITERATING:
        return ""
    return f"`{callee.path}` gets it too early"


def _wrong_coroutine(node: ast.expr, parent: ast.AST | None) -> str:  # noqa: PLR0911 - a case, a return
    match parent:
        case ast.FormattedValue():
            return "it is formatted too early"
        case ast.BinOp() | ast.UnaryOp():
            return "its result is computed with too early"
        case ast.Compare():
            identity = all(isinstance(op, (ast.Is, ast.IsNot)) for op in parent.ops)
            return "" if identity else "its result is compared too early"
        case ast.If() | ast.While() | ast.Assert() | ast.IfExp() if parent.test is node:
            return "it is always true before it is awaited"
        case ast.BoolOp() if parent.values[-1] is not node:
            return "it is always true before it is awaited"
        case ast.Starred():
            return "it is unpacked too early"
        case _:
            return ""
