"""The artifacts of a catalog made by hand."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import ModuleType

import black
import jsonschema
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from projects import SHOP, build_project, make_project
from sample_catalog import CATALOG

from toolset.catalog import Catalog
from toolset_gen.artifacts import MARK
from toolset_gen.config import Config
from toolset_gen.render import render
from toolset_gen.render.artifacts import artifact_paths
from toolset_gen.render.code import start_formatting
from toolset_gen.render.environment import template_folder
from toolset_gen.render.markdown import cell, code, prose, slug, tidy
from toolset_gen.render.pages import PluginNotes

CONFIG = Config(Path("/x"), ("pkg",), runtime="api.py", pages="cat", typed_context="typed.py")


def texts(catalog: Catalog = CATALOG) -> dict[str, str]:
    artifacts = render(catalog, CONFIG, PluginNotes(), {})
    return {path: data.decode() for path, data in artifacts.items()}


@pytest.fixture(scope="module")
def artifacts() -> dict[str, str]:
    return texts()


def test_paths_are_known_beforehand(artifacts: dict[str, str]) -> None:
    """What is rendered is exactly what the configuration announces, sorted."""
    assert tuple(artifacts) == artifact_paths(CONFIG)


def test_every_head_is_marked(artifacts: dict[str, str]) -> None:
    """Each artifact says at its head that it is generated, and by which command."""
    for text in artifacts.values():
        assert MARK in text[:400]


@pytest.mark.parametrize("catalog", [CATALOG, Catalog()], ids=["full", "empty"])
def test_python_is_stable_under_black(catalog: Catalog) -> None:
    """Black changes nothing in the generated Python, whether there are entries or none."""
    for path, text in texts(catalog).items():
        if path.endswith(".py"):
            assert black.format_str(text, mode=black.Mode()) == text


def test_module_gives_the_catalog_back(artifacts: dict[str, str]) -> None:
    """Executing the generated module gives the records it was made of."""
    module = ModuleType("api")
    exec(compile(artifacts["api.py"], "api.py", "exec"), module.__dict__)
    assert set(module.SERVICE_API.values()) == set(CATALOG.services)
    assert set(module.EVENT_API.values()) == set(CATALOG.events)
    assert set(module.TYPE_API.values()) == set(CATALOG.types)
    assert list(module.TYPE_API) == ["other.Row", "pkg.Row"]
    assert set(module.PLUGIN_API.values()) == set(CATALOG.plugins)
    assert CATALOG.context == module.INHERITED_CTX_API


def test_json_fits_its_schema(artifacts: dict[str, str]) -> None:
    """The JSON validates against the generated schema, which is itself valid."""
    schema = json.loads(artifacts["cat/api-catalog.schema.json"])
    document = json.loads(artifacts["cat/api-catalog.json"])
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(document)
    del document["services"][0]["key"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema).validate(document)


def test_json_has_the_fixed_shape(artifacts: dict[str, str]) -> None:
    """The names that users rely on are there, and `signatures` only when overloaded."""
    document = json.loads(artifacts["cat/api-catalog.json"])
    lists = ("services", "events", "types", "plugins", "configs", "tools", "context")
    assert all(isinstance(document[name], list) for name in lists)
    store = next(s for s in document["services"] if s["key"] == "store")
    assert (store["class"], store["summary"], store["description"]) == (
        "Store",
        "Keep values.",
        "For a while.",
    )
    weird, get, size = store["members"]
    wanted = {"name", "kind", "signature", "parameters", "returns", "raises"}
    assert all(wanted <= member.keys() for member in store["members"])
    assert "signatures" not in weird
    assert "signatures" not in size
    assert [one["text"] for one in get["signatures"]] == [
        "async get(key: str) -> str",
        "async get(key: str, *, raw: bool) -> bytes",
    ]
    assert document["tools"][0]["parameters"]["type"] == "object"


def table(page: str, head: str) -> list[list[str]]:
    """Read the first table below a heading as a CommonMark parser with tables splits it."""
    lines = page.partition(head)[2].splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith("|"))
    rows = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        rows.append([part.strip() for part in line.strip().strip("|").split("|")])
    return rows


def test_table_keeps_its_cells(artifacts: dict[str, str]) -> None:
    """Pipes in types and descriptions never part a cell, and paragraphs survive."""
    rows = table(artifacts["cat/services.md"], "`store.weird`")
    assert [row[0] for row in rows[2:]] == ["`a`", "`b`", "`*args`", "`__dunder__`"]
    assert {len(row) for row in rows} == {4}
    assert rows[2][1:] == ["<code>int &#124; None</code>", "`None`", "Either &#124; or."]
    assert rows[3][3].endswith("&lt;T&gt;.<br><br>Second paragraph of b.")


def test_markup_in_prose_is_literal(artifacts: dict[str, str]) -> None:
    """HTML and dunder names in prose show as they were written, examples stay untouched."""
    page = artifacts["cat/services.md"]
    assert (
        "Pipes | and &lt;b&gt;html&lt;/b&gt; and `ticks` and *stars* and \\_\\_init\\_\\_." in page
    )
    assert "```python\nweird(1)  # | not a <cell>\n    __x__ = 1\n```" in page


def test_pages_are_tidy(artifacts: dict[str, str]) -> None:
    """No page has trailing spaces or anything but one final newline."""
    for path, text in artifacts.items():
        assert text.endswith("\n"), path
        assert not text.endswith("\n\n"), path
        assert not any(line != line.rstrip() for line in text.splitlines()), path


def test_links_lead_somewhere(artifacts: dict[str, str]) -> None:
    """Every link into a page names a heading that the page has."""
    for path, text in artifacts.items():
        if not path.endswith(".md"):
            continue
        for target in re.findall(r"\]\(([\w-]+\.(?:md|json)(?:#[^)]*)?)\)", text):
            page, _, anchor = target.partition("#")
            assert f"cat/{page}" in artifacts, target
            headings = re.findall(r"^#+ (.+)$", artifacts[f"cat/{page}"], re.MULTILINE)
            assert not anchor or anchor in {slug(h.replace("`", "")) for h in headings}, target


def test_plugins_alike_keep_their_links() -> None:
    """Plugins whose names differ in case alone are linked to different headings."""
    store = CATALOG.plugins[0]
    alike = (store, store._replace(name="Store", path="pkg.Other", tools=()))
    page = texts(CATALOG._replace(plugins=alike))["cat/README.md"]
    assert "[`store`](config-catalog.md#store)" in page
    assert "[`Store`](config-catalog.md#store-1)" in page


def test_ambiguity_and_cuts_are_said(artifacts: dict[str, str]) -> None:
    """An ambiguous type name and a cut declaration are named on the page."""
    page = artifacts["cat/types.md"]
    assert "**The name `Row` is ambiguous**: it is also `other.Row`." in page
    assert "**The declaration is cut**: see the source of `other.Row` for the rest." in page


def test_typed_context_has_services(artifacts: dict[str, str]) -> None:
    """The typed context has an attribute for each key that can be one."""
    text = artifacts["typed.py"]
    assert "        store: Store\n        web: Client\n" in text
    assert "    from pkg import Store\n" in text
    assert "web-2" not in text


def test_same_class_names_are_aliased() -> None:
    """Two services whose classes have one name are imported under two."""
    services = [s._replace(key=s.key.replace("-", "_")) for s in CATALOG.services]
    text = texts(CATALOG._replace(services=tuple(services)))["typed.py"]
    assert "    from other import Client as Client_web_2\n" in text
    assert "        web_2: Client_web_2\n" in text


def test_unknown_python_is_kept() -> None:
    """A snippet that black cannot parse stays as it is, the others are formatted."""
    memory: dict[str, str] = {}
    formatted = start_formatting(["def f(a = 'x'): ...", "no python !"], memory)()
    assert formatted["def f(a = 'x'): ..."] == 'def f(a="x"): ...'
    assert formatted["no python !"] == "no python !"
    assert memory == formatted


def test_templates_are_found() -> None:
    """One function finds the templates, packaged or in the checkout."""
    assert (template_folder() / "events.md.j2").is_file()


@settings(deadline=None)
@given(st.text())
def test_cell_is_one_line(text: str) -> None:
    """Whatever the text, a cell is one line without a bare pipe."""
    result = cell(text)
    assert "|" not in result
    assert len(result.splitlines()) <= 1


@settings(deadline=None)
@given(st.text())
def test_code_is_one_cell(text: str) -> None:
    """Whatever the text, code in a cell has no bare pipe and is one line."""
    result = code(text)
    assert "|" not in result
    assert len(result.splitlines()) <= 1


@settings(deadline=None)
@given(st.text())
def test_tidy_twice_is_tidy(text: str) -> None:
    """Tidying a tidy page changes nothing."""
    assert tidy(tidy(text)) == tidy(text)


@settings(deadline=None)
@given(st.text(alphabet="ab _<>&`|#\n*", max_size=40))
def test_prose_leaves_no_html(text: str) -> None:
    """Outside of code, prose has no angle bracket that HTML would read."""
    assume("```" not in text)
    for line in prose(text).splitlines():
        if "`" not in line and not line.startswith("    "):
            assert "<" not in line


def test_typed_context_borrows_services(tmp_path: Path) -> None:
    """Services of other catalogs are attributes where a scanned plugin injects them, else not."""
    root = make_project(tmp_path, {"shop.py": SHOP})
    config = root / "pyproject.toml"
    ours = config.read_text().replace("catalogs = []", 'catalogs = ["toolset.api_catalog"]')
    config.write_text(ours)
    artifacts = build_project(root).artifacts
    typed = artifacts["src/pkg/typed_context.py"].decode()
    assert "    from toolset.services.tools import ToolRegistry\n" in typed
    assert "        shop: Shop\n        tools: ToolRegistry\n\n" in typed
    assert "timer" not in typed
    assert b"INHERITED_CTX_API" in artifacts["src/pkg/api_catalog.py"]
    assert b"see the catalog of `toolset`" in artifacts["catalog/context.md"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "Do.\n\nExample:\n    ```python\n    f(1)  # | no cell\n    ```\n\nAfter.",
            "Do.\n\n**Example**\n\n```python\nf(1)  # | no cell\n```\n\nAfter.",
        ),
        ("Example:\n    x = 1\n\n    y = 2", "**Example**\n\n    x = 1\n\n    y = 2"),
        ("Note:\n    Mind <it>.\n    Twice.", "**Note**\n\nMind &lt;it&gt;.\nTwice."),
        ("Use so:\n- a\n- b", "Use so:\n- a\n- b"),
        ("Plain text:\n\nnext", "Plain text:\n\nnext"),
        ("Example:", "Example:"),
        ("```python\nleft <open>", "```python\nleft <open>\n```"),
        ("", ""),
    ],
)
def test_sections_with_a_body_unfold(text: str, shown: str) -> None:
    """A section with an indented body becomes a title and its body, fences readable as fences."""
    assert prose(text) == shown


SHAPES = '''\
"""Shapes of pages."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import KW_ONLY, dataclass, field

