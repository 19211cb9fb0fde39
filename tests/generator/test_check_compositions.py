"""What the gate finds in compositions: files that the loader would refuse, keys that no plugin has."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from projects import build_project, make_project

TABLE = Path(__file__).resolve().parents[1] / "loader" / "cases" / "compositions.toml"
PLUGINS = '''
"""Plugins."""

from pydantic import BaseModel, Field

from toolset import Context, Service


class Config(BaseModel):
    """How."""

    alpha: int = Field(1, description="First.")


def apply(ctx: Context, config: Config) -> None:
    """Do it."""
    print(config.alpha)


class Shop(Service, key="shop"):
    """Sell."""

    class Config(BaseModel):
        """How."""

        beta: int = Field(1, description="Second.")

    def limit(self) -> int:
        """Give it.

        Returns:
            The limit.
        """
        return self.config.beta
'''
POINTS = """
[project.entry-points."toolset.plugins"]
plain = "pkg.plugins"
shop = "pkg.plugins:Shop [extra]"
pkg = "pkg.nowhere"
broken = 3

[project.entry-points."toolset.catalogs"]
alpha = "pkg.plugins"
"""


def judged(root: Path, texts: dict[str, str], extra: str = "") -> list[tuple[str, str, int, str]]:
    """Give what CFG006 and CFG007 find in some compositions."""
    settings = 'compositions = ["files/*.yml"]\nboot = false\n'
    project = make_project(root, {"plugins.py": PLUGINS}, settings + extra)
    (project / "files").mkdir()
    for name, text in texts.items():
        (project / "files" / name).write_text(text, encoding="utf-8")
    found = build_project(project).diagnostics
    return [
        (one.rule, one.path, one.line, one.target)
        for one in found
        if one.rule in {"CFG006", "CFG007"}
    ]


def test_table_of_compositions(tmp_path: Path) -> None:
    """The gate finds fault with the files that the loader refuses, line by line, and with no other."""
    cases = tomllib.loads(TABLE.read_text(encoding="utf-8"))["case"]
    texts = {f"{number:03}.yml": case["text"] for number, case in enumerate(cases)}
    found = judged(tmp_path, texts)
    for name, case in zip(texts, cases, strict=True):
        lines = {line for _, path, line, _ in found if path == f"files/{name}"}
        assert lines == {line for line, _, _ in case.get("mistakes", [])}, case["name"]


@pytest.mark.parametrize("name", ["plain", "pkg.plugins"])
def test_entry_points_name_plugins(tmp_path: Path, name: str) -> None:
    """An entry point of the project's own is the plugin it names, like the module itself."""
    text = f"- {{name: {name}, config: {{alpha: 1, alhpa: 2}}}}\n"
    expected = [("CFG006", "files/a.yml", 1, f"{name}.alhpa")]
    assert judged(tmp_path, {"a.yml": text}, POINTS) == expected


@pytest.mark.parametrize("name", ["shop", "pkg.plugins:Shop"])
def test_entry_points_name_services(tmp_path: Path, name: str) -> None:
    """An entry point with an attribute, and extras behind it, is that attribute."""
    text = f"- {{name: '{name}', config: {{beta: 1, alpha: 2}}}}\n"
    expected = [("CFG006", "files/a.yml", 1, f"{name}.alpha")]
    assert judged(tmp_path, {"a.yml": text}, POINTS) == expected


@pytest.mark.parametrize(
    "name",
    ["pkg", "broken", "alpha", "other", "pkg.plugins:apply.x", "toolset.services.fs:FileSystem"],
)
def test_unknown_plugins_are_not_judged(tmp_path: Path, name: str) -> None:
    """What leads to no plugin of the scanned packages may take any configuration."""
    text = f"- {{name: '{name}', config: {{anything: 1}}}}\n"
    assert judged(tmp_path, {"a.yml": text}, POINTS) == []


@pytest.mark.parametrize(
    "extra",
    [
        "[project]\nname = 'x'\n",
        "[project.entry-points]\n",
        "[project]\nentry-points = 3\n",
        "project = 1\n",
    ],
)
def test_odd_projects_have_no_plugins(tmp_path: Path, extra: str) -> None:
    """Without entry points, or with what is none, the gate goes on."""
    if extra.startswith("project"):
        project = make_project(tmp_path, {}, "boot = false\n")
        toml = project / "pyproject.toml"
        toml.write_text(extra + toml.read_text())
        assert not build_project(project).diagnostics
        return
    assert judged(tmp_path, {"a.yml": "- name: plain\n"}, extra) == []


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("pkg.plugins:Shpo", "did you mean 'pkg.plugins:Shop'?"),
        ("pkg.plugin:Shop", "did you mean 'pkg.plugins:Shop'?"),
        ("pkg.plugin", "did you mean 'pkg.plugins'?"),
        ("pkg.plugins:Unlike", "its package has nothing near it"),
    ],
)
def test_missing_plugin_is_found(tmp_path: Path, name: str, hint: str) -> None:
    """A name in a scanned package that leads nowhere is found, in groups too, with the nearest."""
    project = make_project(tmp_path, {"plugins.py": PLUGINS}, "boot = false\n")
    text = f"- name: pkg.plugins\n- group:\n    - name: {name}\n"
    (project / "cordis.yml").write_text(text, encoding="utf-8")
    (found,) = [one for one in build_project(project).diagnostics if one.rule == "CFG006"]
    assert (found.path, found.line, found.target) == ("cordis.yml", 3, name)
    assert f"names {name!r}, which does not exist; {hint}" in found.message


@pytest.mark.parametrize(
    "name", ["pkg.plugins:Shop", "pkg.plugins:Shop.Config", "other.mod:X", "plain", "pkg", "tools"]
)
def test_plugin_that_may_exist_is_left(tmp_path: Path, name: str) -> None:
    """What exists, is an entry point, or is of no scanned package is not judged."""
    assert judged(tmp_path, {"cordis.yml": f"- name: {name}\n"}, POINTS) == []
