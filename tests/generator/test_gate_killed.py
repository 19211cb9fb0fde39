"""A generate that is killed leaves every artifact whole, old or new."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from toolset_gen.artifacts import MARK, compare, write

NAMES = ("lib/api.py", "cat/a.md", "cat/b.md", "cat/gone.md")
OLD = {name: f"<!-- {MARK} -->\nold {name}\n".encode() * 400 for name in NAMES}
NEW = {name: f"<!-- {MARK} -->\nnew {name}\n".encode() * 500 for name in NAMES[:3]}

# Writes the new artifacts and kills itself, for good, before its n-th step on the file system.
CHILD = """
import os, signal, sys
from pathlib import Path
from test_gate_killed import NEW
from toolset_gen.artifacts import compare, write

left = int(sys.argv[2])
steps = ("open", "os.chmod", "os.mkdir", "os.remove", "os.rename", "os.scandir")

def strike(event, arguments):
    global left
    if event in steps:
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

stale = compare(Path(sys.argv[1]), NEW)
sys.addaudithook(strike)
write(Path(sys.argv[1]), stale)
"""


def strike_at(root: Path, step: int) -> int:
    return subprocess.run(
        [sys.executable, "-c", CHILD, str(root), str(step)],
        cwd=Path(__file__).parent,
        check=False,
    ).returncode


def test_every_killing_leaves_artifacts_whole(tmp_path: Path) -> None:
    """Killed before each of its steps in turn, a write leaves only whole files, and the next mends all."""
    killed = 0
    for step in range(1, 200):
        root = tmp_path / str(step)
        write(root, compare(root, OLD))
        code = strike_at(root, step)
        for name in NAMES:
            found = (root / name).read_bytes() if (root / name).exists() else None
            assert found in (OLD[name], NEW.get(name)), (step, name)
        if code == 0:
            break
        assert code == -signal.SIGKILL
        killed += 1
        write(root, compare(root, NEW))
        assert compare(root, NEW) == ()
        left = sorted(p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file())
        assert left == sorted(NEW), step
    assert killed >= 10
    assert compare(root, NEW) == ()
