"""`toolset catalog fix` repairs what has one right answer, and nothing else."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from projects import REGISTRY, SHOP, build_project, make_project, run_catalog, shop

from toolset_gen.check import RULES, explain
from toolset_gen.config import read_config
from toolset_gen.fix import Repaired, repair
from toolset_gen.gate import find_sources

NO_BOOT = "boot = false\n"
HEAD = '''\
"""A shop."""

from collections.abc import Iterator

from toolset import Context, Service, event
'''
# Everything that a rewriting of the whole file would lose.
ODD = f'''{HEAD}

@event("shop/sold", mode="emit")
def sold(item: str, *more: str) -> None: ...   # an event


@event("shop/asked", mode="serial")
async def asked( item:str,price :int = 0x10 ) -> int|None:
\t"""Ask for an offer."""


class Shop(Service, key="shop"):

    # what it is about
    async def sell(self, item: str, *, price: int  |  None = 1_000) -> int:
        r"""Sell one \\d item — ✓.

        Args:
            price (float): In cents.

                And more of it.
        Raises:
            ValueError: Never.
        """
        self.ctx.bail(sold, item)   # odd   spacing
        await self.ctx.parallel ( asked , item, 1 )
        return price or 100;

    def names(self)->Iterator [int]:
        'Get \\'all\\'.'
        yield   1

inject = ['shop',   "bank",   # trailing
          ]


class Bank(Service, key="bank"):
    """Keep money."""


def apply(ctx: Context) -> None:
    """Buy things."""
'''
FIXED = f'''{HEAD}

@event("shop/sold", mode="emit")
def sold(item: str, *more: str) -> None:
    """...

    Args:
        item: ...
        *more: ...
    """
    ...   # an event


@event("shop/asked", mode="serial")
async def asked( item:str,price :int = 0x10 ) -> int|None:
\t"""Ask for an offer.

\tArgs:
\t\titem: ...
\t\tprice: ...

