"""Tell whether a call's arguments fit a signature."""

# Maintainers: binding as Python does it, with the unknown lengths of `*args` and `**kwargs` in the
# call always read in the writer's favour.

from __future__ import annotations

import ast
from collections.abc import Sequence

from toolset.catalog import Member, Parameter

__all__ = ["accepts_positionals", "misfit", "misfit_of_member"]

_POSITIONAL = frozenset({"positional-only", "positional-or-keyword"})
_BY_NAME = frozenset({"positional-or-keyword", "keyword-only"})


def misfit_of_member(call: ast.Call, member: Member) -> str:
    """Say why a call does not fit any signature of a member.

    Args:
        call: The call.
        member: What is called.

    Returns:
        The reason, `""` when it fits or may fit.
    """
    if not member.signatures:
        return misfit(call, member.parameters)
    reasons = [misfit(call, signature.parameters) for signature in member.signatures]
    return "" if "" in reasons else f"fits none of its overloads ({reasons[0]})"


def misfit(call: ast.Call, parameters: Sequence[Parameter]) -> str:
    """Say why a call's arguments do not fit.

    Args:
        call: The call.
        parameters: What is accepted, without the bound parameter.

    Returns:
        The reason, `""` when they fit or may fit.
    """
    before_star = _count_before_star(call)
    has_star = before_star < len(call.args)
    plain = sum(not isinstance(arg, ast.Starred) for arg in call.args)
    names = [keyword.arg for keyword in call.keywords if keyword.arg is not None]
    has_mapping = len(names) < len(call.keywords)
    positional = [p for p in parameters if p.kind in _POSITIONAL]
    if plain > len(positional) and not any(p.kind == "var-positional" for p in parameters):
        return _too_many(plain, len(positional), parameters)
    accepted = {p.name for p in parameters if p.kind in _BY_NAME}
    if not any(p.kind == "var-keyword" for p in parameters):
        for name in names:
            if name not in accepted:
                return f"has no parameter {name!r}"
    taken = {p.name for p in positional[:before_star] if p.kind in _BY_NAME}
    twice = next((name for name in names if name in taken), None)
    if twice is not None:
        return f"is given {twice!r} twice"
    if has_star or has_mapping:
        return ""
    return _missing(parameters, positional[:before_star], names)


def _count_before_star(call: ast.Call) -> int:
    for index, arg in enumerate(call.args):
        if isinstance(arg, ast.Starred):
            return index
    return len(call.args)


def _too_many(given: int, most: int, parameters: Sequence[Parameter]) -> str:
    named = [p.name for p in parameters if p.kind == "keyword-only"]
    hint = f"; pass {', '.join(named)} by name" if named else ""
    return f"takes {most or 'no'} positional argument{'s' * (most != 1)}, {given} given{hint}"


def _missing(
    parameters: Sequence[Parameter], filled: Sequence[Parameter], names: Sequence[str]
) -> str:
    given = {p.name for p in filled}.union(names)
    left = [p.name for p in parameters if p.required and p.name not in given]
    left = [
        n for n in left if not any(p.name == n and p.kind.startswith("var-") for p in parameters)
    ]
    return f"is missing {', '.join(repr(name) for name in left)}" if left else ""


def accepts_positionals(parameters: Sequence[Parameter], count: int) -> bool:
    """Tell whether `count` positional arguments, and nothing else, fit.

    Args:
        parameters: What is accepted.
        count: How many are passed.

    Returns:
        Whether the call would bind.
    """
    positional = [p for p in parameters if p.kind in _POSITIONAL]
    if any(p.kind == "keyword-only" and p.required for p in parameters):
        return False
    if count < sum(p.required for p in positional):
        return False
    return count <= len(positional) or any(p.kind == "var-positional" for p in parameters)
