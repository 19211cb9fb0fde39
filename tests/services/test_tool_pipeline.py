"""One call on its way: arguments, decisions, the body, its output, and what may go wrong at each."""

from __future__ import annotations

import asyncio
import dataclasses
import logging
import math
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from toolset import Context, Next, define_tool
from toolset.services.tools import (
    JsonValue,
    PreDecision,
    ToolCall,
    ToolRegistry,
    ToolResult,
)

ANY = {"schema": {"type": "json"}}


@asynccontextmanager
async def called(execute: Callable[..., object], **options: object) -> AsyncIterator[Context]:
    """Give a root context with a tool `t` that runs a body."""
    async with Context() as root:
        await root.plugin(ToolRegistry)

        def owner(ctx: Context) -> None:
            given = {"output": ANY, "description": "A tool.", **options}
            ctx.tools.register(define_tool({"name": "t", "execute": execute, **given}))

        owner.inject = ["tools"]
        await root.plugin(owner)
        yield root


def echo(args: dict[str, object]) -> object:
    return args


def test_result_has_text_and_value(run):
    """A result carries the value and the text a model reads: text as it is, the rest as JSON."""

    async def main() -> None:
        async with called(lambda args: args["x"], parameters={"x": {"type": "json"}}) as root:
            for value, text in (
                ("größe", "größe"),
                ({"a": [1, None]}, '{"a": [1, null]}'),
                (None, "null"),
            ):
                result = await root.tools.execute("t", {"x": value})
                assert (result.value, result.text, result.is_error) == (value, text, False)

    run(main())


def test_renderer_makes_content(run):
    """`render` decides what the model sees, as text or as blocks."""
    rendered: list[object] = [
        "plain",
        {"type": "text", "text": "block"},
        [{"type": "image", "data": ""}, "x"],
    ]

    async def main() -> None:
        async with called(
            lambda args: 3,
            output={"schema": {"type": "integer"}, "render": lambda args, value: rendered.pop(0)},
        ) as root:
            assert (await root.tools.execute("t")).text == "plain"
            assert (await root.tools.execute("t")).content == ({"type": "text", "text": "block"},)
            third = await root.tools.execute("t")
            assert [block["type"] for block in third.content] == ["image", "text"]
            assert third.value == 3

    run(main())


@pytest.mark.parametrize(
    ("rendered", "words"),
    [
        (5, "give text"),
        ([{"text": "x"}], "give text"),
        ([{"type": "text"}], "without `text`"),
        ({"type": "x", "y": {1}}, "is a set"),
    ],
)
def test_bad_rendering_is_error(run, rendered, words):
    """What `render` may not give is an error result that says so."""

    async def main() -> None:
        async with called(
            echo, output={"schema": {}, "render": lambda args, value: rendered}
        ) as root:
            result = await root.tools.execute("t")
            assert result.meta["code"] == "invalid_output"
            assert words in result.text

    run(main())


def test_arguments_are_validated(run):
    """Every violation of the arguments is listed with its path, and the body does not run."""
    parameters = {
        "path": {"type": "string", "required": True},
        "limit": {"type": "integer", "minimum": 1},
        "mode": {"type": "string", "enum": ["a", "b"]},
    }

    async def main() -> None:
        async with called(lambda args: pytest.fail("the body ran"), parameters=parameters) as root:
            result = await root.tools.execute("t", {"pth": "x", "limit": "nine" * 125, "mode": "c"})
            assert result.meta["code"] == "invalid_arguments"
            assert result.value is None
            lines = result.text.splitlines()
            assert "arguments.limit: expected integer, got string 'nine" in lines[1]
            assert lines[2] == "- arguments.mode: must be one of ('a', 'b'), got 'c'"
            assert lines[3].startswith("- arguments.path: is required and missing")
            assert lines[4].startswith("- arguments.pth: is not a known name (did you mean 'path'?")
            assert len(result.text) < 700

    run(main())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([1], "must be a JSON object, got array"),
        ("[1]", "must be a JSON object, got '[1]'"),
        ("{broken", "must be a JSON object"),
        (3, "must be a JSON object"),
        ({"x": math.nan}, "arguments.x: is nan"),
        ('{"x": NaN}', "arguments.x: is nan"),
        ({"x": {1}}, "arguments.x: is a set"),
        ({1: 2}, "key 1"),
        ("[" * 100_000, "must be a JSON object"),
    ],
)
def test_odd_arguments_are_refused(run, arguments, words):
    """Arguments that are no lossless JSON object are refused, whatever they are."""

    async def main() -> None:
        async with called(echo, parameters={"x": {"type": "json"}}) as root:
            result = await root.tools.execute("t", arguments)
            assert result.meta["code"] == "invalid_arguments"
            assert words in result.text

    run(main())


