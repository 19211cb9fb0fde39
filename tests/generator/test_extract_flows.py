"""Events that are given to something: followed to the verb at the end, and never blamed wrongly."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from projects import build_project, make_project, run_catalog

from toolset_gen.diagnostics import Diagnostic

EVENTS = '''
"""Events."""

from toolset import event


@event("a/one", mode="emit")
def one(x: int) -> None:
    """One.

    Args:
        x: A number.
    """


@event("a/two", mode="bail")
def two(x: int) -> int | None:
    """Two.

    Args:
        x: A number.

    Returns:
        A number, None to ask the next.
    """


NAME = "a/one"
'''

HELPERS = '''
"""Helpers, of which most have the wrong verb for `one`."""

from collections.abc import Callable
from functools import partial
from typing import overload

from toolset import Context, Service

def fire(ctx: Context, ev, *args, other=None):
    ctx.bail(ev, *args)
    if other:
        ctx.emit(other, 1)

def through(context, ev):
    return fire(context, ev, 1)

def by_verb(verb, ev):
    verb(ev, 1)

def either(ctx: Context, ev):
    if ev.mode == "emit":
        ctx.emit(ev, 1)
    else:
        ctx.bail(ev, 1)

def dynamic(ctx: Context, ev):
    getattr(ctx, ev.mode)(ev, 1)

def logged(ctx: Context, log, ev):
    log.debug("%s", ev)
    ctx.bail(ev, 1)

def nesting(ctx: Context, ev):
    def inner():
        ctx.bail(ev, 1)
    inner()

@overload
def many(ctx: Context, one_more) -> None: ...
@overload
def many(ctx: Context, one_more, two_more) -> None: ...
def many(ctx: Context, ev, *rest):
    ctx.bail(ev, 1)

def called(verb: Callable[[Context, object], None], ctx: Context, ev):
    verb(ctx, ev)

def listening(ctx: Context, ev, listener):
    ctx.on(ev, listener)

def listens(ctx: Context, ev):
    def wrap(function):
        ctx.on(ev, function)
        return function
    return wrap

def make(ctx: Context) -> "Helper":
    return Helper(ctx)

def unseen(ctx: Context):
    return load("helper")(ctx)


class Base:
    kept = None

    def __init__(self, context: Context):
        self._context = context

    def inherited(self, ev):
        self._context.bail(ev, 1)

    def abstract(self, ev):
        raise NotImplementedError

    def overridden(self, ev):
        self._context.bail(ev, 1)


class Helper(Base):
    def __init__(self, context: Context):
        super().__init__(context)
        self.send = context.bail
        self.bound = partial(context.bail)
        self.inner = Inner(context)

    def go(self, ev):
        self._send(ev)

    def _send(self, ev):
        self._context.bail(ev, 1)

    def up(self, ev):
        super().inherited(ev)

    @classmethod
    def of_class(cls, ctx: Context, ev):
        cls.static(ctx, ev)

    @staticmethod
    def static(ctx: Context, ev):
        ctx.bail(ev, 1)

    @property
    def again(self) -> "Helper":
        return self

    def __call__(self, ev):
        self._context.bail(ev, 1)


class Right(Base):
    def overridden(self, ev):
        self._context.emit(ev, 1)


class Inner:
    context: Context

    def __init__(self, context):
        self.context = context

    def go(self, ev):
        self.context.bail(ev, 1)


class Keeper:
    def __init__(self, ctx: Context, ev):
        self.ctx = ctx
        self.ev = ev

    def go(self):
        self.ctx.bail(self.ev, 1)


class Bus(Service, key="bus"):
    """Tell everybody."""

    def tell(self, ev: object) -> None:
        """Tell.

        Args:
            ev: What happened.
        """
        self.ctx.bail(ev, 1)
'''

HEAD = '''
"""A plugin."""

import functools
from functools import partial
from typing import cast

import pkg.helpers
from pkg import events, helpers
from pkg.events import NAME, one, two
from pkg.helpers import *
from pkg.helpers import Bus, Helper, Inner, Keeper, Right, fire, fire as shoot
from toolset import Context, Service

'''


def judged(root: Path, code: str) -> list[Diagnostic]:
    """Judge a plugin, and give what is said of its events."""
    source = HEAD + textwrap.dedent(code)
    files: dict[str, str | bytes] = {
        "events.py": EVENTS,
        "helpers.py": HELPERS,
        "plugin.py": source + "\ndef others(ctx: Context):\n    ctx.bail(two, 1)\n",
    }
    built = build_project(make_project(root, files, "boot = false\n"))
    return [d for d in built.diagnostics if d.rule.startswith("EVT")]


def within(code: str) -> str:
    """Put statements into a function that has a context."""
    return f"def apply(ctx: Context):\n{textwrap.indent(textwrap.dedent(code), '    ')}\n"


WRONG = [
    # helpers
    "fire(ctx, one, 1)",
    "shoot(ctx, ev=one)",
    "helpers.fire(ctx, events.one, 1)",
    "pkg.helpers.fire(ctx, one, 1)",
    "through(ctx, one)",
    "logged(ctx, print, one)",
    "nesting(ctx, one)",
    "fire(ctx, NAME, 1)",
    "many(ctx, one)",
    "called(fire, ctx, one)",
    "fire(ctx, 'a/one', 1)",
    "fire(ctx.extend(), one, 1)",
    "fire(*[ctx], ev=one)",
    "fire(ctx, one, *[1])",
    "[fire(ctx, one, 1) for _ in range(3)]",
    "with_it = lambda: fire(ctx, one, 1)",
    "if (found := fire(ctx, one, 1)): pass",
    # verbs as values
    "send = ctx.bail\nsend(one, 1)",
    "send = getattr(ctx, 'bail')\nsend(one, 1)",
    "getattr(ctx, 'bail')(one, 1)",
    "partial(ctx.bail, one)",
    "functools.partial(ctx.bail)(one, 1)",
    "send = partial(ctx.bail)\nsend(one, 1)",
    "by_verb(ctx.bail, one)",
    "by_verb(partial(ctx.bail), one)",
    "by_verb(lambda ev, x: ctx.bail(ev, x), one)",
    "send = lambda ev: ctx.bail(ev, 1)\nsend(one)",
    "def send(ev):\n    ctx.bail(ev, 1)\nsend(one)",
    "send = ctx.bail if ctx else ctx.serial\nsend(one, 1)",
    "cast(Context, ctx).bail(one, 1)",
    # functions as values
    "shot = fire\nshot(ctx, one, 1)",
    "shot = partial(fire, ctx)\nshot(one, 1)",
    "shot = functools.partial(fire, ctx)\nshot(ev=one)",
    "partial(fire, ctx, one)",
    "partial(partial(fire, ctx), one)",
    # objects
    "Helper(ctx).go(one)",
    "Helper(context=ctx).go(ev=one)",
    "helpers.Helper(ctx).go(one)",
    "helper = Helper(ctx)\nhelper.go(one)",
    "helper: Helper = Helper(ctx)\nhelper._send(one)",
    "Helper(ctx).inherited(one)",
    "Helper(ctx).up(one)",
    "Helper(ctx).send(one, 1)",
    "Helper(ctx).bound(one, 1)",
    "Helper(ctx).inner.go(one)",
    "Helper(ctx).again.go(one)",
    "make(ctx).go(one)",
    "helper = make(ctx)\nhelper.go(one)",
    "go = Helper(ctx).go\ngo(one)",
    "Helper.go(Helper(ctx), one)",
    "Helper.static(ctx, one)",
    "Helper.of_class(ctx, one)",
    "Helper(ctx).of_class(ctx, one)",
    "Inner(ctx).go(one)",
    "Inner(ctx).context.bail(one, 1)",
    "Keeper(ctx, one)",
    "keeper = Keeper(ctx, ev=one)\nkeeper.go()",
    "ctx.bus.tell(one)",
    "getattr(Helper(ctx), 'go')(one)",
    # several events
    "for ev in (two, one):\n    ctx.bail(ev, 1)",
    "ev = one\nctx.bail(ev, 1)",
    "ev = one if ctx else two\nctx.bail(ev, 1)",
    "fire(ctx, one or two, 1)",
]


@pytest.mark.parametrize("code", WRONG)
def test_wrong_verb_is_found(tmp_path: Path, code: str) -> None:
    """A wrong verb at the end of a chain is reported at the line that begins it."""
    found = judged(tmp_path, within(code))
    wrong = [d for d in found if d.rule == "EVT011"]
    assert {d.target for d in wrong} == {"a/one"}, found
    assert wrong[0].path == "src/pkg/plugin.py"
    assert "`bail`" in wrong[0].message or "`serial`" in wrong[0].message
    shown = (HEAD + within(code)).splitlines()[wrong[0].line - 1]
    assert "one" in shown or "NAME" in shown or "(ev" in shown
    assert {d.rule for d in found} == {"EVT011"}


CLASSES = [
    # through self, across methods
    """
    class Mine(Service, key="mine"):
        def start(self):
            self._send(one)
        def _send(self, ev):
            self.ctx.bail(ev, 1)
    """,
    """
    class Parent:
        def __init__(self, ctx):
            self.ctx = ctx
        def _send(self, ev):
            self.ctx.bail(ev, 1)
    class Child(Parent):
        def go(self):
            self._send(one)
    """,
    """
    class Mine:
        def __init__(self, ctx: Context):
            self.helper = Helper(ctx)
        def go(self):
            self.helper.go(one)
    """,
    """
    class Mine:
        helper: Helper
        def go(self):
            self.helper.go(one)
    """,
    """
    class Mine:
        def __init__(self, helper: Helper | None):
            self._helper = helper
        def go(self):
            self._helper.go(one)
    """,
    """
    class Mine:
        def __init__(self, ctx: Context):
            self._bus = ctx
        def go(self):
            self._bus.bail(one, 1)
    """,
    """
    class Mine:
        def __init__(self, ctx: Context):
            self.ctx, self.event = ctx, None
            self.event = one
        def go(self):
            self.ctx.bail(self.event, 1)
    """,
    """
    class Mine:
        event = one
        def __init__(self, ctx: Context):
            self.ctx = ctx
        def go(self):
            self.ctx.bail(self.event, 1)
    """,
    """
    class Mine:
        @classmethod
        def go(cls, ctx: Context):
            cls._send(ctx, one)
        @classmethod
        def _send(cls, ctx: Context, ev):
            ctx.bail(ev, 1)
    """,
    """
    def run(helper: Helper):
        helper.go(one)
    """,
    """
    def run(helper: "Helper"):
        def later():
            helper.go(one)
        return later
    """,
    """
    helper = Helper(Context())
    def run():
        helper.go(one)
    """,
    """
    send = partial(fire, Context())
    def run():
        send(one, 1)
    """,
    """
    def run(ctx: Context, ev=one):
        ctx.bail(ev, 1)
    """,
    """
    def run(ctx: Context, *, ev=one):
        through(ctx, ev)
    """,
]


@pytest.mark.parametrize("code", CLASSES)
def test_wrong_verb_of_an_object(tmp_path: Path, code: str) -> None:
    """Objects, attributes and module variables are followed as local ones are."""
    found = judged(tmp_path, code)
    assert [(d.rule, d.target) for d in found] == [("EVT011", "a/one")]


RIGHT = [
    "fire(ctx, two, 1)",
    "fire(ctx, None, other=one)",
    "either(ctx, one)\neither(ctx, two)",
    "dynamic(ctx, one)\ndynamic(ctx, two)",
    "unseen(ctx).go(one)",
    "load('x')(ctx, one)",
    "ctx.bus.other(one)",
    "ctx.nobody.tell(one)",
    "table = {'emit': ctx.emit}\ntable[one.mode](one, 1)",
    "[ctx.emit, ctx.bail][0](one, 1)",
    "def f(helper: Base):\n    helper.overridden(one)\n    helper.abstract(one)",
    "Right(ctx).overridden(one)",
    "send = ctx.emit\nsend(one, 1)",
    "if ctx:\n    send = ctx.emit\nelse:\n    send = ctx.bail\nsend(one, 1)",
    "getattr(ctx, name)(one, 1)",
    "ctx.emit(one, 1)\nprint(one)\nisinstance(one, str)\nrepr(two)",
    "fire = load()\nfire(ctx, one, 1)",
    "def go(fire):\n    fire(ctx, one, 1)",
    "for one in load():\n    ctx.bail(one, 1)",
    "[ctx.bail(one, 1) for one in load()]",
    "{one: ctx.bail(one, 1) for one in load()}",
    "class Helper:\n    def go(self, ev): ...\nHelper().go(one)",
    "kept = [one]\nfor ev in kept:\n    ctx.parallel(ev, 1)",
    "by_name = {'x': one}\nctx.emit(by_name['x'], 1)",
    "ctx.fiber.note = one",
    "async def inner():\n    return one",
    "fire(ctx, *load(one))",
    "ctx.emit(one, 1)\nprint(Helper.nothing.more, Inner.name)\nload(Helper.nothing)(one)",
    "def same(ev):\n    same(ev)\nsame(one)",
    "a = Helper(ctx)\na.inner = a\na.inner.inner.inner.nothing(one)",
]


@pytest.mark.parametrize("code", RIGHT)
def test_no_false_alarm(tmp_path: Path, code: str) -> None:
    """What is right, and what cannot be known, breaks no rule."""
    shadowed = "one" not in code or "for one in" in code or "class Helper" in code
    used = "\ndef used(ctx: Context):\n    ctx.emit(one, 1)\n" if shadowed else ""
    assert judged(tmp_path, within(code) + used) == []


@pytest.mark.parametrize(
    ("code", "rules"),
    [
        ("listening(ctx, one, lambda: None)", ["EVT013"]),
        ("listening(ctx, one, lambda x: None)", []),
        ("def h(a, b): ...\nlistening(ctx, one, h)", ["EVT013"]),
        ("def h(a, b): ...\nlistening(ctx, one, partial(h, 1))", []),
        ("@listens(ctx, one)\ndef h(): ...", []),
        ("hear = ctx.on\nhear(one, lambda: None)", ["EVT013"]),
        ("partial(ctx.on, one)(lambda: None)", []),
        ("keeper = Keeper(ctx, 1)\nctx.on(one, keeper.go)", ["EVT013"]),
        ("ctx.on(one, Helper(ctx).go)", []),
        ("ctx.on(one, Helper(ctx).static)", ["EVT013"]),
        ("listening(ctx, 'a/onne', lambda x: None)", ["EVT012"]),
        ("fire(ctx, 'a/onne', 1)", ["EVT012"]),
        ("load(ctx, 'a/onne', 1)", []),
        ("through(ctx, two)", []),
        ("by_verb(ctx.emit, one)", []),
        ("Helper(ctx).send(two)", ["EVT017"]),
    ],
)
def test_listeners_and_names_are_followed(tmp_path: Path, code: str, rules: list[str]) -> None:
    """Listeners, names and arguments are judged where helpers use them, as if written there."""
    used = "\ndef used(ctx: Context):\n    ctx.emit(one, 1)\n"
    assert [d.rule for d in judged(tmp_path, within(code) + used)] == rules


def test_place_of_the_verb_is_said(tmp_path: Path) -> None:
    """The report names the line where the verb stands, when that is in a helper."""
    (found,) = judged(tmp_path, within("through(ctx, one)"))
    line = HELPERS.splitlines().index("    ctx.bail(ev, *args)") + 1
    assert f"at src/pkg/helpers.py:{line}" in found.message
    assert found.remedy.endswith("there, or give it to something that does")


def test_found_verbs_are_repaired(tmp_path: Path) -> None:
    """A verb that is reported where it stands is repaired there, whatever it is called on."""
    code = """
    class Mine:
        def __init__(self, ctx: Context):
            self._bus = ctx
            self.event = one
        def go(self):
            self._bus.bail(self.event, 1)
            self._bus.bail(one, 1)
    """
    _ = judged(tmp_path, code)
    done = run_catalog(tmp_path, "fix", "--diff").stdout
    assert "+        self._bus.emit(self.event, 1)" in done
    assert "+        self._bus.emit(one, 1)" in done


def test_modules_without_contexts_are_followed(tmp_path: Path) -> None:
    """A module that only hands events on is read too, and proves that they are dispatched."""
    files: dict[str, str | bytes] = {
        "events.py": EVENTS,
        "helpers.py": HELPERS,
        "bus.py": '"""A bus."""\n\nfrom toolset import Context\n\nfrom pkg.helpers import Helper\n\nbus = Helper(Context())\n',
        "plugin.py": '"""Tells."""\n\nfrom pkg import events\nfrom pkg.bus import bus\n\nbus.go(events.one)\nbus.go(events.two)\n',
    }
    built = build_project(make_project(tmp_path, files, "boot = false\n"))
    assert [(d.rule, d.target, d.path, d.line) for d in built.diagnostics if "EVT" in d.rule] == [
        ("EVT011", "a/one", "src/pkg/plugin.py", 6)
    ]


def test_tangles_end_soon(tmp_path: Path) -> None:
    """Functions that call each other in every way are given up, not followed for ever."""
    lines = [
        '"""A tangle."""',
        "from pkg.events import one, two",
        "def f0(ctx, ev): ctx.emit(ev, 1)",
    ]
    for n in range(1, 40):
        calls = "; ".join(f"f{m}(ctx, ev)" for m in range(40))
        lines.append(f"def f{n}(ctx, ev): {calls}")
    lines.append("def go(ctx):\n    f39(ctx, one)\n    ctx.bail(two, 1)")
    files: dict[str, str | bytes] = {"events.py": EVENTS, "tangle.py": "\n".join(lines)}
    built = build_project(make_project(tmp_path, files, "boot = false\n"))
    assert [d for d in built.diagnostics if d.rule.startswith("EVT")] == []
