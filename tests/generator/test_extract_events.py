"""Events declared in every form that the runtime allows: listed, or refused with a message."""

from __future__ import annotations

from pathlib import Path

import pytest
from extracting import Scan, scan

HEAD = '''# === FILE: pkg/__init__.py
# === FILE: pkg/names.py
EMIT = "emit"
class Modes:
    EMIT = "emit"
# === FILE: pkg/mod.py
import sys
from functools import partial
from typing import TYPE_CHECKING

import toolset
from pkg import names
from pkg.names import EMIT, Modes
from toolset import Context, event
from toolset.runtime import event as declare

def fn(x: int) -> None:
    """Happened.

    Args:
        x: A number.
    """

same = event
'''
LINES = HEAD.count("\n", HEAD.index("pkg/mod.py")) - 1


def declared(root: Path, code: str) -> Scan:
    return scan(root, HEAD + code)


@pytest.mark.parametrize(
    ("code", "path"),
    [
        ('one = event("a/one", mode="emit")(fn)', "pkg.mod.one"),
        ('one = toolset.event("a/one", mode="emit")(fn)', "pkg.mod.one"),
        ('one = declare("a/one", mode="emit")(fn)', "pkg.mod.one"),
        ('one = same("a/one", mode="emit")(fn)', "pkg.mod.one"),
        ('one: object = event("a/one", mode="emit")(fn)', "pkg.mod.one"),
        ('one = event(name="a/one", mode="emit")(fn)', "pkg.mod.one"),
        ('emits = event("a/one", mode="emit")\none = emits(fn)', "pkg.mod.one"),
        (
            'emits = event("a/one", mode="emit")\n@emits\ndef one(x: int) -> None: ...',
            "pkg.mod.one",
        ),
        ('class E:\n    one = event("a/one", mode="emit")(fn)', "pkg.mod.E.one"),
        (
            'class E:\n    class I:\n        one = event("a/one", mode="emit")(fn)',
            "pkg.mod.E.I.one",
        ),
        (
            'class E:\n    @event("a/one", mode="emit")\n    def one(x: int) -> None: ...',
            "pkg.mod.E.one",
        ),
        ('@event("a/one", mode=EMIT)\ndef one(x: int) -> None: ...', "pkg.mod.one"),
        ('@event("a/one", mode=names.EMIT)\ndef one(x: int) -> None: ...', "pkg.mod.one"),
        ('@event("a/one", mode=Modes.EMIT)\ndef one(x: int) -> None: ...', "pkg.mod.one"),
        ('one = event("a/one", mode=names.Modes.EMIT)(fn)', "pkg.mod.one"),
        ('if sys.platform:\n    one = event("a/one", mode="emit")(fn)', "pkg.mod.one"),
        (
            (
                'if sys.platform == "win32":\n    @event("a/one", mode="emit")\n    def one(x: int) -> None: ...\n'
                'else:\n    @event("a/one", mode="emit")\n    def one(x: int) -> None: ...'
            ),
            "pkg.mod.one",
        ),
        (
            (
                "try:\n    import fast\nexcept ImportError:\n    pass\nelse:\n"
                '    @event("a/one", mode="emit")\n    def one(x: int) -> None: ...'
            ),
            "pkg.mod.one",
        ),
    ],
)
def test_declaration_is_listed(tmp_path: Path, code: str, path: str) -> None:
    """What runs on import and has a name is listed with mode and signature."""
    model = declared(tmp_path, code + "\n").model
    assert [(e.name, e.mode, e.path) for e in model.catalog.events] == [("a/one", "emit", path)]
    assert model.catalog.events[0].signature == "one(x: int) -> None"
    assert model.diagnostics == ()


def test_lambda_is_a_declaration(tmp_path: Path) -> None:
    """The runtime takes a lambda; it is listed, and the rules ask for what it cannot say."""
    model = declared(tmp_path, 'one = event("a/one", mode="emit")(lambda x: None)\n').model
    assert [e.signature for e in model.catalog.events] == ["one(x)"]
    facts = {(f.kind, f.name) for f in model.doc_facts if f.subject == "pkg.mod.one"}
    assert facts >= {("no docstring", ""), ("no annotation", "x")}


