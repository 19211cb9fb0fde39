"""Sources to a `SourceModel`: the order of the steps."""

# Maintainers: reading is a pure function a file and goes through an executor when one is given, in
# chunks; linking is one pass here. The collector is off meanwhile: nothing made here is garbage
# before the end, and looking for it costs a third of the time. A cache of what reading gave can be
# put in `read`, keyed by the file's hash, module name and READER_VERSION.

from __future__ import annotations

import gc
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import contextmanager
from types import MappingProxyType
from typing import TypeAlias

from toolset_gen.diagnostics import ordered
from toolset_gen.discover import SourceFile, Sources
from toolset_gen.extract.describe import Describer
from toolset_gen.extract.external import External
from toolset_gen.extract.library import Library
from toolset_gen.extract.linking import link
from toolset_gen.extract.model import SourceModel
from toolset_gen.extract.raw import RawModule, RawUses, ReadResult
from toolset_gen.extract.reader import read_file, read_files
from toolset_gen.extract.uses import Again

__all__ = ["Read", "describer_of", "extract", "read_all"]

Read: TypeAlias = Callable[[SourceFile], ReadResult]

_NO_SERVICES: Mapping[str, str] = MappingProxyType({})


def read_all(
    sources: Sources, *, executor: Executor | None = None, read: Read = read_file
) -> tuple[ReadResult, ...]:
    """Read every file.

    Args:
        sources: The files.
        executor: Where to read them; None for here. `read` must pickle for one with processes.
        read: Reads one file.

    Returns:
        What each file gave, in the order of the files.
    """
    return read_files(sources.files, read, executor)


def describer_of(
    results: Iterable[ReadResult],
    sources: Sources,
    packages: Iterable[str] = (),
    *,
    ahead: Iterable[str] = (),
    executor: Executor | None = None,
) -> Describer:
    """Make the layer that describes any class, function or module.

    Args:
        results: What reading the files gave.
        sources: The files; imports are looked for in their folders first.
        packages: Other packages that may be read when a path leads to them.
        ahead: Modules of those that will be read for sure.
        executor: Where to read those; None to read each here when a path leads to it.

    Returns:
        The describer.
    """
    modules = [item.module for item in results if item.module is not None]
    scanned = {name.partition(".")[0] for name in sources.packages}
    more = External({"toolset", *packages} - scanned, [sources.root / "src", sources.root])
    if executor is not None:
        more.read_ahead(ahead, executor)
    return Describer(Library(modules, more))


def extract(
    sources: Sources,
    *,
    services: Mapping[str, str] = _NO_SERVICES,
    executor: Executor | None = None,
    read: Read = read_file,
) -> SourceModel:
    """Extract everything that the sources say.

    Args:
        sources: What `discover` found.
        services: Service key to `module:Class` of classes others wrote.
        executor: Where files are read; None for here.
        read: Reads one file; a cache may stand before it.

    Returns:
        The catalog and the facts that rules need. Its diagnostics do not repeat those of `sources`.
    """
    with _no_collector():
        results = read_all(sources, executor=executor, read=read)
        ahead = [target.partition(":")[0] for target in services.values()]
        packages = {module.partition(".")[0] for module in ahead}
        describer = describer_of(results, sources, packages, ahead=ahead, executor=executor)
        while more := _led_to(describer.library, services) - packages:
            packages |= more
            describer = describer_of(results, sources, packages, ahead=ahead, executor=executor)
        model = link(describer, services, {*_roots(sources), *packages}, _again(sources))
    found = [item for result in results for item in result.diagnostics]
    return model._replace(diagnostics=ordered([*found, *model.diagnostics]))


def _led_to(library: Library, services: Mapping[str, str]) -> set[str]:
    """The packages that provided classes really are of: `pytest.MonkeyPatch` is `_pytest`'s."""
    found: set[str] = set()
    for target in services.values():
        path = target.replace(":", ".")
        if library.definition(path) is None:
            canonical = library.canonical(path)
            found |= {canonical.partition(".")[0]} if canonical != path else set()
    return found


def _again(sources: Sources) -> Again:
    """Look for uses in a module where the text hints at none."""
    files = {file.path: file for file in sources.files}

    def read(module: RawModule) -> RawUses | None:
        file = files.get(module.path)
        found = read_file(file, uses="all").module if file is not None else None
        return found.uses if found is not None else None

    return read


@contextmanager
def _no_collector() -> Generator[None]:
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def _roots(sources: Sources) -> Iterator[str]:
    for name in sources.packages:
        yield name.partition(".")[0]
