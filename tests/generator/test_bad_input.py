"""Whatever lies in the sources: a message that says what and where, exit 2 or 3, nothing written."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from projects import SHOP, make_project, run_catalog, spawn_catalog

TEXT = '"""A module."""\n\nX = 1\n'


def put(root: Path, name: str, content: str | bytes) -> None:
    data = content if isinstance(content, bytes) else content.encode()
    (root / "src/pkg" / name).write_bytes(data)


def link_to_itself(root: Path) -> None:
    (root / "src/pkg/loop.py").symlink_to("loop.py")


def links_in_a_ring(root: Path) -> None:
    (root / "src/pkg/ring.py").symlink_to("gnir.py")
    (root / "src/pkg/gnir.py").symlink_to("ring.py")
    (root / "src/pkg/folder").symlink_to("folder")


def pipe(root: Path) -> None:
    os.mkfifo(root / "src/pkg/pipe.py")


def folder_as_module(root: Path) -> None:
    (root / "src/pkg/folder.py").mkdir()


def folder_beside_module(root: Path) -> None:
    put(root, "twice.py", TEXT)
    (root / "src/pkg/twice").mkdir()
    (root / "src/pkg/twice/__init__.py").write_text(TEXT)


def unreadable(root: Path) -> None:
    put(root, "secret.py", TEXT)
    (root / "src/pkg/secret.py").chmod(0)


def package_is_a_file(root: Path) -> None:
    for path in (root / "src/pkg").iterdir():
        path.unlink()
    (root / "src/pkg").rmdir()
    (root / "src/pkg").write_text("no package")


def no_package(root: Path) -> None:
    (root / "src").rename(root / "source")


ROOT_READS_ALL = pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")

BAD: list[object] = [
    (lambda root: put(root, "half.py", SHOP[: len(SHOP) // 2]), "half.py", "SRC001"),
    (lambda root: put(root, "cut.py", 'X = """never closed\n'), "cut.py:1", "SRC001"),
    (lambda root: put(root, "tabs.py", "if 1:\n\tx = 1\n        y = 2\n"), "tabs.py:3", "SRC001"),
    (lambda root: put(root, "zero.py", b"X = 1\0\n"), "zero.py", "SRC001"),
    (lambda root: put(root, "deep.py", "(" * 9000), "deep.py", "SRC001"),
    (lambda root: put(root, "sum.py", "X = " + "+".join("1" * 100_000)), "sum.py", "SRC001"),
    (lambda root: put(root, "noise.py", bytes(range(256)) * 16), "noise.py", "SRC00"),
    (lambda root: put(root, "latin.py", b"\n\nX = '\xe9'\n"), "latin.py:3", "SRC002"),
    (lambda root: put(root, "wide.py", "X = 1\n".encode("utf-16")), "wide.py:1", "SRC002"),
    (lambda root: put(root, "odd.py", b"# coding: klingon\nX = 1\n"), "odd.py:1", "SRC002"),
    (lambda root: put(root, "both.py", b"\xef\xbb\xbf# coding: latin-1\n"), "both.py:1", "SRC002"),
    (link_to_itself, "loop.py", "SRC003"),
    (links_in_a_ring, "gnir.py", "SRC003"),
    (pipe, "pipe.py", "SRC003"),
    (folder_as_module, "folder.py", "SRC003"),
    (folder_beside_module, "twice.py", "SRC006"),
    (package_is_a_file, "'pkg'", "SRC005"),
    (no_package, "'pkg'", "SRC005"),
    pytest.param((unreadable, "secret.py", "SRC003"), marks=ROOT_READS_ALL),
]


