"""What a reload changes, and what it leaves alone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import ModuleType

import pytest
from composing import Composition, states, status
from pydantic import BaseModel

from toolset import Context, Fiber, Service
from toolset.loader import InvalidCompositionError, Reloaded, UnreadableCompositionError
from toolset.runtime import InactiveContextError
from toolset.testing import assert_no_leaks, snapshot, wait_quiet


class Shop(Service, key="shop"):
    """Sells."""

    class Config(BaseModel):
        """How."""

        limit: int = 1


def plain(ctx: Context, config: object = None) -> None:
    """Do nothing."""


def buyer(ctx: Context) -> None:
    """Buy."""
    ctx.shop  # noqa: B018 - reading it is what is tested


buyer.inject = ["shop"]


@pytest.fixture(autouse=True)
def acme(plugins: Callable[..., ModuleType]) -> ModuleType:
    """Give every test a module with plugins."""
    return plugins("acme", Shop=Shop, plain=plain, buyer=buyer)


def fibers(ctx: Context) -> dict[str, Fiber]:
    """Give the fibers in the loader's by the configuration they have."""
    return {one.name: one for one in ctx.loader.ctx.fiber.children}


def entry(key: str, rest: str = "") -> str:
    return f"- {{id: {key}, name: 'acme:plain'{rest}}}\n"


def test_same_file_changes_nothing(run: Callable, composition: Composition) -> None:
    """A file that says the same, in whatever words and order of keys, leaves every fiber alone."""
    one = "- {id: a, name: 'acme:plain', config: {x: 1, y: [2]}, inject: [shop, loader]}\n- {name: acme:Shop}\n"
    same = """
        # a comment
        - name: acme:plain
          inject: [loader, shop]
          disabled: false
          config:
            y: [2]
            x: 1
          id: a

        - name: "acme:Shop"
    """

    async def main() -> None:
        async with composition.host(one) as ctx:
            before = list(ctx.registry.fibers())
            composition.write(same)
            assert await ctx.loader.reload() == Reloaded((), (), ())
            assert list(ctx.registry.fibers()) == before
            assert [one.line for one in ctx.loader.entries()] == [3, 11]

    run(main())


@pytest.mark.parametrize("value", ["1.0", "true", "'1'", "2", "[1]", "{a: 1}", "null"])
def test_other_value_is_a_change(run: Callable, composition: Composition, value: str) -> None:
    """Values that Python calls equal are still different in a configuration."""

    async def main() -> None:
        async with composition.host(entry("a", ", config: {x: 1}")) as ctx:
            composition.write(entry("a", f", config: {{x: {value}}}"))
            assert (await ctx.loader.reload()).changed == ("a",)
            assert (await ctx.loader.reload()).changed == ()

    run(main())


def test_only_changed_entries_change(run: Callable, composition: Composition) -> None:
    """Added, changed and removed entries do; the others keep their very fiber, where they are put."""

    async def main() -> None:
        text = entry("a") + entry("b", ", config: {x: 1}") + entry("c") + "- {id: d, name: timer}\n"
        async with composition.host(text) as ctx:
            a, b, c, d = ctx.loader.ctx.fiber.children
            composition.write(
                "- {id: d, name: timer}\n"
                + entry("b", ", config: {x: 2}")
                + entry("e")
                + entry("a")
            )
            done = await ctx.loader.reload()
            assert done == Reloaded(added=("e",), changed=("b",), removed=("c",))
            assert (a.state, b.state, c.state, d.state) == (
                "active",
                "active",
                "disposed",
                "active",
            )
            assert b.config == {"x": 2}
            assert list(states(ctx)) == ["d", "b", "e", "a"]
            assert set(states(ctx).values()) == {"mounted"}

    run(main())


