"""The names of the runtime that extraction looks for."""

# Maintainers: the only place that knows what the runtime calls things. A path is compared after it has
# been followed as far as the sources go; where the runtime itself is not read, its public paths stand.

from __future__ import annotations

from toolset.catalog import EventMode
from toolset_gen.extract.library import Library

__all__ = [
    "CONTEXT",
    "CONVENTION",
    "EVENT",
    "MODES",
    "SERVICE",
    "is_context",
    "is_service",
]

SERVICE = frozenset(
    {"toolset.Service", "toolset.runtime.Service", "toolset.runtime.service.Service"}
)
EVENT = frozenset({"toolset.event", "toolset.runtime.event", "toolset.runtime.events.event"})
CONTEXT = frozenset(
    {"toolset.Context", "toolset.runtime.Context", "toolset.runtime.context.Context"}
)
MODES: tuple[EventMode, ...] = ("emit", "parallel", "serial", "bail", "waterfall")
CONVENTION = ""
"""The receiver of a site that only its name `ctx` marks."""


def is_service(path: str, library: Library) -> bool:
    """Say whether a class is a service class.

    Args:
        path: Its canonical path.
        library: What resolves its bases.

    Returns:
        Whether it derives from the runtime's `Service`; false for that class itself.
    """
    line = library.mro(path)
    return line[0] not in SERVICE and not SERVICE.isdisjoint(line)


def is_context(path: str, library: Library) -> bool:
    """Say whether a type is a context.

    Args:
        path: Its path, `""` for what is only named `ctx`.
        library: What resolves it.

    Returns:
        Whether it is the runtime's `Context`, a class derived from it, or a generated typed context.
    """
    if path == CONVENTION:
        return True
    canonical = library.canonical(path)
    if canonical in CONTEXT or not CONTEXT.isdisjoint(library.mro(canonical)):
        return True
    module, _, name = canonical.rpartition(".")
    return name == "Context" and module.rpartition(".")[2] == "typed_context"
