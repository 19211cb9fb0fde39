"""Repairs: violations that have one right answer, repaired in the source.

What a person has to say is left as `...`, which the gate refuses like nothing at all: a repair makes the
place, never the text.
"""

# Layers, downwards only: report > repair > codemods > headers, imports, lists, plan, settings >
# edits, finder, records, sections.
# A repair is planned from what the rules found (plan), turned into spans of one file's text, and
# nothing outside those spans is touched: comments, spacing, line ends and encoding stay because
# they are never written anew.

from __future__ import annotations

from toolset_gen.fix.records import Change, Left, Repair
from toolset_gen.fix.repair import Repaired, repair
from toolset_gen.fix.report import say_repaired

__all__ = ["Change", "Left", "Repair", "Repaired", "repair", "say_repaired"]