def test_configuration_runs_update(run: Callable, composition: Composition) -> None:
    """A new configuration is the fiber's own update: the same fiber, and its dependents run again."""
    updates: list[Fiber] = []

    async def main() -> None:
        text = "- {{name: 'acme:Shop', config: {{limit: {}}}}}\n- name: acme:buyer\n"
        async with composition.host(text.format(1)) as ctx:
            ctx.on("internal/update", updates.append)
            shop, buyer_fiber = ctx.loader.ctx.fiber.children
            composition.write(text.format(2))
            await ctx.loader.reload()
            assert updates == [shop]
            assert [shop, buyer_fiber] == list(ctx.loader.ctx.fiber.children)
            assert ctx.shop.config.limit == 2
            assert set(states(ctx).values()) == {"mounted"}

    run(main())


def test_refused_configuration_fails_entry(run: Callable, composition: Composition) -> None:
    """A configuration that does not fit fails its entry, as it would in a fresh host; and can be mended."""

    async def main() -> None:
        async with composition.host("- {id: s, name: 'acme:Shop', config: {limit: 1}}") as ctx:
            composition.write("- {id: s, name: 'acme:Shop', config: {limit: x}}")
            assert (await ctx.loader.reload()).changed == ("s",)
            assert "limit: Input should be a valid integer" in status(ctx, "s").reason
            assert ctx.get("shop") is None
            composition.write("- {id: s, name: 'acme:Shop', config: {limit: 3}}")
            await ctx.loader.reload()
            assert (states(ctx), ctx.shop.config.limit) == ({"s": "mounted"}, 3)

    run(main())


@pytest.mark.parametrize(
    "change",
    ["name: 'acme:Shop'", "inject: [loader]", "isolate: [x]", "isolate: {x: a}", "disabled: true"],
)
def test_other_shape_mounts_anew(run: Callable, composition: Composition, change: str) -> None:
    """What is no configuration cannot be handed over: the entry is unmounted and mounted again."""

    async def main() -> None:
        async with composition.host("- {id: a, name: 'acme:plain'}") as ctx:
            (before,) = ctx.loader.ctx.fiber.children
            name = "" if change.startswith("name") else "name: 'acme:plain', "
            composition.write(f"- {{id: a, {name}{change}}}")
            assert (await ctx.loader.reload()).changed == ("a",)
            assert before.state == "disposed"
            assert states(ctx)["a"] == ("disabled" if change.startswith("dis") else "mounted")

    run(main())


@pytest.mark.parametrize("wrong", ["- [", "- nam: x", "a: 1", None])
def test_wrong_file_changes_nothing(
    run: Callable, composition: Composition, wrong: str | None
) -> None:
    """A file that is gone or has a mistake is refused with the reason, and everything goes on."""

    async def main() -> None:
        async with composition.host(entry("a") + entry("b")) as ctx:
            before, listed = snapshot(ctx), ctx.loader.entries()
            if wrong is None:
                composition.path.unlink()
            else:
                composition.write(f"{entry('a')}{entry('c')}{wrong}\n")
            with pytest.raises((InvalidCompositionError, UnreadableCompositionError)):
                await ctx.loader.reload()
            assert (snapshot(ctx), ctx.loader.entries()) == (before, listed)
            composition.write(entry("a") + entry("c"))
            assert await ctx.loader.reload() == Reloaded(("c",), (), ("b",))

    run(main())


def test_group_goes_with_all(run: Callable, composition: Composition) -> None:
    """Disabling or removing a group takes everything in it; enabling it brings it back."""
    group = "- id: g\n  disabled: {}\n  group:\n    - {{id: a, name: 'acme:plain'}}\n    - {{id: h, group: [{{id: s, name: 'acme:Shop'}}]}}\n"

    async def main() -> None:
        async with composition.host("") as ctx, assert_no_leaks(ctx):
            composition.write(group.format("false"))
            assert (await ctx.loader.reload()).added == ("g", "a", "h", "s")
            assert ctx.get("shop") is not None
            composition.write(group.format("true"))
            await ctx.loader.reload()
            assert set(states(ctx).values()) == {"disabled"}
            assert ctx.loader.ctx.fiber.children == ()
            composition.write(group.format("false"))
            await ctx.loader.reload()
            assert set(states(ctx).values()) == {"mounted"}
            composition.write("")
            assert (await ctx.loader.reload()).removed == ("g", "a", "h", "s")

    run(main())


