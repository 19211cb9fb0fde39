"""The file service, on real files below a real root."""

from __future__ import annotations

import asyncio
import os
import stat
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from toolset import Context
from toolset.runtime import ConfigError, InactiveContextError
from toolset.services.fs import (
    EditError,
    FileSystem,
    FileTooLargeError,
    NotTextError,
    PathRefusedError,
    PatternError,
    RootError,
)

Check = Callable[[FileSystem], Coroutine[object, object, None]]


@asynccontextmanager
async def mounted(root: Path, **config: object) -> AsyncIterator[FileSystem]:
    """Give the service over a folder."""
    async with Context() as ctx:
        await ctx.plugin(FileSystem, {"root": str(root), **config})
        yield ctx.fs


@pytest.fixture
def on_files(run, tmp_path) -> Callable[..., None]:
    """Run a check on a service over `tmp_path / "work"`."""
    folder = tmp_path / "work"
    folder.mkdir()

    def runner(check: Check, **config: object) -> None:
        async def main() -> None:
            async with mounted(folder, **config) as fs:
                await check(fs)

        run(main())

    return runner


@pytest.fixture
def work(tmp_path) -> Path:
    """The workspace root."""
    return tmp_path / "work"


def test_text_comes_back_unchanged(on_files, work):
    """What is written is read again, line ends and characters included."""

    async def check(fs: FileSystem) -> None:
        text = "größe\r\nzwei\n\n🙂\r"
        assert await fs.write_text("a/b/c.txt", text) == len(text.encode())
        assert await fs.read_text("a/b/c.txt") == text
        assert (work / "a/b/c.txt").read_bytes() == text.encode()
        assert await fs.write_bytes("raw", b"\0\xff") == 2
        assert await fs.read_bytes("raw") == b"\0\xff"

    on_files(check)


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "..",
        "a/../../b",
        "a/..",
        "out/x",
        "out",
        "link",
        "a\0b",
        "",
        "~/x",
        "\ud800",
        3,
    ],
)
def test_path_outside_is_refused(on_files, work, tmp_path, path):
    """A path that leaves the root, by whatever way, is refused by every method, naming it."""
    (tmp_path / "secret").write_text("s")
    (tmp_path / "folder").mkdir()
    (work / "out").symlink_to(tmp_path / "folder")
    (work / "link").symlink_to(tmp_path / "secret")

    async def check(fs: FileSystem) -> None:
        calls = [
            fs.read_text(path),
            fs.read_bytes(path),
            fs.write_text(path, "x"),
            fs.write_bytes(path, b"x"),
            fs.edit(path, "s", "t"),
            fs.list(path),
            fs.stat(path),
            fs.grep("s", path),
        ]
        for call in calls:
            with pytest.raises(PathRefusedError, match="relative to the workspace root"):
                await call

    on_files(check)
    assert (tmp_path / "secret").read_text() == "s"
    assert list((tmp_path / "folder").iterdir()) == []


def test_inner_link_is_followed(on_files, work):
    """A link that stays inside the root works, and writing through it keeps the link."""
    (work / "real.txt").write_text("one")
    (work / "alias.txt").symlink_to("real.txt")

    async def check(fs: FileSystem) -> None:
        await fs.write_text("alias.txt", "two")
        assert (work / "real.txt").read_text() == "two"
        assert (work / "alias.txt").is_symlink()
        kinds = {entry.path: entry.kind for entry in await fs.list()}
        assert kinds == {"alias.txt": "symlink", "real.txt": "file"}

    on_files(check)


def test_link_loop_is_an_error(on_files, work):
    """A ring of links is an error of the system, not a hang."""
    (work / "loop").symlink_to("loop")

    async def check(fs: FileSystem) -> None:
        with pytest.raises(OSError, match="loop"):
            await fs.read_text("loop")

    on_files(check)


def test_missing_file_names_nearest(on_files, work, tmp_path):
    """A missing file is told by its own name with the nearest one, never the machine's path."""
    (work / "docs").mkdir()
    (work / "docs/notes.md").write_text("x")

    async def check(fs: FileSystem) -> None:
        with pytest.raises(FileNotFoundError, match=r"did you mean 'docs/notes\.md'") as caught:
            await fs.read_text("docs/note.md")
        assert str(tmp_path) not in str(caught.value)
        with pytest.raises(FileNotFoundError, match="nowhere"):
            await fs.stat("nowhere/at/all")
        with pytest.raises(IsADirectoryError, match="docs"):
            await fs.write_text("docs", "x")
        with pytest.raises(NotADirectoryError):
            await fs.list("docs/notes.md")

    on_files(check)


