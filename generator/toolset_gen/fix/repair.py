"""Repair a project's sources in memory."""

# Maintainers: repairs until nothing is left to repair: a docstring that was missing then wants its
# `Args:`. So what it gives is a fixed point, and a second run finds nothing. It writes nothing.

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from toolset_gen.artifacts import Stale
from toolset_gen.build import build
from toolset_gen.check import judge
from toolset_gen.check.facts import Facts
from toolset_gen.config import Config
from toolset_gen.diagnostics import Diagnostic
from toolset_gen.discover import Sources
from toolset_gen.errors import ArtifactError
from toolset_gen.extract import extract
from toolset_gen.fix.codemods import edit_file
from toolset_gen.fix.plan import plan
from toolset_gen.fix.records import Change, Left, Repair
from toolset_gen.fix.settings import edit_settings
from toolset_gen.others import load_others

__all__ = ["Repaired", "repair"]

_ROUNDS = 4  # a docstring, then its sections: two are enough; more would be a fault of ours


class Repaired(NamedTuple):
    """What repairing a project came to.

    Attributes:
        files: The files that change, with their bytes before and after.
        changes: What was done, in the order it was done.
        left: What was not, and why.
        unreadable: Files that could not be read, and so were not looked at.
    """

    files: tuple[Stale, ...] = ()
    changes: tuple[Change, ...] = ()
    left: tuple[Left, ...] = ()
    unreadable: tuple[Diagnostic, ...] = ()


def repair(config: Config, sources: Sources) -> Repaired:
    """Repair what has one right answer.

    Args:
        config: The project's configuration.
        sources: The files it scans.

    Returns:
        The changed files, and what was and was not done.

    Raises:
        ConfigurationError: A catalog named in the configuration cannot be loaded.
        ArtifactError: pyproject.toml is gone meanwhile.
    """
    others = load_others(config)
    settings = _read(config.file)
    before = {file.path: file.data for file in sources.files}
    changes: list[Change] = []
    left: list[Left] = []
    unreadable: list[Diagnostic] = []
    judged: tuple[Diagnostic, ...] = ()
    for _ in range(_ROUNDS):
        model = extract(sources, services=dict(config.services))
        facts = Facts(config, model, others, (), sources)
        judged = judge(facts)
        problems = [*sources.diagnostics, *model.diagnostics]
        unreadable = [d for d in problems if d.rule.startswith("SRC") and d.severity == "error"]
        sources, made, left = _apply(sources, plan(facts, judged, sources.files))
        changes += made
        if not made:
            break
    files = list(_changed(before, sources))
    if any(found.rule == "SUP001" for found in judged) and not unreadable:
        # Some violations show only when plugins are booted: a whole build says what is not needed.
        unused = [found for found in build(config, sources).diagnostics if found.rule == "SUP001"]
        cut, made, kept = edit_settings(settings, unused, config.suppress)
        changes += made
        left += kept
        if cut != settings:
            files.append(Stale(config.file.name, "changed", settings, cut))
    return Repaired(tuple(files), tuple(changes), tuple(left), tuple(unreadable))


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:  # it was read a moment ago
        raise ArtifactError(path, "read", error) from None


def _apply(sources: Sources, repairs: Iterable[Repair]) -> tuple[Sources, list[Change], list[Left]]:
    by_path: dict[str, list[Repair]] = {}
    for one in repairs:
        by_path.setdefault(one.path, []).append(one)
    files = list(sources.files)
    changes: list[Change] = []
    left: list[Left] = []
    for index, file in enumerate(files):
        if file.path in by_path:
            data, made, rest = edit_file(file.data, by_path[file.path])
            digest = hashlib.sha256(data).hexdigest()
            files[index] = file._replace(data=data, sha256=digest)
            changes += made
            left += rest
    return sources._replace(files=tuple(files)), changes, left


def _changed(before: dict[str, bytes], sources: Sources) -> Iterator[Stale]:
    for file in sources.files:
        if file.data != before[file.path]:
            yield Stale(file.path, "changed", before[file.path], file.data)
