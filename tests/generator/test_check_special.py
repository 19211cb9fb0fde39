"""Negative tests of the rules that one wrong file cannot show."""

from __future__ import annotations

from pathlib import Path

import pytest
from projects import REGISTRY, SHOP, build_project, make_project, shop

from toolset_gen.diagnostics import Diagnostic, ordered

NO_BOOT = "boot = false\n"
TOOL = '''
"""Registers."""

from toolset import Context, tool

inject = ["tools"]


@tool
async def look(text: str) -> str:
    """Look.

    Args:
        text: At what.
    """
    return text


def apply(ctx: Context) -> None:
    """Register."""
    BODY
'''


def tool_plugin(body: str) -> str:
    return TOOL.replace("BODY", body)


def only(root: Path, rule: str) -> Diagnostic:
    """Build and give the one violation of a rule."""
    found = [d for d in build_project(root).diagnostics if d.rule == rule]
    assert len(found) == 1, found
    return found[0]


def test_sound_project_breaks_nothing(tmp_path: Path) -> None:
    """The sample project has no violation at all, and its tool is in the catalog."""
    built = build_project(shop(tmp_path))
    assert built.diagnostics == ()
    assert b"## `count_letters`" in built.artifacts["catalog/tool-catalog.md"]


@pytest.mark.parametrize(
    ("files", "rule", "place", "text"),
    [
        ({"bad.py": "x = (\n"}, "SRC001", "src/pkg/bad.py:1", "syntax"),
        ({"bad.py": b"# 1\n# 2\n# \xff\n"}, "SRC002", "src/pkg/bad.py:3", "0xff"),
        ({"bad.py": b"# coding: klingon\n"}, "SRC002", "src/pkg/bad.py:1", "klingon"),
        ({"bad.py/x.txt": ""}, "SRC003", "src/pkg/bad.py", "cannot be read"),
        ({"sub/tool.py": ""}, "SRC004", "src/pkg/sub/tool.py", "__init__"),
        ({"m.py": "", "m/__init__.py": ""}, "SRC006", "src/pkg/m.py", "both"),
    ],
)
def test_bad_input_stops_generation(
    tmp_path: Path, files: dict[str, str | bytes], rule: str, place: str, text: str
) -> None:
    """An unreadable file is named with its place, and no artifact is made."""
    built = build_project(make_project(tmp_path, files, NO_BOOT))
    (found,) = [d for d in built.diagnostics if d.rule == rule]
    assert f"{found.path}:{found.line}".removesuffix(":0") == place
    assert text in found.message
    assert built.at_fault
    assert built.artifacts == {}


def test_missing_package_stops_generation(tmp_path: Path) -> None:
    """A package that is not there is a fault of its own."""
    root = make_project(tmp_path, {}, NO_BOOT)
    text = (root / "pyproject.toml").read_text()
    (root / "pyproject.toml").write_text(text.replace('["pkg"]', '["pkg", "nope"]'))
    assert "'nope'" in only(root, "SRC005").message
    assert build_project(root).artifacts == {}


def test_all_bad_files_are_reported(tmp_path: Path) -> None:
    """Two broken files and a violation elsewhere are all in one report."""
    files: dict[str, str | bytes] = {
        "a.py": "x = (\n",
        "b.py": "def f(:\n",
        "c.py": 'from toolset import event\n\n\n@event("a/b", mode="emit")\ndef b() -> None: ...\n',
    }
    built = build_project(make_project(tmp_path, files, NO_BOOT))
    assert [(d.rule, d.path) for d in built.diagnostics] == [
        ("SRC001", "src/pkg/a.py"),
        ("SRC001", "src/pkg/b.py"),
        ("EVT001", "src/pkg/c.py"),
    ]


