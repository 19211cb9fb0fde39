"""What a composition mounts, and what is said of what it cannot mount."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from composing import Composition, states, status
from pydantic import BaseModel

from toolset import Context, Service
from toolset.loader import InvalidCompositionError, Loader, UnreadableCompositionError
from toolset.runtime import FiberState
from toolset.testing import leaks, wait_quiet


class Shop(Service, key="shop"):
    """Sells."""

    class Config(BaseModel):
        """How."""

        limit: int = 1
        names: dict[str, list[str]] = {}


def buyer(ctx: Context) -> None:
    """Buy."""
    ctx.shop  # noqa: B018 - reading it is what is tested


buyer.inject = ["shop"]


def broken(ctx: Context) -> None:
    """Fail."""
    raise RuntimeError("no luck")


@pytest.fixture(autouse=True)
def acme(plugins: Callable) -> None:
    """Give every test a module with plugins."""
    plugins("acme", Shop=Shop, buyer=buyer, broken=broken, number=3)


def test_built_ins_have_short_names(run: Callable, composition: Composition) -> None:
    """The entry points of the built-in services mount them in the order of the file."""

    async def main() -> None:
        async with composition.host(
            "[{name: tools}, {name: timer}, {name: fs}, {name: cordis}]"
        ) as ctx:
            assert states(ctx) == dict.fromkeys(("tools", "timer", "fs", "cordis"), "mounted")
            assert [one.name for one in ctx.loader.ctx.fiber.children] == [
                "ToolRegistry",
                "Timer",
                "FileSystem",
                "tool-cordis",
            ]

    run(main())


def test_empty_composition_mounts_nothing(run: Callable, composition: Composition) -> None:
    """A file without entries is a composition like any other."""

    async def main() -> None:
        for text in ("", "[]", "# nothing\n"):
            async with composition.host(text) as ctx:
                assert ctx.loader.entries() == ()

    run(main())


def test_configuration_is_handed_over(run: Callable, composition: Composition) -> None:
    """A plugin gets its model, made of the entry's configuration with variables replaced."""
    text = """
        - name: acme:Shop
          config: {limit: "${env:LIMIT}", names: {a: ["${env:WHO} & ${env:NONE:-co}", "$HOME"]}}
    """

    async def main() -> None:
        async with composition.host(text) as ctx:
            assert ctx.shop.config == Shop.Config(limit=7, names={"a": ["me & co", "$HOME"]})

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LIMIT", "7")
        patch.setenv("WHO", "me")
        run(main())


