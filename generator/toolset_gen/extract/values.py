"""What the expressions in function bodies are, as far as one module tells: material to follow later."""

# Maintainers: the records that flows.py follows from one function into the next. Invariants: they
# pickle, hold no syntax nodes, and say `unknown` where a guess would be needed. A "flow" is a
# function, lambda or module body; its id is the dotted path, for a lambda with its place.

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from toolset.catalog import ParameterKind

__all__ = [
    "UNKNOWN",
    "FlowParameter",
    "RawCall",
    "RawFlow",
    "Value",
    "ValueKind",
]

ValueKind: TypeAlias = Literal[
    "path",
    "parameter",
    "context",
    "instance",
    "super",
    "attribute",
    "call",
    "text",
    "function",
    "several",
    "unknown",
]


class Value(NamedTuple):
    """What an expression is.

    Attributes:
        kind: `path` (a name of the module's top, an import), `parameter` (of the flow `where`),
            `context`, `instance` (of the class `name`, or one derived from it), `super` (of that
            class), `attribute` (`name` of `of`), `call` (of `of`), `text` (a string), `function` (the
            flow `name`, that of a local function or a lambda), `several` (any of `args`), `unknown`.
        name: A path, a name, a text; of a context the path of its type.
        where: Of a parameter the flow it is passed to.
        of: What an attribute is read from, what is called, what a parameter is annotated as.
        args: Positional arguments; the options of `several`.
        keywords: Keyword arguments.
        starred: Whether `*` or `**` hides some arguments.
    """

    kind: ValueKind
    name: str = ""
    where: str = ""
    of: Value | None = None
    args: tuple[Value, ...] = ()
    keywords: tuple[tuple[str, Value], ...] = ()
    starred: bool = False


UNKNOWN = Value("unknown")


class RawCall(NamedTuple):
    """A call that may be given an event.

    Attributes:
        value: The call.
        callee: The last name of what is called, `""` when that has none.
        line: Its line.
        first: Source of its first argument when that is a name, `""` otherwise.
    """

    value: Value
    callee: str
    line: int
    first: str = ""


class FlowParameter(NamedTuple):
    """A parameter of a flow.

    Attributes:
        name: Its name.
        kind: How it is passed.
        default: What it is when nothing is passed, None without a default.
    """

    name: str
    kind: ParameterKind
    default: Value | None = None


class RawFlow(NamedTuple):
    """What one body does with what it is given.

    Attributes:
        id: Its dotted path, absolute.
        function: Dotted path of the enclosing function or class inside the module, as sites say it.
        parameters: Its parameters, the bound one included.
        calls: The calls in it that may be given an event.
        attributes: What it sets on its bound parameter.
        returns: What it returns, where that can be told.
        line: Where it is defined.
        is_async: Whether calling it gives a coroutine.
    """

    id: str
    function: str
    parameters: tuple[FlowParameter, ...] = ()
    calls: tuple[RawCall, ...] = ()
    attributes: tuple[tuple[str, Value], ...] = ()
    returns: tuple[Value, ...] = ()
    line: int = 0
    is_async: bool = False