def test_service_without_provider(tmp_path: Path) -> None:
    """A class that the configuration lists as a service needs somebody who provides it."""
    services = f'{NO_BOOT}[tool.toolset.catalog.services]\nclock = "queue:Queue"\n'
    assert "'clock'" in only(make_project(tmp_path, {}, services), "SVC008").message


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("collections:deque", "is written in C ('_collections')"),
        ("io:StringIO", "is written in C ('_io')"),
        ("_io:BytesIO", "is written in C ('_io')"),
        ("builtins:dict", "is written in C ('builtins')"),
        ("sqlite3:Connection", "what that takes from '_sqlite3' is written in C"),
        ("json:dumps", "is a function, and no class"),
        ("json:decoder", "is a module, and no class"),
        ("click:Contxt", "'click' has no 'Contxt'; did you mean 'click:Context'"),
        ("click.nope:X", "'click' has no module 'nope'"),
        ("nowhere_at_all:X", "there is no module 'nowhere_at_all'"),
    ],
)
def test_class_that_cannot_be_described(tmp_path: Path, target: str, said: str) -> None:
    """Of a provided class that cannot be read it is said why, and installing helps only if it does."""
    services = f'{NO_BOOT}[tool.toolset.catalog.services]\nthing = "{target}"\n'
    found = only(make_project(tmp_path, {}, services), "SVC013")
    assert said in f"{found.message}; {found.remedy}"
    assert ("install its package" in found.remedy) == (target == "nowhere_at_all:X")
    assert ("a class of your own that wraps it" in found.remedy) == ("written in C" in said)


def test_key_of_two_owners(tmp_path: Path) -> None:
    """A key that the code declares and the configuration names a class of others for is refused."""
    services = f'{NO_BOOT}[tool.toolset.catalog.services]\nshop = "json:JSONDecoder"\n'
    found = only(shop(tmp_path, services), "SVC007")
    assert (found.path, found.target) == ("src/pkg/shop.py", "shop")
    assert "'json:JSONDecoder'" in found.message
    same = f'{NO_BOOT}[tool.toolset.catalog.services]\nshop = "pkg.shop:Shop"\n'
    rules = {found.rule for found in build_project(shop(tmp_path / "same", same)).diagnostics}
    assert "SVC007" not in rules


def test_violations_follow_the_file() -> None:
    """Violations stand in the order of file, line and rule; what cannot be read comes first."""
    places = [("EVT002", "b.py", 1), ("SVC001", "a.py", 2), ("EVT001", "a.py", 10)]
    places += [("SRC001", "z.py", 1), ("EVT009", "a.py", 2)]
    found = ordered(Diagnostic(rule, path, line, "", "") for rule, path, line in places)
    assert [(one.path, one.line, one.rule) for one in found] == [
        ("z.py", 1, "SRC001"),
        ("a.py", 2, "EVT009"),
        ("a.py", 2, "SVC001"),
        ("a.py", 10, "EVT001"),
        ("b.py", 1, "EVT002"),
    ]


def test_ambiguous_type_name(tmp_path: Path) -> None:
    """Two catalogued types of one name are a warning, and said in the artifact."""
    item = "from dataclasses import dataclass\n\n\n@dataclass\nclass Item:\n    '''One.'''\n\n    x: int\n"
    use = '''
from pkg import a, b
from toolset import Service


class Shop(Service, key="shop"):
    """Sell."""

    def sell(self, one: a.Item, two: b.Item) -> None:
        """Sell.

        Args:
            one: One.
            two: Two.
        """
'''
    files: dict[str, str | bytes] = {"a.py": item, "b.py": item, "c.py": use}
    built = build_project(make_project(tmp_path, files, NO_BOOT))
    assert {d.rule for d in built.diagnostics} == {"TYP003"}
    assert not built.at_fault
    assert b"is ambiguous" in built.artifacts["catalog/types.md"]


def test_cut_declaration(tmp_path: Path) -> None:
    """A type whose declaration is too long is a warning, and said in the artifact."""
    fields = "".join(f"    field_number_{n}: dict[str, list[int]]\n" for n in range(60))
    text = f'''
from dataclasses import dataclass

from toolset import Service


@dataclass
class Big:
    """Too big."""

{fields}

class Shop(Service, key="shop"):
    """Sell."""

    def all(self) -> Big:
        """Get all.

        Returns:
            All.
        """
        raise NotImplementedError
'''
    built = build_project(make_project(tmp_path, {"big.py": text}, NO_BOOT))
    assert {d.rule for d in built.diagnostics} == {"TYP004"}
    assert b"The declaration is cut" in built.artifacts["catalog/types.md"]


