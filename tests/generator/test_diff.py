"""`toolset catalog diff` sees what callers see, and says what breaks them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from extracting import scan
from projects import NAME_OF_JSON, SHOP, make_project, run_catalog, shop

from toolset.catalog import Catalog, ToolEntry
from toolset_gen.config import read_config
from toolset_gen.diff import Change, compare, current_catalog, read_catalog
from toolset_gen.diff.changes import covers, same_type

NO_BOOT = "boot = false\n"
SOURCE = '''
from dataclasses import dataclass
from enum import Enum
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from toolset import Context, Next, Service, event


@dataclass
class Item:
    name: str
    price: int = 1


class Size(Enum):
    SMALL = 1
    LARGE = 2


@event("shop/sold", mode="emit")
def sold(item: str, count: int = 1) -> None:
    """Sold."""


@event("shop/asked", mode="waterfall")
async def asked(item: str, next: Next[int]) -> int:
    """Asked."""


class Shop(Service, key="shop"):
    """Sell."""

    limit: int
    """How many."""

    def sell(self, item: Item, size: Size, *, price: int = 1) -> str | None:
        """Sell.

        Raises:
            ValueError: Never.
        """

    async def ask(self, item: str, kind: Literal["a", "b"] = "a") -> int:
        """Ask."""

    @property
    def label(self) -> str:
        """Its name."""


class Config(BaseModel):
    """How."""

    model_config = ConfigDict(extra="ignore")
    limit: int = Field(3, ge=1, le=9, description="At once.")
    names: list[str] = Field(default_factory=list, description="Names.")
    mode: Literal["a", "b"] = "a"
    open: bool


inject = ["shop"]


def apply(ctx: Context, config: Config) -> None:
    """Buy."""
'''
# What is replaced by what, and the changes it makes: name, detail or what, breaking.
CASES: list[tuple[str, str, list[tuple[str, str, bool]]]] = [
    # What is nobody's business.
    ('"""Sell."""', '"""Sell things."""', []),
    ("str | None", "None | str", []),
    ('Literal["a", "b"] = "a") ', "Literal['b', 'a'] = \"a\") ", []),
    # Members.
    ("    async def ask", "    def ask", [("shop.ask", "is now a function", True)]),
    ("    def sell", "    async def sell", [("shop.sell", "is now a coroutine", True)]),
    ("    def sell", "    def buy", [("shop.buy", "added", False), ("shop.sell", "removed", True)]),
    (
        "    @property\n",
        "",
        [("shop.label", "is now a function", True), ("shop.label", "is now writable", False)],
    ),
    # Parameters.
    (
        "*, price: int = 1",
        "*, price: int",
        [("shop.sell", "parameter 'price': is now required", True)],
    ),
    (
        "*, price: int = 1",
        "*, price: int = 2",
        [("shop.sell", "parameter 'price': default", False)],
    ),
    (
        "*, price: int = 1",
        "*, price: int | None = 1",
        [("shop.sell", "parameter 'price': type", False)],
    ),
    ("*, price: int = 1", "*, price: str = 1", [("shop.sell", "parameter 'price': type", True)]),
    (
        "*, price: int = 1",
        "price: int = 1",
        [("shop.sell", "parameter 'price': how it is passed", False)],
    ),
    (
        "*, price: int = 1",
        "*, cost: int = 1",
        [
            ("shop.sell", "parameter 'price' was removed", True),
            ("shop.sell", "parameter 'cost' was added", False),
        ],
    ),
    (
        "*, price: int = 1",
        "*, price: int = 1, tax: int",
        [("shop.sell", "parameter 'tax' was added", True)],
    ),
    (
        "*, price: int = 1",
        "*, price: int = 1, **more: int",
        [("shop.sell", "parameter 'more' was added", False)],
    ),
    (
        "item: Item, size: Size",
        "size: Size, item: Item",
        [("shop.sell", "order of the parameters", True)],
    ),
    (
        "item: Item, size: Size",
        "item: Item, /, size: Size",
        [("shop.sell", "parameter 'item': how it is passed", True)],
    ),
    ('"b"] = "a") ', '"b", "c"] = "a") ', [("shop.ask", "parameter 'kind': type", False)]),
    (
        'kind: Literal["a", "b"]',
        'kind: Literal["a"]',
        [("shop.ask", "parameter 'kind': type", True)],
    ),
    # What comes back.
    (" -> str | None:", " -> str:", [("shop.sell", "type", False)]),
    (" -> str | None:", " -> str | None | int:", [("shop.sell", "type", True)]),
    (
        "            ValueError: N",
        "            KeyError: N",
        [("shop.sell", "may raise", False), ("shop.sell", "no longer raises", False)],
    ),
    ("    limit: int\n", "    limit: bool\n", [("shop.limit", "type", True)]),
    # Services and plugins.
    (
        'key="shop"',
        'key="store"',
        [
            ("Shop", "no longer provides a service", True),
            ("Shop", "provides a service", False),
            ("shop", "removed", True),
            ("store", "added", False),
        ],
    ),
    ('inject = ["shop"]', 'inject = ["bank", "shop"]', [("case", "requires a service", True)]),
    ('inject = ["shop"]', "inject = []", [("case", "no longer requires a service", False)]),
    (
        'inject = ["shop"]',
        'inject = {"optional": ["shop"]}',
        [("case", "no longer requires a service", False), ("case", "optional services", False)],
    ),
    # Events.
    ('mode="emit"', 'mode="bail"', [("shop/sold", "mode", True)]),
    ("async def asked", "def asked", [("shop/asked", "is now sync", True)]),
    (
        "def sold(item: str, count: int = 1)",
        "def sold(item: str)",
        [("shop/sold", "parameters", True)],
    ),
    (
        "def sold(item: str,",
        "def sold(item: bytes,",
        [("shop/sold", "parameter 'item': type", True)],
    ),
    (
        "def sold(item: str,",
        "def sold(thing: str,",
        [("shop/sold", "parameter 'item' is renamed", False)],
    ),
    ("count: int = 1", "count: int = 2", [("shop/sold, count", "default", False)]),
    ("count: int = 1", "count: int", [("shop/sold", "parameter 'count' is now required", True)]),
    ("Next[int]) -> int", "Next[int]) -> str", [("shop/asked", "what listeners return", True)]),
    ("shop/sold", "shop/gone", [("shop/gone", "added", False), ("shop/sold", "removed", True)]),
    # Configuration.
    ("Field(3, ge=1", "Field(4, ge=1", [("case.limit", "default", False)]),
    ("Field(3, ge=1", "Field(3, ge=0", [("case.limit", "constraint `ge`", False)]),
    ("Field(3, ge=1", "Field(3, ge=2", [("case.limit", "constraint `ge`", True)]),
    ("le=9, ", "", [("case.limit", "constraint `le`", False)]),
    ("le=9, ", "le=9, multiple_of=3, ", [("case.limit", "constraint `multiple_of`", True)]),
    (
        "limit: int = Field(3, ge",
        "limit: int = Field(ge",
        [("case.limit", "is now required", True)],
    ),
    ("limit: int = Field(", "limit: float = Field(", [("case.limit", "type", True)]),
    ("limit: int = Field(", "limit: int | str = Field(", [("case.limit", "type", False)]),
    ("default_factory=list", "default_factory=lambda: [1]", [("case.names", "default", False)]),
    ("    open: bool\n", "    open: bool = True\n", [("case.open", "is now optional", False)]),
    ("    open: bool\n", "", [("case.open", "removed", True)]),
    ("    open: bool\n", "    open: bool\n    new: bool\n", [("case.new", "added", True)]),
    ("    open: bool\n", "    open: bool\n    new: bool = 1\n", [("case.new", "added", False)]),
    (
        "    open: bool\n",
        '    open: bool = Field(alias="o")\n',
        [("case.open", "key in input", True)],
    ),
    ('extra="ignore"', 'extra="forbid"', [("case", "unknown keys", True)]),
    # Types behind signatures.
    ("@dataclass\n", "@dataclass(frozen=True)\n", [("case.Item", "is now immutable", True)]),
    ("    name: str\n    price", "    name: bytes\n    price", [("case.Item.name", "type", True)]),
    ("    price: int = 1\n", "", [("case.Item.price", "removed", True)]),
    ("    LARGE = 2\n", "    LARGE = 2\n    HUGE = 3\n", [("case.Size.HUGE", "added", False)]),
    ("    LARGE = 2\n", "", [("case.Size.LARGE", "removed", True)]),
]


def catalog_of(root: Path, text: str) -> Catalog:
    root.mkdir()
    return scan(root, text).model.catalog


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return catalog_of(tmp_path_factory.mktemp("before") / "old", SOURCE)


@pytest.mark.parametrize(("old", "new", "expected"), CASES)
def test_change_is_seen(
    tmp_path: Path, before: Catalog, old: str, new: str, expected: list[tuple[str, str, bool]]
) -> None:
    """An edit of the source makes these changes and no others, judged as its callers would."""
    assert old in SOURCE
    after = catalog_of(tmp_path / "new", SOURCE.replace(old, new))
    found = compare(before, after)
    shown = [(c.name, c.detail or c.what, c.breaking) for c in found if c.kind != "context"]
    assert sorted(shown) == sorted(expected)


def test_equal_catalogs_do_not_differ(before: Catalog) -> None:
    """A catalog compared with itself shows nothing, and with nothing shows only breaks."""
    assert compare(before, before) == ()
    assert all(change.breaking for change in compare(before, Catalog()))
    assert not any(change.breaking for change in compare(Catalog(), before))


def tool(parameters: object, output: object = None) -> Catalog:
    text = "" if output is None else json.dumps(output)
    return Catalog(tools=(ToolEntry("find", "files", "Find.", json.dumps(parameters), text),))


def schema(required: list[str], **properties: object) -> dict[str, object]:
    return {"type": "object", "properties": properties, "required": required}


TEXT = {"type": "string"}
TOOLS = [
    (schema([], a=TEXT), schema([], a={**TEXT, "description": "?", "title": "A"}), []),
    (schema([], a=TEXT), schema(["a"], a=TEXT), [("find.a", True)]),
    (schema(["a"], a=TEXT), schema([], a=TEXT), [("find.a", False)]),
    (schema([], a=TEXT), schema([], a=TEXT, b=TEXT), [("find.b", False)]),
    (schema([], a=TEXT), schema(["b"], a=TEXT, b=TEXT), [("find.b", True)]),
    (schema([], a=TEXT, title=TEXT), schema([], a=TEXT), [("find.title", True)]),
    (schema([], a=TEXT), schema([], a={"type": "integer"}), [("find.a", True)]),
    (schema([], a=TEXT), {**schema([], a=TEXT), "additionalProperties": False}, [("find", True)]),
]


@pytest.mark.parametrize(("old", "new", "expected"), TOOLS)
def test_tool_schema_is_compared(
    old: object, new: object, expected: list[tuple[str, bool]]
) -> None:
    """A tool's arguments are compared one by one; descriptions are not part of them."""
    assert [(c.name, c.breaking) for c in compare(tool(old), tool(new))] == expected


