"""Files below a workspace root, `ctx.fs`."""

# Maintainers: the public face; rules about paths are root.py's, about writing atomic.py's, about
# searching search.py's. Invariant: blocking work runs in a thread of the loop's executor, as a task
# of this service's fiber, and whoever waits for it waits until the thread is done: nothing of a
# call outlives the call, its caller or the service.

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from toolset.catalog import nearest
from toolset.runtime.belonging import give_way
from toolset.runtime.errors import InactiveContextError
from toolset.runtime.service import Service
from toolset.services.fs.atomic import read_file, replace_file
from toolset.services.fs.errors import FileTooLargeError
from toolset.services.fs.root import Root
from toolset.services.fs.search import (
    GrepResult,
    compile_glob,
    compile_regex,
    grep_files,
    walk,
)
from toolset.services.fs.text import decode, encode, replaced

if TYPE_CHECKING:
    from toolset.runtime.context import Context

__all__ = ["FileEntry", "FileSystem"]

T = TypeVar("T")


class FileEntry(NamedTuple):
    """One file or folder.

    Attributes:
        path: Relative to the workspace root, with forward slashes.
        kind: `file`, `directory`, `symlink`, or `other` for pipes and devices.
        size: Bytes of a file, 0 for anything else.
        modified: When it was last changed, in seconds since 1970 (UTC).
    """

    path: str
    kind: Literal["file", "directory", "symlink", "other"]
    size: int
    modified: float