def test_applied_event_is_dispatched(tmp_path: Path) -> None:
    """An event that was declared by a call is known where it is used, under any name."""
    code = (
        'one = event("a/one", mode="emit")(fn)\nuno = one\n'
        "def f(ctx: Context):\n    ctx.emit(one, 1)\n    ctx.emit(uno, 1)\n    ctx.on(one, print)\n"
    )
    found = declared(tmp_path, code).model.sites
    assert [(s.kind, s.name) for s in found if s.kind in {"dispatch", "listen"}] == [
        ("dispatch", "a/one"),
        ("dispatch", "a/one"),
        ("listen", "a/one"),
    ]


def test_kept_decorator_declares_twice(tmp_path: Path) -> None:
    """A decorator that is used twice declares one name twice, which is a violation."""
    code = (
        'emits = event("a/one", mode="emit")\n'
        "@emits\ndef one(x: int) -> None: ...\n@emits\ndef two(x: int) -> None: ...\n"
    )
    declarations = [d for d in declared(tmp_path, code).model.declarations if d.kind == "event"]
    assert [(d.path, d.location.line - LINES) for d in declarations] == [
        ("pkg.mod.one", 2),
        ("pkg.mod.two", 4),
    ]


@pytest.mark.parametrize(
    ("code", "line", "words"),
    [
        (
            'def f():\n    @event("a/one", mode="emit")\n    def one(): ...',
            2,
            "inside function 'pkg.mod.f'",
        ),
        ('def f():\n    one = event("a/one", mode="emit")(fn)', 2, "inside function"),
        ('def f():\n    return event("a/one", mode="emit")', 2, "inside function"),
        ('def f(name):\n    return event(name, mode="emit")', 2, "inside function"),
        ('class A:\n    def f(self):\n        event("a/one", mode="emit")(fn)', 3, "'pkg.mod.A.f'"),
        ('events = [event("a/one", mode="emit")(fn)]', 1, "under no name"),
        ('event("a/one", mode="emit")(fn)', 1, "under no name"),
        ('one = event("a/one", mode="emit")(load())', 1, "does not tell its signature"),
        ('emits = partial(event, mode="emit")\n@emits("a/one")\ndef one(): ...', 1, "event"),
        (
            (
                'if sys.platform:\n    @event("a/one", mode="emit")\n    def one(): ...\n'
                'else:\n    @event("a/two", mode="emit")\n    def one(): ...'
            ),
            5,
            "a branch that another hides",
        ),
        (
            'for n in "xy":\n    @event("a/one", mode="emit")\n    def one(): ...',
            2,
            "does not tell",
        ),
        (
            'match sys.platform:\n    case _:\n        one = event("a/one", mode="emit")(fn)',
            3,
            "declared",
        ),
    ],
)
def test_declaration_is_refused(tmp_path: Path, code: str, line: int, words: str) -> None:
    """What cannot be listed is refused at its line, with the way out."""
    found = declared(tmp_path, code + "\n").model.diagnostics
    refused = [d for d in found if d.rule == "EVT018"]
    assert [(d.path, d.line - LINES) for d in refused] == [("pkg/mod.py", line)]
    assert words in refused[0].message
    assert "at the top of the module" in refused[0].remedy


@pytest.mark.parametrize(
    "code",
    [
        'def f(event):\n    event("a/one", mode="emit")(fn)',
        'def f():\n    event = load()\n    return event("a/one", mode="emit")',
        'f = open("x", mode="r")',
        'mode = "emit"\ndef f(mode="emit"): ...\nf(mode="bail")',
    ],
)
def test_other_calls_are_no_declarations(tmp_path: Path, code: str) -> None:
    """Another function of that name, and other calls with a mode, declare nothing."""
    model = declared(tmp_path, code + "\n").model
    assert model.diagnostics == ()
    assert model.catalog.events == ()
