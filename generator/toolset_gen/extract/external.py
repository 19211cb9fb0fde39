"""Sources of other packages: the runtime's, and those of classes that are provided as services."""

# Maintainers: finds and reads modules of installed packages one by one, when a path leads to them; it
# never imports one. griffe's finder knows editable installs, stub packages and namespace packages; it
# is imported only when a package is asked for that the plain search does not find. Files come from
# the environment, so a fault in one is nobody's to repair here: such a module is left out.

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator
from pathlib import Path

from toolset_gen.discover import SourceFile, read_source
from toolset_gen.extract.raw import RawModule
from toolset_gen.extract.reader import read_file

__all__ = ["External"]


class External:
    """Modules of installed packages.

    Args:
        packages: Import names of the packages that may be read.
        search: Folders to search before the environment's.
    """

    def __init__(self, packages: Collection[str], search: Collection[Path] = ()) -> None:
        self.packages = frozenset(packages)
        self.search = [*search, *(Path(entry or ".") for entry in sys.path)]
        self._folders: dict[str, Path | None] = {}

    def __call__(self, name: str) -> Iterator[RawModule]:
        """Read a module, and its stub when there is one.

        Args:
            name: Its dotted name.

        Yields:
            What each file says.
        """
        root, *parts = name.split(".")
        if root not in self.packages:
            return
        folder = self._folder(root)
        if folder is None:
            return
        base = folder.joinpath(*parts)
        for suffix in (".py", ".pyi"):
            for path in (base / f"__init__{suffix}", base.with_name(base.name + suffix)):
                if path.is_file():
                    yield from self._read(path, name, folder)
                    break

    def _read(self, path: Path, name: str, folder: Path) -> Iterator[RawModule]:
        shown = path.relative_to(folder.parent).as_posix()
        try:
            file: SourceFile = read_source(path, shown, name)
        except OSError:
            return
        module = read_file(file, uses=False).module
        if module is not None:
            yield module

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
