"""The catalogs of other packages that a project's configuration names."""

# Maintainers: the one place that imports modules which a user names.

from __future__ import annotations

from typing import TYPE_CHECKING

from toolset_gen.config import Config, line_of
from toolset_gen.errors import ConfigurationError

if TYPE_CHECKING:
    from toolset.catalog import Catalog

__all__ = ["load_others"]


def load_others(config: Config) -> Catalog:
    """Load the catalogs that count as known.

    Args:
        config: The project's configuration.

    Returns:
        One catalog of them all.

    Raises:
        ConfigurationError: One of them cannot be loaded.
    """
    from toolset.catalog import load  # noqa: PLC0415 - an unchanged verify loads none

    try:
        return load(config.catalogs)
    except Exception as error:  # noqa: BLE001 - a module that a user names may raise anything
        name = _failing(config.catalogs)
        line = line_of(config.file, "catalogs")
        problem = (
            f" catalogs: {name} cannot be loaded: {type(error).__name__}: {error}; "
            "install its package, or correct its import path (such as 'toolset.api_catalog')"
        )
        raise ConfigurationError(config.file, (f"{line}:{problem}" if line else problem,)) from None


def _failing(catalogs: tuple[str, ...]) -> str:
    """Name the first that cannot be loaded alone, all when only together they cannot."""
    from toolset.catalog import load  # noqa: PLC0415 - see above

    for name in catalogs:
        try:
            load((name,))
        except Exception:  # noqa: BLE001 - see above
            return repr(name)
    return ", ".join(map(repr, catalogs))
