"""What mounting model-written code raises.

::

    ToolsetError
    └── MountError                the mount failed; the message carries its own lines
        ├── MountSyntaxError      the code does not parse, or cannot return a plugin
        ├── MountTimeoutError     a synchronous stretch of mounted code took too long
        │   └── MountRecursionError   it sat at the recursion limit when its time was looked at
        ├── MountEndedError       what a mount still ran long after its end was ended
        ├── MountResultError      what the code returned is no plugin
        ├── WithheldError         a module or builtin that mounted code cannot use was called
        │   └── WithheldImportError   a module that is not given was imported (also a ModuleNotFoundError)
        └── FacadeError           the mount's context does not give that member (also an AttributeError)
"""

# Maintainers: one class a condition. Texts are read by a model that acts on them at once: what
# happened, where, and what to write instead. They know nothing of frames, signals or proxies.

from __future__ import annotations

from collections.abc import Sequence

from toolset.runtime.errors import ToolsetError

__all__ = [
    "FacadeError",
    "MountEndedError",
    "MountError",
    "MountRecursionError",
    "MountResultError",
    "MountSyntaxError",
    "MountTimeoutError",
    "WithheldError",
    "WithheldImportError",
]


class MountError(ToolsetError):
    """Mounted code failed.

    Args:
        message: What happened, with the mount's own lines.
        mount_id: The mount, such as `dyn-1`.
    """

    def __init__(self, message: str, mount_id: str = "") -> None:
        super().__init__(message)
        self.mount_id = mount_id


class MountSyntaxError(MountError):
    """The code of a mount does not parse, or can never return a plugin.

    Args:
        problem: What is wrong, as the parser says it.
        mount_id: The mount.
        line: Number of the offending line, from 1; 0 when no single line is at fault.
        excerpt: The offending line and a caret below it, already indented.
        hint: The likely cause and what to write instead.
    """

    def __init__(
        self, problem: str, mount_id: str, *, line: int = 0, excerpt: str = "", hint: str = ""
    ) -> None:
        where = f"line {line}: " if line else ""
        parts = [f"the code of {mount_id} was not run: {where}{problem}"]
        parts += [part for part in (excerpt, hint) if part]
        super().__init__("\n".join(parts), mount_id)
        self.problem, self.line, self.hint = problem, line, hint


class MountTimeoutError(MountError):
    """A synchronous stretch of mounted code took longer than its bound and was ended.

    Args:
        mount_id: The mount.
        line: The line that was running, from 1.
        place: Where it stands, such as `in apply`.
        seconds: The bound.
        text: The line's text, when known.
    """

    def __init__(
        self, mount_id: str, line: int, place: str, seconds: float, text: str = ""
    ) -> None:
        shown = f"\n    {text}" if text else ""
        super().__init__(
            f"{mount_id} was ended: line {line}, {place}, was still running after "
            f"{seconds * 1000:g} ms without an `await`; do less in one stretch, or await "
            f"between the parts (vm_timeout_ms is the bound){shown}",
            mount_id,
        )
        self.line, self.place, self.seconds, self.text = line, place, seconds, text

    def again(self) -> MountTimeoutError:
        """Make the same error anew, without traceback.

        Returns:
            An equal error.
        """
        return type(self)(self.mount_id, self.line, self.place, self.seconds, self.text)


class MountRecursionError(MountTimeoutError):
    """Mounted code sat at the recursion limit when its time was looked at, and was ended.

    Args:
        mount_id: The mount; `""` where it is raised, so deep that nothing can be looked up.
        lines: The mount's own lines, shown below the message.
    """

    def __init__(self, mount_id: str = "", lines: Sequence[str] = ()) -> None:
        said = (
            f"{mount_id or 'the mounted code'} was ended: it recursed as deep as Python allows, where "
            "its time cannot be told; give the recursion an end, and do not catch RecursionError "
            "inside it"
        )
        MountError.__init__(self, "\n".join([said, *lines]), mount_id)
        self.line, self.place, self.seconds, self.text = 0, "in a recursion", 0.0, ""
        self.lines = tuple(lines)

    def again(self, mount_id: str = "", lines: Sequence[str] = ()) -> MountRecursionError:
        """Make the same error anew, without traceback.

        Args:
            mount_id: The mount, when that is known now.
            lines: Its lines.

        Returns:
            An equal error.
        """
        return type(self)(mount_id or self.mount_id, lines or self.lines)


class MountEndedError(MountError):
    """A coroutine of a mount went on long after its plugin had ended, and was ended.

    Args:
        mount_id: The mount.
        what: The coroutine.
        where: Where it was waiting: its line and text, `""` when that is not known.
    """

    def __init__(self, mount_id: str, what: str, where: str = "") -> None:
        at = f", at {where}," if where else ""
        super().__init__(
            f"{what} of {mount_id} was ended: its plugin is over, but it went on{at} and did not let "
            "itself be cancelled; let asyncio.CancelledError pass, and await nothing endless while "
            "cleaning up",
            mount_id,
        )
        self.what, self.where = what, where


class MountResultError(MountError):
    """What the code of a mount returned is no plugin.

    Args:
        mount_id: The mount.
        received: A description of what came back.
        hint: What to return instead.
        problem: What is wrong with it, when it is nearly one.
    """

    def __init__(self, mount_id: str, received: str, hint: str, problem: str = "") -> None:
        said = f"the plugin that the code of {mount_id} returned is malformed: {problem}"
        if not problem:
            said = f"the code of {mount_id} returned {received}, which is no plugin\n{hint}"
        super().__init__(said, mount_id)
        self.received, self.problem = received, problem


class WithheldError(MountError):
    """Mounted code called something that it is not given.

    Args:
        name: What was called, such as `os.listdir`.
        instead: What to use instead.
    """

    def __init__(self, name: str, instead: str) -> None:
        super().__init__(f"`{name}` is not available to mounted code: {instead}")
        self.withheld, self.instead = name, instead


class WithheldImportError(WithheldError, ModuleNotFoundError):
    """Mounted code imported a module that is neither given nor known."""


class FacadeError(MountError, AttributeError):
    """The context of a mount does not give a member, or does not let it be changed.

    Args:
        message: What happened and the way out.
        member: The member's name.
    """

    def __init__(self, message: str, member: str) -> None:
        super().__init__(message)
        self.member = member
