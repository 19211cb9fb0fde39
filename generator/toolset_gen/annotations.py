"""Lines that GitHub shows beside the change they are about."""

# Maintainers: GitHub's workflow commands and their escapes; knows no report. A message with line
# ends, colons and commas in it must not become two commands (test_formats.py).

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Literal, TypeAlias

__all__ = ["FORMATS", "Format", "Level", "annotation"]

Format: TypeAlias = Literal["text", "json", "github"]
Level: TypeAlias = Literal["error", "warning", "notice"]

FORMATS: tuple[Format, ...] = ("github", "json", "text")


def annotation(
    level: Level, title: str, message: str, *, path: str = "", line: int = 0, folder: str = ""
) -> str:
    """Write one annotation.

    Args:
        level: How bad it is.
        title: Its heading.
        message: What it says.
        path: The file it is about, relative to the project's root; `""` for none.
        line: The line in it, 0 for the whole file.
        folder: Where the project is in its repository, posix: annotations name files from there.

    Returns:
        The line, without its end.
    """
    places = [f"file={_property((PurePosixPath(folder) / path).as_posix())}"] if path else []
    places += [f"line={line}"] if path and line else []
    return f"::{level} {','.join([*places, f'title={_property(title)}'])}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