def test_tool_output_is_compared() -> None:
    """Another output schema breaks who reads the output."""
    (change,) = compare(tool({}, TEXT), tool({}, {"type": "integer"}))
    assert (change.detail, change.breaking) == ("output schema", True)


@pytest.mark.parametrize(
    ("wide", "narrow", "expected"),
    [
        ("int | None", "int", True),
        ("int", "int | None", False),
        ("Optional[int]", "None | int", True),
        ("Union[int, str]", "str", True),
        ("Literal['a', 'b']", 'Literal["b"]', True),
        ("object", "anything[at, all]", True),
        ("not a type", "int", False),
    ],
)
def test_union_is_judged_by_members(wide: str, narrow: str, *, expected: bool) -> None:
    """A union covers another when it has its members, in whatever spelling."""
    assert covers(wide, narrow) == expected
    assert same_type(wide, wide)


# The command


def git(root: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)


@pytest.fixture
def committed(tmp_path: Path) -> Path:
    """A project below a repository's root, whose catalog is committed."""
    root = tmp_path / "deep er"
    root.mkdir()
    shop(root)
    assert run_catalog(root, "generate").returncode == 0
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "one")
    return root


def edit(root: Path, old: str, new: str) -> None:
    path = root / "src" / "pkg" / "shop.py"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_unchanged_project_has_no_changes(committed: Path) -> None:
    """What was committed is read back as what the sources say, tools included."""
    config = read_config(committed)
    assert read_catalog(config, "HEAD") == current_catalog(config)
    done = run_catalog(committed, "diff", "HEAD", "--fail-on-breaking")
    assert (done.returncode, done.stdout) == (
        0,
        "Nothing changed in the public surface since HEAD.\n",
    )


