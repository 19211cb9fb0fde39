"""Files replaced whole: readers see the old content or the new, never a part."""

# Maintainers: answers for one write. Invariant: at any kill the target is whole; a failure leaves
# no temporary file behind. It knows no workspace.

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from pathlib import Path

__all__ = ["read_file", "replace_file"]


def read_file(place: Path, limit: int) -> tuple[bytes, int]:
    """Read a regular file.

    Args:
        place: The file.
        limit: The most bytes to read.

    Returns:
        The content and the file's size; the content is empty when the size is above the limit.

    Raises:
        OSError: It is no regular file, or cannot be read.
    """
    # O_NONBLOCK: opening a pipe must not wait for a writer; it has no meaning for regular files.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(place, flags), "rb") as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode):
            raise OSError(errno.EINVAL, "Not a regular file", str(place))
        if about.st_size > limit:
            return b"", about.st_size
        content = file.read(limit + 1)
        return (content, len(content)) if len(content) <= limit else (b"", len(content))


def replace_file(place: Path, content: bytes) -> None:
    """Write a file, or leave it exactly as it was. Makes the folders above it.

    Args:
        place: The file; the mode of one that exists is kept.
        content: What to write.

    Raises:
        OSError: It cannot be written.
    """
    place.parent.mkdir(parents=True, exist_ok=True)
    mode = _mode_of(place)
    temporary = place.parent / f".toolset-{secrets.token_hex(8)}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(temporary, flags, 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            if mode is not None:
                temporary.chmod(mode)
            os.fsync(file.fileno())
        temporary.replace(place)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    _sync_folder(place.parent)


def _mode_of(place: Path) -> int | None:
    try:
        about = place.stat()
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(about.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(place))
    if not stat.S_ISREG(about.st_mode):
        raise OSError(errno.EINVAL, "Not a regular file", str(place))
    return stat.S_IMODE(about.st_mode)


def _sync_folder(folder: Path) -> None:
    """Make the new name survive a power cut, where the system can."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with contextlib.suppress(OSError):  # some file systems cannot
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