class FileSystem(Service, key="fs"):
    """Read, write and search files below the workspace root.

    Every path is relative to the root; one that leaves it, symbolic links included, is refused.
    This keeps honest code in its place; it is no security boundary.
    """

    class Config(BaseModel):
        """Where the workspace is and how much of it is read at once."""

        model_config = ConfigDict(extra="forbid")

        root: str = Field(default=".", min_length=1, description="Folder that all paths are below.")
        max_read_bytes: int = Field(
            default=16_000_000, gt=0, description="Largest file that is read or searched, in bytes."
        )

    def __init__(self, ctx: Context, config: Config | None = None) -> None:
        super().__init__(ctx, config)
        settings = config if config is not None else self.Config()
        self._root = Root(settings.root)
        self._max_read = settings.max_read_bytes
        self._writing = threading.Lock()

    # -- reading ---------------------------------------------------------------------------------

    async def read_text(self, path: str, *, encoding: str = "utf-8") -> str:
        """Read one text file; its line ends stay as they are.

        Args:
            path: File to read, relative to the workspace root.
            encoding: Text encoding.

        Returns:
            The decoded content.

        Raises:
            FileNotFoundError: No file exists at `path`.
            NotTextError: The content is not text in this encoding.
            FileTooLargeError: The file is larger than `max_read_bytes`.
            PathRefusedError: The path leaves the workspace.
        """
        return decode(path, await self.read_bytes(path), encoding)

    async def read_bytes(self, path: str) -> bytes:
        """Read one file.

        Args:
            path: File to read, relative to the workspace root.

        Returns:
            The content.

        Raises:
            FileNotFoundError: No file exists at `path`.
            FileTooLargeError: The file is larger than `max_read_bytes`.
            PathRefusedError: The path leaves the workspace.
        """
        return await self._do(path, lambda place, _: self._read(path, place))

    def _read(self, path: str, place: Path) -> bytes:
        content, size = read_file(place, self._max_read)
        if size > self._max_read:
            raise FileTooLargeError(path, size, self._max_read)
        return content

    # -- writing ---------------------------------------------------------------------------------

    async def write_text(self, path: str, text: str, *, encoding: str = "utf-8") -> int:
        r"""Write one text file whole, and the folders above it. Line ends are written as given.

        A reader sees the old content or the new one, never a part; a mode that is there is kept.

        Args:
            path: File to write, relative to the workspace root.
            text: The new content.
            encoding: Text encoding.

        Returns:
            How many bytes were written.

        Raises:
            IsADirectoryError: A folder is at `path`.
            NotTextError: The text cannot be written in this encoding.
            PathRefusedError: The path leaves the workspace.
        """
        return await self.write_bytes(path, encode(path, text, encoding))

    async def write_bytes(self, path: str, content: bytes) -> int:
        """Write one file whole, and the folders above it.

        Args:
            path: File to write, relative to the workspace root.
            content: The new content.

        Returns:
            How many bytes were written.

        Raises:
            IsADirectoryError: A folder is at `path`.
            PathRefusedError: The path leaves the workspace.
        """

        def write(place: Path, stop: threading.Event) -> int:
            with self._writing:
                if not stop.is_set():
                    replace_file(place, content)
            return len(content)

        return await self._do(path, write)

    async def edit(
        self, path: str, old: str, new: str, *, count: int = 1, encoding: str = "utf-8"
    ) -> int:
        r"""Replace an exact text in a file, if it is there exactly as often as expected.

        In a file with Windows line ends, `\n` in both texts stands for `\r\n`.

        Args:
            path: File to change, relative to the workspace root.
            old: The text to replace, blanks and line ends included.
            new: What to put in its place.
            count: How often `old` must be in the file; all of them are replaced.
            encoding: Text encoding.

        Returns:
            How often it was replaced.

        Raises:
            EditError: `old` is there more or less often; the file is left as it was.
            FileNotFoundError: No file exists at `path`.
            NotTextError: The content is not text in this encoding.
            PathRefusedError: The path leaves the workspace.
        """

        def change(place: Path, stop: threading.Event) -> int:
            with self._writing:
                text = decode(path, self._read(path, place), encoding)
                edited = replaced(path, text, old, new, count)
                if not stop.is_set():
                    replace_file(place, encode(path, edited, encoding))
            return count

        return await self._do(path, change)

    # -- looking around --------------------------------------------------------------------------

    async def stat(self, path: str) -> FileEntry:
        """Describe one file or folder; symbolic links are followed.

        Args:
            path: What to describe, relative to the workspace root.

        Returns:
            Its kind, size and time.

        Raises:
            FileNotFoundError: Nothing exists at `path`.
            PathRefusedError: The path leaves the workspace.
        """
        return await self._do(path, lambda place, _: self._entry(place, place.stat()))

    async def list(self, path: str = ".") -> tuple[FileEntry, ...]:
        """List what is directly inside a folder.

        Args:
            path: The folder, relative to the workspace root.

        Returns:
            An entry each, sorted by name; symbolic links as such, hidden files included.

        Raises:
            FileNotFoundError: Nothing exists at `path`.
            NotADirectoryError: A file is at `path`.
            PathRefusedError: The path leaves the workspace.
        """
        return await self._do(path, lambda place, _: self._list(place))

    def _list(self, place: Path) -> tuple[FileEntry, ...]:
        found: dict[str, FileEntry] = {}
        with os.scandir(place) as entries:
            for entry in entries:
                with contextlib.suppress(FileNotFoundError):  # gone since it was named
                    about = entry.stat(follow_symlinks=False)
                    found[entry.name] = self._entry(Path(entry.path), about)
        return tuple(found[name] for name in sorted(found))

    def _entry(self, place: Path, about: os.stat_result) -> FileEntry:
        mode = about.st_mode
        kind: Literal["file", "directory", "symlink", "other"] = "other"
        if stat.S_ISREG(mode):
            kind = "file"
        elif stat.S_ISDIR(mode):
            kind = "directory"
        elif stat.S_ISLNK(mode):
            kind = "symlink"
        size = about.st_size if kind == "file" else 0
        return FileEntry(self._root.relative(place), kind, size, about.st_mtime)

    async def glob(self, pattern: str, *, limit: int = 1000) -> tuple[str, ...]:
        """Find files by name.

        Args:
            pattern: Matched against whole paths relative to the workspace root: `*` and `?` stay
                within a name, `**` spans folders, as in `src/**/*.py`.
            limit: The most paths to give.

        Returns:
            Paths of files, folder by folder in the order of their names; links are not followed.

        Raises:
            PatternError: The pattern is malformed or leaves the workspace.
        """
        regex = compile_glob(pattern)

        def find(place: Path, stop: threading.Event) -> tuple[str, ...]:
            found: dict[str, None] = {}
            for file in walk(place, stop):
                name = self._root.relative(file)
                if len(found) >= limit:
                    break
                if regex.fullmatch(name):
                    found[name] = None
            return tuple(found)

        return await self._do(".", find)

    async def grep(
        self,
        pattern: str,
        path: str = ".",
        *,
        glob: str = "**",
        ignore_case: bool = False,
        limit: int = 200,
    ) -> GrepResult:
        """Search text files for lines that match a regular expression.

        Args:
            pattern: A regular expression of Python's `re`, searched for in each line.
            path: The file or folder to search, relative to the workspace root.
            glob: Which files of a folder to search, as for `glob`.
            ignore_case: Whether upper and lower case are the same.
            limit: The most lines to give.

        Returns:
            The lines, whether there are more, and the files that were skipped because they are
            binary, too large or unreadable.

        Raises:
            PatternError: One of the patterns is malformed.
            FileNotFoundError: Nothing exists at `path`.
            PathRefusedError: The path leaves the workspace.
        """
        regex = compile_regex(pattern, ignore_case=ignore_case)
        names = compile_glob(glob)

        def search(place: Path, stop: threading.Event) -> GrepResult:
            folder = stat.S_ISDIR(place.stat().st_mode)
            named = ((self._root.relative(file), file) for file in walk(place, stop))
            files = (pair for pair in named if names.fullmatch(pair[0]))
            one = iter([(self._root.relative(place), place)])
            return grep_files(
                files if folder else one, regex, stop, limit=limit, max_bytes=self._max_read
            )

        return await self._do(path, search)

    # -- how work is done ------------------------------------------------------------------------

    async def _do(self, path: str, work: Callable[[Path, threading.Event], T]) -> T:
        """Run blocking work on a path in a thread, as a task of this service."""
        fiber = self.ctx.fiber
        if fiber.closing:
            await give_way()
            raise InactiveContextError(fiber.name, fiber.state, f"fs: {path!r}")
        return await fiber.run(self._threaded(path, work), f"fs: {path!r}")

    async def _threaded(self, path: str, work: Callable[[Path, threading.Event], T]) -> T:
        stop = threading.Event()
        thread = asyncio.ensure_future(asyncio.to_thread(self._work, path, work, stop))
        try:
            return await asyncio.shield(thread)
        except asyncio.CancelledError:
            stop.set()
            while not thread.done():
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.wait([thread])
            raise

    def _work(
        self, path: str, work: Callable[[Path, threading.Event], T], stop: threading.Event
    ) -> T:
        """Do it, in the thread."""
        try:
            return work(self._root.inside(path), stop)
        except FileTooLargeError:
            raise
        except OSError as error:
            raise self._told(error, path) from None

    def _told(self, error: OSError, path: str) -> OSError:
        """Say an error of the system in terms of the workspace, with the nearest name."""
        said = error.strerror or str(error)
        if error.errno == errno.ENOENT:
            parent = self._root.inside(path).parent
            names = [one.name for one in parent.iterdir()] if parent.is_dir() else []
            close = nearest(Path(path).name, names)
            folder = Path(path).parent
            meant = ", ".join(repr((folder / name).as_posix()) for name in close)
            said = f"{said} below the workspace root" + (
                f"; did you mean {meant}?" if meant else ""
            )
        return type(error)(error.errno, said, path)