def test_text_report_is_read(committed: Path) -> None:
    """The report shows breaking changes first, each with what it was and is."""
    edit(committed, "price: int | None = None", "price: int, vat: int = 0")
    edit(committed, 'ge=1, description="Items', 'ge=0, description="Items')
    edit(committed, "count_letters(text: str)", "count_letters(text: str, at: int = 0)")
    done = run_catalog(committed, "diff", "HEAD")
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "Breaking:",
        "  service shop.sell: parameter 'price': is now required, was `optional`, is `required`",
        "  service shop.sell: parameter 'price': type, was `int | None`, is `int`",
        "Not breaking:",
        "  service shop.sell: parameter 'vat' was added `vat: int = 0`",
        "  config shop.limit: constraint `ge`, was `1`, is `0`",
        '  tool count_letters.at: added `{"type": "integer"}`',
        "5 changes since HEAD, 2 of them breaking.",
    ]


def test_breaking_change_fails_on_request(committed: Path) -> None:
    """With `--fail-on-breaking` a break exits 1; an addition does not."""
    edit(committed, "price: int | None = None", "price: int | None = None, vat: int = 0")
    assert run_catalog(committed, "diff", "HEAD", "--fail-on-breaking").returncode == 0
    edit(committed, "async def sell", "def sell")
    assert run_catalog(committed, "diff", "HEAD", "--fail-on-breaking").returncode == 1
    assert run_catalog(committed, "diff", "HEAD").returncode == 0


