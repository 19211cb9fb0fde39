"""Where events, services and plugins are used, scopes respected."""

from __future__ import annotations

from pathlib import Path

import pytest
from extracting import scan

from toolset_gen.extract import Site

HEAD = """# === FILE: pkg/__init__.py
# === FILE: pkg/events.py
from toolset import event

@event("a/one", mode="emit")
def one(x: int) -> None:
    \"\"\"One.\"\"\"

NAME = "a/two"
# === FILE: pkg/mod.py
from functools import partial
import functools as ft
import toolset
from toolset import Context, Service
from pkg import events
from pkg.events import one, NAME, one as uno

"""
LINE = 8  # of what follows HEAD in pkg/mod.py


def sites(tmp_path: Path, code: str) -> list[Site]:
    model = scan(tmp_path, HEAD + code).model
    return [site for site in model.sites if site.location.path == "pkg/mod.py"]


@pytest.mark.parametrize(
    ("expression", "name", "event"),
    [
        ("one", "a/one", "pkg.events.one"),
        ("uno", "a/one", "pkg.events.one"),
        ("events.one", "a/one", "pkg.events.one"),
        ("events.one.name", "a/one", "pkg.events.one"),
        ('"a/one"', "a/one", ""),
        ("NAME", "a/two", ""),
        ("events.NAME", "a/two", ""),
        ("f'a/{1}'", None, ""),
        ("unknown", None, ""),
    ],
)
def test_events_are_followed(tmp_path: Path, expression: str, name: str | None, event: str) -> None:
    """An event is known by object, by name, by constant, through imports; else it is unknown."""
    (site,) = sites(tmp_path, f"def f(ctx: Context) -> None:\n    ctx.emit({expression}, 1)\n")
    assert (site.kind, site.verb, site.name, site.event) == ("dispatch", "emit", name, event)
    assert (site.text, site.location.line, site.function) == (expression, LINE + 1, "pkg.mod.f")
    assert site.arguments == 1


@pytest.mark.parametrize(
    "body",
    [
        "def f(ctx: 'Context'): ctx.emit(one)",
        "def f(c: toolset.Context): c.emit(one)",
        "def f(c: Context | None): c.emit(one)",
        "def f(ctx): ctx.emit(one)",
        "async def f(ctx):\n    await g(ctx.emit(one))",
        "def f(ctx):\n    def inner():\n        ctx.emit(one)",
        "def f(ctx):\n    return lambda: ctx.emit(one)",
        "f = lambda ctx: ctx.emit(one)",
        "def f(ctx):\n    emit = ctx.emit\n    emit(one)",
        "def f(ctx):\n    other = ctx.extend()\n    other.emit(one)",
        "def f(ctx): ctx.isolate('x').emit(one)",
        "def f(ctx): ctx.root.emit(one)",
        "class A(Service, key='a'):\n    def f(self): self.ctx.emit(one)",
        "class A(Service, key='a'):\n    def f(self): self.caller.emit(one)",
        "async def f():\n    async with Context() as c:\n        c.emit(one)",
        "def f():\n    c = Context()\n    c.emit(one)",
        "class My(Context): ...\nclass MyContext(My): ...\ndef f(c: MyContext): c.emit(one)",
        "from pkg.typed_context import Context as T\ndef f(c: T): c.emit(one)",
        "def f(ctx):\n    if x := ctx.emit(one): pass",
        "def f(ctx):\n    match 1:\n        case 1 if ctx.emit(one): pass",
        "def f(ctx):\n    [ctx.emit(one) for _ in ()]",
        "def f(ctx, x=None):\n    from pkg.events import one as o\n    ctx.emit(o)",
        "async def f():\n    ctx = Context()\n    async def g():\n        ctx.emit(one)",
        "ctx = Context()\nctx.emit(one)",
    ],
)
def test_contexts_are_recognised(tmp_path: Path, body: str) -> None:
    """A context is known by annotation, by name, by where it comes from."""
    found = [site for site in sites(tmp_path, body + "\n") if site.kind == "dispatch"]
    assert [site.name for site in found] == ["a/one"]


@pytest.mark.parametrize(
    "body",
    [
        "import click\ndef f(ctx: click.Context): ctx.emit(one)",
        "def f(ctx: dict): ctx.get('x')",
        "def f(bus): bus.emit('a/one')",
        "def f(ctx):\n    ctx = other()\n    ctx.emit('a/one')",
        "def f(ctx):\n    for ctx in ():\n        ctx.emit('a/one')",
        "import contextvars\ndef f(c: contextvars.Context): c.get('x')",
    ],
)
def test_others_are_no_contexts(tmp_path: Path, body: str) -> None:
    """What is annotated as something else, or rebound, is no context."""
    assert sites(tmp_path, body + "\n") == []


