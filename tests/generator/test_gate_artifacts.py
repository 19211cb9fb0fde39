"""Artifacts are compared by bytes and written whole."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from toolset_gen import artifacts
from toolset_gen.artifacts import MARK, Stale, compare, write
from toolset_gen.errors import ArtifactError

WANTED = {"catalog/a.md": f"<!-- {MARK} -->\nA\n".encode(), "lib/b.py": b"B = 1\n"}


def make(root: Path) -> None:
    write(root, compare(root, WANTED))


def test_missing_artifacts_are_written(tmp_path: Path) -> None:
    """Artifacts that do not exist are stale, and written with their folders."""
    assert [(s.path, s.why) for s in compare(tmp_path, WANTED)] == [
        ("catalog/a.md", "missing"),
        ("lib/b.py", "missing"),
    ]
    make(tmp_path)
    assert compare(tmp_path, WANTED) == ()
    assert (tmp_path / "lib/b.py").read_bytes() == b"B = 1\n"
    assert sorted(p.name for p in tmp_path.rglob("*") if p.is_file()) == ["a.md", "b.py"]


def test_equal_files_stay_untouched(tmp_path: Path) -> None:
    """A second run rewrites nothing: identity and time of every file stay."""
    make(tmp_path)
    before = {p: (p.stat().st_mtime_ns, p.stat().st_ino) for p in tmp_path.rglob("*.*")}
    make(tmp_path)
    assert {p: (p.stat().st_mtime_ns, p.stat().st_ino) for p in tmp_path.rglob("*.*")} == before


def test_line_ends_are_told_apart(tmp_path: Path) -> None:
    """A file whose line ends alone differ is stale for that reason."""
    make(tmp_path)
    target = tmp_path / "catalog/a.md"
    target.write_bytes(target.read_bytes().replace(b"\n", b"\r\n"))
    assert [s.why for s in compare(tmp_path, WANTED)] == ["line ends"]
    target.write_bytes(target.read_bytes() + b"more\r\n")
    assert [s.why for s in compare(tmp_path, WANTED)] == ["changed"]


def test_orphan_is_removed(tmp_path: Path) -> None:
    """A file with our head that is no longer produced is reported, then removed."""
    make(tmp_path)
    orphan = tmp_path / "catalog/old.md"
    orphan.write_text(f"<!-- {MARK} -->\nold\n")
    hand_written = tmp_path / "catalog/mine.md"
    hand_written.write_text("mine\n")
    assert [(s.path, s.why) for s in compare(tmp_path, WANTED)] == [("catalog/old.md", "orphaned")]
    make(tmp_path)
    assert not orphan.exists()
    assert hand_written.exists()


def test_unwritable_folder_writes_nothing(tmp_path: Path) -> None:
    """When one artifact cannot be staged, no artifact is replaced."""
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog/a.md").write_bytes(b"old\n")
    (tmp_path / "lib").write_bytes(b"a file where a folder is needed\n")
    stale = [Stale(path, "changed", b"", data) for path, data in WANTED.items()]
    with pytest.raises(ArtifactError, match=r"cannot (read|write) .*lib'"):
        write(tmp_path, stale)
    assert (tmp_path / "catalog/a.md").read_bytes() == b"old\n"
    assert [p.name for p in (tmp_path / "catalog").iterdir()] == ["a.md"]


def test_folder_in_place_raises(tmp_path: Path) -> None:
    """A folder where an artifact belongs is an error that names it."""
    (tmp_path / "catalog/a.md").mkdir(parents=True)
    with pytest.raises(ArtifactError, match=r"cannot read '.*a\.md'"):
        compare(tmp_path, WANTED)


def test_mode_and_link_are_kept(tmp_path: Path) -> None:
    """A replaced file keeps its mode, and a link keeps leading to its target."""
    real = tmp_path / "real.py"
    real.write_bytes(b"old\n")
    real.chmod(0o640)
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/b.py").symlink_to(real)
    make(tmp_path)
    assert (tmp_path / "lib/b.py").is_symlink()
    assert real.read_bytes() == b"B = 1\n"
    assert real.stat().st_mode & 0o777 == 0o640


def test_leftovers_are_swept(tmp_path: Path) -> None:
    """What a killed run had staged is removed by the next one; a living run's is not."""
    make(tmp_path)
    dead = tmp_path / "lib/.b.py.999999999.toolset-staged"
    living = tmp_path / f"lib/.b.py.{os.getppid()}.toolset-staged"
    for path in (dead, living):
        path.write_bytes(b"half")
    (tmp_path / "lib/b.py").write_bytes(b"stale\n")
    make(tmp_path)
    assert not dead.exists()
    assert living.exists()


def test_command_stands_in_the_mark() -> None:
    """The head of an artifact names the command that makes it."""
    assert artifacts.COMMAND in MARK
