"""Find the source files of the packages to scan: every one of them, or a diagnostic that says why not."""

# Maintainers: answers for which files exist and what module each one is; it does not decode or parse.
# Invariant: a file with Python source below a scanned package is either in `Sources.files` or named in
# `Sources.diagnostics`; nothing is left out in silence. Order and paths depend on names alone, never
# on the file system's order or on where the checkout lies.

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Collection, Iterator, Sequence
from keyword import iskeyword
from pathlib import Path
from typing import NamedTuple

from toolset_gen.diagnostics import Diagnostic, ordered
from toolset_gen.documents import Document

__all__ = ["SourceFile", "Sources", "discover", "read_source"]

_SKIPPED = frozenset({"__pycache__", "node_modules"})
_SUFFIXES = (".py", ".pyi")


class SourceFile(NamedTuple):
    """One source file.

    Attributes:
        path: Where it is, posix, relative to the project root.
        module: Dotted name of its module.
        is_package: Whether it is an `__init__` file.
        is_stub: Whether it is a `.pyi` file.
        sha256: Hash of its bytes, hexadecimal.
        data: Its bytes.
    """

    path: str
    module: str
    is_package: bool
    is_stub: bool
    sha256: str
    data: bytes


class Sources(NamedTuple):
    """The files of the packages to scan.

    Attributes:
        root: The project root, that paths are relative to.
        packages: Import names of the scanned packages.
        files: Every file that could be read, sorted by path.
        diagnostics: What could not be read or imported, and packages that are not there.
        documents: The project's documents beside its code.
    """

    root: Path
    packages: tuple[str, ...]
    files: tuple[SourceFile, ...]
    diagnostics: tuple[Diagnostic, ...] = ()
    documents: tuple[Document, ...] = ()


def discover(
    root: Path,
    packages: Sequence[str],
    *,
    sources: Sequence[str] = ("src", "."),
    exclude: Collection[str] = (),
) -> Sources:
    """Read every source file of some packages.

    Args:
        root: The project root.
        packages: Import names; a dotted one names a subpackage.
        sources: Folders, relative to `root`, in which a package is looked for, in order.
        exclude: Files to leave out, posix and relative to `root`: the generated ones.

    Returns:
        The files, and what stands in the way of others.
    """
    walk = _Walk(root, frozenset(exclude))
    for package in dict.fromkeys(packages):
        walk.package(package, sources)
    walk.report_clashes()
    files = {file.path: file for file in walk.files}
    return Sources(
        root=root,
        packages=tuple(packages),
        files=tuple(files[path] for path in sorted(files)),
        diagnostics=ordered(walk.diagnostics),
    )


