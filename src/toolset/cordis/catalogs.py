"""Find and merge the generated catalogs that a toolset serves."""

# Maintainers: the configured ones must load, or the toolset does not start; the ones that installed
# packages announce may be broken without taking the toolset down, which then says so in the log.

from __future__ import annotations

import logging
from collections.abc import Iterable
from importlib.metadata import entry_points
from typing import Final

from toolset.catalog import Catalog, load, merge

__all__ = ["ENTRY_POINTS", "find_catalogs"]

ENTRY_POINTS: Final = "toolset.catalogs"
_OWN: Final = "toolset.api_catalog"


def find_catalogs(configured: Iterable[str], logger: logging.Logger) -> Catalog:
    """Load the configured catalogs and the announced ones.

    Args:
        configured: Import paths, in order of precedence.
        logger: Told of announced catalogs that cannot be loaded.

    Returns:
        One catalog; of two entries with one name the first stands, configured ones before others.

    Raises:
        ImportError: A configured catalog cannot be imported.
        ValueError: A configured module is no catalog, or one of another schema version.
    """
    first = list(configured)
    parts = [load(first)]
    announced = sorted(point.value for point in entry_points(group=ENTRY_POINTS))
    for module in dict.fromkeys([_OWN, *announced]):
        if module in first:
            continue
        try:
            parts.append(load([module]))
        except (ImportError, ValueError) as error:
            logger.warning(
                "catalog %r is not served: %s; its services are described by their live objects",
                module,
                error,
            )
    return merge(parts)
