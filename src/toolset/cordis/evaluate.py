"""Evaluate model-written code: parse it as it stands, run it as the body of an async function."""

# Maintainers: text in, value out. The text is never edited: a body that is indented as a whole is
# parsed below an `if`, a top-level `return` is legal because the parsed statements are moved into
# an async function's body, so lines, columns and strings stay those of the text. What the top level
# imports or defines is global to the mount, as in a module, so that annotations which are text find
# it. It knows nothing of contexts, fibers or mounts' lives; `forget` is for whoever keeps those.

from __future__ import annotations

import ast
import linecache
import re
import sys
import warnings
from collections.abc import Callable, Coroutine, Sequence
from opcode import opmap
from types import CodeType, ModuleType
from typing import Final, NamedTuple, cast

from toolset.cordis.deadline import TOP_LEVEL, frame_name, module_name
from toolset.cordis.diagnostics import ended, is_interrupt, mount_error
from toolset.cordis.ending import Life, close, drive
from toolset.cordis.errors import MountSyntaxError, MountTimeoutError
from toolset.cordis.guard import Guard
from toolset.cordis.parse_errors import FORMS, explain, lines_of

__all__ = ["LONGEST_CODE", "Source", "evaluate", "forget", "parse"]

LONGEST_CODE: Final = 200_000  # characters; parsing and compiling take the loop's time
_OPENING: Final = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*[\w+.-]*[ \t]*")
_IMPORTS: Final = (ast.Import, ast.ImportFrom)
_DEFINITIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_BLOCKS: Final = ("body", "handlers", "orelse", "finalbody", "cases")
_SEND: Final = opmap["SEND"]  # the one instruction by which a coroutine awaits


class Source(NamedTuple):
    """Code of one mount, parsed.

    Attributes:
        mount_id: The mount, such as `dyn-1`.
        text: The code, without the Markdown fence that may have surrounded it.
        tree: The code parsed as a module: top-level `await` and `return` stand in its body.
        filename: The file name of its frames, such as `<mount:dyn-1>`; no other in the process.
        code: What runs.
        warnings: What the compiler warned about, a sentence each.
    """

    mount_id: str
    text: str
    tree: ast.Module
    filename: str
    code: CodeType
    warnings: tuple[str, ...]

    @property
    def module(self) -> str:
        """The name that stands for the mount among the modules."""
        return module_name(self.filename)

    def checked(self) -> Source:
        """Give it without its tree, which is of no use once it is checked and weighs the most."""
        return self._replace(tree=ast.Module([], []))

    @property
    def awaits(self) -> bool:
        """Whether the top level of the code awaits anything: else it runs in one go."""
        inner = (part for part in self.code.co_consts if isinstance(part, CodeType))
        body = next(part for part in inner if part.co_name == TOP_LEVEL)
        return _SEND in body.co_code[::2]


def parse(code: str, mount_id: str, root: int = 1) -> Source:
    """Parse the code of a mount; nothing of it runs.

    Args:
        code: Python, the body of an async function, or one Markdown block of it.
        mount_id: The mount, such as `dyn-1`.
        root: Tells its runtime from others in the process.

    Returns:
        The parsed code.

    Raises:
        MountSyntaxError: It is too long, does not parse, or can never return a plugin.
    """
    if len(code) > LONGEST_CODE:
        raise MountSyntaxError(
            f"it has {len(code):,} characters, and {LONGEST_CODE:,} is the most",
            mount_id,
            hint="mount it in parts, and have data read from files: inject fs",
        )
    text = _unfence(code.removeprefix("\ufeff"))
    filename = frame_name(mount_id, root)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tree = _tree(text, filename, mount_id)
        own = _own_statements(tree)
        _check_scope(tree, own, text, mount_id)
        compiled = _compile(tree, own, text, filename, mount_id)
    notes = tuple(dict.fromkeys(f"line {each.lineno}: {each.message}" for each in caught))
    return Source(mount_id, text, tree, filename, compiled, notes)


