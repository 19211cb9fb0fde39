"""Which violations have one right answer."""

# Maintainers: asks the rules themselves, so that what is repaired is what is reported: a suppressed
# violation is not repaired. It edits nothing.

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from toolset.catalog import Parameter, nearest
from toolset_gen.check.docs import diagnose
from toolset_gen.check.events import fits, is_awaited, is_next, misfits
from toolset_gen.check.facts import Facts
from toolset_gen.diagnostics import Diagnostic
from toolset_gen.discover import SourceFile
from toolset_gen.extract.model import DocFactKind
from toolset_gen.fix.records import Repair, RepairKind

__all__ = ["plan"]

_KINDS: dict[DocFactKind, RepairKind] = {
    "no docstring": "docstring",
    "undocumented parameter": "entry",
    "no returns": "returns",
    "type disagreement": "type",
    "no return annotation": "nothing",
    "unknown entry": "unknown",
}
_NOTHING = frozenset({"emit", "parallel"})  # what their listeners return is not looked at


def plan(
    facts: Facts, found: Iterable[Diagnostic], files: Iterable[SourceFile]
) -> tuple[Repair, ...]:
    """Find the repairs of a project.

    Args:
        facts: What the sources say.
        found: The violations that are reported.
        files: The scanned files.

    Returns:
        The repairs, by place.
    """
    reported = frozenset(found)
    modules = {file.path: file.module for file in files}
    repairs = [
        *_docs(facts, reported, modules),
        *_next(facts, reported, modules),
        *_verbs(facts, reported),
        *_keys(reported),
    ]
    return tuple(sorted(dict.fromkeys(repairs), key=lambda r: (r.path, r.line, r)))


def _docs(
    facts: Facts, reported: frozenset[Diagnostic], modules: dict[str, str]
) -> Iterator[Repair]:
    unsaid, unknown = _by_subject(facts, _UNSAID), _by_subject(facts, {"unknown entry"})
    for fact in facts.model.doc_facts:
        kind = _KINDS.get(fact.kind)
        diagnostic = diagnose(facts, fact)
        if kind is None or diagnostic is None or diagnostic not in reported:
            continue
        if fact.kind == "no returns" and fact.found:
            continue  # the section is there, and waits for its text
        subject = _inside(fact.location.path, fact.subject, modules)
        if not subject:
            continue
        repair = Repair(
            kind=kind,
            rule=diagnostic.rule,
            path=diagnostic.path,
            line=diagnostic.line,
            target=diagnostic.target,
            subject=subject,
            name=fact.name,
        )
        if fact.kind == "unknown entry":
            names = unknown[fact.subject], unsaid.get(fact.subject, {})
            repair = _resolved(repair._replace(old=fact.name, name=""), *names)
        elif fact.kind == "undocumented parameter" and _is_misspelt(
            fact.name, unknown.get(fact.subject, {}), unsaid[fact.subject]
        ):
            continue  # its entry is there, under another name
        elif fact.kind == "no return annotation" and fact.role == "event":
            event = facts.events.get(diagnostic.target)
            silent = event is not None and event.mode in _NOTHING
            doubt = "" if silent else "only a person knows what its listeners return"
            repair = repair._replace(name="anything", doubt=doubt)
        yield repair


_UNSAID: frozenset[DocFactKind] = frozenset({"undocumented parameter", "empty entry"})


def _by_subject(facts: Facts, kinds: Collection[DocFactKind]) -> dict[str, dict[str, DocFactKind]]:
    found: dict[str, dict[str, DocFactKind]] = {}
    for fact in facts.model.doc_facts:
        if fact.kind in kinds:
            found.setdefault(fact.subject, {})[fact.name] = fact.kind
    return found


def _is_misspelt(name: str, unknown: Collection[str], unsaid: Mapping[str, DocFactKind]) -> bool:
    """Tell whether the one entry for no parameter can only be for the one parameter without entry."""
    if len(unknown) != 1 or dict(unsaid) != {name: "undocumented parameter"}:
        return False
    return nearest(next(iter(unknown)), [name], limit=1) == (name,)


def _resolved(
    repair: Repair, unknown: Collection[str], unsaid: Mapping[str, DocFactKind]
) -> Repair:
    """Say what becomes of an entry for no parameter: with all others documented, it is for none."""
    if not unsaid:
        return repair
    name = next(iter(unsaid))
    if _is_misspelt(name, unknown, unsaid):
        return repair._replace(name=name)
    listed = ", ".join(repr(one) for one in unsaid)
    return repair._replace(doubt=f"what it says may belong to {listed}, which has no text yet")


def _inside(path: str, subject: str, modules: Mapping[str, str]) -> str:
    """Name a definition inside of its module, `""` when the module is not scanned."""
    module = modules.get(path)
    if module is None or not subject.startswith(f"{module}."):
        return ""
    return subject.removeprefix(f"{module}.")


def _next(
    facts: Facts, reported: frozenset[Diagnostic], modules: dict[str, str]
) -> Iterator[Repair]:
    """Add the last parameter of a waterfall, when all who use it know of it already."""
    for found in reported:
        if found.rule != "EVT006":
            continue
        event = facts.events[found.target]
        subject = _inside(found.path, event.path, modules)
        taking = event._replace(
            parameters=(*event.parameters, Parameter("next", "positional-or-keyword", "Next"))
        )
        misfit = next(misfits(facts, taking), None)
        doubt = f"{misfit.path}:{misfit.line} does without it" if misfit else ""
        if any(is_next(parameter) for parameter in event.parameters):
            doubt = "`next` stands among its parameters, and is not the last"
        yield Repair("next", found.rule, found.path, found.line, found.target, subject, doubt=doubt)


def _verbs(facts: Facts, reported: frozenset[Diagnostic]) -> Iterator[Repair]:
    """Replace the verb of a dispatch that passes what the event takes."""
    wrong = {(d.path, d.line, d.target) for d in reported if d.rule == "EVT011"}
    for site in facts.sites("dispatch"):
        event = facts.events.get(facts.event_name(site) or "")
        if event is None or (*site.location, event.name) not in wrong or site.verb == event.mode:
            continue
        last = event.parameters[-1] if event.parameters else None
        passes_on = event.mode != "waterfall" or (last is not None and is_next(last))
        if fits(event, site.arguments):
            yield Repair(
                kind="verb",
                rule="EVT011",
                path=site.location.path,
                line=site.location.line,
                target=event.name,
                subject=site.text,
                name=event.mode,
                old=site.verb,
                awaited=is_awaited(event),
                doubt="" if passes_on else "the event has to take `next` first",
            )


def _keys(reported: frozenset[Diagnostic]) -> Iterator[Repair]:
    for found in reported:
        if found.rule == "PLG009":
            yield Repair("inject", found.rule, found.path, found.line, found.target)
