"""Extraction: source files to facts, without importing any of them.

`extract` reads what `discover` found and gives a `SourceModel`. `describer_of` gives the general layer
below it, which describes any class, function or module.
"""

# Layers, downwards only: assemble > linking > uses > documented, flows > events, tracer >
# declarations, objects, plugins > closure, facts, listeners, services > describe, external >
# constructors, declare, reader > fields, sites > gather, hidden, hiding, makings, members, models >
# absent, behind, classes, frames, inherited, injects, kinds, names > functions, library >
# parameters, paths, variables > bindings, docstrings, expressions, stubs > raw > model, mro, scope,
# spelling, text, things, values.
# Everything up to `reader` speaks of one module alone and pickles.

from __future__ import annotations

from toolset_gen.extract.assemble import describer_of, extract, read_all
from toolset_gen.extract.describe import ClassFacts, Describer, Offered
from toolset_gen.extract.model import (
    Declaration,
    DocFact,
    Listener,
    Location,
    Site,
    SourceModel,
    TypeFact,
)

__all__ = [
    "ClassFacts",
    "Declaration",
    "Describer",
    "DocFact",
    "Listener",
    "Location",
    "Offered",
    "Site",
    "SourceModel",
    "TypeFact",
    "describer_of",
    "extract",
    "read_all",
]