def test_undecodable_text_is_named(on_files, work):
    """A binary file read as text names the file, the place, and what to use."""
    (work / "image.png").write_bytes(b"\x89PNG\r\n")

    async def check(fs: FileSystem) -> None:
        with pytest.raises(NotTextError, match=r"'image\.png'.*byte 0 is 0x89.*read_bytes"):
            await fs.read_text("image.png")
        with pytest.raises(NotTextError, match="no such encoding"):
            await fs.read_text("image.png", encoding="utf-99")
        with pytest.raises(NotTextError, match=r"character 1 is '\\ud800'"):
            await fs.write_text("new.txt", "a\ud800")
        assert not (work / "new.txt").exists()
        assert await fs.read_text("image.png", encoding="latin-1") == "\x89PNG\r\n"

    on_files(check)


def test_huge_file_is_refused(on_files, work):
    """A file above the limit is not read, and the message says what to do instead."""
    (work / "big").write_bytes(b"x" * 11)

    async def check(fs: FileSystem) -> None:
        with pytest.raises(FileTooLargeError, match=r"11 bytes.*max_read_bytes"):
            await fs.read_bytes("big")
        result = await fs.grep("x")
        assert result.matches == ()
        assert result.skipped == ("big",)

    on_files(check, max_read_bytes=10)


def test_pipe_does_not_hang(on_files, work):
    """Reading a pipe is refused at once instead of waiting for a writer."""
    os.mkfifo(work / "pipe")

    async def check(fs: FileSystem) -> None:
        with pytest.raises(OSError, match="regular file"):
            await fs.read_bytes("pipe")
        with pytest.raises(OSError, match="regular file"):
            await fs.write_bytes("pipe", b"x")
        assert (await fs.stat("pipe")).kind == "other"

    on_files(check)


def test_write_keeps_mode(on_files, work):
    """An overwritten file keeps its mode; a new one follows the umask; no temporary file stays."""
    script = work / "run.sh"
    script.write_text("old")
    script.chmod(0o751)

    async def check(fs: FileSystem) -> None:
        await fs.write_text("run.sh", "new")
        await fs.write_text("fresh", "new")
        assert stat.S_IMODE(script.stat().st_mode) == 0o751
        umask = os.umask(0)
        os.umask(umask)
        assert stat.S_IMODE((work / "fresh").stat().st_mode) == 0o666 & ~umask
        assert sorted(path.name for path in work.iterdir()) == ["fresh", "run.sh"]

    on_files(check)


def test_failed_write_changes_nothing(on_files, work, monkeypatch):
    """When the last step of a write fails, the old content is there and no temporary file."""
    (work / "a.txt").write_text("old")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    async def check(fs: FileSystem) -> None:
        with monkeypatch.context() as patched:
            patched.setattr(os, "fsync", fail)
            with pytest.raises(OSError, match=r"No space left.*a\.txt"):
                await fs.write_text("a.txt", "new")
        assert [path.name for path in work.iterdir()] == ["a.txt"]
        assert (work / "a.txt").read_text() == "old"

    on_files(check)


def test_edit_replaces_exactly(on_files, work):
    """An edit replaces a text that is there as often as expected, and nothing else."""
    (work / "a.txt").write_bytes(b"one\r\ntwo\r\nthree\r\n")
    (work / "b.txt").write_text("x x x")

    async def check(fs: FileSystem) -> None:
        assert await fs.edit("a.txt", "one\ntwo", "1\n2") == 1
        assert (work / "a.txt").read_bytes() == b"1\r\n2\r\nthree\r\n"
        assert await fs.edit("b.txt", "x", "yy", count=3) == 3
        assert (work / "b.txt").read_text() == "yy yy yy"

    on_files(check)


def test_wrong_edit_changes_nothing(on_files, work):
    """An edit whose text is there too often, or not at all, says how often and changes nothing."""
    (work / "a.txt").write_text("one\ntwo\none\n")

    async def check(fs: FileSystem) -> None:
        with pytest.raises(EditError, match=r"2 times, not once; it begins on line 1, 3"):
            await fs.edit("a.txt", "one", "1")
        with pytest.raises(EditError, match=r"0 times, not once; read it again"):
            await fs.edit("a.txt", "four", "4")
        with pytest.raises(PatternError, match="is empty"):
            await fs.edit("a.txt", "", "4")
        assert (work / "a.txt").read_text() == "one\ntwo\none\n"

    on_files(check)


def test_concurrent_edits_all_land(on_files, work):
    """Edits of one file at the same time lose none of the changes."""
    (work / "a.txt").write_text(" ".join(f"<{n}>" for n in range(20)))

    async def check(fs: FileSystem) -> None:
        await asyncio.gather(*(fs.edit("a.txt", f"<{n}>", f"[{n}]") for n in range(20)))
        assert (work / "a.txt").read_text() == " ".join(f"[{n}]" for n in range(20))

    on_files(check)


