"""Places inside nested data, as people read them: `parameters.properties.text.type`."""

# Maintainers: answers for naming a place, lazily. Invariant: building a path costs the same at any
# depth, so that a walk over 5,000 levels stays linear. It must not know what the data means.

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["MAX_LISTED", "Path", "Violation", "listed"]

MAX_LISTED = 100
"""Violations that are written out; the rest is counted."""

_PLAIN = re.compile(r"[^\W\d][\w$-]*|\$[\w-]+")
_LONGEST = 24
_KEPT = 8
_LONGEST_STEP = 80


class Path:
    """One place inside nested data.

    Attributes:
        parent: The place around it, None for the root.
        key: The key or index that leads here from the parent; the root's own name.
        depth: How many steps lie between the root and this place.
    """

    __slots__ = ("depth", "key", "parent")

    def __init__(self, key: str | int, parent: Path | None = None) -> None:
        self.key = key
        self.parent = parent
        self.depth: int = 0 if parent is None else parent.depth + 1

    def __truediv__(self, key: str | int) -> Path:
        return Path(key, self)

    def __str__(self) -> str:
        steps: list[str] = []
        place: Path = self
        while place.parent is not None:
            steps.append(_step(place.key))
            place = place.parent
        steps.reverse()
        if len(steps) > _LONGEST:
            left_out = len(steps) - 2 * _KEPT
            steps[_KEPT:-_KEPT] = [f" … {left_out} steps … "]
        return str(place.key) + "".join(steps)

    __repr__ = __str__


def _step(key: str | int) -> str:
    if isinstance(key, int):
        return f"[{key}]"
    if len(key) > _LONGEST_STEP:
        return f"[{key[:_LONGEST_STEP]!r}…]"
    return f".{key}" if _PLAIN.fullmatch(key) else f"[{key!r}]"


class Violation(NamedTuple):
    """One thing that is wrong, and the way out.

    Attributes:
        path: Where, such as `parameters.properties.text.type`.
        problem: What is wrong there.
        remedy: What would be accepted, `""` when the problem says it.
    """

    path: str
    problem: str
    remedy: str = ""

    def __str__(self) -> str:
        way_out = f" ({self.remedy})" if self.remedy else ""
        return f"{self.path}: {self.problem}{way_out}"


def listed(violations: Iterable[Violation]) -> str:
    """Write violations a line each.

    Args:
        violations: What is wrong.

    Returns:
        The lines; beyond `MAX_LISTED` they are only counted.
    """
    found = list(violations)
    lines = [f"- {violation}" for violation in found[:MAX_LISTED]]
    if len(found) > MAX_LISTED:
        lines.append(f"- … and {len(found) - MAX_LISTED:,} more")
    return "\n".join(lines)
