"""The restricted context: what it gives, what it withholds, and that no road leads around it."""

from __future__ import annotations

import asyncio
import logging

import pytest
from mounting import Box, host, mounted, seen

from toolset import Context
from toolset.cordis.errors import FacadeError, MountError, MountTimeoutError
from toolset.cordis.facade import MountContext, facade
from toolset.cordis.membrane import Membrane
from toolset.services.timer import Timer

MEMBERS = [
    *("bail", "box", "config", "effect", "emit", "get", "logger", "on", "once", "parallel"),
    *("provide", "serial", "spawn", "tools", "waterfall"),
]


def told(run, body: str) -> str:
    """Run statements in a mount's `apply` and give the message of what they raise."""

    async def main() -> str:
        async with host() as root:
            with pytest.raises(Exception) as caught:  # noqa: PT011 - the text is what is tested
                await seen(root, body)
            return str(caught.value)

    return run(main())


def given(run, body: str) -> object:
    """Run statements in a mount's `apply` and give what they kept."""

    async def main() -> object:
        async with host() as root:
            return await seen(root, body)

    return run(main())


def test_dir_lists_reachable(run) -> None:
    """`dir(ctx)` lists what can be read, and each of it can."""
    body = "keep([name for name in dir(ctx) if getattr(ctx, name) is not None or name == 'config'])"
    assert given(run, body) == MEMBERS


@pytest.mark.parametrize(
    "name",
    [
        *("root", "fiber", "registry", "extend", "isolate", "intercept", "plugin", "mixin"),
        *("accessor", "parent", "inject", "dispose", "scope", "_fiber", "_inside", "__dict__"),
        *("__slots__", "__reduce_ex__", "__weakref__", "intercepted", "drop_view"),
    ],
)
def test_internals_are_withheld(run, name: str) -> None:
    """The framework's inside is withheld by design, read as a member or probed with `hasattr`."""
    assert f"ctx.{name} is withheld from mounted code by design" in told(run, f"ctx.{name}")
    assert given(run, f"keep(hasattr(ctx, {name!r}))") is False


@pytest.mark.parametrize("body", ["ctx.fs = 1", "ctx.on = print", "del ctx.on", "ctx.box = 1"])
def test_context_is_read_only(run, body: str) -> None:
    """Assigning to the context is refused with the way to publish a value."""
    assert "is read-only" in told(run, body)


def test_undeclared_service_is_refused(run) -> None:
    """A live service that is not declared names the line to write, as a member and with `get`."""

    async def main() -> None:
        async with host() as root:
            code = "def apply(ctx):\n    {}\napply.inject = ['tools']\nreturn apply"
            for read, line in (
                ("ctx.box", 'inject = ["box"]'),
                ("ctx.get('box')", 'inject = {"optional": ["box"]}'),
            ):
                with pytest.raises(FacadeError) as caught:
                    async with mounted(root, code.format(read)):
                        pass
                assert line in str(caught.value)

    run(main())


def test_optional_service_is_read(run) -> None:
    """A service that is declared as optional is read with `get`, there or not."""

    async def main() -> list[object]:
        async with (
            host() as root,
            mounted(
                root,
                "class P:\n    inject = {'required': ['box'], 'optional': ['nope', 'tools']}\n"
                "    def apply(self, ctx):\n"
                "        ctx.box.keep((ctx.get('nope', 5), ctx.get('box') is ctx.box,\n"
                "                      repr(ctx.get('tools')), ctx.get('never')))\nreturn P()",
            ),
        ):
            return root.box.kept

    assert run(main()) == [(5, True, "<ctx.tools>", None)]


def test_unknown_member_suggests(run) -> None:
    """An unknown name is met with the nearest and with all that is reachable."""
    text = told(run, "ctx.bok")
    assert "did you mean ctx.box?" in text
    assert "reachable: bail, box," in text


def test_timer_helpers_need_timer(run) -> None:
    """A timer helper without the declaration names the line to write."""
    assert 'inject = ["timer"]' in told(run, "ctx.set_timeout(print, 1)")


