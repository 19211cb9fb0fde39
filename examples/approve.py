"""Ask a person on the terminal before code that a model wrote is mounted.

`policy` asks, `terminal` answers for the person; a host that mounts the first alone has every mount
denied, since nobody is there to answer. Try it: `python examples/approve.py`, or with the path of a
file that holds the code to mount.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from toolset import Next, cordis
from toolset.services.tools import PreDecision, ToolCall, ToolRegistry
from toolset.typed_context import Context

__all__ = ["Terminal", "policy", "terminal"]

ASKED = {"cordis_mount"}
SAMPLE = '''
def apply(ctx):
    @harness.tool
    def shout(text: str) -> str:
        """Say a text loudly."""
        return text.upper()

    ctx.tools.register(shout)

return apply
'''


def policy(ctx: Context) -> None:
    """Have mounts asked about; listeners further in may still deny them outright.

    Args:
        ctx: The plugin's context.
    """

    async def ask(call: ToolCall, next: Next[PreDecision]) -> PreDecision:  # noqa: A002 -- the event's own name
        decision = await next()
        if call.name in ASKED and decision.action == "allow":
            return PreDecision.ask("may this code be mounted?")
        return decision

    ctx.on("tools/pre-execute", ask)


class Terminal:
    """Shows what is asked and reads the answer, a question at a time.

    Args:
        read: Reads one line, blocking; an empty text is the end of the input.
        write: Shows text.
    """

    def __init__(
        self,
        read: Callable[[], str] = sys.stdin.readline,
        write: Callable[[str], object] = sys.stdout.write,
    ) -> None:
        self._read, self._write = read, write
        self._turn = asyncio.Lock()
        self._line: asyncio.Future[str] | None = None

    async def agrees(self, question: str, shown: str) -> bool:
        """Ask one question.

        Args:
            question: What to ask.
            shown: What it is about.

        Returns:
            Whether the person typed `y` or `yes`; anything else, and no answer, is a no.
        """
        async with self._turn:
            lines = "".join(f"  {visible(line)}\n" for line in shown.splitlines())
            self._write(f"{lines}{visible(question)} [y/N] ")
            return (await self._next_line()).strip().lower() in {"y", "yes"}

    async def _next_line(self) -> str:
        """Read in a thread; a line that a cancelled question waited for is the next one's."""
        loop = asyncio.get_running_loop()
        if self._line is None:
            self._line = loop.create_future()
            threading.Thread(target=self._wait, args=(loop, self._line), daemon=True).start()
        line = await asyncio.shield(self._line)
        self._line = None
        return line

    def _wait(self, loop: asyncio.AbstractEventLoop, line: asyncio.Future[str]) -> None:
        text = self._read()
        if not loop.is_closed():
            loop.call_soon_threadsafe(line.set_result, text)


def visible(text: str) -> str:
    """Write out what a terminal would obey rather than show: escapes, overwriting, reversed text."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )


class terminal:  # noqa: N801 -- a plugin, mounted by this name
    """Answers for the person at the terminal whatever is asked about a tool call.

    Args:
        ctx: The plugin's context.
        config: A `Terminal`; the process's own when left out.
    """

    inject = ("tools",)

    def __init__(self, ctx: Context, config: object = None) -> None:
        self._tools = ctx.tools
        self._person = config if isinstance(config, Terminal) else Terminal()
        # Outermost, so that it sees what all others decided.
        ctx.on("tools/pre-execute", self._answer, prepend=True)

    async def _answer(self, call: ToolCall, next: Next[PreDecision]) -> PreDecision:  # noqa: A002 -- as above
        decision = await next()
        if decision.action != "ask":
            return decision
        card = self._tools.present(call.name, call.arguments)
        title = card["title"] if card else call.name
        shown = card.get("raw_input", call.arguments) if card else call.arguments
        if await self._person.agrees(f"{title}: {decision.reason}", str(shown)):
            return PreDecision.allow()
        return PreDecision.deny("the person at the terminal said no")


async def main(code: str) -> None:
    """Mount some code as a model would, if the person agrees."""
    async with Context() as ctx:
        await ctx.plugin(ToolRegistry)
        await ctx.plugin(cordis)
        await ctx.plugin(policy)
        await ctx.plugin(terminal)
        result = await ctx.tools.execute("cordis_mount", {"code": code})
        print(result.text)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]).read_text("utf-8") if len(sys.argv) > 1 else SAMPLE))