def _unfence(code: str) -> str:
    """Remove the Markdown fence around the code, if there is one."""
    lines = code.strip().splitlines(keepends=True)
    opening = _OPENING.fullmatch(lines[0].rstrip("\r\n")) if lines else None
    if opening is None:
        return code
    fence = opening[1]
    closing = lines[-1].strip()
    closed = len(lines) > 1 and closing.startswith(fence) and not closing.strip(fence[0])
    if fence[0] == "~" and not closed:  # `~~~x` alone is Python
        return code
    return "".join(lines[1:-1] if closed else lines[1:])


def _tree(text: str, filename: str, mount_id: str) -> ast.Module:
    """Parse the text as a module; indented as a whole, as the block of an `if`."""
    try:
        return _parsed(text, filename, mount_id)
    except IndentationError as error:
        if error.msg != "unexpected indent" or error.lineno != _first_line(text):
            raise explain(error, text, mount_id) from None
        try:
            block = _parsed(f"if 1:\n{text}", filename, mount_id)
        except SyntaxError as inner:
            raise explain(inner, text, mount_id, shift=1) from None
        if len(block.body) > 1:  # only its first lines are indented
            raise explain(error, text, mount_id) from None
        ast.increment_lineno(block, -1)
        return ast.Module(cast("ast.If", block.body[0]).body, type_ignores=[])
    except SyntaxError as error:
        raise explain(error, text, mount_id) from None


def _first_line(text: str) -> int:
    """Give the number of the first line that is neither blank nor a comment."""
    bare = (line.strip() for line in lines_of(text))
    return next((n for n, line in enumerate(bare, 1) if line and not line.startswith("#")), 0)


def _parsed(text: str, filename: str, mount_id: str) -> ast.Module:
    try:
        return ast.parse(text, filename)
    except (RecursionError, MemoryError):
        raise MountSyntaxError("the code is nested too deeply", mount_id) from None
    except ValueError as error:  # null bytes, lone surrogates
        raise MountSyntaxError(f"the text is no Python source: {error}", mount_id) from None


