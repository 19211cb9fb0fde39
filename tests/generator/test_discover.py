"""Which files are read, and that none is left out in silence."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import shutil
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
from extracting import scan, scan_case, scan_folder

from toolset_gen.discover import SourceFile, discover
from toolset_gen.extract import extract, read_all
from toolset_gen.extract.raw import ReadResult
from toolset_gen.extract.reader import read_file


def write(root: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def found(root: Path, *packages: str) -> list[tuple[str, str, int]]:
    sources = discover(root, packages or ("pkg",))
    return [
        (item.rule, item.path, item.line)
        for item in sorted([*sources.diagnostics, *extract(sources).diagnostics])
    ]


@pytest.mark.parametrize("name", ["class.py", "import.pyi", "lambda/__init__.py", "None.py"])
def test_keyword_is_no_module(tmp_path: Path, name: str) -> None:
    """A module or package that is named by a keyword cannot be imported."""
    write(tmp_path, {"pkg/__init__.py": b"", f"pkg/{name}": b"", "pkg/match.py": b""})
    assert [(rule, path) for rule, path, _ in found(tmp_path)] == [("SRC004", f"pkg/{name}")]


def test_broken_files_are_reported(tmp_path: Path) -> None:
    """A syntax error and a folder without `__init__.py` are both reported in one run."""
    result = scan_case(tmp_path, "14")
    (syntax,) = result.model.diagnostics
    assert (syntax.rule, syntax.path, syntax.line) == ("SRC001", "pkg/bad.py", 1)
    assert "syntax" in syntax.message
    assert syntax.excerpt == "def broken(:\n           ^"
    (lost,) = result.sources.diagnostics
    assert (lost.rule, lost.path, lost.severity) == ("SRC004", "pkg/scripts/tool.py", "error")
    assert "not importable" in lost.message
    assert "__init__" in lost.message


def test_every_bad_file_is_named(tmp_path: Path) -> None:
    """All kinds of unreadable files are found in one run, none as a traceback."""
    bad = {
        "a_syntax": b"x = = 1\n",
        "b_indent": b"def f():\n  x\n y\n",
        "c_latin": b"# ok\nx = '\xe9'\n",
        "d_coding": b"# -*- coding: no-such -*-\n",
        "e_nul": b"x = 1\0\n",
        "f_deep": b"(" * 5000 + b")" * 5000,
        "g_half": b"class A:\n    def f(self",
        "h_bom_coding": b"\xef\xbb\xbf# coding: latin-1\n",
    }
    write(tmp_path, {"pkg/__init__.py": b"", **{f"pkg/{name}.py": bad[name] for name in bad}})
    rules = {path.removeprefix("pkg/")[:-3]: rule for rule, path, _ in found(tmp_path)}
    assert rules == {
        "a_syntax": "SRC001",
        "b_indent": "SRC001",
        "c_latin": "SRC002",
        "d_coding": "SRC002",
        "e_nul": "SRC001",
        "f_deep": "SRC001",
        "g_half": "SRC001",
        "h_bom_coding": "SRC002",
    }
    lines = {path.removeprefix("pkg/")[:-3]: line for _, path, line in found(tmp_path)}
    assert (lines["a_syntax"], lines["c_latin"]) == (1, 2)


def test_odd_encodings_are_read(tmp_path: Path) -> None:
    """A declared encoding, a byte-order mark, CRLF and an empty file are all fine."""
    write(
        tmp_path,
        {
            "pkg/__init__.py": b"",
            "pkg/latin.py": b"# coding: latin-1\ndef f(x='\xe9'): ...\n",
            "pkg/bom.py": b"\xef\xbb\xbfdef f(): ...\n",
            "pkg/crlf.py": b'def f(x=dict(\r\n a=1)):\r\n    """One\r\n\r\n    Two."""\r\n',
        },
    )
    result = scan_folder(tmp_path, "pkg")
    assert not result.model.diagnostics
    assert result.function("pkg.latin.f").signature == "f(x='é')"
    assert result.function("pkg.bom.f").signature == "f()"
    assert result.function("pkg.crlf.f").signature == "f(x=dict(a=1))"
    assert result.function("pkg.crlf.f").description == "Two."


def test_odd_names_are_reported(tmp_path: Path) -> None:
    """Files and folders that no import can name are reported; caches and data are not."""
    paths = (
        "pkg/__init__.py",
        "pkg/my-script.py",
        "pkg/a.b.py",
        "pkg/dir.py/inner.py",
        "pkg/not-a-name/x.py",
        "pkg/data/readme.txt",
        "pkg/__pycache__/x.py",
        "pkg/.hidden/x.py",
        "pkg/twice.py",
        "pkg/twice/__init__.py",
    )
    write(tmp_path, dict.fromkeys(paths, b""))
    assert [(rule, path) for rule, path, _ in found(tmp_path)] == [
        ("SRC003", "pkg/dir.py"),
        ("SRC004", "pkg/a.b.py"),
        ("SRC004", "pkg/my-script.py"),
        ("SRC004", "pkg/not-a-name/x.py"),
        ("SRC006", "pkg/twice.py"),
    ]


def test_missing_packages_are_reported(tmp_path: Path) -> None:
    """A package that is not there is reported beside the ones that are."""
    write(tmp_path, {"pkg/__init__.py": b"", "single.py": b""})
    sources = discover(tmp_path, ["pkg", "single", "gone"])
    (diagnostic,) = sources.diagnostics
    assert (diagnostic.rule, "'gone'" in diagnostic.message) == ("SRC005", True)
    assert [item.module for item in sources.files] == ["pkg", "single"]


def test_symlink_loops_end(tmp_path: Path) -> None:
    """A link to a folder around it is not followed, and reported."""
    write(tmp_path, {"pkg/__init__.py": b"", "pkg/a.py": b""})
    (tmp_path / "pkg/loop").symlink_to(tmp_path / "pkg", target_is_directory=True)
    (tmp_path / "pkg/gone.py").symlink_to(tmp_path / "nowhere.py")
    sources = discover(tmp_path, ["pkg"])
    assert [item.path for item in sources.files] == ["pkg/__init__.py", "pkg/a.py"]
    assert [(i.rule, i.path) for i in sources.diagnostics] == [
        ("SRC003", "pkg/gone.py"),
        ("SRC003", "pkg/loop"),
    ]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_forbidden_files_are_reported(tmp_path: Path) -> None:
    """A file without read permission is reported."""
    write(tmp_path, {"pkg/__init__.py": b"", "pkg/a.py": b""})
    (tmp_path / "pkg/a.py").chmod(0)
    assert found(tmp_path) == [("SRC003", "pkg/a.py", 0)]


def test_generated_files_are_left_out(tmp_path: Path) -> None:
    """Excluded files are neither read nor reported."""
    write(tmp_path, {"src/pkg/__init__.py": b"", "src/pkg/made.py": b"x = = 1"})
    sources = discover(tmp_path, ["pkg"], exclude=["src/pkg/made.py"])
    assert [item.path for item in sources.files] == ["src/pkg/__init__.py"]


def test_invalid_escapes_stay_quiet(tmp_path: Path) -> None:
    """A scanned file that makes Python warn is read without a warning of ours."""
    assert scan(tmp_path, 'X = "\\d"\n').function("case.X").default == '"\\d"'


def test_reading_runs_anywhere(tmp_path: Path) -> None:
    """What reading gives pickles, and is the same through an executor of other processes."""
    from test_extract_catalog import PACKAGE  # noqa: PLC0415

    sources = scan(tmp_path, PACKAGE).sources
    here = read_all(sources)
    assert pickle.loads(pickle.dumps(here)) == here  # noqa: S301 - our own bytes
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        assert extract(sources, executor=pool) == extract(sources)


def test_cached_reading_is_used(tmp_path: Path) -> None:
    """A cache may stand before the reader: it is asked once a file."""
    sources = scan(tmp_path, "def f(): ...\n").sources
    asked: list[str] = []

    def read(file: SourceFile) -> ReadResult:
        asked.append(file.sha256)
        return read_file(file)

    assert extract(sources, read=read) == extract(sources)
    assert asked == [sources.files[0].sha256]


PROGRAM = """
import random, sys
from pathlib import Path
from toolset_gen.discover import discover
from toolset_gen.extract import extract
sources = discover(Path(sys.argv[1]), ["pkg"])
files = list(sources.files)
random.Random(sys.argv[2]).shuffle(files)
model = extract(sources._replace(files=tuple(files)))
own = model._replace(locations=dict(model.locations), public=dict(model.public))
sys.stdout.buffer.write(repr(own).encode())
"""


def model_bytes(root: Path, seed: str, cwd: Path) -> bytes:
    environment = {**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": "C", "PYTHONUTF8": "0"}
    command = [sys.executable, "-c", PROGRAM, str(root), seed]
    return subprocess.run(command, check=True, capture_output=True, env=environment, cwd=cwd).stdout


def test_models_are_deterministic(tmp_path: Path) -> None:
    """Hash seed, file order, folder, locale and line ends make no difference."""
    from test_extract_catalog import EVENTS, PACKAGE, PLUGINS  # noqa: PLC0415

    text = PACKAGE
    for other in (EVENTS, PLUGINS):
        text += other.replace("# === FILE: pkg/", "# === FILE: pkg/more/")
    first, second = tmp_path / "one", tmp_path / "elsewhere/two"
    scan(first, text)
    shutil.copytree(first, second)
    for path in second.rglob("*.py"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    expected = model_bytes(first, "0", tmp_path)
    assert len(expected) > 10_000
    assert model_bytes(second, "1234", second) == expected
