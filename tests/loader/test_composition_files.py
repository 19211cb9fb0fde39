"""Which files are compositions, and what is said about the others."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
import yaml
from composing import Case, cases

from toolset.loader import InvalidCompositionError, UnreadableCompositionError, nodes
from toolset.loader.document import read_text
from toolset.loader.entries import Entry, flatten
from toolset.loader.parse import parse

CASES = cases()


def parsed(text: str) -> tuple[Entry, ...]:
    return parse(text, "cordis.yml")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_table_of_files(case: Case) -> None:
    """A valid file is read; of an invalid one every mistake is listed with its line and column."""
    if not case.mistakes:
        parsed(case.text)
        return
    with pytest.raises(InvalidCompositionError) as caught:
        parsed(case.text)
    problems = caught.value.problems
    assert [(one.line, one.column) for one in problems] == [one[:2] for one in case.mistakes]
    for problem, (line, column, words) in zip(problems, case.mistakes, strict=True):
        assert words in problem.message
        assert f"\n  cordis.yml:{line}:{column}: {problem.message}" in str(caught.value)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_table_without_c(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where yaml has no parser in C, the same files are refused in the same places."""
    monkeypatch.setattr(nodes, "_LOADER", yaml.SafeLoader)
    test_table_of_files(case)


def test_entry_is_read_whole() -> None:
    """Every key arrives as it was written, in the order of the file."""
    (case,) = [one for one in CASES if one.name == "every key"]
    first, group = parsed(case.text)
    assert first == Entry(
        id="files",
        name="acme.plugins:Shop",
        config={"root": ".", "deep": [{"a": [1, 2.5, True, None, "text"]}]},
        disabled=False,
        inject=("fs", "timer"),
        isolate=(("shop", None),),
        group=None,
        line=1,
    )
    assert (group.id, group.disabled, group.isolate) == (
        "more",
        True,
        (("shop", None), ("fs", "team")),
    )
    assert [(one.id, parent) for one, parent in flatten((first, group))] == [
        ("files", ""),
        ("more", ""),
        ("acme.plugins:Shop", "more"),
    ]


def test_ids_are_derived_from_names() -> None:
    """Without an id an entry has its name, and a number from the second on; a group has `group`."""
    entries = parsed("[{name: a}, {group: [{name: a}, {group: []}]}, {name: b}, {name: a}]")
    ids = [entry.id for entry, _ in flatten(entries)]
    assert ids == ["a", "group", "a#2", "group#2", "b", "a#3"]


def test_own_keys_win_over_merged() -> None:
    """What `<<` brings in yields to what stands beside it, and to what was merged before."""
    (case,) = [one for one in CASES if one.name == "anchors and merges"]
    first, second = parsed(case.text)
    assert (first.config, second.config) == ({"x": 1}, {"x": 3, "y": 2})
    assert second.name == "acme"


def test_mistakes_beyond_hundred_are_counted() -> None:
    """A message stays readable however wrong the file is; the error keeps every mistake."""
    with pytest.raises(InvalidCompositionError) as caught:
        parsed("- text\n" * 250)
    assert len(caught.value.problems) == 250
    assert str(caught.value).startswith(
        "composition 'cordis.yml' is refused, it has 250 mistakes:\n"
    )
    assert str(caught.value).endswith("\n  ... and 150 more")
    assert str(caught.value).count("\n") == 101


@pytest.mark.parametrize("opening", ["[", "- ", "{a: ", "? "])
def test_deep_nesting_is_refused(opening: str) -> None:
    """Nesting that would exhaust the stack is a mistake like any other."""
    with pytest.raises(InvalidCompositionError, match=r"levels deep|no valid YAML"):
        parsed(opening * 50_000)


@pytest.mark.parametrize("text", ["- name: \x00", "- name: \x07", "\ufffe"])
def test_strange_characters_are_refused(text: str) -> None:
    """A character that YAML cannot have, or a name cannot, is a mistake and no crash."""
    with pytest.raises(InvalidCompositionError):
        parsed(text)


PLAIN = "- name: a\n  config:\n    text: |\n      one\n      two\n"


@pytest.mark.parametrize(
    "data",
    [
        PLAIN.encode(),
        PLAIN.replace("\n", "\r\n").encode(),
        PLAIN.replace("\n", "\r").encode(),
        b"\xef\xbb\xbf" + PLAIN.replace("\n", "\r\n").encode(),
    ],
    ids=["plain", "windows", "old mac", "mark and windows"],
)
def test_line_ends_say_nothing(tmp_path: Path, data: bytes) -> None:
    """Line ends and a byte order mark change neither what is read nor where mistakes are."""
    file = tmp_path / "cordis.yml"
    file.write_bytes(data)
    (entry,) = parsed(read_text(file, "cordis.yml"))
    assert entry.config == {"text": "one\ntwo\n"}
    file.write_bytes(data + data.removeprefix(b"\xef\xbb\xbf").replace(b"config", b"confg"))
    with pytest.raises(InvalidCompositionError, match=r"cordis\.yml:7:3: unknown key 'confg'"):
        parsed(read_text(file, "cordis.yml"))


def unreadable(path: Path, shown: str = "cordis.yml") -> str:
    with pytest.raises(UnreadableCompositionError) as caught:
        read_text(path, shown)
    assert isinstance(caught.value, OSError)
    return str(caught.value).removeprefix(f"composition {shown!r} cannot be read: ")


def test_unreadable_files_are_named(tmp_path: Path) -> None:
    """A file that is missing, a folder, a pipe, too large or no UTF-8 is refused with the reason."""
    file = tmp_path / "cordis.yml"
    assert unreadable(file) == "there is no such file"
    assert unreadable(file / "x") == "there is no such file"
    assert unreadable(tmp_path) == "it is a folder"
    assert unreadable(Path("a\0b"), "a\0b") == "this cannot be the path of a file"
    file.write_bytes(b"- name: a\n- name: \xe9\n")
    assert unreadable(file) == "line 2 is not UTF-8 (byte 0xe9)"
    assert unreadable(file / "x") == "not a directory"
    with file.open("wb") as stream:
        stream.truncate(16_000_001)
    assert unreadable(file) == "it has more than 16,000,000 bytes"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes in folders are a thing of POSIX")
def test_pipe_is_not_read(tmp_path: Path) -> None:
    """A pipe, which may never end, is refused without opening it."""
    os.mkfifo(tmp_path / "pipe")
    assert unreadable(tmp_path / "pipe") == "it is no regular file"


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="the superuser may read everything"
)
def test_forbidden_file_is_refused(tmp_path: Path) -> None:
    """A file that may not be read is refused with the reason of the system."""
    file = tmp_path / "cordis.yml"
    file.write_text("")
    file.chmod(0)
    assert unreadable(file) == "permission denied"
