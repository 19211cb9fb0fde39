"""The toolset as a plugin: its three tools, their schemas and cards, its configuration, its catalogs."""

from __future__ import annotations

import asyncio
import logging
import sys
import types

import pytest
from toolset_host import GREETER, host

from toolset import Context, cordis
from toolset.catalog import SCHEMA_VERSION, ServiceEntry
from toolset.cordis.catalogs import find_catalogs
from toolset.runtime import ConfigError
from toolset.services.tools import ToolRegistry


def test_module_is_the_plugin(run) -> None:
    """The module mounts itself under its name, waits for `tools`, and owns one child fiber."""

    async def main() -> None:
        async with Context() as ctx:
            fiber = await ctx.plugin(cordis)
            assert (fiber.name, fiber.state, fiber.missing()) == (
                "tool-cordis",
                "pending",
                ("tools",),
            )
            await ctx.plugin(ToolRegistry)
            await fiber
            assert ctx.tools.names() == ("cordis_inspect", "cordis_mount", "cordis_unmount")
            assert [child.name for child in fiber.children] == ["cordis-dynamic"]

    run(main())


def test_parameters_are_as_documented(run) -> None:
    """Each tool takes what its contract says, and nothing else."""

    async def main() -> None:
        async with host() as h:
            schemas = {one.name: one.parameters for one in h.ctx.tools.schemas()}
            assert {name: sorted(one["properties"]) for name, one in schemas.items()} == {
                "cordis_inspect": ["limit", "name", "what"],
                "cordis_mount": ["code", "replaces"],
                "cordis_unmount": ["id"],
            }
            assert {name: one.get("required", []) for name, one in schemas.items()} == {
                "cordis_inspect": [],
                "cordis_mount": ["code"],
                "cordis_unmount": ["id"],
            }
            assert schemas["cordis_inspect"]["properties"]["what"]["enum"] == [
                *("services", "plugins", "tools", "temporary", "api", "events", "dynamic")
            ]

    run(main())


CARDS = {
    "inspect": ("cordis_inspect", {}, {"kind": "read", "title": "Inspect cordis runtime"}),
    "inspect a section": (
        "cordis_inspect",
        {"what": "api"},
        {"kind": "read", "title": "Inspect cordis runtime: api"},
    ),
    "inspect one": (
        "cordis_inspect",
        {"what": "api", "name": "fs"},
        {"kind": "read", "title": "Inspect cordis runtime: api: fs"},
    ),
    "mount": (
        "cordis_mount",
        {"code": "return 1"},
        {"kind": "execute", "title": "Mount temporary plugin", "raw_input": "return 1"},
    ),
    "unmount": (
        "cordis_unmount",
        {"id": "dyn-1"},
        {"kind": "delete", "title": "Unmount temporary plugin dyn-1"},
    ),
}


@pytest.mark.parametrize("name", CARDS)
def test_calls_have_cards(run, name: str) -> None:
    """A call is presented as a generic card of its kind; arguments that do not fit give none."""
    tool, arguments, card = CARDS[name]

    async def main() -> None:
        async with host() as h:
            assert h.ctx.tools.present(tool, arguments) == {"card": "generic", **card}
            assert h.ctx.tools.present(tool, {"id": 3, "code": 3, "what": 3}) is None

    run(main())


def test_hints_say_what_is_changed(run) -> None:
    """Inspect is marked read-only, unmount destructive."""

    async def main() -> None:
        async with host() as h:
            hints = {name: h.ctx.tools.get(name).annotations for name in h.ctx.tools.names()}
            assert hints["cordis_inspect"].read_only
            assert not hints["cordis_mount"].read_only
            assert hints["cordis_unmount"].destructive

    run(main())


def test_limits_stand_in_the_description(run) -> None:
    """What mounting is not, and what would deadlock, is told where the model reads it."""

    async def main() -> None:
        async with host() as h:
            text = h.ctx.tools.get("cordis_mount").description
            for said in (
                "no security boundary",
                "shell and web where the host provides them",
                "never wait for the end of the current call",
                "end with the process and are never restored",
            ):
                assert said in text

    run(main())


def test_example_in_the_description_mounts(run, tmp_path) -> None:
    """The example that the model is shown works as it stands."""

    async def main() -> None:
        async with host(root=tmp_path) as h:
            lines = h.ctx.tools.get("cordis_mount").description.splitlines()
            code = "\n".join(line[4:] for line in lines if line.startswith("    "))
            result = await h.call("cordis_mount", code=code)
            assert result.text == 'mounted dyn-1 (plugin "line-counter", state: active)'
            (tmp_path / "a.txt").write_text("1\n2\n")
            assert (await h.call("count_lines", path="a.txt")).value == 2

    run(main())


