"""Fixtures of the tests of compositions."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from composing import Composition, module


@pytest.fixture
def composition(tmp_path: Path) -> Composition:
    """Give a composition whose file does not exist yet."""
    return Composition(tmp_path)


@pytest.fixture
def plugins() -> Iterator[Callable[..., ModuleType]]:
    """Put modules where compositions find them, until the test ends."""
    before = dict(sys.modules)
    yield module
    for name in set(sys.modules) - set(before):
        if not name.startswith("toolset"):
            del sys.modules[name]
