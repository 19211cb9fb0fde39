"""A plugin runtime that can be looked at, extended while it runs, and un-extended again."""