@pytest.mark.parametrize("config", [{"vm_timeout_ms": 0}, {"vm_timeout": 5}, {"catalogs": "x"}])
def test_bad_configuration_is_refused(run, config: dict[str, object]) -> None:
    """A configuration that does not fit fails the toolset before it registers anything."""

    async def main() -> None:
        async with Context() as ctx:
            await ctx.plugin(ToolRegistry)
            with pytest.raises(ConfigError):
                await ctx.plugin(cordis, config)
            assert ctx.tools.names() == ()

    run(main())


def test_mount_sees_another_mounts_service(run) -> None:
    """Code is checked against a service that another mount provides, before it runs."""

    async def main() -> None:
        async with host() as h:
            await h.mount(
                "class Shelf(Service, key='shelf'):\n"
                "    async def take(self, title: str) -> str:\n"
                "        return title\n"
                "return Shelf"
            )
            text = await h.refuse(
                "async def apply(ctx):\n"
                "    ctx.shelf.take('a')\n"
                "    await ctx.shelf.tke('a')\n"
                "    await ctx.shelf.take()\n"
                "apply.inject = ['shelf']\n"
                "return apply"
            )
            assert "it has 3 mistakes" in text
            assert "line 2: ctx.shelf.take() is a coroutine method" in text
            assert "line 3: ctx.shelf (Shelf) has no 'tke'" in text
            assert "line 4: ctx.shelf.take() is missing 'title'" in text

    run(main())


def test_endless_clean_up_is_told(run) -> None:
    """An unmount that does not come to rest says so, and can be asked for again."""

    class Gate:
        def __init__(self) -> None:
            self.opened = False

        async def passed(self) -> None:
            while not self.opened:
                await asyncio.sleep(0)

    async def main() -> None:
        async with host({"mount_timeout_ms": 100}) as h:
            gate = Gate()
            h.ctx.provide("gate", gate)
            await h.mount(
                "def apply(ctx):\n"
                "    gate = ctx.gate\n"
                "    ctx.effect(lambda: gate.passed, 'a slow goodbye')\n"
                "apply.inject = ['gate']\n"
                "return apply"
            )
            result = await h.call("cordis_unmount", id="dyn-1")
            assert 'dyn-1 (plugin "apply") is still ending after 100 ms' in result.text
            assert "a slow goodbye" in result.text
            assert "- dyn-1: apply [unloading]" in await h.inspect(what="temporary")
            gate.opened = True
            again = await h.call("cordis_unmount", id="dyn-1")
            assert again.text == 'unmounted dyn-1 (plugin "apply")'

    run(main())


@pytest.fixture
def catalog_module(monkeypatch: pytest.MonkeyPatch):
    """Make an importable catalog module with one service."""

    def make(name: str, key: str, version: int = SCHEMA_VERSION) -> str:
        module = types.ModuleType(name)
        entry = ServiceEntry(key, name.title(), f"{name}.{name.title()}", summary=f"From {name}.")
        for attribute in ("EVENT_API", "TYPE_API", "PLUGIN_API"):
            setattr(module, attribute, {})
        module.SERVICE_API = {key: entry}
        module.INHERITED_CTX_API = ()
        module.SCHEMA_VERSION = version
        monkeypatch.setitem(sys.modules, name, module)
        return name

    return make


def test_catalogs_are_merged(catalog_module) -> None:
    """Configured catalogs are merged in their order, before announced ones."""
    first, second = catalog_module("first", "same"), catalog_module("second", "same")
    other = catalog_module("other", "own")
    catalog = find_catalogs([first, second, other], logging.getLogger("test"))
    summaries = {entry.key: entry.summary for entry in catalog.services}
    assert summaries["same"] == "From first."
    assert summaries["own"] == "From other."


def test_configured_catalog_must_load(run, catalog_module) -> None:
    """A configured catalog that cannot be loaded fails the toolset, saying which."""
    old = catalog_module("old", "x", SCHEMA_VERSION + 1)
    for module, error in (("no_such_catalog", ImportError), (old, ValueError)):

        async def main(module: str = module, error: type[Exception] = error) -> None:
            async with Context() as ctx:
                await ctx.plugin(ToolRegistry)
                with pytest.raises(error, match=module):
                    await ctx.plugin(cordis, {"catalogs": [module]})

        run(main())


def test_broken_announced_catalog_is_logged(
    catalog_module, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """An announced catalog that cannot be loaded is said in the log and left out."""
    good = catalog_module("good", "fine")
    points = [types.SimpleNamespace(value=value) for value in (good, "broken_catalog")]
    monkeypatch.setattr("toolset.cordis.catalogs.entry_points", lambda group: points)
    catalog = find_catalogs((), logging.getLogger("test"))
    assert "fine" in {entry.key for entry in catalog.services}
    assert "catalog 'broken_catalog' is not served" in caplog.text


def test_configured_catalog_is_reported(run, catalog_module) -> None:
    """A catalog that the configuration names shows in the report."""
    name = catalog_module("acme", "rocket")

    async def main() -> None:
        async with host({"catalogs": [name]}) as h:
            assert "not running (loadable): " in await h.inspect(what="api")
            assert "rocket" in await h.inspect(what="api")
            await h.mount(GREETER)

    run(main())
