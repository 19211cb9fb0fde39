"""How a module names something of the toolset's, and the import that it lacks."""

# Maintainers: reads the statements at the top of a module. A name is added to an import that is
# there, at its place in the order; a module that has none to add it to is a reason to refuse.

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

import libcst as cst

from toolset_gen.fix.edits import Edit, RefusedError

__all__ = ["name_of"]

_HOMES = frozenset({"toolset", "toolset.runtime", "toolset.runtime.events"})


def name_of(
    wanted: str, module: cst.Module, text: str, span: Callable[[cst.CSTNode], tuple[int, int]]
) -> tuple[str, list[Edit]]:
    """Find what a module calls a public name of the toolset's.

    Args:
        wanted: The name, such as `Next`.
        module: The module's tree.
        text: Its text.
        span: Gives the place of a node in the text.

    Returns:
        An expression for it, and the edit that imports it, if it takes one.

    Raises:
        RefusedError: The module imports nothing of the toolset's that tells how it would be named.
    """
    froms = [node for node in _imports(module) if isinstance(node, cst.ImportFrom)]
    ours = [node for node in froms if node.module is not None and _dotted(node.module) in _HOMES]
    for node in ours:
        for alias in _aliases(node):
            if _dotted(alias.name) == wanted:
                return alias.evaluated_alias or wanted, []
    for plain in _imports(module):
        for alias in plain.names if isinstance(plain, cst.Import) else ():
            if _dotted(alias.name) == "toolset":
                return f"{alias.evaluated_alias or 'toolset'}.{wanted}", []
    if re.search(rf"\b{wanted}\b", re.sub(r"#[^\r\n]*", "", module.code)):
        raise RefusedError(f"the module names something else `{wanted}`")
    listed = next((_aliases(node) for node in ours if _dotted(node.module) == "toolset"), ())
    if not listed:
        raise RefusedError(f"the module does not import `{wanted}` from `toolset`")
    return wanted, [_added(wanted, listed, text, span)]


def _imports(module: cst.Module) -> Iterator[cst.ImportFrom | cst.Import]:
    for line in module.body:
        for statement in line.body if isinstance(line, cst.SimpleStatementLine) else ():
            if isinstance(statement, cst.ImportFrom | cst.Import):
                yield statement


def _aliases(node: cst.ImportFrom) -> Sequence[cst.ImportAlias]:
    return () if isinstance(node.names, cst.ImportStar) else node.names


def _dotted(node: cst.CSTNode | None) -> str:
    if isinstance(node, cst.Attribute):
        return f"{_dotted(node.value)}.{node.attr.value}"
    return node.value if isinstance(node, cst.Name) else ""


def _added(
    wanted: str,
    listed: Sequence[cst.ImportAlias],
    text: str,
    span: Callable[[cst.CSTNode], tuple[int, int]],
) -> Edit:
    """Put a name where the order of an import has it: classes first, then functions, by name."""
    after = [alias for alias in listed if _order(_dotted(alias.name)) < _order(wanted)]
    if len(after) < len(listed):
        start, _ = span(listed[len(after)].name)
        return Edit(start, start, f"{wanted},{_gap(text, start)}")
    start, end = span(listed[-1].asname.name if listed[-1].asname else listed[-1].name)
    if listed[-1].asname is not None:
        start, _ = span(listed[-1].name)
    return Edit(end, end, f",{_gap(text, start)}{wanted}")


def _order(name: str) -> tuple[bool, bool, str]:
    return not name.isupper(), not name[:1].isupper(), name


def _gap(text: str, start: int) -> str:
    """Give what parts a name from the one before it: a space, or a line's end and a margin."""
    match = re.search(r"(\r\n|\r|\n)[ \t]*\Z", text[:start])
    return match[0] if match is not None else " "
