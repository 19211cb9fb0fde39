"""What can be wrong with a tool before it runs.

```text
ToolsetError
├── NotJsonError         a value does not survive a round trip through JSON
├── ToolDefinitionError  a declaration is malformed; lists every violation
├── ToolArgumentsError   arguments that fit the schema are refused by a type's own validators
├── DuplicateToolError   the name, or a twin of it, is taken
├── ReservedToolError    the name belongs to the toolset
├── ToolLookupError      no tool has that name
├── ToolGoneError        the tool was unregistered while its call ran
└── ToolExitError        a tool's body raised what would have ended the host
```
"""

# Maintainers: answers for the wording of refusals. Each class builds its sentence from the objects
# and keeps them. A failing call is no exception but a `ToolResult`: see `records`.

from __future__ import annotations

from collections.abc import Sequence

from toolset.runtime.errors import ToolsetError, bracketed
from toolset.services.tools.paths import Path, Violation, listed
from toolset.services.tools.wire import brief, message_of, some

__all__ = [
    "DuplicateToolError",
    "NotJsonError",
    "ReservedToolError",
    "ToolArgumentsError",
    "ToolDefinitionError",
    "ToolExitError",
    "ToolGoneError",
    "ToolLookupError",
]


class NotJsonError(ToolsetError):
    """A value does not survive a round trip through JSON.

    Attributes:
        path: Where in the value.
        problem: What is wrong there.
        remedy: What would be accepted.
    """

    def __init__(self, path: Path | str, problem: str, remedy: str) -> None:
        self.path = str(path)
        self.problem = problem
        self.remedy = remedy
        super().__init__(f"{self.path} {problem} ({remedy})")

    @property
    def violation(self) -> Violation:
        """The same finding as one line of a report."""
        return Violation(self.path, self.problem, self.remedy)


class ToolDefinitionError(ToolsetError):
    """A tool is declared in a way that no model API or caller could use.

    Attributes:
        tool: The name given to the tool.
        violations: Everything that is wrong, in the order of the declaration.
    """

    def __init__(self, tool: str, violations: Sequence[Violation]) -> None:
        self.tool = tool
        self.violations = tuple(violations)
        super().__init__(f"tool {brief(tool)} was not defined:\n{listed(self.violations)}")


class DuplicateToolError(ToolsetError):
    """A name, or one that differs in case and dashes only, is registered already.

    Attributes:
        name: The name that was refused.
        taken: The registered name it collides with.
        owner: The plugin that registered it.
        refused: The plugin that was refused.
    """

    def __init__(self, name: str, taken: str, owner: str, refused: str) -> None:
        self.name = name
        self.taken = taken
        self.owner = owner
        self.refused = refused
        twin = "" if name == taken else f" as {taken!r}, which models confuse with it,"
        super().__init__(
            f"tool {name!r} is already registered{twin} by {bracketed(owner)}; {bracketed(refused)} cannot register "
            f"it too: choose another name, or to replace it unmount {bracketed(owner)} (or dispose the "
            f"effect that its `tools.register` returned) first"
        )


class ReservedToolError(ToolsetError):
    """A plugin asks for a name that belongs to the toolset.

    Attributes:
        name: The name that was refused.
        refused: The plugin that was refused.
        reserved: All names that are reserved.
    """

    def __init__(self, name: str, refused: str, reserved: Sequence[str]) -> None:
        self.name = name
        self.refused = refused
        self.reserved = tuple(reserved)
        super().__init__(
            f"tool name {name!r} is reserved for the toolset; {bracketed(refused)} cannot register it: "
            f"choose a name other than {', '.join(self.reserved)}"
        )


class ToolArgumentsError(ToolsetError):
    """Arguments that fit the schema are refused by a type's own validators.

    Attributes:
        violations: What they refuse.
    """

    def __init__(self, violations: Sequence[Violation]) -> None:
        self.violations = tuple(violations)
        super().__init__(f"arguments do not fit:\n{listed(self.violations)}")


class ToolGoneError(ToolsetError):
    """A tool was unregistered, or its plugin unmounted, while a call of it ran.

    Attributes:
        name: The tool.
        owner: The plugin that had registered it.
    """

    def __init__(self, name: str, owner: str) -> None:
        self.name = name
        self.owner = owner
        super().__init__(
            f"tool {name!r} is gone: plugin {bracketed(owner)} was unmounted, or took the tool back, before "
            "the call ended; look at the tools there are now"
        )


class ToolExitError(ToolsetError):
    """A tool's body raised what would have ended the host: it was contained.

    Attributes:
        name: The tool.
        error: What the body raised.
    """

    def __init__(self, name: str, error: BaseException) -> None:
        self.name = name
        self.error = error
        said = message_of(error)
        super().__init__(
            f"the body of tool {name!r} raised {type(error).__name__}{': ' * bool(said)}{said}, which "
            "only ends this call; raise an ordinary exception to report a failure"
        )
        for note in getattr(error, "__notes__", ()):
            self.add_note(str(note))


class ToolLookupError(ToolsetError):
    """No tool has the name that was asked for.

    Attributes:
        name: The name that was asked for.
        nearest: Names that resemble it, the nearest first.
        known: All names that could be asked for.
    """

    def __init__(self, name: str, nearest: Sequence[str], known: Sequence[str]) -> None:
        self.name = name
        self.nearest = tuple(nearest)
        self.known = tuple(known)
        meant = "did you mean " + " or ".join(repr(near) for near in self.nearest) + "? "
        there_are = f"there are: {some(self.known)}" if self.known else "there are none at all"
        hint = meant * bool(self.nearest) + there_are
        super().__init__(f"there is no tool {brief(name)}; {hint}")
