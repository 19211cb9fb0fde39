"""What an expression of a mount's code holds, as far as that is certain."""

# Maintainers: values are what the rules speak about: a context, a service read from it, a member of
# that service, a call of that member not yet awaited. Anything else, and anything in doubt, is None.
# They are compared with `==` where two ways lead to one name.

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TypeAlias

from toolset.catalog import EventEntry, Member, Returns
from toolset.cordis.preflight.scopes import FunctionNode

__all__ = [
    "ClassValue",
    "ContextValue",
    "EventValue",
    "FunctionValue",
    "GlobalValue",
    "InstanceValue",
    "MemberValue",
    "NamespaceValue",
    "NextValue",
    "PendingValue",
    "ResultValue",
    "ServiceValue",
    "ToolValue",
    "Value",
]


@dataclass(frozen=True, slots=True)
class ContextValue:
    """The context of a plugin.

    Attributes:
        inject: Keys that the plugin declares; None when that cannot be read.
    """

    inject: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class ServiceValue:
    """A service read from a context.

    Attributes:
        key: Its key.
    """

    key: str


@dataclass(frozen=True, slots=True)
class MemberValue:
    """A member of a service, or of the context itself.

    Attributes:
        owner: What it was read from, as shown to the writer: `ctx.fs`.
        member: Its description.
        inject: For a member of the context: the keys the plugin declares.
    """

    owner: str
    member: Member
    inject: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class PendingValue:
    """What a call gives before it is awaited, entered or iterated.

    Attributes:
        shown: The call's target, as shown to the writer: `ctx.fs.read_text`.
        kind: The kind of what was called, in the words of `toolset.catalog.MemberKind`.
        returns: What it gives in the end.
    """

    shown: str
    kind: str
    returns: Returns = field(default_factory=Returns)


@dataclass(frozen=True, slots=True)
class ResultValue:
    """What a call of a member gave.

    Attributes:
        shown: The call's target, as shown to the writer: `ctx.fs.stat`.
        returns: What its signature says it gives.
    """

    shown: str
    returns: Returns


@dataclass(frozen=True, slots=True)
class FunctionValue:
    """A function or lambda of the code.

    Attributes:
        node: Its definition.
        bound: How many leading parameters are bound.
    """

    node: FunctionNode
    bound: int = 0


@dataclass(frozen=True, slots=True)
class ClassValue:
    """A class of the code."""

    node: ast.ClassDef


@dataclass(frozen=True, slots=True)
class InstanceValue:
    """An instance of a class of the code."""

    node: ast.ClassDef


@dataclass(frozen=True, slots=True)
class NamespaceValue:
    """An object made of keywords: `SimpleNamespace(apply=..., inject=[...])`."""

    node: ast.Call


@dataclass(frozen=True, slots=True)
class GlobalValue:
    """Something the code did not define: a builtin, a given name, an import.

    Attributes:
        path: Its dotted path, such as `harness.tool` or `types.SimpleNamespace`.
    """

    path: str


@dataclass(frozen=True, slots=True)
class EventValue:
    """An event that the code declares itself."""

    entry: EventEntry


@dataclass(frozen=True, slots=True)
class NextValue:
    """The trailing `next` of a waterfall listener.

    Attributes:
        event: Name of the event.
        is_async: Whether what it gives must be awaited.
    """

    event: str
    is_async: bool


@dataclass(frozen=True, slots=True)
class ToolValue:
    """A tool definition made by `harness`."""

    node: ast.AST


Value: TypeAlias = (
    ContextValue
    | ServiceValue
    | MemberValue
    | PendingValue
    | ResultValue
    | FunctionValue
    | ClassValue
    | InstanceValue
    | NamespaceValue
    | GlobalValue
    | EventValue
    | NextValue
    | ToolValue
    | None
)
