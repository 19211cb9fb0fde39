"""The sections `api` and `events`: the join of catalogs and live state, and what it must say."""

from __future__ import annotations

import pytest

from toolset import Context, Service, event
from toolset.catalog import (
    Catalog,
    EventEntry,
    Member,
    Parameter,
    Raised,
    Returns,
    ServiceEntry,
    Signature,
    TypeEntry,
)
from toolset.cordis.report import NotRunningError, Snapshot, UnknownNameError, render
from toolset.cordis.world import World
from toolset.services.tools import ToolRegistry

STAT = TypeEntry(
    "Stat",
    "acme.Stat",
    "dataclass",
    "class Stat:\n    size: int\n    kind: Kind",
    type_refs=("acme.Kind", "toolset.runtime.Fiber"),
)
FIBER = TypeEntry(
    "Fiber", "toolset.runtime.Fiber", "class", "class Fiber: ...", type_refs=("acme.Other",)
)
KIND = TypeEntry("Kind", "acme.Kind", "enum", "class Kind(Enum):\n    FILE = 1")
OTHER = TypeEntry("Other", "acme.Other", "class", "class Other: ...")
DISK = ServiceEntry(
    "disk",
    "Disk",
    "test_inspect_api.Disk",
    "Look at a disk.",
    "More about disks.",
    members=(
        Member(
            "stat",
            "coroutine",
            "async stat(path: str) -> Stat",
            parameters=(Parameter("path", annotation="str", description="The path to look at."),),
            returns=Returns("Stat", "What is there.", ("acme.Stat",)),
            raises=(Raised("FileNotFoundError", "", "Nothing is there."),),
            summary="Look at one path.",
            description="Links are followed.",
        ),
        Member(
            "get",
            "function",
            "get(...)",
            signatures=(
                Signature("get(key: str) -> str"),
                Signature("get(key: str, default: T) -> str | T"),
            ),
        ),
    ),
    plugin="disk",
)
TAPE = ServiceEntry("tape", "Tape", "acme.Tape", "Wind a tape.", plugin="tape-drive")
CATALOG = Catalog(
    services=(DISK, TAPE),
    events=(
        EventEntry(
            "disk/full",
            "emit",
            is_async=False,
            signature="full(path: str) -> None",
            summary="Tell it is full.",
        ),
    ),
    types=(FIBER, KIND, OTHER, STAT),
)


class Disk(Service, key="disk"):
    """Another text than the catalog's."""

    async def stat(self, path: str) -> object:
        """Look."""

    def get(self, key: str) -> str:
        return key

    def extra(self, n: int = 1) -> None:
        """Not in the catalog."""


class Gadget:
    """Turn a wheel.

    Slowly.
    """

    def turn(self, degrees: float, /, *, back: bool = False) -> Gadget:
        """Turn it.

        Args:
            degrees: How far.
        """
        return self


@pytest.fixture
def look():
    """Render a report of a context, over the catalog above."""
    world = World(CATALOG)

    def render_one(ctx: Context, what: str, name: str | None = None) -> str:
        snapshot = Snapshot(ctx.registry, world.look(ctx), list)
        return render(snapshot, what, name)

    return render_one


def test_live_catalogued_service_shows_catalog(run, look) -> None:
    """A live catalogued service has the catalog's summary and signatures, and is marked live."""

    async def main() -> None:
        async with Context() as ctx:
            await ctx.plugin(Disk)
            lines = look(ctx, "api").splitlines()
            at = lines.index("- disk [live] — Look at a disk.")
            assert lines[at + 1 : at + 5] == [
                "  - `async stat(path: str) -> Stat`",
                "  - `get(key: str) -> str`",
                "  - `get(key: str, default: T) -> str | T`",
                "  - `extra(n: int = 1) -> None`",
            ]

    run(main())


def test_types_are_shown_transitively(run, look) -> None:
    """The shapes of the referenced types come along, and those they refer to.

    What is withheld from mounted code is left out, and so is what only that refers to.
    """

    async def main() -> None:
        async with Context() as ctx:
            await ctx.plugin(Disk)
            text = look(ctx, "api")
            assert "class Stat:\n    size: int" in text
            assert "class Kind(Enum):" in text
            assert "Other" not in text
            assert "Fiber" not in text

    run(main())


def test_loadable_services_are_one_line(run, look) -> None:
    """What is catalogued but not provided is named in one line, with its plugin."""

    async def main() -> None:
        async with Context() as ctx:
            assert "not running (loadable): disk (plugin disk), tape (plugin tape-drive)" in look(
                ctx, "api"
            )
            await ctx.plugin(Disk)
            assert "not running (loadable): tape (plugin tape-drive)\n" in look(ctx, "api")

    run(main())


