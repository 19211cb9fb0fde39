"""Evaluation: code as it stands, as the body of an async function, in a namespace of its own."""

from __future__ import annotations

import asyncio
import gc
import linecache
import signal
import threading
import weakref

import pytest
from mounting import evaluated

from toolset.cordis.errors import MountError, MountSyntaxError, MountTimeoutError
from toolset.cordis.evaluate import evaluate, forget, parse
from toolset.cordis.guard import Guard
from toolset.cordis.sandbox import make_namespace

VALID = {
    "with as": "import io\nwith io.StringIO('a') as f:\n    x = f.read()\nreturn x == 'a'",
    "except as": "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    x = str(e)\nreturn bool(x)",
    "import as": "import math as m\nfrom json import dumps as d\nreturn m.pi > 3 and d(1) == '1'",
    "decorator": "import functools\n@functools.cache\ndef f(n): return n\nreturn f(1) == f(1)",
    "match": "match {'a': [1, 2]}:\n    case {'a': [x, *rest]}: return (x, rest) == (1, [2])",
    "f-string": "d = {'k': 3}\nreturn f\"{d['k']}{{}} {[i for i in range(2)]!r:>8}\" == '3{}   [0, 1]'",
    "comprehension": "n = 2\nreturn [n * i for i in range(3)] == [0, 2, 4]",
    "async comprehension": "async def g():\n    yield 1\nreturn [x async for x in g()] == [1]",
    "class": "class A:\n    x = 1\n    def y(self): return __class__\nreturn A().y() is A",
    "closure": "n = 0\ndef up():\n    nonlocal n\n    n += 1\nup(); up()\nreturn n == 2",
    "global": "def put():\n    global g\n    g = 5\nput()\nreturn globals()['g'] == 5",
    "recursion": "def fac(n): return 1 if n < 2 else n * fac(n - 1)\nreturn fac(5) == 120",
    "multi-line string": 's = """a\n   b\n\tc  \n"""\nreturn s == "a\\n   b\\n\\tc  \\n"',
    "return in string": 'x = "return 1; const y => // null"\nreturn len(x) == 28',
    "future": "from __future__ import annotations\ndef f(x: Unknown) -> 1 / 0: pass\nreturn True",
    "docstring and future": '"""D."""\nfrom __future__ import annotations\nreturn True',
    "walrus": "return (n := 3) == n",
    "lambda": "return (lambda *a, **k: len(a) + len(k))(1, b=2) == 2",
    "star args": "a, *b = range(3)\nreturn [*b, *{**{'x': 1}}] == [1, 2, 'x']",
    "return only in branch": "if True:\n    return True",
    "dataclass": "from dataclasses import dataclass, field\n@dataclass\nclass P:\n    x: int\n"
    "    y: list[int] = field(default_factory=list)\nreturn P(1) == P(1, [])",
    "dataclass and future": "from __future__ import annotations\nfrom dataclasses import dataclass\n"
    "@dataclass(frozen=True, slots=True)\nclass P:\n    x: int = 1\nreturn P().x == 1",
    "enum": "import enum\nclass C(enum.Enum):\n    A = enum.auto()\nreturn C['A'].value == 1",
    "named tuple": "from typing import NamedTuple\nclass N(NamedTuple):\n    a: int\nreturn N(1).a == 1",
    "typed dict": "from typing import TypedDict\nclass T(TypedDict):\n    a: int\nreturn T(a=1) == {'a': 1}",
    "model": "from __future__ import annotations\nfrom pydantic import BaseModel\n"
    "class Inner(BaseModel):\n    n: int\nclass M(BaseModel):\n    inner: Inner\n"
    "return M(inner={'n': 1}).inner.n == 1",
    "hints": "from __future__ import annotations\nimport typing\nclass A: pass\ndef f(x: A): pass\n"
    "return typing.get_type_hints(f)['x'] is A",
    "tabs": "if True:\n\treturn True",
    "form feed": "x = 1\n\x0creturn True",
    "semicolons": "a = 1; b = 2; return a + b == 3",
    "backslash": "x = 1 + \\\n    1\nreturn x == 2",
    "deep expression": "return " + " + ".join(["1"] * 500) + " == 500",
    "unicode": "größe = '→'\nreturn größe == '→'",
    "type ignore": "x = 1  # type: ignore\nreturn True",
    "name guard": "if __name__ == '__main__':\n    x = 1\nreturn True",
    "async with": "class C:\n    async def __aenter__(self): return 1\n"
    "    async def __aexit__(self, *a): pass\nasync with C() as x:\n    pass\nreturn x == 1",
    "nonlocal function": "def f(): return 1\ndef g():\n    nonlocal f\n    f = lambda: 2\ng()\nreturn f() == 2",
    "exec": "d = {}\nexec('x = 1', d)\nreturn d['x'] == 1",
    "warning": "return '\\d' == chr(92) + 'd'",
    "finally": "try:\n    pass\nfinally:\n    x = True\nreturn x",
    "del": "import json\ndel json\nreturn True",
}


