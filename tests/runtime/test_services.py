"""Providing, reading, views, scopes, layers and computed members."""

from __future__ import annotations

import asyncio

import pytest

from toolset import Context, Service
from toolset.runtime import DuplicateServiceError, ServiceAccessError, ServiceKeyError


class Counter(Service, key="counter"):
    """Counts, and knows who asked."""

    def __init__(self, ctx, config=None):
        super().__init__(ctx, config)
        self.count = 0
        self.readers = []

    def add(self):
        self.count += 1
        self.readers.append(self.caller.fiber.name)
        return self.count

    def hold(self, log):
        return self.caller.effect(lambda: lambda: log.append("released"), "held")


def reader(seen, name="reader"):
    def plugin(ctx):
        seen.append(ctx.counter)
        ctx.counter.add()

    plugin.inject, plugin.name = ["counter"], name
    return plugin


def test_views_share_state(run):
    """Each reader gets a view that shares the state, knows its reader, and is the same when read twice."""
    seen = []

    async def main():
        async with Context() as ctx:
            await ctx.plugin(Counter)
            await ctx.plugin(reader(seen, "one"))
            await ctx.plugin(reader(seen, "two"))
            one, two = seen
            assert isinstance(one, Counter)
            assert one is not two
            assert (one.count, two.count) == (2, 2)
            one.count = 10
            assert two.count == 10
            assert two.readers == ["one", "two"]
            assert ctx.counter is ctx.counter
            assert ctx.counter.ctx.fiber.name == "Counter"

    run(main())


def test_caller_owns_effects(run):
    """An effect that a method creates for its caller is undone with the caller."""
    log = []

    def plugin(ctx):
        ctx.counter.hold(log)

    plugin.inject = ["counter"]

    async def main():
        async with Context() as ctx:
            service = await ctx.plugin(Counter)
            fiber = await ctx.plugin(plugin)
            assert [info.label for info in fiber.effects()] == ["held"]
            assert [info.label for info in service.effects()] == ["ctx.provide('counter')"]
            await fiber.dispose()
            assert log == ["released"]

    run(main())


@pytest.mark.parametrize("kind", ["plain", "coroutine", "generator", "async generator", "none"])
def test_start_before_provide(run, kind):  # noqa: C901 - a class a form
    """A service is provided once its start is done, whatever form it has, and stopped after its consumers."""
    log = []

    class Base(Service):
        pass

    if kind == "plain":

        class Made(Base, key="made"):
            def start(self):
                log.append("start")
                return lambda: log.append("stop")

    elif kind == "coroutine":

        class Made(Base, key="made"):
            async def start(self):
                await asyncio.sleep(0)
                log.append("start")
                return lambda: log.append("stop")

    elif kind == "generator":

        class Made(Base, key="made"):
            def start(self):
                log.append("start")
                yield lambda: log.append("stop")

    elif kind == "async generator":

        class Made(Base, key="made"):
            async def start(self):
                await asyncio.sleep(0)
                log.append("start")
                yield lambda: log.append("stop")

    else:

        class Made(Base, key="made"):
            def __init__(self, ctx):
                super().__init__(ctx)
                log.append("start")
                ctx.effect(lambda: lambda: log.append("stop"))

    def consumer(ctx):
        log.append("up")
        yield lambda: log.append("down")

    consumer.inject = ["made"]

    async def main():
        async with Context() as ctx:
            fiber = ctx.plugin(consumer)
            await ctx.plugin(Made)
            await fiber
            assert log == ["start", "up"]
        assert log[-2:] == ["down", "stop"]

    run(main())


def test_service_without_key_refused(run):
    """A service class without a key is refused, saying how to give it one."""

    class Keyless(Service):
        pass

    async def main():
        async with Context() as ctx:
            with pytest.raises(TypeError, match=r'class Keyless\(Service, key="..."\)'):
                ctx.plugin(Keyless)

    run(main())


def test_plain_objects_are_services(run):
    """An object of any class can be provided; readers get it as it is."""
    thing = {"a": 1}

    async def main():
        async with Context() as ctx:
            ctx.provide("thing", thing)
            assert ctx.thing is thing
            assert ctx.get("thing") is thing

    run(main())


