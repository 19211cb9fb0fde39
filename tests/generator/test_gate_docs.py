"""The page on the gate says what the gate does."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import yaml
from projects import run_catalog, shop

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


def snippets() -> tuple[dict[str, object], dict[str, object]]:
    """Read the page's hook of pre-commit and its workflow."""
    hook, workflow = (
        yaml.safe_load(text)
        for text in re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL)
    )
    return hook["repos"][0]["hooks"][0], workflow


def test_documented_hook_is_shipped() -> None:
    """The hook on the page and the one in the repository are one, and run a command that there is."""
    path = PAGE.parents[1] / ".pre-commit-hooks.yaml"
    if not path.exists():
        pytest.skip("the tests run without the repository around them")
    (shipped,) = yaml.safe_load(path.read_text())
    shipped.pop("description")
    hook, _ = snippets()
    assert hook == shipped
    assert hook["entry"] == "toolset catalog verify"


@pytest.mark.parametrize("source", ["hook", "workflow"])
def test_documented_commands_find_drift(tmp_path: Path, source: str) -> None:
    """What the hook and the workflow run passes when all is fresh, and fails when a file is stale."""
    hook, workflow = snippets()
    command = hook["entry"] if source == "hook" else workflow["steps"][-1]["run"]
    program, group, name, *arguments = shlex.split(str(command))
    assert (program, group) == ("toolset", "catalog")
    root = shop(tmp_path, "boot = false\n")
    assert run_catalog(root, "generate").returncode == 0
    assert run_catalog(root, name, *arguments).returncode == 0
    path = root / "src" / "pkg" / "shop.py"
    path.write_text(path.read_text().replace("An item was sold.", "An item is gone."))
    done = run_catalog(root, name, *arguments)
    assert done.returncode == 1
    assert done.stdout.startswith("::error file=") == (source == "workflow")
