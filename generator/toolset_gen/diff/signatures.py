"""Members of classes compared: what a caller has to write, and what it gets."""

# Maintainers: a caller's view: parameters may become wider, results narrower. Names, order, kinds and
# `async` are part of a signature; prose is not.

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from toolset.catalog import Deprecation, Member, Parameter, Returns
from toolset_gen.diff.changes import Change, covers, same_type

__all__ = ["compare_members", "compare_returns", "default_change", "deprecation"]

_POSITIONAL = frozenset({"positional-only", "positional-or-keyword"})
_NAMED = frozenset({"positional-or-keyword", "keyword-only"})


def compare_members(
    kind: str, owner: str, old: Iterable[Member], new: Iterable[Member]
) -> Iterator[Change]:
    """Compare the public members of a class.

    Args:
        kind: What the class is to its users.
        owner: What it is called.
        old: Its members as they were.
        new: As they are.

    Yields:
        The changes, by name.
    """
    before, after = {m.name: m for m in old}, {m.name: m for m in new}
    for name in sorted({*before, *after}):
        label = f"{owner}.{name}" if owner else name
        if name not in after:
            yield Change(kind, label, "removed", old=before[name].signature, breaking=True)
        elif name not in before:
            yield Change(kind, label, "added", new=after[name].signature)
        else:
            yield from compare_member(kind, label, before[name], after[name])


def compare_member(kind: str, label: str, old: Member, new: Member) -> Iterator[Change]:
    """Compare one member.

    Args:
        kind: What its class is to its users.
        label: What it is called.
        old: As it was.
        new: As it is.

    Yields:
        The changes.
    """

    def change(detail: str, before: str, after: str, *, breaking: bool) -> Change:
        return Change(kind, label, "changed", detail, before, after, breaking=breaking)

    if (old.kind, old.awaited) != (new.kind, new.awaited):
        yield change(f"is now a {new.kind}", old.kind, new.kind, breaking=True)
    if old.binding != new.binding:
        yield change("binding", old.binding, new.binding, breaking=old.binding != "instance")
    if old.read_only != new.read_only:
        words = {True: "read-only", False: "writable"}
        yield change(
            f"is now {words[new.read_only]}",
            words[old.read_only],
            words[new.read_only],
            breaking=new.read_only,
        )
    if [s.text for s in old.signatures] != [s.text for s in new.signatures]:
        texts = [" / ".join(s.text for s in m.signatures) or m.signature for m in (old, new)]
        kept = {s.text for s in old.signatures} <= {s.text for s in new.signatures}
        grown = bool(old.signatures) and kept
        yield change("overloads", texts[0], texts[1], breaking=not grown)
    else:
        yield from _parameters(kind, label, old.parameters, new.parameters)
    written = not new.read_only and new.kind in {"attribute", "property"}
    yield from compare_returns(kind, label, old.returns, new.returns, exact=written)
    yield from deprecation(kind, label, old.deprecated, new.deprecated)
    yield from _raised(kind, label, old, new)
    if old.default != new.default and old.kind == new.kind == "attribute":
        yield change("value", old.default, new.default, breaking=False)


def _parameters(
    kind: str, label: str, old: Sequence[Parameter], new: Sequence[Parameter]
) -> Iterator[Change]:
    before, after = {p.name: p for p in old}, {p.name: p for p in new}
    takes_named = any(p.kind == "var-keyword" for p in new)
    takes_more = any(p.kind == "var-positional" for p in new)
    for name, was in before.items():
        now = after.get(name)
        if now is None:
            taken = takes_named if was.kind == "keyword-only" else False
            detail = f"parameter {name!r} was removed"
            yield Change(kind, label, "changed", detail, _spell(was), breaking=not taken)
        else:
            yield from _parameter(kind, label, was, now)
    for name, now in after.items():
        if name not in before:
            detail = f"parameter {name!r} was added"
            breaking = now.required and not now.kind.startswith("var-")
            yield Change(kind, label, "changed", detail, "", _spell(now), breaking=breaking)
    places = [p.name for p in old if p.kind in _POSITIONAL and p.name in after]
    now_places = [p.name for p in new if p.kind in _POSITIONAL][: len(places)]
    still = [name for name in places if after[name].kind in _POSITIONAL]
    if still != now_places[: len(still)] and not (takes_more and not still):
        yield Change(
            kind,
            label,
            "changed",
            "order of the parameters",
            ", ".join(p.name for p in old),
            ", ".join(p.name for p in new),
            breaking=True,
        )


