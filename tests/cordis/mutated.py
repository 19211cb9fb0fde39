"""Broken code for the fuzz session: correct plugins cut, mixed and poisoned; schemas of any shape."""

from __future__ import annotations

import random
import re

from corpus_cases import CORPUS
from hypothesis import strategies as st
from toolset_host import GREETER

__all__ = ["CODE", "DEEP", "SCHEMAS", "SEEDS"]

SEEDS = [*CORPUS.values(), GREETER]
WORDS = re.findall(r"[A-Za-z_]\w*", " ".join(SEEDS))

# What a stretch of mounted code may do to its host; each can stand wherever a statement can.
POISON = [
    "while True: pass",
    "while True:\n    try: raise ValueError\n    except BaseException: pass",
    "raise SystemExit(3)",
    "raise KeyboardInterrupt",
    "raise GeneratorExit",
    "import asyncio; raise asyncio.CancelledError",
    "raise StopIteration",
    "raise BaseException('bare')",
    "def again(): again()\nagain()",
    "1 / 0",
    "ctx = None",
    "ctx.root",
    "ctx.provide('fs', 1)",
    "ctx.provide('fuzzed', ctx)",
    "ctx.on('tools/change', lambda: 1 / 0)",
    "ctx.on('tools/pre-execute', lambda call, next: None)",
    "ctx.on('tools/result', lambda call, result: ctx.emit('fuzz/echo', result))",
    "ctx.effect(lambda: lambda: 1 / 0)",
    "ctx.effect(lambda: 3)",
    "ctx.set_interval(lambda: 1 / 0, 0.001)",
    "ctx.tools.register(3)",
    "ctx.tools.register(harness.define_tool({}))",
    "return",
    "return 3",
    "return ctx",
    "yield",
    "await ctx.timer.sleep(60)",
    "print('\\ud800')",
    "import os, socket, threading",
    "open('x')",
    "class Mean:\n    def __repr__(self): raise ValueError\n    __str__ = __eq__ = __hash__ = __repr__",
    "del __builtins__",
    "globals().clear()",
    "apply = apply",
    "apply.inject = object()",
    "apply.name = 3",
    "apply.Config = 3",
    "global apply",
    "nonlocal apply",
    "async def agen():\n    yield 1\nctx.spawn(agen())",
    "ctx.spawn(ctx.timer.sleep(60))",
    "event('fuzz/same', mode='emit')(lambda: None)",
    "from toolset import *",
    "assert False, '\\ud800'",
]


def tokens_of(code: str) -> list[str]:
    """Split code into words, blanks and single characters."""
    return re.findall(r"\w+|\s+|.", code)


def mutate_tokens(code: str, rng: random.Random) -> str:
    """Drop, double, swap or replace a token."""
    parts = tokens_of(code)
    if not parts:
        return code
    at, other = rng.randrange(len(parts)), rng.randrange(len(parts))
    match rng.randrange(4):
        case 0:
            del parts[at]
        case 1:
            parts.insert(other, parts[at])
        case 2:
            parts[at], parts[other] = parts[other], parts[at]
        case _:
            parts[at] = rng.choice(WORDS)
    return "".join(parts)


def mutate_lines(code: str, rng: random.Random) -> str:
    """Drop, double or move a line, or shift it."""
    lines = code.splitlines(keepends=True) or [""]
    at = rng.randrange(len(lines))
    match rng.randrange(4):
        case 0:
            del lines[at]
        case 1:
            lines.insert(rng.randrange(len(lines) + 1), lines[at])
        case 2:
            lines.insert(rng.randrange(len(lines)), lines.pop(at))
        case _:
            lines[at] = lines[at][2:] if lines[at].startswith("  ") else f"    {lines[at]}"
    return "".join(lines)


def mutate_characters(code: str, rng: random.Random) -> str:
    """Put a strange character somewhere, or cut the code there."""
    at = rng.randrange(len(code) + 1)
    strange = rng.choice(
        ["", "\0", "\ud800", "\u2028", "\f", "é", "{", ")", "'", '"""', "#", "\\", "\t"]
    )
    return code[:at] + strange + (code[at:] if strange else "")


