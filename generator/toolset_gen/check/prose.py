"""Rules on what prose names: docstrings, descriptions of tools, pages."""

# Maintainers: finds the code spans and their places; naming.py says which of them name nothing. Code blocks
# are not judged, they are run elsewhere or show what is to be written; what they define may be named on
# their page. A file of code is parsed only when some span in it is wrong: most need one search.

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator

from toolset_gen.check.facts import Facts
from toolset_gen.check.naming import Missing, Names
from toolset_gen.check.rules import RULES
from toolset_gen.diagnostics import Diagnostic
from toolset_gen.discover import SourceFile
from toolset_gen.extract.model import Location

__all__ = ["check_prose"]

_SPAN = re.compile(r"(?<!`)(`{1,2})(?!`)([^`\n]+?)\1(?!`)")
_FENCE = re.compile(
    r"^ {0,3}(`{3,}|~{3,}).*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL
)
_REMEDY = "correct the name, or accept it with a suppression when it names something else"


def check_prose(facts: Facts) -> Iterator[Diagnostic]:
    """Judge the names that prose has in backticks.

    Args:
        facts: What to judge.

    Yields:
        Violations of PRO001 to PRO004.
    """
    names = Names(facts)
    for file in facts.files:
        yield from _in_docstrings(facts, names, file)
    for document in facts.documents:
        if document.kind == "prose":
            yield from _in_page(names, document.path, document.text)
    for booted in facts.booted:
        place = facts.plugin_place(booted.plugin)
        for tool in booted.tools:
            for _, found in _found(names, tool.description):
                yield _violation(found, place, f"the description of tool {tool.name!r}")


def _found(
    names: Names, text: str, fields: frozenset[str] | None = None
) -> Iterator[tuple[int, Missing]]:
    """Give each name that nothing has, with its offset."""
    for span in _SPAN.finditer(text):
        for found in names.missing(span[2], fields=fields):
            yield span.start(), found


def _violation(found: Missing, place: Location, where: str) -> Diagnostic:
    hint = f"; did you mean {found.close!r}?" if found.close else ""
    return RULES[found.rule].at(
        place,
        found.name,
        f"{where} names `{found.name}`, but there is no {found.what}{hint}",
        _REMEDY,
    )


def _in_docstrings(facts: Facts, names: Names, file: SourceFile) -> Iterator[Diagnostic]:
    if b"`" not in file.data:
        return
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(file.data).readline)
        text = file.data.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
    except (SyntaxError, ValueError, LookupError):
        return  # extraction has said so
    found = list(_found(names, text, _fields_of(facts, file)))
    lines = _documented_lines(text) if found else frozenset[int]()
    for offset, missing in found:
        line = text.count("\n", 0, offset) + 1
        if line in lines and not _is_defined(text, missing):
            yield _violation(missing, Location(file.path, line), "a docstring")


def _fields_of(facts: Facts, file: SourceFile) -> frozenset[str] | None:
    """Give the fields that `config.…` means in a file, when one plugin alone can be meant."""
    found: set[frozenset[str]] = set()
    for plugin in facts.model.catalog.plugins:
        code = facts.canonical(plugin.path.replace(":", "."))
        if plugin.config and f"{file.module}.".startswith(f"{code}."):
            fields = [c.fields for c in facts.model.catalog.configs if c.plugin == plugin.name]
            found.add(frozenset(field.name for group in fields for field in group))
    return found.pop() if len(found) == 1 else None


def _documented_lines(text: str) -> frozenset[int]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    lines: set[int] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                lines.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
            case _:
                pass
    return frozenset(lines)


def _in_page(names: Names, path: str, text: str) -> Iterator[Diagnostic]:
    blocks = "\n".join(match[0] for match in _FENCE.finditer(text))
    prose = _FENCE.sub(lambda match: "\n" * match[0].count("\n"), text)
    for offset, missing in _found(names, prose):
        if not _is_defined(blocks, missing):
            place = Location(path, prose.count("\n", 0, offset) + 1)
            yield _violation(missing, place, "the page")


def _is_defined(code: str, missing: Missing) -> bool:
    """Tell whether code on the same page brings about what is named: an example may name its own."""
    name = re.escape(missing.what.split("'")[1])
    if missing.rule in {"PRO001", "PRO002"}:
        return re.search(rf"""["']{name}["']|\bdef {name}\b""", code) is not None
    return re.search(rf"(?:\bdef |^[ \t]*|[\"']){name}\b", code, re.MULTILINE) is not None
