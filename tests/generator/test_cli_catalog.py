"""`toolset catalog` as a user runs it: output, exit codes, what is written."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner
from projects import SHOP, make_project, run_catalog, shop, spawn_catalog

from toolset_gen.artifacts import COMMAND
from toolset_gen.commands import catalog
from toolset_gen.testing import assert_catalog_fresh


def files(root: Path) -> dict[str, tuple[int, int, bytes]]:
    """Everything below a folder but the cache: time, identity, content."""
    return {
        path.relative_to(root).as_posix(): (
            path.stat().st_mtime_ns,
            path.stat().st_ino,
            path.read_bytes(),
        )
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".toolset-cache" not in path.parts
    }


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with fresh artifacts; tests that change it make their own."""
    root = shop(tmp_path_factory.mktemp("generated"))
    assert run_catalog(root, "generate").returncode == 0
    return root


def edit(root: Path, old: str, new: str) -> None:
    source = root / "src/pkg/shop.py"
    text = source.read_text()
    assert old in text
    source.write_text(text.replace(old, new))


def test_generated_is_fresh(generated: Path) -> None:
    """After generate, verify exits 0, with and without its cache."""
    for _ in range(2):
        done = spawn_catalog(generated, "verify")
        assert (done.returncode, done.stdout, done.stderr) == (0, "The catalog is fresh.\n", "")
    for path in (generated / ".toolset-cache").iterdir():
        path.unlink()
    assert spawn_catalog(generated, "verify").returncode == 0


def test_second_run_rewrites_nothing(generated: Path) -> None:
    """Neither a second generate nor verify touches a file, cached or not."""
    before = files(generated)
    done = run_catalog(generated, "generate")
    assert (done.returncode, done.stdout) == (0, "Everything is fresh; nothing was written.\n")
    (generated / ".toolset-cache/builds.json").unlink()
    assert run_catalog(generated, "generate").returncode == 0
    assert run_catalog(generated, "verify").returncode == 0
    assert files(generated) == before


def test_broken_cache_is_ignored(generated: Path) -> None:
    """A cache that holds nonsense is as good as none."""
    for text in ("", "[]", '{"x": 1}', "\x00"):
        for name in ("builds.json", "code.json"):
            (generated / ".toolset-cache" / name).write_text(text)
        assert run_catalog(generated, "verify").returncode == 0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("An item was sold.", "An item is gone."),
        ("price: int | None = None", "price: int | None = 0"),
        ("item: str, *, price", "item: str | int, *, price"),
        ('mode="emit")', 'mode="parallel")'),
        ('"shop/sold"', '"shop/gone"'),
        ("limit: int = Field(3", "limit: int = Field(4"),
        ("Count letters.", "Count all letters."),
        ("Where to count.", "Where to look."),
    ],
    ids=["docstring", "default", "annotation", "mode", "name", "field", "tool", "parameter"],
)
def test_changed_fact_turns_it_red(generated: Path, tmp_path: Path, old: str, new: str) -> None:
    """A changed fact makes verify fail, with a diff and the command that repairs it."""
    root = copy(generated, tmp_path)
    edit(root, old, new)
    if 'mode="parallel"' in new:
        edit(root, "self.ctx.emit(sold, item)", "await self.ctx.parallel(sold, item)")
    before = files(root)
    done = run_catalog(root, "verify")
    assert done.returncode == 1, done.stdout
    assert "--- catalog/" in done.stdout
    assert done.stdout.endswith(f"Run `{COMMAND}`.\n")
    assert files(root) == before
    assert run_catalog(root, *COMMAND.split()[2:]).returncode == 0
    assert run_catalog(root, "verify").returncode == 0


def line_of(root: Path, text: str) -> int:
    """Give the line of the sample module that holds a text."""
    lines = (root / "src/pkg/shop.py").read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def copy(generated: Path, root: Path) -> Path:
    return Path(shutil.copytree(generated, root / "copy"))


