"""The `toolset` command."""

# Maintainers: imports click and nothing else, so that `toolset --help` starts at once. Each command
# hands its arguments on to a module that is imported when the command is called: the generator's
# commands live in toolset_gen.commands, the demonstration in toolset.demo.

from __future__ import annotations

import sys

import click

__all__ = ["main"]

_FORWARD = {"ignore_unknown_options": True, "allow_interspersed_args": False}


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Run and describe a plugin runtime that an agent can inspect and extend."""


@main.command(context_settings=_FORWARD, add_help_option=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def catalog(arguments: tuple[str, ...]) -> None:
    """Generate, verify and explain the API catalog of a project."""
    from toolset_gen.commands import catalog as group  # noqa: PLC0415 - see the head of the module

    group.main(list(arguments), prog_name="toolset catalog")


@main.command()
def demo() -> None:
    """Watch a recorded agent extend a live runtime, step by step."""
    from toolset.demo import main as run  # noqa: PLC0415 - see the head of the module

    sys.exit(run())


if __name__ == "__main__":
    main()