@pytest.mark.parametrize(
    "body",
    [
        "def f(ctx, one): ctx.emit(one)",
        "def f(ctx):\n    one = other()\n    ctx.emit(one)",
        "def f(ctx):\n    for one in ():\n        ctx.emit(one)",
        "def f(ctx):\n    with x as one:\n        ctx.emit(one)",
        "def f(ctx):\n    try: ...\n    except E as one:\n        ctx.emit(one)",
        "def f(ctx):\n    def one(): ...\n    ctx.emit(one)",
        "def f(ctx, *one): ctx.emit(one)",
        "def f(one):\n    def g(ctx): ctx.emit(one)",
        "def f(ctx):\n    (one, two) = x\n    ctx.emit(one)",
    ],
)
def test_shadowed_events_are_unknown(tmp_path: Path, body: str) -> None:
    """A local name hides the event of that name."""
    (site,) = sites(tmp_path, body + "\n")
    assert (site.name, site.event) == (None, "")


def test_class_scope_is_skipped(tmp_path: Path) -> None:
    """A name in a class body hides nothing in its methods."""
    (site,) = sites(
        tmp_path, "class A:\n    one = 3\n    def f(self, ctx):\n        ctx.emit(one)\n"
    )
    assert site.name == "a/one"


@pytest.mark.parametrize(
    ("arguments", "count"),
    [("one", 0), ("one, 1, 2", 2), ("one, *rest", -1), ("one, **more", -1)],
)
def test_arguments_are_counted(tmp_path: Path, arguments: str, count: int) -> None:
    """What a dispatch passes is counted, unless a star hides it."""
    (site,) = sites(tmp_path, f"def f(ctx): ctx.emit({arguments})\n")
    assert site.arguments == count


@pytest.mark.parametrize(
    ("code", "path", "names"),
    [
        ("def h(x): ...\ndef f(ctx): ctx.on(one, h)", "pkg.mod.h", ["x"]),
        ("def f(ctx):\n    def h(x, y=1): ...\n    ctx.on(one, h)", "pkg.mod.f.h", ["x", "y"]),
        ("def f(ctx): ctx.on(one, lambda a: 0)", "pkg.mod.<lambda>", ["a"]),
        ("def h(x, y): ...\ndef f(ctx): ctx.on(one, partial(h, 1))", "pkg.mod.h", ["y"]),
        ("def h(x, y): ...\ndef f(ctx): ctx.on(one, ft.partial(h, y=1))", "pkg.mod.h", ["x"]),
        (
            "def h(a, b, c): ...\ndef f(ctx): ctx.on(one, partial(partial(h, 1), 2))",
            "pkg.mod.h",
            ["c"],
        ),
        (
            "class A:\n    def h(self, x): ...\n    def f(self, ctx): ctx.on(one, self.h)",
            "pkg.mod.A.h",
            ["x"],
        ),
        (
            (
                "class B:\n    def h(self, x): ...\nclass A(B):\n"
                "    def f(self, ctx): ctx.once(one, partial(self.h, 1))"
            ),
            "pkg.mod.B.h",
            [],
        ),
        (
            "class A:\n    @staticmethod\n    def h(x): ...\n    def f(self, ctx): ctx.on(one, self.h)",
            "pkg.mod.A.h",
            ["x"],
        ),
        (
            "class A:\n    @classmethod\n    def h(cls, x): ...\ndef f(ctx): ctx.on(one, A.h)",
            "pkg.mod.A.h",
            ["x"],
        ),
        (
            "class A:\n    def h(self, x): ...\ndef f(ctx): ctx.on(one, A.h)",
            "pkg.mod.A.h",
            ["self", "x"],
        ),
        (
            (
                "class A:\n    def f(self, ctx):\n        def g(): ctx.on(one, self.h)\n"
                "    async def h(self, x): ..."
            ),
            "pkg.mod.A.h",
            ["x"],
        ),
        ("def h(x): ...\ndef f(ctx): ctx.on(one, listener=h)", "pkg.mod.h", ["x"]),
    ],
)
def test_listeners_are_resolved(tmp_path: Path, code: str, path: str, names: list[str]) -> None:
    """What a listener can still be called with is known through methods, partials and lambdas."""
    (site,) = sites(tmp_path, code + "\n")
    assert site.kind == "listen"
    assert site.listener is not None
    assert site.listener.path == path
    assert [item.name for item in site.listener.parameters] == names


@pytest.mark.parametrize(
    "listener", ["unknown", "make()", "partial(h, *xs)", "partial(h, **kw)", "obj.attr", "x"]
)
def test_unknown_listeners_are_none(tmp_path: Path, listener: str) -> None:
    """A listener that cannot be told is not guessed."""
    (site,) = sites(tmp_path, f"def h(a): ...\ndef f(ctx, x): ctx.on(one, {listener})\n")
    assert site.listener is None


def test_partial_keywords_bind_rest(tmp_path: Path) -> None:
    """What follows a parameter that a partial fills by name can only be passed by name."""
    (site,) = sites(tmp_path, "def h(a, b, c): ...\ndef f(ctx): ctx.on(one, partial(h, b=1))\n")
    assert site.listener is not None
    assert [(i.name, i.kind) for i in site.listener.parameters] == [
        ("a", "positional-or-keyword"),
        ("c", "keyword-only"),
    ]


