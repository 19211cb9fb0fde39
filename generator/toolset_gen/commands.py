"""The commands of `toolset catalog`."""

# Maintainers: parses arguments and prints reports; `ending` turns what stops a command into exit
# codes. Each has the forms of report that make sense for it. What a command alone needs is imported
# inside it: libcst for `fix`, watchfiles for `watch`, the rules for `explain`.

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import Literal

import click

from toolset_gen.annotations import FORMATS, Format
from toolset_gen.config import Config, locate, read_config
from toolset_gen.ending import explained, say, uninterrupted
from toolset_gen.gate import FAULT, FRESH, STALE, examine, find_sources, regenerate
from toolset_gen.report import say_generated, say_verified

__all__ = ["catalog"]

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
_format = click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="text",
    help="Text for people, JSON for machines, annotations for GitHub.",
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def catalog() -> None:
    """Generate and verify the API catalog that [tool.toolset.catalog] describes."""


@catalog.command()
@_root
@_jobs
@_format
def generate(root: Path | None, jobs: int | None, form: Format) -> None:
    """Write the artifacts, all or none; exits 3 when the sources are at fault."""
    with explained():
        config = _config(root)
        outcome = regenerate(config, _or_cores(jobs))
        say(say_generated(outcome, form, folder=_in_repository(config.root)))
        sys.exit(FAULT if outcome.at_fault else FRESH)


@catalog.command()
@_root
@_jobs
@_format
def verify(root: Path | None, jobs: int | None, form: Format) -> None:
    """Check that the artifacts are what the sources say; writes nothing but its cache.

    Exits 0 when they are, 1 when one is stale, 3 when the sources are at fault.
    """
    with explained():
        config = _config(root)
        outcome = examine(config, _or_cores(jobs))
        say(say_verified(outcome, form, folder=_in_repository(config.root)))
        sys.exit(outcome.exit_code)


@catalog.command()
@_root
@click.option("--dry-run", is_flag=True, help="Say what would change, and write nothing.")
@click.option("--diff", is_flag=True, help="Show what would change, and write nothing.")
@_format
def fix(root: Path | None, form: Format, *, dry_run: bool, diff: bool) -> None:
    """Repair the violations that have one right answer, touching nothing else in a file.

    What only a person can say is left as `...`, which the gate refuses. Exits 0 also when something is
    left, 3 when a file cannot be read; the others are repaired.
    """
    with explained():
        from toolset_gen.artifacts import write  # noqa: PLC0415 - see the head of the module
        from toolset_gen.fix import repair, say_repaired  # noqa: PLC0415 - loads libcst

        config = _config(root)
        repaired = repair(config, find_sources(config))
        written = not (dry_run or diff)
        if written:
            with uninterrupted():
                write(config.root, repaired.files)
        folder = _in_repository(config.root)
        say(say_repaired(repaired, written=written, diff=diff, form=form, folder=folder))
        sys.exit(FAULT if repaired.unreadable else FRESH)


@catalog.command()
@_root
@click.argument("revision")
@click.option("--fail-on-breaking", is_flag=True, help="Exit 1 when a change breaks callers.")
@_format
def diff(root: Path | None, revision: str, form: Format, *, fail_on_breaking: bool) -> None:
    """Say what changed in the public surface since a git REVISION.

    Compares the catalog that was committed with the revision with the sources as they are.
    """
    with explained():
        from toolset_gen import diff as changed  # noqa: PLC0415 - see the head of the module

        config = _config(root)
        old = changed.read_catalog(config, revision)
        changes = changed.compare(old, changed.current_catalog(config))
        say(changed.say_changes(revision, changes, form, fails=fail_on_breaking))
        broken = any(change.breaking for change in changes)
        sys.exit(STALE if broken and fail_on_breaking else FRESH)


@catalog.command()
@_root
def watch(root: Path | None) -> None:
    """Regenerate the artifacts each time that a source is saved, until Ctrl-C, which exits 0."""
    with explained():
        from toolset_gen.watch import changes_of  # noqa: PLC0415 - see the head of the module
        from toolset_gen.watch import watch as run  # noqa: PLC0415

        folder = _config(root).root
        saved = changes_of(folder, lambda: say("Watching; Ctrl-C ends it."))
        with suppress(KeyboardInterrupt):
            run(folder, saved, say)
        say("Ended.")


@catalog.command()
@click.argument("rule", default="")
@click.option(
    "--format",
    "form",
    type=click.Choice(["json", "text"]),
    default="text",
    help="Text for people, JSON for machines.",
)
def explain(rule: str, form: Literal["json", "text"]) -> None:
    """Say what a RULE finds, why, and show a wrong and a right example; lists all without one."""
    with explained():
        from toolset_gen.check.rules import say_rules  # noqa: PLC0415 - verify needs no rules

        say(say_rules(rule, form))


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
    return read_config(locate(root))