def poison(code: str, rng: random.Random) -> str:
    """Put a hostile statement before one of the lines, indented as that is."""
    lines = code.splitlines(keepends=True) or ["\n"]
    at = rng.randrange(len(lines))
    indent = re.match(r"\s*", lines[at])[0].strip("\n")
    added = "".join(f"{indent}{line}\n" for line in rng.choice(POISON).split("\n"))
    return "".join([*lines[:at], added, *lines[at:]])


def splice(code: str, rng: random.Random) -> str:
    """Go on with the end of another plugin."""
    one, other = code.splitlines(keepends=True), rng.choice(SEEDS).splitlines(keepends=True)
    return "".join(one[: rng.randrange(len(one) + 1)] + other[rng.randrange(len(other)) :])


MUTATORS = [mutate_tokens, mutate_lines, mutate_characters, poison, poison, splice]


def mutated(seed: str, rng: random.Random, times: int) -> str:
    """Apply some mutators, one after the other."""
    for _ in range(times):
        seed = rng.choice(MUTATORS)(seed, rng)
    return seed


CODE = st.builds(
    mutated, st.sampled_from(SEEDS), st.randoms(use_true_random=True), st.integers(1, 4)
)

DEPTHS = [60, 150, 400, 1000, 3000, 20_000]
DEEP = {
    "parentheses": lambda n: "x = " + "(" * n + "1" + ")" * n,
    "lists": lambda n: "x = " + "[" * n + "]" * n,
    "minus": lambda n: "x = " + "-" * n + "1",
    "not": lambda n: "x = " + "not " * n + "1",
    "attributes": lambda n: "x = apply" + ".a" * n,
    "calls": lambda n: "x = lambda: apply" + "()" * n,
    "ctx calls": lambda n: "def f(ctx): ctx" + ".on()" * n,
    "sums": lambda n: "x = 1" + "+1" * n,
    "ands": lambda n: "x = " + " and ".join(["1"] * n),
    "comparisons": lambda n: "x = 1" + "<1" * n,
    "conditions": lambda n: "x = " + "1 if 1 else " * n + "1",
    "lambdas": lambda n: "x = " + "lambda: " * n + "1",
    "subscripts": lambda n: "x = lambda: apply" + "[0]" * n,
    "elifs": lambda n: "if 0: pass\n" + "elif 0: pass\n" * n,
    "blocks": lambda n: (
        "".join(f"{' ' * i}if 1:\n" for i in range(min(n, 200))) + " " * min(n, 200) + "x = 1"
    ),
    "strings": lambda n: "x = " + "f'{" * min(n, 200) + "1" + "}'" * min(n, 200),
    "statements": lambda n: "x = 1\n" * n,
    "awaits": lambda n: "async def f(): " + "await " * n + "g()",
    "stars": lambda n: "def f(): return " + "*" * n + "g",
    "decorators": lambda n: "@harness.tool\n" * n + "def f(): pass",
    "assignments": lambda n: "x = " * n + "1",
    "patterns": lambda n: "match 1:\n    case " + "[" * n + "]" * n + ": pass",
}


class Source(str):
    """Python source, which stands for its value."""

    __slots__ = ()
    __repr__ = str.__str__


KEYWORDS = [
    *("type", "properties", "items", "required", "enum", "const", "oneOf", "anyOf", "allOf", "not"),
    *(
        "additionalProperties",
        "default",
        "examples",
        "$ref",
        "$defs",
        "pattern",
        "minimum",
        "title",
    ),
    *("__proto__", "größe", "", "description", "format", "if", "multipleOf", "$schema", "$id"),
]
LEAVES = st.sampled_from(
    [
        *("string", "number", "integer", "boolean", "null", "object", "array", "json", "strng"),
        *(
            None,
            True,
            False,
            0,
            -1,
            2.5,
            "",
            "a",
            "#",
            "#/$defs/a",
            "#/properties/a",
            "(",
            "\ud800",
        ),
    ]
) | st.sampled_from(
    ["float('nan')", "float('inf')", "-0.0", "{1}", "b'x'", "object()", "(1, 2)", "int"]
).map(Source)


SCHEMAS = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(KEYWORDS) | st.just(3), inner, max_size=5)
    ),
    max_leaves=12,
)
