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
from toolset_gen.extract.names import is_service
from toolset_gen.extract.raw import RawModule, RawUses, ReadResult
from toolset_gen.extract.reader import read_file, read_files
from toolset_gen.extract.services import classes
from toolset_gen.extract.uses import Again

__all__ = ["Read", "describer_of", "extract", "read_all"]

Read: TypeAlias = Callable[[SourceFile], ReadResult]

# What the classes of these give to a class is known without reading them.
_KNOWN = frozenset(
    {"abc", "builtins", "enum", "pydantic", "pydantic_settings", "typing", "typing_extensions"}
)
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
) -> Describer:
    """Make the layer that describes any class, function or module.

    Args:
        results: What reading the files gave.
        sources: The files; imports are looked for in their folders first.
        packages: Other packages that may be read when a path leads to them.

    Returns:
        The describer.
    """
    return _describer(results, _external(sources, packages))


def _external(sources: Sources, packages: Iterable[str]) -> External:
    scanned = {name.partition(".")[0] for name in sources.packages}
    return External({"toolset", *packages} - scanned, [sources.root / "src", sources.root])


def _describer(results: Iterable[ReadResult], more: External) -> Describer:
    return Describer(Library([item.module for item in results if item.module is not None], more))


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
        more = _external(sources, packages)
        if executor is not None:
            more.read_ahead(ahead, executor)
        targets = [target.replace(":", ".") for target in services.values()]
        describer = _with_bases(results, more, targets)
        # Where provided classes really are: `pytest.MonkeyPatch` is `_pytest`'s.
        packages |= {describer.library.canonical(path).partition(".")[0] for path in targets}
        model = link(describer, services, {*_roots(sources), *packages}, _again(sources))
    found = [item for result in results for item in result.diagnostics]
    return model._replace(diagnostics=ordered([*found, *model.diagnostics]))


def _with_bases(results: Iterable[ReadResult], more: External, targets: Iterable[str]) -> Describer:
    """Make the describer, with the packages that the bases of services lead to, step by step."""
    describer = _describer(results, more)
    library = describer.library
    own = [item.path for item, raw in classes(library) if raw.keyword("key") is not None]
    paths = [*targets, *(path for path in own if is_service(path, library))]
    while paths:
        led = {path: _unread(path, describer.library) - more.packages for path in paths}
        paths = [path for path in paths if led[path]]
        if paths:
            more.admit({name for names in led.values() for name in names})
            describer = _describer(results, more)
    return describer


def _unread(path: str, library: Library) -> set[str]:
    """The packages of what a class derives from, of those that no read module defines."""
    unread = [base for base in library.mro(library.canonical(path)) if not library.definition(base)]
    led = [one for base in unread if base[0] != "?" for one in (base, *_stars(base, library))]
    return {one.partition(".")[0] for one in led} - _KNOWN


def _stars(path: str, library: Library) -> list[str]:
    """The modules that the module of a path takes everything from: the first branch may be in C."""
    found = [path.rpartition(".")[0]]
    for name in found:
        module = library.module(name)
        found += [star for star in module.stars if star not in found] if module is not None else []
    return found[1:]


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
