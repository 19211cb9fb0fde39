"""Remember what an unchanged project's artifacts are, so that verify need not build them."""

# Maintainers: content-addressed: the key is made of everything a build can depend on, the value says
# what the artifacts hash to and what was reported. Deleting it costs time and nothing else; a broken
# or foreign file is as good as none. Bounded: the newest entries stay. Nothing from here is imported
# lazily or heavily: the unchanged verify is this module, config, discover and artifacts.
# The key holds no interpreter version: artifacts are the same bytes on each.

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, cast

from toolset_gen.config import Config
from toolset_gen.diagnostics import Diagnostic
from toolset_gen.discover import Sources

__all__ = ["FOLDER", "Cache", "Remembered", "build_key", "digest"]

FOLDER = ".toolset-cache"
_FORMAT = 1
_BUILDS = 8
_SNIPPETS = 20_000


class Remembered(NamedTuple):
    """What a finished build came to.

    Attributes:
        artifacts: Path to the SHA-256 of its bytes.
        diagnostics: Everything it reported.
    """

    artifacts: dict[str, str]
    diagnostics: tuple[Diagnostic, ...]


def digest(data: bytes) -> str:
    """Hash bytes.

    Args:
        data: Any bytes.

    Returns:
        Their SHA-256, hexadecimal.
    """
    return hashlib.sha256(data).hexdigest()


def build_key(config: Config, sources: Sources) -> str:
    """Name a build by everything it depends on.

    Args:
        config: The project's configuration.
        sources: The scanned files.

    Returns:
        A hash: of configuration, scanned files, the generator and the runtime that plugins are
        booted on, other packages' catalogs, and the names and versions of installed distributions.
    """
    state = hashlib.sha256(repr((_FORMAT, config._replace(root=Path()))).encode())
    for line in (*_of_sources(sources), *_of_tools(config)):
        state.update(line.encode("utf-8", "backslashreplace") + b"\n")
    return state.hexdigest()


def _of_sources(sources: Sources) -> Iterator[str]:
    for file in sources.files:
        yield f"{file.sha256} {file.path}"
    for document in sources.documents:
        yield f"{document.sha256} {document.path} {document.kind}"
    for diagnostic in sources.diagnostics:
        yield repr(diagnostic)


def _of_tools(config: Config) -> Iterator[str]:
    """Describe the code that makes and runs what is scanned: by version when it is installed."""
    generator = Path(__file__).resolve().parent
    places = [generator, generator.parents[1] / "templates"]
    if "toolset" not in {package.partition(".")[0] for package in config.packages}:
        places += _places_of("toolset")
    for target in dict(config.services).values():
        places += _places_of(target.partition(":")[0].partition(".")[0])
    for catalog in config.catalogs:
        places += _places_of(catalog)
    for place in places:
        if "site-packages" not in place.parts:
            yield from _stamps(place)
    yield from _distributions()


def _places_of(module: str) -> list[Path]:
    """Find the folder of a package or the file of a module, of those that can be imported."""
    from importlib.util import find_spec  # noqa: PLC0415 - the toolset's own gate needs none

    try:
        spec = find_spec(module)
    except (ImportError, ValueError):
        return []
    if spec is None:
        return []
    return [Path(place) for place in spec.submodule_search_locations or filter(None, [spec.origin])]


def _stamps(place: Path) -> Iterator[str]:
    """Give size and time of each file in a folder of code that somebody may be editing."""
    if place.is_file():
        status = place.stat()
        yield f"{place} {status.st_size} {status.st_mtime_ns}"
        return
    for folder, folders, _ in os.walk(place):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        with os.scandir(folder) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if entry.is_file():
                    status = entry.stat()
                    yield f"{entry.path} {status.st_size} {status.st_mtime_ns}"


def _distributions() -> Iterator[str]:
    """Give the names of installed distributions, which carry their versions."""
    found: set[str] = set()
    for place in sys.path:
        with suppress(OSError):
            names = os.listdir(place or ".")  # noqa: PTH208 - names are wanted, a path each costs
            found.update(name for name in names if name.endswith(".dist-info"))
    return iter(sorted(found))


def _formatter() -> str:
    """Name the installed formatter with its version, without importing it."""
    return next((name for name in _distributions() if name.startswith("black-")), "")


class Cache:
    """The cache of one project, in a folder of its own.

    Args:
        root: The project's root.
    """

    def __init__(self, root: Path) -> None:
        self._folder = root / FOLDER

    def recall(self, key: str) -> Remembered | None:
        """Look up a build.

        Args:
            key: Its key.

        Returns:
            What it came to, None when it is not remembered.
        """
        entry = self._read("builds.json").get(key)
        try:
            value = cast("dict[str, dict[str, str] | list[list[object]]]", entry)
            artifacts = cast("dict[str, str]", value["artifacts"])
            rows = cast("list[tuple[str, str, int, str, str]]", value["diagnostics"])
            return Remembered(dict(artifacts), tuple(Diagnostic(*row) for row in rows))
        except (KeyError, TypeError, ValueError):
            return None

    def remember(self, key: str, value: Remembered) -> None:
        """Keep what a build came to.

        Args:
            key: Its key.
            value: What to keep.
        """
        builds = self._read("builds.json")
        builds.pop(key, None)
        builds[key] = {"artifacts": value.artifacts, "diagnostics": value.diagnostics}
        self._write("builds.json", list(builds.items())[-_BUILDS:])

    def snippets(self) -> dict[str, str]:
        """Recall formatted code.

        Returns:
            Source to formatted source, free to be added to.
        """
        found = self._read("code.json")
        if found.pop("", None) != _formatter():
            return {}
        return {key: text for key, text in found.items() if isinstance(text, str)}

    def keep_snippets(self, snippets: dict[str, str]) -> None:
        """Keep formatted code.

        Args:
            snippets: Source to formatted source; beyond a bound the oldest are dropped.
        """
        if snippets != self.snippets():
            items = list(snippets.items())[-_SNIPPETS:]
            self._write("code.json", [("", _formatter()), *items])

    def _read(self, name: str) -> dict[str, object]:
        try:
            found: object = json.loads((self._folder / name).read_bytes())
        except (OSError, ValueError, RecursionError):
            return {}
        return cast("dict[str, object]", found) if isinstance(found, dict) else {}

    def _write(self, name: str, items: Iterable[tuple[str, object]]) -> None:
        """Write best effort: a cache that cannot be written is only slow."""
        with suppress(OSError):
            self._folder.mkdir(exist_ok=True)
            ignore = self._folder / ".gitignore"
            if not ignore.exists():
                ignore.write_text("*\n")
            temporary = self._folder / f"{name}.{os.getpid()}"
            temporary.write_text(json.dumps(dict(items)), encoding="utf-8")
            temporary.replace(self._folder / name)