def test_timer_helpers_work(run) -> None:
    """With the timer declared its helpers are members of the context, and effects of the plugin."""

    async def main() -> tuple[list[object], list[str]]:
        async with host() as root:
            await root.plugin(Timer)
            code = (
                "class P:\n    inject = ['timer', 'box']\n    async def apply(self, ctx):\n"
                "        await ctx.timer.sleep(0)\n        await ctx.sleep(0)\n"
                "        limited = ctx.throttle(ctx.box.keep, 1)\n        limited('throttled')\n"
                "        ctx.set_timeout(lambda: ctx.box.keep('due'), 0)\n"
                "        ctx.set_interval(lambda: None, 100)\n"
                "        ctx.box.keep('sleep' in dir(ctx))\nreturn P()"
            )
            async with mounted(root, code) as fiber:
                while "due" not in root.box.kept:
                    await asyncio.sleep(0)
                return root.box.kept, [one.label for one in fiber.effects()]

    kept, labels = run(main())
    assert kept == ["throttled", True, "due"]
    assert any("set_interval" in label for label in labels)


@pytest.mark.parametrize(
    "body",
    [
        "ctx.box.ctx",
        "ctx.box.caller",
        "ctx.box._caller",
        "ctx.box.__dict__",
        "ctx.box.seen_by(None)",
        "ctx.box.context()",
        "await ctx.box.later()",
        "ctx.box.listed()",
        "list(ctx.box.each())",
        "async for x in ctx.box.aeach(): pass",
        "async with ctx.box.opened() as x: pass",
        "ctx.box.holder().ctx",
        "ctx.box.call.__self__",
        "ctx.box.call.__wrapped__",
        "ctx.on('clockwork/tick', print).fiber",
        "ctx.on('clockwork/tick', print)._undo",
        "ctx.box.call(lambda context, fiber, n: context.root)",
        "ctx.box.call(lambda context, fiber, n: fiber.parent)",
        "ctx.box.call(lambda context, fiber, n: fiber.ctx)",
        "ctx.tools._entries",
        "ctx.tools.execute",
        "ctx.tools.caller",
        "ctx.on.__self__.root",
    ],
)
def test_roads_are_closed(run, body: str) -> None:
    """No attribute, result, awaited value, iteration or argument gives the real context."""
    text = told(run, body)
    assert "withheld" in text or "has no attribute" in text


def test_nothing_kept_is_internal(run) -> None:
    """What mounted code can collect from a service holds no part of the framework's inside."""
    body = """
    found = []
    ctx.box.call(lambda *args: found.extend(args))
    found.append(ctx.box.holder())
    found.append(ctx.box.opened())
    found.append(ctx.effect(lambda: None))
    keep([type(x).__name__ for x in found])
    """
    assert given(run, body) == ["Proxy", "Proxy", "int", "Proxy", "Proxy", "Proxy"]


def test_plain_values_pass(run) -> None:
    """Plain data, records and classes pass as they are; services work through their proxies."""
    body = """
    text = await ctx.box.read('a')
    keep((text, ctx.box.holder().size, ctx.box.kept == [], ctx.box is ctx.box))
    """
    assert given(run, body) == ("content of a", 3, True, True)


def test_misspelt_method_suggests(run) -> None:
    """A method that a service does not have is met with the nearest."""
    assert "ctx.box has no 'raed'; did you mean read" in told(run, "ctx.box.raed('a')")


def test_callbacks_keep_identity(run) -> None:
    """The host is given the same function for the same callback, so that it can be taken back."""
    body = """
    def handler(): pass
    ctx.box.subscribe(handler)
    ctx.box.unsubscribe(handler)
    ctx.box.subscribe(self.apply)
    ctx.box.unsubscribe(self.apply)
    keep('both removed')
    """
    assert given(run, body) == "both removed"


def test_host_functions_come_back(run) -> None:
    """A function of the host's that is handed back is the host's own again."""

    async def main() -> bool:
        async with host() as root:
            await seen(root, "ctx.box.keep(ctx.box.read)")
            (function,) = root.box.kept
            return getattr(function, "__func__", None) is Box.read

    assert run(main())


