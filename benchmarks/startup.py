"""How long the `toolset` command takes to start, in start-ups of Python that import click."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from _measure import Ratio, command, compare, report

COMMAND = str(Path(sys.executable).parent / "toolset")


def measure() -> Sequence[Ratio]:
    """Compare the start of the command with the start of what it cannot do without."""
    return [
        compare(
            "toolset --help / import click",
            command(COMMAND, "--help"),
            command(sys.executable, "-c", "import click"),
            bound=1.5,
            rounds=21,
        ),
    ]


if __name__ == "__main__":
    report("Start-up", measure)
