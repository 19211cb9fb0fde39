"""The toolset's configuration."""

# Maintainers: the model alone, apart from the rest so that the generator and a loader can read it
# without importing what it configures.

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["Config"]


class Config(BaseModel):
    """How long mounted code may take, and which catalogs are served."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    vm_timeout_ms: int = Field(
        default=5000,
        ge=1,
        description="Milliseconds that mounted code may run in one stretch without an `await`, while "
        "it is evaluated, started, and later in its listeners and tools.",
    )
    mount_timeout_ms: int = Field(
        default=30_000,
        ge=1,
        description="Milliseconds that a whole mount may take, its awaiting included; an unmount too.",
    )
    catalogs: tuple[str, ...] = Field(
        default=(),
        description="Import paths of generated catalog modules to serve. Those that installed "
        "packages announce as entry points of the group `toolset.catalogs` are found by themselves.",
    )
