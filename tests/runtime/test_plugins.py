"""The accepted forms of a plugin, their metadata and configuration."""

from __future__ import annotations

import re
import types

import pytest
from pydantic import BaseModel, ConfigDict, Field, field_validator

from toolset import Context, Service
from toolset.runtime import ConfigError, PluginTypeError
from toolset.testing import snapshot


def form_function(log):
    def plugin(ctx):
        log.append("run")
        ctx.effect(lambda: lambda: log.append("undo"))

    return plugin


def form_function_with_config(log):
    def plugin(ctx, config):
        log.append("run")
        assert config == {"a": 1}
        ctx.effect(lambda: lambda: log.append("undo"))

    return plugin


def form_coroutine(log):
    async def plugin(ctx):
        log.append("run")
        ctx.effect(lambda: lambda: log.append("undo"))

    return plugin


def form_generator(log):
    def plugin(ctx):
        log.append("run")
        yield lambda: log.append("undo")

    return plugin


def form_async_generator(log):
    async def plugin(ctx):
        log.append("run")
        yield lambda: log.append("undo")

    return plugin


def form_class(log):
    class Plugin:
        def __init__(self, ctx, config):
            log.append("run")
            ctx.effect(lambda: lambda: log.append("undo"))

    return Plugin


def form_object(log):
    class Holder:
        name = "holder"

        def apply(self, ctx):
            log.append("run")
            ctx.effect(lambda: lambda: log.append("undo"))

    return Holder()


def form_module(log):
    module = types.ModuleType("mod")
    module.apply = form_function(log)
    return module


def form_bound_method(log):
    return form_object(log).apply


@pytest.mark.parametrize(
    "form",
    [
        form_function,
        form_function_with_config,
        form_coroutine,
        form_generator,
        form_async_generator,
        form_class,
        form_object,
        form_module,
        form_bound_method,
    ],
)
def test_every_form_runs(run, form):
    """Each accepted form runs once when mounted and is undone when disposed."""
    log = []

    async def main():
        async with Context() as ctx:
            config = {"a": 1} if form is form_function_with_config else None
            fiber = ctx.plugin(form(log), config)
            assert await fiber is fiber
            assert fiber.state == "active"
            assert log == ["run"]
            await fiber.dispose()
            assert log == ["run", "undo"]
            assert fiber.state == "disposed"

    run(main())


@pytest.mark.parametrize("thing", [None, 3, "fs", object(), types.ModuleType("empty"), {"a": 1}])
def test_other_things_refused(run, thing):
    """What is no plugin is refused at once, naming what came and the accepted forms."""

    async def main():
        async with Context() as ctx:
            with pytest.raises(PluginTypeError, match="a plugin is a function"):
                ctx.plugin(thing)
            assert [f.name for f in ctx.registry.fibers()] == ["root"]

    run(main())


def test_arity_is_checked_early(run):
    """A function that cannot be called with a context is refused when mounted."""

    async def main():
        async with Context() as ctx:
            with pytest.raises(PluginTypeError, match="called with"):
                ctx.plugin(lambda: None)

    run(main())


def test_display_names(run):
    """The name is `name`, else the function or class name, else anonymous."""

    def plain(ctx):
        pass

    class Klass:
        def __init__(self, ctx):
            pass

    def named(ctx):
        pass

    named.name = "my-name"

    async def main():
        async with Context() as ctx:
            names = [ctx.plugin(p).name for p in (plain, Klass, named, lambda _: None)]
            assert names == ["plain", "Klass", "my-name", "<anonymous>"]

    run(main())


@pytest.mark.parametrize("inject", ["fs", 3, ["a", 4], {"required": "fs"}, ["no-key!"]])
def test_malformed_inject_refused(run, inject):
    """An inject that is no list of keys is refused, saying how to write it."""

    def plugin(ctx):
        pass

    plugin.inject = inject

    async def main():
        async with Context() as ctx:
            with pytest.raises(PluginTypeError, match="inject"):
                ctx.plugin(plugin)

    run(main())


class Nested(BaseModel):
    """Inner."""

    depth: int = 1


class Config(BaseModel):
    """Outer."""

    model_config = ConfigDict(populate_by_name=True)
    timeout: float = Field(1.0, gt=0)
    label: str = Field("x", alias="title")
    nested: Nested = Nested()
    many: list[Nested] = Field(default_factory=list)


def configured(ctx, config):
    ctx.provide("seen", config)


configured.Config = Config


def test_config_reaches_apply(run):
    """Apply receives an instance of the model with its defaults."""

    async def main():
        async with Context() as ctx:
            fiber = await ctx.plugin(configured, {"title": "t", "nested": {"depth": 4}})
            assert fiber.config == Config(title="t", nested=Nested(depth=4))
            assert ctx.get("seen") is fiber.config

    run(main())


@pytest.mark.parametrize(
    ("given", "texts"),
    [
        ({"timeot": 2}, ["timeot", "did you mean 'timeout'"]),
        ({"timeout": -1, "nested": {"depth": "x"}}, ["timeout", "nested.depth"]),
        ({"nested": {"dept": 2}}, ["nested.dept", "did you mean 'depth'"]),
        ({"many": [{"depth": 1}, {"deep": 1}]}, ["many[1].deep"]),
        ({"timeout": -1, "labl": 2}, ["timeout", "labl"]),
        ([1], ["expected a mapping"]),
    ],
)
def test_invalid_config_fails(run, given, texts):
    """A configuration that does not fit fails the fiber, lists every violation, and never runs it."""

    async def main():
        async with Context() as ctx:
            fiber = ctx.plugin(configured, given)
            with pytest.raises(ConfigError) as caught:
                await fiber
            assert fiber.state == "failed"
            assert ctx.get("seen") is None
            for text in texts:
                assert text in str(caught.value)

    run(main())


