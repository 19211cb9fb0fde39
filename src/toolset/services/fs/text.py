"""Text and bytes of files: encodings, line ends, exact replacement."""

# Maintainers: pure functions; answers for what a text operation means and how its failure reads. It
# touches no file.

from __future__ import annotations

from toolset.services.fs.errors import EditError, NotTextError, PatternError

__all__ = ["decode", "encode", "replaced"]

_SHOWN_LINES = 5


def decode(path: str, content: bytes, encoding: str) -> str:
    """Decode the content of a file.

    Args:
        path: The file, for messages.
        content: Its bytes.
        encoding: The encoding it should be in.

    Returns:
        The text, line ends as they are.

    Raises:
        NotTextError: It does not decode, or there is no such encoding.
    """
    try:
        return content.decode(encoding)
    except (UnicodeDecodeError, LookupError) as error:
        problem = f"its content is not text ({_why(error)})"
        way_out = "use read_bytes for binary files, or name the encoding it is written in"
        raise NotTextError(path, encoding, problem, way_out) from None


def encode(path: str, text: str, encoding: str) -> bytes:
    """Encode a text for a file.

    Args:
        path: The file, for messages.
        text: The text.
        encoding: The encoding to write it in.

    Returns:
        The bytes.

    Raises:
        NotTextError: It does not encode, or there is no such encoding.
    """
    try:
        return text.encode(encoding)
    except (UnicodeEncodeError, LookupError) as error:
        problem = f"the text cannot be written ({_why(error)})"
        raise NotTextError(path, encoding, problem, "use utf-8 and whole characters") from None


def _why(error: UnicodeError | LookupError) -> str:
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start} is 0x{error.object[error.start]:02x}"
    if isinstance(error, UnicodeEncodeError):
        return f"character {error.start} is {error.object[error.start]!a}"
    return "there is no such encoding"


def replaced(path: str, text: str, old: str, new: str, count: int) -> str:
    r"""Replace a text that is there exactly `count` times.

    Args:
        path: The file, for messages.
        text: Its content; when all its lines end in Windows' way, a plain `\n` stands for that.
        old: What to replace.
        new: What to put in its place.
        count: How often `old` must be there.

    Returns:
        The new content.

    Raises:
        EditError: It is there more or less often.
        PatternError: `old` is empty.
    """
    if not old:
        raise PatternError(old, "is empty", "give the text to replace, or use write_text")
    if "\r\n" in text and "\r\n" not in old and "\n" not in text.replace("\r\n", ""):
        old, new = old.replace("\n", "\r\n"), new.replace("\r\n", "\n").replace("\n", "\r\n")
    found = text.count(old)
    if found != count:
        raise EditError(path, found, count, _lines_of(text, old))
    return text.replace(old, new)


def _lines_of(text: str, old: str) -> tuple[int, ...]:
    """Give the lines on which the first occurrences begin."""
    lines: list[int] = []
    at = text.find(old)
    while at >= 0 and len(lines) < _SHOWN_LINES:
        lines.append(text.count("\n", 0, at) + 1)
        at = text.find(old, at + len(old))
    return tuple(lines)