def read_source(path: Path, shown: str, module: str) -> SourceFile:
    """Read one file from the disk.

    Args:
        path: The file.
        shown: Its path as it is reported.
        module: Dotted name of its module.

    Returns:
        The file and its hash.

    Raises:
        OSError: It cannot be read, or is no file: reading a pipe might never end.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(errno.EINVAL, "it is no regular file")
    data = path.read_bytes()
    return SourceFile(
        path=shown,
        module=module,
        is_package=path.stem == "__init__",
        is_stub=path.suffix == ".pyi",
        sha256=hashlib.sha256(data).hexdigest(),
        data=data,
    )


class _Walk:
    def __init__(self, root: Path, exclude: frozenset[str]) -> None:
        self.root = root
        self.exclude = exclude
        self.files: list[SourceFile] = []
        self.diagnostics: list[Diagnostic] = []

    def package(self, name: str, sources: Sequence[str]) -> None:
        for source in sources:
            base = self.root.joinpath(source, *name.split("."))
            if base.is_dir():
                self._folder(base, name, frozenset())
                return
            single = [base.with_name(base.name + suffix) for suffix in _SUFFIXES]
            found = [path for path in single if path.is_file()]
            if found:
                for path in found:
                    self._file(path, name)
                return
        looked = ", ".join(repr(source) for source in sources)
        self._report(
            "SRC005",
            "pyproject.toml",
            f"package {name!r} was not found in {looked}",
            "correct `packages` or `sources` under [tool.toolset.catalog]",
        )

    def _folder(self, folder: Path, module: str, above: frozenset[str]) -> None:
        real = os.path.realpath(folder)
        if real in above:
            shown = self._shown(folder)
            self._report(
                "SRC003",
                shown,
                f"folder {shown!r} is a link to a folder that contains it, so it never ends",
                "remove the link, or move it out of the package",
            )
            return
        entries = self._entries(folder)
        names = {entry.name for entry in entries}
        if not names & {"__init__.py", "__init__.pyi"}:
            self._lost(folder, entries, above | {real})
            return
        for entry in entries:
            path = folder / entry.name
            if _is_folder(entry):
                if path.suffix in _SUFFIXES:
                    self._report(
                        "SRC003",
                        self._shown(path),
                        f"{self._shown(path)} cannot be read: it is a folder",
                        "rename the folder, or move it out of the package",
                    )
                elif entry.name.isidentifier() and not iskeyword(entry.name):
                    self._folder(path, f"{module}.{entry.name}", above | {real})
                elif _enters(entry.name):
                    self._lost(path, self._entries(path), above | {real})
            elif path.suffix in _SUFFIXES:
                self._member(path, module)

    def _entries(self, folder: Path) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError as error:
            self._report(
                "SRC003",
                self._shown(folder),
                f"folder {self._shown(folder)!r} cannot be read: {error.strerror or error}",
                "make it readable, or move it out of the package",
            )
            return []
        return [entry for entry in entries if _enters(entry.name)]

    def _member(self, path: Path, module: str) -> None:
        if path.stem == "__init__":
            self._file(path, module)
        elif iskeyword(path.stem):
            self._not_importable(path, f"{path.stem!r} is a keyword", "rename it")
        elif path.stem.isidentifier():
            self._file(path, f"{module}.{path.stem}")
        else:
            self._not_importable(path, f"{path.stem!r} is not an identifier", "rename it")

    def _file(self, path: Path, module: str) -> None:
        shown = self._shown(path)
        if shown in self.exclude:
            return
        try:
            self.files.append(read_source(path, shown, module))
        except OSError as error:
            self._report(
                "SRC003",
                shown,
                f"{shown} cannot be read: {error.strerror or error}",
                "make it readable, or move it out of the package",
            )

    def _lost(self, folder: Path, entries: list[os.DirEntry[str]], above: frozenset[str]) -> None:
        """Report every source file below a folder that Python does not import from."""
        why = f"folder {self._shown(folder)!r} has no __init__.py"
        remedy = "add an __init__.py, or move the file out of the package"
        if not folder.name.isidentifier() or iskeyword(folder.name):
            why = f"folder {self._shown(folder)!r} cannot be named in an import"
            remedy = "rename the folder, or move it out of the package"
        for path in self._below(folder, entries, above):
            self._not_importable(path, why, remedy)

    def _below(
        self, folder: Path, entries: list[os.DirEntry[str]], above: frozenset[str]
    ) -> Iterator[Path]:
        for entry in entries:
            path = folder / entry.name
            if _is_folder(entry):
                real = os.path.realpath(path)
                if real not in above:
                    yield from self._below(path, self._entries(path), above | {real})
            elif path.suffix in _SUFFIXES:
                yield path

    def report_clashes(self) -> None:
        """Report modules that two files claim: a folder beside a module of the same name."""
        first: dict[tuple[str, bool], SourceFile] = {}
        for file in self.files:
            other = first.setdefault((file.module, file.is_stub), file)
            if other.path != file.path:
                self._report(
                    "SRC006",
                    max(other, file, key=lambda item: not item.is_package).path,
                    f"module {file.module!r} is both {other.path} and {file.path}; "
                    "Python imports the package alone",
                    "rename one of them",
                )

    def _not_importable(self, path: Path, why: str, remedy: str) -> None:
        shown = self._shown(path)
        if shown not in self.exclude:
            self._report("SRC004", shown, f"{shown} is not importable: {why}", remedy)

    def _report(self, rule: str, path: str, message: str, remedy: str) -> None:
        self.diagnostics.append(Diagnostic(rule, path, 0, message, remedy))

    def _shown(self, path: Path) -> str:
        return Path(os.path.relpath(path, self.root)).as_posix()


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a symbolic link that leads in a circle
        return False


def _enters(name: str) -> bool:
    return name not in _SKIPPED and not name.startswith(".")
