"""Rules on the types that public signatures refer to."""

# Maintainers: a public signature is one of a service, an event, a configuration or the context.
# What the types behind it are made of is shown, not judged.

from __future__ import annotations

from collections.abc import Iterator

from toolset_gen.check.facts import Facts
from toolset_gen.check.foreign import noted
from toolset_gen.check.rules import RULES
from toolset_gen.diagnostics import Diagnostic
from toolset_gen.extract.model import TypeFact

__all__ = ["check_types"]


def check_types(facts: Facts) -> Iterator[Diagnostic]:
    """Judge the names in public signatures.

    Args:
        facts: What to judge.

    Yields:
        Violations of TYP001 to TYP004.
    """
    for fact in facts.model.type_facts:
        ours = facts.is_ours(fact.subject or facts.canonical(fact.path))
        if not fact.subject or facts.is_public_face(fact.subject):
            if ours:
                yield _violation(fact, facts.user_name(fact.subject))
            elif fact.kind != "private":  # how others arrange their modules is theirs
                yield noted(_violation(fact, facts.user_name(fact.subject)))


def _violation(fact: TypeFact, subject: str) -> Diagnostic:
    match fact.kind:
        case "unresolved":
            return RULES["TYP001"].at(
                fact.location,
                subject,
                f"type {fact.name!r} in the signature of {subject!r} resolves to nothing",
                "import it, or correct its name",
            )
        case "private":
            return RULES["TYP002"].at(
                fact.location,
                subject,
                f"type {fact.path!r} in the signature of {subject!r} has no public import path",
                "give it a public name, or list it in `__all__` of a public module",
            )
        case "ambiguous":
            return RULES["TYP003"].at(
                fact.location,
                fact.path,
                f"type name {fact.name!r} means {fact.path} and {', '.join(fact.others)}",
                "rename one, so that a reader of a signature knows which is meant",
            )
        case "truncated":
            return RULES["TYP004"].at(
                fact.location,
                fact.path,
                f"the declaration of type {fact.path} is too long and is cut in the catalog",
                "split the type: nobody reads a declaration that long",
            )