def test_group_follows_inside(run: Callable, composition: Composition) -> None:
    """A change inside a group changes that entry alone; the group and the others keep their fibers."""

    def text(inner: str) -> str:
        return f"- id: g\n  group:\n    - {{id: a, name: 'acme:plain'}}\n    {inner}\n"

    async def main() -> None:
        async with composition.host(text("- {id: b, name: 'acme:plain'}")) as ctx:
            (group,) = ctx.loader.ctx.fiber.children
            a, _ = group.children
            composition.write(text("- {id: c, name: 'acme:Shop'}"))
            assert await ctx.loader.reload() == Reloaded(("c",), (), ("b",))
            assert ctx.loader.ctx.fiber.children == (group,)
            assert [one.name for one in group.children] == ["plain", "Shop"]
            assert group.children[0] is a

    run(main())


def test_waiting_group_follows_too(run: Callable, composition: Composition) -> None:
    """What changes in a group that waits is there as it should be once the group runs."""
    text = "- id: g\n  inject: [shop]\n  group:\n    - {{id: a, name: 'acme:plain', config: {{x: {}}}}}\n{}"

    async def main() -> None:
        async with composition.host(text.format(1, "")) as ctx:
            composition.write(text.format(2, "    - {id: b, name: timer}\n"))
            assert await ctx.loader.reload() == Reloaded(("b",), ("a",), ())
            assert set(states(ctx).values()) == {"pending"}
            shop = await ctx.plugin(Shop)
            await wait_quiet(ctx)
            (group,) = ctx.loader.ctx.fiber.children
            assert [one.name for one in group.children] == ["plain", "Timer"]
            assert group.children[0].config == {"x": 2}
            await shop.dispose()
            assert await ctx.loader.reload() == Reloaded((), (), ())
            composition.write(text.format(2, "    - {id: c, name: 'acme:plain'}\n"))
            assert await ctx.loader.reload() == Reloaded(("c",), (), ("b",))
            assert (status(ctx, "c").state, group.children) == ("pending", ())
            composition.write(text.format(3, ""))
            assert await ctx.loader.reload() == Reloaded((), ("a",), ("c",))
            await ctx.plugin(Shop)
            await wait_quiet(ctx)
            assert [one.config for one in group.children] == [{"x": 3}]

    run(main())


def test_entry_moves_between_groups(run: Callable, composition: Composition) -> None:
    """An entry that moves is unmounted before it is mounted elsewhere, so that its service can move."""

    async def main() -> None:
        text = "- {id: g, group: [{id: s, name: 'acme:Shop'}]}\n- {id: h, group: []}\n- name: acme:buyer\n"
        async with composition.host(text) as ctx:
            (_, _, buyer_fiber) = ctx.loader.ctx.fiber.children
            composition.write(
                "- {id: h, group: [{id: s, name: 'acme:Shop'}]}\n- name: acme:buyer\n"
            )
            assert await ctx.loader.reload() == Reloaded((), ("s",), ("g",))
            assert set(states(ctx).values()) == {"mounted"}
            assert buyer_fiber.state == "active"
            composition.write(
                "- {id: h, group: []}\n- {id: s, name: 'acme:Shop'}\n- name: acme:buyer\n"
            )
            assert await ctx.loader.reload() == Reloaded((), ("s",), ())
            assert status(ctx, "s").group == ""
            (group, _, _) = ctx.loader.ctx.fiber.children
            assert (group.name, group.children) == ("h", ())

    run(main())