def test_listener_sees_no_fiber(run) -> None:
    """A listener of an internal event reads a fiber's name and state, and nothing that acts."""

    async def main() -> list[object]:
        async with (
            host() as root,
            mounted(
                root,
                "class P:\n    inject = ['box']\n    def apply(self, ctx):\n"
                "        def listen(fiber):\n"
                "            ctx.box.keep((fiber.name, hasattr(fiber, 'dispose'), repr(fiber)))\n"
                "        ctx.on('internal/plugin', listen)\nreturn P()",
            ),
        ):
            await root.plugin(lambda ctx: None)
            return root.box.kept

    assert run(main()) == [("<anonymous>", False, "<the Fiber given to `listen`>")]


def test_listener_signature_is_judged(run) -> None:
    """A listener that cannot take its event's arguments is refused, wrapped or not."""
    assert "cannot take event" in told(run, "ctx.on('clockwork/tick', lambda: None)")


def test_dispatch_verbs_work(run) -> None:
    """All five verbs dispatch, and waterfalls delegate."""
    body = """
    log = []
    ctx.on('a/b', lambda x: log.append(x))
    ctx.once('a/b', lambda x: log.append(-x))
    ctx.emit('a/b', 1)
    ctx.emit('a/b', 2)
    async def later(x): log.append(x * 10)
    ctx.on('a/c', later)
    await ctx.parallel('a/c', 1)
    ctx.on('a/d', lambda x: x + 1)
    log.append(await ctx.serial('a/d', 5))
    log.append(ctx.bail('a/d', 6))
    async def around(x, next): return await next() * 2
    ctx.on('a/e', around)
    async def inner(x): return x
    log.append(await ctx.waterfall('a/e', 4, inner))
    keep(log)
    """
    assert given(run, body) == [1, -1, 2, 10, 6, 7, 8]


def test_effects_are_undone(run) -> None:
    """Effects, generators of disposers and tasks of a mount end with it."""

    async def main() -> tuple[list[object], list[str]]:
        async with host() as root:
            code = (
                "class P:\n    inject = ['box']\n    async def apply(self, ctx):\n"
                "        keep = ctx.box.keep\n"
                "        ctx.effect(lambda: lambda: keep('plain'))\n"
                "        def steps():\n            yield lambda: keep('first')\n"
                "            yield lambda: keep('second')\n"
                "        ctx.effect(steps)\n"
                "        async def work():\n            import asyncio\n            try:\n"
                "                await asyncio.Event().wait()\n            finally:\n"
                "                keep('task')\n"
                "        ctx.spawn(work())\n"
                "        yield lambda: keep('yielded')\nreturn P()"
            )
            async with mounted(root, code) as fiber:
                labels = [one.label for one in fiber.effects()]
                await asyncio.sleep(0)
            return root.box.kept, labels

    kept, labels = run(main())
    assert kept == ["yielded", "task", "second", "first", "plain"]
    assert labels[:3] == ["ctx.effect(<lambda>)", "ctx.effect(steps)", "ctx.spawn('work')"]


def test_effect_can_be_disposed(run) -> None:
    """The handle of an effect undoes it before its time."""
    body = """
    log = []
    effect = ctx.effect(lambda: lambda: log.append('undone'), 'mine')
    await effect
    await effect.dispose()
    keep((effect.label, log))
    """
    assert given(run, body) == ("mine", ["undone"])


def test_spawn_teaches(run) -> None:
    """A function in place of a coroutine is told to be called."""
    body = "async def work(): pass\nctx.spawn(work)"
    assert "call it: ctx.spawn(work())" in told(run, body)