def test_second_provider_refused(run):
    """A second provider of a key is refused, naming both, and nothing of it stays."""

    def greeter(ctx):
        ctx.provide("greeter", 1)

    greeter.name = "greeter-provider"

    def other(ctx):
        ctx.on("a/b", print)
        ctx.provide("greeter", 2)

    async def main():
        async with Context() as ctx:
            await ctx.plugin(greeter)
            fiber = ctx.plugin(other)
            with pytest.raises(DuplicateServiceError) as caught:
                await fiber
            assert str(caught.value) == (
                'service "greeter" is already provided by <greeter-provider>; '
                "<other> cannot provide it too"
            )
            assert ctx.get("greeter") == 1
            assert fiber.effects() == ()
            assert ctx.registry.events() == ()

    run(main())


@pytest.mark.parametrize("key", ["plugin", "_x", "a-b", "", "emit", 3, "config"])
def test_impossible_keys_refused(run, key):
    """A key that could never be read as a member of a context is refused."""

    async def main():
        async with Context() as ctx:
            with pytest.raises(ServiceKeyError, match="cannot be a service key"):
                ctx.provide(key, 1)
            assert list(ctx.registry.table) == []

    run(main())


def caught_by(plugin):
    """Run a plugin and give the text of the access error it meets."""
    texts = []

    async def probe(ctx):
        try:
            plugin(ctx)
        except AttributeError as error:
            texts.append(str(error))

    probe.inject = getattr(plugin, "inject", [])
    probe.name = "probe"
    return probe, texts


def test_undeclared_read_teaches(run):
    """Reading a live service without injecting it says which line to write."""
    probe, texts = caught_by(lambda ctx: ctx.thing)

    async def main():
        async with Context() as ctx:
            ctx.provide("thing", 1)
            await ctx.plugin(probe)

    run(main())
    assert texts == [
        (
            "service \"thing\" is not injected by plugin <probe>; add 'thing' to its `inject`, "
            "or read it with ctx.get('thing')"
        )
    ]


def test_misspelt_read_teaches(run):
    """Reading a service that does not exist names the nearest that does."""
    probe, texts = caught_by(lambda ctx: ctx.thnig)
    probe2, texts2 = caught_by(lambda ctx: ctx.emitt)

    async def main():
        async with Context() as ctx:
            ctx.provide("thing", 1)
            await ctx.plugin(probe)
            await ctx.plugin(probe2)

    run(main())
    assert "did you mean ctx.thing?" in texts[0]
    assert "did you mean ctx.emit?" in texts2[0]


def test_optional_absent_read_teaches(run):
    """Reading an optional service that is not there says to use get."""
    plugin = lambda ctx: ctx.db  # noqa: E731
    probe, texts = caught_by(plugin)
    probe.inject = {"optional": ["db"]}

    async def main():
        async with Context() as ctx:
            await ctx.plugin(probe)

    run(main())
    assert "ctx.get('db')" in texts[0]


def test_hasattr_and_getattr_work(run):
    """Absence is an AttributeError, so that hasattr and getattr with a default work."""

    async def main():
        async with Context() as ctx:
            assert not hasattr(ctx, "nothing")
            assert getattr(ctx, "nothing", 3) == 3
            assert not hasattr(ctx, "__wrapped__")

    run(main())


def test_children_inherit_injects(run):
    """What an ancestor injects may be read below it; what a sibling injects may not."""
    seen = []

    def child(ctx):
        seen.append(ctx.thing)

    def parent(ctx):
        ctx.plugin(child)

    parent.inject = ["thing"]

    async def main():
        async with Context() as ctx:
            ctx.provide("thing", 1)
            await ctx.plugin(parent)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            assert seen == [1]
            lone = ctx.plugin(child)
            with pytest.raises(ServiceAccessError):
                await lone

    run(main())


def test_provider_reads_itself_while_loading(run):
    """A fiber may read what it provides before it is active; others may not."""
    seen = []

    async def provider(ctx):
        ctx.provide("thing", 1)
        seen.append((ctx.thing, ctx.get("thing"), ctx.root.get("thing")))

    async def main():
        async with Context() as ctx:
            await ctx.plugin(provider)
            assert seen == [(1, 1, None)]
            assert ctx.thing == 1

    run(main())


