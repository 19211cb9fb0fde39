"""The states of a fiber."""

# Maintainers: names alone.

from __future__ import annotations

from enum import StrEnum

__all__ = ["FiberState"]


class FiberState(StrEnum):
    """Where a fiber is in its life.

    `pending` waits to be run, `failed` was run and raised; `unloading` undoes its effects,
    `disposed` is over for good.
    """

    PENDING = "pending"
    LOADING = "loading"
    ACTIVE = "active"
    FAILED = "failed"
    UNLOADING = "unloading"
    DISPOSED = "disposed"


PENDING, LOADING, ACTIVE = FiberState.PENDING, FiberState.LOADING, FiberState.ACTIVE
FAILED, UNLOADING, DISPOSED = FiberState.FAILED, FiberState.UNLOADING, FiberState.DISPOSED