@pytest.mark.parametrize("code", VALID.values(), ids=VALID)
def test_valid_python_runs(run, code: str) -> None:
    """Valid Python of every kind is accepted and means what it means anywhere."""
    assert run(evaluated(code)) is True


@pytest.mark.parametrize(
    "text",
    [
        "```python\nreturn 5\n```",
        "```\nreturn 5\n```\n",
        "\n~~~py\nreturn 5\n~~~",
        "````python\nreturn 5\n````",
        "  ```python\n  return 5\n  ```",
        "```python\nreturn 5",
        "```python\r\nreturn 5\r\n```\r\n",
        "\ufeffreturn 5",
        "\ufeff```python\nreturn 5\n```",
        "    x = 5\n    return x",
        "\n\n\tx = 5\n\treturn x",
        "    # first\n    x = 5\n\n    return x\n",
        "x = 5\r\nreturn x\r\n",
        "x = 5\rreturn x\r",
        "return 5  # ```",
    ],
)
def test_wrapping_is_removed(run, text: str) -> None:
    """Fences, a byte order mark, foreign line ends and a common indentation do no harm."""

    async def main() -> object:
        source = parse(text, "dyn-1")
        try:
            return await evaluate(source, make_namespace("dyn-1"), guard=Guard(1))
        finally:
            forget(source)

    assert run(main()) == 5


@pytest.mark.parametrize(
    ("text", "awaits"),
    [
        ("return 1", False),
        ("for n in range(300):\n    a.b(n)\nreturn a", False),
        ("async def f():\n    await g()\nreturn f", False),
        ("return (x async for x in y)", False),
        ("await f()\nreturn 1", True),
        ("async for x in y:\n    pass\nreturn 1", True),
        ("async with x:\n    return 1", True),
        ("return [x async for x in y]", True),
        ("@(await f())\ndef g(): pass\nreturn g", True),
        ("def g(x=await f()): pass\nreturn g", True),
        ("class A(await f()): pass\nreturn A", True),
    ],
)
def test_awaiting_code_is_known(text: str, *, awaits: bool) -> None:
    """Whether the top level can be suspended is read off the code, not off its functions."""
    assert parse(text, "dyn-1").awaits is awaits


def test_fence_in_string_stays(run) -> None:
    """A fence inside a string of fenced code belongs to the string."""
    assert (
        run(evaluated("```python\ns = '''\n```\nx\n```\n'''\nreturn s\n```")) == "\n```\nx\n```\n"
    )


def test_indented_strings_stay(run) -> None:
    """Code that is indented as a whole keeps every character of its strings."""

    async def main() -> object:
        source = parse("    s = '''a\n  b\n        c'''\n    return s", "dyn-1")
        try:
            return await evaluate(source, make_namespace("dyn-1"), guard=Guard(1))
        finally:
            forget(source)

    assert run(main()) == "a\n  b\n        c"


@pytest.mark.parametrize(
    "text",
    [
        "\n\nimport json\ndef f():\n    raise ValueError('no')\nf()\nreturn 1",
        "\n\n    import json\n    def f():\n        raise ValueError('no')\n    f()\n    return 1",
        "# a\r\n# b\r\nimport json\r\ndef f():\r\n    raise ValueError('no')\r\nf()\r\nreturn 1",
    ],
)
def test_traceback_is_own(run, text: str) -> None:
    """An error shows the mount's own lines only, with their numbers and texts."""

    async def main() -> str:
        with pytest.raises(MountError) as caught:
            await evaluate(parse(text, "dyn-1"), make_namespace("dyn-1"), guard=Guard(1))
        return str(caught.value)

    assert run(main()) == (
        "dyn-1 raised ValueError: no\n"
        "  line 6, at the top level\n    f()\n"
        "  line 5, in f\n    raise ValueError('no')"
    )


def test_cause_is_shown(run) -> None:
    """What an error was raised from is shown with its own lines."""

    async def main() -> str:
        with pytest.raises(MountError) as caught:
            await evaluated(
                "try:\n    {}['k']\nexcept KeyError as e:\n    raise ValueError from e\nreturn"
            )
        return str(caught.value)

    assert "because of KeyError: 'k'\n  line 2, at the top level\n    {}['k']" in run(main())


