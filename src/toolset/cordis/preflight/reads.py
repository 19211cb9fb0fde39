"""Rules on what is read from a context and from its services, and on how it is called."""

# Maintainers: one function a rule. Each is given a place that `check` found and speaks only when
# the values there are certain.

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping

from toolset.catalog import Member, nearest
from toolset.cordis.preflight.arguments import misfit_of_member
from toolset.cordis.preflight.findings import Code
from toolset.cordis.preflight.literals import literal
from toolset.cordis.preflight.values import ContextValue, MemberValue, ServiceValue

__all__ = [
    "as_python",
    "check_call",
    "check_context_read",
    "check_context_write",
    "check_get",
    "check_inject",
    "check_member_read",
]

_ATTRIBUTES = frozenset({"property", "cached property", "attribute", "class variable"})
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
PLAIN_TYPES = ("str", "int", "float", "bool", "bytes", "None", "list", "dict", "tuple", "set")


def check_context_read(code: Code, node: ast.Attribute, context: ContextValue) -> None:
    """Judge `ctx.<name>`."""
    name = node.attr
    knowledge = code.knowledge
    if name in knowledge.context or name in code.scopes.probed or name.startswith("__"):
        return
    forwarded = knowledge.forwarded_by(name)
    if forwarded is not None:
        if context.inject is not None and forwarded not in context.inject:
            _undeclared(code, node, forwarded, context.inject)
        return
    if name in knowledge.withheld or name.startswith("_"):
        code.mistake(
            node,
            "withheld",
            f"ctx.{name} is withheld from mounted code; a plugin has its own context, "
            "events, effects and the services it injects",
            raises="AttributeError",
        )
        return
    if context.inject is None or name in context.inject or _provides(code, name):
        return
    if knowledge.service(name) is not None:
        _undeclared(code, node, name, context.inject)
        return
    hint = _meant_of_context(code, name, context.inject)
    code.mistake(
        node,
        "unknown-service",
        f"ctx has no member {name!r} and inject does not declare a service of that name{hint}",
        raises="AttributeError",
    )


def _meant_of_context(code: Code, name: str, inject: frozenset[str]) -> str:
    """Say what `ctx.<name>` may have meant, with the signature where there is one."""
    knowledge = code.knowledge
    if name.lower().replace("_", "") in {"registertool", "addtool", "tool"}:
        return "; a tool is registered with ctx.tools.register(tool), made by @harness.tool"
    helpers = {n: (key, m) for key, of in knowledge.forwarded.items() for n, m in of.items()}
    known = {*knowledge.context, *inject, *knowledge.service_keys(), *helpers}
    close = nearest(as_python(name), known)
    if close and close[0] in helpers:
        key, member = helpers[close[0]]
        declared = "" if key in inject else f" (inject {key!r} for it)"
        return f"; did you mean ctx.{member.signature}{declared}?"
    return f"; did you mean {_either(f'ctx.{c}' for c in close)}?" if close else ""


def as_python(name: str) -> str:
    """Write a name as Python does: `readFile` as `read_file`."""
    return _HUMP.sub("_", name).lower()


def check_context_write(code: Code, node: ast.Attribute) -> None:
    """Judge `ctx.<name> = ...`."""
    code.mistake(
        node,
        "read-only",
        f"ctx.{node.attr} cannot be set: the context is read-only; keep state in a variable, or "
        f'publish it with ctx.provide("{node.attr}", ...)',
        raises="AttributeError",
    )


def check_get(code: Code, call: ast.Call, target: MemberValue) -> None:
    """Judge `ctx.get("<key>")`."""
    if target.owner != "ctx" or target.member.name != "get" or not call.args:
        return
    key = literal(call.args[0], code.scope(call))
    if not isinstance(key, str) or target.inject is None or key in target.inject:
        return
    if code.knowledge.service(key) is not None and not _provides(code, key):
        _undeclared(code, call, key, target.inject)


