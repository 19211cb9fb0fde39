"""The namespace that mounted code runs in."""

from __future__ import annotations

from typing import TextIO

__all__ = ["make_namespace"]


def make_namespace(
    mount_id: str, *, stdout: TextIO | None = None, stderr: TextIO | None = None
) -> dict[str, object]:
    """Make the fresh globals of one mount: builtins, print, console, harness, event, Service.

    Args:
        mount_id: The mount, such as `dyn-1`; tags its output.
        stdout: Where `print` and `console.log` write; the host's standard output by default.
        stderr: Where `console.warn` writes; the host's standard error by default.
    """
    raise NotImplementedError
