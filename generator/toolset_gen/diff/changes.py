"""Changes, and when a change of a type is one for the better."""

# Maintainers: knows nothing of entries. Types are compared as the text that stands in the catalog, members
# of unions one by one; what that cannot tell is taken for a break: a false alarm is read once, a missed
# break by every user.

from __future__ import annotations

import ast
from typing import Literal, NamedTuple, TypeAlias

__all__ = ["Change", "What", "covers", "same_type"]

What: TypeAlias = Literal["added", "removed", "changed"]

_UNIONS = frozenset({"Optional", "Union", "typing.Optional", "typing.Union"})


class Change(NamedTuple):
    """One change of the public surface.

    Attributes:
        kind: `service`, `event`, `type`, `plugin`, `config`, `tool` or `context`.
        name: What changed, as users name it: `fs.read_text`, `tools/call`, `fs.max_bytes`.
        what: Whether it was added, removed or changed.
        detail: What about it changed, a phrase; `""` when it was added or removed as a whole.
        old: What it was, `""` when it was not.
        new: What it is, `""` when it is not.
        breaking: Whether code that was right before may be wrong now.
    """

    kind: str
    name: str
    what: What
    detail: str = ""
    old: str = ""
    new: str = ""
    breaking: bool = False


def covers(wide: str, narrow: str) -> bool:
    """Tell whether every value of one type is known to be a value of another.

    Args:
        wide: The type that takes values, as text.
        narrow: The type they are of, as text.

    Returns:
        Whether each member of the union `narrow` is a member of the union `wide`.
    """
    large, small = _members(wide), _members(narrow)
    return bool(large & {"object", "Any", "typing.Any"}) or small <= large


def same_type(one: str, other: str) -> bool:
    """Tell whether two texts spell one type.

    Args:
        one: A type as text.
        other: Another.

    Returns:
        Whether they are the same union, whatever the order and spelling.
    """
    return _members(one) == _members(other)


def _members(text: str) -> frozenset[str]:
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        return frozenset({text})
    return frozenset(_flat(tree))


def _flat(node: ast.expr) -> set[str]:
    """Take a union apart, in any of its spellings; a `Literal` is a union of its values."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _flat(node.left) | _flat(node.right)
    if isinstance(node, ast.Subscript):
        head = ast.unparse(node.value)
        items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if head in _UNIONS:
            found = set[str]().union(*(_flat(item) for item in items))
            return found | ({"None"} if head.endswith("Optional") else set())
        if head.rpartition(".")[2] == "Literal":
            return {f"Literal[{ast.unparse(item)}]" for item in items}
    return {ast.unparse(node)}
