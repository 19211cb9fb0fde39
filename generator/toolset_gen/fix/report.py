"""Say what was repaired, and what was not."""

# Maintainers: wording alone.

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator

from toolset_gen.annotations import Format, annotation
from toolset_gen.artifacts import Stale
from toolset_gen.fix.records import Repair
from toolset_gen.fix.repair import Repaired
from toolset_gen.gate import FAULT, FRESH
from toolset_gen.report import annotate

__all__ = ["say_repaired"]

_UNFINISHED = frozenset({"docstring", "entry", "returns"})


def say_repaired(
    repaired: Repaired, *, written: bool, diff: bool, form: Format = "text", folder: str = ""
) -> str:
    """Report repairs.

    Args:
        repaired: What was done.
        written: Whether it is on the disk.
        diff: Whether to show the changes of each file.
        form: The form of the report.
        folder: Where the project is in its repository, posix: annotations name files from there.

    Returns:
        The report, without a final newline.
    """
    if form == "json":
        return _json(repaired, written=written)
    text = (*_diffs(repaired, wanted=diff), *_lines(repaired))
    lines = text if form == "text" else _annotations(repaired, folder)
    return "\n".join([*lines, *_sums(repaired, written=written)])


def _diffs(repaired: Repaired, *, wanted: bool) -> Iterator[str]:
    for stale in repaired.files if wanted else ():
        yield from _diff(stale)


def _lines(repaired: Repaired) -> Iterator[str]:
    for change in repaired.changes:
        repair = change.repair
        yield f"{repair.path}: {repair.rule}: {change.what} [{repair.target}]"
    for left in repaired.left:
        repair = left.repair
        place = f"{repair.path}:{repair.line}" if repair.line else repair.path
        yield f"{place}: {repair.rule} was left: {left.why} [{repair.target}]"
    for found in repaired.unreadable:
        place = f"{found.path}:{found.line}" if found.line else found.path
        yield f"{place}: {found.rule} was left: {found.message}"


def _annotations(repaired: Repaired, folder: str) -> Iterator[str]:
    """Annotate what was left, which somebody has to look at; what was repaired has its diff."""
    for left in repaired.left:
        repair = left.repair
        message = f"[{repair.target}] cannot be repaired by the machine: {left.why}"
        yield annotation(
            "warning", repair.rule, message, path=repair.path, line=repair.line, folder=folder
        )
    yield from annotate(repaired.unreadable, folder)


def _json(repaired: Repaired, *, written: bool) -> str:
    report = {
        "exit_code": FAULT if repaired.unreadable else FRESH,
        "written": written,
        "repairs": [_shared(one.repair) | {"what": one.what} for one in repaired.changes],
        "left": [_shared(one.repair) | {"why": one.why} for one in repaired.left],
        "unreadable": [found._asdict() for found in repaired.unreadable],
        "files": [{"path": one.path, "diff": list(_diff(one))} for one in repaired.files],
    }
    return json.dumps(report, indent=2)


def _shared(repair: Repair) -> dict[str, object]:
    return {
        "rule": repair.rule,
        "path": repair.path,
        "line": repair.line,
        "target": repair.target,
    }


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
