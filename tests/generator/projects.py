"""Small projects on disk, for tests of the gate."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from click.testing import CliRunner

from toolset_gen.build import Build, build
from toolset_gen.commands import catalog
from toolset_gen.config import read_config
from toolset_gen.gate import find_sources

HEAD = """\
[tool.toolset.catalog]
packages = ["pkg"]
runtime = "src/pkg/api_catalog.py"
pages = "catalog"
typed-context = "src/pkg/typed_context.py"
catalogs = []
"""

SHOP = '''\
"""A shop."""

from pydantic import BaseModel, Field

from toolset import Context, Service, event, tool


@event("shop/sold", mode="emit")
def sold(item: str) -> None:
    """An item was sold.

    Args:
        item: What was sold.
    """


class Shop(Service, key="shop"):
    """Sell things."""

    async def sell(self, item: str, *, price: int | None = None) -> int:
        """Sell one item.

        Args:
            item: What to sell.
            price: In cents; the list price when None.

        Returns:
            What was paid, in cents.
        """
        self.ctx.emit(sold, item)
        return price or 100


class Config(BaseModel):
    """How to buy."""

    limit: int = Field(3, ge=1, description="Items at once.")


@tool
async def count_letters(text: str) -> int:
    """Count letters.

    Args:
        text: Where to count.
    """
    return len(text)


inject = ["shop", "tools"]


def apply(ctx: Context, config: Config) -> None:
    """Buy things."""
    assert config.limit > 0
    ctx.tools.register(count_letters)
'''

NAME_OF_JSON = "catalog/api-catalog.json"

# A stand-in for the plugin that the toolset's own catalog would name.
REGISTRY = '''\
"""Provides the tool registry."""

from toolset import Context
from toolset.services.tools import ToolRegistry

provides = ["tools"]


def apply(ctx: Context) -> None:
    """Provide the registry."""
    ctx.provide("tools", ToolRegistry(ctx))
'''


def make_project(root: Path, files: dict[str, str | bytes] | None = None, extra: str = "") -> Path:
    """Write a project whose package is `pkg`; `files` are relative to its folder."""
    package = root / "src" / "pkg"
    package.mkdir(parents=True)
    (root / "pyproject.toml").write_text(HEAD + extra)
    content: dict[str, str | bytes] = {"__init__.py": '"""A package."""\n', **(files or {})}
    for name, text in content.items():
        target = package / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text if isinstance(text, bytes) else text.encode())
    return root


def shop(root: Path, extra: str = "") -> Path:
    """Write the project that is used where any will do: a service, an event, a plugin and a tool."""
    return make_project(root, {"shop.py": SHOP, "registry.py": REGISTRY}, extra)


def build_project(root: Path) -> Build:
    """Build a project's artifacts in memory."""
    config = read_config(root)
    return build(config, find_sources(config))


class Done(NamedTuple):
    """How a command ended."""

    returncode: int
    stdout: str
    stderr: str


def run_catalog(root: Path, command: str, *arguments: str) -> Done:
    """Run `toolset catalog` on a project, in this process."""
    where = [] if command == "explain" else ["--root", str(root)]
    done = CliRunner().invoke(catalog, [command, *where, *arguments])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return Done(done.exit_code, done.stdout, done.stderr)


def spawn_catalog(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `toolset catalog` in a project, as a user does."""
    return subprocess.run(
        [sys.executable, "-m", "toolset.cli", "catalog", *arguments],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
