"""All rules, in one report."""

# Maintainers: a rule that is not listed here does not exist; test_check_rules.py counts on it.

from __future__ import annotations

from toolset_gen.check.booting import check_booting
from toolset_gen.check.compositions import check_compositions
from toolset_gen.check.configs import check_configs
from toolset_gen.check.docs import check_docs
from toolset_gen.check.events import check_events
from toolset_gen.check.facts import Facts
from toolset_gen.check.plugins import check_plugins
from toolset_gen.check.prose import check_prose
from toolset_gen.check.services import check_services
from toolset_gen.check.suppress import suppress
from toolset_gen.check.types import check_types
from toolset_gen.diagnostics import Diagnostic, ordered

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


def judge(facts: Facts) -> tuple[Diagnostic, ...]:
    """Apply every rule and every suppression.

    Args:
        facts: What to judge.

    Returns:
        What extraction and the rules found, less what the project accepts, sorted by place.
    """
    found = [*facts.model.diagnostics, *(d for check in _CHECKS for d in check(facts))]
    return ordered(suppress(ordered(found), facts.config.suppress))