@pytest.mark.parametrize(
    ("old", "new"),
    [("class Shop", "# A comment.\nclass Shop"), ("inject = [", "\n\n\n\ninject = ["), ("", "")],
    ids=["comment", "blank lines", "line ends"],
)
def test_unrelated_edit_stays_green(generated: Path, tmp_path: Path, old: str, new: str) -> None:
    """A comment, blank lines or CRLF line ends in a source leave every artifact fresh."""
    root = copy(generated, tmp_path)
    if old:
        edit(root, old, new)
    else:
        source = root / "src/pkg/shop.py"
        source.write_bytes(source.read_bytes().replace(b"\n", b"\r\n"))
    done = run_catalog(root, "verify")
    assert done.returncode == 0, done.stdout


def test_conflict_in_an_artifact_is_repaired(generated: Path, tmp_path: Path) -> None:
    """Artifacts that cannot be imported, even by the plugins themselves, are written anew."""
    root = copy(generated, tmp_path)
    edit(root, "from toolset import Context, Service", "from toolset import Service")
    edit(
        root,
        "class Config(",
        "from pkg import api_catalog as api\nfrom pkg.typed_context import Context\n\n\nclass Config(",
    )
    for name in ("api_catalog.py", "typed_context.py"):
        (root / "src/pkg" / name).write_text("<<<<<<< HEAD\n")
    done = run_catalog(root, "generate")
    assert done.returncode == 0, done.stdout
    assert run_catalog(root, "verify").returncode == 0


@pytest.mark.parametrize("name", ["catalog/events.md", "src/pkg/api_catalog.py"])
def test_foreign_files_are_never_replaced(tmp_path: Path, name: str) -> None:
    """A file that somebody wrote where an artifact belongs is named, and nothing is written."""
    root = shop(tmp_path)
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("PRECIOUS = 1\n")
    before = files(root)
    done = run_catalog(root, "generate")
    assert done.returncode == 2
    assert f"generating would replace them:\n  {name}\nNothing was written" in done.stderr
    assert files(root) == before


def test_each_artifact_is_compared(generated: Path, tmp_path: Path) -> None:
    """One byte more in any artifact, or none left of it, is stale and named."""
    root = copy(generated, tmp_path)
    made = [name for name in files(root) if name.startswith("catalog/") or "api_" in name]
    assert len(made) == 11
    for number, name in enumerate(made):
        path = root / name
        path.write_bytes(path.read_bytes() + b"#" if number % 2 else b"")
    done = run_catalog(root, "verify")
    assert done.returncode == 1
    assert [
        name for name in made if f"{name} differs from what the sources say" not in done.stdout
    ] == []


def test_line_ends_are_told_apart(generated: Path, tmp_path: Path) -> None:
    """An artifact whose line ends alone differ is reported as that, without a diff."""
    root = copy(generated, tmp_path)
    page = root / "catalog/events.md"
    page.write_bytes(page.read_bytes().replace(b"\n", b"\r\n"))
    done = run_catalog(root, "verify")
    assert done.returncode == 1
    assert "catalog/events.md differs in its line ends alone" in done.stdout
    assert "---" not in done.stdout


def test_orphan_is_reported_then_removed(generated: Path, tmp_path: Path) -> None:
    """A generated page that is no longer made is stale, and generate removes it."""
    root = copy(generated, tmp_path)
    orphan = root / "catalog/retired.md"
    orphan.write_bytes((root / "catalog/events.md").read_bytes())
    (root / "catalog/notes.md").write_text("mine\n")
    done = run_catalog(root, "verify")
    assert done.returncode == 1
    assert "catalog/retired.md is generated and no longer produced" in done.stdout
    assert run_catalog(root, "generate").stdout == "removed catalog/retired.md\n"
    assert not orphan.exists()
    assert (root / "catalog/notes.md").exists()


def test_violation_writes_nothing(generated: Path, tmp_path: Path) -> None:
    """A violation exits 3 with file, line and remedy, and leaves every file alone."""
    root = copy(generated, tmp_path)
    edit(root, '    """Sell things."""\n\n', "")
    before = files(root)
    for command in ("generate", "verify"):
        done = spawn_catalog(root, command)
        assert done.returncode == 3
        line = line_of(root, "class Shop")
        assert (
            f"src/pkg/shop.py:{line}: error SVC001: 'shop' has no docstring [shop]" in done.stdout
        )
        assert "`toolset catalog explain SVC001` explains a rule" in done.stdout
        assert "Traceback" not in done.stdout + done.stderr
    assert files(root) == before


