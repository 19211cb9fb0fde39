"""Values as text: for messages, for a model, for a transport that takes UTF-8 only."""

# Maintainers: answers for text that is short enough to show and safe enough to send. Invariant: no
# function here raises because of the value it shows.

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import cast

from toolset.services.tools.jsontypes import JsonValue

__all__ = ["brief", "cut", "dump_json", "json_type", "message_of", "safe_json", "safe_text", "some"]

_BRIEF = 80


def json_type(value: object) -> str:
    """Name the JSON type of a value, as messages say it.

    Args:
        value: Any Python value.

    Returns:
        One of the JSON type names, else the name of its class.
    """
    if value is None:
        return "null"
    kinds: tuple[tuple[type, str], ...] = (
        (bool, "boolean"),
        (int, "integer"),
        (float, "number"),
        (str, "string"),
        (list, "array"),
        (Mapping, "object"),
    )
    other = type(value).__name__
    return next((name for kind, name in kinds if isinstance(value, kind)), other)


def brief(value: object) -> str:
    """Show a value in a message, never more than a line of it.

    Args:
        value: Any value; one that is long or whose `repr` fails is named by its type.

    Returns:
        Text of at most about 100 characters, safe for the wire.
    """
    if isinstance(value, (str, bytes)) and len(value) > _BRIEF:
        rest = len(value) - _BRIEF
        return safe_text(f"{value[:_BRIEF]!r}… ({rest:,} more)")
    if isinstance(value, (dict, list, tuple, set, frozenset)):
        count = len(cast("list[object]", value))
        return f"{json_type(cast('object', value))} of {count:,} item{'' if count == 1 else 's'}"
    return _shown(value)


def some(names: Sequence[str], most: int = 20) -> str:
    """List names in a message, never more than a few lines of them.

    Args:
        names: The names.
        most: How many to write out.

    Returns:
        The first ones and how many more there are; `none` for none.
    """
    shown = [one if len(one) <= _BRIEF else f"{one[:_BRIEF]}…" for one in names[:most]]
    more = len(names) - most
    return safe_text(", ".join(shown) + f", … and {more:,} more" * (more > 0)) or "none"


def cut(text: str, longest: int) -> str:
    """Make a text no longer than it should be in a report or message.

    Args:
        text: The text.
        longest: Characters to keep.

    Returns:
        The text, or its beginning and how much was left out.
    """
    left = len(text) - longest
    return text if left <= 0 else f"{text[:longest]}… ({left:,} characters left out)"


def _shown(value: object) -> str:
    try:
        shown = repr(value)
    except Exception:  # noqa: BLE001 -- a foreign `repr` may raise anything; a message must not
        shown = f"<{type(value).__name__}>"
    return safe_text(shown if len(shown) <= _BRIEF else shown[:_BRIEF] + "…")


def message_of(error: BaseException) -> str:
    """Give the message of an exception, whatever its `__str__` does.

    Args:
        error: The exception.

    Returns:
        Its message; a remark in its place when it cannot be had.
    """
    try:
        return str(error)
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 -- a foreign `__str__` may raise anything
        return "(its message cannot be shown)"


def dump_json(value: JsonValue) -> str:
    """Write JSON data as one line of text.

    Args:
        value: Data no deeper than `MAX_DEPTH`.

    Returns:
        The JSON text; characters outside ASCII stay as they are.
    """
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def safe_text(text: str) -> str:
    """Replace what UTF-8 cannot encode, so that no transport dies of it.

    Args:
        text: Any string.

    Returns:
        The text, each lone surrogate replaced by U+FFFD.
    """
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
    return text


def safe_json(value: JsonValue) -> JsonValue:
    """Copy JSON data with every text in it made safe for the wire.

    Args:
        value: JSON data of at most `MAX_DEPTH` levels.

    Returns:
        The copy.
    """
    if isinstance(value, str):
        return safe_text(value)
    if isinstance(value, list):
        return [safe_json(child) for child in value]
    if isinstance(value, dict):
        return {safe_text(name): safe_json(child) for name, child in value.items()}
    return value
