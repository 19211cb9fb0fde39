"""The recorded run does what it says, and says when it does not."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from toolset import demo, demo_steps


def test_every_step_works(monkeypatch, tmp_path, capsys):
    """The recorded run passes, outside any project too, and is readable in a log."""
    monkeypatch.chdir(tmp_path)
    assert demo.main() == 0
    out = capsys.readouterr().out
    assert out.endswith("Every step did what it should.\n")
    assert 'mounted dyn-2 (plugin "word_counter", state: active)' in out
    assert "\x1b" not in out
    assert not [line for line in out.splitlines() if line != line.rstrip()]


@pytest.mark.parametrize("wrong", [{"expects": ("never said",)}, {"fails": True}])
def test_failing_step_is_told(monkeypatch, tmp_path, capsys, wrong):
    """A step that does not do what it should is named, and the status is not zero."""
    monkeypatch.chdir(tmp_path)
    steps = [demo_steps.STEPS[0]._replace(**wrong), *demo_steps.STEPS[1:]]
    monkeypatch.setattr(demo, "STEPS", tuple(steps))
    assert demo.main() == 1
    assert "FAILED  Look around" in capsys.readouterr().out


def test_leftovers_are_told(monkeypatch, tmp_path, capsys):
    """A mount that stays behind fails the run."""
    monkeypatch.chdir(tmp_path)
    steps = [step for step in demo_steps.STEPS if step.arguments.get("id") != "dyn-3"][:-2]
    monkeypatch.setattr(demo, "STEPS", tuple(steps))
    assert demo.main() == 1
    assert "FAILED  nothing is left behind" in capsys.readouterr().out


def test_stale_project_fails(tmp_path):
    """In a project whose catalog is stale, the run says so and fails."""
    package = tmp_path / "plug"
    package.mkdir()
    (package / "__init__.py").write_text('"""Nothing yet."""\n', encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(
        '[tool.toolset.catalog]\npackages = ["plug"]\nruntime = "plug/api_catalog.py"\n'
        'pages = "catalog"\n',
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, "-m", "toolset.cli", "demo"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NO_COLOR": "1"},
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "FAILED  the catalog is what the sources say: exit status 1" in done.stdout