def test_list_describes_entries(on_files, work):
    """A listing gives each entry's kind and size, sorted by name."""
    (work / "b").write_bytes(b"123")
    (work / "a").mkdir()
    (work / "a/inner").write_text("x")

    async def check(fs: FileSystem) -> None:
        shown = [(entry.path, entry.kind, entry.size) for entry in await fs.list()]
        assert shown == [("a", "directory", 0), ("b", "file", 3)]
        assert [entry.path for entry in await fs.list("a")] == ["a/inner"]
        assert (await fs.stat("b")).modified == (work / "b").stat().st_mtime
        assert (await fs.stat(".")).path == "."

    on_files(check)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("**/*.py", ["top.py", "src/a.py", "src/deep/b.py"]),
        ("*.py", ["top.py"]),
        ("src/**", ["src/a.py", "src/c.txt", "src/deep/b.py"]),
        ("src/*/?.py", ["src/deep/b.py"]),
        ("src/[ac].*", ["src/a.py", "src/c.txt"]),
        ("**/[!a].py", ["src/deep/b.py"]),
        ("**", [".hidden", "top.py", "src/a.py", "src/c.txt", "src/deep/b.py"]),
        ("nothing", []),
    ],
)
def test_glob_matches_paths(on_files, work, pattern, expected):
    """A glob matches whole relative paths; stars stay within a name, two of them span folders."""
    for name in ("top.py", ".hidden", "src/a.py", "src/c.txt", "src/deep/b.py"):
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text("x")
    (work / "loop").symlink_to(".")

    async def check(fs: FileSystem) -> None:
        assert sorted(await fs.glob(pattern)) == sorted(expected)

    on_files(check)


@pytest.mark.parametrize("pattern", ["", "/etc/*", "../*", "a/../b", "[z-a]", 3])
def test_odd_glob_is_refused(on_files, pattern):
    """A glob that leaves the workspace or is malformed is refused with an example."""

    async def check(fs: FileSystem) -> None:
        with pytest.raises(PatternError, match="such as"):
            await fs.glob(pattern)

    on_files(check)


def test_grep_finds_lines(on_files, work):
    """A search gives files, line numbers and lines, skips binaries, and says what it left out."""
    (work / "a.txt").write_bytes(b"Hello\r\nworld\r\nhello again\r\n")
    (work / "b.bin").write_bytes(b"hello\0")
    (work / "sub").mkdir()
    (work / "sub/c.md").write_text("hello " + "x" * 600)

    async def check(fs: FileSystem) -> None:
        found = await fs.grep("hello")
        assert [(one.path, one.line) for one in found.matches] == [("a.txt", 3), ("sub/c.md", 1)]
        assert found.matches[0].text == "hello again"
        assert len(found.matches[1].text) == 501
        assert found.skipped == ("b.bin",)
        assert not found.truncated
        more = await fs.grep("hello", ignore_case=True, limit=1)
        assert [one.line for one in more.matches] == [1]
        assert more.truncated
        assert len((await fs.grep("hello", glob="**/*.md")).matches) == 1
        assert len((await fs.grep("hello", "a.txt")).matches) == 1
        with pytest.raises(PatternError, match="no regular expression"):
            await fs.grep("(")

    on_files(check)


def test_cancelled_work_is_over(run, tmp_path):
    """Cancelling a call waits for its thread, which stops at its next step."""

    async def main() -> None:
        async with mounted(tmp_path) as fs:
            begun, release = threading.Event(), threading.Event()
            ended: list[bool] = []

            def slow(_: Path, stop: threading.Event) -> None:
                begun.set()
                while not stop.is_set():
                    release.wait(0.001)
                ended.append(True)

            task = asyncio.ensure_future(fs._do(".", slow))
            while not begun.is_set():
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert ended == [True]

    run(main())


def test_disposal_ends_running_work(run, tmp_path):
    """When the service is unmounted, running work ends before the disposal does."""

    async def main() -> None:
        async with Context() as root:
            fiber = await root.plugin(FileSystem, {"root": str(tmp_path)})
            fs = root.fs
            begun = threading.Event()
            ended: list[bool] = []

            def slow(_: Path, stop: threading.Event) -> None:
                begun.set()
                stop.wait()
                ended.append(True)

            task = asyncio.ensure_future(fs._do("x", slow))
            while not begun.is_set():
                await asyncio.sleep(0)
            await fiber.dispose()
            assert ended == [True]
            with pytest.raises(InactiveContextError):
                await task
            with pytest.raises(InactiveContextError):
                await fs.read_text("x")

    run(main())


def test_odd_configuration_is_refused(run):
    """An unknown or impossible setting fails the mount, naming it."""

    async def main() -> None:
        async with Context() as root:
            with pytest.raises(ConfigError, match=r"rot.*root"):
                await root.plugin(FileSystem, {"rot": "."})
            with pytest.raises(ConfigError, match="max_read_bytes"):
                await root.plugin(FileSystem, {"max_read_bytes": 0})

    run(main())


@pytest.mark.parametrize(("root", "problem"), [("nowhere", "not there"), ("file", "no folder")])
def test_unusable_root_fails_start(run, tmp_path, root, problem):
    """A root that is no folder fails the start of `fs`, saying so."""
    (tmp_path / "file").write_text("text")

    async def main() -> None:
        async with Context() as ctx:
            with pytest.raises(RootError, match=f"{root}' is {problem}"):
                await ctx.plugin(FileSystem, {"root": str(tmp_path / root)})

    run(main())
