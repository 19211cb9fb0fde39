"""Rendering: a catalog to the text of every artifact."""

# Layers, downwards only: artifacts -> pages, module, typed_context, json_form -> code, markdown, environment.

from __future__ import annotations

from toolset_gen.render.artifacts import render

__all__ = ["render"]
