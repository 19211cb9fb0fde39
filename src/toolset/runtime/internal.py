"""Events the runtime itself dispatches; any plugin may listen."""

# Maintainers: declarations alone. They are dispatched by fiber.py and registry.py.

from __future__ import annotations

from typing import TYPE_CHECKING

from toolset.runtime.events import event

if TYPE_CHECKING:
    from toolset.runtime.fiber import Fiber
    from toolset.runtime.states import FiberState

__all__ = ["error", "plugin", "service", "status", "update"]


@event("internal/plugin", mode="emit")
def plugin(fiber: Fiber) -> None:
    """Tell that a plugin was mounted, or that a mounted one is disposed.

    Args:
        fiber: The instance; its `state` is `pending` when mounted and `disposed` when over.
    """


@event("internal/status", mode="emit")
def status(fiber: Fiber, old: FiberState) -> None:
    """Tell that a fiber changed its state.

    Args:
        fiber: The fiber, in its new state.
        old: The state it was in.
    """


@event("internal/service", mode="emit")
def service(key: str) -> None:
    """Tell that a service became available, was replaced, or was withdrawn.

    Args:
        key: The service's key.
    """


@event("internal/update", mode="emit")
def update(fiber: Fiber) -> None:
    """Tell that a fiber was given a new configuration, before it restarts with it.

    Args:
        fiber: The fiber; its `config` is the new one.
    """


@event("internal/error", mode="emit")
def error(fiber: Fiber, failure: Exception) -> None:
    """Tell that something a fiber owns failed where no caller could be told.

    Args:
        fiber: The fiber that owns what failed.
        failure: What it raised.
    """
