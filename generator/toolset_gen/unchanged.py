"""Answer `toolset catalog verify` from the cache alone."""

# Maintainers: the whole of what an unchanged verify needs, and so what it may import: see gate.
# Whatever is out of the ordinary is left to the full command, which says what it is.

from __future__ import annotations

from toolset_gen.config import locate, read_config
from toolset_gen.gate import find_sources, recall
from toolset_gen.report import say_verified

__all__ = ["report_unchanged"]


def report_unchanged() -> str | None:
    """Verify the project of the current folder, if it was verified before and nothing has changed.

    Returns:
        The report of a fresh catalog, None when the full command is needed to tell.
    """
    try:
        config = read_config(locate(None))
        outcome = recall(config, find_sources(config))
    except Exception:  # noqa: BLE001 - the full command does it all again, and says what is wrong
        return None
    return None if outcome is None else say_verified(outcome, "text")
