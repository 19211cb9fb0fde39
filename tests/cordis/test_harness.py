"""Tools that mounted code makes and registers."""

from __future__ import annotations

import pytest
from mounting import host, mounted, seen

from toolset import define_tool
from toolset.cordis.errors import FacadeError
from toolset.cordis.names import harness
from toolset.services.tools.errors import ToolDefinitionError

SHOUT = '''
from __future__ import annotations
from typing import Literal
from pydantic import BaseModel

class Options(BaseModel):
    """How."""
    mark: Literal["!", "?"] = "!"

class P:
    name = "shouter"
    inject = ["tools"]
    def apply(self, ctx):
        @harness.tool
        async def shout(text: str, options: Options | None = None) -> str:
            """Shout a text.

            Args:
                text: What to shout.
                options: How to.
            """
            return text.upper() + (options.mark if options else "")
        ctx.tools.register(shout)
return P()
'''


def test_decorated_tool_runs(run) -> None:
    """A decorated function is a tool, its annotations looked up among the mount's own names."""

    async def main() -> list[object]:
        async with host() as root:
            async with mounted(root, SHOUT):
                plain = await root.tools.execute("shout", {"text": "a"})
                marked = await root.tools.execute("shout", {"text": "a", "options": {"mark": "?"}})
                wrong = await root.tools.execute("shout", {"text": "a", "options": {"mark": "x"}})
            gone = await root.tools.execute("shout", {"text": "a"})
            return [plain.value, marked.value, wrong.is_error, gone.is_error]

    assert run(main()) == ["A", "A?", True, True]


FORMS = {
    "define": "ctx.tools.register(harness.define_tool(name='t', description='d', "
    "output={'schema': {'type': 'integer'}}, execute=lambda args: 3))",
    "mapping": "ctx.tools.register(harness.define_tool({'name': 't', 'description': 'd', "
    "'output': {'schema': {'type': 'integer'}}, 'execute': lambda args: 3}))",
    "register options": "harness.register_tool(ctx, name='t', description='d', "
    "output={'schema': {'type': 'integer'}}, execute=lambda args: 3)",
    "register mapping": "harness.register_tool(ctx, {'name': 't', 'description': 'd', "
    "'output': {'schema': {'type': 'integer'}}, 'execute': lambda args: 3})",
    "register function": "def t() -> int:\n    'd'\n    return 3\nharness.register_tool(ctx, t)",
    "register tool": "@harness.tool\ndef t() -> int:\n    'd'\n    return 3\n"
    "harness.register_tool(ctx, t)",
    "with options": "@harness.tool(name='t')\ndef other() -> int:\n    'd'\n    return 3\n"
    "harness.register_tool(ctx, other)",
    "imported": "from toolset import tool\n@tool\ndef t() -> int:\n    'd'\n    return 3\n"
    "ctx.tools.register(t)",
}


@pytest.mark.parametrize("body", FORMS.values(), ids=FORMS)
def test_every_form_registers(run, body: str) -> None:
    """Each way to make a tool registers it, and its schema can be read."""

    async def main() -> object:
        async with host() as root:
            return await seen(
                root, f"{body}\nkeep((ctx.tools.get('t').name, len(ctx.tools.schemas())))"
            )

    assert run(main()) == ("t", 1)


def test_tool_is_taken_back(run) -> None:
    """The effect of a registration takes the tool back."""

    async def main() -> object:
        async with host() as root:
            return await seen(
                root,
                "def t() -> int:\n    'd'\n    return 3\neffect = harness.register_tool(ctx, t)\n"
                "await effect.dispose()\nkeep((ctx.tools.get('t'), ctx.tools.schemas()))",
            )

    assert run(main()) == (None, ())


@pytest.mark.parametrize("value", ["{'name': 't'}", "print", "3", "ctx.box.kept[0]"])
def test_others_are_refused(run, value: str) -> None:
    """Only what `harness` made is registered, not a mapping, a function or a host's definition."""

    async def main() -> str:
        async with host() as root:
            root.box.kept.append(
                define_tool(name="h", description="d", output={"schema": {}}, execute=lambda _: 1)
            )
            with pytest.raises(FacadeError) as caught:
                await seen(root, f"ctx.tools.register({value})")
            return str(caught.value)

    assert "takes a tool made by `harness`" in run(main())


def test_malformed_tool_is_refused(run) -> None:
    """A malformed declaration is refused where it is made, all of it at once."""

    async def main() -> str:
        async with host() as root:
            with pytest.raises(ToolDefinitionError) as caught:
                await seen(root, "harness.define_tool(name='a b', nmae=1)")
            return str(caught.value)

    text = run(main())
    assert "use 'a_b'" in text
    assert "did you mean 'name'?" in text


@pytest.mark.parametrize("options", [[1], [], "t", 3, lambda: None])
def test_options_must_be_mapping(options: object) -> None:
    """Options that are no mapping are refused as such, with what is accepted."""
    with pytest.raises(ToolDefinitionError, match=r"options.*must be a mapping"):
        harness.define_tool(options)  # type: ignore[arg-type]  # that is what is tested


def test_schema_cannot_be_called(run) -> None:
    """What `ctx.tools.get` gives describes a tool and has nothing to call."""

    async def main() -> object:
        async with host() as root, mounted(root, SHOUT):
            return await seen(
                root,
                "keep([n for n in ('execute', 'run', 'render')"
                " if hasattr(ctx.tools.get('shout'), n)])",
            )

    assert run(main()) == []
