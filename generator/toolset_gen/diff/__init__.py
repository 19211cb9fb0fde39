"""What changed in a project's public surface since a git revision, and whether that breaks callers."""

# Layers, downwards only: report > entries > fields > signatures > changes; revision. `compare` is a
# pure function of two catalogs; revision alone knows git.

from __future__ import annotations

from toolset_gen.diff.changes import Change
from toolset_gen.diff.entries import compare
from toolset_gen.diff.report import say_changes
from toolset_gen.diff.revision import current_catalog, read_catalog

__all__ = [
    "Change",
    "compare",
    "current_catalog",
    "read_catalog",
    "say_changes",
]
