"""A mounted tool as the host calls it: its checks are bounded like its body, its body ends in time."""

# Maintainers: what a mount declares about its tools is judged by the host: regular expressions that
# backtrack without end, schemas that refer to each other a million times. The checks run below a
# frame that bears the mount's name, so that the guard ends them like code of the mount
# (test_endless_pattern_is_ended); they are told of as refusals, not as errors of the host.

from __future__ import annotations

from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Final, TypeVar, cast

from toolset.cordis.errors import MountTimeoutError
from toolset.cordis.membrane import Membrane
from toolset.services.tools.definition import ToolDefinition
from toolset.services.tools.jsontypes import FrozenObject, JsonObject, JsonValue
from toolset.services.tools.paths import Violation
from toolset.services.tools.records import ToolCall

__all__ = ["lent"]

T = TypeVar("T")


def _call(function: Callable[..., T], *args: object) -> T:
    return function(*args)


_CODE: Final = _call.__code__


class LentTool(ToolDefinition):
    """A tool that a mount has registered."""

    _bounded: Callable[..., object]
    _membrane: Membrane

    def check_arguments(self, arguments: JsonValue) -> list[Violation]:
        """Find what is wrong with the arguments of a call, within the mount's time.

        Args:
            arguments: JSON data.

        Returns:
            Every violation; one that says so when its time was up.
        """
        return self._judged(super().check_arguments, arguments, "arguments")

    def check_output(self, value: JsonValue) -> list[Violation]:
        """Find what is wrong with a value that the body returned, within the mount's time.

        Args:
            value: JSON data.

        Returns:
            Every violation; one that says so when its time was up.
        """
        return self._judged(super().check_output, value, "output")

    def read_arguments(self, arguments: FrozenObject) -> tuple[FrozenObject, list[Violation]]:
        """Find what is wrong with arguments as a model wrote them, within the mount's time.

        Args:
            arguments: They, frozen.

        Returns:
            The arguments, texts in them decoded where need be, and every violation.
        """
        read = cast("Callable[..., tuple[FrozenObject, list[Violation]]]", self._bounded)
        try:
            return read(super().read_arguments, arguments)
        except MountTimeoutError as error:
            return arguments, [self._late(error, "arguments")]

    def _judged(
        self, check: Callable[[JsonValue], list[Violation]], value: JsonValue, where: str
    ) -> list[Violation]:
        judge = cast("Callable[..., list[Violation]]", self._bounded)
        try:
            return judge(check, value)
        except MountTimeoutError as error:
            return [self._late(error, where)]

    def _late(self, error: MountTimeoutError, where: str) -> Violation:
        life = self._membrane.life
        if life is not None:
            life.pardon()  # it is told here
        return Violation(
            where,
            f"could not be checked within {error.seconds * 1000:g} ms",
            "the tool's schema takes too long for this value: make its `pattern` one that does not "
            "backtrack, and its alternatives fewer",
        )

    async def run(self, arguments: JsonObject, call: ToolCall) -> object:
        """Run the body once; it ends when its mount is over.

        Args:
            arguments: Arguments that fit.
            call: The call.

        Returns:
            What the body returned, unchecked.
        """
        return await self._membrane.driven(super().run(arguments, call), f"tool {self.name!r}")


def lent(definition: ToolDefinition, membrane: Membrane) -> ToolDefinition:
    """Give the host a tool of a mount's.

    Args:
        definition: The tool.
        membrane: The border of the mount.

    Returns:
        The same, bounded.
    """
    if membrane.life is None:
        return definition
    made = object.__new__(LentTool)
    code = _named(membrane.life.terms.filename, definition.name)
    vars(made).update(
        vars(definition),
        render=membrane.outward(definition.render),  # it may await something too
        _membrane=membrane,
        _bounded=FunctionType(code, {}, "checks"),
    )
    return made


def _named(filename: str, tool: str) -> CodeType:
    """Make code that stands for a mount on the stack, at no line of it."""
    name = f"the checks of tool {tool!r}"
    return _CODE.replace(co_filename=filename, co_name=name, co_qualname=name, co_linetable=b"")
