"""What a tool is: its declaration, checked once and then fixed."""

# Maintainers: answers for `ToolDefinition`; define.py and decorator.py make one. Invariant: a
# definition that exists is one that every model API takes and every call can be checked against. It
# knows no registry: owners, events and running calls are not its business.

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import FunctionType
from typing import TypeAlias, cast, get_args

from toolset.services.tools.decoding import decode_texts
from toolset.services.tools.jsontypes import FrozenObject, JsonObject, JsonValue, thaw
from toolset.services.tools.lossless import freeze_json
from toolset.services.tools.paths import Violation
from toolset.services.tools.records import (
    ContentBlock,
    ToolAnnotations,
    ToolCall,
    ToolCard,
    ToolKind,
    ToolSchema,
)
from toolset.services.tools.shallow import shallow
from toolset.services.tools.validation import Checker
from toolset.services.tools.wire import safe_text

__all__ = ["PresentCall", "Render", "ToolBody", "ToolDefinition", "arity"]

ToolBody: TypeAlias = "Callable[[JsonObject], object] | Callable[[JsonObject, ToolCall], object]"
"""A tool's body, sync or async: `execute(args)` or `execute(args, call)`, giving one JSON value."""

Render: TypeAlias = "Callable[[JsonObject, JsonValue], str | ContentBlock | list[ContentBlock]]"
"""Makes what the model sees: `render(args, value)` gives text, a block, or blocks."""

PresentCall: TypeAlias = "Callable[[JsonObject], ToolCard | None]"
"""Makes the card a person sees: `present_call(args)`, pure."""


@dataclass(frozen=True, eq=False)
class ToolDefinition:
    """One tool, ready to be registered; made by `define_tool` or `@tool`.

    Attributes:
        name: What the model calls it.
        description: What it does and when to use it.
        parameters: JSON Schema of its arguments, `type: object` at the root.
        output: JSON Schema of its value.
        execute: Its body.
        render: Makes what the model sees of a value; None shows text as it is, the rest as JSON.
        present_call: Makes the card a person sees of a call; None when it has none.
        annotations: Hints for clients.
        fill: What absent arguments are filled with before the body runs.
        judge: Finds what a schema cannot say about arguments that fit it.
        schema: What a model is told about it.
    """

    name: str
    description: str
    parameters: JsonObject = field(repr=False)
    output: JsonObject = field(repr=False)
    execute: ToolBody = field(repr=False)
    render: Render | None = field(default=None, repr=False)
    present_call: PresentCall | None = field(default=None, repr=False)
    annotations: ToolAnnotations = field(default_factory=ToolAnnotations)
    fill: JsonObject = field(default_factory=dict[str, JsonValue], repr=False)
    judge: Callable[[JsonObject], list[Violation]] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        fixed: dict[str, object] = {
            "_arguments": Checker(self.parameters),
            "_value": Checker(self.output),
            "_takes_call": arity(self.execute) > 1,
            "schema": ToolSchema(self.name, self.description, shallow(self.parameters)),
        }
        for name, value in fixed.items():
            object.__setattr__(self, name, value)

    schema: ToolSchema = field(init=False, repr=False)

    _arguments: Checker = field(init=False, repr=False)
    _value: Checker = field(init=False, repr=False)
    _takes_call: bool = field(init=False, repr=False)

    def check_arguments(self, arguments: JsonValue) -> list[Violation]:
        """Find what is wrong with the arguments of a call.

        Args:
            arguments: JSON data of at most `MAX_DEPTH` levels.

        Returns:
            Every violation; empty when they fit.
        """
        found = self._arguments.violations(arguments, "arguments")
        if found or self.judge is None or not isinstance(arguments, dict):
            return found
        return self.judge(arguments)

    def read_arguments(self, arguments: FrozenObject) -> tuple[FrozenObject, list[Violation]]:
        """Find what is wrong with arguments as a model wrote them.

        Args:
            arguments: They, frozen.

        Returns:
            The arguments, with JSON text decoded where it stands for something else than text, and
            every violation of those.
        """
        found = self.check_arguments(arguments)
        if not found:
            return arguments, []
        decoded = decode_texts(arguments, self.parameters)
        return decoded, found if decoded is arguments else self.check_arguments(decoded)

    def check_output(self, value: JsonValue) -> list[Violation]:
        """Find what is wrong with a value that the body returned.

        Args:
            value: JSON data of at most `MAX_DEPTH` levels.

        Returns:
            Every violation; empty when it fits.
        """
        return self._value.violations(value, "output")

    async def run(self, arguments: JsonObject, call: ToolCall) -> object:
        """Run the body once, with a copy of the arguments that it may change.

        Args:
            arguments: Arguments that fit; absent ones are filled from the schema's defaults.
            call: The call, for bodies that ask for it.

        Returns:
            What the body returned, unchecked.
        """
        given = {name: thaw(value) for name, value in arguments.items()}
        for name, default in self.fill.items():
            if name not in given:
                given[name] = copy.deepcopy(default)
        if self._takes_call:
            body = cast("Callable[[JsonObject, ToolCall], object]", self.execute)
            result = body(given, call)
        else:
            result = cast("Callable[[JsonObject], object]", self.execute)(given)
        return await result if inspect.isawaitable(result) else result

    def present(self, arguments: object) -> ToolCard | None:
        """Show one call to a person; pure, and safe on logs of any age.

        Args:
            arguments: The arguments as they were logged.

        Returns:
            The card, or None when the tool has none or the arguments do not fit it any more.
        """
        if self.present_call is None:
            return None
        try:
            frozen = freeze_json(arguments)
            if not isinstance(frozen, FrozenObject):
                return None
            read, violations = self.read_arguments(frozen)
            return None if violations else _card(self.present_call(copy.deepcopy(read)))
        except Exception:  # noqa: BLE001 -- a replay shows a plain card rather than failing
            return None


def _card(card: object) -> ToolCard | None:
    """Take a card only if it is one."""
    if not isinstance(card, Mapping):
        return None
    given = cast("Mapping[str, object]", card)
    kind, title = given.get("kind"), given.get("title")
    if (
        given.get("card") != "generic"
        or kind not in get_args(ToolKind)
        or not isinstance(title, str)
    ):
        return None
    made: ToolCard = {"card": "generic", "kind": cast("ToolKind", kind), "title": safe_text(title)}
    if "raw_input" in given:
        made["raw_input"] = cast("JsonValue", given["raw_input"])
    return made


def arity(body: Callable[..., object]) -> int:
    """Say with how many arguments a body is called.

    Args:
        body: A tool's body.

    Returns:
        1 for `(args)`, 2 for `(args, call)`, 0 when it takes neither. A second parameter that has a
        default is the call only when it is named `call`: `lambda args, n=n: ...` keeps its `n`.
    """
    if isinstance(body, FunctionType) and not (body.__kwdefaults__ or hasattr(body, "__wrapped__")):
        code = body.__code__  # inspect.signature takes a third of the time of a definition
        variable = code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
        if not variable and not code.co_kwonlyargcount and not body.__defaults__:
            return code.co_argcount if code.co_argcount in {1, 2} else 0
    try:
        signature = inspect.signature(body)
    except ValueError:  # a builtin that does not tell
        return 1
    for count in (2, 1):
        try:
            bound = signature.bind(*(None,) * count).arguments
        except TypeError:
            continue
        second = signature.parameters[list(bound)[-1]]
        if count == 1 or second.default is second.empty or second.name == "call":
            return count
    return 0
