"""The gate turns red for every change of a fact, and for nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import black
import pytest
from mutating import Mutation, changes, harmless
from projects import make_project, run_catalog

from toolset_gen.build import Build, build
from toolset_gen.config import read_config
from toolset_gen.discover import SourceFile
from toolset_gen.extract import external
from toolset_gen.extract.raw import ReadResult
from toolset_gen.gate import find_sources

EVENTS = '''"""The shop's events."""

from __future__ import annotations

from toolset import Next, event

from pkg.records import Item, Receipt

__all__ = ["asked", "checked", "closed", "found", "priced"]


@event("shop/closed", mode="emit")
def closed(reason: str, *, hours: float = 1.5) -> None:
    """The shop was closed.

    It opens again by itself.

    Args:
        reason: Why it was.
        hours: For how long.
    """


@event("shop/checked", mode="parallel")
async def checked(receipt: Receipt) -> None:
    """Check a receipt.

    Args:
        receipt: What was bought.
    """


@event("shop/asked", mode="bail")
def asked(item: Item) -> bool | None:
    """Ask whether there is an item.

    Args:
        item: The item.

    Returns:
        Whether there is, None when nothing is known.
    """


@event("shop/found", mode="serial")
async def found(name: str) -> Item | None:
    """Find an item.

    Args:
        name: Name of the item.

    Returns:
        The item, None when somebody else has it.
    """


@event("shop/priced", mode="waterfall")
async def priced(item: Item, next: Next[int]) -> int:
    """Decide on a price.

    Args:
        item: The item.
        next: What the others say.

    Returns:
        Price in cents.
    """
    raise NotImplementedError
'''

RECORDS = '''"""What the shop deals in."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, NamedTuple, TypedDict

__all__ = ["Colour", "Item", "Receipt", "SoldOutError", "Terms"]


class Colour(Enum):
    """Colours that items have."""

    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True)
class Item:
    """Something for sale.

    Attributes:
        name: What it is called.
        colour: Which colour it has.
    """

    name: str
    colour: Colour = Colour.RED
    limit: ClassVar[int] = 10

    def label(self, width: int = 20) -> str:
        """Make a label.

        Args:
            width: Columns of the label.

        Returns:
            One line.
        """
        text = self.name
        return text[:width]


class Terms(TypedDict, total=False):
    """Terms of a sale.

    Attributes:
        days: Days to pay in.
        cash: Whether in cash.
    """

    days: int
    cash: bool


class Receipt(NamedTuple):
    """Proof of a sale.

    Attributes:
        item: What was sold.
        cents: For how much.
    """

    item: Item
    cents: int = 0


class SoldOutError(Exception):
    """Nothing is left.

    Args:
        item: What was asked for.
    """

    def __init__(self, item: Item) -> None:
        self.item = item
        super().__init__(f"no {item} is left")
'''

SHOP = '''"""The shop, `ctx.shop`."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field
from toolset import Context, Service
from typing_extensions import deprecated

from pkg.events import asked, checked, closed, found, priced
from pkg.records import Item, Receipt, SoldOutError, Terms

__all__ = ["Shop"]


