"""Write Python data that black leaves as it stands."""

# Maintainers: answers for the text of literals and keyword calls alone; knows no record type.
# Invariants: black changes nothing of a record (a test runs it on random data), `ast.literal_eval`
# gives every literal back, and the bytes are the same on every Python: what counts as printable is
# read from the Unicode 3.2 tables, since `str.isprintable` follows the interpreter's newer ones.
# Three rules of black's are easy to miss: the comma of a one-tuple is not "magic" (it is joined
# when it fits), `1e+300` becomes `1e300`, and a string keeps double quotes unless it holds more of
# them than single ones.

from __future__ import annotations

import math
import re
from typing import NamedTuple, TypeAlias
from unicodedata import ucd_3_2_0

__all__ = ["LINE_LENGTH", "Data", "Known", "Named", "emit", "is_record", "quote"]

LINE_LENGTH = 88

Scalar: TypeAlias = "str | bool | int | float | None"
Data: TypeAlias = "Scalar | tuple[Data, ...]"
Known: TypeAlias = dict[tuple[int, int], str]

_HIDDEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs", "Mn", "Me"})
_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_SPECIAL = re.compile(r"[^ -\[\]-~]")  # all but printable ASCII, and the backslash


class Named(NamedTuple):
    """A value that a function of the module makes; it is spelled as a call of that.

    Attributes:
        function: The function's name.
    """

    function: str


def emit(value: Data, *, indent: int = 0, used: int = 0, known: Known | None = None) -> str:
    """Spell a value as Python source.

    Args:
        value: Scalars, tuples, and named tuples, which become keyword calls without their defaults.
        indent: Columns the line that the value starts on is indented by.
        used: Columns already taken on that line, indentation included.
        known: Spelled records by indentation and identity, for data in which records recur; what it
            holds must live as long as it is used.

    Returns:
        The source, without a final newline; every non-empty call and tuple takes a line an item.

    Raises:
        TypeError: The value is or holds something that has no literal, such as a set or a NaN.
    """
    if isinstance(value, Named):
        return f"{value.function}()"
    if isinstance(value, tuple):
        if is_record(value):
            return _known_call(value, indent, known)
        return _tuple(value, indent, used, known)
    if isinstance(value, str):
        return quote(value)
    return _number(value)


def is_record(value: tuple[Data, ...]) -> bool:
    """Tell a named tuple from a plain one.

    Args:
        value: Any tuple.

    Returns:
        Whether it has named fields.
    """
    return hasattr(value, "_fields")


def quote(text: str, *, ascii_only: bool = False) -> str:
    """Spell a string as black would.

    Args:
        text: Any string, lone surrogates included.
        ascii_only: Whether to escape every character beyond ASCII.

    Returns:
        The literal on one line.
    """
    body = _escaped(text, ascii_only=ascii_only)
    if text.count('"') > text.count("'"):
        return "'" + body.replace("'", "\\'") + "'"
    return '"' + body.replace('"', '\\"') + '"'


def _escaped(text: str, *, ascii_only: bool) -> str:
    return _SPECIAL.sub(_in_ascii if ascii_only else _shown, text)


def _shown(found: re.Match[str]) -> str:
    char = found[0]
    is_escaped = char in _ESCAPES or ucd_3_2_0.category(char) in _HIDDEN
    return _in_ascii(found) if is_escaped else char


def _in_ascii(found: re.Match[str]) -> str:
    char = found[0]
    return _ESCAPES.get(char) or char.encode("unicode_escape").decode("ascii")


def _number(value: float | None) -> str:
    if value is None or isinstance(value, int):
        return repr(value)
    if type(value) is not float or not math.isfinite(value):
        raise TypeError(f"cannot spell {value!r} as a Python literal; give text, an int or a tuple")
    return repr(value).replace("e+", "e")


def _known_call(record: tuple[Data, ...], indent: int, known: Known | None) -> str:
    if known is None:
        return _call(record, indent, None)
    key = (id(record), indent)
    if key not in known:
        known[key] = _call(record, indent, known)
    return known[key]


def _call(record: tuple[Data, ...], indent: int, known: Known | None) -> str:
    inner = indent + 4
    defaults: dict[str, object] = getattr(record, "_field_defaults", {})
    names: tuple[str, ...] = getattr(record, "_fields", ())
    lines = [
        f"{' ' * inner}{name}={_argument(item, inner, inner + len(name) + 1, known)},\n"
        for name, item in zip(names, record, strict=True)
        if name not in defaults or defaults[name] != item
    ]
    head = type(record).__name__
    return f"{head}(\n{''.join(lines)}{' ' * indent})" if lines else f"{head}()"


def _argument(value: Data, indent: int, used: int, known: Known | None) -> str:
    """Spell the value of a keyword: a text of several lines takes a line each, so that diffs do."""
    if not isinstance(value, str) or "\n" not in value[:-1]:
        return emit(value, indent=indent, used=used, known=known)
    (*lines, last) = value.split("\n")
    parts = [quote(f"{line}\n") for line in lines] + ([quote(last)] if last else [])
    # Black would join the parts where they fit on one line inside the parentheses. How wide they are
    # is known for ASCII alone, but no character that stays unescaped is narrower than one column.
    if indent + 4 + len(" ".join(parts)) <= LINE_LENGTH:
        return quote(value)
    space = " " * indent
    return "(\n" + "".join(f"{space}    {part}\n" for part in parts) + f"{space})"


def _tuple(items: tuple[Data, ...], indent: int, used: int, known: Known | None) -> str:
    if not items:
        return "()"
    if len(items) == 1:
        joined = _one(items[0])
        # One column for the comma that follows the value on its line.
        if joined is not None and (used or indent) + len(joined) + 1 <= LINE_LENGTH:
            return joined
    inner = indent + 4
    if len(items) == 1 and isinstance(items[0], str):
        lines = [f"{' ' * inner}{quote(items[0], ascii_only=True)},\n"]
    else:
        lines = [
            f"{' ' * inner}{emit(item, indent=inner, used=inner, known=known)},\n" for item in items
        ]
    return f"(\n{''.join(lines)}{' ' * indent})"


def _one(item: Data) -> str | None:
    """Spell a one-tuple on one line, None when its item needs several.

    A text is escaped to ASCII: how wide other characters count differs from table to table.
    """
    if isinstance(item, str):
        return f"({quote(item, ascii_only=True)},)"
    if isinstance(item, Named):
        return f"({emit(item)},)"
    if isinstance(item, tuple):
        if not item:
            return "((),)"
        (first, *others) = item
        inner = None if is_record(item) or others else _one(first)
        return None if inner is None else f"({inner},)"
    return f"({_number(item)},)"
