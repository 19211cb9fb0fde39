"""A pytest fixture for tests of plugins; switch it on with `pytest_plugins = ["toolset.pytest_plugin"]`."""

# Maintainers: imports pytest, so nothing else imports it. What counts as a leak is testing.py's.

from __future__ import annotations

from collections.abc import Callable, Generator

import pytest

from toolset.runtime import Context
from toolset.testing import leaks

__all__ = ["leak_check"]


@pytest.fixture
def leak_check() -> Generator[Callable[[Context], Context]]:
    """Watch root contexts: each must be disposed when the test ends, and remember nothing.

    ```python
    def test_mounting(leak_check):
        async def main():
            async with leak_check(Context()) as ctx:
                await ctx.plugin(my_plugin)
    ```

    Yields:
        A function that takes a root context, watches it, and gives it back.

    Raises:
        AssertionError: Something was left; the message lists what.
    """
    watched: list[Context] = []

    def watch(ctx: Context) -> Context:
        watched.append(ctx)
        return ctx

    yield watch
    left = [line for ctx in watched for line in leaks(ctx)]
    if left:
        raise AssertionError("\n".join(["a runtime was left with:", *left]))
