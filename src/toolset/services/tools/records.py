"""What travels through a tool call: the call, the decision about it, its result."""

# Maintainers: answers for the shapes that listeners, bodies and hosts share. Records are frozen; a
# changed one is a new one (`dataclasses.replace`). They know neither registry nor pipeline: `again`
# only holds what the pipeline put there.

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, NotRequired, TypeAlias, TypedDict

from toolset.runtime.errors import ToolsetError
from toolset.services.tools.jsontypes import JsonObject, JsonValue

__all__ = [
    "ContentBlock",
    "PreDecision",
    "Rerun",
    "ToolAnnotations",
    "ToolCall",
    "ToolCard",
    "ToolKind",
    "ToolResult",
    "ToolSchema",
    "having",
    "text_block",
]

ContentBlock: TypeAlias = "dict[str, JsonValue]"
"""One block of what a model sees, such as `{"type": "text", "text": "done"}`."""

ToolKind: TypeAlias = Literal[
    "read", "edit", "delete", "move", "search", "execute", "think", "fetch", "other"
]
"""What a call does, for the people who watch it."""


class ToolSchema(NamedTuple):
    """What a model is told about one tool.

    Attributes:
        name: Its name.
        description: What it does and when to use it.
        parameters: JSON Schema of its arguments, `type: object` at the root.
    """

    name: str
    description: str
    parameters: JsonObject


class ToolAnnotations(NamedTuple):
    """Hints for clients that ask a person first; None where nothing is known.

    Attributes:
        read_only: Whether a call changes nothing.
        destructive: Whether a call may destroy something.
        idempotent: Whether a second equal call changes nothing more.
        open_world: Whether a call reaches beyond this process and its files.
    """

    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None


class ToolCard(TypedDict):
    """How one call is shown to a person.

    Attributes:
        card: The kind of card; `generic` is the one there is.
        kind: What the call does.
        title: One line.
        raw_input: What to show as the input, such as code.
    """

    card: Literal["generic"]
    kind: ToolKind
    title: str
    raw_input: NotRequired[JsonValue]


class RerunError(ToolsetError):
    """A call was asked to run again outside `tools/execute`."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"call.again() of tool {name!r} works inside a `tools/execute` listener only: "
            "listen to that event to retry"
        )


Rerun: TypeAlias = "Callable[[ToolCall], Awaitable[JsonValue]]"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool.

    Attributes:
        name: The tool.
        arguments: Its arguments, valid and frozen; `copy.deepcopy` gives a changeable copy.
        call_id: Identifies the call in logs and results.
        session: The session that calls, None for a host.
    """

    name: str
    arguments: JsonObject
    call_id: str
    session: str | None = None
    _rerun: Rerun | None = field(default=None, repr=False, compare=False)

    async def again(self) -> JsonValue:
        """Run the tool's body once more, for a `tools/execute` listener that retries.

        The listeners after the one that asks are passed over: they saw the call already.

        Returns:
            What the body returned this time.

        Raises:
            RerunError: The call is not inside `tools/execute`.
        """
        if self._rerun is None:
            raise RerunError(self.name)
        return await self._rerun(self)


def having(call: ToolCall, arguments: JsonObject, rerun: Rerun | None = None) -> ToolCall:
    """Make the same call with other arguments, at a tenth of what `dataclasses.replace` takes.

    Args:
        call: The call.
        arguments: Its new arguments.
        rerun: What `again` does.

    Returns:
        The call that has them.
    """
    return ToolCall(call.name, arguments, call.call_id, call.session, rerun)


@dataclass(frozen=True, slots=True)
class PreDecision:
    """Whether a call may run.

    Attributes:
        action: `allow`, `deny`, or `ask`, which somebody has to answer with one of the others.
        reason: Why, or what to ask.
    """

    action: Literal["allow", "deny", "ask"]
    reason: str = ""

    @classmethod
    def allow(cls) -> PreDecision:
        """Let the call run.

        Returns:
            The decision.
        """
        return cls("allow")

    @classmethod
    def deny(cls, reason: str) -> PreDecision:
        """Refuse the call.

        Args:
            reason: Why, for the model.

        Returns:
            The decision.
        """
        return cls("deny", reason)

    @classmethod
    def ask(cls, question: str) -> PreDecision:
        """Leave it to a listener further out, which may ask a person.

        Args:
            question: What to ask.

        Returns:
            The decision; it denies when nobody answers.
        """
        return cls("ask", question)


def text_block(text: str) -> ContentBlock:
    """Make a block of text.

    Args:
        text: What the model reads.

    Returns:
        The block.
    """
    return {"type": "text", "text": text}


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a call gave.

    Attributes:
        content: The blocks the model sees.
        is_error: Whether the call failed; the content then says why.
        value: The tool's JSON value, None when the call failed.
        meta: For hosts: `code` of a failure (`unknown_tool`, `invalid_arguments`, `denied`,
            `failed`, `invalid_output`, `blocked`, `unmounted`, `cancelled`) and its details.
    """

    content: tuple[ContentBlock, ...]
    is_error: bool = False
    value: JsonValue = None
    meta: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])

    @property
    def text(self) -> str:
        """The text blocks, a line break between them."""
        texts = (block.get("text") for block in self.content if block.get("type") == "text")
        return "\n".join(text for text in texts if isinstance(text, str))

    @classmethod
    def failure(cls, message: str, *, code: str = "failed", **details: JsonValue) -> ToolResult:
        """Make the result of a call that failed.

        Args:
            message: What happened and the way out, for the model.
            code: The kind of failure, for hosts.
            **details: More for hosts, kept in `meta`.

        Returns:
            The result.
        """
        return cls((text_block(message),), is_error=True, meta={"code": code, **details})