def test_syntax_error_shows_the_line(generated: Path, tmp_path: Path) -> None:
    """A syntax error exits 3 with file, line and caret, and nothing is written."""
    root = copy(generated, tmp_path)
    edit(root, "inject = [", "inject = = [")
    before = files(root)
    done = run_catalog(root, "generate")
    assert done.returncode == 3
    line = line_of(root, "= =")
    assert f"src/pkg/shop.py:{line}: error SRC001: syntax error" in done.stdout
    assert "    inject = = [" in done.stdout
    assert "Nothing was written" in done.stdout
    assert files(root) == before


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[tool.toolset.catalog]\npackages = ['pkg']\npagse = 'x'\n", "did you mean 'pages'?"),
        ("[tool.toolset.catalog]\npackages = 3\n", "pyproject.toml:2: packages must be a list"),
        ("[tool\n", "no valid TOML"),
        ("", "has no table [tool.toolset.catalog]"),
        (
            "[tool.toolset.catalog]\npackages = ['pkg']\ncatalogs = ['json']\n",
            "module 'json' is not a generated catalog",
        ),
        (
            "[tool.toolset.catalog]\npackages = ['pkg']\ncatalogs = ['no.such']\n",
            "catalogs: 'no.such' cannot be loaded: ModuleNotFoundError: No module named 'no'",
        ),
    ],
)
def test_wrong_configuration_is_wrong_use(tmp_path: Path, text: str, expected: str) -> None:
    """What pyproject.toml says wrongly exits 2, says where, and writes nothing."""
    root = make_project(tmp_path, {"shop.py": SHOP})
    (root / "pyproject.toml").write_text(text)
    before = files(root)
    for command in ("generate", "verify"):
        done = run_catalog(root, command)
        assert (done.returncode, done.stdout) == (2, "")
        assert expected in done.stderr
        assert "Traceback" not in done.stderr
    assert files(root) == before


def test_missing_package_writes_nothing(tmp_path: Path) -> None:
    """A package that is not there exits 3 and names it."""
    root = make_project(tmp_path)
    config = root / "pyproject.toml"
    config.write_text(config.read_text().replace('"pkg"]', '"nope"]'))
    done = run_catalog(root, "generate")
    assert done.returncode == 3
    assert "package 'nope' was not found in 'src', '.'" in done.stdout
    assert not (root / "catalog").exists()


def test_outside_a_project_is_wrong_use() -> None:
    """Without a pyproject.toml the command exits 2 and says how to name a project."""
    done = spawn_catalog(Path("/"), "verify")
    assert done.returncode == 2
    assert "--root" in done.stderr


def test_root_option_names_the_project(generated: Path) -> None:
    """The project can be named from anywhere."""
    assert spawn_catalog(Path("/"), "verify", "--root", str(generated)).returncode == 0


@pytest.mark.parametrize(
    "arguments", [("nope",), ("verify", "--nope"), ("verify", "--format", "xml"), ("diff",)]
)
def test_wrong_arguments_exit_two(generated: Path, arguments: tuple[str, ...]) -> None:
    """Unknown commands, options and values are wrong use."""
    assert spawn_catalog(generated, *arguments).returncode == 2


def test_explain_prints_the_page(generated: Path) -> None:
    """A rule's page is printed as it stands; an unknown rule is wrong use."""
    done = run_catalog(generated, "explain", "evt003")
    assert done.returncode == 0
    assert done.stdout.startswith("# EVT003: ")
    assert "**Wrong**" in done.stdout
    done = run_catalog(generated, "explain", "EVT0003")
    assert done.returncode == 2
    assert "did you mean EVT003" in done.stderr


