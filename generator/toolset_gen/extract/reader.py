"""Read one file: bytes to the description of a module, a pure function."""

# Maintainers: answers for decoding, parsing and the top of a module. Invariants: depends on the
# file alone (no other module, no disk, no global state), never raises for what a file says, and its
# result pickles: it runs in any executor and may be cached under the file's hash.

from __future__ import annotations

import ast
import io
import platform
import tokenize
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor
from contextlib import suppress
from typing import Literal, TypeAlias

from toolset_gen.diagnostics import Diagnostic
from toolset_gen.discover import SourceFile
from toolset_gen.extract.classes import read_class
from toolset_gen.extract.expressions import Resolve, read_expr
from toolset_gen.extract.functions import doc_of, merge_functions, read_function
from toolset_gen.extract.hidden import find_hidden
from toolset_gen.extract.makings import read_makings
from toolset_gen.extract.raw import (
    Expr,
    RawDefinition,
    RawFunction,
    RawModule,
    RawVariable,
    ReadResult,
)
from toolset_gen.extract.scope import ModuleScope, branches, dotted
from toolset_gen.extract.sites import read_uses
from toolset_gen.extract.text import SourceText
from toolset_gen.extract.variables import following_docs, read_variables

__all__ = ["read_file", "read_files"]

_CHUNK = 16

Uses: TypeAlias = Literal["all"] | bool


def read_file(file: SourceFile, *, uses: Uses = True) -> ReadResult:
    """Read one file.

    Args:
        file: The file.
        uses: Whether declarations of events and uses of contexts are looked for, which takes a third of the time; `"all"` looks
            even where no word hints at a context.

    Returns:
        The module, or the diagnostic that says why there is none.
    """
    try:
        text = _decode(file.data)
    except (SyntaxError, UnicodeDecodeError, LookupError) as error:
        return ReadResult(None, (_undecodable(file, error),))
    if "\0" in text:
        return ReadResult(None, (_null(file, text),))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore"
            )  # an invalid escape in a scanned file is not our business
            tree = ast.parse(text)
        return _read(file, tree, text, uses=uses)
    except (SyntaxError, ValueError) as error:
        return ReadResult(None, (_syntax(file, error),))
    except (RecursionError, MemoryError):
        message = f"{file.path} is nested too deeply to be parsed"
        return ReadResult(
            None, (Diagnostic("SRC001", file.path, 0, message, "break the expression up"),)
        )


def read_files(
    files: Sequence[SourceFile],
    read: Callable[[SourceFile], ReadResult] = read_file,
    executor: Executor | None = None,
) -> tuple[ReadResult, ...]:
    """Read files, somewhere.

    Args:
        files: The files.
        read: Reads one file; must pickle for an executor with other processes.
        executor: Where to read; None for here. Should its workers die, the files are read here.

    Returns:
        What each file gave, in the order of the files.
    """
    if executor is not None:
        with suppress(BrokenExecutor):
            return tuple(executor.map(read, files, chunksize=_CHUNK))
    return tuple(read(file) for file in files)


def _decode(data: bytes) -> str:
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    return data.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")


def _undecodable(file: SourceFile, error: Exception) -> Diagnostic:
    line, detail = 1, str(error)
    if isinstance(error, SyntaxError):  # what `detect_encoding` says of any byte in the first lines
        error = _first_bad_byte(file.data) or error
    if isinstance(error, UnicodeDecodeError):
        line = file.data[: error.start].count(b"\n") + 1
        detail = f"byte 0x{error.object[error.start]:02x} is not {error.encoding}"
    remedy = "save it as UTF-8, or declare its encoding in the first line"
    if file.data.startswith((b"\xff\xfe", b"\xfe\xff")):
        detail, remedy = "it is UTF-16, which Python does not read", "save it as UTF-8"
    return Diagnostic(
        "SRC002",
        file.path,
        line,
        f"{file.path} cannot be decoded: {detail}",
        remedy,
    )


def _null(file: SourceFile, text: str) -> Diagnostic:
    first = text.index("\0")
    line = text.count("\n", 0, first) + 1
    column = first - text.rfind("\n", 0, first)
    message = f"{file.path} has a NUL character in line {line}, column {column}"
    is_wide = text.count("\0") >= len(text) // 3  # of UTF-16, every other byte of plain text
    if is_wide:
        message = f"{file.path} looks like UTF-16: every other byte is NUL"
    remedy = "save it as UTF-8" if is_wide else "take it out: Python reads no file that has one"
    return Diagnostic("SRC001", file.path, line, message, remedy)


def _first_bad_byte(data: bytes) -> UnicodeDecodeError | None:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error
    return None


def _syntax(file: SourceFile, error: SyntaxError | ValueError) -> Diagnostic:
    line, detail, excerpt = 0, str(error), ""
    if isinstance(error, SyntaxError):
        line, detail = error.lineno or 0, error.msg
        if error.text:
            shown = error.text.rstrip("\n")
            excerpt = f"{shown}\n{' ' * max((error.offset or 1) - 1, 0)}^"
    version = ".".join(platform.python_version_tuple()[:2])
    return Diagnostic(
        "SRC001",
        file.path,
        line,
        f"syntax error for Python {version}: {detail}",
        "correct the line, or run the generator with a Python that knows this syntax",
        excerpt=excerpt,
    )


