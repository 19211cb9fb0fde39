"""Small questions about the form of a definition or a name."""

# Maintainers: pure functions of a node or a path, for the evaluator.

from __future__ import annotations

import ast
from typing import Final

from toolset.cordis.preflight.scopes import FunctionNode
from toolset.cordis.preflight.values import GlobalValue

__all__ = ["global_value", "is_generator", "is_static"]

# What mounted code may import, under the names that it is given without.
_GIVEN: Final = {
    "toolset.Service": "Service",
    "toolset.event": "event",
    "toolset.harness": "harness",
    "toolset.tool": "harness.tool",
    "toolset.define_tool": "harness.define_tool",
}


def global_value(path: str) -> GlobalValue:
    """Name something that the code did not define, in one way however it was imported."""
    return GlobalValue(_GIVEN.get(path, path))


def is_generator(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Tell whether a function yields, nested functions left out."""
    stack: list[ast.AST] = list(node.body)
    while stack:
        inner = stack.pop()
        if isinstance(inner, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            stack.extend(ast.iter_child_nodes(inner))
    return False


def is_static(node: FunctionNode, *decorators: str) -> bool:
    """Tell whether a function in a class is not called with the instance first."""
    wanted = decorators or ("staticmethod", "classmethod")
    return isinstance(node, ast.Lambda) or any(
        isinstance(d, ast.Name) and d.id in wanted for d in node.decorator_list
    )