def test_update_is_validated_first(run):
    """A refused update leaves the running instance; an accepted one runs the plugin again."""
    runs = []

    def plugin(ctx, config):
        runs.append(config.timeout)

    plugin.Config = Config

    async def main():
        async with Context() as ctx:
            fiber = await ctx.plugin(plugin)
            with pytest.raises(ConfigError):
                await fiber.update({"timeout": 0})
            assert fiber.state == "active"
            assert fiber.config.timeout == 1.0
            await fiber.update({"timeout": 3})
            assert runs == [1.0, 3.0]

    run(main())


def test_update_repairs_invalid_fiber(run):
    """A fiber that failed for its configuration runs once it is given a good one."""

    async def main():
        async with Context() as ctx:
            fiber = ctx.plugin(configured, {"nope": 1})
            with pytest.raises(ConfigError):
                await fiber
            await fiber.update({"timeout": 2})
            assert fiber.state == "active"
            assert fiber.error is None

    run(main())


def test_absent_config_leaves_default(run):
    """A second parameter with a default gets the configuration only when there is one."""
    seen = []

    def plugin(ctx, i=7):
        seen.append(i)

    def starred(ctx, *rest):
        seen.append(rest)

    async def main():
        async with Context() as ctx:
            await ctx.plugin(plugin)
            await ctx.plugin(plugin, {"a": 1})
            await ctx.plugin(starred)
            assert seen == [7, {"a": 1}, ()]

    run(main())


def test_malformed_config_mounts_nothing(run):
    """A `Config` that is no model is refused at once, and no fiber is left of it."""

    def plugin(ctx):
        raise AssertionError

    plugin.Config = 3

    async def main():
        async with Context() as ctx:
            before = snapshot(ctx)
            with pytest.raises(PluginTypeError, match="`Config` of plugin <plugin> is 3"):
                ctx.plugin(plugin)
            assert snapshot(ctx) == before

    run(main())


def test_raising_validator_fails_fiber(run):
    """A validator that raises anything makes the fiber fail for its configuration."""

    class Raising(BaseModel):
        @field_validator("*", mode="before")
        @classmethod
        def check(cls, value):
            raise KeyError(value)

        field: int = 0

    def plugin(ctx, config):
        raise AssertionError

    plugin.Config = Raising

    async def main():
        async with Context() as ctx:
            with pytest.raises(ConfigError, match="KeyError: 1"):
                await ctx.plugin(plugin, {"field": 1})
            assert ctx.fiber.children[-1].state == "failed"

    run(main())


def _unmade(start: object = None, parameters: str = "ctx") -> type[Service]:
    """Make a service class that forgets its base."""

    def init(self: Service, ctx: Context) -> None:
        self.a = 1

    def init_configured(self: Service, ctx: Context, config: object) -> None:
        self.a = config

    members: dict[str, object] = {"__init__": init if parameters == "ctx" else init_configured}
    if start is not None:
        members["start"] = start
    return types.new_class("P", (Service,), {"key": "pp"}, lambda space: space.update(members))


@pytest.mark.parametrize(
    ("service", "call"),
    [
        (_unmade(), "super().__init__(ctx)"),
        (_unmade(start=lambda self: self.ctx), "super().__init__(ctx)"),
        (_unmade(parameters="ctx, config"), "super().__init__(ctx, config)"),
    ],
    ids=["plain", "with start", "with config"],
)
def test_unmade_base_is_refused(run, service, call):
    """A service that forgets `super().__init__` fails where it is mounted, and is not provided."""

    async def main() -> None:
        async with Context() as ctx:
            fiber = ctx.plugin(service)
            with pytest.raises(PluginTypeError, match=re.escape(call)):
                await fiber
            assert fiber.state == "failed"
            assert ctx.get("pp") is None

    run(main())


class _Plain:
    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx


class _Bare(Service, key="bare"):
    def __init__(self, ctx: Context) -> None:
        super().__init__(ctx)


@pytest.mark.parametrize(
    "plugin",
    [lambda ctx: None, _Plain, _Bare, types.SimpleNamespace(apply=lambda ctx: None)],
    ids=["function", "class", "service", "object"],
)
def test_useless_configuration_is_refused(run, plugin):
    """Configuration for a plugin that takes none is refused, at mounting and at an update."""

    async def main() -> None:
        async with Context() as ctx:
            with pytest.raises(ConfigError, match="takes none"):
                await ctx.plugin(plugin, {"tok": 1})
        async with Context() as ctx:
            fiber = await ctx.plugin(plugin, {})  # empty is none
            with pytest.raises(ConfigError, match="takes none"):
                await fiber.update({"tok": 1})
            assert fiber.state == "active"

    run(main())


def test_raw_configuration_stays_raw(run):
    """A function that takes a configuration without a model gets what was given."""

    async def main() -> None:
        seen: list[object] = []
        async with Context() as ctx:
            await ctx.plugin(lambda ctx, config: seen.append(config), {"tok": 1})
        assert seen == [{"tok": 1}]

    run(main())
