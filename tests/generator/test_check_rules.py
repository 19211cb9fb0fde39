"""Every rule finds the wrong example on its page, and leaves the right one alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from projects import make_project

from toolset_gen.build import build
from toolset_gen.check import RULES, explain
from toolset_gen.check.rules import RuleLookupError
from toolset_gen.config import read_config
from toolset_gen.gate import find_sources

GENERATOR = Path(__import__("toolset_gen").__file__).parent
BLOCK = re.compile(r"\*\*(Wrong|Right)\*\*\n\n```python\n(.*?)```", re.DOTALL)
# These have no example of one Python file; the tests named here are their negative tests.
ELSEWHERE = {
    "SRC002": "test_bad_input_stops_generation",
    "SRC003": "test_bad_input_stops_generation",
    "SRC004": "test_bad_input_stops_generation",
    "SRC005": "test_bad_input_stops_generation",
    "SRC006": "test_bad_input_stops_generation",
    "SVC008": "test_service_without_provider",
    "SVC013": "test_class_that_cannot_be_described",
    "TYP003": "test_ambiguous_type_name",
    "TYP004": "test_cut_declaration",
    "PLG005": "test_two_tools_of_one_name",
    "PLG006": "test_raising_tool_plugin",
    "PLG007": "test_tool_plugin_without_tools",
    "CFG006": "test_unknown_keys_of_a_composition",
    "CFG007": "test_unreadable_composition",
    "PRO003": "test_tool_that_is_not_there",
    "SUP001": "test_unused_suppression",
}


def found(root: Path, text: str) -> set[str]:
    """Give the rules that a project of this one module breaks."""
    config = read_config(make_project(root, {"shop.py": text}, "boot = false\n"))
    return {diagnostic.rule for diagnostic in build(config, find_sources(config)).diagnostics}


@pytest.mark.parametrize("rule", sorted(RULES))
def test_page_examples_are_true(rule: str, tmp_path: Path) -> None:
    """The page's wrong example breaks its rule, the right one does not."""
    examples = dict(BLOCK.findall(explain(rule)))
    if rule in ELSEWHERE:
        assert not examples
        return
    assert rule in found(tmp_path / "wrong", examples["Wrong"])
    assert rule not in found(tmp_path / "right", examples["Right"])


@pytest.mark.parametrize("rule", sorted(RULES))
def test_page_has_its_parts(rule: str) -> None:
    """Each page is headed by id and title, and says why."""
    page = explain(rule.lower())
    assert page.startswith(f"# {rule}: {RULES[rule].title}\n\n")
    assert "**Why.** " in page


def test_other_tests_exist() -> None:
    """Rules without an example name a test that exists."""
    text = "".join(path.read_text() for path in Path(__file__).parent.glob("test_*.py"))
    assert [name for name in ELSEWHERE.values() if f"def {name}(" not in text] == []


def test_every_id_is_a_rule() -> None:
    """No diagnostic anywhere in the generator has an id without a rule and a page."""
    used: set[str] = set()
    for path in GENERATOR.rglob("*.py"):
        used.update(re.findall(r'"((?:SRC|EVT|SVC|TYP|PLG|CFG|PRO|SUP)\d{3})"', path.read_text()))
    assert used == set(RULES)
    pages = {path.stem for path in (GENERATOR / "check" / "pages").iterdir()}
    assert pages == set(RULES)


def test_unknown_rule_names_the_nearest() -> None:
    """Asking for a rule that does not exist gives the nearest ids, and is wrong use."""
    with pytest.raises(RuleLookupError, match="did you mean EVT003") as caught:
        explain("EVT0003")
    assert caught.value.exit_code == 2