\tReturns:
\t\t...
\t"""


class Shop(Service, key="shop"):

    # what it is about
    """..."""
    async def sell(self, item: str, *, price: int  |  None = 1_000) -> int:
        r"""Sell one \\d item — ✓.

        Args:
            item: ...
            price: In cents.

                And more of it.
        Returns:
            ...

        Raises:
            ValueError: Never.
        """
        self.ctx.emit(sold, item)   # odd   spacing
        await self.ctx.serial ( asked , item, 1 )
        return price or 100;

    def names(self)->Iterator [int]:
        \'\'\'Get \\'all\\'.

        Yields:
            ...
        \'\'\'
        yield   1

inject = ["bank",   'shop',   # trailing
          ]


class Bank(Service, key="bank"):
    """Keep money."""


def apply(ctx: Context) -> None:
    """Buy things."""
'''


def repaired(root: Path) -> Repaired:
    config = read_config(root)
    return repair(config, find_sources(config))


def fixed(root: Path, text: str | bytes) -> bytes:
    """Repair a project of one module twice, and give the module."""
    make_project(root, {"shop.py": text}, NO_BOOT)
    assert run_catalog(root, "fix").returncode == 0
    path = root / "src" / "pkg" / "shop.py"
    once = path.read_bytes()
    assert run_catalog(root, "fix").returncode == 0
    assert path.read_bytes() == once
    return once


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_odd_file_keeps_its_bytes(tmp_path: Path, newline: str, encoding: str) -> None:
    """Comments, spacing, raw strings, line ends and a BOM stay; what was to be repaired is."""
    data = ODD.replace("\n", newline).encode(encoding)
    assert fixed(tmp_path, data) == FIXED.replace("\n", newline).encode(encoding)


def test_declared_encoding_is_kept(tmp_path: Path) -> None:
    """A file in Latin-1 stays in Latin-1."""
    head = "# -*- coding: latin-1 -*-\n# Stück\n"
    text = head + ODD.replace("— ✓", "»ß«")
    expected = head + FIXED.replace("— ✓", "»ß«")
    assert fixed(tmp_path, text.encode("latin-1")) == expected.encode("latin-1")


def test_placeholders_are_refused(tmp_path: Path) -> None:
    """The gate refuses every place that a repair left to be written."""
    make_project(tmp_path, {"shop.py": FIXED}, NO_BOOT)
    found = {(d.rule, d.target) for d in build_project(tmp_path).diagnostics}
    assert found >= {
        ("EVT001", "shop/sold"),
        ("EVT003", "shop/sold.item"),
        ("EVT003", "shop/sold.more"),
        ("EVT003", "shop/asked.price"),
        ("EVT005", "shop/asked"),
        ("SVC001", "shop"),
        ("SVC003", "shop.sell.item"),
        ("SVC005", "shop.sell"),
        ("SVC005", "shop.names"),
    }
    assert not found & {("SVC002", "shop.sell.item"), ("SVC010", "shop.sell.price")}


@pytest.mark.parametrize("text", ["...", "…", "TODO", "todo: ", "FIXME", "TBD."])
def test_any_placeholder_says_nothing(tmp_path: Path, text: str) -> None:
    """A summary that only holds the place of one is no prose."""
    source = SHOP.replace("An item was sold.", text)
    files: dict[str, str | bytes] = {"shop.py": source, "registry.py": REGISTRY}
    built = build_project(make_project(tmp_path, files, NO_BOOT))
    assert [(d.rule, d.target) for d in built.diagnostics] == [("EVT001", "shop/sold")]


def test_sound_project_is_left_alone(tmp_path: Path) -> None:
    """Nothing is touched where nothing is wrong."""
    done = run_catalog(shop(tmp_path, NO_BOOT), "fix")
    assert done.stdout == "Nothing was changed: no violation has one right answer.\n"
    assert repaired(tmp_path) == Repaired()


def test_report_says_what_was_done(tmp_path: Path) -> None:
    """Each repair is one line with file, rule, what was done and to what."""
    text = SHOP.replace("            item: What to sell.\n", "").replace("ctx.emit", "ctx.bail")
    make_project(tmp_path, {"shop.py": text, "registry.py": REGISTRY}, NO_BOOT)
    assert run_catalog(tmp_path, "fix").stdout.splitlines() == [
        "src/pkg/shop.py: SVC002: added an `Args:` entry for 'item' to be written [shop.sell.item]",
        "src/pkg/shop.py: EVT011: replaced `bail` by `emit` [shop/sold]",
        "Changed 1 file: 2 repairs.",
        "1 place still holds `...`; the gate refuses them until somebody says what belongs there.",
    ]


@pytest.mark.parametrize("option", ["--dry-run", "--diff"])
def test_looking_writes_nothing(tmp_path: Path, option: str) -> None:
    """With `--dry-run` and `--diff` the files stay, and the report says what would change."""
    make_project(tmp_path, {"shop.py": ODD}, NO_BOOT)
    done = run_catalog(tmp_path, "fix", option)
    assert (tmp_path / "src" / "pkg" / "shop.py").read_text() == ODD
    assert "Would change 1 file: " in done.stdout
    assert ("+        self.ctx.emit(sold, item)" in done.stdout) == (option == "--diff")


def test_suppressed_violation_is_kept(tmp_path: Path) -> None:
    """What the project accepts is not repaired."""
    accepted = '[[tool.toolset.catalog.suppress]]\nrule = "EVT011"\ntarget = "*"\nreason = "test"\n'
    text = SHOP.replace("ctx.emit", "ctx.bail")
    files: dict[str, str | bytes] = {"shop.py": text, "registry.py": REGISTRY}
    make_project(tmp_path, files, NO_BOOT + accepted)
    assert repaired(tmp_path) == Repaired()


def test_unreadable_file_is_named(tmp_path: Path) -> None:
    """A file that is no Python is named and exits 3; the others are repaired."""
    files: dict[str, str | bytes] = {"shop.py": ODD, "bad.py": "x = (\n"}
    make_project(tmp_path, files, NO_BOOT)
    done = run_catalog(tmp_path, "fix")
    assert done.returncode == 3
    assert "src/pkg/bad.py:1: SRC001 was left" in done.stdout
    assert (tmp_path / "src" / "pkg" / "shop.py").read_text() == FIXED


LEFT = {
    "`serial` is awaited, and the function is not async": """
