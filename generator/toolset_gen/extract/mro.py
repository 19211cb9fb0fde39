"""The order in which Python looks members up in a class and its bases."""

# Maintainers: C3, on names alone. Invariant: ends for bases that contradict each other or go in a
# circle, as half-written code has them.

from __future__ import annotations

from collections.abc import Callable, Iterable

__all__ = ["linearise"]


class _CircleError(Exception):
    """A class is among its own bases."""


def linearise(
    path: str, bases_of: Callable[[str], Iterable[str]], known: dict[str, tuple[str, ...]]
) -> tuple[str, ...]:
    """Linearise a class and its bases.

    Args:
        path: The class.
        bases_of: Gives the direct bases of a class, none for one that is not known.
        known: What was found of classes before; what is found now is added.

    Returns:
        The class first; where the bases contradict each other, depth first.
    """
    if path not in known:
        try:
            _learn(path, bases_of, frozenset(), known)
        except _CircleError:  # what is found of a class depends on where the circle is entered
            known[path] = _linear(path, bases_of, frozenset())
    return known[path]


def _learn(
    path: str,
    bases_of: Callable[[str], Iterable[str]],
    around: frozenset[str],
    known: dict[str, tuple[str, ...]],
) -> None:
    if path in around:
        raise _CircleError
    bases = [base for base in bases_of(path) if base != path]
    for base in bases:
        if base not in known:
            _learn(base, bases_of, around | {path}, known)
    known[path] = _joined(path, bases, [known[base] for base in bases])


def _linear(
    path: str, bases_of: Callable[[str], Iterable[str]], around: frozenset[str]
) -> tuple[str, ...]:
    if path in around:
        return (path,)
    bases = [base for base in bases_of(path) if base != path]
    return _joined(path, bases, [_linear(base, bases_of, around | {path}) for base in bases])


def _joined(path: str, bases: list[str], lines: list[tuple[str, ...]]) -> tuple[str, ...]:
    """Put a class before the joined lines of its bases."""
    merged = _merge([*(list(line) for line in lines), bases])
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
