"""Compare two things in one run: alternating rounds, the median of the rounds' ratios."""

# Maintainers: ratios only. A machine's speed, its load and its neighbours weigh on both sides of a
# round alike; a bound in seconds would judge the machine.

from __future__ import annotations

import argparse
import gc
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

__all__ = ["Ratio", "calls", "command", "compare", "report"]

ROUND_SECONDS = 0.004


class Ratio(NamedTuple):
    """One measured promise.

    Attributes:
        what: What is compared with what.
        value: How many times as long the first took.
        bound: How much it may be.
        ours: Median seconds of what is judged.
        floor: Median seconds of what it is compared with.
        unit: Unit of both, when it is not seconds.
    """

    what: str
    value: float
    bound: float
    ours: float
    floor: float
    unit: str = ""

    @property
    def holds(self) -> bool:
        """Whether it is within its bound."""
        return self.value <= self.bound


def compare(
    what: str,
    ours: Callable[[], float],
    floor: Callable[[], float],
    *,
    bound: float,
    rounds: int,
) -> Ratio:
    """Measure both sides by turns.

    Args:
        what: What is compared with what.
        ours: Takes what is judged once; gives the seconds.
        floor: Takes what it is compared with once; gives the seconds.
        bound: How many times as long `ours` may take.
        rounds: How often each side is taken, after one round that does not count.

    Returns:
        The median of the rounds' ratios.
    """
    ours(), floor()
    pairs: list[tuple[float, float]] = []
    for number in range(rounds):
        if number % 2:  # neither side always runs in the other's wake
            second, first = floor(), ours()
        else:
            first, second = ours(), floor()
        pairs.append((first, second))
    return Ratio(
        what,
        statistics.median(first / second for first, second in pairs),
        bound,
        statistics.median(first for first, _ in pairs),
        statistics.median(second for _, second in pairs),
    )


def calls(function: Callable[[], object]) -> Callable[[], float]:
    """Time a function in this process, called often enough for the clock, without the collector.

    Args:
        function: What to call.

    Returns:
        A function that gives the seconds of one call, taken over many.
    """
    number = 1
    while _timed(function, number) < ROUND_SECONDS:
        number *= 2
    return lambda: _timed(function, number) / number


def _timed(function: Callable[[], object], number: int) -> float:
    gc.collect()
    gc.disable()
    try:
        start = time.process_time()  # what a neighbour takes of the core does not count
        for _ in range(number):
            function()
        return time.process_time() - start
    finally:
        gc.enable()


def command(*arguments: str, before: Callable[[], object] = lambda: None) -> Callable[[], float]:
    """Time a program from its start to its end.

    Args:
        arguments: The program and its arguments.
        before: What to do before each start, outside the clock.

    Returns:
        A function that runs it once and gives the seconds.

    Raises:
        subprocess.CalledProcessError: The program failed; its output is printed first.
    """

    def run() -> float:
        before()
        start = time.perf_counter()
        done = subprocess.run(arguments, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        seconds = time.perf_counter() - start
        if done.returncode:
            sys.stderr.buffer.write(done.stdout + done.stderr)
            done.check_returncode()
        return seconds

    return run


def report(title: str, measure: Callable[[], Sequence[Ratio]]) -> None:
    """Measure, print a line a ratio, and with `--check` exit 1 when one is over its bound.

    Args:
        title: What the ratios are about.
        measure: Measures them.
    """
    parser = argparse.ArgumentParser(description=title)
    parser.add_argument(
        "--check", action="store_true", help="exit 1 when a ratio is over its bound"
    )
    options = parser.parse_args()
    print(title)
    ratios = measure()
    width = max(len(ratio.what) for ratio in ratios)
    for ratio in ratios:
        verdict = "OK" if ratio.holds else "OVER"
        ours, floor = (_shown(value, ratio.unit) for value in (ratio.ours, ratio.floor))
        print(
            f"  {ratio.what:<{width}}  {ratio.value:6.2f} x   bound {ratio.bound:.2f} x   "
            f"{verdict:<4}  ({ours} / {floor})"
        )
    if options.check and not all(ratio.holds for ratio in ratios):
        sys.exit(1)


def _shown(value: float, unit: str) -> str:
    return f"{value:.3g} {unit}" if unit else _duration(value)


def _duration(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"
