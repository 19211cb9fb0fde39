"""Compare a project's artifacts with its sources: what `generate`, `verify` and pytest share."""

# Maintainers: decides nothing about how things are said (report) or written (artifacts). The
# unchanged case must stay cheap: until the cache has failed to answer, nothing heavy is imported.

from __future__ import annotations

from typing import NamedTuple

from toolset_gen.artifacts import (
    Stale,
    compare,
    find_orphans,
    is_generated,
    read_bytes,
    refuse_foreign,
    write,
)
from toolset_gen.cache import Cache, Remembered, build_key, digest
from toolset_gen.config import Config
from toolset_gen.diagnostics import Diagnostic, ordered
from toolset_gen.discover import Sources, discover
from toolset_gen.documents import read_documents

__all__ = ["FAULT", "FRESH", "STALE", "Outcome", "examine", "find_sources", "recall", "regenerate"]

FRESH = 0
STALE = 1
FAULT = 3


class Outcome(NamedTuple):
    """How a project's artifacts compare with its sources.

    Attributes:
        stale: The artifacts that differ, sorted by path.
        diagnostics: What is wrong with the sources, sorted by place.
        artifacts: Paths of all artifacts, sorted; empty when the sources cannot be read.
    """

    stale: tuple[Stale, ...]
    diagnostics: tuple[Diagnostic, ...]
    artifacts: tuple[str, ...]

    @property
    def at_fault(self) -> bool:
        """Whether the sources are to be repaired first."""
        return any(found.severity == "error" for found in self.diagnostics)

    @property
    def exit_code(self) -> int:
        """What a check of this exits with: 0 fresh, 1 stale, 3 sources at fault."""
        if self.at_fault:
            return FAULT
        return STALE if self.stale else FRESH


def find_sources(config: Config) -> Sources:
    """Read the files that a project scans.

    Args:
        config: The project's configuration.

    Returns:
        The files, without the generated ones.
    """
    generated = [path for path in (config.runtime, config.typed_context) if path]
    found = discover(config.root, config.packages, sources=config.sources, exclude=generated)
    pages, unreadable = read_documents(config.root, "prose", config.prose)
    # A generated page says what the sources say; judged, it would stand in the way of its own repair.
    prose = [page for page in pages if not is_generated(page.text[:1000].encode())]
    compositions, more = read_documents(config.root, "composition", config.compositions)
    return found._replace(
        documents=(*prose, *compositions),
        diagnostics=ordered([*found.diagnostics, *unreadable, *more]),
    )


def recall(config: Config, sources: Sources) -> Outcome | None:
    """Look up in the cache whether all is as it was when it was last found fresh.

    Args:
        config: The project's configuration.
        sources: The files it scans.

    Returns:
        The outcome, None when only a build can tell.

    Raises:
        ArtifactError: An artifact exists and cannot be read.
    """
    return _recall(config, build_key(config, sources))


def _recall(config: Config, key: str) -> Outcome | None:
    remembered = Cache(config.root).recall(key)
    if remembered is None or not _is_fresh(config, remembered):
        return None
    return Outcome((), remembered.diagnostics, tuple(remembered.artifacts))


def examine(config: Config, jobs: int = 1) -> Outcome:
    """Find out whether a project's artifacts are what its sources say.

    Writes nothing but the cache.

    Args:
        config: The project's configuration.
        jobs: How many processes may read files, where that pays.

    Returns:
        What differs and what is wrong.

    Raises:
        GeneratorError: The configuration cannot be served, or an artifact cannot be read.
    """
    sources = find_sources(config)
    key = build_key(config, sources)
    unchanged = _recall(config, key)
    if unchanged is not None:
        return unchanged
    cache = Cache(config.root)
    from toolset_gen.build import build  # noqa: PLC0415 - see the head of the module
    from toolset_gen.pool import pool  # noqa: PLC0415

    snippets = cache.snippets()
    with pool(config, sources, jobs) as executor:
        built = build(config, sources, snippets, executor=executor)
    cache.keep_snippets(snippets)
    if not built.at_fault:
        hashes = {path: digest(data) for path, data in built.artifacts.items()}
        cache.remember(key, Remembered(hashes, built.diagnostics))
    stale = compare(config.root, built.artifacts) if built.artifacts else ()
    return Outcome(stale, built.diagnostics, tuple(built.artifacts))


def _is_fresh(config: Config, remembered: Remembered) -> bool:
    for path, expected in remembered.artifacts.items():
        data = read_bytes(config.root / path)
        if data is None or digest(data) != expected:
            return False
    return not any(find_orphans(config.root, remembered.artifacts))


def regenerate(config: Config, jobs: int = 1) -> Outcome:
    """Write the artifacts that are stale, unless the sources are at fault.

    Args:
        config: The project's configuration.
        jobs: How many processes may read files, where that pays.

    Returns:
        What was stale before, and what is wrong.

    Raises:
        ForeignFileError: A file that was not generated stands where an artifact would be written.
        GeneratorError: The configuration cannot be served, or an artifact cannot be written.
    """
    outcome = examine(config, jobs)
    if not outcome.at_fault:
        from toolset_gen.ending import uninterrupted  # noqa: PLC0415 - verify needs none of it

        refuse_foreign(outcome.stale)
        with uninterrupted():
            write(config.root, outcome.stale)
    return outcome
