"""Signatures and docstrings of catalog records, as Markdown."""

# Maintainers: pure functions from records to lines. Two depths: one line for lists, everything for
# a thing that was asked for by name.

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from typing import Final

from toolset.catalog import Catalog, Member, Parameter, Raised, Returns, TypeEntry, type_closure

__all__ = ["member_doc", "member_rows", "refs_of", "sections_of", "type_block"]


def member_rows(members: Iterable[Member], indent: str = "") -> Iterator[str]:
    """Give one line a signature."""
    for member in members:
        for text in signatures_of(member):
            deprecated = "" if member.deprecated is None else f" (deprecated{_since(member)})"
            yield f"{indent}- `{text}`{deprecated}"


def signatures_of(member: Member) -> list[str]:
    """Give every signature of a member; attributes have one too."""
    return [signature.text for signature in member.signatures] or [member.signature]


def _since(member: Member) -> str:
    message = "" if member.deprecated is None else member.deprecated.message
    return f": {message}" if message else ""


def member_doc(member: Member) -> Iterator[str]:
    """Give a member's signatures and its whole docstring."""
    yield from member_rows([member])
    if member.kind not in {"function", "coroutine", "attribute"}:
        yield f"  ({member.kind})"
    for text in (member.summary, member.description):
        if text:
            yield textwrap.indent(text, "  ")
    yield from sections_of(member.parameters, member.returns, member.raises)


def sections_of(
    parameters: Iterable[Parameter], returns: Returns, raises: Iterable[Raised] = ()
) -> Iterator[str]:
    """Give the parts of a docstring that describe arguments, result and errors."""
    described = [p for p in parameters if p.description]
    if described:
        yield "  Args:"
        yield from (f"    {p.name}: {_hang(p.description)}" for p in described)
    if returns.description:
        yield f"  Returns: {_hang(returns.description)}"
    errors = [r for r in raises if r.description or r.type]
    if errors:
        yield "  Raises:"
        yield from (f"    {r.type}: {_hang(r.description)}" for r in errors)


def _hang(text: str) -> str:
    return " ".join(text.split())


def refs_of(members: Iterable[Member]) -> Iterator[str]:
    """Give the import paths of the types that members' signatures refer to."""
    for member in members:
        forms = [(s.parameters, s.returns) for s in member.signatures]
        for parameters, returns in [*forms, (member.parameters, member.returns)]:
            for parameter in parameters:
                yield from parameter.type_refs
            yield from returns.type_refs


def type_block(catalog: Catalog, refs: Iterable[str]) -> Iterator[str]:
    """Give the shapes of types, and of the types those refer to."""
    shown = catalog._replace(types=tuple(t for t in catalog.types if not _is_withheld(t)))
    types = type_closure(shown, refs)
    if types:
        yield "```python"
        yield "\n\n".join(_declaration(entry) for entry in types)
        yield "```"


# The framework's inside: nothing gives mounted code one of these, so neither they nor what they
# refer to is worth its reader's time.
_WITHHELD: Final = frozenset(
    {"Context", "Fiber", "Lifecycle", "Listener", "Registration", "Registry"}
)


def _is_withheld(entry: TypeEntry) -> bool:
    return entry.name in _WITHHELD and entry.path.startswith("toolset.runtime.")


def _declaration(entry: TypeEntry) -> str:
    cut = "\n# shortened: see the type's own page in the catalog" if entry.truncated else ""
    return f"{entry.declaration.rstrip()}{cut}"