def _undeclared(code: Code, node: ast.AST, name: str, inject: frozenset[str]) -> None:
    unknown = [
        key for key in sorted(inject) if code.knowledge.service(key) is None and key != "tools"
    ]
    known = [key for key in sorted(inject) if key not in unknown]
    line = ", ".join(f'"{key}"' for key in [*known, name])
    how = {plugin.how for plugin in code.plugins}
    write = how.pop().format(line) if len(how) == 1 else f"inject = [{line}] on the plugin"
    others = " and ".join(map(repr, unknown))
    left_out = f" (nothing known provides {others}: keep it only when another mount will)"
    code.mistake(
        node,
        "undeclared-service",
        f"service {name!r} is read but not declared; write {write}"
        f"{left_out if unknown else ''}{_without_effect(code)}",
        raises="AttributeError",
    )


def _without_effect(code: Code) -> str:
    """Say that a variable `inject`, which nothing reads, declares nothing; `""` without one."""
    if "inject" in code.scopes.loads:
        return ""
    lines = [
        binding.node.lineno
        for scope in code.scopes.every
        if not isinstance(scope.node, ast.ClassDef)
        for binding in scope.bindings.get("inject", ())
        if isinstance(binding.node, ast.expr)
    ]
    if not lines:
        return ""
    return f" (the variable `inject` in line {min(lines)} has no effect: it is read off the plugin)"


def _provides(code: Code, name: str) -> bool:
    """Tell whether reading `name` needs no inject: it is always given, or the code provides it."""
    return name == "tools" or code.may_provide(name)


def check_member_read(code: Code, node: ast.Attribute, service: ServiceValue) -> None:
    """Judge `ctx.<service>.<name>`."""
    name = node.attr
    known = code.knowledge.service(service.key)
    if known is None or not known.complete or name.startswith("_") or name in code.scopes.probed:
        return
    if service.key != "tools" and code.may_provide(service.key):
        return  # perhaps as another class than is known
    members = code.knowledge.members(service.key)
    if name in members:
        return
    code.mistake(
        node,
        "unknown-member",
        f"ctx.{service.key} ({known.entry.class_name}) has no {name!r}; {_instead(name, members)}"
        if service.key not in code.knowledge.given
        else f"ctx.{service.key} gives mounted code no {name!r}; {_instead(name, members)}",
        raises="AttributeError",
    )


def _instead(name: str, members: Mapping[str, Member]) -> str:
    close = nearest(as_python(name), members, limit=2)
    if close:
        return f"did you mean {_either(members[c].signature for c in close)}?"
    return f"it has {', '.join(sorted(members)) or 'no members'}"


def check_call(code: Code, call: ast.Call, target: MemberValue) -> None:
    """Judge the arguments of a call of a member."""
    member = target.member
    shown = f"{target.owner}.{member.name}"
    if member.kind in _ATTRIBUTES:
        if is_plain(member.returns.annotation):
            code.mistake(
                call,
                "not-callable",
                f"{shown} is a {member.kind} ({member.signature}), not a method; "
                "read it without parentheses",
                raises="TypeError",
            )
        return
    reason = misfit_of_member(call, member)
    if reason:
        code.mistake(
            call,
            "bad-arguments",
            f"{shown}() {reason}; its signature is {signature_text(member)}",
            raises="TypeError",
        )


def check_inject(code: Code) -> None:
    """Judge the keys that the returned plugins declare."""
    for plugin in code.plugins:
        for key in sorted(plugin.inject or ()):
            if code.knowledge.service(key) is not None or _provides(code, key):
                continue
            close = nearest(key, code.knowledge.service_keys())
            if close:  # else it is what a plugin that waits for another mount looks like
                code.note(
                    plugin.declared_at or plugin.node,
                    "unknown-inject",
                    f"nothing known provides the injected service {key!r}; did you mean "
                    f"{_either(repr(c) for c in close)}? The plugin stays pending until it is there",
                )


def signature_text(member: Member) -> str:
    """Show how a member is called: its signature, or each of its overloads."""
    if member.signatures:
        return " | ".join(signature.text for signature in member.signatures)
    return member.signature


def is_plain(annotation: str) -> bool:
    """Tell whether an annotation is a builtin type whose values are neither called nor awaited."""
    return annotation.partition("[")[0].strip() in PLAIN_TYPES


def _either(names: Iterable[str]) -> str:
    return " or ".join(names)
