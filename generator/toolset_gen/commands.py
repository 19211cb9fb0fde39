"""The commands of `toolset catalog`."""

# Maintainers: parses arguments, prints reports, turns outcomes into exit codes: 0 fresh, 1 stale,
# 2 wrong use, 3 the sources are at fault. A fault of the generator itself shows its traceback and
# exits 3, never 1: a crash is not staleness. What a command alone needs is imported inside it: libcst
# for `fix`, watchfiles for `watch`, the rules for `explain`.

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import cast

import click

from toolset_gen.config import Config, find_root, read_config
from toolset_gen.errors import GeneratorError
from toolset_gen.gate import FAULT, FRESH, STALE, examine, find_sources, regenerate
from toolset_gen.report import FORMATS, Format, say_generated, say_verified

__all__ = ["catalog"]

_EXTRA = frozenset({"black", "griffe", "jinja2", "libcst"})
_root = click.option(
    "--root",
    type=click.Path(file_okay=False, path_type=Path),
    help="The project, a folder with a pyproject.toml; by default the one you are in.",
)
_jobs = click.option(
    "--jobs",
    type=click.IntRange(min=1),
    help="Most processes to read with, where that pays; by default as many as there are cores.",
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def catalog() -> None:
    """Generate and verify the API catalog that [tool.toolset.catalog] describes."""


@catalog.command()
@_root
@_jobs
def generate(root: Path | None, jobs: int | None) -> None:
    """Write the artifacts, all or none; exits 3 when the sources are at fault."""
    with _explained():
        outcome = regenerate(_config(root), _or_cores(jobs))
        click.echo(say_generated(outcome))
        sys.exit(FAULT if outcome.at_fault else FRESH)


@catalog.command()
@_root
@_jobs
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="text",
    help="Text for people, JSON for machines, annotations for GitHub.",
)
def verify(root: Path | None, jobs: int | None, form: str) -> None:
    """Check that the artifacts are what the sources say; writes nothing.

    Exits 0 when they are, 1 when one is stale, 3 when the sources are at fault.
    """
    with _explained():
        config = _config(root)
        outcome = examine(config, _or_cores(jobs))
        folder = _in_repository(config.root)
        click.echo(say_verified(outcome, cast("Format", form), folder=folder))
        sys.exit(outcome.exit_code)


@catalog.command()
@_root
@click.option("--dry-run", is_flag=True, help="Say what would change, and write nothing.")
@click.option("--diff", is_flag=True, help="Show what would change, and write nothing.")
def fix(root: Path | None, *, dry_run: bool, diff: bool) -> None:
    """Repair the violations that have one right answer, touching nothing else in a file.

    What only a person can say is left as `...`, which the gate refuses. Exits 3 when a file cannot be
    read; the others are repaired.
    """
    with _explained():
        from toolset_gen.artifacts import write  # noqa: PLC0415 - see the head of the module
        from toolset_gen.fix import repair, say_repaired  # noqa: PLC0415 - loads libcst

        config = _config(root)
        repaired = repair(config, find_sources(config))
        written = not (dry_run or diff)
        if written:
            write(config.root, repaired.files)
        click.echo(say_repaired(repaired, written=written, diff=diff))
        sys.exit(FAULT if repaired.unreadable else FRESH)


@catalog.command()
@_root
@click.argument("revision")
@click.option("--fail-on-breaking", is_flag=True, help="Exit 1 when a change breaks callers.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["json", "text"]),
    default="text",
    help="Text for people, JSON for machines.",
)
def diff(root: Path | None, revision: str, form: str, *, fail_on_breaking: bool) -> None:
    """Say what changed in the public surface since a git REVISION.

    Compares the catalog that was committed with the revision with the sources as they are.
    """
    with _explained():
        from toolset_gen import diff as changed  # noqa: PLC0415 - see the head of the module

        config = _config(root)
        old = changed.read_catalog(config, revision)
        changes = changed.compare(old, changed.current_catalog(config))
        click.echo(changed.say_changes(revision, changes, cast("changed.Format", form)))
        broken = any(change.breaking for change in changes)
        sys.exit(STALE if broken and fail_on_breaking else FRESH)


@catalog.command()
@_root
def watch(root: Path | None) -> None:
    """Regenerate the artifacts each time that a source is saved, until Ctrl-C."""
    with _explained():
        from toolset_gen.watch import changes_of  # noqa: PLC0415 - see the head of the module
        from toolset_gen.watch import watch as run  # noqa: PLC0415

        folder = _config(root).root
        saved = changes_of(folder, lambda: click.echo("Watching; Ctrl-C ends it."))
        with suppress(KeyboardInterrupt):
            run(folder, saved, click.echo)
        click.echo("Ended.")


@catalog.command()
@click.argument("rule")
def explain(rule: str) -> None:
    """Say what a rule finds, why, and show a wrong and a right example."""
    with _explained():
        from toolset_gen.check.rules import explain as page  # noqa: PLC0415 - verify needs no rules

        click.echo(page(rule), nl=False)


def _or_cores(jobs: int | None) -> int:
    from toolset_gen.pool import cores  # noqa: PLC0415 - see the head of the module

    return cores() if jobs is None else jobs


def _in_repository(folder: Path) -> str:
    """Say where a folder is in the git repository around it, `""` at its root or without one."""
    for above in (folder, *folder.parents):
        if (above / ".git").exists():
            inside = folder.relative_to(above).as_posix()
            return "" if inside == "." else inside
    return ""


def _config(root: Path | None) -> Config:
    return read_config(find_root(Path.cwd()) if root is None else root.resolve())


@contextmanager
def _explained() -> Generator[None]:
    """Print errors that say all there is to say, and exit with their code."""
    try:
        yield
    except GeneratorError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(error.exit_code)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _EXTRA:
            _crash()
        click.echo(
            f"error: the generator needs {error.name!r}, which is not installed; "
            "run `pip install 'cordis-toolset[generator]'`",
            err=True,
        )
        sys.exit(2)
    except Exception:  # noqa: BLE001 - a crash must not exit 1, which means stale
        _crash()


def _crash() -> None:
    import traceback  # noqa: PLC0415 - only a crash needs it

    traceback.print_exc()
    click.echo(
        "error: the generator itself failed; this is a bug of it. Nothing was written.", err=True
    )
    sys.exit(FAULT)
