"""What a definition is and how it is used: by whom it may be seen, how it is called."""

# Maintainers: questions about one raw definition, answered without looking at any other.

from __future__ import annotations

from typing import Literal, TypeAlias

from toolset.catalog import Deprecation, MemberKind
from toolset_gen.extract.library import Library
from toolset_gen.extract.paths import Definition
from toolset_gen.extract.raw import RawClass, RawFunction, RawParameter

__all__ = [
    "Binding",
    "binding",
    "deprecation",
    "function_kind",
    "is_property",
    "is_public_member",
    "own_parameters",
]

Binding: TypeAlias = Literal["instance", "class", "static", "module"]

_PROPERTIES = frozenset({"builtins.property", "abc.abstractproperty", "enum.property"})
_OPERATORS = frozenset(
    f"__{name}__"
    for name in [
        "call",
        "getitem",
        "setitem",
        "delitem",
        "contains",
        "len",
        "iter",
        "next",
        "reversed",
        "bool",
        "enter",
        "exit",
        "aenter",
        "aexit",
        "aiter",
        "anext",
        "await",
        "add",
        "sub",
        "mul",
        "matmul",
        "truediv",
        "floordiv",
        "mod",
        "pow",
        "and",
        "or",
        "xor",
        "lshift",
        "rshift",
        "neg",
        "pos",
        "invert",
        "lt",
        "le",
        "gt",
        "ge",
        "int",
        "float",
        "index",
        "get",
        "set",
    ]
)
_DEPRECATED = frozenset({"warnings.deprecated", "typing_extensions.deprecated"})
_MANAGERS: dict[str, MemberKind] = {
    "contextlib.contextmanager": "context manager",
    "contextlib.asynccontextmanager": "async context manager",
}


def is_public_member(name: str) -> bool:
    """Say whether a member of a class is for its users.

    Args:
        name: The member's name.

    Returns:
        True for names without a leading underscore, and for operators.
    """
    return not name.startswith("_") or name in _OPERATORS


def is_property(raw: RawFunction) -> Literal["", "property", "cached property"]:
    """Say whether a function is read like an attribute.

    Args:
        raw: The function.

    Returns:
        What kind of property it is, `""` for none.
    """
    for item in raw.decorators:
        if item.path in _PROPERTIES:
            return "property"
        if item.path.endswith(".cached_property"):
            return "cached property"
    return ""


def function_kind(raw: RawFunction) -> MemberKind:
    """Say how a function is called.

    Args:
        raw: The function.

    Returns:
        Its kind.
    """
    for mark in raw.decorators:
        manager = _MANAGERS.get(mark.path)
        if manager is not None:
            return manager
    if raw.is_async:
        return "async generator" if raw.is_generator else "coroutine"
    return "generator" if raw.is_generator else "function"


def deprecation(raw: RawFunction | RawClass, library: Library) -> Deprecation | None:
    """Say whether a definition is deprecated, by decorator or docstring.

    Args:
        raw: The definition.
        library: What resolves the message.

    Returns:
        The deprecation, None when there is none.
    """
    for item in raw.decorators:
        if item.path in _DEPRECATED:
            message = library.constant(item.args[0]) if item.args else None
            return Deprecation(message or (item.args[0].text if item.args else ""))
    return raw.doc.deprecated if raw.doc is not None else None


def binding(raw: RawFunction, found: Definition) -> Binding:
    """Say what the first, omitted parameter of a function is bound to.

    Args:
        raw: The function.
        found: Its definition.

    Returns:
        What it is bound to; `module` for a plain function.
    """
    paths = {item.path for item in raw.decorators}
    if not found.owner:
        return "module"
    if "builtins.staticmethod" in paths:
        return "static"
    if "builtins.classmethod" in paths or raw.name in {"__new__", "__init_subclass__"}:
        return "class"
    return "instance"


def own_parameters(raw: RawFunction, found: Definition) -> tuple[RawParameter, ...]:
    """List the parameters that a caller passes.

    Args:
        raw: The function.
        found: Its definition, that says whether it is a method.

    Returns:
        Its parameters without the bound one, whatever that is called.
    """
    bound = binding(raw, found) in {"instance", "class"}
    first = raw.parameters[:1]
    if bound and first and first[0].kind in {"positional-only", "positional-or-keyword"}:
        return raw.parameters[1:]
    return raw.parameters
