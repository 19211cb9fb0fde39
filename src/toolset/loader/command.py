"""`toolset run`: a composition as a process."""

# Maintainers: a host like any other, by the loader's public face. What it prints is for people: one
# line an entry on standard output, the log on standard error, and no traceback for what a user can
# put right in the file. Importing plugins from beside the file is the command's promise, not the
# loader's: it alone owns the process.

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Final, cast

from toolset.loader.entries import EntryStatus
from toolset.loader.errors import CompositionError
from toolset.loader.service import Loader
from toolset.runtime import Context, Fiber, ToolsetError

__all__ = ["main"]

# What the process ends with. A shell gives 128 + 2 for an end by Ctrl-C, and so do we.
_CLEAN: Final = 0
_NOTHING_RUNS: Final = 1
_WRONG_FILE: Final = 2
_INTERRUPTED: Final = 130


def main(path: str) -> int:
    """Run a composition until the process is told to end; log to standard error.

    Plugins are also imported from the folder of the file.

    Args:
        path: The file.

    Returns:
        0 after SIGTERM, or when there is nothing to run; 130 after Ctrl-C; 1 when every entry
        failed; 2 when the file is missing or wrong.
    """
    sys.path.insert(0, str(Path(os.path.abspath(path)).parent))  # noqa: PTH100 - as it was named
    _start_log()
    return asyncio.run(_run(path))


async def _run(path: str) -> int:
    with _told_to_end() as end:
        async with Context() as ctx:
            try:
                await _first(ctx.plugin(Loader, {"path": path}), end)
            except ToolsetError as error:
                _complain(str(error))
                return _WRONG_FILE
            if not end.done():
                entries = cast("Loader", ctx.get("loader")).entries()
                _report(path, entries)
                if not _runs(entries):
                    return (
                        _NOTHING_RUNS if any(one.state == "failed" for one in entries) else _CLEAN
                    )
            return await end


async def _first(fiber: Fiber, end: asyncio.Future[int]) -> None:
    """Wait until a fiber has settled, or the process is told to end."""

    async def settled() -> None:
        await fiber

    waiting = asyncio.ensure_future(settled())
    both: set[asyncio.Future[object]] = {
        cast("asyncio.Future[object]", one) for one in (waiting, end)
    }
    await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
    if waiting.done():
        await waiting
    else:
        waiting.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await waiting


@contextlib.contextmanager
def _told_to_end() -> Generator[asyncio.Future[int]]:
    """Give a future that a signal fulfils; a second one ends the process at once.

    The loop's own handlers would wait for a plugin that blocks it; these do not.
    """
    loop = asyncio.get_running_loop()
    end: asyncio.Future[int] = loop.create_future()
    told: list[int] = []

    def tell(number: int, _: object) -> None:
        if told:
            os.write(2, b"toolset run: ended at once, not everything was disposed\n")
            os._exit(128 + number)
        told.append(number)
        code = _INTERRUPTED if number == signal.SIGINT else _CLEAN
        loop.call_soon_threadsafe(end.set_result, code)

    # One that is ignored stays ignored: a shell starts what is in the background so.
    both = (signal.SIGINT, signal.SIGTERM)
    heard = [one for one in both if signal.getsignal(one) is not signal.SIG_IGN]
    before = [(one, signal.signal(one, tell)) for one in heard]
    try:
        yield end
    finally:
        for one, handler in before:
            signal.signal(one, handler)


def _runs(entries: tuple[EntryStatus, ...]) -> bool:
    """Tell whether anything runs, or may once what it waits for is there."""
    return any(one.name and one.state in {"mounted", "pending"} for one in entries)


# -- what people read ------------------------------------------------------------------------------


def _report(path: str, entries: tuple[EntryStatus, ...]) -> None:
    """Print one line an entry."""
    depth: dict[str, int] = {}
    for one in entries:
        depth[one.id] = depth[one.group] + 1 if one.group else 0
        plugin = "" if one.name in {"", one.id} else f" ({one.name})"
        reason = f" [{path}:{one.line}] {one.reason}" if one.reason else ""
        _say(f"{one.state:<8}  {'  ' * depth[one.id]}{one.id}{plugin}{reason}")
    if not any(one.name and one.state != "disabled" for one in entries):
        _say(f"{path}: nothing to run")
    elif not _runs(entries):
        _say(f"{path}: every entry failed")


def _say(text: str) -> None:
    sys.stdout.write(f"{_visible(text)}\n")
    sys.stdout.flush()


def _complain(text: str) -> None:
    lines = "\n".join(_visible(line) for line in text.split("\n"))
    sys.stderr.write(f"toolset run: {lines}\n")


def _visible(text: str) -> str:
    """Write out what a terminal would obey rather than show."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape", "surrogatepass").decode()
        for char in text
    )


class _Formatter(logging.Formatter):
    """Leaves out the traceback of an error that says itself what to do."""

    def format(self, record: logging.LogRecord) -> str:
        """Write one record."""
        error = record.exc_info[1] if record.exc_info else None
        if not isinstance(error, ToolsetError):
            return super().format(record)
        plain = logging.makeLogRecord({**vars(record), "exc_info": None, "exc_text": None})
        return f"{super().format(plain)}: {error}"


def _start_log() -> None:
    """Log to standard error; what the command says itself about the file is left out."""
    handler = logging.StreamHandler()
    handler.setFormatter(_Formatter("%(levelname)s %(name)s: %(message)s"))
    handler.addFilter(
        lambda record: not isinstance(getattr(record, "failure", None), CompositionError)
    )
    logging.getLogger().addHandler(handler)
    logging.getLogger("toolset").setLevel(logging.INFO)
