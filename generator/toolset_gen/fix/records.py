"""What a repair is, what it did, and what it left."""

# Maintainers: records alone, so that planning and editing meet in nothing but these.

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

__all__ = ["Change", "Left", "Repair", "RepairKind"]

RepairKind: TypeAlias = Literal[
    "docstring",
    "entry",
    "inject",
    "next",
    "nothing",
    "returns",
    "suppression",
    "type",
    "unknown",
    "verb",
]


class Repair(NamedTuple):
    """One repair that is wanted.

    Attributes:
        kind: A missing docstring, a missing `Args:` entry, an unsorted `inject`, a missing parameter
            `next`, a missing `-> None`, a missing `Returns:` section, a suppression of nothing, a type
            that a docstring repeats wrongly, an `Args:` entry for no parameter, a wrong dispatch verb.
        rule: The rule that is broken.
        path: The file, posix, relative to the project root.
        line: The line that the violation names.
        target: What the violation is about, as users name it.
        subject: Dotted path of the definition inside its module; of a dispatch, the source text of the
            event.
        name: The parameter; of a dispatch, the verb that is right; of an entry for no parameter, the
            parameter it is renamed after, `""` when it goes; of `next`, what it is annotated with.
        old: Of a dispatch, the verb that stands there; of an entry for no parameter, its name.
        awaited: Of a dispatch, whether the right verb is awaited.
        doubt: Why it is not attempted, `""` when it is.
    """

    kind: RepairKind
    rule: str
    path: str
    line: int
    target: str
    subject: str = ""
    name: str = ""
    old: str = ""
    awaited: bool = False
    doubt: str = ""


class Change(NamedTuple):
    """A repair that was made.

    Attributes:
        repair: The repair.
        what: What was done, such as "added the `Args:` entry of 'price'".
    """

    repair: Repair
    what: str


class Left(NamedTuple):
    """A repair that was not made.

    Attributes:
        repair: The repair.
        why: What stands in its way.
    """

    repair: Repair
    why: str
