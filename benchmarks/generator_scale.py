"""How the generator holds up on large packages: every public class of theirs provided as a service.

Reads Django, SQLAlchemy and Home Assistant where they are installed (`nox -s bench` installs them);
names others when given some: `python benchmarks/generator_scale.py --packages pandas`.
"""

# Maintainers: a package's project has an empty package of its own and a `services` table with each of
# its public classes. A scan is a process that reads and links, as `griffe dump` is one that reads and
# serialises; a verify renders and compares all artifacts, too. What has to be linear is processor time
# for a line, so that a busy machine does not bend the line.

from __future__ import annotations

import argparse
import ast
import bisect
import gc
import itertools
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from _measure import Ratio, command, compare, report

if TYPE_CHECKING:
    from toolset_gen.discover import Sources

BIN = Path(sys.executable).parent
PACKAGES = ("sqlalchemy", "django", "homeassistant")
SCAN = """
import sys
from pathlib import Path
from toolset_gen.config import read_config
from toolset_gen.extract import extract
from toolset_gen.gate import find_sources
config = read_config(Path(sys.argv[1]))
assert extract(find_sources(config), services=dict(config.services)).catalog.services
"""
HEAD = """
[tool.toolset.catalog]
packages = ["host"]
runtime = "host/api_catalog.py"
pages = "catalog"
typed-context = "host/typed_context.py"
catalogs = []
[[tool.toolset.catalog.suppress]]
rule = "SVC008"
target = "*"
reason = "nothing here is mounted"
[tool.toolset.catalog.services]
"""


class Module(NamedTuple):
    """A public module of a package.

    Attributes:
        name: Its dotted name.
        lines: How many it has.
        classes: Its public classes.
    """

    name: str
    lines: int
    classes: tuple[str, ...]


def modules(package: str, folder: Path) -> Iterator[Module]:
    """Find the public modules of a package."""
    for path in sorted(folder.rglob("*.py")):
        parts = [package, *path.relative_to(folder).with_suffix("").parts]
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        if all(part.isidentifier() and not part.startswith("_") for part in name.split(".")):
            data = path.read_bytes()
            found = (node.name for node in ast.parse(data).body if isinstance(node, ast.ClassDef))
            public = tuple(dict.fromkeys(one for one in found if not one.startswith("_")))
            yield Module(name, data.count(b"\n"), public)


def targets(found: Iterable[Module]) -> dict[str, str]:
    """Name each class as a service: its key, and where it is."""
    return {
        f"{module.name.replace('.', '_')}_{name}": f"{module.name}:{name}"
        for module in found
        for name in module.classes
    }


def make_project(root: Path, found: Sequence[Module]) -> int:
    """Write a project that provides every class; gives how many there are."""
    (root / "host").mkdir(parents=True, exist_ok=True)
    (root / "host/__init__.py").write_text('"""A host."""\n')
    rows = targets(found)
    lines = [f'{key} = "{target}"' for key, target in rows.items()]
    (root / "pyproject.toml").write_text("\n".join([HEAD, *lines, ""]))
    return len(rows)


def dump(package: str, folder: Path) -> tuple[str, ...]:
    """Spell the `griffe dump` of a package."""
    search = ("-s", str(folder.parent), "-o", os.devnull)
    return (str(BIN / "griffe"), "dump", package, "-LERROR", *search)


def peak(arguments: Sequence[str]) -> float:
    """Run a program and give the megabytes it had at its peak."""
    code = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); "
    code += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    )
    return int(done.stdout.split()[-1]) / 1024


def measure_package(package: str, folder: Path, root: Path) -> Iterator[Ratio]:
    """Compare scan and verify of one package with its `griffe dump`, and the memory of both."""
    found = list(modules(package, folder))
    count = make_project(root, found)
    scan = (sys.executable, "-c", SCAN, str(root))
    verify = (str(BIN / "toolset"), "catalog", "verify", "--root", str(root))
    floor = command(*dump(package, folder))
    lines = sum(module.lines for module in found)
    print(f"  {package}: {count} classes in {len(found)} public modules of {lines:,} lines")
    rounds = 3 if lines < 500_000 else 1  # noqa: PLR2004 - half a million takes minutes
    what = f"{package}: scan, {count} services / griffe dump"
    scanned = compare(what, command(*scan), floor, bound=1.5, rounds=rounds)
    yield scanned
    print(f"    {lines / scanned.ours / 1000:.0f} thousand lines a second")
    what = f"{package}: cold verify, {count} services / griffe dump"
    subprocess.run([verify[0], "catalog", "generate", *verify[3:]], capture_output=True, check=True)
    forget = partial(shutil.rmtree, root / ".toolset-cache", ignore_errors=True)
    yield compare(what, command(*verify, before=forget), floor, bound=1.5, rounds=rounds)
    ours, theirs = peak(scan), peak(dump(package, folder))
    yield Ratio(
        f"{package}: memory of the scan / griffe dump", ours / theirs, 1.5, ours, theirs, "MB"
    )


