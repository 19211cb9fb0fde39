"""Violations that a project accepts, for a reason, in pyproject.toml."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

from toolset.catalog import nearest
from toolset_gen.check.rules import RULES
from toolset_gen.config import Suppression
from toolset_gen.diagnostics import Diagnostic
from toolset_gen.extract.model import Location

__all__ = ["suppress"]


def suppress(
    diagnostics: Iterable[Diagnostic], suppressions: Iterable[Suppression]
) -> Iterator[Diagnostic]:
    """Drop what is accepted, and report acceptances of nothing.

    Args:
        diagnostics: Everything that was found.
        suppressions: What the project accepts.

    Yields:
        What is left, and a violation of SUP001 for each suppression that applied to nothing.
    """
    accepted = tuple(suppressions)
    used: set[Suppression] = set()
    for diagnostic in diagnostics:
        matching = [one for one in accepted if _applies(one, diagnostic)]
        used.update(matching)
        if not matching:
            yield diagnostic
    for one in accepted:
        if one not in used:
            yield _unused(one)


def _applies(suppression: Suppression, diagnostic: Diagnostic) -> bool:
    # What cannot be read cannot be accepted: the catalog would lack it without a word.
    if suppression.rule != diagnostic.rule or diagnostic.rule.startswith("SRC"):
        return False
    return fnmatchcase(diagnostic.target or diagnostic.path, suppression.target)


def _unused(suppression: Suppression) -> Diagnostic:
    if suppression.rule in RULES:
        why = (
            "matches no violation any more"
            if not suppression.rule.startswith("SRC")
            else ("cannot be accepted: what is unreadable would be missing from the catalog")
        )
    else:
        close = nearest(suppression.rule, RULES, limit=1)
        why = f"names no rule{f'; did you mean {close[0]}?' if close else ''}"
    return RULES["SUP001"].at(
        Location("pyproject.toml", 0),
        f"{suppression.rule} {suppression.target}",
        f"the suppression of {suppression.rule} for {suppression.target!r} {why}",
        "remove it from [[tool.toolset.catalog.suppress]]",
    )
