"""Read the tools of plugins by booting them in a process of their own."""

# Maintainers: the parent's half; `boot_child` is the other and the only code here that runs what it
# scans. Parent and child exchange one JSON object a line: over the child's standard input, and over
# a pipe that nothing a plugin prints can reach. A plugin that hangs costs its time limit and the
# child, which is started again for the next one. Nothing is judged here: `check.booting` does.

from __future__ import annotations

import json
import math
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import IO, NamedTuple, Self, TypeAlias, cast

from toolset.catalog import PluginEntry, ToolEntry
from toolset_gen.errors import BootError

__all__ = ["Booted", "Booter", "Frame", "boot_plan"]

REGISTRY = "tools"
Report: TypeAlias = "dict[str, object]"


class Frame(NamedTuple):
    """Where a plugin's code raised.

    Attributes:
        file: Absolute path of the source.
        line: The line, 1-based.
    """

    file: str
    line: int


class Booted(NamedTuple):
    """What booting one plugin showed.

    Attributes:
        plugin: The plugin.
        providers: Names of the plugins mounted before it, sorted.
        tools: The tools it registered, sorted by name.
        failure: Why it did not become active, one sentence; `""` when it did.
        frames: Where it raised, outermost first.
        unimported: The module that could not be imported, `""` when all could.
        missing: The module that was not found when it was, `""` when that was not why.
    """

    plugin: PluginEntry
    providers: tuple[str, ...] = ()
    tools: tuple[ToolEntry, ...] = ()
    failure: str = ""
    frames: tuple[Frame, ...] = ()
    unimported: str = ""
    missing: str = ""


def boot_plan(
    plugins: Iterable[PluginEntry], known: Iterable[PluginEntry]
) -> tuple[tuple[PluginEntry, tuple[PluginEntry, ...]], ...]:
    """Choose the plugins that may register tools, and what must be mounted before each.

    Args:
        plugins: The scanned plugins.
        known: Plugins that can provide what those need, in order of preference.

    Returns:
        Each plugin that injects the tool registry, with its providers, providers first.
    """
    providers: dict[str, PluginEntry] = {}
    for plugin in known:
        for key in plugin.provides:
            providers.setdefault(key, plugin)
    return tuple(
        (plugin, tuple(_needed(plugin, providers)))
        for plugin in sorted(plugins)
        if REGISTRY in (*plugin.inject, *plugin.optional)
    )


def _needed(plugin: PluginEntry, providers: Mapping[str, PluginEntry]) -> Iterator[PluginEntry]:
    """Walk the providers of a plugin depth first, each once, without running into a cycle."""
    seen = {plugin.path}

    def walk(keys: Iterable[str]) -> Iterator[PluginEntry]:
        for key in keys:
            provider = providers.get(key)
            if provider is not None and provider.path not in seen:
                seen.add(provider.path)
                yield from walk(provider.inject)
                yield provider

    wanted = plugin.inject if REGISTRY in plugin.inject else (*plugin.inject, REGISTRY)
    yield from walk(wanted)


class Booter:
    """A child process that boots plugins, one request at a time.

    The process is started at once, so that it imports the runtime while the parent still scans.

    Args:
        root: The project's root.
        sources: Folders, relative to the root, that the plugins are imported from.
        timeout: Seconds that one plugin may take.
        catalog: Module of the generated catalog, `""` for none. An empty one stands in for it: what
            is generated must not depend on what was, nor be kept from it by a conflict in it.
        typed_context: Module of the typed context, stood in for likewise.

    Raises:
        BootError: The process cannot be started.
    """

    def __init__(
        self,
        root: Path,
        sources: Sequence[str],
        timeout: float,
        *,
        catalog: str = "",
        typed_context: str = "",
    ) -> None:
        self._paths = [str((root / source).resolve()) for source in sources]
        self._timeout = timeout
        self._stand_ins = {"catalog": catalog, "typed_context": typed_context}
        try:
            self._folder = tempfile.TemporaryDirectory(prefix="toolset-boot-")
        except OSError as error:
            raise BootError(error) from None
        try:
            self._child = _Child(self._paths, self._folder.name)
        except OSError as error:
            self._folder.cleanup()
            raise BootError(error) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._child.end()
        self._folder.cleanup()

    def boot(self, plugin: PluginEntry, providers: tuple[PluginEntry, ...]) -> Booted:
        """Mount one plugin with its default configuration and read the tools it registers.

        Args:
            plugin: The plugin.
            providers: What to mount before it, in order.

        Returns:
            The tools, or why there are none.
        """
        names = tuple(sorted(provider.name for provider in providers))
        request = {
            "plugin": plugin.path,
            "providers": [provider.path for provider in providers],
            "seconds": math.ceil(self._timeout),
            **self._stand_ins,
        }
        report = self._child.ask(request, self._timeout)
        if report is None:
            failure = self._child.ending(self._timeout)
            self._child.end()
            self._child = _Child(self._paths, self._folder.name)
            return Booted(plugin, names, failure=failure)
        return Booted(
            plugin,
            names,
            _tools(plugin, cast("list[dict[str, object]]", report["tools"])),
            cast("str", report["failure"]),
            tuple(Frame(*frame) for frame in cast("list[tuple[str, int]]", report["frames"])),
            cast("str", report.get("unimported", "")),
            cast("str", report.get("missing", "")),
        )