@event("shop/asked", mode="serial")
async def asked() -> None:
    '''Ask.'''


def apply(ctx: Context) -> None:
    '''Ask.'''
    ctx.emit(asked)
""",
    "its value is used, and the right verb gives another": """
@event("shop/sold", mode="emit")
def sold() -> None:
    '''Sold.'''


def apply(ctx: Context) -> None:
    '''Ask.'''
    print(ctx.bail(sold))
""",
    "what it gives is not awaited where it is called": """
@event("shop/sold", mode="emit")
def sold() -> None:
    '''Sold.'''


def apply(ctx: Context) -> None:
    '''Ask.'''
    ctx.parallel(sold)
""",
    "no call `….bail(sold, …)` stands on that line": """
@event("shop/sold", mode="emit")
def sold() -> None:
    '''Sold.'''


def apply(ctx: Context) -> None:
    '''Ask.'''
    fire = ctx.bail
    fire(sold)
""",
    "comments stand beside several keys on a line": """
class Shop(Service, key="shop"):
    '''Sell.'''


class Bank(Service, key="bank"):
    '''Keep.'''


inject = [
    "shop", "bank",  # to buy
    "shop",
]


def apply(ctx: Context) -> None:
    '''Buy.'''
""",
    "its docstring is not one plain literal": """
class Shop(Service, key="shop"):
    '''Sell.'''

    def sell(self, item: str) -> None:
        'Sell' ' it.'
""",
    "its docstring cannot be edited": """
class Shop(Service, key="shop"):
    '''Sell.'''

    def sell(self, item: str, price: int) -> None:
        'Sell.\\n\\n    Args:\\n        price: Cents.'
""",
    "'Shop.sell' is defined 2 times in the file": """
class Shop(Service, key="shop"):
    '''Sell.'''

    if True:
        def sell(self, item: str) -> None:
            '''Sell.'''
    else:
        def sell(self, item: str) -> None:
            '''Sell.'''
""",
}


@pytest.mark.parametrize("why", LEFT)
def test_doubtful_repair_is_left(tmp_path: Path, why: str) -> None:
    """What has no certain place or no single answer is left, with the reason."""
    make_project(tmp_path, {"shop.py": HEAD + LEFT[why]}, NO_BOOT)
    found = repaired(tmp_path)
    assert (found.files, found.changes) == ((), ())
    (left,) = found.left
    assert why in left.why
    assert why in run_catalog(tmp_path, "fix").stdout


VERBS = [
    ("emit", "def", "ctx.bail(moved, 1)", "ctx.emit(moved, 1)"),
    ("bail", "def", "x = ctx.emit(moved, 1)", "x = ctx.bail(moved, 1)"),
    ("parallel", "async def", "ctx.emit(moved, 1)", "await ctx.parallel(moved, 1)"),
    ("emit", "def", "await ctx.parallel(moved, 1)", "ctx.emit(moved, 1)"),
    ("serial", "async def", "x = await ctx.parallel(moved, 1)", "x = await ctx.serial(moved, 1)"),
]


@pytest.mark.parametrize(("mode", "kind", "wrong", "right"), VERBS)
def test_wrong_verb_is_replaced(
    tmp_path: Path, mode: str, kind: str, wrong: str, right: str
) -> None:
    """A dispatch gets its event's verb, and an `await` where that verb needs one."""
    text = f"""{HEAD}

@event("shop/moved", mode="{mode}")
{kind} moved(count: int) -> None:
    '''Something moved.

    Args:
        count: How many.
    '''


async def apply(ctx: Context) -> None:
    '''Move.'''
    {wrong}
"""
    assert fixed(tmp_path, text).decode() == text.replace(wrong, right)


