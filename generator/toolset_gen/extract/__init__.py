"""Extraction: source files to facts, without importing any of them.

`extract` reads what `discover` found and gives a `SourceModel`. `describer_of` gives the general layer
below it, which describes any class, function or module.
"""

# Layers, lower ones know nothing of higher ones: model, raw < text, docstrings, scope < expressions <
# functions, variables < classes, frames < sites < reader < stubs, mro < library, spelling < kinds < members < fields <
# constructors, declare < describe < names, facts < services < events < plugins < uses, closure, external, documented <
# this module. Everything up to reader speaks of one module alone and pickles.

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