def test_json_report_is_data(committed: Path) -> None:
    """The JSON report holds every change with its parts."""
    edit(committed, 'mode="emit"', 'mode="bail"')
    report = json.loads(run_catalog(committed, "diff", "HEAD", "--format", "json").stdout)
    change = Change("event", "shop/sold", "changed", "mode", "emit", "bail", breaking=True)
    assert report == {
        "since": "HEAD",
        "exit_code": 0,
        "breaking": 1,
        "changes": [change._asdict()],
    }


def test_earlier_revision_is_compared(committed: Path) -> None:
    """Any commit can be named, by any of git's names."""
    edit(committed, 'mode="emit"', 'mode="bail"')
    edit(committed, "ctx.emit", "ctx.bail")
    assert run_catalog(committed, "generate").returncode == 0
    git(committed, "commit", "-q", "-a", "-m", "two")
    assert "mode, was `emit`" in run_catalog(committed, "diff", "HEAD~1").stdout
    assert "Nothing changed" in run_catalog(committed, "diff", "HEAD").stdout


def refusal(root: Path, revision: str) -> str:
    done = run_catalog(root, "diff", "--", revision)
    assert done.returncode == 2, done.stderr
    return done.stderr


def test_missing_catalog_is_explained(committed: Path, tmp_path: Path) -> None:
    """No commit, no catalog in it, no repository, no pages: each is said, and is wrong use."""
    assert "git knows no such commit" in refusal(committed, "nothing")
    assert "git knows no such commit" in refusal(committed, "--output=/tmp/x")
    git(committed, "rm", "-q", "--cached", NAME_OF_JSON)
    git(committed, "commit", "-q", "-m", "without")
    assert f"it has no {NAME_OF_JSON}" in refusal(committed, "HEAD")
    pyproject = committed / "pyproject.toml"
    pyproject.write_text(pyproject.read_text().replace('pages = "catalog"', ""))
    assert "`pages` is not set" in refusal(committed, "HEAD~1")


def test_foreign_catalog_is_refused(committed: Path) -> None:
    """A file that no generator of this schema wrote is not compared."""
    path = committed / NAME_OF_JSON
    for number, text in enumerate(
        ["{", "[]", '{"schema_version": 0}', '{"schema_version": 1, "tools": 1}']
    ):
        path.write_text(text)
        git(committed, "commit", "-q", "-a", "-m", str(number))
        expected = "schema version 0" if "0" in text else "is not what `toolset catalog generate`"
        assert expected in refusal(committed, "HEAD")


def test_folder_without_repository(tmp_path: Path) -> None:
    """Outside of a repository there is nothing to compare with."""
    assert "is in no git repository" in refusal(shop(tmp_path, NO_BOOT), "HEAD")


