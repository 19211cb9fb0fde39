"""Files below a workspace root, as the service `fs`."""

# Layers, downwards only: service > search, text, root > atomic, errors.

from toolset.services.fs.errors import (
    EditError,
    FileTooLargeError,
    NotTextError,
    PathRefusedError,
    PatternError,
    RootError,
)
from toolset.services.fs.search import GrepMatch, GrepResult
from toolset.services.fs.service import FileEntry, FileSystem

__all__ = [
    "EditError",
    "FileEntry",
    "FileSystem",
    "FileTooLargeError",
    "GrepMatch",
    "GrepResult",
    "NotTextError",
    "PathRefusedError",
    "PatternError",
    "RootError",
]
