"""Extraction: source files to facts, without importing any of them."""
