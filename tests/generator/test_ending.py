"""However a command is stopped, it says so in a line, and never exits as if a catalog were stale."""

from __future__ import annotations

import os
import select
import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from projects import SHOP, make_project, run_catalog, shop

from toolset_gen.ending import uninterrupted

COMMAND = [sys.executable, "-m", "toolset.cli", "catalog"]
# It holds the build up, and says through a pipe when that is reached.
SLOW = '''"""Slow to boot."""

from pathlib import Path

from toolset import Context

inject = ["tools"]


async def apply(ctx: Context) -> None:
    """Say that it was reached, and settle never."""
    import asyncio

    Path({path!r}).open("w").write("here\\n")
    await asyncio.Event().wait()
'''


class Pipe:
    """A named pipe in which programs say how far they are."""

    def __init__(self, path: Path) -> None:
        self.path = path
        os.mkfifo(path)
        self._handle = os.open(path, os.O_RDWR)  # opened for both, opening waits for nobody

    def lines(self, count: int) -> list[str]:
        """Wait for lines; fails when they do not come within a minute."""
        said = b""
        while said.count(b"\n") < count:
            assert select.select([self._handle], [], [], 60)[0], said
            said += os.read(self._handle, 1000)
        return said.decode().splitlines()


def start(root: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def contents(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and ".toolset-cache" not in path.parts
    }


@pytest.mark.parametrize("command", ["generate", "verify", "diff"])
def test_interrupt_exits_130(tmp_path: Path, command: str) -> None:
    """Ctrl-C in the middle of a build exits 130 with one line, and nothing is written."""
    pipe = Pipe(tmp_path / "reached")
    root = shop(tmp_path / "project")
    (root / "src" / "pkg" / "slow.py").write_text(SLOW.format(path=str(pipe.path)))
    revision: list[str] = []
    if command == "diff":
        commit_empty_catalog(root)
        revision = ["HEAD"]
    before = contents(root)
    with start(root, command, *revision) as process:
        try:
            assert pipe.lines(1) == ["here"]
        except AssertionError:
            process.kill()
            raise
        os.killpg(process.pid, signal.SIGINT)  # to the whole group, as a terminal does
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "Interrupted; nothing was written.\n")
    assert contents(root) == before


