"""The scan gives the same bytes wherever its files are read."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from typing import ParamSpec, TypeVar

import pytest
from projects import SHOP, make_project, run_catalog

from toolset_gen import pool as pools
from toolset_gen.build import build
from toolset_gen.config import read_config
from toolset_gen.gate import find_sources
from toolset_gen.pool import pool

P = ParamSpec("P")
T = TypeVar("T")

SERVICES = """
[tool.toolset.catalog.services]
archive = "tarfile:TarFile"
group = "click:Group"
registry = "toolset.services.tools:ToolRegistry"
"""


class Counting(ThreadPoolExecutor):
    """Threads that note how often they are given something."""

    asked = 0

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Note it."""
        self.asked += 1
        return super().submit(fn, *args, **kwargs)


LAID_OUT: dict[str, str] = {}  # by black, which is slow and not what is compared


def processes() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"))


@contextmanager
def dask() -> Iterator[Executor]:
    """Two worker processes of Dask's, reached as a user of its cluster reaches them."""
    distributed = pytest.importorskip(
        "distributed", reason="Dask is in the dependency group `scale`: `nox -s scale`"
    )
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        yield client.get_executor()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with some modules, with classes that others wrote, without plugins to boot."""
    modules: dict[str, str | bytes] = {
        f"shop_{number}.py": SHOP.replace("shop", f"shop{number}").replace("tools", "other")
        for number in range(6)
    }
    return make_project(tmp_path_factory.mktemp("project"), modules, "boot = false\n" + SERVICES)


def artifacts(project: Path, executor: Executor | None) -> dict[str, bytes]:
    config = read_config(project)
    built = build(config, find_sources(config), LAID_OUT, executor=executor)
    assert len(built.artifacts) == 12
    return {**built.artifacts, "report": repr(built.diagnostics).encode()}


@pytest.mark.parametrize(
    "make",
    [
        lambda: ThreadPoolExecutor(3),
        processes,
        pytest.param(dask, marks=pytest.mark.filterwarnings("default")),
    ],
    ids=["threads", "processes", "dask"],
)
def test_executors_build_alike(project: Path, make: Callable[[], ThreadPoolExecutor]) -> None:
    """Threads, processes and Dask's workers give what reading here gives, byte for byte."""
    with make() as executor:
        elsewhere = artifacts(project, executor)
    assert elsewhere == artifacts(project, None)


def test_everything_goes_through_it(project: Path) -> None:
    """Scanned files and the modules of provided classes are both read in the executor."""
    config = read_config(project)
    with Counting(2) as executor:
        build(config, find_sources(config), LAID_OUT, executor=executor)
        both = executor.asked
        build(config._replace(services=()), find_sources(config), LAID_OUT, executor=executor)
        assert both > executor.asked - both > 0


class Broken(Executor):
    """A pool whose workers were killed."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Say so."""
        raise BrokenProcessPool


def test_dead_workers_are_done_without(project: Path) -> None:
    """When the workers die, the files are read here and nothing is lost."""
    assert artifacts(project, Broken()) == artifacts(project, None)


def test_pool_starts_where_it_pays(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small project is read here; a large one, or many provided classes, in processes."""
    config = read_config(project)
    sources = find_sources(config)
    with pool(config, sources, 8) as executor:
        assert executor is None
    many = config._replace(services=tuple((f"s{n}", f"m{n}:C") for n in range(300)))
    for large, jobs in ((many, 1), (many, 2)):
        with pool(large, sources, jobs) as executor:
            assert (executor is not None) == (jobs > 1)
    monkeypatch.setattr(pools, "_PAYS", 1)
    with pool(config, sources, 2) as executor:
        assert isinstance(executor, ProcessPoolExecutor)


def test_jobs_write_alike(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--jobs` changes how long it takes and nothing else; it must be 1 or more."""
    monkeypatch.setattr(pools, "_PAYS", 1)
    done = run_catalog(project, "generate", "--jobs", "2")
    assert done.returncode in {0, 3}, done.stderr
    assert run_catalog(project, "verify", "--jobs", "1").returncode == done.returncode
    assert run_catalog(project, "verify", "--jobs", "0").returncode == 2
    assert run_catalog(project, "verify", "--jobs", "9" * 30).returncode == done.returncode
    assert pools.cores() <= (os.cpu_count() or 1)