def _read(file: SourceFile, tree: ast.Module, text: str, *, uses: Uses) -> ReadResult:
    source = SourceText(text)
    scope = ModuleScope(file.module, tree.body, is_package=file.is_package)
    exports, problem = _exports(tree.body, scope)
    definitions = tuple(_definitions(tree, source, scope))
    module = RawModule(
        name=file.module,
        path=file.path,
        is_package=file.is_package,
        is_stub=file.is_stub,
        doc=doc_of(tree.body),
        definitions=definitions,
        imports=tuple(sorted(scope.imports.items())),
        stars=tuple(scope.stars),
        exports=exports,
        uses=read_uses(tree, source, scope, always=uses == "all") if uses else None,
        sets=tuple(_sets(tree.body, source, scope.path)),
        makings=read_makings(tree, source, scope) if uses else (),
        republished=tuple(sorted(scope.republished)),
        hidden=tuple(find_hidden(tree, source, scope, definitions)),
    )
    found: tuple[Diagnostic, ...] = ()
    if problem is not None:
        message = f"`__all__` of {file.module!r} is not a constant: {source.of(problem)!r}"
        remedy = "list the names, or add another module's `__all__` by name"
        found = (Diagnostic("SRC007", file.path, problem.lineno, message, remedy, "warning"),)
    return ReadResult(module, found)


def _definitions(tree: ast.Module, source: SourceText, scope: ModuleScope) -> list[RawDefinition]:
    found: dict[str, RawDefinition] = {}
    docs = following_docs(tree.body)
    counts: dict[str, int] = {}
    for node in branches(tree.body):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            function = read_function(node, source, scope.path)
            before = found.get(function.name)
            if isinstance(before, RawFunction) and before.is_overload:
                found[function.name] = merge_functions(before, function)
            made: list[RawDefinition] = [function]
        elif isinstance(node, ast.ClassDef):
            made = [read_class(node, source, scope)]
        else:
            made = list[RawDefinition](read_variables(node, source, scope.path, docs))
        for item in made:
            if item.name not in scope.imports:
                found.setdefault(item.name, item)
        for name in [*(item.name for item in made), *_augmented(node)]:
            counts[name] = counts.get(name, 0) + 1
    return [_rebound(item, counts) for item in found.values()]


def _augmented(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        yield node.target.id


def _rebound(item: RawDefinition, counts: dict[str, int]) -> RawDefinition:
    if isinstance(item, RawVariable) and counts.get(item.name, 0) > 1:
        return item._replace(rebound=True)
    return item


def _exports(
    body: list[ast.stmt], scope: ModuleScope
) -> tuple[tuple[str, ...] | None, ast.expr | None]:
    """Read `__all__`: the names, and the first part of it that is not constant."""
    names: list[str] | None = None
    problem: ast.expr | None = None
    for node in branches(body):
        value, extends = _exported(node)
        if value is None:
            continue
        items = list(_names(value, scope))
        problem = problem or next((item for item in items if isinstance(item, ast.expr)), None)
        known = [item for item in items if isinstance(item, str)]
        names = [*(names or []), *known] if extends else known
    if names is None or (problem is not None and not names):
        return None, problem  # nothing is known of it: the underscore rule loses less
    return tuple(dict.fromkeys(names)), problem


def _exported(node: ast.stmt) -> tuple[ast.expr | None, bool]:
    if isinstance(node, ast.Assign) and any(dotted(item) == "__all__" for item in node.targets):
        return node.value, False
    if isinstance(node, ast.AnnAssign) and dotted(node.target) == "__all__":
        return node.value, False
    if isinstance(node, ast.AugAssign) and dotted(node.target) == "__all__":
        return node.value, True
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and node.value.args:
        call = node.value
        if dotted(call.func) == "__all__.extend":
            return call.args[0], True
        if dotted(call.func) == "__all__.append":
            return ast.List(elts=[call.args[0]]), True
    return None, False


def _names(value: ast.expr, scope: ModuleScope) -> Iterator[str | ast.expr]:
    if isinstance(value, (ast.List, ast.Tuple, ast.Set)):
        for item in value.elts:
            if isinstance(item, ast.Constant) and isinstance(item.value, str):
                yield item.value
            elif isinstance(item, ast.Starred):
                yield from _names(item.value, scope)
            else:
                yield item
    elif isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        yield from _names(value.left, scope)
        yield from _names(value.right, scope)
    elif dotted(value).endswith(".__all__"):
        yield f"*{scope.path(dotted(value).removesuffix('.__all__'))}"
    elif dotted(value) == "__all__":
        return
    else:
        yield value


def _sets(
    body: list[ast.stmt], source: SourceText, resolve: Resolve
) -> Iterator[tuple[str, str, Expr]]:
    for node in branches(body):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            owner, _, attribute = dotted(node.targets[0]).rpartition(".")
            if owner:
                yield owner, attribute, read_expr(node.value, source, resolve)
