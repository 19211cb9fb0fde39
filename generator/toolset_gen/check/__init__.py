"""The rules: what the sources say, judged."""

# Layers, downwards only: judge -> booting, compositions, configs, docs, events, plugins, prose, services, types, suppress
# -> config_models, config_reads, naming -> config_types -> facts -> rules. A rule reads facts and gives diagnostics; it reads no file and changes nothing.

from __future__ import annotations

from toolset_gen.check.judge import judge
from toolset_gen.check.rules import RULES, Rule, explain

__all__ = ["RULES", "Rule", "explain", "judge"]
