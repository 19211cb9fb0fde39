"""What asking for a report can raise.

::

    ToolsetError
    └── InspectError              the question cannot be answered; the text says what to ask instead
        ├── UnknownNameError      nothing has that name; the nearest ones are listed
        └── NotRunningError       the service is catalogued but nothing provides it now
"""

# Maintainers: texts are read by a model that asks again at once, so each ends with what to ask.

from __future__ import annotations

from collections.abc import Iterable

from toolset.catalog import nearest
from toolset.runtime import ToolsetError
from toolset.services.tools.wire import brief, some

__all__ = ["InspectError", "NotRunningError", "UnknownNameError"]


class InspectError(ToolsetError):
    """A report was asked for that does not exist."""


class UnknownNameError(InspectError):
    """Nothing in that section has the name.

    Args:
        what: The kind of thing: `service`, `event`, `section`.
        name: The name that was asked for.
        known: The names there are.
    """

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        close = nearest(name, names)
        if close:
            hint = f"did you mean {' or '.join(repr(c) for c in close)}?"
        else:
            hint = f"known: {some(names)}"
        super().__init__(f"no {what} is called {brief(name)}; {hint}")
        self.name, self.nearest = name, close


class NotRunningError(InspectError):
    """A catalogued service has no live provider.

    Args:
        key: The service's key.
        plugin: Display name of the plugin that provides it, `""` when the catalog does not say.
        path: Import path of the service's class.
    """

    def __init__(self, key: str, plugin: str, path: str) -> None:
        by = f"plugin {plugin!r}" if plugin else f"the plugin of {path}"
        super().__init__(
            f"service {key!r} is catalogued but not running (loadable): {by} provides it and is not "
            "mounted; a plugin that injects it stays pending until it is"
        )
        self.key, self.plugin, self.path = key, plugin, path
