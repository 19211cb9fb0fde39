"""What the disk already says against a place that the configuration names."""

# Maintainers: looks and never opens. `os.path` rather than `Path`: its answers are no where `Path`
# raises, such as below a folder that must not be entered; whoever opens the place says that better.

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

__all__ = ["against", "holds_file"]


def against(root: Path, path: PurePosixPath, *, is_file: bool) -> str:
    """Say what stands in the way of an artifact.

    Args:
        root: The project's root.
        path: Where it goes, relative to the root.
        is_file: Whether it is a file, or a folder of files.

    Returns:
        What is needed and what is there, `""` when nothing is in the way.
    """
    if is_file:
        blocked = os.path.isdir(root / path)  # noqa: PTH112 - see the head of the module
        return f"needs a file where {str(path)!r} is a folder" if blocked else ""
    for one in (path, *path.parents):
        if os.path.isfile(root / one):  # noqa: PTH113 - see the head of the module
            return f"needs a folder where {str(one)!r} is a file"
    return ""


def holds_file(root: Path, path: PurePosixPath) -> bool:
    """Tell whether a pattern without a wildcard names a document.

    Args:
        root: The project's root.
        path: The pattern.

    Returns:
        Whether something that may be a file is there, and no part of its path is left out.
    """
    hidden = any(part.startswith(".") or part == "node_modules" for part in path.parts)
    is_folder = os.path.isdir(root / path)  # noqa: PTH112 - see the head of the module
    return not hidden and os.path.lexists(root / path) and not is_folder
