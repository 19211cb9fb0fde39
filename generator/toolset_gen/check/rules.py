"""Which rules there are, and their pages."""

# Maintainers: an id is stable: it stands in users' suppressions, so it is never reused. Each rule
# has a page in `pages/` whose wrong example breaks it and whose right example does not;
# test_check_rules.py runs both through the gate, and that is each rule's negative test.

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from toolset.catalog import nearest
from toolset_gen.diagnostics import Diagnostic, Severity
from toolset_gen.errors import UsageError

if TYPE_CHECKING:
    from toolset_gen.extract.model import Location

__all__ = ["RULES", "Rule", "RuleLookupError", "explain", "say_rules"]


class Rule(NamedTuple):
    """One thing the gate looks at.

    Attributes:
        id: Stable id, such as `EVT003`.
        title: What is wrong, in a few words.
        severity: Whether it stops generation.
        repaired: Whether `toolset catalog fix` repairs it, where there is one right answer.
    """

    id: str
    title: str
    severity: Severity = "error"
    repaired: bool = False

    def at(self, place: Location, target: str, message: str, remedy: str) -> Diagnostic:
        """Report a violation of this rule.

        Args:
            place: Where.
            target: What a suppression names it by.
            message: One sentence: what is wrong, with which thing.
            remedy: One sentence: the way out.

        Returns:
            The diagnostic.
        """
        return Diagnostic(
            self.id, place.path, place.line, message, remedy, self.severity, target=target
        )


_ALL = (
    Rule("SRC001", "a source file is no valid Python"),
    Rule("SRC002", "a source file cannot be decoded"),
    Rule("SRC003", "a source file or folder cannot be read"),
    Rule("SRC004", "a source file cannot be imported"),
    Rule("SRC005", "a package is not there"),
    Rule("SRC006", "two files claim one module"),
    Rule("SRC007", "the `__all__` of a module is not a constant", "warning"),
    Rule("EVT001", "an event is declared without prose", repaired=True),
    Rule("EVT002", "an event's parameter is not documented", repaired=True),
    Rule("EVT003", "an event's `Args:` entry is empty"),
    Rule("EVT004", "an event's `Args:` entry is for no parameter", repaired=True),
    Rule("EVT005", "what an event's listener returns is not documented", repaired=True),
    Rule("EVT006", "a waterfall event has no trailing `next`", repaired=True),
    Rule("EVT007", "an event takes `next` and is no waterfall"),
    Rule("EVT008", "an event's name is not `scope/name`"),
    Rule("EVT009", "an event is declared twice"),
    Rule("EVT010", "an event is never dispatched"),
    Rule("EVT011", "an event is dispatched with another mode's verb", repaired=True),
    Rule("EVT012", "an event is declared nowhere"),
    Rule("EVT013", "a listener cannot take its event's arguments"),
    Rule("EVT014", "an event's signature is not annotated", repaired=True),
    Rule("EVT015", "an event's docstring contradicts its signature", repaired=True),
    Rule("EVT016", "an event's name or mode is not a constant"),
    Rule("EVT017", "a dispatch does not pass its event's arguments"),
    Rule("EVT018", "an event is declared where the catalog cannot list it"),
    Rule("SVC001", "a service or its member has no docstring", repaired=True),
    Rule("SVC002", "a service's parameter is not documented", repaired=True),
    Rule("SVC003", "a service's `Args:` entry is empty"),
    Rule("SVC004", "a service's `Args:` entry is for no parameter", repaired=True),
    Rule("SVC005", "what a service's member returns is not documented", repaired=True),
    Rule("SVC006", "a service's signature is not annotated", repaired=True),
    Rule("SVC007", "two classes are services under one key"),
    Rule("SVC008", "a service is provided by nobody"),
    Rule("SVC009", "a service's attribute has no docstring"),
    Rule("SVC010", "a service's docstring contradicts its signature", repaired=True),
    Rule("SVC011", "a documented exception does not exist"),
    Rule("SVC012", "a service's key is not a constant"),
    Rule("SVC013", "a class named as a service cannot be described"),
    Rule("SVC014", "a service is defined where the catalog cannot list it"),
    Rule("TYP001", "a type in a public signature resolves to nothing"),
    Rule("TYP002", "a type in a public signature is private"),
    Rule("TYP003", "a type's name is ambiguous", "warning"),
    Rule("TYP004", "a type's declaration is cut", "warning"),
    Rule("PLG001", "an injected service is provided by nobody"),
    Rule("PLG002", "plugins wait for each other"),
    Rule("PLG003", "a service is read and not injected"),
    Rule("PLG004", "two plugins have one name"),
    Rule("PLG005", "two tools have one name"),
    Rule("PLG006", "a tool plugin does not become active"),
    Rule("PLG007", "a tool plugin registers no tool"),
    Rule("PLG008", "what a plugin injects is not a constant"),
    Rule("PLG009", "the keys of an `inject` are not sorted", "warning", repaired=True),
    Rule("CFG001", "a configuration field has no description"),
    Rule("CFG002", "a configuration field has no type"),
    Rule("CFG003", "a configuration field's default is refused by its own constraint"),
    Rule("CFG004", "a configuration field is read nowhere"),
    Rule("CFG005", "a configuration field is read that does not exist"),
    Rule("CFG006", "a composition sets a key that does not exist"),
    Rule("CFG007", "a composition cannot be read"),
    Rule("PRO001", "prose names a service, or a member of one, that does not exist"),
    Rule("PRO002", "prose names an event that does not exist"),
    Rule("PRO003", "prose names a tool that does not exist"),
    Rule("PRO004", "prose names a configuration field that does not exist"),
    Rule("SUP001", "a suppression applies to nothing", repaired=True),
)

