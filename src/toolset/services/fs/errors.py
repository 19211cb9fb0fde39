"""What can be wrong with a use of the file system.

```text
ToolsetError
├── RootError          the configured root is no folder (also an OSError)
├── PathRefusedError   a path leaves the workspace, or cannot be one (also a ValueError)
├── NotTextError       a file does not decode, or a text does not encode (also a ValueError)
├── FileTooLargeError  a file is larger than the configuration allows to read (also an OSError)
├── EditError          the text to replace is not there as often as expected (also a ValueError)
└── PatternError       a pattern is malformed (also a ValueError)
```

The operating system's own errors (`FileNotFoundError`, `IsADirectoryError`, …) are raised as what
they are, naming the path as it was given.
"""

# Maintainers: answers for the wording. A message names the path as the caller wrote it, never the
# place of the workspace on the machine; the root's own error is for who configured it.

from __future__ import annotations

from collections.abc import Sequence

from toolset.runtime.errors import ToolsetError

__all__ = [
    "EditError",
    "FileTooLargeError",
    "NotTextError",
    "PathRefusedError",
    "PatternError",
    "RootError",
]


class RootError(ToolsetError, OSError):
    """The workspace root that was configured is no folder that exists.

    Attributes:
        root: The root as configured.
    """

    def __init__(self, root: str, problem: str) -> None:
        self.root = root
        super().__init__(
            f"the workspace root {root!r} is {problem}; create the folder first, or correct `root` "
            "in the configuration of `fs`"
        )


class PathRefusedError(ToolsetError, ValueError):
    """A path leaves the workspace, or cannot be a path.

    Attributes:
        path: The path as given.
    """

    def __init__(self, path: object, problem: str) -> None:
        self.path = path
        super().__init__(
            f"path {path!r} is refused: {problem}; write it relative to the workspace root, "
            "such as 'notes/today.md'"
        )


class NotTextError(ToolsetError, ValueError):
    """A file is not text in the encoding, or a text cannot be written in it.

    Attributes:
        path: The file.
        encoding: The encoding that was tried.
    """

    def __init__(self, path: str, encoding: str, problem: str, way_out: str) -> None:
        self.path = path
        self.encoding = encoding
        super().__init__(f"file {path!r}: {problem} in {encoding}; {way_out}")


class FileTooLargeError(ToolsetError, OSError):
    """A file is larger than the configuration allows to read.

    Attributes:
        path: The file.
        size: Its size in bytes.
        limit: The limit in bytes.
    """

    def __init__(self, path: str, size: int, limit: int) -> None:
        self.path = path
        self.size = size
        self.limit = limit
        super().__init__(
            f"file {path!r} has {size:,} bytes, more than the {limit:,} that `max_read_bytes` "
            "allows to read at once; search it with grep, or raise that setting"
        )


class EditError(ToolsetError, ValueError):
    """The text to replace is not in the file as often as expected.

    Attributes:
        path: The file, which was left as it was.
        found: How often the text is there.
        expected: How often it should be.
    """

    def __init__(self, path: str, found: int, expected: int, lines: Sequence[int]) -> None:
        self.path = path
        self.found = found
        self.expected = expected
        if found:
            shown = ", ".join(str(line) for line in lines)
            way_out = (
                f"it begins on line {shown}; give more of the text around the place that is "
                f"meant, or count={found} to replace all of them"
            )
        else:
            way_out = "read it again: the text must match exactly, blanks included"
        super().__init__(
            f"file {path!r} was not changed: the text to replace is in it {_times(found)}, not "
            f"{_times(expected)}; {way_out}"
        )


class PatternError(ToolsetError, ValueError):
    """A pattern is malformed.

    Attributes:
        pattern: The pattern as given.
    """

    def __init__(self, pattern: object, problem: str, way_out: str) -> None:
        self.pattern = pattern
        super().__init__(f"pattern {pattern!r} {problem}; {way_out}")


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