def test_json_report_is_complete(generated: Path, tmp_path: Path) -> None:
    """The JSON report has status, violations and stale artifacts."""
    root = copy(generated, tmp_path)
    assert json.loads(run_catalog(root, "verify", "--format", "json").stdout) == {
        "status": "fresh",
        "exit_code": 0,
        "violations": [],
        "stale": [],
        "command": COMMAND,
    }
    edit(root, "            item: What to sell.\n", "")
    done = run_catalog(root, "verify", "--format", "json")
    report = json.loads(done.stdout)
    assert (done.returncode, report["exit_code"], report["status"]) == (3, 3, "fault")
    (violation,) = report["violations"]
    assert (violation["rule"], violation["target"]) == ("SVC002", "shop.sell.item")
    assert {stale["why"] for stale in report["stale"]} == {"changed"}


def test_github_report_is_annotations(generated: Path, tmp_path: Path) -> None:
    """The GitHub report is one annotation a violation and a stale artifact."""
    root = copy(generated, tmp_path)
    edit(root, "            item: What to sell.\n", "")
    lines = run_catalog(root, "verify", "--format", "github").stdout.splitlines()
    line = line_of(root, "async def sell")
    assert lines[0].startswith(f"::error file=src/pkg/shop.py,line={line},title=SVC002::")
    assert all(line.startswith("::error file=") for line in lines)


def test_annotations_name_files_from_the_repository(generated: Path, tmp_path: Path) -> None:
    """Of a project below a repository's root, annotations name files as the repository does."""
    (tmp_path / ".git").mkdir()
    root = copy(generated, tmp_path / "deep" / "er")
    edit(root, "            item: What to sell.\n", "")
    lines = run_catalog(root, "verify", "--format", "github").stdout.splitlines()
    inside = root.relative_to(tmp_path).as_posix()
    assert lines[0].startswith(f"::error file={inside}/src/pkg/shop.py,line=")
    assert all(line.startswith(f"::error file={inside}/") for line in lines)


def test_pytest_helper_catches_drift(generated: Path, tmp_path: Path) -> None:
    """The helper for pytest passes when all is fresh, and fails with verify's report."""
    root = copy(generated, tmp_path)
    assert_catalog_fresh(root)
    edit(root, "An item was sold.", "An item is gone.")
    with pytest.raises(AssertionError, match=r"catalog/events\.md differs"):
        assert_catalog_fresh(root)


def test_raising_tool_plugin_is_reported(generated: Path, tmp_path: Path) -> None:
    """A tool plugin that raises while booting exits 3 with its file, line and reason."""
    root = copy(generated, tmp_path)
    edit(root, "    ctx.tools.register(count_letters)", "    raise RuntimeError('no luck')")
    done = run_catalog(root, "verify")
    assert done.returncode == 3
    line = line_of(root, "no luck")
    assert f"src/pkg/shop.py:{line}: error PLG006: plugin 'shop' was booted" in done.stdout
    assert "it raised RuntimeError: no luck" in done.stdout


def test_bytes_do_not_depend_on_surroundings(generated: Path, tmp_path: Path) -> None:
    """Another folder, hash seed, locale and file order give the same bytes."""
    wanted = {name: entry[2] for name, entry in files(generated).items()}
    root = tmp_path / "elsewhere" / "deep er"
    for name in sorted(wanted, reverse=True):
        if name.startswith("src") and not name.endswith(("api_catalog.py", "typed_context.py")):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(wanted[name])
    (root / "pyproject.toml").write_bytes(wanted["pyproject.toml"])
    environment = {**os.environ, "PYTHONHASHSEED": "7", "LC_ALL": "C", "PYTHONUTF8": "0"}
    subprocess.run(
        [sys.executable, "-m", "toolset.cli", "catalog", "generate", "--root", str(root)],
        env=environment,
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    assert {name: entry[2] for name, entry in files(root).items()} == wanted


def test_killed_generate_leaves_all_whole(generated: Path, tmp_path: Path) -> None:
    """The command killed at many moments leaves each artifact old or new, and then succeeds."""
    root = copy(generated, tmp_path)
    edit(root, "An item was sold.", "An item is gone.")
    old = {name: entry[2] for name, entry in files(root).items()}
    assert run_catalog(root, "generate").returncode == 0
    new = {name: entry[2] for name, entry in files(root).items()}
    changed = [name for name in new if new[name] != old[name]]
    assert len(changed) >= 4
    command = [sys.executable, "-m", "toolset.cli", "catalog", "generate"]
    for name in changed:
        (root / name).write_bytes(old[name])
    started = time.monotonic()
    subprocess.run(command, cwd=root, check=True, capture_output=True)
    span = time.monotonic() - started
    for step in range(12):
        for name in changed:
            (root / name).write_bytes(old[name])
        process = subprocess.Popen(command, cwd=root, stdout=subprocess.DEVNULL)
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=span * (0.4 + step / 20))
        process.send_signal(signal.SIGKILL)
        process.wait()
        for name in changed:
            assert (root / name).read_bytes() in (old[name], new[name]), name
    assert spawn_catalog(root, "generate").returncode == 0
    assert {name: entry[2] for name, entry in files(root).items()} == new


