"""The workspace root, and which paths lie below it."""

# Maintainers: answers for "no path leaves the root": absolute paths, `..`, symbolic links out of it,
# NUL bytes. Invariant: `inside` gives a path without symbolic links, so what is opened is what was
# judged, as long as nobody swaps folders for links meanwhile; this is no security boundary.

from __future__ import annotations

import os
from pathlib import Path, PurePath

from toolset.services.fs.errors import PathRefusedError, RootError

__all__ = ["Root"]


class Root:
    """One workspace root.

    Args:
        folder: The folder.

    Raises:
        RootError: It is no folder that exists.
    """

    __slots__ = ("folder",)

    def __init__(self, folder: str) -> None:
        self.folder = Path(os.path.realpath(folder))
        if not self.folder.is_dir():
            raise RootError(folder, "no folder" if self.folder.exists() else "not there")

    def inside(self, path: object) -> Path:
        """Find the real place of a path below the root.

        Args:
            path: A path relative to the root.

        Returns:
            The place, symbolic links followed.

        Raises:
            PathRefusedError: It is not below the root, or cannot be a path.
        """
        given = _checked(path)
        real = Path(os.path.realpath(self.folder / given))
        if real != self.folder and not real.is_relative_to(self.folder):
            raise PathRefusedError(path, "a symbolic link leads it out of the workspace")
        return real

    def relative(self, place: Path) -> str:
        """Name a place below the root as callers write it.

        Args:
            place: A path below the root.

        Returns:
            The path relative to the root, with forward slashes; `.` for the root.
        """
        return place.relative_to(self.folder).as_posix()


def _checked(path: object) -> str:
    if not isinstance(path, (str, PurePath)):
        raise PathRefusedError(path, f"it is {type(path).__name__}, not text")
    given = str(path)
    if not given:
        raise PathRefusedError(path, "it is empty ('.' is the root itself)")
    if "\0" in given:
        raise PathRefusedError(path, "it has a NUL byte")
    try:
        os.fsencode(given)
    except UnicodeEncodeError:
        raise PathRefusedError(path, "it has characters that no file name can have") from None
    pure = PurePath(given)
    if pure.is_absolute() or pure.drive or given.startswith("~"):
        raise PathRefusedError(path, "it is absolute")
    if ".." in pure.parts:
        raise PathRefusedError(path, "`..` could leave the workspace")
    return given