def content(root: Path) -> dict[str, bytes]:
    """Everything that is written in a project, but for the cache."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for folder, _, names in os.walk(root)
        for path in (Path(folder) / name for name in names)
        if ".toolset-cache" not in path.parts and path.is_file() and os.access(path, os.R_OK)
    }


@pytest.mark.parametrize("case", BAD, ids=lambda case: str(case[1]).strip("'"))
def test_bad_source_is_said(tmp_path: Path, case: tuple[Callable[[Path], None], str, str]) -> None:
    """A source that cannot be read is named with its rule; another fault is in the same report."""
    spoil, where, rule = case
    root = make_project(tmp_path, {"other.py": "def broken(:\n"})
    spoil(root)
    before = content(root)
    done = run_catalog(root, "generate")
    assert (done.returncode, done.stderr) == (3, "")
    assert "Traceback" not in done.stdout
    reported = [
        line for line in done.stdout.splitlines() if where in line and f"error {rule}" in line
    ]
    assert reported, done.stdout
    assert ("other.py:1: error SRC001" in done.stdout) == (rule != "SRC005")
    assert "Nothing was written" in done.stdout
    assert content(root) == before


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (
            b"X = 1\nY = '\0'\n",
            "odd.py:2: error SRC001: src/pkg/odd.py has a NUL character in line 2, column 6",
        ),
        ("X = 1\n".encode("utf-16"), "it is UTF-16, which Python does not read"),
        ("X = 1\n".encode("utf-16-le"), "odd.py:1: error SRC001: src/pkg/odd.py looks like UTF-16"),
    ],
)
def test_null_bytes_are_located(tmp_path: Path, data: bytes, said: str) -> None:
    """Of NUL characters it is said where they are, of UTF-16 how to save it."""
    root = make_project(tmp_path, {"odd.py": data})
    done = run_catalog(root, "verify")
    assert done.returncode == 3
    assert said in done.stdout
    wanted = "take it out" if b"Y" in data else "    save it as UTF-8\n"
    assert wanted in done.stdout


GOOD = {
    "empty": b"",
    "blank": b"\n \n\t\n",
    "latin1 that says so": b"# -*- coding: latin-1 -*-\n"
    + TEXT.replace("A", "\xe9").encode("latin-1"),
    "byte-order mark": b"\xef\xbb\xbf" + TEXT.encode(),
    "carriage returns": TEXT.replace("\n", "\r").encode(),
    "form feed": b"\x0c" + TEXT.encode(),
    "no line end": b"X = 1",
    "ten megabytes": b"X = [\n" + (b"    '" + b"data " * 100 + b"', 1, None,\n") * 20_000 + b"]\n",
    "ten megabytes on one line": b"X = '" + b"data " * 2_000_000 + b"'\n",
}


@pytest.mark.parametrize("name", GOOD)
def test_odd_source_is_read(tmp_path: Path, name: str) -> None:
    """What Python can import is read, however odd or large it is."""
    root = make_project(tmp_path, {"odd.py": GOOD[name]})
    done = run_catalog(root, "generate")
    assert (done.returncode, done.stderr) == (0, "")
    assert all(len(data) < 100_000 for path, data in content(root).items() if "odd" not in path)


def test_names_with_line_ends(tmp_path: Path) -> None:
    """A line end in a file's name does not break the line that reports it."""
    root = make_project(tmp_path, {"two\nlines.py": TEXT})
    done = run_catalog(root, "verify")
    assert done.returncode == 3
    (line,) = [line for line in done.stdout.splitlines() if "SRC004:" in line]
    assert line.startswith("src/pkg/two\\nlines.py: error SRC004: src/pkg/two\\nlines.py is not")


def test_looping_folder_is_said(tmp_path: Path) -> None:
    """A link to a folder around it ends there, and is an error that names it."""
    root = make_project(tmp_path, {"shop.py": TEXT})
    (root / "src/pkg/self").symlink_to(root / "src/pkg", target_is_directory=True)
    done = run_catalog(root, "generate")
    assert done.returncode == 3
    assert "src/pkg/self: error SRC003: folder 'src/pkg/self' is a link" in done.stdout
    assert done.stdout.count("SRC003:") == 1


WRONG = [
    "packages = 3",
    "packages = [3]",
    "packages = {a = 1}",
    'packages = "pkg"',
    "packages = [[]]",
    "sources = true",
    "sources = [1.5]",
    "runtime = 1979-05-27",
    "runtime = ['a.py']",
    "pages = 1",
    "pages = []",
    "typed-context = false",
    "services = ['a']",
    "services = {a = 1}",
    "services = {a = ['b:C']}",
    "catalogs = 'a'",
    "catalogs = [{}]",
    "boot = 'yes'",
    "boot-timeout = 'long'",
    "boot-timeout = nan",
    "boot-timeout = inf",
    "suppress = {}",
    "suppress = [1]",
    "suppress = [{rule = 1, target = 2, reason = 3}]",
]


@pytest.mark.parametrize("line", WRONG)
def test_wrong_type_is_wrong_use(tmp_path: Path, line: str) -> None:
    """A value of a wrong type is wrong use: exit 2, the line and the key, nothing written."""
    root = make_project(tmp_path, {"shop.py": TEXT})
    key = line.partition(" ")[0]
    kept = [
        old for old in (root / "pyproject.toml").read_text().splitlines() if f"{key} = " not in old
    ]
    (root / "pyproject.toml").write_text("\n".join([*kept, line, ""]))
    before = content(root)
    done = run_catalog(root, "generate")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"pyproject.toml:{len(kept) + 1}: {key}" in done.stderr.replace("services.a", "services")
    assert "Traceback" not in done.stderr
    assert content(root) == before


