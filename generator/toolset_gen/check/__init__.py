"""The rules: what the sources say, judged."""

# Layers, downwards only: judge > compositions, configs, prose > booting, composition_entries,
# composition_names, config_models, config_reads, docs, events, naming, plugins, services, suppress,
# types > composition_yaml, config_types, facts, foreign, rules.
# A rule reads facts and gives diagnostics; it reads no file and changes nothing.

from __future__ import annotations

from toolset_gen.check.judge import judge
from toolset_gen.check.rules import RULES, Rule, explain

__all__ = ["RULES", "Rule", "explain", "judge"]
