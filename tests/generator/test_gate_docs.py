"""The page on the gate says what the gate does."""

from __future__ import annotations

from pathlib import Path

from toolset_gen.check import RULES
from toolset_gen.config import read_config

PAGE = Path(__file__).parents[2] / "docs" / "gate.md"


def test_page_lists_every_rule() -> None:
    """The table of rules is the rules, in their order."""
    rows = [
        line for line in PAGE.read_text().splitlines() if line.startswith("| `") and "0" in line
    ]
    found = [row for row in rows if row.split("`")[1] in RULES]
    assert found == [
        f"| `{rule.id}` | {rule.title}{' (warning)' if rule.severity == 'warning' else ''} |"
        for rule in RULES.values()
    ]


def test_page_lists_every_key(tmp_path: Path) -> None:
    """Every key that the configuration knows stands in the table of keys, and no other."""
    table = PAGE.read_text().partition("| Key of ")[2].partition("\n\n")[0]
    keys = [
        key
        for line in table.splitlines()[2:]
        for key in line.split("|")[1].replace("`", "").replace(",", " ").split()
    ]
    (tmp_path / "pyproject.toml").write_text("[tool.toolset.catalog]\nnone_of_these = 1\n")
    try:
        read_config(tmp_path)
    except Exception as error:  # noqa: BLE001 - its text is what is looked at
        known = str(error).partition("known are ")[2].splitlines()[0].split(", ")
    assert sorted(keys) == known
