"""Rules on the tools that a mount's code defines and registers."""

# Maintainers: only what stands literally in the code; everything else about a definition is judged
# by the registry when it is registered, with the same outcome a moment later.

from __future__ import annotations

import ast
import re
from typing import Final

from toolset.cordis.preflight.arguments import accepts_positionals, misfit_of_member
from toolset.cordis.preflight.findings import Code
from toolset.cordis.preflight.literals import literal, parameters_of
from toolset.cordis.preflight.values import (
    ContextValue,
    FunctionValue,
    GlobalValue,
    MemberValue,
    Value,
)

__all__ = ["check_definition"]

_NEEDED: Final = ("name", "description", "output", "execute")
_FORMS: Final = {
    "name": '"my_tool"',
    "description": '"What it does."',
    "output": '{"schema": {"type": "string"}}',
    "execute": "lambda args: ...",
}
_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def check_definition(code: Code, call: ast.Call, target: Value) -> None:
    """Judge a call that defines or registers a tool."""
    match target:
        case GlobalValue(path="harness.define_tool"):
            if _check_given(code, call, "define_tool"):
                _check_options(code, call)
            _check_define(code, call)
        case GlobalValue(path="harness.tool"):
            _check_given(code, call, "tool")
        case GlobalValue(path="harness.register_tool"):
            if _check_given(code, call, "register_tool"):
                _check_context(code, call)
        case MemberValue(owner="ctx.tools") if target.member.name == "register" and call.args:
            _check_registered(code, call, call.args[0])
        case _:
            pass


def _check_context(code: Code, call: ast.Call) -> None:
    value = code.value(call.args[0], call) if call.args else None
    if value is not None and not isinstance(value, ContextValue):
        code.mistake(
            call.args[0],
            "bad-tool",
            "harness.register_tool(ctx, tool) takes the plugin's context first, in `apply`; "
            "as a decorator write @harness.tool, then ctx.tools.register(...)",
            raises="TypeError",
        )


def _check_given(code: Code, call: ast.Call, name: str) -> bool:
    member = code.knowledge.harness.get(name)
    reason = "" if member is None else misfit_of_member(call, member)
    if member is not None and reason:
        code.mistake(
            call,
            "bad-tool",
            f"harness.{name}() {reason}; its signature is {member.signature}",
            raises="TypeError",
        )
    return not reason


def _check_options(code: Code, call: ast.Call) -> None:
    """Judge which options stand in the call, as keywords or in one literal mapping."""
    keys: list[object] = [keyword.arg for keyword in call.keywords]
    if call.args:
        mapping = call.args[0]
        if not isinstance(mapping, ast.Dict):
            return
        keys += [literal(key, code.scope(call)) for key in mapping.keys]
    missing = [option for option in _NEEDED if option not in keys]
    if missing and None not in keys:
        code.mistake(
            call,
            "bad-tool",
            f"harness.define_tool() is missing {', '.join(missing)}; write "
            + ", ".join(f"{option}={_FORMS[option]}" for option in missing),
            raises="ToolDefinitionError",
        )


def _check_define(code: Code, call: ast.Call) -> None:
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    scope = code.scope(call)
    name = literal(given.get("name"), scope)
    if isinstance(name, str) and not _NAME.fullmatch(name):
        code.mistake(
            given["name"],
            "bad-tool",
            f"tool name {name!r} is refused; use 1 to 64 letters, digits, '_' and '-', such as "
            f"{re.sub('[^a-zA-Z0-9_-]+', '_', name)[:64]!r}",
            raises="ValueError",
        )
    execute = code.value(given.get("execute"), call)
    if isinstance(execute, FunctionValue):
        parameters = parameters_of(execute.node)[execute.bound :]
        if not any(accepts_positionals(parameters, count) for count in (1, 2)):
            code.mistake(
                given["execute"],
                "bad-tool",
                f"execute takes ({ast.unparse(execute.node.args)}), but a tool's body is called as "
                "execute(args) or execute(args, call)",
                raises="TypeError",
            )


def _check_registered(code: Code, call: ast.Call, node: ast.expr) -> None:
    value = code.value(node, call)
    if isinstance(value, FunctionValue):
        what = "a plain function"
        name = getattr(value.node, "name", "")
        fix = f"write @harness.tool above {name!r}" if name else "decorate it with harness.tool"
    elif isinstance(node, ast.Dict):
        what, fix = "a dict", "make it with harness.define_tool(name=..., ...)"
    else:
        return
    code.mistake(node, "bad-tool", f"{what} is registered as a tool; {fix}", raises="TypeError")
