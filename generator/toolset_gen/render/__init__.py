"""Rendering: a catalog to the text of every artifact."""

# Layers, downwards only: artifacts > json_form, module, pages, typed_context > code, environment, graph
# > markdown.

from __future__ import annotations

from toolset_gen.render.artifacts import render

__all__ = ["render"]
