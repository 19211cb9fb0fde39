"""Names in prose: those of things that exist are left alone, and so is what is no name."""

from __future__ import annotations

from pathlib import Path

import pytest
from projects import REGISTRY, SHOP, build_project, make_project, run_catalog, shop

HEAD = 'catalogs = ["toolset.api_catalog"]\n'
FILES: dict[str, str | bytes] = {
    "shop.py": SHOP.replace("limit: int", "limit: int = Field(0, description='?')\n    other: int")
    .replace("inject = [", "name = 'buyer'\ninject = [")
    .replace('"""Buy things."""', '"""Buy things."""\n    print(config.limit, config.other)')
}


def judged(root: Path, page: str, extra: str = "boot = false\n", **files: str) -> list[str]:
    """Give what is reported of the names on one page."""
    project = make_project(
        root, {**FILES, **{k.replace("__", "."): v for k, v in files.items()}}, extra
    )
    pyproject = project / "pyproject.toml"
    pyproject.write_text(pyproject.read_text().replace("catalogs = []\n", HEAD))
    (project / "docs").mkdir()
    (project / "docs" / "page.md").write_text(page)
    found = [d for d in build_project(project).diagnostics if d.rule.startswith("PRO")]
    return [f"{d.path}:{d.line} {d.rule} {d.target}" for d in found]


WRONG = {
    "`ctx.shp`": "PRO001 ctx.shp",
    "`await ctx.shp.sell(item)`": "PRO001 ctx.shp",
    "`ctx.shop.sel(item)`": "PRO001 ctx.shop.sel",
    "``ctx.fs.read_txt``": "PRO001 ctx.fs.read_txt",
    "`shop.sel`": "PRO001 shop.sel",
    "`fs.read_txt(path)`": "PRO001 fs.read_txt",
    "`shop/gone`": "PRO002 shop/gone",
    "`tools/cal`": "PRO002 tools/cal",
    "`buyer.limits`": "PRO004 buyer.limits",
}


@pytest.mark.parametrize("span", WRONG)
def test_name_of_nothing_is_found(tmp_path: Path, span: str) -> None:
    """A page that names what does not exist is told where."""
    assert judged(tmp_path, f"# Page\n\nUse {span} here.\n") == [f"docs/page.md:3 {WRONG[span]}"]


RIGHT = [
    "`ctx.shop`, `ctx.fs.read_text(path)`, `shop.sell`, `ctx.emit(sold, item)`, `ctx.config.limit`",
    "`ctx.set_timeout(...)`, `ctx.key`, `ctx.x`, `ctx._private`, `my_ctx.gone`, `ctx`",
    "`shop/sold`, `tools/result`, `internal/service`, `other/thing`, `src/pkg`, `docs/page.md`",
    "`buyer.limit`, `buyer.other`, `shop.py`, `tools.md`, `toolset.runtime.gone`, `a.b`",
    "`count_letters`, `some_function`, `count_words`",
    "ctx.gone and shop/gone without backticks",
    "```python\nctx.gone.run()\n```",
    "~~~\n`ctx.gone`\n~~~",
    '`ctx.gone`\n\n```python\nclass Gone(Service, key="gone"):\n    pass\n```',
    '`shop/gone`\n\n```python\n@event("shop/gone", mode="emit")\ndef gone(): ...\n```',
    "`unclosed\n\nctx.gone`",
]


@pytest.mark.parametrize("text", RIGHT)
def test_everything_else_is_left_alone(tmp_path: Path, text: str) -> None:
    """What exists, what an example defines, files, code blocks and other words are no faults."""
    assert judged(tmp_path, f"# Page\n\n{text}\n") == []