def test_last_goes_first(run: Callable, composition: Composition, acme: ModuleType) -> None:
    """What is removed is undone from the end of the file to its beginning, as a disposal would."""
    undone: list[str] = []

    def noted(ctx: Context, config: dict[str, str]) -> object:
        return lambda: undone.append(config["x"])

    async def main() -> None:
        acme.noted = noted
        lines = [f"- {{id: {key}, name: 'acme:noted', config: {{x: {key}}}}}\n" for key in "abc"]
        async with composition.host("".join(lines)) as ctx:
            composition.write(lines[1])
            await ctx.loader.reload()
            assert undone == ["c", "a"]

    run(main())


def test_service_moves_between_entries(run: Callable, composition: Composition) -> None:
    """A provider that another entry replaces goes first; who failed for want of the place is tried again."""

    async def main() -> None:
        text = "- {id: one, name: 'acme:Shop'}\n- {id: two, name: 'acme:Shop'}\n"
        async with composition.host(text) as ctx:
            assert states(ctx) == {"one": "mounted", "two": "failed"}
            (_, two) = ctx.loader.ctx.fiber.children
            composition.write("- {id: two, name: 'acme:Shop'}\n")
            assert await ctx.loader.reload() == Reloaded((), (), ("one",))
            assert (states(ctx), two.state) == ({"two": "mounted"}, "active")
            composition.write("- {id: three, name: 'acme:Shop'}\n")
            assert await ctx.loader.reload() == Reloaded(("three",), (), ("two",))
            assert states(ctx) == {"three": "mounted"}

    run(main())