@pytest.mark.parametrize(
    "text",
    [
        "tool = 3\n",
        "[tool]\ntoolset = []\n",
        "[tool.toolset]\ncatalog = 'x'\n",
        "\x00",
        "[a]\n[a]\n",
    ],
)
def test_wrong_tables_are_wrong_use(tmp_path: Path, text: str) -> None:
    """Tables that are none, and what is no TOML, are wrong use too."""
    root = make_project(tmp_path, {"shop.py": TEXT})
    (root / "pyproject.toml").write_text(text)
    done = run_catalog(root, "verify")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    assert "pyproject.toml" in done.stderr


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ('pages = "pyproject.toml"', "4: pages needs a folder where 'pyproject.toml' is a file"),
        ('pages = "pyproject.toml/x"', "4: pages needs a folder where 'pyproject.toml' is a"),
        ('prose = ["nope.md"]', "4: prose: 'nope.md' matches no file"),
        ('prose = ["src"]', "4: prose: 'src' matches no file"),
        ('compositions = ["nope.yml"]', "4: compositions: 'nope.yml' matches no file"),
        ('catalogs = ["nope.cat"]', "4: catalogs: 'nope.cat' cannot be loaded: ModuleNotFound"),
    ],
)
def test_places_that_cannot_be(tmp_path: Path, lines: str, said: str) -> None:
    """What the disk contradicts is wrong use, with the line and the key."""
    root = make_project(tmp_path, {"shop.py": TEXT})
    head = '# A project.\n[tool.toolset.catalog]\npackages = ["pkg"]\n'
    (root / "pyproject.toml").write_text(f"{head}{lines}\n")
    done = run_catalog(root, "verify")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"pyproject.toml:{said}" in done.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[tool.toolset]\ncatalog = 3\n", "2: tool.toolset.catalog must be a table, not 3"),
        ("tool = 3\n", "1: tool must be a table, not 3"),
        ("[[tool.toolset.catalog]]\n", "1: tool.toolset.catalog must be a table, not [{}]"),
    ],
)
def test_value_that_is_no_table(tmp_path: Path, text: str, said: str) -> None:
    """A value where the table must be is named with its line, not called missing."""
    root = make_project(tmp_path, {"shop.py": TEXT})
    (root / "pyproject.toml").write_text(text)
    assert f"pyproject.toml:{said}" in run_catalog(root, "verify").stderr


DEEP = [
    "a = " + "[" * 3000,
    "a = " + "{b = " * 3000,
    "[tool.toolset.catalog]\npages = " + "[" * 3000,
]


@pytest.mark.parametrize("text", DEEP, ids=["lists", "tables", "in the table"])
@pytest.mark.parametrize("command", ["verify", "generate", "fix"])
def test_deep_toml_is_wrong_use(tmp_path: Path, command: str, text: str) -> None:
    """Nesting that no parser can follow is wrong use, and shows no traceback."""
    root = make_project(tmp_path, {"shop.py": TEXT})
    (root / "pyproject.toml").write_text(text)
    done = run_catalog(root, command)
    assert (done.returncode, done.stdout) == (2, "")
    assert "nested too deeply" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["builds.json", "code.json"])
def test_deep_cache_is_none(tmp_path: Path, name: str) -> None:
    """A cache that is nested too deeply is as good as none."""
    root = make_project(tmp_path, {"shop.py": TEXT})
    assert run_catalog(root, "generate").returncode == 0
    (root / ".toolset-cache" / name).write_text('{"a": ' + "[" * 100_000)
    assert run_catalog(root, "verify").returncode == 0


@pytest.mark.parametrize("nested", ["[" * 9000, "{a: " * 9000, "- " * 9000], ids=repr)
def test_deep_composition_is_said(tmp_path: Path, nested: str) -> None:
    """A composition that is nested too deeply is a fault with its rule."""
    root = make_project(tmp_path, {"shop.py": TEXT})
    (root / "cordis.yml").write_text(nested)
    done = run_catalog(root, "verify")
    assert (done.returncode, done.stderr) == (3, "")
    assert "error CFG007" in done.stdout