def test_provided_service_is_used(run) -> None:
    """What one mount provides another uses, the provider's caller being a restricted context."""

    async def main() -> list[object]:
        async with host() as root:
            provider = (
                "class Greeter(Service, key='greeter'):\n"
                "    def start(self):\n        self.word = 'hi'\n"
                "    def greet(self, name): return f'{self.word} {name}'\n"
                "    def who(self): return type(self.caller).__name__, type(self.ctx).__name__\n"
                "return Greeter"
            )
            consumer = (
                "class C:\n    inject = ['greeter', 'box']\n    def apply(self, ctx):\n"
                "        ctx.box.keep((ctx.greeter.greet('you'), ctx.greeter.who()))\nreturn C()"
            )
            async with mounted(root, provider, "dyn-1") as fiber:
                assert fiber.provides() == ("greeter",)
                assert root.greeter.greet("me") == "hi me"
                async with mounted(root, consumer, "dyn-2"):
                    return root.box.kept

    assert run(main()) == [("hi you", ("MountContext", "MountContext"))]


def test_plain_objects_are_provided(run) -> None:
    """Objects, mappings, functions and numbers are provided and read as what they are."""
    body = """
    class Store(dict): pass
    ctx.provide('one', 1)
    ctx.provide('double', lambda x: x * 2)
    ctx.provide('store', Store(a=1))
    store = ctx.store
    store['b'] = 2
    keep((ctx.one, ctx.double(4), len(store), 'b' in store, sorted(store), bool(store)))
    """
    assert given(run, body) == (1, 8, 2, True, ["a", "b"], True)


@pytest.mark.parametrize("name", ["SystemExit", "KeyboardInterrupt"])
@pytest.mark.parametrize(
    "form",
    [
        "def apply(ctx):\n    raise {0}\nreturn apply",
        "async def apply(ctx):\n    raise {0}\nreturn apply",
        "def apply(ctx):\n    yield\n    raise {0}\nreturn apply",
        "async def apply(ctx):\n    yield\n    raise {0}\nreturn apply",
        "class P:\n    def __init__(self, ctx):\n        raise {0}\nreturn P",
        "class P(Service, key='p'):\n    def start(self):\n        raise {0}\nreturn P",
        "def apply(ctx):\n    def f(): raise {0}\n    ctx.effect(f)\nreturn apply",
    ],
)
def test_exits_fail_the_mount(run, form: str, name: str) -> None:
    """What would end the host fails the mount alone, from every form of a plugin."""

    async def main() -> str:
        async with host() as root:
            with pytest.raises(MountError) as caught:
                async with mounted(root, form.format(name)):
                    pass
            return str(caught.value)

    assert f"dyn-1 raised {name}" in run(main())


def test_exit_in_listener_is_contained(run, caplog) -> None:
    """A listener that would end the host is a failed listener; the others still run."""

    async def main() -> list[object]:
        async with host() as root:
            code = (
                "class P:\n    inject = ['box']\n    def apply(self, ctx):\n"
                "        def bad(value): raise SystemExit(1)\n"
                "        async def worse(value): raise KeyboardInterrupt\n"
                "        ctx.on('clockwork/tick', bad)\n        ctx.on('clockwork/tick', worse)\n"
                "        ctx.on('clockwork/tick', ctx.box.keep)\nreturn P()"
            )
            async with mounted(root, code):
                root.emit("clockwork/tick", 7)
                await asyncio.sleep(0)
                await asyncio.sleep(0)
                return root.box.kept

    assert run(main()) == [7]
    assert len([one for one in caplog.records if one.levelno == logging.ERROR]) == 2


@pytest.mark.parametrize(
    "form",
    [
        "def apply(ctx):\n    while True: pass\nreturn apply",
        (
            "async def apply(ctx):\n    while True:\n        try: pass\n"
            "        except BaseException: pass\nreturn apply"
        ),
        "def apply(ctx):\n    yield\n    while True: pass\nreturn apply",
        "class P(Service, key='p'):\n    def start(self):\n        while True: pass\nreturn P",
    ],
)
def test_bound_strikes_apply(run, form: str) -> None:
    """A stretch of `apply` over its bound ends the mount with the line."""

    async def main() -> MountTimeoutError:
        async with host() as root:
            with pytest.raises(MountTimeoutError) as caught:
                async with mounted(root, form, limit=0.03):
                    pass
            return caught.value

    assert run(main()).line >= 2