def test_help_needs_only_click(tmp_path: Path) -> None:
    """`toolset --help` loads click and neither the runtime nor the generator."""
    script = (
        "import sys\nfrom click.testing import CliRunner\nfrom toolset.cli import commands\n"
        "assert CliRunner().invoke(commands(), ['--help']).exit_code == 0\n"
        "print([m for m in ('asyncio', 'toolset.runtime', 'toolset_gen', 'pydantic', 'griffe', "
        "'toolset.catalog') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert done.stdout == "[]\n"


def test_unchanged_verify_is_light(generated: Path) -> None:
    """An unchanged verify imports no library at all, and none of what a build needs."""
    assert run_catalog(generated, "verify").returncode == 0
    script = (
        "import sys\nfrom toolset.cli import main\nsys.argv[1:] = ['catalog', 'verify']\nmain()\n"
        "print([m for m in ('click', 'griffe', 'libcst', 'jinja2', 'black', 'pydantic', 'asyncio', "
        "'toolset.runtime', 'toolset_gen.extract', 'toolset_gen.render') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=generated
    )
    assert done.stdout == "The catalog is fresh.\n[]\n"


def test_missing_extra_names_the_command(generated: Path, tmp_path: Path) -> None:
    """Without the generator's libraries the error says what to install."""
    root = copy(generated, tmp_path)
    (root / ".toolset-cache/builds.json").unlink()
    script = (
        "import sys\nsys.modules['jinja2'] = None\n"
        "from toolset.cli import main\nsys.argv[1:] = ['catalog', 'verify']\nmain()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=root
    )
    assert done.returncode == 2
    assert "pip install 'cordis-toolset[generator]'" in done.stderr


SAYS = {"verify": "writes nothing but its cache", "fix": "Exits 0 also when something is left"}


def test_help_says_what_is_written() -> None:
    """The help of `verify` owns up to the cache, that of `fix` to exit 0 with something left."""
    help_of = {name: CliRunner().invoke(catalog, [name, "--help"]).output for name in SAYS}
    assert {name: SAYS[name] in " ".join(text.split()) for name, text in help_of.items()} == (
        dict.fromkeys(SAYS, True)
    )


@pytest.mark.parametrize("form", ["text", "github"])
def test_foreign_file_is_said_by_verify(tmp_path: Path, form: str) -> None:
    """Where somebody's file stands in an artifact's place, `verify` says that and what to do."""
    root = shop(tmp_path)
    assert run_catalog(root, "generate").returncode == 0
    (root / "catalog/events.md").write_text("hand\n")
    done = run_catalog(root, "verify", "--format", form)
    assert done.returncode == 1
    assert "catalog/events.md was not generated, so `toolset catalog generate`" in done.stdout
    assert "if it is not needed" in done.stdout
    refused = run_catalog(root, "generate")
    assert refused.returncode == 2
    assert "delete the files if they are not needed" in refused.stderr
    (root / "catalog/events.md").unlink()
    assert run_catalog(root, "generate").returncode == 0