def test_two_tools_of_one_name(tmp_path: Path) -> None:
    """A tool name that two plugins register is a violation that names both."""
    text = tool_plugin("ctx.tools.register(look)")
    files: dict[str, str | bytes] = {"registry.py": REGISTRY, "one.py": text, "two.py": text}
    message = only(make_project(tmp_path, files), "PLG005").message
    assert "'look'" in message
    assert "'one'" in message or "'pkg.one'" in message
    assert "'two'" in message or "'pkg.two'" in message


def test_raising_tool_plugin(tmp_path: Path) -> None:
    """A tool plugin that raises while booting is a violation at the line that raised."""
    text = tool_plugin("raise RuntimeError('no luck')")
    files: dict[str, str | bytes] = {"registry.py": REGISTRY, "one.py": text}
    found = only(make_project(tmp_path, files), "PLG006")
    line = text.splitlines().index("    raise RuntimeError('no luck')") + 1
    assert (found.path, found.line) == ("src/pkg/one.py", line)
    assert "it raised RuntimeError: no luck" in found.message


@pytest.mark.parametrize(
    ("line", "way_out"),
    [
        ("import nothing_such.deep", "install what provides 'nothing_such' in the environment"),
        ("import pkg.nothing_such", "correct the import of 'pkg.nothing_such'"),
        ("raise RuntimeError", "repair 'pkg.one': `python -c 'import pkg.one'` shows more"),
    ],
)
def test_tool_plugin_that_cannot_be_imported(tmp_path: Path, line: str, way_out: str) -> None:
    """A tool plugin that cannot be imported is a violation at that line, with what to do about it."""
    text = tool_plugin("ctx.tools.register(look)").replace("inject =", f"{line}\ninject =")
    files: dict[str, str | bytes] = {"registry.py": REGISTRY, "one.py": text}
    found = only(make_project(tmp_path, files), "PLG006")
    assert (found.path, found.line) == ("src/pkg/one.py", text.splitlines().index(line) + 1)
    assert "module 'pkg.one' could not be imported" in found.message
    assert found.remedy.startswith(way_out)


def test_tool_plugin_without_tools(tmp_path: Path) -> None:
    """A plugin that would register and does not is a violation; one that never would is none."""
    would = tool_plugin("if ctx.config: ctx.tools.register(look)")
    never = tool_plugin("ctx.tools.schemas()")
    files: dict[str, str | bytes] = {"registry.py": REGISTRY, "one.py": would, "two.py": never}
    found = only(make_project(tmp_path, files), "PLG007")
    assert found.path == "src/pkg/one.py"


SUPPRESS = '[[tool.toolset.catalog.suppress]]\nrule = "{}"\ntarget = "{}"\nreason = "a test"\n'
UNDOCUMENTED = SHOP.replace("            item: What to sell.\n", "").replace('"An', '"An')


def test_suppression_accepts_a_violation(tmp_path: Path) -> None:
    """A suppressed violation is gone, and others of its rule stay."""
    extra = NO_BOOT + SUPPRESS.format("SVC002", "shop.sell.i*")
    files: dict[str, str | bytes] = {"shop.py": UNDOCUMENTED, "registry.py": REGISTRY}
    assert build_project(make_project(tmp_path / "a", files, NO_BOOT)).at_fault
    assert build_project(make_project(tmp_path / "b", files, extra)).diagnostics == ()
    other = NO_BOOT + SUPPRESS.format("SVC002", "shop.buy.*")
    rules = [d.rule for d in build_project(make_project(tmp_path / "c", files, other)).diagnostics]
    assert rules == ["SUP001", "SVC002"]


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("EVT010", "matches no violation any more"),
        ("EVT0010", "names no rule; did you mean EVT010?"),
        ("SRC001", "cannot be accepted"),
    ],
)
def test_unused_suppression(tmp_path: Path, rule: str, text: str) -> None:
    """A suppression that applies to nothing, or may not, is a violation."""
    found = only(shop(tmp_path, NO_BOOT + SUPPRESS.format(rule, "*")), "SUP001")
    assert text in found.message


def test_unreadable_cannot_be_suppressed(tmp_path: Path) -> None:
    """A broken file stays a fault whatever the configuration accepts."""
    extra = NO_BOOT + SUPPRESS.format("SRC001", "*")
    built = build_project(make_project(tmp_path, {"bad.py": "x = (\n"}, extra))
    assert {d.rule for d in built.diagnostics} == {"SRC001", "SUP001"}
