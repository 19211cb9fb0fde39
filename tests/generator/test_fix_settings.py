"""`toolset catalog fix` takes suppressions of nothing out of pyproject.toml, and changes nothing else."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from projects import HEAD, REGISTRY, SHOP, build_project, make_project, run_catalog, shop

from toolset_gen.config import Suppression
from toolset_gen.fix.edits import RefusedError
from toolset_gen.fix.settings import without_suppression

GONE = Suppression("EVT010", "shop/gone", "was dispatched by the host")
TABLE = '[[tool.toolset.catalog.suppress]]\nrule = "EVT010"\ntarget = "shop/gone"\nreason = "was dispatched by the host"\n'
ITEM = '{rule = "EVT010", target = "shop/gone", reason = "was dispatched by the host"}'
KEPT = TABLE.replace("shop/gone", "shop/*")
KEPT_ITEM = ITEM.replace("shop/gone", "shop/*")
REST = HEAD + "# about what follows\n"

# What stands in the file, and what stands there then.
CASES = {
    "alone": (f"{REST}\n{TABLE}", REST),
    "before": (
        f"{REST}\n{TABLE}\n[tool.other]  # of others\nx = 1\n",
        f"{REST}\n[tool.other]  # of others\nx = 1\n",
    ),
    "between": (f"{REST}\n{KEPT}\n{TABLE}\n{KEPT}", f"{REST}\n{KEPT}\n{KEPT}"),
    "twice": (f"{REST}\n{TABLE}\n{KEPT}\n{TABLE}", f"{REST}\n{KEPT}"),
    "comments": (
        f"{REST}\n# accepted by the board\n{TABLE.replace('target', '# inside' + chr(10) + 'target')}\n# of the next\n{KEPT}",
        f"{REST}\n# accepted by the board\n# of the next\n{KEPT}",
    ),
    "text that looks like a table": (
        f"{REST}{TABLE.replace('was dispatched by the host', 'x')}\n[tool.other]\nx = '''\n{TABLE}'''\n\n{TABLE}",
        f"{REST}{TABLE.replace('was dispatched by the host', 'x')}\n[tool.other]\nx = '''\n{TABLE}'''\n",
    ),
    "spaced": (
        f"{REST}\n{TABLE.replace('[[tool.', '  [[ tool . ').replace(']]', ' ]]  # why')}",
        REST,
    ),
    "one line": (f"{HEAD}suppress = [{ITEM}]  # none\n", f"{HEAD}suppress = []  # none\n"),
    "first of two": (
        f"{HEAD}suppress = [{ITEM}, {KEPT_ITEM}]\n",
        f"{HEAD}suppress = [{KEPT_ITEM}]\n",
    ),
    "last of two": (
        f"{HEAD}suppress = [{KEPT_ITEM}, {ITEM}]\n",
        f"{HEAD}suppress = [{KEPT_ITEM}]\n",
    ),
    "a line each": (
        f"{HEAD}suppress = [\n  # kept\n  {KEPT_ITEM}, # yes\n\t{ITEM}, # gone with it\n  # end\n]\n",
        f"{HEAD}suppress = [\n  # kept\n  {KEPT_ITEM}, # yes\n  # end\n]\n",
    ),
    "no last comma": (
        f"{HEAD}suppress = [\n  {KEPT_ITEM},\n  {ITEM}\n]\n",
        f"{HEAD}suppress = [\n  {KEPT_ITEM},\n]\n",
    ),
    "brackets in texts": (
        f"{HEAD}suppress = [{KEPT_ITEM.replace('was', ']} was')}, {ITEM}]\n",
        f"{HEAD}suppress = [{KEPT_ITEM.replace('was', ']} was')}]\n",
    ),
    "dotted": (
        f"[tool.toolset]\ncatalog.packages = ['pkg']\ncatalog.suppress = [{ITEM}]\n",
        "[tool.toolset]\ncatalog.packages = ['pkg']\ncatalog.suppress = []\n",
    ),
}


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("case", CASES)
def test_suppression_is_cut_out(case: str, newline: str) -> None:
    """The suppression goes, with its own comments; every other byte stays."""
    before, after = (text.replace("\n", newline) for text in CASES[case])
    assert without_suppression(before, GONE) == after


def test_doubtful_cut_is_refused() -> None:
    """A table written as nobody would expect is left alone."""
    text = f'{HEAD}\n[tool.toolset.catalog."suppress"]\n'
    odd = f"tool = {{toolset = {{catalog = {{packages = ['pkg'], suppress = [{ITEM}]}}}}}}\n"
    assert tomllib.loads(odd)
    for one in (odd, text.replace('"suppress"', "other")):
        with pytest.raises(RefusedError):
            without_suppression(one + "\n", Suppression("EVT010", "nothing", "such"))


names = st.sampled_from(["a", "b/c", "]]", "#", "x = [", "'", "[[tool.toolset.catalog.suppress]]"])
entries = st.builds(Suppression, st.sampled_from(["EVT010", "SVC001"]), names, names)
fillers = st.sampled_from(["", "\n", "# [[x]]\n", "\n\n# one\n", '[tool.z]\nx = """\n[[a]]\n"""\n'])


@given(st.lists(st.tuples(fillers, entries), min_size=1, max_size=5), fillers, st.data())
def test_any_file_loses_only_it(
    parts: list[tuple[str, Suppression]], end: str, data: st.DataObject
) -> None:
    """Whatever stands around it, the rest of the file means what it meant and keeps its lines."""
    text = HEAD
    closed = [filler for filler, _ in parts if "tool.z" in filler]
    if len(closed) + ("tool.z" in end) > 1:
        return
    for filler, one in parts:
        values = "".join(f"{key} = '''{value}'''\n" for key, value in one._asdict().items())
        text += f"{filler}[[tool.toolset.catalog.suppress]]\n{values}"
    text += end
    unwanted = data.draw(st.sampled_from([one for _, one in parts]))
    cut = without_suppression(text, unwanted)
    before, after = tomllib.loads(text), tomllib.loads(cut)
    listed = before["tool"]["toolset"]["catalog"].pop("suppress")
    left = after["tool"]["toolset"]["catalog"].pop("suppress", [])
    assert left == [one for one in listed if one != unwanted._asdict()]
    assert after == before
    comments = [line for line in text.splitlines() if line.startswith("# ")]
    assert [line for line in cut.splitlines() if line.startswith("# ")] == comments


SUPPRESS = '\n[[tool.toolset.catalog.suppress]]\nrule = "{}"\ntarget = "{}"\nreason = "a test"\n'


def test_unused_suppression_is_removed(tmp_path: Path) -> None:
    """What applies to nothing goes, what applies stays, and a second run changes nothing."""
    used, unused = SUPPRESS.format("SVC002", "shop.sell.*"), SUPPRESS.format("EVT010", "*")
    text = SHOP.replace("            item: What to sell.\n", "")
    files: dict[str, str | bytes] = {"shop.py": text, "registry.py": REGISTRY}
    root = make_project(tmp_path, files, f"boot = false\n{unused}{used}")
    done = run_catalog(root, "fix")
    assert done.stdout.splitlines() == [
        "pyproject.toml: SUP001: removed the suppression, which applied to nothing [EVT010 *]",
        "Changed 1 file: 1 repair.",
    ]
    assert (root / "pyproject.toml").read_text() == f"{HEAD}boot = false\n{used}"
    assert run_catalog(root, "fix").stdout.startswith("Nothing was changed")
    assert build_project(root).diagnostics == ()


def test_what_only_booting_shows_is_kept(tmp_path: Path) -> None:
    """A suppression of what shows when plugins are booted is judged by booting them."""
    text = SHOP.replace(
        "    ctx.tools.register(count_letters)", "    raise RuntimeError('no luck')"
    )
    files: dict[str, str | bytes] = {"shop.py": text, "registry.py": REGISTRY}
    settings = SUPPRESS.format("PLG006", "shop") + SUPPRESS.format("PLG005", "*")
    root = make_project(tmp_path, files, settings)
    assert "[PLG005 *]" in run_catalog(root, "fix").stdout
    assert (root / "pyproject.toml").read_text() == HEAD + SUPPRESS.format("PLG006", "shop")


@pytest.mark.parametrize(
    ("rule", "files", "why"),
    [
        ("EVT0010", {}, "SUP001 was left: it may be meant for a rule whose id it misspells"),
        ("EVT010", {"bad.py": "x = (\n"}, "SRC001 was left"),
    ],
)
def test_doubtful_suppression_is_left(
    tmp_path: Path, rule: str, files: dict[str, str | bytes], why: str
) -> None:
    """A misspelt rule, and any suppression while a file cannot be read, are left alone."""
    root = shop(tmp_path, "boot = false\n" + SUPPRESS.format(rule, "*"))
    for name, text in files.items():
        (root / "src" / "pkg" / name).write_text(str(text))
    before = (root / "pyproject.toml").read_bytes()
    assert why in run_catalog(root, "fix").stdout
    assert (root / "pyproject.toml").read_bytes() == before