from toolset import Service


@dataclass
class Base:
    """A base.

    Attributes:
        id: Its number.
        tags: Its tags.
    """

    id: int
    _: KW_ONLY
    tags: list[str] = field(default_factory=list)
    note: str = "x"


class Feed(Service, key="feed"):
    """Feed."""

    async def ticks(self, base: Base) -> AsyncIterator[int]:
        """Tick.

        Args:
            base: What ticks.

        Yields:
            Numbers.
        """
        yield base.id

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Base]:
        """Open it.

        Yields:
            What is open.
        """
        yield Base(1)
'''


@pytest.fixture(scope="module")
def shapes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    root = make_project(tmp_path_factory.mktemp("shapes"), {"feed.py": SHAPES}, "boot = false\n")
    built = build_project(root)
    assert built.diagnostics == ()
    return {path: data.decode() for path, data in built.artifacts.items()}


def test_factory_is_marked_everywhere(shapes: dict[str, str]) -> None:
    """A default that a factory makes is shown as one, in tables too."""
    row = next(line for line in shapes["catalog/types.md"].splitlines() if "| `tags` |" in line)
    assert "`<factory: list>`" in row
    assert "`list()`" not in row


def test_step_is_what_is_shown(shapes: dict[str, str]) -> None:
    """A generator shows what one step gives, a context manager what `async with` gives."""
    page = shapes["catalog/services.md"]
    assert "**Yields** `int`: Numbers." in page
    assert "**Gives** `Base`: What is open." in page


def test_declaration_keeps_the_order(shapes: dict[str, str]) -> None:
    """Fields stand as they are written, and those after `_: KW_ONLY` below it."""
    page = shapes["catalog/types.md"]
    kept = (
        "id: int\n    _: KW_ONLY\n    tags: list[str] = field(default_factory=list)\n    note: str"
    )
    assert kept in page
