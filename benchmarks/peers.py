"""What emitting costs beside pluggy, blinker, pyee and cordis-ouroboros, in one run."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Iterator, Sequence

import blinker
import ouroboros
import pluggy
import pyee
from _measure import Ratio, calls, compare, report

from toolset import Context, event

ROUNDS = 21


@event("bench/measured", mode="emit")
def measured(value: int) -> None:
    """Nothing but a number goes to the listeners.

    Args:
        value: The number.
    """


def ours(listeners: int) -> Callable[[], object]:
    """Emit to so many listeners."""
    root = Context()
    for _ in range(listeners):
        root.on(measured, lambda _: None)
    KEPT.append(root)
    return functools.partial(root.emit, measured, 1)


KEPT: list[Context] = []


def with_pluggy(listeners: int) -> Callable[[], object]:
    """Call a hook that so many plugins implement."""
    spec, implements = pluggy.HookspecMarker("bench"), pluggy.HookimplMarker("bench")

    class Spec:
        @spec
        def measured(self, value: int) -> None: ...

    class Plugin:
        @implements
        def measured(self, value: int) -> None: ...

    manager = pluggy.PluginManager("bench")
    manager.add_hookspecs(Spec)
    for _ in range(listeners):
        manager.register(Plugin())
    return functools.partial(manager.hook.measured, value=1)


def with_blinker(listeners: int) -> Callable[[], object]:
    """Send a signal to so many receivers."""
    signal = blinker.Signal()
    for _ in range(listeners):
        signal.connect(lambda _: None, weak=False)
    return functools.partial(signal.send, 1)


def with_pyee(listeners: int) -> Callable[[], object]:
    """Emit to so many listeners of an emitter."""
    emitter = pyee.EventEmitter()
    for _ in range(listeners):
        emitter.add_listener("measured", lambda _: None)
    return functools.partial(emitter.emit, "measured", 1)


def with_ouroboros(listeners: int) -> Callable[[], object]:
    """Emit to so many listeners of another runtime in the Cordis model."""
    root = ouroboros.Context()
    for _ in range(listeners):
        root.on("bench/measured", lambda _: None)
    return functools.partial(root.emit, "bench/measured", 1)


PEERS = {
    "pluggy": with_pluggy,
    "blinker": with_blinker,
    "pyee": with_pyee,
    "cordis-ouroboros": with_ouroboros,
}


def ratios() -> Iterator[Ratio]:
    """Compare with each peer at 1, 10 and 100 listeners."""
    for listeners in (1, 10, 100):
        for name, peer in PEERS.items():
            what = f"emit to {listeners} / {name}"
            yield compare(
                what, calls(ours(listeners)), calls(peer(listeners)), bound=1.0, rounds=ROUNDS
            )


def measure() -> Sequence[Ratio]:
    """Measure in a running loop, which some of the peers want."""

    async def main() -> list[Ratio]:
        found = list(ratios())
        for root in KEPT:
            await root.dispose()
        return found

    return asyncio.run(main())


if __name__ == "__main__":
    report("Emit beside its peers", measure)
