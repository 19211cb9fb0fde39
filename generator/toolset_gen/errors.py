"""Everything `toolset_gen` raises on purpose.

```
GeneratorError
├── UsageError              exit 2: the command or its configuration is wrong
│   ├── ConfigurationError  what pyproject.toml says cannot be used
│   └── ForeignFileError    an artifact's place holds a file that was not generated
├── ArtifactError           exit 3: an artifact could not be read or written
├── BootError               exit 3: there is no process to boot plugins in
└── ReportError             exit 3: the report could not be printed
```
"""

# Maintainers: one class a condition; the class builds its message from the objects it keeps. The
# command line prints the message as it stands and exits with `exit_code`, so nothing here may need
# a traceback to be understood. Faults of the scanned sources are diagnostics, not exceptions.

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

__all__ = [
    "ArtifactError",
    "BootError",
    "ConfigurationError",
    "ForeignFileError",
    "GeneratorError",
    "ReportError",
    "UsageError",
]


class GeneratorError(Exception):
    """Something that stops the generator, said in full by its message.

    Attributes:
        exit_code: What the command exits with.
    """

    exit_code: ClassVar[int] = 3


class UsageError(GeneratorError):
    """The command was called in a way it cannot serve."""

    exit_code: ClassVar[int] = 2


class ConfigurationError(UsageError):
    """The configuration cannot be used; every problem is listed.

    Args:
        path: The file it stands in.
        problems: One sentence a problem, each beginning with its line when it has one.
    """

    def __init__(self, path: Path, problems: tuple[str, ...]) -> None:
        self.path = path
        self.problems = problems
        super().__init__("\n".join(f"{path}:{problem}" for problem in problems))


class ForeignFileError(UsageError):
    """Files that somebody wrote stand where artifacts would be written.

    Args:
        paths: The files, relative to the project's root.
    """

    def __init__(self, paths: tuple[str, ...]) -> None:
        self.paths = paths
        listed = "".join(f"\n  {path}" for path in paths)
        super().__init__(
            f"these files were not generated, and generating would replace them:{listed}\n"
            "Nothing was written: delete the files if they are not needed, move them away, "
            "or name other places in [tool.toolset.catalog]."
        )


class ArtifactError(GeneratorError):
    """An artifact could not be read, written or removed.

    Args:
        path: The artifact.
        verb: What was tried, such as `write`.
        cause: What the system said.
    """

    def __init__(self, path: Path, verb: str, cause: OSError) -> None:
        self.path = path
        self.verb = verb
        self.cause = cause
        super().__init__(
            f"cannot {verb} {str(path)!r}: {cause.strerror or cause}; "
            "every artifact was left whole, old or new: repair the path and run the command again"
        )


class BootError(GeneratorError):
    """The process that tool plugins are booted in could not be started.

    Args:
        cause: What the system said.
    """

    def __init__(self, cause: OSError) -> None:
        self.cause = cause
        super().__init__(
            f"the process that tool plugins are booted in cannot be started: {cause}; "
            "free what the system lacks, or set `boot = false`, which leaves tools out of the catalog"
        )


class ReportError(GeneratorError):
    """What a command has to say could not be printed.

    Args:
        cause: What the system said.
    """

    def __init__(self, cause: OSError) -> None:
        self.cause = cause
        super().__init__(
            f"the report cannot be written to standard output: {cause.strerror or cause}; "
            "make room there, or lead it elsewhere, and run the command again"
        )
