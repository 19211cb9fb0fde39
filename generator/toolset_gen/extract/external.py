"""Sources of other packages: the runtime's, and those of classes that are provided as services."""

# Maintainers: finds and reads modules of installed packages one by one, when a path leads to them; it
# never imports one. griffe's finder knows editable installs, stub packages and namespace packages; it
# is imported only when a package is asked for that the plain search does not find. Files come from
# the environment, so a fault in one is nobody's to repair here: such a module is left out.

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator
from concurrent.futures import Executor
from contextlib import suppress
from functools import partial
from pathlib import Path

from toolset_gen.discover import SourceFile, read_source
from toolset_gen.extract.raw import RawModule, ReadResult
from toolset_gen.extract.reader import read_file, read_files

__all__ = ["External"]

_READ = partial(read_file, uses=False)


class External:
    """Modules of installed packages.

    Args:
        packages: Import names of the packages that may be read.
        search: Folders to search before the environment's.
    """

    def __init__(self, packages: Collection[str], search: Collection[Path] = ()) -> None:
        self.packages = set(packages)
        self.search = [*search, *(Path(entry or ".") for entry in sys.path)]
        self._folders: dict[str, Path | None] = {}
        self._ahead: dict[str, ReadResult] = {}
        self._modules: dict[str, tuple[RawModule, ...]] = {}

    def __call__(self, name: str) -> tuple[RawModule, ...]:
        """Read a module, and its stub when there is one.

        Args:
            name: Its dotted name.

        Returns:
            What each file says.
        """
        if name not in self._modules:
            self._modules[name] = tuple(self._read_all(name))
        return self._modules[name]

    def _read_all(self, name: str) -> Iterator[RawModule]:
        for path, shown in self._files(name):
            result = self._ahead.pop(shown, None) or self._read(path, shown, name)
            if result is not None and result.module is not None:
                yield result.module

    def admit(self, packages: Iterable[str]) -> None:
        """Let more packages be read.

        Args:
            packages: Their import names.
        """
        self.packages.update(packages)
        self._modules = {name: found for name, found in self._modules.items() if found}

    def read_ahead(self, names: Iterable[str], executor: Executor) -> None:
        """Read modules that will be asked for, all at once.

        Args:
            names: Their dotted names.
            executor: Where to read them.
        """
        files: dict[str, SourceFile] = {}
        for name in sorted(set(names)):
            for path, shown in self._files(name):
                with suppress(OSError):
                    files[shown] = read_source(path, shown, name)
        results = read_files(tuple(files.values()), _READ, executor)
        self._ahead.update(zip(files, results, strict=True))

    def _files(self, name: str) -> Iterator[tuple[Path, str]]:
        """Find the files of a module, each with the path that is shown of it."""
        root, *parts = name.split(".")
        folder = self._folder(root) if root in self.packages else None
        if folder is None:
            return
        base = folder.joinpath(*parts)
        for suffix in (".py", ".pyi"):
            for path in (base / f"__init__{suffix}", base.with_name(base.name + suffix)):
                if path.is_file():
                    yield path, path.relative_to(folder.parent).as_posix()
                    break

    def _read(self, path: Path, shown: str, name: str) -> ReadResult | None:
        try:
            return _READ(read_source(path, shown, name))
        except OSError:
            return None

    def _folder(self, root: str) -> Path | None:
        if root not in self._folders:
            plain = (entry / root for entry in self.search)
            found = next((path for path in plain if (path / "__init__.py").is_file()), None)
            self._folders[root] = found or self._single(root) or self._find(root)
        return self._folders[root]

    def _single(self, root: str) -> Path | None:
        """A package that is one file: the folder it would be."""
        plain = (entry / root for entry in self.search)
        return next((path for path in plain if path.with_name(f"{root}.py").is_file()), None)

    def _find(self, root: str) -> Path | None:
        import griffe  # noqa: PLC0415 - see the head of the module

        finder = griffe.ModuleFinder([str(entry) for entry in self.search])
        try:
            _, package = finder.find_spec(root, try_relative_path=False)
        except ModuleNotFoundError:
            return None
        path = package.path
        folder = path[0] if isinstance(path, list) else path
        return folder if folder.is_dir() else folder.parent
