"""A mounted tool as the host calls it: its checks are bounded like its body, its body ends in time."""

# Maintainers: what a mount declares about its tools is judged by the host: regular expressions that
# backtrack without end, schemas that refer to each other a million times. What does not surely fit
# is judged below a frame that bears the mount's name, so that the guard ends it like code of the
# mount (test_endless_pattern_is_ended); it is told of as a refusal, not as an error of the host.

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Final, TypeVar

from toolset.cordis.deadline import HOST_GRACE
from toolset.cordis.ending import Life
from toolset.cordis.errors import MountTimeoutError
from toolset.cordis.membrane import Membrane
from toolset.services.tools.definition import ToolDefinition
from toolset.services.tools.jsontypes import JsonObject, JsonValue
from toolset.services.tools.paths import Violation
from toolset.services.tools.records import ToolCall
from toolset.services.tools.validation import Checker

__all__ = ["lent"]

T = TypeVar("T")


def _call(function: Callable[..., T], *args: object) -> T:
    return function(*args)


_CODE: Final = _call.__code__


class BoundedChecker(Checker):
    """Judge values against a schema of a mount's, within the mount's time.

    Args:
        schema: The schema.
        life: The mount's.
    """

    __slots__ = ("_life",)

    def __init__(self, schema: JsonObject, life: Life) -> None:
        super().__init__(schema)
        self._life = life

    def _closely(self, value: JsonValue, where: str) -> list[Violation]:
        """Find what is wrong with a value that does not surely fit.

        Args:
            value: The value.
            where: The name of the value in messages.

        Returns:
            The violations; one that says so when the time was up.
        """
        terms = self._life.terms
        # No line of the mount's: the code stands in its file, for the guard, and nowhere in its text.
        code = _CODE.replace(co_filename=terms.filename, co_qualname="a check", co_linetable=b"")
        bounded = FunctionType(code, {})
        try:
            found: list[Violation] = bounded(super()._closely, value, where)
        except MountTimeoutError as error:
            terms.guard.strike(terms.filename)  # it is told here
            problem = (
                f"could not be checked within {error.seconds * 1000:g} ms, nor in the "
                f"{HOST_GRACE:g} s more that the host's checks get"
            )
            remedy = (
                "the tool's schema takes too long for this value: write a `pattern` that does not "
                "backtrack, and fewer alternatives"
            )
            return [Violation(where, problem, remedy)]
        return found


class LentTool(ToolDefinition):
    """A tool that a mount has registered."""

    _membrane: Membrane

    async def run(self, arguments: JsonObject, call: ToolCall) -> object:
        """Run the body once; it ends when its mount is over.

        Args:
            arguments: Arguments that fit.
            call: The call.

        Returns:
            What the body returned, unchecked.
        """
        membrane = self._membrane
        try:
            return await membrane.driven(super().run(arguments, call), f"tool {self.name!r}")
        except BaseException as error:
            membrane.annotate(error)
            raise


def lent(definition: ToolDefinition, membrane: Membrane) -> ToolDefinition:
    """Give the host a tool of a mount's.

    Args:
        definition: The tool.
        membrane: The border of the mount.

    Returns:
        The same, bounded.
    """
    life = membrane.life
    if life is None:
        return definition
    made = object.__new__(LentTool)
    vars(made).update(
        vars(definition),
        render=membrane.outward(definition.render),  # it may await something too
        _membrane=membrane,
        _arguments=BoundedChecker(definition.parameters, life),
        _value=BoundedChecker(definition.output, life),
    )
    return made
