"""Processes to read files in, where starting them pays."""

# Maintainers: decides whether and how many, and knows nothing of reading. Workers are started afresh:
# the child that boots plugins has a thread here, and a fork would copy its locks. Invariant: what is
# built is the same with and without.

from __future__ import annotations

import os
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext

from toolset_gen.config import Config
from toolset_gen.discover import Sources

__all__ = ["cores", "pool"]

# Some 100,000 lines, read in about a second; a worker is ready after a fifth of one.
_PAYS = 4_000_000
_MODULE = 20_000  # what the module of a class that others wrote weighs, about


def cores() -> int:
    """Count the processors that this process may use.

    Returns:
        1 or more.
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def pool(config: Config, sources: Sources, jobs: int) -> AbstractContextManager[Executor | None]:
    """Give an executor for the files of a project, in a `with` statement.

    Args:
        config: The project's configuration.
        sources: Its files.
        jobs: How many processes there may be.

    Returns:
        One with as many processes; of None when one is allowed or there is too little to read.
    """
    modules = {target.partition(":")[0] for _, target in config.services}
    if jobs < 2 or sum(len(f.data) for f in sources.files) + _MODULE * len(modules) < _PAYS:  # noqa: PLR2004 - one more than this one
        return nullcontext()
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - a small project needs none
    from multiprocessing import get_context  # noqa: PLC0415

    return ProcessPoolExecutor(jobs, mp_context=get_context("spawn"))
