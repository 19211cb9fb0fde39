"""The registry: who registers what, who sees it, and that it ends with its owner."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from toolset import Context, define_tool, tool
from toolset.runtime import InactiveContextError
from toolset.services.tools import (
    DuplicateToolError,
    ReservedToolError,
    ToolDefinition,
    ToolDefinitionError,
    ToolRegistry,
)


def made(name: str, **options: object) -> ToolDefinition:
    return define_tool(
        {
            "name": name,
            "description": "A tool.",
            "output": {"schema": {"type": "json"}},
            "execute": lambda args: args,
            **options,
        }
    )


@asynccontextmanager
async def registry() -> AsyncIterator[Context]:
    """Give a root context with a registry."""
    async with Context() as root:
        await root.plugin(ToolRegistry)
        yield root


async def mount(root: Context, *names: str, plugin: str = "plug") -> Context:
    """Mount a plugin that registers tools, and give its context."""
    found: list[Context] = []

    def apply(ctx: Context) -> None:
        found.append(ctx)
        for name in names:
            ctx.tools.register(made(name))

    apply.inject = ["tools"]
    apply.name = plugin
    await root.plugin(apply)
    return found[0]


def test_tools_belong_to_caller(run):
    """A tool is an effect of the plugin that registered it, and goes with it."""

    async def main() -> None:
        async with registry() as root:
            ctx = await mount(root, "b", "a")
            assert [one.label for one in ctx.fiber.effects()] == [
                "tools.register('b')",
                "tools.register('a')",
            ]
            assert root.tools.names() == ("a", "b")
            assert root.tools.owner("a") == "plug"
            await ctx.fiber.dispose()
            assert root.tools.names() == ()
            assert root.tools.get("a") is None
            assert root.tools.owner("a") is None

    run(main())


def test_effect_takes_tool_back(run):
    """Disposing the effect takes one tool back, and its name is free again."""

    async def main() -> None:
        async with registry() as root:
            ctx = await mount(root)
            effect = ctx.tools.register(made("a"))
            await effect.dispose()
            assert root.tools.names() == ()
            ctx.tools.register(made("a"))
            assert root.tools.names() == ("a",)

    run(main())


def test_change_tells_each_time(run):
    """`tools/change` comes after every change, when the new set is there to be read."""

    async def main() -> None:
        async with registry() as root:
            seen: list[tuple[str, ...]] = []
            root.on("tools/change", lambda: seen.append(root.tools.names()))
            ctx = await mount(root, "a", "b")
            with pytest.raises(DuplicateToolError):
                ctx.tools.register(made("a"))
            await ctx.fiber.dispose()
            assert seen == [("a",), ("a", "b"), ("a",), ()]

    run(main())


@pytest.mark.parametrize(("taken", "wanted"), [("search", "search"), ("a-b", "a_b"), ("Ab", "aB")])
def test_duplicate_is_refused(run, taken, wanted):
    """A name that is taken, or a twin of it, is refused, naming both owners and the way out."""

    async def main() -> None:
        async with registry() as root:
            await mount(root, taken, plugin="first")
            other = await mount(root, plugin="second")
            with pytest.raises(DuplicateToolError) as caught:
                other.tools.register(made(wanted))
            message = str(caught.value)
            assert repr(taken) in message
            assert "by <first>" in message
            assert "<second> cannot" in message
            assert "to replace it unmount <first>" in message
            assert root.tools.names() == (taken,)
            assert other.fiber.effects() == ()

    run(main())


def test_failing_plugin_leaves_no_tool(run):
    """When a plugin fails half-way, what it registered is gone."""

    async def main() -> None:
        async with registry() as root:

            def apply(ctx: Context) -> None:
                ctx.tools.register(made("a"))
                ctx.tools.register(made("a"))

            apply.inject = ["tools"]
            with pytest.raises(DuplicateToolError):
                await root.plugin(apply)
            assert root.tools.names() == ()

    run(main())


def test_reserved_names_are_kept(run):
    """The toolset's names are refused to every plugin but the toolset."""

    async def main() -> None:
        async with registry() as root:
            ctx = await mount(root, plugin="other")
            for name in ("cordis_inspect", "cordis_mount", "cordis_unmount", "cordis_call"):
                with pytest.raises(ReservedToolError, match=f"'{name}' is reserved.*<other>"):
                    ctx.tools.register(made(name))
            await mount(root, "cordis_mount", plugin="tool-cordis")
            assert root.tools.names() == ("cordis_mount",)

    run(main())


def test_only_definitions_register(run):
    """What is no definition is refused, saying how to make one."""

    async def main() -> None:
        async with registry() as root:
            ctx = await mount(root)
            for odd in (len, {"name": "a"}, None):
                with pytest.raises(ToolDefinitionError, match="@tool or define_tool"):
                    ctx.tools.register(odd)

    run(main())


def test_ended_plugin_registers_nothing(run):
    """A plugin that is over cannot register, and the table stays as it was."""

    async def main() -> None:
        async with registry() as root:
            ctx = await mount(root)
            tools = ctx.tools
            await ctx.fiber.dispose()
            with pytest.raises(InactiveContextError, match=r"tools\.register\('a'\)"):
                tools.register(made("a"))
            with pytest.raises(InactiveContextError):
                tools.guard(lambda call: None)
            assert root.tools.names() == ()

    run(main())