def processor_seconds(work: Callable[[], object]) -> float:
    """Time a call in processor time."""
    gc.collect()
    start = time.process_time()
    work()
    return time.process_time() - start


def measure_growth(folders: dict[str, Path]) -> Iterator[Ratio]:
    """Compare what a line costs among ten thousand and among a million, scanned and provided."""
    from toolset_gen.discover import Sources, discover  # noqa: PLC0415 - timed alone elsewhere
    from toolset_gen.extract import extract, read_all  # noqa: PLC0415

    parts = [discover(at.parent, [name], sources=["."]) for name, at in folders.items()]
    files = [file for part in parts for file in part.files]
    whole = Sources(parts[0].root, tuple(folders), ())

    def scan(taken: int) -> None:
        extract(whole._replace(files=tuple(files[:taken])))

    lines = [file.data.count(b"\n") for file in files]
    yield from _growth("a scanned line", lines, scan)
    found = [module for name, at in folders.items() for module in modules(name, at)]
    random.Random(0).shuffle(found)  # so that small and large are of one kind

    def provide(taken: int) -> None:
        extract(whole._replace(packages=("host",)), services=targets(found[:taken]))

    yield from _growth("a line of provided classes", [one.lines for one in found], provide)
    some = whole._replace(files=tuple(files[:1500]))
    yield _reading(some, read_all)
    if len(os.sched_getaffinity(0)) > 1:
        yield _two_processes(some, read_all)


def _growth(what: str, lines: Sequence[int], work: Callable[[int], None]) -> Iterator[Ratio]:
    """Time `work` on as many parts as have ten thousand lines, and ten and a hundred times as many."""
    costs: dict[int, float] = {}
    for size in (10_000, 100_000, 1_000_000):
        sums = list(itertools.accumulate(lines))
        taken = bisect.bisect_left(sums, size) + 1
        if taken > len(sums):
            break
        rounds = 5 if size <= 100_000 else 1  # noqa: PLR2004 - small ones need more
        seconds = min(processor_seconds(partial(work, taken)) for _ in range(rounds))
        costs[size] = seconds / sums[taken - 1]
        print(f"    {what}: {1 / costs[size] / 1000:.0f} thousand a second of {size:>9,}")
    if costs:
        small, large = min(costs), max(costs)
        label = f"{what} among {large:,} / among {small:,}"
        yield Ratio(label, costs[large] / costs[small], 1.3, costs[large], costs[small])


def _reading(some: Sources, read_all: Callable[..., object]) -> Ratio:
    data = [file.data for file in some.files]

    def parse() -> None:
        for one in data:
            ast.parse(one)

    gc.disable()
    try:
        read, parsed = processor_seconds(partial(read_all, some)), processor_seconds(parse)
    finally:
        gc.enable()
    return Ratio("reading a file / ast.parse of it", read / parsed, 5.0, read, parsed)


def _two_processes(some: Sources, read_all: Callable[..., object]) -> Ratio:
    def alone() -> float:
        start = time.perf_counter()
        read_all(some)
        return time.perf_counter() - start

    def both() -> float:
        start = time.perf_counter()
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
            read_all(some, executor=executor)
        return time.perf_counter() - start

    return compare("reading with two processes / with one", both, alone, bound=1 / 1.6, rounds=3)


def measure(packages: Sequence[str]) -> Sequence[Ratio]:
    """Compare on the packages that are installed."""
    folders: dict[str, Path] = {}
    for package in packages:
        spec = find_spec(package)
        if spec is None or not spec.submodule_search_locations:
            print(f"  {package} is not installed; left out")
        else:
            folders[package] = Path(next(iter(spec.submodule_search_locations)))
    ratios: list[Ratio] = []
    with tempfile.TemporaryDirectory() as temporary:
        for package, folder in folders.items():
            ratios += measure_package(package, folder, Path(temporary) / package)
    if folders:
        ratios += measure_growth(folders)
    print(
        f"    peak of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB"
    )
    return ratios


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--packages", nargs="+", default=PACKAGES)
    own, sys.argv[1:] = parser.parse_known_args()
    report("Generator, at scale", partial(measure, own.packages))
