"""Every command's report for machines has the shape that the documentation gives it."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from projects import REGISTRY, SHOP, Done, make_project, run_catalog, shop

from toolset_gen.annotations import FORMATS, annotation
from toolset_gen.check import RULES
from toolset_gen.commands import catalog

PAGE = Path(__file__).parents[2] / "docs" / "gate.md"
NO_BOOT = "boot = false\n"


def documented() -> dict[str, dict[str, set[str]]]:
    """Read the table of the page: command to key to the keys of what it lists."""
    table = PAGE.read_text().partition("| Key | In | Holds |")[2].partition("\n\n")[0]
    found: dict[str, dict[str, set[str]]] = {}
    for row in table.splitlines()[2:]:
        keys, commands, holds = row.strip("| ").split(" | ")
        inner = set(re.findall(r"`(\w+)`", re.sub(r"\(.*?\)", "", holds)))
        for command in re.findall(r"`(\w+)`", commands):
            for key in re.findall(r"`(\w+)`", keys):
                found.setdefault(command, {})[key] = inner if "a list of" in holds else set()
    return found


def broken(root: Path) -> Path:
    """A committed project with violations, some with one right answer, and a file that is no Python."""
    shop(root, NO_BOOT)
    assert run_catalog(root, "generate").returncode == 0
    for arguments in (
        ("init", "-q"),
        ("add", "."),
        ("-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "one"),
    ):
        subprocess.run(["git", *arguments], cwd=root, check=True)
    return root


def edit(root: Path, old: str, new: str) -> None:
    path = root / "src" / "pkg" / "shop.py"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def assert_shape(command: str, done: Done) -> dict[str, object]:
    """Hold a report to the table, key by key, lists included."""
    report: dict[str, object] = json.loads(done.stdout)
    expected = documented()[command]
    assert set(report) == set(expected)
    assert report.get("exit_code", done.returncode) == done.returncode
    for key, inner in expected.items():
        for item in report[key] if inner else ():
            assert set(item) == inner, (command, key)
    return report


def test_reports_have_the_documented_shape(tmp_path: Path) -> None:
    """Keys, and keys of what is listed, are those of the table, for each command and outcome."""
    root = broken(tmp_path)
    assert assert_shape("verify", run_catalog(root, "verify", "--format", "json"))["stale"] == []
    edit(root, "An item was sold.", "An item is gone.")
    edit(root, "price: int | None = None", "price: int | None = None, vat: int = 0")
    edit(root, "            price: In", "            vat: Tax.\n            price: In")
    assert assert_shape("verify", run_catalog(root, "verify", "--format", "json"))["stale"]
    report = assert_shape("diff", run_catalog(root, "diff", "HEAD", "--format", "json"))
    assert report["changes"]
    report = assert_shape("generate", run_catalog(root, "generate", "--format", "json"))
    assert (report["status"], report["removed"]) == ("written", [])
    assert "catalog/events.md" in report["written"]
    report = assert_shape("generate", run_catalog(root, "generate", "--format", "json"))
    assert (report["status"], report["written"]) == ("fresh", [])
    edit(root, "            item: What to sell.\n", "")
    edit(root, "self.ctx.emit(sold, item)", "print(self.ctx.bail(sold, item))")
    (root / "src" / "pkg" / "bad.py").write_text("x = (\n")
    report = assert_shape("verify", run_catalog(root, "verify", "--format", "json"))
    assert report["violations"]
    report = assert_shape("generate", run_catalog(root, "generate", "--format", "json"))
    assert (report["status"], report["exit_code"], report["written"]) == ("fault", 3, [])
    report = assert_shape("fix", run_catalog(root, "fix", "--dry-run", "--format", "json"))
    assert [bool(report[key]) for key in ("repairs", "left", "unreadable", "files")] == [True] * 4
    assert report["written"] is False
    report = assert_shape("explain", run_catalog(root, "explain", "EVT003", "--format", "json"))
    assert [rule["id"] for rule in report["rules"]] == ["EVT003"]
    report = assert_shape("explain", run_catalog(root, "explain", "--format", "json"))
    assert [rule["id"] for rule in report["rules"]] == list(RULES)


def test_page_lists_the_formats() -> None:
    """The table of commands has every command, with the forms of report that it takes."""
    table = PAGE.read_text().partition("| Command | What it does | `--format` |")[2]
    rows = [row.strip("|").split("|") for row in table.partition("\n\n")[0].splitlines()[2:]]
    listed = {
        row[0].split("`")[1].split()[2]: set(filter(None, re.split(r"[,\s]+", row[2])))
        for row in rows
    }
    offered = {
        name: {
            str(choice)
            for option in command.params
            if option.name == "form"
            for choice in option.type.to_info_dict()["choices"]
        }
        for name, command in catalog.commands.items()
    }
    assert listed == offered
    assert set(FORMATS) == {"text", "json", "github"}


def test_diff_annotates_changes(tmp_path: Path) -> None:
    """Of `diff`, what breaks callers is a warning, or an error when it is to fail; the rest a notice."""
    root = broken(tmp_path)
    edit(root, "price: int | None = None", "price: int, vat: int = 0")
    lines = run_catalog(root, "diff", "HEAD", "--format", "github").stdout.splitlines()
    assert [line.rpartition("::")[0] for line in lines] == [
        "::warning title=breaking change",
        "::warning title=breaking change",
        "::notice title=change",
        "",
    ]
    assert lines[1].endswith(
        "::service shop.sell: parameter 'price': type, was `int | None`, is `int`"
    )
    assert lines[3] == "3 changes since HEAD, 2 of them breaking."
    done = run_catalog(root, "diff", "HEAD", "--format", "github", "--fail-on-breaking")
    assert done.returncode == 1
    assert done.stdout.count("::error ") == 2


def test_fix_annotates_what_it_leaves(tmp_path: Path) -> None:
    """Of `fix`, what a person has to look at is a warning at its line."""
    text = SHOP.replace("self.ctx.emit(sold, item)", "print(self.ctx.bail(sold, item))")
    files: dict[str, str | bytes] = {"shop.py": text, "registry.py": REGISTRY, "bad.py": "x = (\n"}
    root = make_project(tmp_path, files, NO_BOOT)
    lines = run_catalog(root, "fix", "--format", "github").stdout.splitlines()
    line = text.splitlines().index("        print(self.ctx.bail(sold, item))") + 1
    assert lines[0].startswith(
        f"::warning file=src/pkg/shop.py,line={line},title=EVT011::[shop/sold]"
    )
    assert lines[1].startswith("::error file=src/pkg/bad.py,line=1,title=SRC001::")


def test_annotation_escapes_its_parts() -> None:
    """Line ends, colons, commas and percent signs stay inside of the part they stand in."""
    found = annotation(
        "error", "a:b,c", "1%\r\n2: 3, 4", path="x, y:z.py", line=3, folder="deep er"
    )
    assert found == ("::error file=deep er/x%2C y%3Az.py,line=3,title=a%3Ab%2Cc::1%25%0D%0A2: 3, 4")


@pytest.mark.parametrize("form", FORMATS)
def test_wrong_use_prints_no_report(tmp_path: Path, form: str) -> None:
    """What is wrong use is said on standard error alone, whatever the form."""
    root = make_project(tmp_path, {}, NO_BOOT)
    (root / "pyproject.toml").write_text("[tool.toolset.catalog]\npackages = 3\n")
    for command in ("generate", "verify", "fix"):
        done = run_catalog(root, command, "--format", form)
        assert (done.returncode, done.stdout) == (2, "")
        assert "packages must be a list" in done.stderr


def test_rules_are_listed() -> None:
    """`explain` without a rule lists all, a line each, with what is known of them."""
    lines = run_catalog(Path(), "explain").stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(RULES)
    assert "PLG009  the keys of an `inject` are not sorted (warning; `fix` repairs it)" in lines
