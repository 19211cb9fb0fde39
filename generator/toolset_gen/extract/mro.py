"""The order in which Python looks members up in a class and its bases."""

# Maintainers: C3, on names alone. Invariant: ends for bases that contradict each other or go in a
# circle, as half-written code has them.

from __future__ import annotations

from collections.abc import Callable, Iterable

__all__ = ["linearise"]


def linearise(path: str, bases_of: Callable[[str], Iterable[str]]) -> tuple[str, ...]:
    """Linearise a class and its bases.

    Args:
        path: The class.
        bases_of: Gives the direct bases of a class, none for one that is not known.

    Returns:
        The class first; where the bases contradict each other, depth first.
    """
    return _linear(path, bases_of, frozenset())


def _linear(
    path: str, bases_of: Callable[[str], Iterable[str]], seen: frozenset[str]
) -> tuple[str, ...]:
    if path in seen:
        return (path,)
    bases = [base for base in bases_of(path) if base != path]
    lines = [list(_linear(base, bases_of, seen | {path})) for base in bases]
    merged = _merge([*(list(line) for line in lines), list(bases)])
    if merged is None:
        merged = list(dict.fromkeys(item for line in lines for item in line))
    return (path, *(item for item in merged if item != path))


def _merge(lines: list[list[str]]) -> list[str] | None:
    """The C3 merge; None when there is no consistent order."""
    out: list[str] = []
    lines = [line for line in lines if line]
    while lines:
        tails = {item for line in lines for item in line[1:]}
        head = next((line[0] for line in lines if line[0] not in tails), None)
        if head is None:
            return None
        out.append(head)
        lines = [rest for line in lines if (rest := [item for item in line if item != head])]
    return out