def test_deep_arguments_are_refused(run):
    """Arguments too deep to be checked are refused politely, under a schema of the same depth."""

    async def main() -> None:
        node: dict[str, object] = {"type": "string"}
        value: object = "leaf"
        for _ in range(5_000):
            node = {"type": "array", "items": node}
            value = [value]
        async with called(echo, parameters={"x": node}) as root:
            assert (await root.tools.execute("t", {"x": []})).value == {"x": []}
            result = await root.tools.execute("t", {"x": value})
            assert "nested deeper than 100 levels" in result.text

    run(main())


def test_json_text_is_decoded(run):
    """Arguments written as JSON text are decoded once; none at all are an empty object."""

    async def main() -> None:
        async with called(echo, parameters={"x": {"type": "json"}}) as root:
            assert (await root.tools.execute("t", '{"x": "{}"}')).value == {"x": "{}"}
            assert (await root.tools.execute("t")).value == {}

    run(main())


def test_body_cannot_change_call(run):
    """The body may change its arguments; the call that others see keeps what the model wrote."""
    given = {"x": [1]}

    async def main() -> None:
        seen: list[ToolCall] = []

        def execute(args: dict[str, list[int]]) -> object:
            args["x"].append(2)
            return args

        async with called(execute, parameters={"x": {"type": "array"}}) as root:
            root.on("tools/result", lambda call, result: seen.append(call))
            assert (await root.tools.execute("t", given)).value == {"x": [1, 2]}
            assert seen[0].arguments == given == {"x": [1]}
            with pytest.raises(TypeError, match="frozen"):
                seen[0].arguments["x"] = []

    run(main())


def test_unknown_tool_names_nearest(run):
    """A call of an unknown tool is an error result with the nearest names, and is told of."""

    async def main() -> None:
        async with called(echo) as root:
            told: list[tuple[str, bool]] = []
            root.on("tools/result", lambda call, result: told.append((call.name, result.is_error)))
            root.tools.register(
                define_tool(name="read_file", description="R.", output=ANY, execute=echo)
            )
            result = await root.tools.execute("readfile", {"x": object()})
            assert "there is no tool 'readfile'; did you mean 'read_file'?" in result.text
            assert result.meta == {"code": "unknown_tool", "nearest": ["read_file"]}
            assert told == [("readfile", True)]
            assert "\ud800" not in (await root.tools.execute("\ud800")).text

    run(main())


# -- decisions ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("decision", "words"),
    [
        (PreDecision.deny("not today"), "was denied: not today"),
        (PreDecision.ask("really?"), "needs an answer to 'really?' and nobody is there"),
        (True, "must return a PreDecision"),
        (None, "must return a PreDecision"),
    ],
)
def test_denied_call_never_runs(run, decision, words):
    """A call that is denied, or asked about in vain, does not run, and its result says why."""

    async def main() -> None:
        async with called(lambda args: pytest.fail("the body ran")) as root:
            root.on("tools/pre-execute", lambda call, next: decision)
            result = await root.tools.execute("t")
            assert result.meta["code"] == "denied"
            assert words in result.text

    run(main())


def test_asked_call_may_be_allowed(run):
    """A listener further out answers an `ask`, and the call runs."""

    async def main() -> None:
        async with called(echo) as root:
            asked: list[str] = []

            async def person(call: ToolCall, next: Next[PreDecision]) -> PreDecision:
                decision = await next()
                asked.append(f"{decision.action} {decision.reason}")
                return PreDecision.allow()

            async def policy(call: ToolCall, next: Next[PreDecision]) -> PreDecision:
                return PreDecision.ask(f"run {call.name}?")

            root.on("tools/pre-execute", person)
            root.on("tools/pre-execute", policy)
            assert not (await root.tools.execute("t")).is_error
            assert asked == ["ask run t?"]

    run(main())


