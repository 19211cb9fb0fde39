"""Every mistake that a preflight finds, with the words it says."""

from __future__ import annotations

import pytest
from preflight_world import preflight

HEAD = "async def apply(ctx, config=None):\n"
TAIL = "\napply.inject = ['fs', 'timer', 'shell', 'store', 'cache', 'magic']\nreturn apply\n"

# One mistake each: the body of `apply`, the rule, a part of what is said.
MISTAKES = {
    "unknown method": (
        "await ctx.fs.raed_text('a')",
        "unknown-member",
        "did you mean async read_text(path: str",
    ),
    "unknown method of a service that only lives": (
        "await ctx.store.lod('k')",
        "unknown-member",
        "ctx.store (Store) has no 'lod'; did you mean async load(key: str) -> object?",
    ),
    "unknown method without a near name": (
        "ctx.shell.zzz()",
        "unknown-member",
        "ctx.shell (Shell) has no 'zzz'; it has run",
    ),
    "unknown method through a name": (
        "fs = ctx.fs\n    await fs.readtext('a')",
        "unknown-member",
        "did you mean async read_text",
    ),
    "unknown method through ctx.get": (
        "fs = ctx.get('fs')\n    fs.nope()",
        "unknown-member",
        "has no 'nope'",
    ),
    "unknown method in a nested function": (
        "def inner():\n        return lambda: ctx.fs.nope()\n    ctx.effect(inner)",
        "unknown-member",
        "has no 'nope'",
    ),
    "unknown method in a helper": (
        "def helper(c):\n        c.fs.nope()\n    helper(ctx)",
        "unknown-member",
        "has no 'nope'",
    ),
    "withheld method of tools": (
        "await ctx.tools.execute('a', {})",
        "unknown-member",
        "ctx.tools gives mounted code no 'execute'; it has get, register, schemas",
    ),
    "unknown keyword": (
        "await ctx.fs.read_text('a', enc='x')",
        "bad-arguments",
        "ctx.fs.read_text() has no parameter 'enc'; its signature is async read_text(path: str, *,",
    ),
    "too many arguments": (
        "await ctx.fs.read_text('a', 'utf-8')",
        "bad-arguments",
        "takes 1 positional argument, 2 given; pass encoding by name",
    ),
    "missing argument": ("await ctx.fs.write_text('a')", "bad-arguments", "is missing 'text'"),
    "argument given twice": (
        "await ctx.fs.read_text('a', path='b')",
        "bad-arguments",
        "is given 'path' twice",
    ),
    "no overload fits": (
        "await ctx.cache.get(1, 2, 3)",
        "bad-arguments",
        "fits none of its overloads",
    ),
    "arguments of a service that only lives": (
        "ctx.store.save('k', 1, 5)",
        "bad-arguments",
        "takes 2 positional arguments, 3 given; pass ttl by name",
    ),
    "arguments of ctx itself": ("ctx.on('tools/change')", "bad-arguments", "is missing 'listener'"),
    "arguments of a timer helper": (
        "ctx.set_timeout(print)",
        "bad-arguments",
        "ctx.set_timeout() is missing 'seconds'",
    ),
    "calling a property": (
        "ctx.fs.workspace()",
        "not-callable",
        "ctx.fs.workspace is a property (workspace: str), not a method",
    ),
    "coroutine dropped": (
        "ctx.fs.write_text('a', 'b')",
        "not-awaited",
        "ctx.fs.write_text() is a coroutine method: nothing runs, since its result is dropped; await it",
    ),
    "coroutine's result read": (
        "text = ctx.fs.read_text('a')\n    text.upper()",
        "not-awaited",
        "its result is read ('upper') too early",
    ),
    "coroutine never used": ("text = ctx.fs.read_text('a')", "not-awaited", "'text' is never used"),
    "coroutine formatted": (
        "ctx.logger.info(f'{ctx.fs.read_text(1)}')",
        "not-awaited",
        "formatted",
    ),
    "coroutine tested": (
        "if ctx.fs.list('.'):\n        pass",
        "not-awaited",
        "it is always true before it is awaited",
    ),
    "coroutine iterated": (
        "for name in ctx.fs.list('.'):\n        pass",
        "not-awaited",
        "it cannot be iterated with `for`; await it",
    ),
    "coroutine indexed": ("x = ctx.fs.list('.')[0]", "not-awaited", "indexed too early"),
    "coroutine passed to len": (
        "n = len(ctx.fs.list('.'))",
        "not-awaited",
        "`len` gets it too early",
    ),
    "coroutine added": ("x = 'a' + ctx.fs.read_text('a')", "not-awaited", "computed with"),
    "coroutine compared": ("x = ctx.fs.read_text('a') == 'b'", "not-awaited", "compared"),
    "coroutine entered": (
        "async with ctx.fs.read_text('a'):\n        pass",
        "not-awaited",
        "it cannot be entered with `async with`; await it",
    ),
    "coroutine of a service that only lives": (
        "ctx.store.load('k')",
        "not-awaited",
        "ctx.store.load() is a coroutine method",
    ),
    "parallel not awaited": ("ctx.parallel('app/ready', '1')", "not-awaited", "ctx.parallel()"),
    "asynchronous waterfall not awaited": (
        "x = ctx.waterfall('tools/pre-execute', 1, print).action",
        "not-awaited",
        "ctx.waterfall() is a coroutine method",
    ),
    "next not awaited": (
        (
            "async def guard(call, next):\n        decision = next()\n        return decision.action\n"
            "    ctx.on('tools/pre-execute', guard)"
        ),
        "not-awaited",
        "next() is a coroutine",
    ),
    "own coroutine dropped": (
        "async def save():\n        pass\n    save()",
        "not-awaited",
        "save() is a coroutine",
    ),
    "plain value awaited": (
        "await ctx.fs.join('a')",
        "not-awaited",
        "ctx.fs.join() returns str: it is not awaitable; drop the `await`",
    ),
    "emit awaited": ("await ctx.emit('tools/change', [])", "not-awaited", "it is not awaitable"),
    "async generator awaited": (
        "await ctx.fs.lines('a')",
        "not-awaited",
        "iterate with `async for`",
    ),
    "async generator in a plain for": (
        "for line in ctx.fs.lines('a'):\n        pass",
        "not-awaited",
        "it cannot be iterated with `for`; iterate with `async for`",
    ),
    "async generator in a comprehension": (
        "x = [line for line in ctx.fs.lines('a')]",
        "not-awaited",
        "iterate with `async for`",
    ),
    "async generator passed to list": ("x = list(ctx.fs.lines('a'))", "not-awaited", "async for"),
    "async context manager in a plain with": (
        "with ctx.fs.opened('a') as f:\n        pass",
        "not-awaited",
        "it cannot be entered with `with`; enter it with `async with`",
    ),
    "async context manager awaited": ("f = await ctx.fs.opened('a')", "not-awaited", "async with"),
    "context manager in async with": (
        "async with ctx.fs.locked('a'):\n        pass",
        "not-awaited",
        "enter it with `with`",
    ),
    "generator in async for": (
        "async for p in ctx.fs.walk('a'):\n        pass",
        "not-awaited",
        "iterate with `for`",
    ),
    "field that a result does not have": (
        "info = await ctx.fs.stat('a')\n    info.sise",
        "unknown-attribute",
        "ctx.fs.stat() gives Stat, which has no 'sise'; did you mean 'size'?",
    ),
    "method that a text does not have": (
        "(await ctx.fs.read_text('a')).decode()",
        "unknown-attribute",
        "ctx.fs.read_text() gives str, which has no 'decode'; did you mean 'encode'",
    ),
    "method of a plain result": (
        "ctx.fs.join('a').exists()",
        "unknown-attribute",
        "ctx.fs.join() gives str, which has no 'exists'",
    ),
    "listener without the parameter": (
        "ctx.on('tools/change', lambda: None)",
        "bad-listener",
        "the listener takes (), but event 'tools/change' calls it as change(names: list[str])",
    ),
    "listener with too many": (
        "async def listen(a, b):\n        pass\n    ctx.once('app/ready', listen)",
        "bad-listener",
        "takes (a, b), but event 'app/ready' calls it as async ready(version: str) -> None",
    ),
    "waterfall listener without next": (
        "ctx.on('text/filter', lambda text: text)",
        "bad-listener",
        "calls it as filter(text: str, next: Next[str])",
    ),
    "listener with a required keyword": (
        "def listen(names, *, strict):\n        pass\n    ctx.on('tools/change', listen)",
        "bad-listener",
        "takes (names, *, strict)",
    ),
    "undeclared service": (
        "ctx.tools\n    ctx.audit",
        "unknown-service",
        "ctx has no member 'audit' and inject does not declare a service of that name",
    ),
    "misspelt member of ctx": ("ctx.provid('a', 1)", "unknown-service", "did you mean ctx.provide"),
    "withheld internals": ("ctx.root.dispose()", "withheld", "ctx.root is withheld"),
    "private member of ctx": ("ctx._fiber", "withheld", "ctx._fiber is withheld"),
    "assignment to ctx": (
        "ctx.cache = {}",
        "read-only",
        'publish it with ctx.provide("cache", ...)',
    ),
    "wrong verb": (
        "ctx.emit('app/ready', '1')",
        "wrong-verb",
        "is declared with mode 'parallel', not 'emit'; write await ctx.parallel('app/ready', ...)",
    ),
    "wrong verb for a waterfall": (
        "await ctx.serial('text/filter', 'x')",
        "wrong-verb",
        "write ctx.waterfall('text/filter', ...)",
    ),
    "wrong dispatch arguments": (
        "ctx.emit('tools/change')",
        "bad-event-arguments",
        "is dispatched with 0 argument(s) after its name, but is declared as change(",
    ),
    "waterfall without inner default": (
        "ctx.waterfall('text/filter', 'x')",
        "bad-event-arguments",
        "'text/filter' is dispatched with 1",
    ),
    "own event, wrong listener": (
        (
            "@event('me/ping', mode='emit')\n    def ping(n: int) -> None: ...\n"
            "    ctx.on(ping, lambda: None)"
        ),
        "bad-listener",
        "calls it as ping(n: int)",
    ),
    "own event, wrong verb": (
        "@event('me/ping', mode='bail')\n    def ping(n: int) -> int: ...\n    ctx.emit(ping, 1)",
        "wrong-verb",
        "declared with mode 'bail'",
    ),
    "tool without output": (
        "harness.define_tool(name='a', description='b', parameters={}, execute=lambda a: 1)",
        "bad-tool",
        "harness.define_tool() is missing output",
    ),
    "tool with a bad name": (
        "harness.define_tool(name='a b', description='b', parameters={}, output={}, execute=print)",
        "bad-tool",
        "tool name 'a b' is refused; use 1 to 64 letters, digits, '_' and '-', such as 'a_b'",
    ),
    "tool body without parameter": (
        (
            "harness.define_tool(name='a', description='b', parameters={}, output={}, "
            "execute=lambda: 1)"
        ),
        "bad-tool",
        "execute takes (), but a tool's body is called as execute(args) or execute(args, call)",
    ),
    "plain function registered": (
        "def greet(name):\n        return name\n    ctx.tools.register(greet)",
        "bad-tool",
        "a plain function is registered as a tool; write @harness.tool above 'greet'",
    ),
    "dict registered": (
        "ctx.tools.register({'name': 'a'})",
        "bad-tool",
        "make it with harness.define_tool",
    ),
    "register_tool without the context": (
        (
            "@harness.tool\n    def greet(name: str) -> str:\n        return name\n"
            "    harness.register_tool(greet)"
        ),
        "bad-tool",
        "harness.register_tool(ctx, tool) takes the plugin's context first",
    ),
    "options without the body": (
        "harness.define_tool({'name': 'a', 'description': 'b', 'output': {}})",
        "bad-tool",
        "harness.define_tool() is missing execute",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_finds_each_mistake(name: str) -> None:
    """One certain mistake gives one finding that names the rule and the way out."""
    body, rule, said = MISTAKES[name]
    findings = preflight(f"{HEAD}    {body}{TAIL}")
    assert [f.rule for f in findings.mistakes] == [rule], findings
    assert said in findings.mistakes[0].message


# Likely mistakes: they never fail a mount.
NOTES = {
    "unknown event": (
        "ctx.on('tools/chang', print)",
        "unknown-event",
        "nothing known declares the event 'tools/chang'; did you mean 'tools/change'?",
    ),
    "dispatch of a nearly known event": (
        "ctx.emit('tool/change', [])",
        "unknown-event",
        "tools/change",
    ),
    "waterfall that never goes on": (
        "def deny(text, next):\n        return ''\n    ctx.on('text/filter', deny)",
        "next-not-called",
        "this listener of the waterfall 'text/filter' never calls 'next'",
    ),
    "coroutine returned from an async function": (
        "async def body(args):\n        return ctx.fs.read_text('a')\n    ctx.effect(lambda: body)",
        "not-awaited",
        "is returned without `await`",
    ),
    "mistake that everything around catches": (
        "try:\n        await ctx.fs.nope()\n    except Exception:\n        pass",
        "unknown-member",
        "has no 'nope'",
    ),
}


@pytest.mark.parametrize("name", NOTES)
def test_notes_likely_mistakes(name: str) -> None:
    """What is only likely a mistake is a note and fails nothing."""
    body, rule, said = NOTES[name]
    findings = preflight(f"{HEAD}    {body}{TAIL}")
    assert findings.mistakes == ()
    assert [f.rule for f in findings.notes] == [rule]
    assert said in findings.notes[0].message


def test_notes_unknown_injected_service() -> None:
    """An injected key that nothing knows is a note with the nearest name."""
    findings = preflight("def apply(ctx): pass\napply.inject = ['timr']\nreturn apply")
    assert findings.mistakes == ()
    assert findings.notes[0].message == (
        "nothing known provides the injected service 'timr'; did you mean 'timer'? "
        "The plugin stays pending until it is there"
    )


def test_shows_inject_line_to_write() -> None:
    """Reading a known service that is not declared shows the whole line."""
    findings = preflight(
        "def apply(ctx):\n    ctx.fs.join()\napply.inject = ['timer']\nreturn apply"
    )
    assert [str(f) for f in findings.mistakes] == [
        (
            "line 2: service 'fs' is read but not declared; "
            'write apply.inject = ["timer", "fs"] after the function'
        )
    ]


def test_asks_for_timer_behind_helper() -> None:
    """A helper that the timer adds to `ctx` needs the timer declared."""
    findings = preflight("def apply(ctx):\n    ctx.set_timeout(print, 1)\nreturn apply")
    assert [str(f) for f in findings.mistakes] == [
        (
            "line 2: service 'timer' is read but not declared; "
            'write apply.inject = ["timer"] after the function'
        )
    ]


DECLARED = {
    "a function": (
        "def go(ctx):\n    ctx.sleep(1)\nreturn go",
        'write go.inject = ["timer"] after the function',
    ),
    "a variable": (
        "inject = ['timer']\ndef go(ctx):\n    ctx.sleep(1)\nreturn go",
        (
            'write go.inject = ["timer"] after the function (the variable `inject` in line 1 has no '
            "effect: it is read off the plugin)"
        ),
    ),
    "a variable of apply": (
        "def go(ctx):\n    inject = ['timer']\n    ctx.sleep(1)\nreturn go",
        "(the variable `inject` in line 2 has no effect: it is read off the plugin)",
    ),
    "a factory": (
        "def make():\n    def go(ctx):\n        ctx.sleep(1)\n    return go\nreturn make()",
        'write go.inject = ["timer"] after the function',
    ),
    "a class": (
        "class P:\n    def __init__(self, ctx):\n        ctx.sleep(1)\nreturn P",
        'write inject = ["timer"] in the body of class P',
    ),
    "an object": (
        "class P:\n    def apply(self, ctx):\n        ctx.sleep(1)\nreturn P()",
        'write inject = ["timer"] in the body of class P',
    ),
    "a namespace": (
        (
            "from types import SimpleNamespace\ndef go(ctx):\n    ctx.sleep(1)\n"
            "return SimpleNamespace(apply=go)"
        ),
        'write inject=["timer"] among its keywords',
    ),
    "a lambda": (
        "go = lambda ctx: ctx.sleep(1)\nreturn go",
        'write go.inject = ["timer"] before the `return`',
    ),
}


@pytest.mark.parametrize("form", DECLARED)
def test_shows_where_to_declare(form: str) -> None:
    """The line to write is one that works in the form of plugin at hand."""
    code, said = DECLARED[form]
    undeclared = [f for f in preflight(code).mistakes if f.rule == "undeclared-service"]
    assert undeclared[0].message.endswith(said)


def test_judges_optional_read_by_get() -> None:
    """`ctx.get` of a known service needs a declaration too; of an unknown one it does not."""
    code = "def apply(ctx):\n    ctx.get('fs')\n    ctx.get('whatever')\nreturn apply"
    assert [f.rule for f in preflight(code).mistakes] == ["undeclared-service"]


def test_lists_all_mistakes_by_line() -> None:
    """Every mistake is listed, in the order of the lines."""
    code = f"{HEAD}    ctx.emit('app/ready', 1)\n    await ctx.fs.nope()\n    ctx.root{TAIL}"
    assert [f.line for f in preflight(code).mistakes] == [2, 3, 4]


FORMS = {
    "class": "class P:\n    inject = ['fs']\n    def __init__(self, ctx, config=None):\n"
    "        self.ctx = ctx\n        ctx.effect(self.go)\n"
    "    def go(self):\n        self.ctx.fs.nope()\nreturn P",
    "instance": "class P:\n    inject = ['fs']\n    def apply(self, ctx):\n        ctx.fs.nope()\nreturn P()",
    "service": "class P(Service, key='p'):\n    inject = ['fs']\n    async def start(self):\n"
    "        self.ctx.fs.nope()\nreturn P",
    "service constructor": "class P(Service, key='p'):\n    inject = ['fs']\n"
    "    def __init__(self, ctx, config=None):\n        super().__init__(ctx, config)\n"
    "        ctx.fs.nope()\nreturn P",
    "lambda": "plugin = lambda ctx: ctx.fs.nope()\nplugin.inject = ['fs']\nreturn plugin",
    "namespace": "from types import SimpleNamespace\ndef go(c):\n    c.fs.nope()\n"
    "return SimpleNamespace(name='p', inject=['fs'], apply=go)",
    "factory": "def make():\n    def plugin(context):\n        context.fs.nope()\n"
    "    plugin.inject = {'required': ['fs']}\n    return plugin\nreturn make()",
    "generator": "def apply(c):\n    c.fs.nope()\n    yield lambda: None\napply.inject = {'fs': {}}\nreturn apply",
    "helper class": "class H:\n    def __init__(self, ctx):\n        self.fs = ctx.fs\n"
    "    def go(self):\n        self.fs.nope()\n"
    "def apply(ctx):\n    H(ctx).go()\napply.inject = ['fs']\nreturn apply",
    "inherited inject": "class B:\n    inject = ['fs']\nclass P(B):\n    def __init__(self, ctx):\n"
    "        ctx.fs.nope()\nreturn P",
    "named inject": "KEYS = ['f' + 's']\ndef apply(ctx):\n    ctx.fs.nope()\napply.inject = KEYS\nreturn apply",
}


@pytest.mark.parametrize("form", FORMS)
def test_follows_context_everywhere(form: str) -> None:
    """The context is found in every form of plugin, and a service behind it is judged."""
    assert [f.rule for f in preflight(FORMS[form]).mistakes] == ["unknown-member"]
