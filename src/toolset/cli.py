"""The `toolset` command."""

# Maintainers: what is imported here is paid for by every call, so click is imported once it is
# needed and each command hands its arguments on to a module that is imported when the command is
# called: the generator's commands live in toolset_gen.commands, the demonstration in toolset.demo,
# running a composition in toolset.loader.command. `catalog verify` is what hooks run at every
# commit; when nothing has changed it is answered before click is loaded (benchmarks/startup.py).

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    import click

__all__ = ["commands", "main"]


def main() -> None:
    """Run the command that the arguments of the process name; exits with 130 on Ctrl-C."""
    try:
        if sys.argv[1:] != ["catalog", "verify"] or not _is_unchanged():
            commands().main(prog_name="toolset")
    except KeyboardInterrupt:
        _interrupted()


def _interrupted() -> NoReturn:
    """End as Ctrl-C ends a command before it has begun: with 1, as click would, it would say "stale"."""
    sys.stderr.write("Interrupted; nothing was written.\n")
    sys.exit(130)


def _is_unchanged() -> bool:
    """Print the report of a verification that the cache can answer, and tell whether it could."""
    from toolset_gen.unchanged import report_unchanged  # noqa: PLC0415 - see the head of the module

    report = report_unchanged()
    if report is None or sys.stdout is None:
        return False
    try:
        sys.stdout.buffer.write(f"{report}\n".encode())
        sys.stdout.flush()
    except OSError:
        return False  # the full command says why it cannot be said
    return True


def commands() -> click.Group:
    """Make the group of all commands.

    Returns:
        The group, which parses arguments and exits with 2 when it cannot.
    """
    import click  # noqa: PLC0415 - see the head of the module

    @click.group(context_settings={"help_option_names": ["-h", "--help"]})
    def group() -> None:
        """Run and describe a plugin runtime that an agent can inspect and extend."""

    @group.command(
        context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
        add_help_option=False,
    )
    @click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
    def catalog(arguments: tuple[str, ...]) -> None:
        """Generate, verify and explain the API catalog of a project."""
        try:
            from toolset_gen.commands import catalog as inner  # noqa: PLC0415
        except KeyboardInterrupt:
            _interrupted()
        inner.main(list(arguments), prog_name="toolset catalog")

    @group.command()
    def demo() -> None:
        """Watch a recorded agent extend a live runtime, step by step."""
        from toolset.demo import main as run  # noqa: PLC0415

        sys.exit(run())

    @group.command("run")
    @click.argument("path", metavar="[COMPOSITION]", default="cordis.yml")
    def run_(path: str) -> None:
        """Mount what a composition lists and run it until Ctrl-C or SIGTERM.

        COMPOSITION is a YAML file, cordis.yml when left out.
        """
        from toolset.loader.command import main as run  # noqa: PLC0415

        sys.exit(run(path))

    del catalog, demo, run_  # the group holds them
    return group


if __name__ == "__main__":
    main()