def test_failed_lookup_is_tried_again(
    run: Callable,
    composition: Composition,
    plugins: Callable[..., ModuleType],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An entry that failed for what was not there is mounted by the next reload once it is."""

    async def main() -> None:
        text = "[{name: arrives_late}, {id: v, name: 'acme:plain', config: {x: '${env:LATE}'}}]"
        async with composition.host(text) as ctx:
            assert set(states(ctx).values()) == {"failed"}
            plugins("arrives_late", apply=plain)
            monkeypatch.setenv("LATE", "now")
            await ctx.loader.reload()
            assert set(states(ctx).values()) == {"mounted"}
            (_, with_variable) = ctx.loader.ctx.fiber.children
            monkeypatch.setenv("LATE", "later")
            assert (await ctx.loader.reload()).changed == ("v",)
            assert with_variable.config == {"x": "later"}
            monkeypatch.delenv("LATE")
            await ctx.loader.reload()
            assert status(ctx, "v").state == "failed"

    run(main())


def test_reloads_take_turns(run: Callable, composition: Composition, acme: ModuleType) -> None:
    """Reloads asked for at once run one after the other; each reads the file in its turn."""
    running: list[str] = []
    most: list[int] = []

    async def slow(ctx: Context, config: dict[str, str]) -> None:
        running.append(config["x"])
        most.append(len(running))
        await asyncio.sleep(0)
        running.remove(config["x"])

    async def main() -> None:
        acme.slow = slow
        text = "- {{id: a, name: 'acme:slow', config: {{x: v{}}}}}"
        async with composition.host(text.format(0)) as ctx:
            composition.write(text.format(1))
            first = asyncio.ensure_future(ctx.loader.reload())
            second = asyncio.ensure_future(ctx.loader.reload())
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            composition.write(text.format(2))
            assert [one.changed for one in await asyncio.gather(first, second)] == [("a",), ("a",)]
            assert max(most) == 1
            (fiber,) = ctx.loader.ctx.fiber.children
            assert fiber.config == {"x": "v2"}

    run(main())


def test_entry_may_remove_itself(run: Callable, composition: Composition, acme: ModuleType) -> None:
    """A plugin whose own task asks for the reload that removes it, or runs it again, sees that through."""
    done: list[Reloaded] = []

    def apply(ctx: Context, _config: object = None) -> None:
        async def work() -> None:
            done.append(await ctx.loader.reload())

        ctx.on("test/go", work)

    apply.inject = ["loader"]

    async def main() -> None:
        acme.selfish = apply
        async with composition.host("- {id: a, name: 'acme:selfish'}\n") as ctx:
            await wait_quiet(ctx)
            composition.write("- {id: a, name: 'acme:selfish', config: {x: 1}}\n" + entry("b"))
            await ctx.parallel("test/go")
            assert done == [Reloaded(("b",), ("a",), ())]
            await wait_quiet(ctx)
            composition.write(entry("b"))
            await ctx.parallel("test/go")
            assert done[1:] == [Reloaded((), (), ("a",))]
            assert states(ctx) == {"b": "mounted"}

    run(main())


def test_start_may_reload(run: Callable, composition: Composition, acme: ModuleType) -> None:
    """A plugin that asks for a reload while it starts is not waited for by that reload."""
    done: list[Reloaded] = []

    async def apply(ctx: Context) -> None:
        done.append(await ctx.loader.reload())

    apply.inject = ["loader"]

    async def main() -> None:
        acme.eager = apply
        async with composition.host("- {id: a, name: 'acme:eager'}\n") as ctx:
            await wait_quiet(ctx)
            assert done == [Reloaded((), (), ())]
            assert states(ctx) == {"a": "mounted"}

    run(main())


def test_disposal_ends_reload(run: Callable, composition: Composition, acme: ModuleType) -> None:
    """A reload that is under way when the loader is disposed is ended and says so; nothing is mounted."""
    go = asyncio.Event()

    async def main() -> None:
        acme.stubborn = lambda ctx: go.wait
        async with composition.host("- {id: s, name: 'acme:stubborn'}\n") as ctx:
            composition.write(entry("b"))
            reloading = asyncio.ensure_future(ctx.loader.reload())
            for _ in range(5):
                await asyncio.sleep(0)
            over = ctx.loader.ctx.fiber.dispose()
            go.set()
            await over
            with pytest.raises(InactiveContextError, match=r"loader\.reload\(\) was ended"):
                await reloading
            assert [one.name for one in ctx.registry.fibers()] == ["root"]

    run(main())


def test_cancelled_reload_is_taken_up(
    run: Callable, composition: Composition, acme: ModuleType
) -> None:
    """A reload that is cancelled half-way leaves nothing behind that the next one does not put right."""
    go = asyncio.Event()

    def stubborn(ctx: Context) -> object:
        return go.wait

    async def main() -> None:
        acme.stubborn = stubborn
        text = "- {id: s, name: 'acme:stubborn'}\n- {id: g, group: [{id: t, name: 'acme:Shop'}]}\n"
        async with composition.host(text) as ctx:
            composition.write(entry("b") + "- name: acme:Shop\n")
            waiting = asyncio.ensure_future(ctx.loader.reload())
            for _ in range(5):
                await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            go.set()
            await ctx.loader.reload()
            assert states(ctx) == {"b": "mounted", "acme:Shop": "mounted"}
            assert [one.name for one in ctx.loader.ctx.fiber.children] == ["plain", "Shop"]

    run(main())


def test_disposed_loader_reloads_nothing(run: Callable, composition: Composition) -> None:
    """After the loader's end its entries are over, and a reload says why it does nothing."""

    async def main() -> None:
        async with composition.host(entry("a")) as ctx:
            loader = ctx.loader
            await loader.ctx.fiber.dispose()
            assert ctx.get("loader") is None
            with pytest.raises(InactiveContextError, match=r"loader\.reload\(\) refused"):
                await loader.reload()

    run(main())


def test_loader_itself_is_reconfigured(run: Callable, composition: Composition) -> None:
    """Given another file, the loader unmounts what the old one listed and mounts the new one's."""

    async def main() -> None:
        async with composition.host(entry("a")) as ctx:
            other = composition.path.with_name("other.yml")
            other.write_text(entry("b"))
            await ctx.loader.ctx.fiber.update({"path": str(other)})
            assert states(ctx) == {"b": "mounted"}
            assert len(ctx.loader.ctx.fiber.children) == 1

    run(main())