def test_services_are_read(tmp_path: Path) -> None:
    """Reads, provisions and injections are sites; members of every context are not."""
    found = sites(
        tmp_path,
        """KEY = "db"
def f(ctx: Context) -> None:
    ctx.fs.read_text("x")
    ctx.get("web")
    ctx.provide(KEY, object())
    ctx.inject(["timer"], g)
    ctx.inject({"required": ["fs"], "optional": ["web"]}, g)
    ctx.plugin(g)
    ctx.logger.info("x")
    ctx.fiber
    ctx._fiber
    ctx.set_it = 3
def g(ctx): ...
""",
    )
    assert [(i.kind, i.verb, i.name, i.location.line - LINE - 1) for i in found] == [
        ("read", "attribute", "fs", 1),
        ("read", "get", "web", 2),
        ("provide", "provide", "db", 3),
        ("inject", "required", "timer", 4),
        ("inject", "optional", "web", 5),
        ("inject", "required", "fs", 5),
        ("mount", "plugin", "pkg.mod.g", 6),
    ]


def test_sites_belong_to_plugins(tmp_path: Path) -> None:
    """A site belongs to the innermost plugin around it."""
    found = sites(
        tmp_path,
        """name = "outer"
def apply(ctx: Context) -> None:
    ctx.emit(one)
    def deep(): ctx.emit(one)

class Inner(Service, key="inner"):
    def go(self): self.ctx.emit(one)
""",
    )
    assert [(site.function, site.plugin) for site in found] == [
        ("pkg.mod.apply", "pkg.mod"),
        ("pkg.mod.apply.deep", "pkg.mod"),
        ("pkg.mod.Inner.go", "pkg.mod:Inner"),
    ]


def test_helpers_count_as_dispatch(tmp_path: Path) -> None:
    """An event handed to another function is dispatched there, by what its mode says."""
    found = sites(
        tmp_path,
        "def f(ctx):\n    ctx.registry.tell(one, 1)\n    isinstance(one, str)\n    tell(NAME)\n",
    )
    dispatched = [site for site in found if site.kind == "dispatch"]
    assert [(i.verb, i.name, i.arguments) for i in dispatched] == [("emit", "a/one", -1)]


HELPERS = """
from functools import partial
from toolset import Context, event


@event("a/one", mode="emit")
def one(x: int) -> None: ...


def fire(ctx: Context, ev: object, *, other: object = None) -> None:
    ctx.bail(ev, 1)
    ctx.emit(other, 1)


def hear(ctx: Context, ev: object) -> None:
    ctx.on(ev, print)


class Helper:
    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx

    def tell(self, ev: object) -> None:
        self.ctx.serial(ev, 1)

    def all(self) -> None:
        CODE


def f(ctx: Context) -> None:
    CODE
"""


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("fire(ctx, one)", ("dispatch", "bail", -1)),
        ("fire(ctx, ev=one)", ("dispatch", "bail", -1)),
        ("fire(ctx, None, other=one)", ("dispatch", "emit", 1)),
        ("hear(ctx, one)", ("listen", "on", 1)),
        ("partial(ctx.bail, one)", ("dispatch", "bail", -1)),
        ("partial(ctx.on, one)", ("listen", "on", -1)),
        ("elsewhere(ctx, one)", ("dispatch", "emit", -1)),
    ],
)
def test_helper_says_its_verb(tmp_path: Path, code: str, expected: tuple[str, str, int]) -> None:
    """An event given to a helper is used as the helper uses that parameter."""
    text = HELPERS.replace("    def all(self) -> None:\n        CODE\n", "").replace("CODE", code)
    model = scan(tmp_path, f"# === FILE: pkg/__init__.py\n# === FILE: pkg/mod.py\n{text}").model
    found = [
        s for s in model.sites if s.function == "pkg.mod.f" and s.kind in {"dispatch", "listen"}
    ]
    assert [(s.kind, s.verb, s.arguments) for s in found] == [expected]
    assert found[0].name == "a/one"


def test_own_method_says_its_verb(tmp_path: Path) -> None:
    """A method that is given an event through `self` is a helper too."""
    text = HELPERS.replace("CODE", "self.tell(one)", 1).replace("CODE", "pass")
    model = scan(tmp_path, f"# === FILE: pkg/__init__.py\n# === FILE: pkg/mod.py\n{text}").model
    found = [s for s in model.sites if s.function == "pkg.mod.Helper.all" and s.kind == "dispatch"]
    assert [(s.verb, s.name) for s in found] == [("serial", "a/one")]


def test_overload_of_signature_is_counted(tmp_path: Path) -> None:
    """Coroutine listeners say so."""
    (site,) = sites(tmp_path, "async def h(x: int) -> str: ...\ndef f(ctx): ctx.on(one, h)\n")
    assert site.listener is not None
    assert (site.listener.is_async, site.listener.returns) == (True, "str")
