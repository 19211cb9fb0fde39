"""What the generator has to say about the sources: one record a fault, sorted and without repeats.

A diagnostic names the rule, the place, what is wrong and what to do about it.
"""

# Maintainers: this module answers for the record and its order alone. It knows no rule: each stage
# makes its own diagnostics. Invariants: `path` is posix and relative to the project root; the order
# depends on nothing but the records, so that two runs print the same report.

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias

__all__ = ["Diagnostic", "Severity", "is_unreadable", "ordered"]

Severity: TypeAlias = Literal["error", "warning", "note"]


class Diagnostic(NamedTuple):
    """One fault in the sources.

    Attributes:
        rule: Stable id of the rule, such as `EVT003`.
        path: File it is in, posix, relative to the project root.
        line: Line in that file, 1-based; 0 when the fault is of the whole file.
        message: One sentence: what is wrong, with which thing.
        remedy: One sentence: the way out.
        severity: `error` stops generation; `warning` does not; `note` is of code that others wrote.
        excerpt: The offending source line and a caret below it, `""` when there is none to show.
        target: What a suppression names: an event, `key.member`, a plugin, `plugin.field`, a type;
            `""` when only the file can be named.
    """

    rule: str
    path: str
    line: int
    message: str
    remedy: str
    severity: Severity = "error"
    excerpt: str = ""
    target: str = ""


def is_unreadable(found: Diagnostic) -> bool:
    """Tell whether a file, or a part of what is scanned, cannot be read.

    Args:
        found: A diagnostic.

    Returns:
        Whether something that the sources say is unknown because of it.
    """
    return found.rule.startswith("SRC") and found.severity == "error"


def ordered(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Sort diagnostics and drop repeats.

    Args:
        diagnostics: Diagnostics in any order.

    Returns:
        Each once, by path, line, rule and text; first those of what cannot be read, since others may
        follow from them.
    """
    return tuple(
        sorted(
            set(diagnostics),
            key=lambda found: (not is_unreadable(found), found.path, found.line, found),
        )
    )
