"""Evaluate model-written code: parse it as it stands, run it as the body of an async function."""

from __future__ import annotations

import ast
from types import CodeType
from typing import NamedTuple

from toolset.cordis.guard import Guard

__all__ = ["Source", "check_plugin", "evaluate", "forget", "parse"]


class Source(NamedTuple):
    """Code of one mount, parsed.

    Attributes:
        mount_id: The mount, such as `dyn-1`.
        text: The code, without the Markdown fence that may have surrounded it.
        tree: The code parsed as a module: top-level `await` and `return` stand in its body.
        filename: The file name of its frames, such as `<mount:dyn-1>`.
        code: What runs.
        warnings: What the compiler warned about, a sentence each.
    """

    mount_id: str
    text: str
    tree: ast.Module
    filename: str
    code: CodeType
    warnings: tuple[str, ...]


def parse(code: str, mount_id: str) -> Source:
    """Parse the code of a mount; nothing of it runs.

    Raises:
        MountSyntaxError: It does not parse, or has no `return` of its own.
    """
    raise NotImplementedError


async def evaluate(source: Source, namespace: dict[str, object], *, guard: Guard) -> object:
    """Run the code of a mount in its namespace and return what it returned.

    Raises:
        MountTimeoutError: A synchronous stretch was ended.
        MountError: The code raised; the message has its own lines.
    """
    raise NotImplementedError


def forget(source: Source) -> None:
    """Forget the lines kept for tracebacks; call it when the mount is over or has failed."""
    raise NotImplementedError


def check_plugin(value: object, mount_id: str) -> None:
    """Refuse a value that is no plugin, saying what it is.

    Raises:
        MountResultError: It is no plugin.
    """
    raise NotImplementedError
