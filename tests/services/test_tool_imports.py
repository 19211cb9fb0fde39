"""What importing the tools costs, and where their public names live."""

from __future__ import annotations

import subprocess
import sys

import toolset
from toolset.services import fs, timer, tools


def test_heavy_imports_wait():
    """Importing, declaring and registering an explicit tool loads no pydantic and no jsonschema."""
    program = """
import asyncio, sys
from toolset import Context, define_tool
from toolset.services.tools import ToolRegistry
from toolset.services.timer import Timer
async def main():
    async with Context() as root:
        await root.plugin(ToolRegistry)
        root.tools.register(define_tool(name="t", description="T.", parameters={"a": {"type": "json"}},
                                        output={"schema": {"type": "string"}}, execute=lambda a: ""))
        assert root.tools.schemas()
asyncio.run(main())
print(sorted({"pydantic", "jsonschema", "libcst", "griffe", "jinja2", "black"} & set(sys.modules)))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_public_names_are_complete():
    """Each public module lists its names, sorted, and all of them exist."""
    for module in (tools, timer, fs):
        names = module.__all__
        assert sorted(names, key=lambda name: (not name.isupper(), name)) == [
            *sorted(name for name in names if name.isupper()),
            *sorted(name for name in names if not name.isupper()),
        ]
        assert all(hasattr(module, name) for name in names)
    assert toolset.tool is tools.tool
    assert toolset.define_tool is tools.define_tool