@pytest.mark.parametrize("stage", ["pre-execute", "execute", "post-execute"])
def test_failing_listener_is_contained(run, stage):
    """A listener that raises makes an error result that names the stage, and denies before it."""

    async def main() -> None:
        ran: list[bool] = []

        async with called(lambda args: ran.append(True)) as root:

            async def broken(*_: object) -> object:
                raise ValueError("broken listener")

            root.on(f"tools/{stage}", broken)
            result = await root.tools.execute("t")
            assert result.is_error
            assert "ValueError: broken listener" in result.text
            assert stage == "execute" or f"`tools/{stage}`" in result.text
            assert bool(ran) is (stage == "post-execute")

    run(main())


def test_guard_has_last_word(run):
    """What a guard denies stays denied, whoever allowed it; it goes with its plugin."""

    async def main() -> None:
        async with called(echo, parameters={"x": {"type": "json"}}) as root:
            contexts: list[Context] = []

            def warden(ctx: Context) -> None:
                contexts.append(ctx)
                ctx.tools.guard(lambda call: "no x" if "x" in call.arguments else None)

            warden.inject = ["tools"]
            await root.plugin(warden)
            root.on("tools/pre-execute", lambda call, next: PreDecision.allow(), prepend=True)
            result = await root.tools.execute("t", {"x": 1})
            assert result.text == "tool 't' was denied by <warden>: no x"
            assert not (await root.tools.execute("t", {})).is_error
            await contexts[0].fiber.dispose()
            assert not (await root.tools.execute("t", {"x": 1})).is_error

    run(main())


@pytest.mark.parametrize("kind", ["async", "raises", "odd"])
def test_guards_fail_closed(run, kind):
    """An async guard is awaited; one that raises, or answers oddly, denies."""

    async def main() -> None:
        async with called(lambda args: pytest.fail("the body ran")) as root:

            async def later(call: ToolCall) -> str:
                await asyncio.sleep(0)
                return "later"

            guards = {"async": later, "raises": lambda call: 1 / 0, "odd": lambda call: True}
            root.tools.guard(guards[kind])
            result = await root.tools.execute("t")
            assert result.is_error
            words = {"async": "later", "raises": "ZeroDivisionError", "odd": "gave True"}
            assert words[kind] in result.text

    run(main())


# -- the body ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ValueError("bad luck"), "ValueError: bad luck"),
        (SystemExit(3), "SystemExit: 3, which only ends this call"),
        (KeyboardInterrupt(), "the body of tool 't' raised KeyboardInterrupt,"),
        (asyncio.CancelledError("stray"), "CancelledError: stray"),
        (GeneratorExit(), "raised GeneratorExit,"),
        (RecursionError("deep"), "RecursionError: deep"),
        (BaseExceptionGroup("many", [SystemExit()]), "BaseExceptionGroup"),
        (ValueError("\ud800" + "x" * 10_000), "characters left out"),
    ],
)
@pytest.mark.parametrize("kind", ["sync", "async"])
def test_body_may_raise_anything(run, error, words, kind):
    """Whatever a body raises is an error result, of bounded size, and the host goes on."""

    def execute(args: object) -> object:
        raise error

    async def execute_async(args: object) -> object:
        await asyncio.sleep(0)
        raise error

    async def main() -> None:
        async with called(execute if kind == "sync" else execute_async) as root:
            result = await root.tools.execute("t")
            assert result.is_error
            assert words in result.text
            assert len(result.text) < 4_200
            result.text.encode()
            assert result.meta["code"] == "failed"

    run(main())


def test_endless_recursion_is_contained(run):
    """A body that recurses for ever is an error result."""

    def execute(args: object) -> object:
        return execute(args)

    async def main() -> None:
        async with called(execute) as root:
            assert "RecursionError" in (await root.tools.execute("t")).text

    run(main())


@pytest.mark.parametrize(
    "phase", ["pre-execute", "guard", "execute", "body", "post-execute", "render"]
)
def test_cancellation_goes_on(run, phase):
    """Cancelling the caller ends the call at each phase, is told of, and still propagates."""

    async def main() -> None:
        begun, ended = asyncio.Event(), []

        async def hang(*_: object) -> object:
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.append(phase)

        body = hang if phase == "body" else echo
        output = {"schema": {}, "render": hang} if phase == "render" else ANY
        async with called(body, output=output) as root:
            told: list[object] = []
            root.on("tools/result", lambda call, result: told.append(result.meta["code"]))
            if phase == "guard":
                root.tools.guard(hang)
            elif phase not in {"body", "render"}:
                root.on(f"tools/{phase}", hang)
            call = asyncio.ensure_future(root.tools.execute("t"))
            await begun.wait()
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            assert ended == [phase]
            assert told == ["cancelled"]

    run(main())


