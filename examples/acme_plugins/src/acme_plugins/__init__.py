"""Acme's plugins: a stock of goods, tools to work with it, and reordering."""

# Layers, downwards only: reorder, tools > stock > events.

from acme_plugins.stock import Level, Stock

__all__ = ["Level", "Stock"]
