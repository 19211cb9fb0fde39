"""Processes to read files in, where starting them pays."""

# Maintainers: decides whether and how many, and knows nothing of reading. Workers are started
# afresh: the child that boots plugins has a thread here, and a fork would copy its locks.
# Invariants: what is built is the same with and without; a worker lives no longer than the process
# that started it, however that ends, and Ctrl-C, which a terminal sends to all of them, is this
# process's to answer.

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Generator
from concurrent.futures import Executor
from contextlib import contextmanager

from toolset_gen.config import Config
from toolset_gen.discover import Sources

__all__ = ["cores", "pool"]

# Some 100,000 lines, read in about a second; a worker is ready after a fifth of one.
_PAYS = 4_000_000
_MOST = 61  # more than the executor can wait for on Windows, and than pays anywhere
_MODULE = 40_000  # what the module of a class that others wrote weighs, about


def cores() -> int:
    """Count the processors that this process may use.

    Returns:
        1 or more.
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def pool(config: Config, sources: Sources, jobs: int) -> Generator[Executor | None]:
    """Give an executor for the files of a project, in a `with` statement.

    Args:
        config: The project's configuration.
        sources: Its files.
        jobs: How many processes there may be.

    Yields:
        One with as many processes, no more than there is work for; None when one is allowed or there
        is too little to read.
    """
    modules = {target.partition(":")[0] for _, target in config.services}
    weight = sum(len(file.data) for file in sources.files) + _MODULE * len(modules)
    if jobs < 2 or weight < _PAYS:  # noqa: PLR2004 - one more than this one
        yield None
        return
    with _processes(min(jobs, len(sources.files) + len(modules), _MOST)) as executor:
        yield executor


@contextmanager
def _processes(jobs: int) -> Generator[Executor]:
    """Start processes, and end them at once when the block raises, whatever they are doing."""
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - a small project needs none
    from multiprocessing import active_children, get_context  # noqa: PLC0415

    others = set(active_children())
    executor = ProcessPoolExecutor(jobs, get_context("spawn"), _begin)
    try:
        with _deaf():
            # Each starts one: that before it has not come up when the next is asked for.
            for _ in range(jobs):
                executor.submit(int)
        yield executor
    except BaseException:
        for worker in set(active_children()) - others:
            worker.terminate()
        raise
    finally:
        executor.shutdown(cancel_futures=True)


@contextmanager
def _deaf() -> Generator[None]:
    """Start processes that Ctrl-C does not reach, not even while they begin."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin() -> None:
    """Make this process, a worker, end with the one that started it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow, daemon=True).start()


def _follow() -> None:
    from multiprocessing import parent_process  # noqa: PLC0415 - a worker's alone

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