def test_deadline_around_body(run):
    """A listener of `tools/execute` bounds the body in time; the caller gets an error result."""

    async def main() -> None:
        async def execute(args: object) -> None:
            await asyncio.Event().wait()

        async with called(execute) as root:

            async def deadline(call: ToolCall, next: Next[JsonValue]) -> JsonValue:
                async with asyncio.timeout(0):
                    return await next()

            root.on("tools/execute", deadline)
            result = await root.tools.execute("t")
            assert "TimeoutError" in result.text

    run(main())


def test_retry_around_body(run):
    """A listener of `tools/execute` runs the body again with `call.again()`."""

    async def main() -> None:
        attempts: list[int] = []

        def execute(args: object) -> int:
            attempts.append(1)
            if len(attempts) < 3:
                raise OSError("flaky")
            return len(attempts)

        async with called(execute) as root:

            async def retry(call: ToolCall, next: Next[JsonValue]) -> JsonValue:
                try:
                    return await next()
                except OSError:
                    pass
                while True:
                    try:
                        return await call.again()
                    except OSError:
                        await asyncio.sleep(0)

            root.on("tools/execute", retry)
            assert (await root.tools.execute("t")).value == 3

    run(main())


def test_again_needs_execute(run):
    """`call.again()` outside `tools/execute` is refused, naming the event to use."""

    async def main() -> None:
        async with called(echo) as root:
            calls: list[ToolCall] = []
            root.on("tools/result", lambda call, result: calls.append(call))
            await root.tools.execute("t")
            with pytest.raises(Exception, match="`tools/execute` listener only"):
                await calls[0].again()

    run(main())


@pytest.mark.parametrize("kind", ["value", "result"])
def test_cached_value_skips_body(run, kind):
    """A listener of `tools/execute` may answer itself; its answer is checked like the body's."""

    async def main() -> None:
        answers: list[object] = [4, "four"]
        async with called(
            lambda args: pytest.fail("the body ran"), output={"schema": {"type": "integer"}}
        ) as root:

            def cache(call: ToolCall, next: object) -> object:
                answer = answers.pop(0)
                if kind == "value":
                    return answer
                return ToolResult(({"type": "text", "text": "cached"},), value=answer)

            root.on("tools/execute", cache)
            first = await root.tools.execute("t")
            assert (first.value, first.text) == (4, "4" if kind == "value" else "cached")
            assert (await root.tools.execute("t")).meta["code"] == "invalid_output"

    run(main())


def test_replaced_arguments_are_checked(run):
    """Arguments that a listener replaces reach the body, checked anew."""

    async def main() -> None:
        async with called(echo, parameters={"n": {"type": "integer"}}) as root:
            replaced: list[object] = [{"n": 2}, {"n": "two"}]

            async def change(call: ToolCall, next: Next[JsonValue]) -> JsonValue:
                return await next(dataclasses.replace(call, arguments=replaced.pop(0), name="x"))

            root.on("tools/execute", change)
            assert (await root.tools.execute("t", {"n": 1})).value == {"n": 2}
            result = await root.tools.execute("t", {"n": 1})
            assert result.meta["code"] == "invalid_arguments"
            assert "arguments.n: expected integer" in result.text

    run(main())


# -- the output --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("text", "output: expected array, got string 'text'"),
        ([1, "x"], "output[1]: expected integer"),
        ("x" * 1_000_000, "(999,920 more)"),
        ([math.nan], "output[0]: is nan"),
        ({1, 2}, "output: is a set"),
        (b"x", "base64"),
        (object(), "is an object, which JSON does not have"),
        ([-0.0], "-0.0"),
        ([{1: 2}], "key 1"),
    ],
)
def test_unfit_output_is_error(run, value, words):
    """A value that does not fit is an error result with the path, and huge ones are not echoed."""

    async def main() -> None:
        output = {"schema": {"type": "array", "items": {"type": "integer"}}}
        async with called(lambda args: value, output=output) as root:
            result = await root.tools.execute("t")
            assert result.meta["code"] == "invalid_output"
            assert result.value is None
            assert words in result.text
            assert len(result.text) < 400

    run(main())


