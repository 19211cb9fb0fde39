"""However a file is edited and read again, what runs is what its last valid state says."""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from composing import Composition, module
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from toolset import Context, Fiber, Service
from toolset.loader import CompositionError, EntryStatus
from toolset.testing import wait_quiet

EXAMPLES = int(os.environ.get("TOOLSET_FUZZ_EXAMPLES", "25"))


class Shop(Service, key="shop"):
    """Sells."""

    class Config(BaseModel):
        """How."""

        x: int = 1


class Till(Service, key="till"):
    """Counts; needs a shop."""

    inject = ("shop",)


def plain(ctx: Context, config: object = None) -> Iterator[Callable[[], None]]:
    """Have an effect."""
    ctx.on("a/b", print)
    yield lambda: None


def broken(ctx: Context, config: object = None) -> None:
    """Fail on some configurations."""
    ctx.on("a/b", print)
    if config != {"x": 2}:
        raise RuntimeError("no luck")


# A key is always the id of one plugin, so that no two entries provide one service: which of two
# stands depends on who came first, and a reload does not unmount the one that runs.
NAMES = {
    "shop": "props:Shop",
    "till": "props:Till",
    "plain": "props:plain",
    "broken": "props:broken",
    "nobody": "props_nowhere",
    "none": "props:nothing",
}
CONFIGS = st.sampled_from(
    [None, {}, {"x": 1}, {"x": 2}, {"x": "text"}, {"x": "${env:PROPS_UNSET}"}]
)
INJECTS = st.sampled_from([None] * 7 + [["loader"], ["shop"], ["till"], ["nothing"]])
ISOLATES = st.sampled_from([None] * 7 + [["shop"], {"shop": "a"}, ["till", "shop"]])
DISABLED = st.sampled_from([None] * 7 + [True])


@st.composite
def compositions(draw: st.DrawFn) -> list[dict[str, object]]:
    """Draw a tree of entries in which each id stands once."""
    ids = draw(st.lists(st.sampled_from([*NAMES, "g", "h"]), unique=True, min_size=3))
    ids.sort(key=lambda key: key in NAMES and draw(st.booleans()))
    top: list[dict[str, object]] = []
    places = [top]
    for key in ids:
        one: dict[str, object] = {"id": key, "inject": draw(INJECTS), "disabled": draw(DISABLED)}
        one["isolate"] = draw(ISOLATES)
        draw(st.sampled_from(places)).append(one)
        if key in NAMES:
            one |= {"name": NAMES[key], "config": draw(CONFIGS)}
        else:
            one["group"] = []
            places.append(one["group"])
    return top


FILES = compositions().map(json.dumps) | st.sampled_from(
    ["- [", "- nam: x", "[{name: a, id: 1}]", ""]
)


def shape(fiber: Fiber) -> tuple[object, ...]:
    """Describe a fiber and what is in it, whatever the order it came in."""
    children = sorted((shape(one) for one in fiber.children), key=repr)
    labels = sorted(one.label for one in fiber.effects())
    return (fiber.name, str(fiber.state), repr(fiber.config), labels, children)


def described(ctx: Context) -> tuple[object, ...]:
    """Describe all that a loader has mounted."""
    entries: tuple[EntryStatus, ...] = ctx.loader.entries()
    top = sorted((shape(one) for one in ctx.loader.ctx.fiber.children), key=repr)
    services = sorted((one.key, one.fiber.name, one.live) for one in ctx.registry.services())
    return (entries, top, services, len(ctx.registry.listeners("a/b")))


@pytest.fixture(scope="module", autouse=True)
def props() -> Iterator[ModuleType]:
    """Give the plugins a module, and keep what fails on purpose out of the log."""
    logging.disable(logging.ERROR)
    made = module("props", Shop=Shop, Till=Till, plain=plain, broken=broken)
    yield made
    logging.disable(logging.NOTSET)


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(texts=st.lists(FILES, min_size=2, max_size=6))
def test_reloaded_equals_fresh(tmp_path: Path, texts: list[str]) -> None:
    """After any edits the entries, fibers, services and listeners equal those of a fresh load."""
    followed, fresh = Composition(tmp_path), Composition(tmp_path)
    fresh.path = tmp_path / "fresh.yml"

    async def main() -> None:
        valid = ""
        async with followed.host("") as ctx:
            for text in texts:
                followed.write(text)
                try:
                    await ctx.loader.reload()
                    valid = text
                except CompositionError:
                    pass
                await wait_quiet(ctx)
                async with fresh.host(valid) as other:
                    await wait_quiet(other)
                    assert described(ctx) == described(other)

    asyncio.run(main())


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(text=compositions().map(json.dumps), comment=st.sampled_from(["", "# a comment\n\n"]))
def test_unchanged_keeps_every_fiber(tmp_path: Path, text: str, comment: str) -> None:
    """A reload of a file that says the same keeps the very fiber of all that runs or waits."""
    followed = Composition(tmp_path)

    async def main() -> None:
        async with followed.host(text) as ctx:
            await wait_quiet(ctx)
            before = {one.uid: one for one in ctx.registry.fibers() if one.state != "failed"}
            followed.write(comment + text)
            await ctx.loader.reload()
            await wait_quiet(ctx)
            after = {one.uid: one for one in ctx.registry.fibers() if one.state != "failed"}
            assert after == before

    asyncio.run(main())
