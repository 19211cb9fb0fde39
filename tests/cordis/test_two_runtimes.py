"""Two runtimes with a toolset each in one process: both have a `dyn-1`, and neither sees the other's."""

from __future__ import annotations

import linecache
import sys

from toolset_host import Host, host

FAILING = """
from dataclasses import dataclass

@dataclass
class Note:
    text: "str"

async def apply(ctx):
    @harness.tool
    async def fail() -> str:
        \"\"\"Fail.\"\"\"
        {line}

    ctx.tools.register(fail)

return apply
"""


async def mounted(h: Host, line: str) -> None:
    assert (await h.mount(FAILING.format(line=line)))["id"] == "dyn-1"


def kept() -> list[str]:
    """Name what the process keeps of mounts."""
    return sorted(
        name for name in (*linecache.cache, *sys.modules) if name.startswith(("<mount:", "dyn-"))
    )


def test_same_ids_stay_apart(run) -> None:
    """Each keeps its lines and its module, and unmounting in one leaves the other's."""

    async def main() -> None:
        async with host() as one, host() as other:
            await mounted(one, "return 'one'")
            mine = kept()
            await mounted(other, "return 'other'")
            assert len(kept()) == 2 * len(mine) == 4
            assert (await one.call("fail")).text == "one"
            assert (await other.call("fail")).text == "other"
            await other.call("cordis_unmount", id="dyn-1")
            assert kept() == mine
            assert (await one.call("fail")).text == "one"

    before = kept()
    run(main())
    assert kept() == before


def test_bound_names_own_line(run) -> None:
    """A stretch that is ended names its own line, and the other runtime's mount is not to blame."""

    async def main() -> None:
        async with host({"vm_timeout_ms": 150}) as one, host({"vm_timeout_ms": 150}) as other:
            await mounted(one, "return 'fine'")
            await mounted(other, "while True: pass")
            text = (await other.call("fail")).text
            assert text.startswith("dyn-1 was ended: line 12, in fail,")
            assert text.endswith("while True: pass")
            code = "def apply(ctx): ctx.on('a/b', print)\nreturn apply"
            assert (await one.mount(code))["state"] == "active"
            assert (await one.call("fail")).text == "fine"

    run(main())
