"""The project's documents beside its code: pages of prose, and compositions of plugins."""

# Maintainers: reads files that patterns of the configuration name; what they say is the rules' business.
# Stays cheap to import: an unchanged verify uses it. Order and paths depend on names alone.

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from toolset_gen.diagnostics import Diagnostic

__all__ = ["Document", "read_documents"]


class Document(NamedTuple):
    """One document.

    Attributes:
        path: Where it is, posix, relative to the project root.
        kind: `prose` or `composition`.
        sha256: Hash of its bytes, hexadecimal.
        text: What it says, line ends as LF.
    """

    path: str
    kind: str
    sha256: str
    text: str


def read_documents(
    root: Path, kind: str, patterns: Iterable[str]
) -> tuple[tuple[Document, ...], tuple[Diagnostic, ...]]:
    """Read the documents that patterns name.

    Args:
        root: The project root.
        kind: What they are.
        patterns: Glob patterns relative to `root`; `**` matches any folders.

    Returns:
        The documents by path, and what could not be read.
    """
    paths = sorted({path for pattern in patterns for path in _matching(root, pattern)})
    found: list[Document] = []
    problems: list[Diagnostic] = []
    for path in paths:
        shown = path.relative_to(root).as_posix()
        try:
            data = path.read_bytes()
            text = data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
        except OSError as error:
            message = f"{shown} cannot be read: {error.strerror or error}"
            problems.append(Diagnostic("SRC003", shown, 0, message, "make it readable"))
        except UnicodeDecodeError as error:
            line = error.object[: error.start].count(b"\n") + 1
            message = (
                f"{shown} cannot be decoded: byte 0x{error.object[error.start]:02x} is not UTF-8"
            )
            problems.append(Diagnostic("SRC002", shown, line, message, "save it as UTF-8"))
        else:
            found.append(Document(shown, kind, hashlib.sha256(data).hexdigest(), text))
    return tuple(found), tuple(problems)


def _matching(root: Path, pattern: str) -> Iterator[Path]:
    for path in root.glob(pattern):
        inside = path.relative_to(root).parts
        hidden = any(part.startswith(".") or part == "node_modules" for part in inside)
        if not hidden and _may_be_read(path):
            yield path


def _may_be_read(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return True  # reading it will say why it cannot be
