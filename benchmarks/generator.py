"""How long a cold `toolset catalog verify` takes, in `griffe dump`s of the same packages."""

# Maintainers: both read this repository's own package, the one side through `griffe dump`, which only
# parses and serialises. Cold means that the cache of earlier runs is gone; Python's own bytecode
# is warm on both sides.

from __future__ import annotations

import os
import shutil
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

from _measure import Ratio, command, compare, report

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent
CACHE = ROOT / ".toolset-cache"


def forget() -> None:
    """Remove the generator's cache."""
    shutil.rmtree(CACHE, ignore_errors=True)


def measure() -> Sequence[Ratio]:
    """Compare on the packages that this repository's own catalog covers."""
    os.chdir(ROOT)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    packages: list[str] = project["tool"]["toolset"]["catalog"]["packages"]
    return [
        compare(
            "cold toolset catalog verify / griffe dump",
            command(str(BIN / "toolset"), "catalog", "verify", before=forget),
            command(str(BIN / "griffe"), "dump", *packages, "-s", "src", "-o", os.devnull),
            bound=3.0,
            rounds=9,
        ),
        compare(
            'unchanged toolset catalog verify / python -c "import click"',
            command(str(BIN / "toolset"), "catalog", "verify"),
            command(sys.executable, "-c", "import click"),
            bound=1.5,
            rounds=21,
        ),
    ]


if __name__ == "__main__":
    report("Generator", measure)