def commit_empty_catalog(root: Path) -> None:
    """Commit a catalog, so that `diff` has something to compare with."""
    page = root / "catalog" / "api-catalog.json"
    page.parent.mkdir()
    page.write_text('{"schema_version": 1}')
    for arguments in (
        ("init", "-q"),
        ("add", "."),
        ("-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "one"),
    ):
        subprocess.run(["git", *arguments], cwd=root, check=True)


# Starts a pool as the command does, and tells of its workers once both are at work.
POOLED = """
import sys
from pathlib import Path
from multiprocessing import active_children
from toolset_gen import pool as pools
from toolset_gen.config import read_config
from toolset_gen.ending import explained
from toolset_gen.gate import find_sources

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    pools._PAYS = 1
    config = read_config(Path.cwd())
    with explained(), pools.pool(config, find_sources(config), 2) as executor:
        import waiting
        works = [executor.submit(waiting.work, sys.argv[1]) for _ in range(2)]
        [work.result() for work in works]
"""
WAITING = """
import os, signal

def work(fifo):
    with open(fifo, "w") as pipe:
        pipe.write(f"{os.getpid()}\\n")
    while True:
        signal.pause()
"""


def has_ended(process: int) -> bool:
    """Tell whether a process is gone, or is a zombie that nobody has asked for yet."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state == "Z"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_the_command(tmp_path: Path, number: signal.Signals) -> None:
    """However the command ends, its worker processes do too, busy or not, and show no traceback."""
    pipe = Pipe(tmp_path / "reached")
    root = shop(tmp_path / "project")
    script = tmp_path / "pooled.py"
    script.write_text(POOLED)
    (tmp_path / "waiting.py").write_text(WAITING)
    process = subprocess.Popen(
        [sys.executable, str(script), str(pipe.path)],
        cwd=root,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    with process:
        try:
            workers = [int(line) for line in pipe.lines(2)]
        except AssertionError:
            process.kill()
            raise
        if number == signal.SIGINT:
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
        _, err = process.communicate(timeout=60)  # ends when the last worker has closed its end
    assert "Traceback" not in err
    if number == signal.SIGINT:
        assert (process.returncode, err) == (130, "Interrupted; nothing was written.\n")
    else:
        assert process.returncode == -number
    assert [worker for worker in workers if not has_ended(worker)] == []


def test_interrupt_waits_for_writing() -> None:
    """Ctrl-C while files are written comes when they are, and says that they are."""
    done: list[str] = []

    def write() -> None:
        with uninterrupted():
            signal.raise_signal(signal.SIGINT)
            done.append("all")

    with pytest.raises(KeyboardInterrupt, match="had been written"):
        write()
    assert done == ["all"]
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)  # and interrupts again


def stale(root: Path) -> Path:
    """A project whose catalog has drifted, so that verify has much to say and exits 1."""
    shop(root, "boot = false\n")
    assert run_catalog(root, "generate").returncode == 0
    source = root / "src" / "pkg" / "shop.py"
    source.write_text(source.read_text().replace("An item was sold.", "An item is gone."))
    return root


def test_reader_may_leave(tmp_path: Path) -> None:
    """When nobody reads the report, the command says nothing, and exits with what it found."""
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*COMMAND, "verify"],
        cwd=stale(tmp_path),
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_full_disk_is_said(tmp_path: Path) -> None:
    """A report that cannot be written is said on standard error, whether or not it was cached."""
    root = stale(tmp_path)
    commands = [["verify"], ["generate"], ["verify"], ["verify"], ["explain", "EVT001"]]
    for command in commands:
        with Path("/dev/full").open("w") as full:
            done = subprocess.run(
                [*COMMAND, *command],
                cwd=root,
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        assert done.returncode == 3
        assert done.stderr.startswith("error: the report cannot be written to standard output: ")
        assert done.stderr.count("\n") == 1


def test_closed_output_is_no_fault(tmp_path: Path) -> None:
    """Started without standard output, a command does its work and exits with what it found."""
    command = f"exec {' '.join(COMMAND)} verify >&-"
    for expected in (1, 0, 0):
        root = stale(tmp_path) if expected else tmp_path
        done = subprocess.run(["sh", "-c", command], cwd=root, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (expected, b"")
        if expected:
            assert run_catalog(root, "generate").returncode == 0


@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "cp1252", "utf-16"])
def test_any_encoding_takes_the_report(tmp_path: Path, encoding: str) -> None:
    """A terminal that lacks a character gets its escape."""
    text = SHOP.replace('    """Sell things."""\n\n', "").replace("shop/sold", "shop/✓")
    root = make_project(tmp_path, {"shop.py": text}, "boot = false\n")
    done = subprocess.run(
        [*COMMAND, "verify"],
        cwd=root,
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"},
    )
    assert (done.returncode, done.stderr) == (3, b"")
    assert "SVC001" in done.stdout.decode("utf-8" if encoding == "ascii" else encoding)


# Nothing is read-only for root, unless it gives that up.
AS_ANYBODY = (
    ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override"]
    if os.geteuid() == 0
    else []
)


@pytest.mark.skipif(
    bool(AS_ANYBODY) and not shutil.which("setpriv"), reason="root cannot be kept from writing"
)
def test_read_only_checkout_is_checked(tmp_path: Path) -> None:
    """A checkout that cannot be written is verified; generating says what cannot be written."""
    root = stale(tmp_path)

    def run(command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*AS_ANYBODY, *COMMAND, command], cwd=root, capture_output=True, text=True, check=False
        )

    folders = [root, *(path for path in root.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        done = run("verify")
        assert (done.returncode, done.stderr) == (1, "")
        done = run("generate")
        assert done.returncode == 3
        assert done.stderr.startswith("error: cannot write ")
        assert done.stderr.count("\n") == 1
    finally:
        for folder in folders:
            folder.chmod(stat.S_IRWXU)


@pytest.mark.parametrize(
    "arguments", [["verify"], ["generate"], ["verify", "--root", "x"], ["watch"], ["diff", "HEAD"]]
)
def test_vanished_folder_is_wrong_use(tmp_path: Path, arguments: list[str]) -> None:
    """Run in a folder that is gone, a command says so, and exits 2."""
    command = " ".join([*COMMAND, *arguments])
    done = subprocess.run(
        ["sh", "-c", f"mkdir gone && cd gone && rmdir ../gone && exec {command}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("error: the current folder cannot be reached: ")
    assert done.stderr.count("\n") == 1