def _tools(plugin: PluginEntry, found: Iterable[Mapping[str, object]]) -> tuple[ToolEntry, ...]:
    return tuple(
        sorted(
            ToolEntry(
                name=str(tool["name"]),
                plugin=plugin.name,
                description=str(tool["description"]),
                parameters=json.dumps(tool["parameters"], sort_keys=True),
                output="" if tool["output"] is None else json.dumps(tool["output"], sort_keys=True),
            )
            for tool in found
        )
    )


def _start(
    paths: Sequence[str], folder: str, writing: int, errors: IO[bytes]
) -> subprocess.Popen[bytes]:
    """Start a process that answers over a pipe."""
    return subprocess.Popen(  # noqa: S603 - this interpreter and our own module
        [sys.executable, "-m", "toolset_gen.boot_child", str(writing)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        pass_fds=(writing,),
        cwd=folder,
        env={
            # With -OO there are no docstrings, and they are what models are told.
            **{key: text for key, text in os.environ.items() if key != "PYTHONOPTIMIZE"},
            # The child runs elsewhere: what this process imports from must stay the same place.
            "PYTHONPATH": os.pathsep.join([*paths, *map(os.path.abspath, sys.path)]),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONUTF8": "1",
        },
        start_new_session=True,
    )


class _Child:
    """The process, and the thread that reads its answers."""

    def __init__(self, paths: Sequence[str], folder: str) -> None:
        reading, writing = os.pipe()
        with ExitStack() as undo:
            undo.callback(os.close, reading)
            self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `end`
            undo.callback(self._errors.close)
            try:
                self._process = _start(paths, folder, writing, self._errors)
            finally:
                os.close(writing)
            undo.pop_all()
        self._answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=self._read, args=(os.fdopen(reading),), daemon=True).start()

    def _read(self, pipe: IO[str]) -> None:
        with pipe:
            for line in pipe:
                self._answers.put(line)
        self._answers.put("")

    def ask(self, request: Mapping[str, object], timeout: float) -> Report | None:
        """Send a request; gives None when no answer comes in time or the process is gone."""
        stdin = cast("IO[bytes]", self._process.stdin)
        try:
            stdin.write(json.dumps(request).encode() + b"\n")
            stdin.flush()
            line = self._answers.get(timeout=timeout)
        except (BrokenPipeError, queue.Empty):
            return None
        return cast("Report", json.loads(line)) if line else None

    def ending(self, timeout: float) -> str:
        """Say why there was no answer."""
        try:
            code = self._process.wait(timeout=0.2)
        except subprocess.TimeoutExpired:
            return f"it did not settle within {timeout:g} seconds"
        return f"it ended the process it was booted in (exit code {code}{self._last_words()})"

    def _last_words(self) -> str:
        """Quote the last line that the process wrote to standard error."""
        self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, self._errors.tell() - 1000))
        lines = self._errors.read().decode("utf-8", "replace").split("\n")
        said = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return f", last words: {said}" if said else ""

    def end(self) -> None:
        """End the process and what it started."""
        if self._process.stdin is not None:
            with suppress(BrokenPipeError):
                self._process.stdin.close()
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._errors.close()
