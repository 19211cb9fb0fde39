"""Environment variables in configuration: `${env:NAME}` and `${env:NAME:-default}`."""

# Maintainers: text in, text out; nothing is evaluated. A value is never part of a message: it may
# be a secret.

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, cast

from toolset.loader.errors import MissingVariableError

__all__: list[str] = []

# What looks like a variable, also written as other tools have it: `${ENV:A}`, `${ env:A}`.
_START: Final = re.compile(r"\$\{\s*env\s*:", re.IGNORECASE)
_WHOLE: Final = re.compile(
    r"\$\{env:(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>(?:(?!\$\{)[^}])*))?\}"
)


def malformed(text: str) -> bool:
    """Tell whether a text has what looks like a variable and is none."""
    return _START.search(_WHOLE.sub(" ", text)) is not None


def same(one: object, other: object) -> bool:
    """Tell whether two values say the same; 1, 1.0 and true do not."""
    if repr(one) == repr(other):
        return True
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        left, right = cast("Mapping[object, object]", one), cast("Mapping[object, object]", other)
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(one, list) and isinstance(other, list):
        ours, theirs = cast("list[object]", one), cast("list[object]", other)
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return False


def substitute(
    config: Mapping[str, object] | None, environ: Mapping[str, str]
) -> Mapping[str, object] | None:
    """Replace variables in every text of a configuration, at any depth.

    Raises:
        MissingVariableError: Some are not set and have no default.
    """
    missing: list[str] = []

    def text(match: re.Match[str]) -> str:
        name, default = match["name"], match["default"]
        value = environ.get(name)
        if default is not None:  # as in a shell: an empty variable takes the default too
            return value or default
        if value is None:
            missing.append(name)
        return value or ""

    def replaced(value: object) -> object:
        if isinstance(value, str):
            return _WHOLE.sub(text, value)
        if isinstance(value, Mapping):
            table = cast("Mapping[object, object]", value)
            return {key: replaced(inner) for key, inner in table.items()}
        if isinstance(value, list):
            return [replaced(inner) for inner in cast("list[object]", value)]
        return value

    made = cast("Mapping[str, object] | None", replaced(config))
    if missing:
        raise MissingVariableError(missing)
    return made