def test_cyclic_and_deep_output(run):
    """A value that contains itself, or is too deep to send, is an error result."""
    ring: list[object] = []
    ring.append(ring)
    deep: object = 1
    for _ in range(5_000):
        deep = [deep]
    values = [ring, deep]

    async def main() -> None:
        async with called(lambda args: values.pop(0)) as root:
            assert "contains itself" in (await root.tools.execute("t")).text
            assert "nested deeper than 100" in (await root.tools.execute("t")).text

    run(main())


def test_surrogates_never_leave(run):
    """Lone surrogates are replaced in content, values and error texts."""

    async def main() -> None:
        async with called(lambda args: {"k\ud800": ["\udfff"]}) as root:
            result = await root.tools.execute("t")
            assert result.value == {"k\ufffd": ["\ufffd"]}
            result.text.encode()

    run(main())


# -- afterwards --------------------------------------------------------------------------------------


def test_post_replaces_and_blocks(run):
    """`tools/post-execute` may replace content or value, or block; values are checked again."""

    async def main() -> None:
        output = {"schema": {"type": "integer"}, "render": lambda args, value: f"is {value}"}
        async with called(lambda args: 1, output=output) as root:
            text = {"type": "text", "text": "other\ud800"}
            changes = [
                lambda result: dataclasses.replace(result, value=2),
                lambda result: dataclasses.replace(result, value="x"),
                lambda result: dataclasses.replace(result, content=(text,)),
                lambda result: dataclasses.replace(result, content=(text,), value=3),
                lambda result: ToolResult.failure("secret", code="blocked"),
                lambda result: "nonsense",
                lambda result: dataclasses.replace(result, content=(5,)),
            ]

            async def after(
                call: ToolCall, result: ToolResult, next: Next[ToolResult]
            ) -> ToolResult:
                return changes.pop(0)(await next())

            root.on("tools/post-execute", after)
            results = [await root.tools.execute("t") for _ in range(7)]
            assert [(one.text, one.value) for one in results[:1]] == [("is 2", 2)]
            assert results[1].meta["code"] == "invalid_output"
            assert (results[2].text, results[2].value) == ("other\ufffd", 1)
            assert (results[3].text, results[3].value) == ("other\ufffd", 3)
            assert (results[4].text, results[4].meta["code"]) == ("secret", "blocked")
            assert "must return a ToolResult" in results[5].text
            assert "give text" in results[6].text

    run(main())


def test_post_sees_failures(run):
    """Failures of the body come to `tools/post-execute`, which may turn them into a result."""

    async def main() -> None:
        async with called(lambda args: 1 / 0) as root:

            async def soften(call: ToolCall, result: ToolResult, next: object) -> ToolResult:
                return ToolResult(({"type": "text", "text": "0"},), value=0)

            root.on("tools/post-execute", soften)
            result = await root.tools.execute("t")
            assert (result.is_error, result.value) == (False, 0)

    run(main())


def test_failing_observer_is_contained(run, caplog):
    """A listener of `tools/result` that raises changes nothing for the caller or for others."""

    async def main() -> None:
        async with called(echo) as root:
            seen: list[str] = []
            root.on("tools/result", lambda call, result: 1 / 0)
            root.on("tools/result", lambda call, result: seen.append(call.call_id))
            result = await root.tools.execute("t", call_id="mine")
            assert not result.is_error
            assert seen == ["mine"]
            assert "ZeroDivisionError" in caplog.text

    run(main())


class UnprintableError(Exception):
    """An error whose text must not be asked for more often than needed."""

    asked = 0

    def __str__(self) -> str:
        type(self).asked += 1
        return "text"


def test_failure_is_logged_by_class(run, caplog: pytest.LogCaptureFixture):
    """A log at DEBUG names the class of what a body raised and formats nothing of it."""
    caplog.set_level(logging.DEBUG)

    def execute(args: object) -> object:
        raise UnprintableError

    async def main() -> None:
        async with called(execute) as root:
            assert (await root.tools.execute("t", {})).is_error

    run(main())
    assert "tool 't' failed: UnprintableError" in caplog.messages
    assert UnprintableError.asked == 1


def test_raised_exit_is_the_result(run):
    """A GeneratorExit that a listener raises becomes the call's result."""

    async def main() -> None:
        async with called(echo) as root:

            async def leave(call: ToolCall, next: Next[PreDecision]) -> PreDecision:
                raise GeneratorExit

            root.on("tools/pre-execute", leave)
            result = await root.tools.execute("t", {})
            assert result.is_error
            assert "GeneratorExit" in result.text

    run(main())