def test_docstrings_are_read(tmp_path: Path) -> None:
    """A docstring names what exists; comments and other strings may say anything."""
    text = '''"""A module that uses `ctx.shp`."""

from pkg.shop import Shop

# ctx.gone `ctx.gone`
TEXT = "`ctx.gone`"


def use() -> None:
    """Sell.

    Listen to `shop/gone`.
    """
    name = """`ctx.gone`"""


class Mine:
    """A class."""

    value: int = 1
    """What `fs.gone` gives."""
'''
    assert judged(tmp_path, "", use__py=text) == [
        "src/pkg/use.py:1 PRO001 ctx.shp",
        "src/pkg/use.py:12 PRO002 shop/gone",
        "src/pkg/use.py:21 PRO001 fs.gone",
    ]


def test_own_configuration_is_known(tmp_path: Path) -> None:
    """In a plugin's own module `config.…` is its configuration; elsewhere it is anybody's."""
    text = FILES["shop.py"]
    assert isinstance(text, str)
    named = text.replace(
        '"""Buy things."""', '"""Buy `config.limit` things, not `config.limits`."""'
    )
    use = '"""Uses `config.anything`."""\n'
    (found,) = judged(tmp_path, "", shop__py=named, use__py=use)
    assert found.endswith("PRO004 config.limits")


def test_tool_that_is_not_there(tmp_path: Path) -> None:
    """A word that is like a tool's name and is none is found, in descriptions of tools too."""
    text = SHOP.replace('"""Count letters.', '"""Count letters, unlike `count_lettrs`.')
    page = "`count_letters`, `count_leters(text)`, `unlike_any`\n"
    found = judged(tmp_path, page, "", shop__py=text, registry__py=REGISTRY)
    assert "docs/page.md:1 PRO003 count_leters" in found
    assert [line.split()[1:] for line in found].count(["PRO003", "count_lettrs"]) == 2
    assert len(found) == 3


def test_word_that_code_uses_is_no_tool(tmp_path: Path) -> None:
    """A name of the code may be like a tool's."""
    use = "def count_lettersx() -> None: ...\n"
    found = judged(tmp_path, "`count_lettersx`", "", registry__py=REGISTRY, use__py=use)
    assert found == []


def test_nearest_is_named(tmp_path: Path) -> None:
    """The message says what is meant, and what may have been."""
    project = make_project(tmp_path, FILES, "boot = false\n")
    (project / "README.md").write_text("`shop/sol`\n")
    (found,) = [d for d in build_project(project).diagnostics if d.rule == "PRO002"]
    assert found.message == (
        "the page names `shop/sol`, but there is no event 'shop/sol'; did you mean 'shop/sold'?"
    )


def test_pages_are_configured(tmp_path: Path) -> None:
    """`prose` says which pages are read; hidden folders never are."""
    extra = 'boot = false\nprose = ["skills/**/*.md"]\n'
    project = make_project(tmp_path, FILES, extra)
    for name in ("README.md", "skills/a/SKILL.md", "skills/.hidden/SKILL.md"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text("`shop/gone`\n")
    found = [d.path for d in build_project(project).diagnostics if d.rule == "PRO002"]
    assert found == ["skills/a/SKILL.md"]


def test_unreadable_page_is_named(tmp_path: Path) -> None:
    """A page that is no UTF-8 is a fault with its line."""
    project = make_project(tmp_path, FILES, "boot = false\n")
    (project / "README.md").write_bytes(b"# One\n\n\xff\n")
    (found,) = [d for d in build_project(project).diagnostics if d.rule == "SRC002"]
    assert (found.path, found.line) == ("README.md", 3)


def test_generated_pages_are_not_judged(tmp_path: Path) -> None:
    """Pages may be generated where prose is looked for: what they say is the sources' to answer for."""
    root = shop(tmp_path, "boot = false\n")
    path = root / "pyproject.toml"
    path.write_text(path.read_text().replace('pages = "catalog"', 'pages = "docs/api"'))
    assert run_catalog(root, "generate").returncode == 0
    assert (
        "ctx.sleep" in (root / "docs" / "api" / "context.md").read_text()
    )  # no catalog here has it
    for _ in range(2):
        done = run_catalog(root, "verify")
        assert (done.returncode, done.stdout) == (0, "The catalog is fresh.\n")