def test_isolated_slots(run):
    """Isolated contexts have a slot of their own; one label shares it."""

    async def main():
        async with Context() as ctx:
            ctx.provide("thing", "root")
            own, left, right = (
                ctx.isolate("thing"),
                ctx.isolate("thing", "shared"),
                ctx.isolate("thing", "shared"),
            )
            assert own.get("thing") is None
            left.provide("thing", "shared")
            assert (ctx.thing, right.get("thing"), own.get("thing")) == ("root", "shared", None)
            seen = []

            def consumer(inner):
                seen.append(inner.thing)

            consumer.inject = ["thing"]
            await right.plugin(consumer)
            pending = await own.plugin(consumer)
            assert seen == ["shared"]
            assert pending.missing() == ("thing",)

    run(main())


def test_layers_inner_over_outer(run):
    """Intercepted configuration reaches a service through its caller, outer layer first."""

    class Http(Service, key="http"):
        def options(self):
            merged = {}
            for layer in self.caller.intercepted("http"):
                merged.update(layer)
            return merged

    def plugin(ctx):
        ctx.provide("found", ctx.http.options())

    plugin.inject = {"http": {"retries": 3}}

    async def main():
        async with Context() as ctx:
            await ctx.plugin(Http)
            outer = ctx.intercept("http", {"timeout": 1, "retries": 1})
            await outer.plugin(plugin)
            assert ctx.get("found") == {"timeout": 1, "retries": 3}
            assert ctx.http.options() == {}

    run(main())


def test_check_decides_per_reader(run, caplog):
    """A check decides for each reader; one that raises offers nothing and is reported."""

    def consumer(ctx):
        pass

    consumer.inject = ["guarded"]

    async def main():
        async with Context() as ctx:
            ctx.provide("guarded", 1, check=lambda reader: reader.fiber.name != "denied")
            denied = type("denied", (), {"inject": ["guarded"], "__init__": lambda self, ctx: None})
            assert (await ctx.plugin(denied)).state == "pending"
            assert (await ctx.plugin(consumer)).state == "active"

    run(main())

    async def failing():
        async with Context() as ctx:

            def check(_):
                raise OSError("broken check")

            ctx.provide("guarded", 1, check=check)
            assert (await ctx.plugin(consumer)).state == "pending"
            other = await ctx.plugin(lambda _: None)
            assert other.ctx.get("guarded", "none") == "none"

    run(failing())
    assert "check of service" in caplog.text


def test_accessors_and_mixins(run):
    """Computed members and forwarded ones appear on every context and go with their owner."""
    store = {}

    class Timer(Service, key="clock"):
        def now(self):
            return self.caller.fiber.name

    def plugin(ctx):
        ctx.accessor("answer", lambda c: 42)
        ctx.accessor("kept", lambda c: store.get("v"), lambda c, v: store.update(v=v))
        ctx.mixin("clock", ["now"])

    async def main():
        async with Context() as ctx:
            await ctx.plugin(Timer)
            fiber = await ctx.plugin(plugin)
            assert ctx.answer == 42
            ctx.kept = 5
            assert ctx.kept == 5
            assert ctx.now() == "root"
            with pytest.raises(AttributeError, match="cannot be assigned"):
                ctx.answer = 1
            with pytest.raises(ServiceKeyError):
                ctx.provide("answer", 1)
            await fiber.dispose()
            assert not hasattr(ctx, "answer")
            assert not hasattr(ctx, "now")

    run(main())


def test_inject_callback(run):
    """A callback runs as a child fiber while its services are available."""
    log = []

    async def main():
        async with Context() as ctx:

            def callback(inner):
                log.append(inner.thing)
                yield lambda: log.append("gone")

            fiber = ctx.inject(["thing"], callback)
            await fiber
            assert fiber.parent is ctx.fiber
            effect = ctx.provide("thing", 1)
            await fiber
            await effect.dispose()
            assert log == [1, "gone"]
            assert fiber.state == "pending"

    run(main())


def test_service_subclass_with_own_attributes(run):
    """A view of a service with properties and private names behaves like the service."""

    class Deep(Service, key="deep"):
        def __init__(self, ctx):
            super().__init__(ctx)
            self.__secret = [1]

        @property
        def secret(self):
            return self.__secret

    async def main():
        async with Context() as ctx:
            await ctx.plugin(Deep)
            ctx.deep.secret.append(2)
            assert ctx.deep.secret == [1, 2]

    run(main())
