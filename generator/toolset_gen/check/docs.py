"""Rules on docstrings and annotations of services, events and configurations."""

# Maintainers: extraction says what a docstring lacks; here it is decided for whom that is a fault.
# What others wrote is noted and fails nothing: whoever provides it cannot repair it.

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from toolset_gen.check.facts import Facts
from toolset_gen.check.foreign import noted
from toolset_gen.check.rules import RULES
from toolset_gen.diagnostics import Diagnostic
from toolset_gen.extract.model import DocFact, DocFactKind

__all__ = ["check_docs", "diagnose"]


class _Wording(NamedTuple):
    """How one kind of fault is said: rule number by role, sentence, remedy."""

    event: str
    service: str
    config: str
    message: str
    remedy: str


_WORDINGS: dict[DocFactKind, _Wording] = {
    "no docstring": _Wording(
        "EVT001",
        "SVC001",
        "",
        "{what} has no docstring",
        "write one: a first line that says what it does, then `Args:` and `Returns:`",
    ),
    "no prose": _Wording(
        "EVT001",
        "SVC001",
        "",
        "{what} has a docstring without prose",
        "begin it with a sentence that says what it does",
    ),
    "undocumented parameter": _Wording(
        "EVT002",
        "SVC002",
        "",
        "parameter {name!r} of {what} has no `Args:` entry",
        "add `{name}: …` to its `Args:` section",
    ),
    "empty entry": _Wording(
        "EVT003",
        "SVC003",
        "",
        "the `Args:` entry of parameter {name!r} of {what} is empty",
        "say what the parameter means",
    ),
    "unknown entry": _Wording(
        "EVT004",
        "SVC004",
        "",
        "{what} documents {name!r}, which is no parameter of it",
        "rename the entry after the parameter, or remove it",
    ),
    "malformed entry": _Wording(
        "EVT015",
        "SVC010",
        "",
        "the `Args:` section of {what} has a line that is no entry: {found!r}",
        "write `name: description`, and indent what continues an entry",
    ),
    "type disagreement": _Wording(
        "EVT015",
        "SVC010",
        "",
        "the docstring of {what} gives {name!r} the type {found!r}, the annotation {expected!r}",
        "remove the type from the docstring: the annotation says it",
    ),
    "no returns": _Wording(
        "EVT005",
        "SVC005",
        "",
        "{what} does not document what it returns",
        "add a `Returns:` section (`Yields:` for a generator)",
    ),
    "unresolved raise": _Wording(
        "EVT015",
        "SVC011",
        "",
        "{what} documents that it raises {name!r}, which resolves to nothing",
        "name an exception that the module defines or imports",
    ),
    "no annotation": _Wording(
        "EVT014",
        "SVC006",
        "CFG002",
        "{subject_of_name} has no annotation",
        "annotate it",
    ),
    "no return annotation": _Wording(
        "EVT014",
        "SVC006",
        "",
        "{what} has no return annotation",
        "annotate what it returns, `-> None` when nothing",
    ),
    "undocumented attribute": _Wording(
        "",
        "SVC009",
        "",
        "attribute {name!r} of {what} has no docstring",
        "add it to the `Attributes:` section of the class, or put a docstring below it",
    ),
    "undocumented field": _Wording(
        "",
        "",
        "CFG001",
        "field {name!r} of {what} has no description",
        'say what it means: `Field(description="…")`, an `Attributes:` entry or a docstring below it',
    ),
}


def check_docs(facts: Facts) -> Iterator[Diagnostic]:
    """Judge what docstrings and annotations lack.

    Args:
        facts: What to judge.

    Yields:
        Violations of EVT001 to EVT005, EVT014, EVT015, SVC001 to SVC006, SVC009 to SVC011, CFG001,
        CFG002.
    """
    for fact in facts.model.doc_facts:
        found = diagnose(facts, fact)
        if found is not None:
            yield found


def diagnose(facts: Facts, fact: DocFact) -> Diagnostic | None:
    """Judge one thing that a docstring or signature lacks.

    Args:
        facts: What to judge by.
        fact: What is amiss.

    Returns:
        The violation, None when it is none for whom it concerns.
    """
    wording = _WORDINGS[fact.kind]
    rule = _rule(fact, wording)
    if not rule or _is_magic(fact.subject):
        return None
    target = _target(facts, fact)
    words = {
        "what": repr(target.removesuffix(f".{fact.name}") if fact.name else target),
        "name": fact.name,
        "found": fact.found,
        "expected": fact.expected,
        "subject_of_name": repr(target),
    }
    found = RULES[rule].at(
        fact.location, target, wording.message.format(**words), wording.remedy.format(**words)
    )
    return found if facts.is_ours(fact.subject) else noted(found)


def _rule(fact: DocFact, wording: _Wording) -> str:
    match fact.role:
        case "event":
            return wording.event
        case "service" | "context":
            return wording.service
        case "config":
            return wording.config
        case "type" | "plugin":
            return ""


def _is_magic(path: str) -> bool:
    # `__aenter__` and its like mean what the language says; `__call__` means what its class makes it.
    name = path.rpartition(".")[2]
    return name.startswith("__") and name.endswith("__") and name != "__call__"


def _target(facts: Facts, fact: DocFact) -> str:
    """Name a subject as its users do: an event by its name, a member by its key."""
    subject = facts.user_name(fact.subject)
    return f"{subject}.{fact.name}" if fact.name else subject
