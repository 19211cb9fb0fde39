"""What can be wrong with a composition, and with one entry of it.

```text
ToolsetError
├── CompositionError                  nothing of a file is used
│   ├── UnreadableCompositionError    it cannot be read (also an OSError)
│   ├── InvalidCompositionError       it is no composition (also a ValueError)
│   └── CompositionCycleError         an entry of it loads the file itself
├── PluginLookupError                 an entry's `name` leads to no plugin (also a LookupError)
└── MissingVariableError              an entry needs variables that are not set (also a LookupError)
```
"""

# Maintainers: the wording. A CompositionError ends a load, the last two an entry: whether a file is
# valid must not depend on the machine, what an entry makes of it does.

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from toolset.runtime.errors import ToolsetError

__all__ = [
    "CompositionCycleError",
    "CompositionError",
    "InvalidCompositionError",
    "MissingVariableError",
    "PluginLookupError",
    "Problem",
    "UnreadableCompositionError",
]

_SHOWN: Final = 100  # lines of a message; all problems are kept


class Problem(NamedTuple):
    """One mistake in a composition.

    Attributes:
        line: Where it is, counted from 1.
        column: The character in that line, counted from 1.
        message: What is wrong, and the way out.
    """

    line: int
    column: int
    message: str


class CompositionError(ToolsetError):
    """A composition cannot be used; nothing was mounted or changed for it.

    Attributes:
        path: The file, as it was named.
    """

    path: str


class UnreadableCompositionError(CompositionError, OSError):
    """The file of a composition cannot be read.

    Attributes:
        path: The file, as it was named.
    """

    def __init__(self, path: str, why: str) -> None:
        self.path = path
        super().__init__(f"composition {path!r} cannot be read: {why}")


class InvalidCompositionError(CompositionError, ValueError):
    """A file is no composition; its message has a line for each mistake.

    Attributes:
        path: The file, as it was named.
        problems: Every mistake, in the order of the file.
    """

    def __init__(self, path: str, problems: Sequence[Problem]) -> None:
        self.path = path
        self.problems = tuple(sorted(set(problems)))
        count = len(self.problems)
        lines = [f"\n  {path}:{one.line}:{one.column}: {one.message}" for one in self.problems]
        more = f"\n  ... and {count - _SHOWN} more" if count > _SHOWN else ""
        super().__init__(
            f"composition {path!r} is refused, it has {count} "
            f"mistake{'s' if count > 1 else ''}:{''.join(lines[:_SHOWN])}{more}"
        )


class CompositionCycleError(CompositionError):
    """A loader was mounted inside one that follows the same file, and would be so without end.

    Attributes:
        path: The file, as it was named.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        super().__init__(
            f"composition {path!r} is loaded inside itself; remove the entry that mounts a loader for "
            "it, or name another file there"
        )


class PluginLookupError(ToolsetError, LookupError):
    """The `name` of an entry leads to no plugin.

    Attributes:
        name: The name as it stands in the file.
    """

    def __init__(self, name: str, why: str) -> None:
        self.name = name
        super().__init__(f"no plugin {name!r}: {why}")


class MissingVariableError(ToolsetError, LookupError):
    """The configuration of an entry needs environment variables that are not set.

    Attributes:
        names: The variables, sorted.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(sorted(set(names)))
        which = ", ".join(self.names)
        several = len(self.names) > 1
        super().__init__(
            f"environment variable{'s' if several else ''} {which} {'are' if several else 'is'} not "
            f"set; set {'them' if several else 'it'}, or write "
            f"${{env:{self.names[0]}:-default}}"
        )