def test_default_stands_for_empty_too(
    run: Callable, composition: Composition, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a shell, `:-` also replaces a variable that is empty; alone, an empty one is a text."""
    monkeypatch.setenv("EMPTY", "")
    text = "- {name: 'acme:Shop', config: {names: {a: ['${env:EMPTY:-x}', '${env:EMPTY}', '${env:NO:-}']}}}"

    async def main() -> None:
        async with composition.host(text) as ctx:
            assert ctx.shop.config.names == {"a": ["x", "", ""]}

    run(main())


FAILURES = {
    "missing variables": (
        "{name: 'acme:Shop', config: {a: '${env:NO_B}', b: ['${env:NO_A}']}}",
        "environment variables NO_A, NO_B are not set; set them, or write ${env:NO_A:-default}",
    ),
    "one missing variable": (
        "{name: 'acme:Shop', config: {a: '${env:NO_B}'}}",
        "environment variable NO_B is not set; set it, or write ${env:NO_B:-default}",
    ),
    "unknown entry point": (
        "{name: tool}",
        (
            "no plugin 'tool': there is no module 'tool' and no entry point of that name in the group "
            "'toolset.plugins'; did you mean 'tools'?"
        ),
    ),
    "unknown package": (
        "{name: 'toolsett.cordis'}",
        "no plugin 'toolsett.cordis': there is no module 'toolsett'; did you mean 'toolset.cordis'?",
    ),
    "nothing like it": (
        "{name: qqqqqqqqqqq}",
        (
            "no plugin 'qqqqqqqqqqq': there is no module 'qqqqqqqqqqq' and no entry point of that name in "
            "the group 'toolset.plugins'; install the package that has it"
        ),
    ),
    "unknown module": (
        "{name: toolset.cordi}",
        "no plugin 'toolset.cordi': there is no module 'toolset.cordi'; did you mean 'toolset.cordis'?",
    ),
    "module in a module": (
        "{name: acme.inner}",
        "no plugin 'acme.inner': there is no module 'acme.inner'; install",
    ),
    "unknown attribute": (
        "{name: 'acme:Shopp'}",
        "no plugin 'acme:Shopp': 'acme' has no 'Shopp'; did you mean 'Shop'?",
    ),
    "unknown inner attribute": (
        "{name: 'acme:Shop.qqqqqqqqq'}",
        "no plugin 'acme:Shop.qqqqqqqqq': 'Shop' has no 'qqqqqqqqq'",
    ),
    "module of services": (
        "{name: toolset.services.timer}",
        (
            "module 'toolset.services.timer' has no function `apply`, so it is no plugin itself; write "
            "'toolset.services.timer:Timer'"
        ),
    ),
    "module without plugins": ("{name: json}", "name what is, 'json:attribute'"),
    "no plugin": ("{name: 'acme:number'}", "is not a plugin; a plugin is a function"),
    "no plugin, injecting": (
        "{name: 'acme:number', inject: [loader]}",
        "is not a plugin; a plugin is a function",
    ),
    "configuration": (
        "{name: 'acme:Shop', config: {limt: 1}}",
        "configuration of plugin <Shop> is refused: limt: unknown key; did you mean 'limit'?",
    ),
    "start": ("{name: 'acme:broken'}", "RuntimeError: no luck"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_failure_stops_nothing_else(run: Callable, composition: Composition, name: str) -> None:
    """An entry that cannot be mounted says why on one line; the ones around it are mounted."""
    entry, reason = FAILURES[name]

    async def main() -> None:
        async with composition.host(f"- {{name: tools}}\n- {entry}\n- {{name: timer}}\n") as ctx:
            await wait_quiet(ctx)
            before, failed, after = ctx.loader.entries()
            assert (before.state, failed.state, after.state) == ("mounted", "failed", "mounted")
            assert reason in failed.reason
            assert "\n" not in failed.reason
            assert (failed.line, before.reason, before.line) == (2, "", 1)

    run(main())


BROKEN_MODULES = {
    "raise ValueError('x')": "importing 'shaky' failed: ValueError: x (",
    "import sys; sys.exit(3)": "importing 'shaky' failed: SystemExit: 3 (",
    "import no_such_thing": "importing 'shaky' failed: ModuleNotFoundError: No module named 'no_such_thing' (",
    "def f(:": "importing 'shaky' failed: SyntaxError: invalid syntax (shaky.py, line 1)",
}


@pytest.mark.parametrize("source", BROKEN_MODULES)
def test_broken_module_fails_its_entry(
    run: Callable,
    composition: Composition,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    source: str,
) -> None:
    """Whatever importing a plugin raises, its exit included, is that entry's failure, with the place."""
    (tmp_path / "shaky.py").write_text(source)
    monkeypatch.syspath_prepend(str(tmp_path))

    async def main() -> None:
        async with composition.host("[{name: shaky}, {name: timer}]") as ctx:
            assert states(ctx) == {"shaky": "failed", "timer": "mounted"}
            reason = status(ctx, "shaky").reason
            assert BROKEN_MODULES[source] in reason
            assert "SyntaxError" in reason or "shaky.py:1)" in reason

    run(main())


def test_failure_is_logged(
    run: Callable, composition: Composition, caplog: pytest.LogCaptureFixture
) -> None:
    """What the runtime cannot tell of, since nothing was mounted, the loader logs; no secrets."""

    async def main() -> None:
        async with composition.host("- {name: tool}\n- {name: tools, config: {a: '${env:NO}'}}"):
            pass

    with caplog.at_level(logging.ERROR):
        run(main())
    assert [record.getMessage() for record in caplog.records] == [
        (
            "entry 'tool' (line 1) is not mounted: no plugin 'tool': there is no module 'tool' and no entry "
            "point of that name in the group 'toolset.plugins'; did you mean 'tools'?"
        ),
        (
            "entry 'tools' (line 2) is not mounted: environment variable NO is not set; set it, or write "
            "${env:NO:-default}"
        ),
    ]


def test_ambiguous_entry_point_is_refused(
    run: Callable, composition: Composition, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that two packages announce for different plugins is nobody's; both are named."""
    for number in (1, 2):
        info = tmp_path / f"pkg{number}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: pkg{number}\nVersion: 1.0\n")
        points = f"[toolset.plugins]\nshop = acme:{'Shop' if number == 1 else 'buyer'}\nonly{number} = acme:Shop\n"
        (info / "entry_points.txt").write_text(points)
    monkeypatch.syspath_prepend(str(tmp_path))

    async def main() -> None:
        async with composition.host("[{name: shop}, {name: only1}]") as ctx:
            assert states(ctx) == {"shop": "failed", "only1": "mounted"}
            reason = status(ctx, "shop").reason
            assert "several packages announce it, as 'acme:Shop' or 'acme:buyer'" in reason

    run(main())


def test_missing_service_leaves_pending(run: Callable, composition: Composition) -> None:
    """An entry waits for what its plugin injects, says for what, and starts when it is there."""

    async def main() -> None:
        async with composition.host("- name: acme:buyer") as ctx:
            assert status(ctx, "acme:buyer").state == "pending"
            assert status(ctx, "acme:buyer").reason == "waiting for service(s): shop"
            await ctx.plugin(Shop)
            await wait_quiet(ctx)
            assert states(ctx) == {"acme:buyer": "mounted"}

    run(main())


def test_entry_injects_more(run: Callable, composition: Composition, plugins: Callable) -> None:
    """With `inject` an entry waits for services that its plugin does not ask for, and may read them."""

    seen: list[object] = []

    def apply(ctx: Context, config: object) -> None:
        assert isinstance(ctx.shop, Shop)
        seen.append(config)

    async def main() -> None:
        plugins("late", apply=apply)
        text = "- {id: one, name: late, inject: [shop], config: {a: 1}}"
        async with composition.host(text) as ctx:
            assert status(ctx, "one").reason == "waiting for service(s): shop"
            shop = await ctx.plugin(Shop)
            await wait_quiet(ctx)
            assert (states(ctx), seen) == ({"one": "mounted"}, [{"a": 1}])
            await shop.dispose()
            assert states(ctx) == {"one": "pending"}
            await ctx.plugin(Shop)
            await wait_quiet(ctx)
            assert (states(ctx), len(seen)) == ({"one": "mounted"}, 2)

    run(main())


def test_group_is_one_fiber(run: Callable, composition: Composition) -> None:
    """What a group has in it is mounted in a fiber of its own, which is named by its id."""
    text = """
        - id: outer
          group:
            - id: inner
              group:
                - name: acme:Shop
            - name: acme:buyer
        - name: timer
    """

    async def main() -> None:
        async with composition.host(text) as ctx:
            outer, timer = ctx.loader.ctx.fiber.children
            inner, buyer_fiber = outer.children
            assert [one.name for one in (outer, timer, inner, buyer_fiber, *inner.children)] == [
                "outer",
                "Timer",
                "inner",
                "buyer",
                "Shop",
            ]
            assert [(one.id, one.group) for one in ctx.loader.entries()] == [
                ("outer", ""),
                ("inner", "outer"),
                ("acme:Shop", "inner"),
                ("acme:buyer", "outer"),
                ("timer", ""),
            ]
            assert set(states(ctx).values()) == {"mounted"}

    run(main())


def test_group_waits_with_all(run: Callable, composition: Composition) -> None:
    """The entries of a group with `inject` come and go with the service it waits for."""
    text = """
        - id: all
          inject: [shop]
          group:
            - name: timer
            - {id: bad, name: nowhere_to_be_found}
    """

    async def main() -> None:
        async with composition.host(text) as ctx:
            waiting = "group 'all' is pending: waiting for service(s): shop"
            assert [(one.state, one.reason) for one in ctx.loader.entries()] == [
                ("pending", "waiting for service(s): shop"),
                ("pending", waiting),
                ("pending", waiting),
            ]
            for _ in range(2):
                shop = await ctx.plugin(Shop)
                await wait_quiet(ctx)
                assert states(ctx) == {"all": "mounted", "timer": "mounted", "bad": "failed"}
                assert ctx.get("timer") is not None
                await shop.dispose()
                assert set(states(ctx).values()) == {"pending"}
                assert ctx.get("timer") is None

    run(main())


def test_disabled_is_left_out(run: Callable, composition: Composition) -> None:
    """A disabled entry is not even looked for, and takes all that is in it with it."""
    text = """
        - {id: a, name: nowhere, disabled: true, config: {x: "${env:NO}"}}
        - id: b
          disabled: true
          group:
            - {id: c, name: nowhere, config: {x: "${env:NO}"}}
            - {id: d, name: timer, disabled: true}
    """

    async def main() -> None:
        async with composition.host(text) as ctx:
            assert [(one.state, one.reason) for one in ctx.loader.entries()] == [
                ("disabled", "its entry says so"),
                ("disabled", "its entry says so"),
                ("disabled", "group 'b' is disabled: its entry says so"),
                ("disabled", "its entry says so"),
            ]
            assert ctx.loader.ctx.fiber.children == ()

    run(main())


def test_isolated_services_are_apart(run: Callable, composition: Composition) -> None:
    """`isolate` gives an entry a slot of its own, or shares one among those with the same label."""
    text = """
        - {id: everybody, name: "acme:Shop"}
        - {id: own, isolate: [shop], group: [{id: mine, name: "acme:Shop"}, {id: me, name: "acme:buyer"}]}
        - {id: alone, name: "acme:buyer", isolate: {shop: true}}
        - {id: team, name: "acme:Shop", isolate: {shop: blue}}
        - {id: member, name: "acme:buyer", isolate: {shop: blue}}
    """

    async def main() -> None:
        async with composition.host(text) as ctx:
            assert states(ctx) == {
                **dict.fromkeys(("everybody", "own", "mine", "me", "team", "member"), "mounted"),
                "alone": "pending",
            }
            children = ctx.loader.ctx.fiber.children
            shops = {
                id(one.ctx.get("shop").ctx)
                for one in (children[0], children[1].children[0], children[3])
            }
            assert len(shops) == 3
            assert ctx.shop.ctx is children[0].ctx

    run(main())


def test_second_provider_fails(run: Callable, composition: Composition) -> None:
    """Of two entries that provide one service the first stands; the other says whose it is."""

    async def main() -> None:
        async with composition.host("[{name: 'acme:Shop'}, {name: 'acme:Shop'}]") as ctx:
            assert states(ctx) == {"acme:Shop": "mounted", "acme:Shop#2": "failed"}
            reason = status(ctx, "acme:Shop#2").reason
            assert 'service "shop" is already provided by <Shop>' in reason

    run(main())


def test_slow_entry_is_pending(run: Callable, composition: Composition, plugins: Callable) -> None:
    """An entry that does not come to its end is listed as starting, and holds nobody up for long."""
    begun = asyncio.Event()
    go = asyncio.Event()

    async def slow(ctx: Context) -> None:
        begun.set()
        await go.wait()

    async def main() -> None:
        plugins("snail", slow=slow)
        text = "[{name: 'snail:slow'}, {name: timer}]"
        async with composition.host(text, start_timeout_ms=20) as ctx:
            assert begun.is_set()
            assert states(ctx) == {"snail:slow": "pending", "timer": "mounted"}
            assert status(ctx, "snail:slow").reason == "is loading, waiting for its start to return"
            go.set()
            await wait_quiet(ctx)
            assert states(ctx) == {"snail:slow": "mounted", "timer": "mounted"}

    run(main())


def test_disposed_entry_is_told(run: Callable, composition: Composition) -> None:
    """An entry whose fiber somebody disposed is listed as such, and mounted again by a reload."""

    async def main() -> None:
        async with composition.host("- name: acme:Shop") as ctx:
            (fiber,) = ctx.loader.ctx.fiber.children
            await fiber.dispose()
            assert "disposed by other means" in status(ctx, "acme:Shop").reason
            await ctx.loader.reload()
            assert states(ctx) == {"acme:Shop": "mounted"}
            composition.write("- {name: acme:Shop, inject: [loader]}")
            await ctx.loader.reload()
            (outer,) = ctx.loader.ctx.fiber.children
            await outer.children[0].dispose()
            assert "disposed by other means" in status(ctx, "acme:Shop").reason
            await ctx.loader.reload()
            assert states(ctx) == {"acme:Shop": "mounted"}

    run(main())


def test_wrong_file_mounts_nothing(run: Callable, composition: Composition) -> None:
    """A file with a mistake, or none at all, fails the loader before any entry is mounted."""

    async def main() -> None:
        for text, error in (
            (None, UnreadableCompositionError),
            ("- timer", InvalidCompositionError),
        ):
            if text is not None:
                composition.write(f"- name: timer\n{text}")
            async with Context() as ctx:
                fiber = ctx.plugin(Loader, {"path": str(composition.path)})
                with pytest.raises(error):
                    await fiber
                assert (fiber.state, fiber.children) == (FiberState.FAILED, ())
                assert ctx.get("timer") is None
            assert leaks(ctx) == ()

    run(main())


def test_wrong_file_names_unknown_plugins(run: Callable, composition: Composition) -> None:
    """When a file is refused, names that lead nowhere are in the same report; disabled ones are not."""
    text = """\
        - nam: x
          name: toolsett.cordis
        - {id: a, name: nowhere_at_all, disabled: true}
        - {id: b, name: "acme:nothing"}
        - {id: c, name: "json.nothing:x"}
        - {id: d, disabled: true, group: [{id: e, name: nowhere_at_all}]}
    """

    async def main() -> None:
        with pytest.raises(InvalidCompositionError) as caught:
            async with composition.host(text):
                pass
        assert [one[:2] for one in caught.value.problems] == [(1, 3), (2, 9)]
        assert "did you mean 'toolset.cordis'?" in caught.value.problems[1].message

    run(main())


@pytest.mark.parametrize("isolate", ["", ", isolate: [loader]"])
def test_loader_in_itself_is_refused(run: Callable, composition: Composition, isolate: str) -> None:
    """A composition that lists a loader of itself, or one in the same place, loads all the rest."""
    other = composition.path.with_name("other.yml")
    other.write_text(
        f"- {{id: back, name: 'toolset.loader:Loader', config: {{path: {composition.path}}}{isolate}}}"
    )
    text = f"""
        - {{name: "toolset.loader:Loader", config: {{path: {composition.path}}}{isolate}}}
        - {{id: two, name: "toolset.loader:Loader", config: {{path: {other}}}{isolate}}}
        - name: timer
    """

    async def main() -> None:
        async with composition.host(text) as ctx:
            itself, two, timer = ctx.loader.entries()
            assert (itself.state, timer.state) == ("failed", "mounted")
            assert "is loaded inside itself" in itself.reason
            if not isolate:
                assert 'service "loader" is already provided by <Loader>' in two.reason
                return
            assert two.state == "mounted"
            inner = ctx.loader.ctx.fiber.children[1].ctx.get("loader")
            assert "is loaded inside itself" in inner.entries()[0].reason

    run(main())


def test_path_is_that_of_the_start(
    run: Callable, composition: Composition, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A relative path is one from where the host was when it mounted the loader, and by default `cordis.yml`."""
    composition.write("- name: timer")
    monkeypatch.chdir(tmp_path)

    async def main() -> None:
        async with Context() as ctx:
            await ctx.plugin(Loader)
            os.chdir("/")
            composition.write("")
            assert (await ctx.loader.reload()).removed == ("timer",)

    run(main())


def test_ten_thousand_entries(composition: Composition, plugins: Callable) -> None:
    """A large composition is mounted, listed and followed like a small one."""
    lines = [f"- {{id: e{number}, name: 'many:apply'}}\n" for number in range(10_000)]

    async def main() -> None:
        plugins("many", apply=lambda ctx: None)
        async with composition.host("".join(lines)) as ctx:
            assert set(states(ctx).values()) == {"mounted"}
            composition.write("".join(lines[1:]))
            assert (await ctx.loader.reload()).removed == ("e0",)
            assert len(ctx.loader.entries()) == 9_999

    asyncio.run(main())


def test_wrong_configuration_is_a_line(
    run: Callable, composition: Composition, caplog: pytest.LogCaptureFixture
) -> None:
    """A configuration that does not fit is logged in one line, its violations set apart."""

    async def main() -> None:
        text = "[{name: 'acme:Shop', config: {limt: 1, limi: 2}}]"
        async with composition.host(text) as ctx:
            (entry,) = ctx.loader.entries()
            assert "'limit'?; limi: unknown key" in entry.reason

    run(main())
    (record,) = [one for one in caplog.records if "start failed" in one.getMessage()]
    assert record.exc_info is None
    assert "\n" not in record.getMessage()
