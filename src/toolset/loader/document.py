"""The text of a composition's file."""

# Maintainers: the only place that reads the file. Whatever is wrong with it comes out as one error
# that names it; what it says is nodes.py's.

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

from toolset.loader.errors import UnreadableCompositionError

__all__: list[str] = []

_LARGEST: Final = 16_000_000


def read_text(path: Path, shown: str) -> str:
    """Read a composition.

    Args:
        path: The file.
        shown: How it was named.

    Returns:
        Its text, without a byte order mark, line ends as LF.

    Raises:
        UnreadableCompositionError: It is no file that can be read, or no UTF-8.
    """
    try:
        _check_kind(path.stat(), shown)
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise UnreadableCompositionError(
            shown, f"line {line} is not UTF-8 (byte 0x{error.object[error.start]:02x})"
        ) from None
    except UnreadableCompositionError:
        raise
    except OSError as error:
        raise UnreadableCompositionError(shown, _why(error)) from None
    except ValueError:  # a NUL byte
        raise UnreadableCompositionError(shown, "this cannot be the path of a file") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _check_kind(state: os.stat_result, shown: str) -> None:
    """Refuse what is no file, before reading it: a pipe may never end."""
    if not stat.S_ISREG(state.st_mode):
        what = "a folder" if stat.S_ISDIR(state.st_mode) else "no regular file"
        raise UnreadableCompositionError(shown, f"it is {what}")
    if state.st_size > _LARGEST:
        raise UnreadableCompositionError(shown, f"it has more than {_LARGEST:,} bytes")


def _why(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    return (error.strerror or str(error)).lower()
