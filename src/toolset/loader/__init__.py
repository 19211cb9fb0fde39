"""Compose a host of plugins from a file: the service `loader`.

Mount it with the path of the file: `await ctx.plugin(Loader, {"path": "cordis.yml"})`.
"""

# Layers, downwards only: command > service > parse, tree > fields, node > document, lookup, nodes,
# variables > entries, errors.
# Nothing here runs code that a file holds: a composition names plugins and gives them data.

from toolset.loader.entries import EntryStatus, Reloaded
from toolset.loader.errors import (
    CompositionCycleError,
    CompositionError,
    InvalidCompositionError,
    MissingVariableError,
    PluginLookupError,
    Problem,
    UnreadableCompositionError,
)
from toolset.loader.service import Loader

__all__ = [
    "CompositionCycleError",
    "CompositionError",
    "EntryStatus",
    "InvalidCompositionError",
    "Loader",
    "MissingVariableError",
    "PluginLookupError",
    "Problem",
    "Reloaded",
    "UnreadableCompositionError",
]
