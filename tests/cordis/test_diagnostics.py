"""What came back instead of a plugin, and errors of running code, are described."""

from __future__ import annotations

import types

import pytest
from mounting import evaluated
from toolset_host import host

from toolset.cordis.diagnostics import check_plugin, mount_error
from toolset.cordis.errors import MountError, MountResultError

RESULTS = [
    ("return", "returned None"),
    ("return 5", "returned an int: 5"),
    ("return 'x'", "returned a str: 'x'"),
    ("return {'name': 'a', 'apply': 1}", "returned a dict with the keys 'name', 'apply'"),
    ("return {'name': 'a', 'apply': 1}", "make its keys the attributes of an object"),
    ("async def f(ctx): pass\nreturn f(1)", "returned a coroutine of `f`"),
    ("async def f(ctx): pass\nreturn f(1)", "return the function itself, do not call it"),
    ("def f(ctx): yield\nreturn f(1)", "returned a generator of `f`"),
    ("class A: pass\nreturn A()", "returned an A:"),
    ("class A:\n    apply = 3\nreturn A()", "which cannot be called"),
    ("class A(Service): pass\nreturn A", "has no key"),
    ("def f(ctx): pass\nf.inject = 'fs'\nreturn f", "write a list of service keys"),
    ("return (lambda ctx: None, 1)", "returned a tuple"),
]


@pytest.mark.parametrize(("code", "told"), RESULTS, ids=[row[1] for row in RESULTS])
def test_wrong_result_is_described(run, code: str, told: str) -> None:
    """A value that is no plugin is named, with the forms that are accepted."""
    with pytest.raises(MountResultError) as caught:
        check_plugin(run(evaluated(code)), "dyn-1")
    assert told in str(caught.value)
    assert ("class Greeter:" in str(caught.value)) is not ("is malformed" in str(caught.value))


PLUGINS = [
    "def f(ctx): pass\nreturn f",
    "async def f(ctx): pass\nreturn f",
    "return lambda ctx: None",
    "class A:\n    def __init__(self, ctx): pass\nreturn A",
    "class A:\n    def apply(self, ctx): pass\nreturn A()",
    "class A(Service, key='a'): pass\nreturn A",
    "import types\nreturn types.SimpleNamespace(name='a', inject=[], apply=lambda ctx: None)",
]


@pytest.mark.parametrize("code", PLUGINS)
def test_plugins_pass(run, code: str) -> None:
    """Every form of a plugin is accepted."""
    value = run(evaluated(code))
    check_plugin(value, "dyn-1")
    assert value is not None


def test_module_is_a_plugin() -> None:
    """A module with `apply` is accepted, one without it is not."""
    module = types.ModuleType("m")
    with pytest.raises(MountResultError, match="has no function `apply`"):
        check_plugin(module, "dyn-1")


def test_recursion_is_shortened(run) -> None:
    """A recursion without end shows its first and last lines, not a thousand."""
    with pytest.raises(MountError) as caught:
        run(evaluated("def f(): f()\nf()\nreturn 1"))
    text = str(caught.value)
    assert "RecursionError" in text
    assert len(text.splitlines()) < 50
    assert "more" in text


def test_huge_message_is_cut() -> None:
    """A huge message of an exception is not echoed whole."""
    assert len(str(mount_error(ValueError("x" * 100_000), "dyn-1"))) < 3000


def test_broken_text_is_survived() -> None:
    """An exception whose own text raises is described all the same."""

    class BrokenError(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    assert "BrokenError" in str(mount_error(BrokenError(), "dyn-1"))


MISTAKES = {
    "called plugin": (
        "async def apply(ctx): pass\nreturn apply()",
        "the runtime calls the plugin: return it, do not call it (`return apply`)",
    ),
    "no configuration": (
        "def apply(ctx, config): config['limit']\nreturn apply",
        "`config` is None: a mounted plugin is configured by the defaults of its `Config`",
    ),
    "decorator of a plugin": (
        "@plugin(inject=['fs'])\ndef apply(ctx): pass\nreturn apply",
        "a plugin needs no decorator: return the function",
    ),
    "decorator of a tool": (
        "@tool\ndef greet() -> str: return ''\nreturn print",
        "write `@harness.tool`",
    ),
    "service as a global": (
        "def apply(ctx): fs.read_text('a')\nreturn apply",
        'declare apply.inject = ["fs"] and use `ctx.fs`',
    ),
    "text as inject": (
        "def apply(ctx): pass\napply.inject = 'fs'\nreturn apply",
        "the plugin that the code of dyn-1 returned is malformed: `inject` of plugin <apply> is 'fs'",
    ),
    "no apply": ("class Job:\n    def run(self): pass\nreturn Job()", "it has no callable `apply`"),
    "swapped timer": (
        "def apply(ctx): ctx.set_timeout(5, print)\napply.inject = ['timer']\nreturn apply",
        "the function comes first: set_timeout(callback, seconds)",
    ),
    "misnamed service": (
        "def apply(ctx): ctx.timer.sleep\napply.inject = ['timing']\nreturn apply",
        "write apply.inject = [\"timer\"] after the function (nothing known provides 'timing': keep it only when",
    ),
    "another language": (
        "const apply = (ctx) => {\n  ctx.on('tools/change', () => {});\n};\nreturn apply;",
        "this looks like JavaScript, and the code must be Python",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_refusal_says_the_way(run, name: str) -> None:
    """A mistake that models make is refused with what to write instead."""
    code, way = MISTAKES[name]

    async def main() -> str:
        async with host() as h:
            return await h.refuse(code)

    assert way in run(main())
