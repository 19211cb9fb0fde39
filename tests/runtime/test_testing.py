"""The public helpers for tests say what they should, and fail when they should."""

from __future__ import annotations

import asyncio

import pytest

from toolset import Context
from toolset.runtime import SettleTimeoutError
from toolset.testing import ManualClock, assert_no_leaks, leaks, snapshot, wait_quiet

pytest_plugins = ["pytester"]


def test_snapshots_compare(run):
    """Two snapshots are equal exactly when nothing but numbers differs."""

    def plugin(ctx):
        ctx.on("a/b", print)

    async def main():
        async with Context() as ctx:
            empty = snapshot(ctx)
            fiber = await ctx.plugin(plugin)
            full = snapshot(ctx)
            assert full != empty
            await fiber.dispose()
            assert snapshot(ctx) == empty
            await ctx.plugin(plugin)
            assert snapshot(ctx) == full

    run(main())


def test_leaks_are_listed(run):
    """What a block leaves behind is listed."""

    async def main():
        async with Context() as ctx:
            async with assert_no_leaks(ctx):
                await ctx.provide("gone", 1).dispose()
            with pytest.raises(AssertionError, match=r"services: added \('left', 'root'\)"):
                async with assert_no_leaks(ctx):
                    ctx.provide("left", 1)
            assert "  service 'left' of <root>" in leaks(ctx)
        assert leaks(ctx) == ()

    run(main())


def test_late_fibers_are_named(run):
    """Waiting for quiet names the fiber that does not come to rest."""

    async def stuck(ctx):
        await asyncio.Event().wait()

    async def main():
        async with Context(stop_grace=0) as ctx:
            ctx.plugin(stuck)
            with pytest.raises(SettleTimeoutError, match="<stuck> is still loading"):
                await wait_quiet(ctx, timeout=0.01)

    run(main())


def test_clock_calls_in_order(run):
    """A manual clock makes calls at their time, in order, and not those taken back."""
    seen = []

    async def main():
        clock = ManualClock(10)
        clock.call_at(12, lambda: seen.append(clock.time()))
        clock.call_at(11, lambda: seen.append(clock.time()))
        clock.call_at(11.5, lambda: seen.append("never")).cancel()
        clock.call_at(5, lambda: seen.append(clock.time()))
        await clock.advance(1)
        assert seen == [10, 11]
        assert clock.waiting == 1
        await clock.advance(5)
        assert (seen, clock.time()) == ([10, 11, 12], 16)

    run(main())


def test_fixture_fails_for_leaks(pytester):
    """The fixture passes a test that disposes its root and fails one that does not."""
    pytester.makeconftest('pytest_plugins = ["toolset.pytest_plugin"]')
    pytester.makepyfile(
        """
        import asyncio
        from toolset import Context

        def test_clean(leak_check):
            async def main():
                async with leak_check(Context()) as ctx:
                    await ctx.plugin(lambda c: c.provide("thing", 1) and None)
            asyncio.run(main())

        def test_leaky(leak_check):
            ctx = leak_check(Context())
            ctx.provide("thing", 1)
        """
    )
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-W", "ignore")
    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(["*service 'thing' of <root>*"])
