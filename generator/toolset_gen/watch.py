"""Regenerate a project's artifacts whenever its sources are saved."""

# Maintainers: knows watchfiles alone, which is an extra, and hands every change to the same
# function as `generate`. What it writes itself must not wake it: generated files and the cache are
# left out of what it watches. It outlives whatever the project's configuration or sources become
# meanwhile.

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from toolset_gen.artifacts import HEAD, is_generated
from toolset_gen.config import Config, read_config
from toolset_gen.errors import GeneratorError, UsageError
from toolset_gen.gate import regenerate
from toolset_gen.report import say_generated

if TYPE_CHECKING:
    import watchfiles

__all__ = ["WatchfilesMissingError", "changes_of", "is_source", "watch"]

_SUFFIXES = frozenset({".md", ".py", ".pyi", ".toml", ".yaml", ".yml"})
_FOREIGN = frozenset({"__pycache__", "node_modules"})
_LOOK = 500  # milliseconds between looks at whether to go on


class WatchfilesMissingError(UsageError):
    """The package that watches files is not installed."""

    def __init__(self) -> None:
        super().__init__(
            "watching needs 'watchfiles', which is not installed; "
            "run `pip install 'cordis-toolset[watch]'`"
        )


def watch(root: Path, saved: Iterable[object], say: Callable[[str], object]) -> None:
    """Regenerate each time that sources may have changed.

    Args:
        root: The folder of pyproject.toml.
        saved: Gives something each time that sources were saved, and at first; ends when it is enough.
        say: Prints a line.
    """
    for _ in saved:
        try:
            say(say_generated(regenerate(read_config(root))))
        except GeneratorError as error:
            say(f"error: {error}")


def changes_of(root: Path, ready: Callable[[], object]) -> Iterator[set[str]]:
    """Wait for sources to be saved.

    Args:
        root: The folder of pyproject.toml.
        ready: Called once, when changes are seen from then on.

    Returns:
        An empty set when it begins, then the paths that were saved together, each time that some
        were; on Ctrl-C it raises KeyboardInterrupt.

    Raises:
        WatchfilesMissingError: watchfiles is not installed.
    """
    try:
        import watchfiles  # noqa: PLC0415 - an extra
    except ModuleNotFoundError:
        raise WatchfilesMissingError from None
    watcher = watchfiles.watch(
        root,
        watch_filter=lambda change, path: is_source(
            root, Path(path), moved=change is not watchfiles.Change.modified
        ),
        rust_timeout=_LOOK,
        yield_on_timeout=True,
        raise_interrupt=True,  # else it is logged, and stands on the terminal
    )
    return _announced(watcher, ready)


def _announced(
    watcher: Iterable[set[tuple[watchfiles.Change, str]]], ready: Callable[[], object]
) -> Iterator[set[str]]:
    """Call `ready` when the watcher first answers: from then on it misses nothing."""
    announced = False
    for changes in watcher:
        if not announced:
            ready()
        if changes or not announced:
            yield {path for _, path in changes}
        announced = True


def is_source(root: Path, path: Path, *, moved: bool = False) -> bool:
    """Tell whether a file or folder may change what is generated.

    Args:
        root: The folder of pyproject.toml.
        path: What was saved.
        moved: Whether it has come or gone: of a folder, whatever is in it has too, and nothing else
            tells.

    Returns:
        Whether it is a source or the configuration, and not written by the generator.
    """
    may_be = path.suffix in _SUFFIXES or (moved and not path.suffix)
    if not may_be or not path.is_relative_to(root):
        return False
    inside = path.relative_to(root)
    if any(part.startswith(".") or part in _FOREIGN for part in inside.parts):
        return False  # the cache is among them
    return not _is_generated(root, inside)


def _is_generated(root: Path, inside: Path) -> bool:
    """Tell whether it is written by the generator; one that is gone is to be written again."""
    if not inside.suffix:
        return inside == _pages(root)
    try:
        with (root / inside).open("rb") as file:
            return is_generated(file.read(HEAD))
    except OSError:
        return False


def _pages(root: Path) -> Path | None:
    try:
        config: Config = read_config(root)
    except GeneratorError:
        return None  # while the configuration is broken, nothing is written
    return Path(config.pages) if config.pages else None
