"""`toolset run`: a composition as a process, as a person starts and ends it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

PLUGIN = '''
"""A plugin beside its composition."""

def apply(ctx):
    ctx.logger.info("hello from beside")
    yield lambda: print("disposed", flush=True)

def ready(ctx):
    print("ready", flush=True)

def broken(ctx):
    raise RuntimeError("no luck")

async def endless(ctx):
    print("ready", flush=True)
    try:
        await ctx.spawn(__import__("asyncio").sleep(1000))
    finally:
        print("stopped", flush=True)
'''
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are a thing of POSIX")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder that has a plugin."""
    (tmp_path / "beside.py").write_text(PLUGIN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONDEVMODE", "1")
    return tmp_path


@contextmanager
def started(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Start the command; it is ended whatever the test finds."""
    command = [sys.executable, "-m", "toolset.cli", "run", *arguments]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def finished(*arguments: str) -> tuple[int, str, str]:
    """Run the command to its own end."""
    with started(*arguments) as process:
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err


def lines_until(process: subprocess.Popen[str], last: str) -> list[str]:
    """Read what it prints up to a line that starts with `last`."""
    lines: list[str] = []
    while not lines or not lines[-1].startswith(last):
        line = process.stdout.readline()
        assert line, f"it ended after {lines}: {process.stderr.read()}"
        lines.append(line.rstrip("\n"))
    return lines


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_signal_disposes_everything(folder: Path, number: signal.Signals, code: int) -> None:
    """It lists its entries, runs until it is told to end, and disposes what it mounted."""
    (folder / "cordis.yml").write_text(
        "- name: beside\n- {id: work, group: [{id: files, name: fs}]}\n"
        "- {id: sleeping, name: x, disabled: true}\n- {id: later, name: timer, inject: [shop]}\n"
    )
    with started() as process:
        assert lines_until(process, "pending") == [
            "mounted   beside",
            "mounted   work",
            "mounted     files (fs)",
            "disabled  sleeping (x) [cordis.yml:3] its entry says so",
            "pending   later (timer) [cordis.yml:4] waiting for service(s): shop",
        ]
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
        assert (process.returncode, out) == (code, "disposed\n")
        assert err == "INFO toolset.plugin.beside: hello from beside\n"


def test_signal_ends_a_start(folder: Path) -> None:
    """An entry that never comes to the end of its start does not keep the process from ending."""
    (folder / "own.yml").write_text("[{name: beside}, {name: 'beside:endless'}]")
    with started("own.yml") as process:
        assert lines_until(process, "ready") == ["ready"]
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=60)
        assert (process.returncode, out) == (0, "stopped\ndisposed\n")


def test_some_failures_are_listed(folder: Path) -> None:
    """What cannot be mounted is listed with its place and reason, and the rest runs."""
    (folder / "cordis.yml").write_text(
        "- name: 'beside:broken'\n- {name: fs, config: {rot: .}}\n- {name: timer, config: {a: '${env:NO}'}}\n"
        "- name: beside\n"
    )
    with started() as process:
        assert lines_until(process, "mounted") == [
            "failed    beside:broken [cordis.yml:1] RuntimeError: no luck",
            (
                "failed    fs [cordis.yml:2] configuration of plugin <FileSystem> is refused: rot: unknown "
                "key; did you mean 'root'?"
            ),
            (
                "failed    timer [cordis.yml:3] environment variable NO is not set; set it, or write "
                "${env:NO:-default}"
            ),
            "mounted   beside",
        ]
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=60)
        assert process.returncode == 0
        # The plugin's own fault is shown with its traceback, a mistake in the file without one.
        assert err.count("Traceback") == 1
        assert 'beside.py", line' in err


def test_all_failed_is_one(folder: Path) -> None:
    """When every entry failed it says so and ends with 1."""
    (folder / "cordis.yml").write_text(
        "- name: nowhere_at_all\n- {id: g, group: [{name: fs, config: {rot: .}}]}\n"
    )
    code, out, err = finished()
    assert code == 1
    assert out.splitlines()[0].startswith("failed    nowhere_at_all [cordis.yml:1] no plugin")
    assert out.splitlines()[-1] == "cordis.yml: every entry failed"
    assert "Traceback" not in err


@pytest.mark.parametrize("text", ["", "- {name: x, disabled: true}\n- group: []\n"])
def test_nothing_to_run_is_no_error(folder: Path, text: str) -> None:
    """A composition with nothing to run says so and ends at once with 0."""
    (folder / "cordis.yml").write_text(text)
    code, out, err = finished()
    assert (code, out.splitlines()[-1], err) == (0, "cordis.yml: nothing to run", "")


def test_wrong_file_is_two(folder: Path) -> None:
    """A file with mistakes is refused with 2, each mistake by its line, and nothing is printed else."""
    (folder / "cordis.yml").write_text(
        "- nam: beside\n  name: beside\n- name: beside\n  disabled: 1\n"
    )
    assert finished() == (
        2,
        "",
        (
            "toolset run: composition 'cordis.yml' is refused, it has 2 mistakes:\n"
            "  cordis.yml:1:3: unknown key 'nam' of an entry; did you mean 'name'?\n"
            "  cordis.yml:4:13: `disabled` is true or false, not '1'\n"
        ),
    )


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("nowhere.yml", "there is no such file"),
        (".", "it is a folder"),
    ],
)
def test_unreadable_file_is_two(path: str, why: str) -> None:
    """A file that is missing or cannot be read is refused with 2 and one line."""
    message = f"toolset run: composition {path!r} cannot be read: {why}\n"
    assert finished(path) == (2, "", message)


def test_empty_path_is_two() -> None:
    """Even an empty path is told in words."""
    code, out, err = finished("")
    assert (code, out) == (2, "")
    assert "path: String should have at least 1 character" in err
    assert "Traceback" not in err


def test_terminal_is_not_obeyed(folder: Path) -> None:
    """What a reason holds that a terminal would obey is written out."""
    (folder / "loud.py").write_text("raise ValueError('\\x1b[2Jx')")
    (folder / "cordis.yml").write_text("- name: loud\n")
    code, out, _ = finished()
    assert code == 1
    assert "ValueError: \\x1b[2Jx" in out


def test_ignored_interrupt_stays_ignored(folder: Path) -> None:
    """In the background of a shell, where Ctrl-C is ignored, it goes on until it is terminated."""
    (folder / "cordis.yml").write_text("- name: beside\n")
    script = f"trap '' INT; exec '{sys.executable}' -m toolset.cli run"
    process = subprocess.Popen(
        ["bash", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    )
    try:
        assert lines_until(process, "mounted") == ["mounted   beside"]
        os.kill(process.pid, signal.SIGINT)
        os.kill(process.pid, signal.SIGTERM)
        process.communicate(timeout=60)
        assert process.returncode == 0
    finally:
        process.kill()
        process.communicate()


STUCK = """
import asyncio, time
def apply(ctx):
    async def never():
        print("disposing", flush=True)
        await asyncio.sleep(1000)
    yield never

def block(ctx):
    print("blocking", flush=True)
    while True: time.sleep(0.01)
"""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_second_signal_ends_at_once(folder: Path, number: signal.Signals, code: int) -> None:
    """A disposal that does not end is cut short by a second signal, without a traceback."""
    (folder / "stuck.py").write_text(STUCK)
    (folder / "cordis.yml").write_text("- name: stuck\n")
    with started() as process:
        lines_until(process, "mounted")
        process.send_signal(number)
        lines_until(process, "disposing")
        process.send_signal(number)
        assert process.wait(timeout=60) == code
        assert process.stderr.read() == (
            "toolset run: ended at once, not everything was disposed\n"
        )


def test_blocked_loop_can_be_ended(folder: Path) -> None:
    """A plugin that blocks the loop cannot keep a person from ending the process."""
    (folder / "stuck.py").write_text(STUCK)
    (folder / "cordis.yml").write_text("- name: stuck:block\n")
    with started() as process:
        lines_until(process, "blocking")
        while process.poll() is None:
            process.send_signal(signal.SIGINT)
        assert process.returncode == 130