def _compile(
    tree: ast.Module, own: Sequence[ast.AST], text: str, filename: str, mount_id: str
) -> CodeType:
    """Move the statements into an async function, `__future__` imports before it, and compile."""
    future = [node for node in tree.body if _is_future(node)]
    body = [node for node in tree.body if not _is_future(node)]
    skeleton = ast.parse(f"async def {TOP_LEVEL}(): pass", filename)
    function = cast("ast.AsyncFunctionDef", skeleton.body[0])
    names = _module_names(tree, own, text)
    shared = [ast.copy_location(ast.Global(names), function)] if names else []
    function.body = [*shared, *body] or function.body
    skeleton.body = [*future, function]
    try:
        return compile(skeleton, filename, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise explain(error, text, mount_id) from None
    except (RecursionError, MemoryError):
        raise MountSyntaxError("the code is nested too deeply", mount_id) from None
    except ValueError as error:  # such as an integer literal with too many digits
        raise MountSyntaxError(f"the code does not compile: {error}", mount_id) from None


def _module_names(tree: ast.Module, own: Sequence[ast.AST], text: str) -> list[str]:
    """List what the top level imports or defines, less what a nested function rebinds."""
    names: dict[str, None] = {}
    for node in own:
        if isinstance(node, _IMPORTS):
            if not _is_future(node):
                bound = (each.asname or each.name.partition(".")[0] for each in node.names)
                names.update(dict.fromkeys(bound))
        elif isinstance(node, _DEFINITIONS):
            names[node.name] = None
    walked = ast.walk(tree) if "nonlocal" in text else ()
    rebound = {name for node in walked if isinstance(node, ast.Nonlocal) for name in node.names}
    return [name for name in names if name not in rebound and name != "*"]


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _check_scope(tree: ast.Module, own: Sequence[ast.AST], text: str, mount_id: str) -> None:
    """Refuse code without a `return` of its own, and a `yield` at its top level."""
    if "yield" in text:
        _refuse_yield(tree, text, mount_id)
    if not any(isinstance(node, ast.Return) for node in own):
        message = "it has no `return` at its top level"
        raise MountSyntaxError(message, mount_id, hint=_no_return(tree))


def _refuse_yield(tree: ast.Module, text: str, mount_id: str) -> None:
    waiting: list[ast.AST] = [*tree.body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            raise MountSyntaxError(
                "'yield' at the top level",
                mount_id,
                line=node.lineno,
                excerpt=f"    {lines_of(text)[node.lineno - 1].strip()}",
                hint="the code returns a plugin; a generator belongs into the plugin's `apply`",
            )
        if not isinstance(node, (*_DEFINITIONS, ast.Lambda)):
            waiting.extend(ast.iter_child_nodes(node))


def _own_statements(tree: ast.Module) -> list[ast.AST]:
    """List the statements of the code's own scope, not those of functions and classes in it."""
    found: list[ast.AST] = [*tree.body]
    for node in found:  # which grows meanwhile
        if not isinstance(node, _DEFINITIONS):
            for block in _BLOCKS:
                found.extend(getattr(node, block, ()))
    return found


def _no_return(tree: ast.Module) -> str:
    nested = [
        (node.lineno, scope.name)
        for scope in ast.walk(tree)
        if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(scope)
        if isinstance(node, ast.Return)
    ]
    last = tree.body[-1] if tree.body else None
    parts: list[str] = []
    if nested:
        line, name = nested[0]
        parts.append(f"the `return` in line {line} belongs to the function `{name}`")
    if isinstance(last, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        parts.append(f"did you forget `return {last.name}` at the end?")
    return "\n".join([*(["; ".join(parts)] if parts else []), FORMS])


async def evaluate(
    source: Source, namespace: dict[str, object], *, guard: Guard, life: Life | None = None
) -> object:
    """Run the code of a mount in its namespace.

    Its lines are kept for tracebacks, and its namespace for annotations that are text, until
    `forget` is called, which a failure does itself.

    Args:
        source: The parsed code.
        namespace: Its globals, from `make_namespace`.
        guard: Bounds its synchronous stretches; the caller holds it.
        life: Ends it when its time is up; left out, it may await for ever.

    Returns:
        What the code returned.

    Raises:
        MountTimeoutError: A synchronous stretch was ended.
        MountError: The code raised; the message has its own lines.
    """
    _remember(source, namespace)
    kept = False
    try:
        value = await _run(source, namespace, life)
        strike = guard.strike(source.filename)
        if strike is not None:  # it was ended, and went on as if nothing had happened
            raise strike.again()
        kept = True
        return value
    finally:
        if not kept:
            forget(source)


async def _run(source: Source, namespace: dict[str, object], life: Life | None) -> object:
    try:
        exec(source.code, namespace)  # noqa: S102 - the purpose of this module
        body = cast("Callable[[], Coroutine[object, object, object]]", namespace.pop(TOP_LEVEL))
        if life is None:
            return await body()
        return await _whole(body(), life)
    except MountTimeoutError as error:
        raise ended(error, source.mount_id) from None
    except BaseException as error:
        if is_interrupt(error):
            raise
        raise mount_error(error, source.mount_id) from error


async def _whole(body: Coroutine[object, object, object], life: Life) -> object:
    """Run the top level, and close the async generators that it left half-way."""
    value = await drive(body, life, "the top level")
    for generator in life.terms.generators.take_dropped():
        await close(generator, life)
    return value


class _Module:
    """Stands for a mount among the modules: dataclasses, pydantic and typing look names up there."""


def _remember(source: Source, namespace: dict[str, object]) -> None:
    lines = [f"{line}\n" for line in lines_of(source.text)]
    linecache.cache[source.filename] = (len(source.text), None, lines, source.filename)
    module = _Module()
    module.__dict__ = namespace
    sys.modules[source.module] = cast("ModuleType", module)


def forget(source: Source) -> None:
    """Forget what is kept of a mount in the process; call it when the mount is over.

    Args:
        source: What was evaluated.
    """
    linecache.cache.pop(source.filename, None)
    sys.modules.pop(source.module, None)
