"""All rules, in one report."""

# Maintainers: a rule that is not listed here does not exist; test_check_rules.py counts on it.
# Invariant: while a file cannot be read, nothing is concluded from what the others do not say: the
# remedies of such rules remove what the file may need.

from __future__ import annotations

from toolset_gen.check.booting import check_booting
from toolset_gen.check.compositions import check_compositions
from toolset_gen.check.configs import check_configs
from toolset_gen.check.docs import check_docs
from toolset_gen.check.events import check_events
from toolset_gen.check.facts import Facts
from toolset_gen.check.plugins import check_plugins
from toolset_gen.check.prose import check_prose
from toolset_gen.check.rules import RULES
from toolset_gen.check.services import check_services
from toolset_gen.check.suppress import suppress
from toolset_gen.check.types import check_types
from toolset_gen.diagnostics import Diagnostic, is_unreadable, ordered

__all__ = ["judge"]

_CHECKS = (
    check_docs,
    check_events,
    check_services,
    check_types,
    check_plugins,
    check_configs,
    check_compositions,
    check_booting,
    check_prose,
)

_FROM_ABSENCE = frozenset(
    {
        "EVT010",  # dispatched nowhere
        "EVT012",  # declared nowhere
        "EVT016",  # a constant that is not found
        "SVC008",
        "SVC011",
        "SVC012",
        "SVC013",
        "SVC014",
        "TYP001",
        "TYP002",  # published nowhere
        "PLG001",
        "PLG003",  # injected by nothing that is known
        "PLG007",
        "PLG008",
        "CFG001",  # described by no alias that is known
        "CFG004",  # read nowhere
        "CFG005",
        "CFG006",
        "PRO001",
        "PRO002",
        "PRO003",
        "PRO004",
    }
)


def judge(facts: Facts) -> tuple[Diagnostic, ...]:
    """Apply every rule and every suppression.

    Args:
        facts: What to judge.

    Returns:
        What extraction and the rules found, less what the project accepts, in the order of a report;
        while a file cannot be read, without what only its content could tell.
    """
    found = [*facts.model.diagnostics, *(d for check in _CHECKS for d in check(facts))]
    left = suppress(ordered(found), facts.config.suppress)
    if any(is_unreadable(one) for one in found):
        left = (one for one in left if not _is_from_absence(one))
    return ordered(left)


def _is_from_absence(found: Diagnostic) -> bool:
    if found.rule == "SUP001":  # what cannot be accepted at all is known without any file
        accepted = found.target.partition(" ")[0]
        return accepted in RULES and not accepted.startswith("SRC")
    return found.rule in _FROM_ABSENCE
