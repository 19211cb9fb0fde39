"""The namespace that mounted code runs in."""

# Maintainers: puts together what a mount starts with; each part has a module of its own. One
# namespace a mount: nothing in it is shared that mounted code could change for another.

from __future__ import annotations

from typing import TextIO

from toolset.cordis.console import Console, Output
from toolset.cordis.names import Service, event, harness
from toolset.cordis.traps import make_builtins

__all__ = ["make_namespace"]


def make_namespace(
    mount_id: str,
    name: str = "",
    *,
    stdout: TextIO | None = None,
    stderr: TextIO | None = None,
) -> dict[str, object]:
    """Make the fresh globals of one mount: builtins, print, console, harness, event, Service.

    Args:
        mount_id: The mount, such as `dyn-1`; tags its output.
        name: Its name among the modules; the mount's by default.
        stdout: Where `print` and `console.log` write; the host's standard output by default.
        stderr: Where `console.warn` writes; the host's standard error by default.

    Returns:
        The globals, for `evaluate`.
    """
    output = Output(mount_id, stdout, stderr)
    names = make_builtins()
    names["print"] = output.print
    return {
        "__builtins__": names,
        "__name__": name or mount_id,
        "console": Console(output),
        "event": event,
        "harness": harness,
        "Service": Service,
    }