class Shop(Service, key="shop"):
    """Sell items.

    Prices are in cents.
    """

    class Config(BaseModel):
        """How the shop is run."""

        model_config = ConfigDict(extra="forbid")

        name: str = Field("Shop", min_length=1, description="What stands over the door.")
        discount: float = Field(default=0, ge=0, lt=1, description="Part that is let off.")
        open_at: int = Field(8, alias="openAt", description="Hour of the day.")

    currency: ClassVar[str] = "EUR"
    """Which money is taken."""

    def __init__(self, ctx: Context, config: Config | None = None) -> None:
        super().__init__(ctx, config)
        used = config or self.Config()
        self._name = (used.name, used.discount, used.open_at)

    async def sell(self, item: Item, /, count: int = 1, *, terms: Terms | None = None) -> Receipt:
        """Sell an item.

        The buyer gets a receipt.

        Args:
            item: What to sell.
            count: How many of it.
            terms: When to pay; at once when None.

        Returns:
            The receipt.

        Raises:
            SoldOutError: There is none left.
            ValueError: The count is not positive.
        """
        if self.ctx.bail(asked, item) is False:
            raise SoldOutError(item)

        async def listed(item: Item) -> int:
            return 100

        cents = await self.ctx.waterfall(priced, item, listed)
        receipt = Receipt(item, cents * count)
        await self.ctx.parallel(checked, receipt)
        return receipt

    async def find(self, name: str) -> Item | None:
        """Find an item by name.

        Args:
            name: Its name.

        Returns:
            The item, None when there is none.
        """
        item = await self.ctx.serial(found, name)
        return item

    async def browse(self, *colours: str, **options: int) -> AsyncIterator[Item]:
        """Go through all items.

        Args:
            *colours: Only these.
            **options: How to go.

        Yields:
            One item after the other.
        """
        for colour in colours:
            yield Item(colour)

    @contextmanager
    def reserve(self, item: Item) -> Iterator[Receipt]:
        """Keep an item back.

        Args:
            item: Which one.

        Yields:
            A receipt to be.
        """
        yield Receipt(item)

    @property
    def title(self) -> str:
        """What stands over the door."""
        title = str(self._name)
        return title

    def refusal(self) -> SoldOutError | None:
        """Tell what was refused last.

        Returns:
            The error, None when nothing was.
        """
        refused = None
        return refused

    @classmethod
    def parse(cls, text: str) -> Item:
        """Read an item.

        Args:
            text: Its name.

        Returns:
            The item.
        """
        name = text.strip()
        return Item(name)

    @staticmethod
    def total(cents: list[int]) -> int:
        """Add up.

        Args:
            cents: Prices.

        Returns:
            Their sum.
        """
        result = sum(cents)
        return result

    @deprecated("Use sell.")
    def give(self, item: Item) -> None:
        """Give an item away.

        Args:
            item: Which one.
        """

    def close(self, reason: str) -> None:
        """Close the shop.

        Args:
            reason: Why.
        """
        self.ctx.emit(closed, reason)
'''

VISITOR = '''"""Looks at the shop and its hours."""

from __future__ import annotations

from toolset import Context

from pkg.events import closed

__all__ = ["apply", "inject", "name"]

name = "visitor"
inject = ["shop"]


def apply(ctx: Context) -> None:
    """Listen."""

    def leave(reason: str, hours: float = 1.5) -> None:
        print(reason)

    ctx.on(closed, leave)
    ctx.shop.close("late")
