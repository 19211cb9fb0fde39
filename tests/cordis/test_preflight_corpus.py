"""Correct plugins of many styles: none of them is refused, warned about, or leaves anything."""

from __future__ import annotations

from pathlib import Path

import pytest
from corpus_cases import CORPUS

from toolset import Context, cordis
from toolset.services.fs import FileSystem
from toolset.services.timer import Timer
from toolset.services.tools import ToolRegistry, ToolResult
from toolset.testing import snapshot


def test_corpus_is_large() -> None:
    """The corpus has at least 60 plugins."""
    assert len(CORPUS) >= 60


@pytest.mark.parametrize("name", CORPUS)
def test_correct_plugin_mounts_quietly(run, tmp_path: Path, name: str) -> None:
    """A correct plugin mounts without a note that doubts it, and unmounting leaves nothing."""

    async def main() -> None:
        async with Context() as ctx:
            for plugin in (ToolRegistry, Timer):
                await ctx.plugin(plugin)
            await ctx.plugin(FileSystem, {"root": str(tmp_path)})
            await ctx.plugin(cordis)
            before = snapshot(ctx)
            mounted: ToolResult = await ctx.tools.execute("cordis_mount", {"code": CORPUS[name]})
            assert not mounted.is_error, mounted.text
            assert "note:" not in mounted.text
            await ctx.tools.execute("cordis_unmount", {"id": mounted.value["id"]})
            assert snapshot(ctx) == before

    run(main())
