"""What the tests of mounted code share: a root with services, and mounting without the manager."""

from __future__ import annotations

import textwrap
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from toolset import Context, Fiber, Service, event
from toolset.cordis.evaluate import evaluate, forget, parse
from toolset.cordis.guard import Guard
from toolset.cordis.mounted import MountedPlugin
from toolset.cordis.sandbox import make_namespace
from toolset.runtime.plugins import read_plugin
from toolset.services.tools.registry import ToolRegistry


@event("clockwork/tick", mode="emit")
def tick(value: object) -> None:
    """Say that time has passed."""


class Box(Service, key="box"):
    """A service with every road to a context that a careless one may have."""

    def __init__(self, ctx: Context, config: object = None) -> None:
        super().__init__(ctx, config)
        self.kept: list[object] = []
        self.handlers: list[object] = []

    async def read(self, path: str) -> str:
        return f"content of {path}"

    def context(self):
        return self.ctx

    async def later(self):
        return self.ctx

    def listed(self):
        return [1, (self.ctx.fiber,)]

    def each(self):
        yield 1
        yield self.ctx

    async def aeach(self):
        yield 1
        yield self.ctx.fiber

    @asynccontextmanager
    async def opened(self):
        yield self.ctx

    def holder(self):
        return Holder(self.ctx)

    def call(self, function):
        return function(self.ctx, self.ctx.fiber, 3)

    def keep(self, value):
        self.kept.append(value)

    def subscribe(self, handler):
        self.handlers.append(handler)

    def unsubscribe(self, handler):
        self.handlers.remove(handler)


class Holder:
    """An object of the host's that keeps a context in an attribute."""

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx
        self.size = 3


@asynccontextmanager
async def host() -> AsyncIterator[Context]:
    """Give a root with `tools` and `box`."""
    async with Context() as root:
        await root.plugin(ToolRegistry)
        await root.plugin(Box)
        yield root


async def evaluated(code: str, mount_id: str = "dyn-1", *, limit: float = 0.1) -> object:
    """Evaluate code and give what it returned, keeping nothing."""
    guard = Guard(limit)
    source = parse(textwrap.dedent(code), mount_id)
    try:
        with guard.held():
            return await evaluate(source, make_namespace(mount_id), guard=guard)
    finally:
        forget(source)


@asynccontextmanager
async def mounted(
    root: Context, code: str, mount_id: str = "dyn-1", *, limit: float = 0.1
) -> AsyncIterator[Fiber]:
    """Mount code below a root for the length of a block."""
    guard = Guard(limit)
    source = parse(textwrap.dedent(code), mount_id)
    with guard.held():
        value = await evaluate(source, make_namespace(mount_id), guard=guard)
        fiber = root.plugin(MountedPlugin(read_plugin(value), mount_id))
        try:
            await fiber
            yield fiber
        finally:
            await fiber.dispose()
            forget(source)


async def seen(root: Context, body: str) -> object:
    """Run statements in the `apply` of a mount that injects `tools` and `box`; give what they keep.

    The statements call `keep(value)`, or raise.
    """
    code = (
        "kept = []\nclass Probe:\n    inject = ['tools', 'box']\n"
        "    async def apply(self, ctx):\n        keep = ctx.box.keep\n"
        + textwrap.indent(textwrap.dedent(body), "        ")
        + "\nreturn Probe()"
    )
    async with mounted(root, code):
        box = root.get("box")
        assert isinstance(box, Box)
        return box.kept[-1] if box.kept else None
