"""What type checkers know of contexts, fibers and services: checked by `nox -s typing`, never run."""

from __future__ import annotations

import asyncio
from typing import assert_type

from pydantic import BaseModel

from toolset import Context, Fiber, Service
from toolset.runtime import Effect, FiberState


class Greeter(Service, key="greeter"):
    """Greets."""

    def greet(self, name: str) -> str:
        """Greet somebody."""
        return f"hello {name}"


async def work() -> int:
    """Count to one."""
    return 1


async def contexts(ctx: Context) -> None:
    """A context's own members are typed; a service that nothing declares is an error."""
    assert_type(ctx.root, Context)
    assert_type(ctx.fiber, Fiber)
    assert_type(ctx.effect(lambda: None), Effect)
    assert_type(ctx.provide("greeter", 1), Effect)
    assert_type(ctx.spawn(work()), asyncio.Task[int])
    assert_type(ctx.get("greeter"), object)
    async with Context() as root:
        assert_type(root, Context)
    ctx.greeter  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    ctx.provide(1, 1)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    ctx.spawn(work)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


async def fibers(ctx: Context) -> None:
    """Mounting gives the fiber, and waiting for it gives it again."""
    fiber = ctx.plugin(Greeter)
    assert_type(fiber, Fiber)
    assert_type(await fiber, Fiber)
    assert_type(fiber.state, FiberState)
    assert_type(fiber.missing(), tuple[str, ...])
    assert_type(fiber.why(), str)


def services(greeter: Greeter) -> None:
    """A service knows the context it was reached through."""
    assert_type(greeter.caller, Context)
    assert_type(greeter.greet("you"), str)
    greeter.greet(1)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


class GreeterConfig(BaseModel):
    """How to greet."""

    name: str = "you"


def configured(ctx: Context, config: GreeterConfig) -> None:
    """Take a context and a configuration."""


def bare(ctx: Context) -> None:
    """Take a context."""


class Holder:
    """A plugin that is an object."""

    def apply(self, ctx: Context, config: GreeterConfig) -> None:
        """Take a context and a configuration."""


def mounting(ctx: Context) -> None:
    """A configuration is a mapping or what the plugin takes; a plugin takes a context."""
    ctx.plugin(configured)
    ctx.plugin(configured, {"name": "me"})
    ctx.plugin(configured, GreeterConfig(name="me"))
    ctx.plugin(bare)
    ctx.plugin(Greeter)
    ctx.plugin(Holder(), GreeterConfig())
    ctx.plugin(lambda inner: inner.on("a/b", print))
    ctx.plugin(configured, 3)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType, reportCallIssue]
    ctx.plugin(configured, Holder())  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType, reportCallIssue]
    ctx.plugin(bare, GreeterConfig())  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType, reportCallIssue]
    ctx.plugin(3)  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType, reportCallIssue]
    ctx.plugin(lambda: None)  # type: ignore[arg-type, misc]  # pyright: ignore[reportArgumentType, reportCallIssue]