def _parameter(kind: str, label: str, old: Parameter, new: Parameter) -> Iterator[Change]:
    def change(detail: str, before: str, after: str, *, breaking: bool) -> Change:
        text = f"parameter {new.name!r}: {detail}"
        return Change(kind, label, "changed", text, before, after, breaking=breaking)

    if old.kind != new.kind:
        lost = (old.kind in _POSITIONAL and new.kind not in _POSITIONAL) or (
            old.kind in _NAMED and new.kind not in _NAMED
        )
        yield change("how it is passed", old.kind, new.kind, breaking=lost)
    if old.required != new.required:
        words = {True: "required", False: "optional"}
        detail = f"is now {words[new.required]}"
        yield change(detail, words[old.required], words[new.required], breaking=new.required)
    if not same_type(old.annotation, new.annotation):
        wider = covers(new.annotation, old.annotation)
        yield change("type", old.annotation, new.annotation, breaking=not wider)
    elif old.type_refs != new.type_refs and sorted(old.type_refs) != sorted(new.type_refs):
        refs = ", ".join(old.type_refs), ", ".join(new.type_refs)
        yield change("what its type is", refs[0], refs[1], breaking=True)
    if not old.required and not new.required and old.default != new.default:
        yield change("default", old.default, new.default, breaking=False)


def _spell(parameter: Parameter) -> str:
    text = f"{parameter.name}: {parameter.annotation}" if parameter.annotation else parameter.name
    return text if parameter.required else f"{text} = {parameter.default}"


def compare_returns(
    kind: str, label: str, old: Returns, new: Returns, *, exact: bool = False
) -> Iterator[Change]:
    """Compare what a call gives, or the type of an attribute.

    Args:
        kind: What its class is to its users.
        label: What the member is called.
        old: As it was.
        new: As it is.
        exact: Whether callers give values of that type too, so that a narrower one breaks them.

    Yields:
        At most one change.
    """
    if same_type(old.annotation, new.annotation):
        if sorted(old.type_refs) != sorted(new.type_refs):
            refs = ", ".join(old.type_refs), ", ".join(new.type_refs)
            yield Change(kind, label, "changed", "what its type is", *refs, breaking=True)
        return
    narrower = covers(old.annotation, new.annotation) and not exact
    yield Change(
        kind, label, "changed", "type", old.annotation, new.annotation, breaking=not narrower
    )


def _raised(kind: str, label: str, old: Member, new: Member) -> Iterator[Change]:
    before, after = {r.path or r.type for r in old.raises}, {r.path or r.type for r in new.raises}
    for name in sorted(after - before):
        yield Change(kind, label, "changed", "may raise", "", name)
    for name in sorted(before - after):
        yield Change(kind, label, "changed", "no longer raises", name, "")


def deprecation(
    kind: str, label: str, old: Deprecation | None, new: Deprecation | None
) -> Iterator[Change]:
    """Say when something was deprecated.

    Args:
        kind: What it is to its users.
        label: What it is called.
        old: Its deprecation as it was.
        new: As it is.

    Yields:
        At most one change, which breaks nobody yet.
    """
    if (old is None) != (new is None):
        detail = "is no longer deprecated" if new is None else "is deprecated"
        texts = ("" if old is None else old.message), ("" if new is None else new.message)
        yield Change(kind, label, "changed", detail, *texts)


def default_change(kind: str, label: str, old: str, new: str) -> Iterator[Change]:
    """Say when a default is another; that changes behaviour and breaks no call.

    Args:
        kind: What it is to its users.
        label: What it is called.
        old: The default as it was.
        new: As it is.

    Yields:
        At most one change.
    """
    if old != new:
        yield Change(kind, label, "changed", "default", old, new)