def test_moved_pages_are_found(committed: Path) -> None:
    """A revision's own configuration says where its catalog was, and the package may have had a name."""
    git(committed, "mv", "catalog", "pages")
    git(committed, "mv", "src/pkg", "src/shops")
    path = committed / "pyproject.toml"
    text = path.read_text().replace('"catalog"', '"pages"').replace("pkg", "shops")
    path.write_text(text)
    for artifact in (committed / "src" / "shops").glob("*_c*.py"):
        artifact.unlink()
    assert run_catalog(committed, "generate").returncode == 0
    git(committed, "add", ".")
    git(committed, "commit", "-q", "-m", "two")
    assert "class, was `pkg.shop.Shop`" in run_catalog(committed, "diff", "HEAD~1").stdout
    assert "Nothing changed" in run_catalog(committed, "diff", "HEAD").stdout


def test_shallow_clone_says_what_to_fetch(committed: Path, tmp_path: Path) -> None:
    """A commit that a shallow clone does not reach is told apart from one that does not exist."""
    git(committed, "commit", "-q", "--allow-empty", "-m", "two")
    clone = tmp_path / "clone"
    git(committed, "clone", "-q", "--depth", "1", tmp_path.as_uri(), str(clone))
    root = clone / committed.name
    assert "run `git fetch --unshallow`" in refusal(root, "HEAD~1")
    assert "Nothing changed" in run_catalog(root, "diff", "HEAD").stdout


def test_worktree_and_submodule_are_repositories(committed: Path, tmp_path: Path) -> None:
    """In a detached worktree and in a submodule, revisions are those of the repository it is."""
    git(tmp_path, "worktree", "add", "-q", "--detach", "beside", "HEAD")
    above = tmp_path / "above"
    above.mkdir()
    git(above, "init", "-q")
    git(
        above,
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "-q",
        "add",
        tmp_path.as_uri(),
        "sub",
    )
    for folder in (tmp_path / "beside", above / "sub"):
        done = run_catalog(folder / committed.name, "diff", "HEAD")
        assert "Nothing changed" in done.stdout, done.stderr


def test_git_that_refuses_is_quoted(committed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git that cannot be asked, or run, is said in its own words."""
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    assert "git cannot be asked in " in refusal(committed, "HEAD")
    assert "dubious ownership" in refusal(committed, "HEAD")
    monkeypatch.setenv("PATH", str(committed / "nothing"))
    assert "git is not installed" in refusal(committed, "HEAD")
    folder = committed / "bin"
    folder.mkdir()
    (folder / "git").write_text("no program")
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    assert "git cannot be run: " in refusal(committed, "HEAD")


def test_unreadable_sources_exit_3(committed: Path) -> None:
    """A source that is no Python leaves nothing to compare; it is named."""
    (committed / "src" / "pkg" / "bad.py").write_text("x = (\n")
    done = run_catalog(committed, "diff", "HEAD")
    assert done.returncode == 3
    assert "src/pkg/bad.py:1" in done.stderr


INCOMPLETE = {
    "PLG006": ("    ctx.tools.register(", "    raise ValueError\n    ctx.tools.register("),
    "SVC012": ('key="shop"', "key=str()"),
    "EVT016": ('@event("shop/sold"', "@event(str()"),
    "SRC001": ("class Shop", "<<<<<<< HEAD\nclass Shop"),
}


@pytest.mark.parametrize("rule", INCOMPLETE)
def test_unknown_is_not_removed(committed: Path, rule: str) -> None:
    """What the sources keep out of their catalog by a fault is not said to be removed."""
    edit(committed, *INCOMPLETE[rule])
    done = run_catalog(committed, "diff", "HEAD", "--fail-on-breaking")
    assert (done.returncode, done.stdout) == (3, "")
    assert f"{rule}: " in done.stderr
    assert "src/pkg/shop.py:" in done.stderr


def test_violations_do_not_hide_changes(tmp_path: Path) -> None:
    """A surface with violations is compared all the same."""
    make_project(tmp_path, {"shop.py": SHOP}, NO_BOOT)
    git(tmp_path, "init", "-q")
    assert any(d.name == "shop" for d in compare(Catalog(), current_catalog(read_config(tmp_path))))
