"""Violations in code that others wrote."""

# Maintainers: whoever provides a class of another package cannot repair it, so that a violation in
# it has to be told and may stop nothing.

from __future__ import annotations

from toolset_gen.diagnostics import Diagnostic

__all__ = ["noted"]


def noted(found: Diagnostic) -> Diagnostic:
    """Make a note of a violation, which fails nothing.

    Args:
        found: The violation.

    Returns:
        The same as a note, with the way out that is left.
    """
    remedy = "others wrote it: do not rely on it, and tell them"
    return found._replace(severity="note", remedy=remedy)