@pytest.mark.parametrize("name", ["SystemExit", "KeyboardInterrupt", "GeneratorExit('x')"])
def test_exits_are_contained(run, name: str) -> None:
    """What would end the host is an error of the mount when its code raises it."""

    async def main() -> str:
        with pytest.raises((MountError, GeneratorExit)) as caught:
            await evaluated(f"raise {name}\nreturn 1")
        return str(caught.value)

    assert name.partition("(")[0] in run(main()) or name.startswith("GeneratorExit")


def test_stray_cancellation_is_contained(run) -> None:
    """A cancellation that mounted code makes up is an error; a real one cancels."""

    async def main() -> bool:
        with pytest.raises(MountError, match="CancelledError"):
            await evaluated("import asyncio\nraise asyncio.CancelledError\nreturn 1")
        task = asyncio.ensure_future(
            evaluated("import asyncio\nawait asyncio.Event().wait()\nreturn 1")
        )
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return task.cancelled()

    assert run(main())


def test_real_interrupt_passes() -> None:
    """A Ctrl-C of the person at the terminal is not taken for an error of the mount."""
    main = threading.main_thread().ident
    assert main is not None
    timer = threading.Timer(0.05, signal.pthread_kill, (main, signal.SIGINT))
    loop = asyncio.new_event_loop()
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            loop.run_until_complete(evaluated("while True: pass\nreturn 1", limit=10))
    finally:
        timer.join()
        loop.close()
        gc.collect()


def test_bound_strikes_evaluation(run) -> None:
    """A stretch over its bound ends the evaluation, though the code hides it."""

    async def main() -> MountTimeoutError:
        with pytest.raises(MountTimeoutError) as caught:
            await evaluated(
                """
                def spin():
                    while True: pass
                try:
                    spin()
                except BaseException:
                    pass
                def plugin(ctx): pass
                return plugin
                """,
                limit=0.03,
            )
        return caught.value

    error = run(main())
    assert (error.line, error.place) == (3, "in spin")
    assert error.text == "while True: pass"


def test_namespaces_are_apart(run) -> None:
    """Global writes of one mount, of builtins too, are not seen by another."""

    async def main() -> object:
        await evaluated("global leak\nleak = 1\n__builtins__['len'] = None\nreturn 1")
        return await evaluated("return 'leak' in globals(), len('ab')", "dyn-2")

    assert run(main()) == (False, 2)


def test_lines_are_forgotten(run) -> None:
    """The lines kept for tracebacks are gone once a mount is over or has failed."""

    async def main() -> list[bool]:
        source = parse("return 1", "dyn-7")
        await evaluate(source, make_namespace("dyn-7"), guard=Guard(1))
        kept = [source.filename in linecache.cache]
        forget(source)
        kept.append(source.filename in linecache.cache)
        with pytest.raises(MountError):
            await evaluate(
                parse("1 / 0\nreturn 1", "dyn-8"), make_namespace("dyn-8"), guard=Guard(1)
            )
        return [*kept, "<mount:dyn-8>" in linecache.cache]

    assert run(main()) == [True, False, False]


def test_warnings_become_notes() -> None:
    """What the compiler warns about is kept, and never turned into a refusal."""
    (note,) = parse("x = '\\d'\nreturn x", "dyn-1").warnings
    assert note.startswith("line 1: invalid escape sequence")


def test_mount_is_collected(run) -> None:
    """Nothing keeps what a mount defined once its value is dropped."""

    async def main() -> object:
        value = await evaluated("class A:\n    pass\nreturn A")
        return weakref.ref(value)

    reference = run(main())
    gc.collect()
    assert reference() is None


@pytest.mark.parametrize("part", ["-{}", "{}+1", "{}.b", "{}()", "not {}", "{}[0]"])
@pytest.mark.parametrize("depth", [500, 3000, 40_000])
def test_depth_is_survived(part: str, depth: int) -> None:
    """Code of any depth is either run or refused as nested too deeply, never an error of ours."""
    before, after = part.split("{}")
    code = f"def f(a):\n    return {before * depth}a{after * depth}\nreturn f"
    try:
        source = parse(code, "dyn-1")
    except MountSyntaxError as error:
        assert "nest" in str(error)  # noqa: PT017 - which depth is too deep is the interpreter's
    else:
        assert source.text == code


@pytest.mark.parametrize(
    "code", ["return '\ud800'", "return '\0'", "return " + "(" * 300 + ")" * 300]
)
def test_odd_text_is_refused(code: str) -> None:
    """Text that is no Python source at all is refused as a syntax error of the mount."""
    with pytest.raises(MountSyntaxError, match="the code of dyn-1 was not run"):
        parse(code, "dyn-1")
