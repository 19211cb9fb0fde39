"""The corpus: correct plugin sources of many styles, cut out of the files in `corpus`."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["CORPUS"]


def _cut(path: Path) -> list[tuple[str, str]]:
    parts = re.split(r"^#: (.+)\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2], strict=True))


CORPUS = dict(
    case
    for path in sorted((Path(__file__).parent / "corpus").glob("*.py.txt"))
    for case in _cut(path)
)