USER = '''\
"""What uses the shop, as much as only another file could tell."""

from pydantic import BaseModel, Field

from toolset import Context, event
from pkg.stock import LIMIT, Base


@event("shop/sold", mode="emit")
def sold() -> None:
    """Sold, dispatched elsewhere."""


class Config(Base):
    """How to use it."""

    limit: int = Field(3, description="Items at once, read elsewhere.")


inject = ["stock"]


def use(ctx: Context, config: Config) -> None:
    """Use it."""
    ctx.on("stock/empty", lambda: None)
    print(ctx.stock, config.more)


def apply(ctx: Context, config: Config) -> None:
    """Use it."""
    use(ctx, config)
'''
STOCK = '''\
"""A stock."""

from pydantic import BaseModel, Field

from toolset import Context, Service, event

LIMIT = 3


class Base(BaseModel):
    """What is common."""

    more: int = Field(LIMIT, description="More.")


@event("stock/empty", mode="emit")
def empty() -> None:
    """It is empty."""


class Stock(Service, key="stock"):
    """A stock."""

    def limit(self, config: Base) -> int:
        """Tell the limit.

        Args:
            config: What knows it.

        Returns:
            The limit.
        """
        from pkg.user import Config, sold

        self.ctx.emit(sold)
        self.ctx.emit(empty)
        assert isinstance(config, Config)
        return config.limit
'''
SUPPRESSED = """
[[tool.toolset.catalog.suppress]]
rule = "SVC001"
target = "stock.count"
reason = "It is told by its name."
"""


@pytest.mark.parametrize("form", ["text", "json", "github"])
@pytest.mark.parametrize("command", ["verify", "generate"])
def test_unread_file_causes_no_violations(tmp_path: Path, command: str, form: str) -> None:
    """What only a file that cannot be read would say is not said to be missing."""
    whole = STOCK + "\n    def count(self) -> None:\n        return None\n"
    root = make_project(tmp_path, {"user.py": USER, "stock.py": whole}, SUPPRESSED)
    (root / "README.md").write_text("Call `ctx.stock.limit`, and see the event `stock/empty`.\n")
    entries = "- name: pkg.user\n  config: {limit: 2, more: 3}\n"
    (root / "cordis.yml").write_text(entries)
    read = run_catalog(root, "generate")
    assert read.returncode == 0, read.stdout
    (root / "src/pkg/stock.py").write_text(f"<<<<<<< HEAD\n{whole}")
    done = run_catalog(root, command, "--format", form)
    assert done.returncode == 3
    rules = set(re.findall(r"\b[A-Z]{3}\d{3}\b", done.stdout)) - {"SVC001"}
    assert rules == {"SRC001"}, done.stdout


def test_unread_file_is_said_first(tmp_path: Path) -> None:
    """What stands in a readable file is reported too, after what cannot be read."""
    bad = USER.replace('"""Sold, dispatched elsewhere."""', "...")
    root = make_project(tmp_path, {"user.py": bad, "stock.py": "<<<<<<< HEAD\n"})
    done = run_catalog(root, "verify")
    found = re.findall(r"error ([A-Z]{3}\d{3}):", done.stdout)
    assert found == ["SRC001", "EVT001"]


@pytest.mark.parametrize("blocked", ["catalog", "src/pkg/api_catalog.py"])
def test_blocked_artifact_is_said(tmp_path: Path, blocked: str) -> None:
    """A file where a folder must be, or the reverse, is wrong use, and nothing is written."""
    root = make_project(tmp_path, {"shop.py": TEXT})
    if blocked.endswith(".py"):
        (root / blocked).mkdir()
    else:
        (root / blocked).write_text("in the way\n")
    before = content(root)
    done = run_catalog(root, "generate")
    assert (done.returncode, done.stdout) == (2, "")
    key, line = ("runtime", 3) if blocked.endswith(".py") else ("pages", 4)
    assert f"pyproject.toml:{line}: {key} needs a " in done.stderr
    assert f"{blocked!r} is a " in done.stderr
    assert "Traceback" not in done.stderr
    assert content(root) == before


def test_no_project_is_wrong_use(tmp_path: Path) -> None:
    """A root that is not there, or holds no pyproject.toml, is wrong use, as a user runs it."""
    for root in (tmp_path / "nowhere", tmp_path):
        done = spawn_catalog(tmp_path, "verify", "--root", str(root))
        assert done.returncode == 2
        assert "Traceback" not in done.stderr
        assert "pyproject.toml" in done.stderr
