"""Run the code blocks of one page, in order, as its reader would.

The blocks of a page share one namespace and one folder, like a session at a terminal:

- `python`: run. Warnings are errors.
- `pycon`: run as doctests.
- `text output`: what the block before it prints; `...` stands for anything.
- `sh`: run as one script by bash, stopping at the first failure.
- `console`: each `$ command` is run; the lines below it are its output, when there are any.
- `toml`, `yaml`, `json`: must parse. `text`, `diff`, `mermaid`, `markdown` are only shown.

Marks in the info string, after the language: `file=NAME` writes the block to a file instead of
running it; `checkout` runs a shell block in a copy of this repository; `exit=N` is the status that the
last command must end with; `ci` says that `.ci/run` runs it in a fresh clone; `not-run="why"` says why
it is not run.
"""

# Maintainers: failures are AssertionErrors that begin with `page:line`. tests/docs/test_docs_runner.py
# proves that each kind of block can fail.

from __future__ import annotations

import contextlib
import doctest
import io
import json
import linecache
import os
import subprocess
import sys
import tomllib
import types
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import yaml
from markdown_blocks import Block

__all__ = ["run_page"]

SHOWN = frozenset({"text", "diff", "mermaid", "markdown"})
PARSERS: dict[str, Callable[[str], object]] = {
    "json": json.loads,
    "toml": tomllib.loads,
    "yaml": yaml.safe_load,
}
MARKS = frozenset({"ci", "checkout", "output"})
OPTIONS = frozenset({"exit", "file", "not-run"})


class Session:
    """What the blocks of one page share.

    Args:
        folder: The folder they run in.
        checkout: Gives the folder that `checkout` blocks run in.
    """

    def __init__(self, folder: Path, checkout: Callable[[], Path]) -> None:
        self.folder = folder
        self.checkout = checkout
        self.module = types.ModuleType("__main__")
        self.printed = ""

    def run(self, block: Block) -> None:
        """Run one block; what it printed is kept for the `text output` block after it."""
        check_info(block)
        if block.option("not-run") or "ci" in block.marks:
            return
        if block.language in PARSERS:
            with failing_at(block):
                PARSERS[block.language](block.text)
        name = block.option("file")
        if name is not None:
            (self.folder / name).write_text(block.text, encoding="utf-8")
        elif "output" in block.marks:
            compare(block.place, block.text, self.printed)
        elif block.language not in {*SHOWN, *PARSERS}:
            {"python": self.python, "pycon": self.pycon, "sh": self.sh, "console": self.console}[
                block.language
            ](block)

    def python(self, block: Block) -> None:
        """Execute the block in the page's namespace."""
        # Blank lines in front, so that a traceback shows the line of the page.
        source = "\n" * block.line + block.text
        linecache.cache[block.page] = (
            len(source),
            None,
            source.splitlines(keepends=True),
            block.page,
        )
        with failing_at(block), contextlib.redirect_stdout(io.StringIO()) as out:
            exec(compile(source, block.page, "exec"), vars(self.module))
        self.printed = out.getvalue()

    def pycon(self, block: Block) -> None:
        """Run the block's examples, comparing what they print."""
        test = doctest.DocTestParser().get_doctest(
            block.text, vars(self.module), block.place, block.page, block.line
        )
        report: list[str] = []
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
        runner.run(test, out=report.append, clear_globs=False)
        assert not runner.failures, f"{block.place}:\n{''.join(report)}"

    def sh(self, block: Block) -> None:
        """Run the block as one script."""
        self.shell(block, f"set -euo pipefail\n{block.text}")

    def console(self, block: Block) -> None:
        """Run the block's commands one after the other, comparing what they print."""
        commands = list(split_console(block.text))
        assert commands, f"{block.place}: no line starts with `$ `"
        for position, (command, expected) in enumerate(commands, start=1):
            self.shell(block, command, last=position == len(commands))
            if expected:
                compare(f"{block.place}: $ {command}", expected, self.printed)

    def shell(self, block: Block, script: str, *, last: bool = True) -> None:
        """Run a script with the tested toolset first on the PATH."""
        folder = self.checkout() if "checkout" in block.marks else self.folder
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=folder,
            env={**os.environ, "PATH": path, "NO_COLOR": "1", "COLUMNS": "100"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        wanted = int(block.option("exit") or 0) if last else 0
        self.printed = done.stdout
        assert done.returncode == wanted, (
            f"{block.place}: ended with status {done.returncode}, not {wanted}\n{script}\n{done.stdout}"
        )


def run_page(blocks: Iterable[Block], folder: Path, checkout: Callable[[], Path]) -> int:
    """Run the blocks of one page in `folder`, which it makes the current one meanwhile.

    Args:
        blocks: The page's blocks, in order.
        folder: An empty folder.
        checkout: Gives a folder with a copy of the repository; called when a block asks for it.

    Returns:
        How many blocks there were.

    Raises:
        AssertionError: A block failed; the message begins with its page and line.
    """
    session = Session(folder, checkout)
    count = 0
    with contextlib.chdir(folder), as_main(session.module):
        for block in blocks:
            session.run(block)
            count += 1
    return count


@contextlib.contextmanager
def as_main(module: types.ModuleType) -> Iterator[None]:
    """Let a module be `__main__`: annotations of classes are looked up in their module."""
    before = sys.modules["__main__"]
    sys.modules["__main__"] = module
    try:
        yield
    finally:
        sys.modules["__main__"] = before


@contextlib.contextmanager
def failing_at(block: Block) -> Iterator[None]:
    """Name the block in whatever goes wrong inside."""
    try:
        yield
    except Exception as error:
        raise AssertionError(f"{block.place}: {type(error).__name__}: {error}") from error


def check_info(block: Block) -> None:
    """Refuse an info string that nothing here understands: its block would silently not run."""
    known = {"python", "pycon", "sh", "console", *SHOWN, *PARSERS}
    assert block.language in known, (
        f"{block.place}: the language {block.language!r} is none of {', '.join(sorted(known))}"
    )
    for mark in block.marks:
        name, equals, value = mark.partition("=")
        understood = bool(value) and name in OPTIONS if equals else name in MARKS
        assert understood, f"{block.place}: the mark {mark!r} is not understood"


def split_console(text: str) -> Iterator[tuple[str, str]]:
    """Split a console block into commands and the output shown below each."""
    command: str | None = None
    output: list[str] = []
    for line in text.splitlines(keepends=True):
        if line.startswith("$ "):
            if command is not None:
                yield command, "".join(output)
            command, output = line[2:].rstrip("\n"), []
        elif command is not None and not output and command.endswith("\\"):
            command += f"\n{line.removeprefix('> ').rstrip()}"
        else:
            output.append(line)
    if command is not None:
        yield command, "".join(output)


def compare(place: str, expected: str, printed: str) -> None:
    """Hold what was printed against what the page shows; `...` stands for anything."""
    checker = doctest.OutputChecker()
    example = doctest.Example("", expected)
    if not checker.check_output(expected, printed, doctest.ELLIPSIS):
        flags = doctest.ELLIPSIS | doctest.REPORT_NDIFF
        shown = checker.output_difference(example, printed, flags)
        raise AssertionError(f"{place}: the page shows other output\n{shown}")
