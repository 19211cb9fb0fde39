"""Say what was repaired, and what was not."""

# Maintainers: wording alone.

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from toolset_gen.artifacts import Stale
from toolset_gen.fix.repair import Repaired

__all__ = ["say_repaired"]

_UNFINISHED = frozenset({"docstring", "entry", "returns"})


def say_repaired(repaired: Repaired, *, written: bool, diff: bool) -> str:
    """Report repairs.

    Args:
        repaired: What was done.
        written: Whether it is on the disk.
        diff: Whether to show the changes of each file.

    Returns:
        The report, without a final newline.
    """
    lines = [line for stale in repaired.files for line in _diff(stale)] if diff else []
    for change in repaired.changes:
        repair = change.repair
        lines.append(f"{repair.path}: {repair.rule}: {change.what} [{repair.target}]")
    for left in repaired.left:
        repair = left.repair
        place = f"{repair.path}:{repair.line}"
        lines.append(f"{place}: {repair.rule} was left: {left.why} [{repair.target}]")
    for found in repaired.unreadable:
        place = f"{found.path}:{found.line}" if found.line else found.path
        lines.append(f"{place}: {found.rule} was left: {found.message}")
    return "\n".join([*lines, *_sums(repaired, written=written)])


def _sums(repaired: Repaired, *, written: bool) -> Iterator[str]:
    if not repaired.changes:
        yield "Nothing was changed: no violation has one right answer."
        return
    done, files = len(repaired.changes), len(repaired.files)
    verb = "Changed" if written else "Would change"
    yield f"{verb} {_count(files, 'file')}: {_count(done, 'repair')}."
    unfinished = sum(change.repair.kind in _UNFINISHED for change in repaired.changes)
    if unfinished:
        have = "holds" if unfinished == 1 else "hold"
        yield (
            f"{_count(unfinished, 'place')} still {have} `...`; the gate refuses them until "
            "somebody says what belongs there."
        )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _diff(stale: Stale) -> Iterator[str]:
    old, new = (
        re.split(r"\r\n|\r|\n", data.decode("utf-8", "replace")) for data in (stale.old, stale.new)
    )
    yield from difflib.unified_diff(old, new, stale.path, f"{stale.path} (repaired)", lineterm="")
