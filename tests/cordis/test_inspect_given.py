"""The section `api` shows what mounted code is given, and how much a limit lets through."""

from __future__ import annotations

import pytest
from toolset_host import host


@pytest.mark.parametrize("name", [None, "harness", "ctx"])
def test_api_shows_harness(run, name: str | None) -> None:
    """How tools are made stands in the section, and below the names of its parts."""

    async def main() -> None:
        async with host() as h:
            text = await h.inspect(what="api", **({"name": name} if name else {}))
            assert text.startswith("## api\n")
            assert "harness.define_tool(name=" in text
            assert 'output={"schema": {"type": "string"}}' in text
            assert "- `harness.register_tool(ctx: MountContext" in text

    run(main())


def test_api_marks_withheld_members(run) -> None:
    """Of the tools, what a mount is given comes first; the host's own members are marked."""

    async def main() -> None:
        async with host() as h:
            text = await h.inspect(what="api", name="tools")
            given, host_own = text.split("(withheld from mounted code):")
            assert "get(name: str) -> ToolSchema | None" in given
            assert "owner(" not in given
            assert "owner(" in host_own

    run(main())


@pytest.mark.parametrize("limit", [1, 100])
def test_limit_keeps_closing_sentence(run, limit: int) -> None:
    """However small the limit, the report says what was left out and how to get it."""

    async def main() -> None:
        async with host() as h:
            text = await h.inspect(what="api", limit=limit)
            assert text.endswith('what:"api", or name:, or for more with a larger limit]')
            assert "[left out: " in text

    run(main())
