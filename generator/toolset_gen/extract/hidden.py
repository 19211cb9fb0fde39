"""Classes whose name means something else: those of a branch that another branch hides."""

# Maintainers: of one module, for the reader; hiding.py says which of them are services. Only classes
# with a class keyword `key` are of interest.

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from toolset_gen.extract.classes import read_class
from toolset_gen.extract.raw import RawClass, RawDefinition
from toolset_gen.extract.scope import ModuleScope, branches
from toolset_gen.extract.text import SourceText

__all__ = ["find_hidden"]


def find_hidden(
    tree: ast.Module, source: SourceText, scope: ModuleScope, known: Iterable[RawDefinition]
) -> Iterator[tuple[str, RawClass]]:
    """Find the classes with a key that are not what their name means.

    Args:
        tree: The module.
        source: Its text.
        scope: Its scope.
        known: What it is taken to define.

    Yields:
        The dotted path of the class body, `""` for the top of the module, and the class.
    """
    yield from _in_body(tree.body, "", source, scope, known)


def _in_body(
    body: list[ast.stmt],
    owner: str,
    source: SourceText,
    scope: ModuleScope,
    known: Iterable[RawDefinition],
) -> Iterator[tuple[str, RawClass]]:
    listed = {item.name: item for item in known}
    for node in branches(body):
        if not isinstance(node, ast.ClassDef):
            continue
        counted = listed.get(node.name)
        if isinstance(counted, RawClass) and counted.line == node.lineno:
            inner = f"{owner}.{node.name}" if owner else node.name
            yield from _in_body(node.body, inner, source, scope, counted.members)
        elif any(item.arg == "key" for item in node.keywords):
            yield owner, read_class(node, source, scope, owner)