def test_uncatalogued_service_is_read_live(run, look) -> None:
    """A live service without an entry shows its owner and the signatures of the object, so marked."""

    async def main() -> None:
        async with Context() as ctx:

            def maker(ctx: Context) -> None:
                ctx.provide("gadget", Gadget())

            await ctx.plugin(maker)
            assert (
                "- gadget [live, uncatalogued] — Gadget, provided by maker; signatures read off the "
                "live object\n  - `turn(degrees: float, /, *, back: bool = False) -> Gadget`"
            ) in look(ctx, "api")
            text = look(ctx, "api", "gadget")
            assert "Slowly." in text
            assert "degrees: How far." in text

    run(main())


def test_other_class_is_not_the_catalogs(run, look) -> None:
    """An object of another class under a catalogued key is described by itself."""

    async def main() -> None:
        async with Context() as ctx:
            ctx.provide("disk", Gadget())
            text = look(ctx, "api")
            assert "- disk [live, uncatalogued] — Gadget" in text
            assert "stat(" not in text

    run(main())


def test_named_service_has_everything(run, look) -> None:
    """One service by name comes with its documentation, its types, and nothing of others."""

    async def main() -> None:
        async with Context() as ctx:
            await ctx.plugin(Disk)
            ctx.provide("gadget", Gadget())
            text = look(ctx, "api", "disk")
            for part in (
                "More about disks.",
                "Look at one path.",
                "Links are followed.",
                "    path: The path to look at.",
                "  Returns: What is there.",
                "    FileNotFoundError: Nothing is there.",
                "class Kind(Enum):",
            ):
                assert part in text
            assert "gadget" not in text
            assert "not running" not in text

    run(main())


def test_named_loadable_service_is_refused(run, look) -> None:
    """A catalogued service that is not running says so and names the plugin that provides it."""

    async def main() -> None:
        async with Context() as ctx:
            with pytest.raises(NotRunningError) as caught:
                look(ctx, "api", "tape")
            assert str(caught.value) == (
                "service 'tape' is catalogued but not running (loadable): plugin 'tape-drive' "
                "provides it and is not mounted; a plugin that injects it stays pending until it is"
            )

    run(main())


def test_unknown_service_names_nearest(run, look) -> None:
    """An unknown name lists the nearest, live and catalogued ones alike."""

    async def main() -> None:
        async with Context() as ctx:
            with pytest.raises(UnknownNameError, match="did you mean 'tape'"):
                look(ctx, "api", "tapes")

    run(main())


def test_tools_show_what_mounts_get(run, look) -> None:
    """Where mounted code is given another view of a service, that view is shown too."""

    async def main() -> None:
        async with Context() as ctx:
            await ctx.plugin(ToolRegistry)
            text = look(ctx, "api", "tools")
            assert "mounted code is given of it, without declaring it:" in text
            assert "`register(definition: object) -> object`" in text

    run(main())


def test_context_is_shown(run, look) -> None:
    """The inherited ctx API is listed, and only what mounted code is given of it."""

    async def main() -> None:
        async with Context() as ctx:
            text = look(ctx, "api")
            assert "- `provide(key: str, value: object, *, check:" in text
            assert "`plugin(" not in text
            assert "`isolate(" not in text

    run(main())


def test_events_are_joined(run, look) -> None:
    """Every event says its mode, signature, listeners, and whether it is live or loadable."""

    @event("disk/spun", mode="bail")
    def spun(speed: int) -> int:
        """Tell how fast.

        Args:
            speed: In turns.
        """

    async def main() -> None:
        async with Context() as ctx:

            def fan(ctx: Context) -> None:
                ctx.on(spun, lambda speed: speed)
                ctx.on(spun, lambda speed: speed)
                ctx.on("my/own", print)

            await ctx.plugin(fan)
            text = look(ctx, "events")
            assert (
                "- disk/full [emit] — Tell it is full.\n  `full(path: str) -> None`\n"
                "  loadable; listeners: none"
            ) in text
            assert (
                "- disk/spun [bail] — Tell how fast.\n  `spun(speed: int) -> int`\n"
                "  live, uncatalogued; listeners: fan (2)"
            ) in text
            assert "- my/own [undeclared]" in text
            assert text.splitlines()[-1].startswith("Waterfall: a listener gets a trailing `next`.")
            assert "speed: In turns." in look(ctx, "events", "disk/spun")

    run(main())