def test_scoped_tools_are_hidden(run):
    """A tool of one session is listed and callable there, and nowhere else."""

    async def main() -> None:
        async with registry() as root:
            ctx = await mount(root, "everybody")
            ctx.tools.register(made("mine"), scope="s1")
            assert root.tools.names() == ("everybody",)
            assert root.tools.names("s1") == ("everybody", "mine")
            assert [one.name for one in root.tools.schemas("s2")] == ["everybody"]
            assert (await root.tools.execute("mine")).meta["code"] == "unknown_tool"
            assert not (await root.tools.execute("mine", session="s1")).is_error

    run(main())


def test_schemas_are_plain_copies(run):
    """Schemas hold plain data alone, and changing them changes no tool."""

    async def main() -> None:
        async with registry() as root:
            ctx = await mount(root)
            ctx.tools.register(made("a", parameters={"x": {"type": "string"}}))
            schema = root.tools.schemas()[0]
            assert schema._fields == ("name", "description", "parameters")
            work: list[object] = [*schema]
            while work:
                node = work.pop()
                assert not callable(node)
                work.extend(node.values() if isinstance(node, dict) else ())
                work.extend(node if isinstance(node, list) else ())
            schema.parameters["properties"].clear()
            assert root.tools.schemas()[0].parameters["properties"] == {"x": {"type": "string"}}

    run(main())


def test_full_definition_is_given(run):
    """`get` gives the definition that was registered."""

    async def main() -> None:
        async with registry() as root:

            @tool
            def shout(text: str) -> str:
                """Shout."""
                return text.upper()

            root.tools.register(shout)
            assert root.tools.get("shout") is shout
            assert root.tools.present("shout", {"text": "a"}) is None
            assert root.tools.present("other", {}) is None

    run(main())


@pytest.mark.parametrize("how", ["effect", "fiber"])
def test_running_call_is_ended(run, how):
    """Taking a tool back ends its running calls before it is over; their callers are told."""

    async def main() -> None:
        async with registry() as root:
            ctx = await mount(root)
            begun, ended = asyncio.Event(), []

            async def execute(args: object) -> None:
                begun.set()
                try:
                    await asyncio.Event().wait()
                finally:
                    await asyncio.sleep(0)
                    ended.append(True)

            effect = ctx.tools.register(made("slow", execute=execute))
            call = asyncio.ensure_future(root.tools.execute("slow"))
            await begun.wait()
            await (effect if how == "effect" else ctx.fiber).dispose()
            assert ended == [True]
            result = await call
            assert result.is_error
            assert result.meta["code"] == "unmounted"
            assert "<plug> was unmounted" in result.text
            assert (await root.tools.execute("slow")).meta["code"] == "unknown_tool"

    run(main())


@pytest.mark.parametrize("how", ["effect", "fiber"])
def test_self_unmount_finishes(run, how):
    """A call that takes its own tool back is left to finish and gives its value."""

    async def main() -> None:
        async with registry() as root:
            ctx = await mount(root)

            async def execute(args: object) -> str:
                await (effect if how == "effect" else ctx.fiber).dispose()
                return "still here"

            effect = ctx.tools.register(made("last", execute=execute))
            result = await root.tools.execute("last")
            assert result.text == "still here"
            assert root.tools.names() == ()

    run(main())


def test_nested_unmount_finishes(run):
    """A tool whose call unmounts the plugin of the calling tool deadlocks nobody."""

    async def main() -> None:
        async with registry() as root:
            outer = await mount(root, plugin="outer")
            inner = await mount(root, plugin="inner")

            async def unmount(args: object) -> str:
                await outer.fiber.dispose()
                return "unmounted"

            async def ask(args: object) -> str:
                return (await root.tools.execute("unmount")).text

            inner.tools.register(made("unmount", execute=unmount))
            outer.tools.register(made("ask", execute=ask))
            assert (await root.tools.execute("ask")).text == "unmounted"
            assert root.tools.names() == ("unmount",)

    run(main())


def test_cycles_leave_nothing(run, count_objects):
    """Registering, calling and unmounting fresh tools leaves no object behind."""

    async def main() -> None:
        async with registry() as root:

            async def cycle(number: int) -> None:
                def plugin(ctx: Context) -> None:
                    @tool
                    async def reverse_text(text: str, times: int = 1) -> list[str]:
                        """Reverse a text.

                        Args:
                            text: Text to reverse.
                            times: How often.
                        """
                        return [text[::-1]] * times

                    ctx.tools.register(reverse_text)
                    ctx.tools.register(made(f"fresh_{number}"))

                plugin.inject = ["tools"]
                fiber = await root.plugin(plugin)
                assert (await root.tools.execute("reverse_text", {"text": "ab"})).value == ["ba"]
                await fiber.dispose()

            for number in range(30):
                await cycle(number)
            before = count_objects()
            for number in range(30, 130):
                await cycle(number)
            assert count_objects() - before < 20

    run(main())
