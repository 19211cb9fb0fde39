"""Which violations have one right answer."""

# Maintainers: asks the rules themselves, so that what is repaired is what is reported: a suppressed
# violation is not repaired. It edits nothing.

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolset_gen.check.docs import diagnose
from toolset_gen.check.events import fits, is_awaited
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
}


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
    repairs = [*_docs(facts, reported, modules), *_verbs(facts, reported), *_keys(reported)]
    return tuple(sorted(dict.fromkeys(repairs), key=lambda r: (r.path, r.line, r)))


def _docs(
    facts: Facts, reported: frozenset[Diagnostic], modules: dict[str, str]
) -> Iterator[Repair]:
    for fact in facts.model.doc_facts:
        kind = _KINDS.get(fact.kind)
        diagnostic = diagnose(facts, fact)
        if kind is None or diagnostic is None or diagnostic not in reported:
            continue
        if fact.kind == "no returns" and fact.found:
            continue  # the section is there, and waits for its text
        module = modules.get(fact.location.path)
        if module is None or not fact.subject.startswith(f"{module}."):
            continue
        yield Repair(
            kind=kind,
            rule=diagnostic.rule,
            path=diagnostic.path,
            line=diagnostic.line,
            target=diagnostic.target,
            subject=fact.subject.removeprefix(f"{module}."),
            name=fact.name,
        )


def _verbs(facts: Facts, reported: frozenset[Diagnostic]) -> Iterator[Repair]:
    """Replace the verb of a dispatch that passes what the event takes."""
    wrong = {(d.path, d.line, d.target) for d in reported if d.rule == "EVT011"}
    for site in facts.sites("dispatch"):
        event = facts.events.get(facts.event_name(site) or "")
        if event is None or (*site.location, event.name) not in wrong or site.verb == event.mode:
            continue
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
            )


def _keys(reported: frozenset[Diagnostic]) -> Iterator[Repair]:
    for found in reported:
        if found.rule == "PLG009":
            yield Repair("inject", found.rule, found.path, found.line, found.target)