_LONGEST = 40  # of what is quoted back
RULES = {rule.id: rule for rule in _ALL}


class RuleLookupError(UsageError):
    """No rule has that id.

    Args:
        rule: The id that was asked for.
    """

    def __init__(self, rule: str) -> None:
        self.rule = rule
        close = nearest(rule.upper(), RULES)
        hint = f"did you mean {' or '.join(close)}?" if close else "without one, all are listed"
        shown = rule if len(rule) <= _LONGEST else f"{rule[:_LONGEST]}…"
        super().__init__(f"no rule has the id {shown!r}; {hint}")


def explain(rule: str) -> str:
    """Read a rule's page.

    Args:
        rule: Its id, in any case.

    Returns:
        Markdown: what it finds, why, a wrong and a right example.

    Raises:
        RuleLookupError: No rule has that id.
    """
    known = RULES.get(rule.upper())
    if known is None:
        raise RuleLookupError(rule)
    page = Path(__file__).with_name("pages") / f"{known.id}.md"
    text = page.read_text(encoding="utf-8")
    if not known.repaired:
        return text
    head, mark, rest = text.partition("**Why.**")
    return (
        f"{head}`toolset catalog fix` repairs it where there is one right answer.\n\n{mark}{rest}"
    )


def say_rules(rule: str, form: Literal["json", "text"]) -> str:
    """Explain one rule, or list all.

    Args:
        rule: Its id, in any case; `""` for all.
        form: Text for people: the page, or a line a rule. JSON: the same records for one and for all.

    Returns:
        The report, without a final newline.

    Raises:
        RuleLookupError: No rule has that id.
    """
    page = explain(rule) if rule else ""
    if form == "text":
        lines = (f"{one.id}  {one.title}{_marks(one)}" for one in RULES.values())
        return page.rstrip("\n") or "\n".join(lines)
    chosen = [RULES[rule.upper()]] if rule else RULES.values()
    return json.dumps(
        {"rules": [one._asdict() | {"page": explain(one.id)} for one in chosen]}, indent=2
    )


def _marks(rule: Rule) -> str:
    marks = ["warning"] if rule.severity == "warning" else []
    marks += ["`fix` repairs it"] if rule.repaired else []
    return f" ({'; '.join(marks)})" if marks else ""
