"""The toolset is off by default: a composition enables it with an entry, and disables it again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from composing import Composition, states

from toolset import Context
from toolset.services.tools import ToolRegistry
from toolset.testing import snapshot

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "cordis.yml"
THREE = {"cordis_inspect", "cordis_mount", "cordis_unmount"}
MOUNT = """
@harness.tool
def shout(text: str) -> str:
    '''Say a text loudly.

    Args:
        text: What to say.
    '''
    return text.upper()

def apply(ctx):
    ctx.tools.register(shout)
    ctx.on("tools/change", lambda *_: None)
    ctx.timer.set_interval(print, 1000)

apply.inject = ["tools", "timer"]
return apply
"""


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the example work in a folder of the test."""
    monkeypatch.setenv("WORKSPACE", str(tmp_path))


def example(**changes: object) -> str:
    """Give the example's text, the toolset's entry changed; without it when it is disabled away."""
    entries = yaml.safe_load(EXAMPLE.read_text(encoding="utf-8"))
    entries[-1] |= changes
    return yaml.safe_dump(entries if changes.get("id", "") is not None else entries[:-1])


def tools(ctx: Context) -> set[str]:
    return {one.name for one in ctx.tools.schemas()}


def test_runtime_has_no_toolset(run: Callable) -> None:
    """A runtime with a tool registry has none of the three tools unless it is given them."""

    async def main() -> None:
        async with Context() as ctx:
            await ctx.plugin(ToolRegistry)
            assert tools(ctx) == set()

    run(main())


def test_composition_without_entry_has_none(run: Callable, composition: Composition) -> None:
    """The example less the toolset's entry has none of the three tools, though all they need."""

    async def main() -> None:
        async with composition.host(example(id=None)) as ctx:
            assert states(ctx) == dict.fromkeys(("tools", "timer", "fs"), "mounted")
            assert tools(ctx) == set()

    run(main())


def test_composition_enables_the_toolset(run: Callable, composition: Composition) -> None:
    """The example as it is has the three tools, with the configuration of its entry."""

    async def main() -> None:
        async with composition.host(EXAMPLE.read_text(encoding="utf-8")) as ctx:
            assert states(ctx) == dict.fromkeys(("tools", "timer", "fs", "toolset"), "mounted")
            assert tools(ctx) == THREE
            report = await ctx.tools.execute("cordis_inspect", {"what": "plugins"})
            for row in ("FileSystem", "Loader", "Timer", "ToolRegistry", "tool-cordis"):
                assert f"- {row} [active]" in report.text

    run(main())


@pytest.mark.parametrize("way", [{"disabled": True}, {"id": None}], ids=["disabled", "removed"])
def test_disabling_takes_every_mount(
    run: Callable, composition: Composition, way: dict[str, object]
) -> None:
    """Disabling or removing the entry takes the three tools and all that was mounted through them."""

    async def main() -> None:
        async with composition.host(example(id=None)) as ctx:
            without = snapshot(ctx)
            composition.write(example())
            await ctx.loader.reload()
            result = await ctx.tools.execute("cordis_mount", {"code": MOUNT})
            assert not result.is_error, result.text
            assert tools(ctx) == {*THREE, "shout"}
            registry = ctx.tools.ctx.fiber
            composition.write(example(**way))
            await ctx.loader.reload()
            assert tools(ctx) == set()
            assert snapshot(ctx) == without
            assert ctx.tools.ctx.fiber is registry
            composition.write(example())
            await ctx.loader.reload()
            assert tools(ctx) == THREE

    run(main())
