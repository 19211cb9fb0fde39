"""The recorded run: what the agent calls, and what must come of it."""

# Maintainers: data alone. Mounts are numbered in order, a refused one included.

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["STEPS", "WORKSPACE", "Step"]


class Step(NamedTuple):
    """One tool call of the run.

    Attributes:
        title: What the agent is about, for people.
        tool: The tool it calls.
        arguments: What it passes.
        expects: Texts that the result must contain.
        fails: Whether the call must be refused.
    """

    title: str
    tool: str
    arguments: Mapping[str, str]
    expects: tuple[str, ...] = ()
    fails: bool = False


WORKSPACE = {
    "notes.txt": "a runtime can be looked at\nextended while it runs\nand un-extended again\n",
}

_GUESS = """
def reader(ctx):
    text = ctx.fs.read_txt("notes.txt")
    ctx.logger.info(text)

reader.inject = ["fs"]
return reader
"""

_COUNTER = '''
async def word_counter(ctx):
    @harness.tool
    async def count_words(path: str) -> int:
        """Count the words of a file.

        Args:
            path: File to read, relative to the workspace root.
        """
        return len((await ctx.fs.read_text(path)).split())

    ctx.tools.register(count_words)

word_counter.inject = ["fs", "tools"]
return word_counter
'''

_WATCHER = '''
def call_watcher(ctx):
    seen = []
    ctx.on("tools/result", lambda call, result: seen.append(call.name))

    @harness.tool
    def recent_calls() -> list[str]:
        """List the tools that were called since this was mounted, oldest first."""
        return seen

    ctx.tools.register(recent_calls)

call_watcher.inject = ["tools"]
return call_watcher
'''

_CONSUMER = '''
def greeting(ctx):
    @harness.tool
    def greet(name: str) -> str:
        """Greet somebody.

        Args:
            name: Who is greeted.
        """
        return ctx.greeter.hello(name)

    ctx.tools.register(greet)

greeting.inject = ["greeter", "tools"]
return greeting
'''

_PROVIDER = '''
class Greeter(Service, key="greeter"):
    """Say hello."""

    def hello(self, name: str) -> str:
        """Make a greeting."""
        return f"Hello, {name}!"

return Greeter
'''

STEPS = (
    Step("Look around", "cordis_inspect", {"what": "services"}, ("- fs (provided by FileSystem)",)),
    Step(
        "Read an API instead of guessing it",
        "cordis_inspect",
        {"what": "api", "name": "fs"},
        ("read_text(path: str", "Read one text file"),
    ),
    Step(
        "A guess is refused before it runs",
        "cordis_mount",
        {"code": _GUESS},
        ("'read_txt'", "read_text(path: str"),
        fails=True,
    ),
    Step(
        "Extend the runtime with a tool",
        "cordis_mount",
        {"code": _COUNTER},
        ('mounted dyn-2 (plugin "word_counter", state: active)',),
    ),
    Step("Call it on a real file", "count_words", {"path": "notes.txt"}, ("13",)),
    Step(
        "Watch an event",
        "cordis_mount",
        {"code": _WATCHER},
        ('mounted dyn-3 (plugin "call_watcher", state: active)',),
    ),
    Step("Something happens", "count_words", {"path": "notes.txt"}, ("13",)),
    Step("It was seen", "recent_calls", {}, ("count_words",)),
    Step(
        "Mount a consumer before its provider",
        "cordis_mount",
        {"code": _CONSUMER},
        ("state: pending", "waiting for service(s): greeter"),
    ),
    Step(
        "Mount the provider that frees it",
        "cordis_mount",
        {"code": _PROVIDER},
        ('mounted dyn-5 (plugin "Greeter", state: active)',),
    ),
    Step("Use what became active", "greet", {"name": "Ada"}, ("Hello, Ada!",)),
    Step(
        "Take the provider away",
        "cordis_unmount",
        {"id": "dyn-5"},
        ('unmounted dyn-5 (plugin "Greeter")',),
    ),
    Step(
        "Its consumer waits again",
        "cordis_inspect",
        {"what": "temporary"},
        ("- dyn-4: greeting [pending]", "waiting for: greeter"),
    ),
    Step("Unmount the rest", "cordis_unmount", {"id": "dyn-4"}, ("unmounted dyn-4",)),
    Step("", "cordis_unmount", {"id": "dyn-3"}, ("unmounted dyn-3",)),
    Step("", "cordis_unmount", {"id": "dyn-2"}, ("unmounted dyn-2",)),
    Step("Look again", "cordis_inspect", {"what": "temporary"}, ("No temporary plugin",)),
    Step(
        "The tool is gone too", "count_words", {"path": "notes.txt"}, ("count_words",), fails=True
    ),
)