ENTRIES = [
    ("a, b, c", "b: B.", "a: ...|b: B.|c: ..."),
    ("a, b, c", "a: A.|c: C.", "a: A.|b: ...|c: C."),
    ("a, b, c", "a: A.|    More of a.||b: B.", "a: A.|    More of a.||b: B.|c: ..."),
    ("a, /, b, *c, d, **e", "a: A.", "a: A.|b: ...|*c: ...|d: ...|**e: ..."),
    ("a, b, c", "a, c: Both.", "a, c: Both.|b: ..."),
    ("a, b", "b: B.|other: ?", "a: ...|b: B.|other: ?"),
    ("a, b", "", "a: ...|b: ..."),
]


@pytest.mark.parametrize(("signature", "before", "after"), ENTRIES)
def test_entries_follow_the_signature(
    tmp_path: Path, signature: str, before: str, after: str
) -> None:
    """A new entry stands where the signature has its parameter; the others stay as they are."""
    typed = ", ".join(p if p in "/*" else f"{p}: int" for p in signature.split(", "))

    def lines(entries: str) -> str:
        return "".join(
            f"{f'            {line}'.rstrip()}\n" for line in entries.split("|") if entries
        )

    text = f'''{HEAD}

class Shop(Service, key="shop"):
    """Sell."""

    def sell(self, {typed}) -> None:
        """Sell.

        Args:
ENTRIES        """
'''
    expected = text.replace("ENTRIES", lines(after))
    assert fixed(tmp_path, text.replace("ENTRIES", lines(before))).decode() == expected


def test_explained_repairs_are_made(tmp_path: Path) -> None:
    """The rules whose pages promise a repair are the rules that are repaired."""
    make_project(tmp_path, {"shop.py": ODD}, NO_BOOT)
    made = {change.repair.rule for change in repaired(tmp_path).changes}
    promised = {rule.id for rule in RULES.values() if rule.repaired}
    assert made <= promised
    assert promised - made == {
        "EVT004", "EVT006", "EVT014", "EVT015", "SUP001", "SVC004", "SVC006"
    }  # fmt: skip
    assert "`toolset catalog fix` repairs it" in explain("EVT011")
    assert "`toolset catalog fix`" not in explain("EVT012")


def strip_documentation(text: str) -> str:
    """Take every docstring of functions and classes out of a module."""
    tree = ast.parse(text)
    lines = text.split("\n")
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            first = node.body[0]
            alone = lines[first.lineno - 1].lstrip().startswith(('"', 'r"'))
            if alone and isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                indent = " " * first.col_offset
                for number in range(first.lineno - 1, first.end_lineno or 0):
                    lines[number] = f"{indent}# gone"
                if len(node.body) == 1:
                    lines[first.lineno - 1] = f"{indent}pass"
    return "\n".join(lines)


def without_docstrings(text: str) -> str:
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                node.body = node.body[1:]
    return ast.dump(tree)


def test_own_service_is_stubbed_soundly(tmp_path: Path) -> None:
    """Stripped of every docstring, a service of the toolset's gets stubs and no other change."""
    source = Path(__import__("toolset.services").services.__file__).parent / "fs"
    files: dict[str, str | bytes] = {
        path.relative_to(source).as_posix(): strip_documentation(path.read_text(encoding="utf-8"))
        for path in source.rglob("*.py")
    }
    make_project(tmp_path, files, NO_BOOT)
    found = repaired(tmp_path)
    assert len(found.changes) > 30
    assert [left.why for left in found.left] == []
    for stale in found.files:
        old, new = stale.old.decode(), stale.new.decode()
        assert without_docstrings(old) == without_docstrings(new)
        assert [line for line in old.split("\n") if line not in set(new.split("\n"))] == []
    for stale in found.files:
        (tmp_path / stale.path).write_bytes(stale.new)
    assert repaired(tmp_path) == Repaired()
    rules = {d.rule for d in build_project(tmp_path).diagnostics}
    assert rules >= {"SVC001", "SVC003", "SVC005"}
    assert not rules & {"EVT002", "SVC002"}


def test_other_commands_spare_libcst() -> None:
    """Libcst is loaded by `fix` alone."""
    code = "import sys, toolset_gen.commands, toolset_gen.build; sys.exit('libcst' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