'''

FILES = {"events.py": EVENTS, "records.py": RECORDS, "shop.py": SHOP, "visitor.py": VISITOR}

# What no operator makes: text, its replacement, and the kind of fact.
BY_HAND = [
    ("visitor.py", 'inject = ["shop"]', 'inject = {"optional": ["shop"]}', "optional inject"),
    ("visitor.py", "    ctx.on(closed, leave)\n", "", "listener"),
    ("visitor.py", "def leave(", "def part(", "listener"),
    ("visitor.py", "ctx.on(closed, leave)", "ctx.on(closed, print)", "listener"),
    ("shop.py", "        self.ctx.emit(closed, reason)\n", "", "dispatch"),
    ("shop.py", "self.ctx.emit(closed, reason)", "self.ctx.bail(closed, reason)", "dispatch"),
    ("shop.py", "        await self.ctx.parallel(checked, receipt)\n", "", "dispatch"),
    ("shop.py", "class Shop(Service,", "class Shop(Item, Service,", "base"),
    ("records.py", "class SoldOutError(Exception)", "class SoldOutError(ValueError)", "base"),
    ("records.py", "    BLUE = ", "    GREEN = ", "enum member"),
    ("records.py", '    BLUE = "blue"\n', "", "enum member"),
    (
        "records.py",
        "    item: Item\n    cents: int = 0",
        "    cents: int\n    item: Item",
        "field order",
    ),
    ("records.py", "    cash: bool\n", "", "field"),
    ("records.py", "frozen=True", "frozen=True, kw_only=True", "constructor"),
    ("shop.py", "    @property\n", "    @functools.cached_property\n", "property kind"),
    (
        "shop.py",
        "    @contextmanager\n    def",
        "    @asynccontextmanager\n    async def",
        "manager",
    ),
    ("shop.py", "            ValueError: The count is not positive.\n", "", "raises"),
    ("shop.py", "ValueError: The", "TypeError: The", "raises"),
    ("shop.py", "item: Item, /, count", "item: Item, count", "parameter kind"),
    ("shop.py", "count: int = 1, *, terms", "count: int = 1, terms", "parameter kind"),
    ("shop.py", "*colours: str, **options: int", "*colours: str", "parameter"),
]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Build]:
    """Build the project with one file changed; what is read of other packages is read once."""
    root = make_project(tmp_path_factory.mktemp("mutations"), dict(FILES))
    config = read_config(root)._replace(boot=False, catalogs=("toolset.api_catalog",))
    sources = find_sources(config)
    laid_out: dict[str, str] = {}
    known: dict[tuple[str, str], ReadResult] = {}
    read = external._READ

    def read_once(file: SourceFile) -> ReadResult:
        key = (file.path, file.sha256)
        if key not in known:
            known[key] = read(file)
        return known[key]

    def judge(name: str, text: str, pages: str = config.pages) -> Build:
        files = [
            file._replace(data=text.encode()) if file.path == f"src/pkg/{name}" else file
            for file in sources.files
        ]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(external, "_READ", read_once)
            wanted = config._replace(pages=pages)
            return build(wanted, sources._replace(files=tuple(files)), laid_out)

    return judge


@pytest.fixture(scope="module")
def fresh(judged: Callable[[str, str], Build]) -> Build:
    """What the unchanged project comes to."""
    built = judged("shop.py", SHOP)
    assert not built.diagnostics
    return built


def every(operator: Callable[[str], object]) -> list[tuple[str, Mutation]]:
    return [(name, item) for name, text in FILES.items() for item in operator(text)]  # type: ignore[attr-defined]


def all_changes() -> list[tuple[str, Mutation]]:
    by_hand = []
    for name, old, new, kind in BY_HAND:
        assert FILES[name].count(old) == 1, old
        by_hand.append((name, Mutation(kind, old, FILES[name].replace(old, new))))
    return [*every(changes), *by_hand]


def test_every_changed_fact_is_seen(judged: Callable[..., Build], fresh: Build) -> None:
    """Each of hundreds of changes makes artifacts stale or is a violation, and none goes unseen."""
    seen: Counter[str] = Counter()
    stale = 0
    unseen: list[str] = []
    for name, item in all_changes():
        built = judged(name, item.text, "")  # most can be seen without the pages, which take longer
        changed = any(fresh.artifacts[path] != data for path, data in built.artifacts.items())
        if not (changed or built.at_fault):
            built = judged(name, item.text)
            changed = built.artifacts != fresh.artifacts
        if not (changed or built.at_fault):
            unseen.append(f"{name}: {item.kind}: {item.where}")
        stale += changed and not built.at_fault
        seen[item.kind] += 1
    assert not unseen
    assert sum(seen.values()) >= 300, seen
    assert stale >= 150
    assert len(seen) >= 40, sorted(seen)


def test_harmless_edits_are_not_seen(judged: Callable[[str, str], Build], fresh: Build) -> None:
    """Comments, blank lines, private code, bodies and formatting leave every artifact as it is."""
    edits = every(harmless)
    for name, text in FILES.items():
        for width in (60, 79, 120):
            mode = black.Mode(line_length=width)
            edits.append((name, Mutation("black", str(width), black.format_str(text, mode=mode))))
        edits.append((name, Mutation("line ends", "CRLF", text.replace("\n", "\r\n"))))
        edits.append((name, Mutation("byte-order mark", "", f"\ufeff{text}")))
    red = [
        f"{name}: {item.kind}: {item.where}: {built.diagnostics}"
        for name, item in edits
        if (built := judged(name, item.text)) != fresh
    ]
    assert not red
    assert len(edits) >= 100


TOOL = '''"""A tool."""

from typing import Literal

from toolset import Context, tool

inject = ["tools"]


@tool
async def paint(colour: Literal["red", "blue"], times: int = 1) -> int:
    """Paint something.

    Args:
        colour: Which colour.
        times: How often.
    """
    return times


def apply(ctx: Context) -> None:
    """Register it."""
    ctx.tools.register(paint)
'''

REGISTRY = '''"""Gives the registry."""

from toolset import Context
from toolset.services.tools import ToolRegistry

provides = ["tools"]


def apply(ctx: Context) -> None:
    """Provide it."""
    ctx.provide("tools", ToolRegistry(ctx))
'''


def test_changed_tools_are_seen(tmp_path: Path) -> None:
    """What a model is told of a tool is compared as well: it is booted and asked."""
    root = make_project(tmp_path, {"paint.py": TOOL, "registry.py": REGISTRY})
    assert run_catalog(root, "generate").returncode == 0
    source = root / "src/pkg/paint.py"
    for old, new, code in [
        ("Paint something.", "Paint everything.", 1),
        ("Which colour.", "The colour.", 1),
        ('"red", "blue"', '"red", "green"', 1),
        ("times: int = 1", "times: int = 2", 1),
        ("-> int", "-> float", 1),
        ("async def paint", "async def paint_it", 3),
        ("    return times", "    return times + 1", 0),
        ("@tool", "# A comment.\n@tool", 0),
    ]:
        assert TOOL.count(old) == 1
        source.write_text(TOOL.replace(old, new))
        assert run_catalog(root, "verify").returncode == code, old