def test_bound_strikes_later(run, caplog) -> None:
    """Listeners, tasks, provided methods and their iterators are bounded after the mount."""

    async def main() -> list[str]:
        async with host() as root:
            code = (
                "def spin():\n    while True:\n        try: pass\n        except BaseException: pass\n"
                "class G:\n    def hang(self): spin()\n"
                "    def each(self):\n        yield 1\n        spin()\n"
                "    def __len__(self): spin()\n"
                "def apply(ctx):\n    ctx.provide('g', G())\n"
                "    ctx.on('clockwork/tick', lambda value: spin())\n"
                "    async def work(): spin()\n"
                "    ctx.on('a/work', lambda: ctx.spawn(work()) and None)\n"
                "return apply"
            )
            ended = []
            async with mounted(root, code, limit=0.02):
                root.emit("clockwork/tick", 1)
                root.emit("a/work")
                await asyncio.sleep(0)
                for call in (root.g.hang, lambda: list(root.g.each()), lambda: len(root.g)):
                    with pytest.raises(MountTimeoutError) as caught:
                        call()
                    ended.append(caught.value.place)
            return ended

    assert run(main()) == ["in spin"] * 3
    assert sum("dyn-1 was ended" in one.getMessage() for one in caplog.records) == 2


def test_facade_has_no_dict() -> None:
    """A façade has no attributes of its own that code could list or reach."""
    made = facade(Context(), Membrane("dyn-1"))
    assert isinstance(made, MountContext)
    assert repr(made) == "<ctx of dyn-1>"
    with pytest.raises(TypeError):
        vars(made)


def test_cycles_leave_nothing(count_objects) -> None:
    """Mounting, calling and unmounting fresh source leaves no object behind."""

    async def cycle(root: Context, number: int) -> None:
        code = (
            f"class P:\n    inject = ['box', 'tools']\n    def apply(self, ctx):\n"
            f"        @harness.tool\n        async def t{number}() -> int:\n            'd'\n"
            f"            return {number}\n"
            f"        ctx.tools.register(t{number})\n        ctx.provide('s{number}', self)\n"
            f"        ctx.box.subscribe(self.apply)\n        ctx.box.unsubscribe(self.apply)\n"
            f"        ctx.on('a/b{number}', ctx.box.keep)\n"
            f"        ctx.effect(lambda: lambda: None)\nreturn P()"
        )
        async with mounted(root, code, f"dyn-{number}"):
            result = await root.tools.execute(f"t{number}")
            assert result.value == number

    async def main() -> int:
        async with host() as root:
            for number in range(100):
                await cycle(root, number)
            before = count_objects()
            for number in range(100, 300):
                await cycle(root, number)
            return count_objects() - before

    # Not under asyncio's debug mode, whose tracebacks fill the line cache.
    assert asyncio.run(main()) < 50  # one object a cycle would be 200


DECLARE = {
    "function": ("def go(ctx):\n    getattr(ctx, 'box')\nreturn go", 'go.inject = ["box"]'),
    "class": (
        "class Go:\n    def __init__(self, ctx):\n        getattr(ctx, 'box')\nreturn Go",
        'inject = ["box"] in the body of class Go',
    ),
    "object": (
        "class Go:\n    def apply(self, ctx):\n        getattr(ctx, 'box')\nreturn Go()",
        'inject = ["box"] in the body of class Go',
    ),
    "lambda": ("return lambda ctx: getattr(ctx, 'box')", 'plugin.inject = ["box"]'),
}


@pytest.mark.parametrize("form", DECLARE)
def test_undeclared_says_where_to_declare(run, form: str) -> None:
    """A service read without a declaration is answered with the line for the plugin at hand."""
    code, said = DECLARE[form]

    async def main() -> str:
        async with host() as root:
            with pytest.raises(FacadeError) as caught:
                async with mounted(root, code):
                    pass
            return str(caught.value)

    text = run(main())
    assert said in text
    assert "(a variable `inject` of the code has no effect)" in text
