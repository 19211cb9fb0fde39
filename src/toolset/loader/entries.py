"""The entries of a composition: as they stand in the file, and how they fare."""

# Maintainers: records alone. `Entry` is what parse.py makes and tree.py compares; where it stands
# in the file is no part of what it says, so that adding a comment changes no entry.

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple, TypeAlias

__all__ = ["EntryStatus", "Reloaded"]

State: TypeAlias = Literal["mounted", "pending", "failed", "disabled"]


class Entry(NamedTuple):
    """One entry, as the file has it.

    Attributes:
        id: Its id, given or derived.
        name: What names its plugin, `""` for a group.
        config: Its configuration before variables are replaced, None when it has none.
        disabled: Whether it is to be left out.
        inject: Services it waits for beside those of its plugin.
        isolate: Service keys with a slot of their own, each with its label or None.
        group: The entries in it, None when it is no group.
        line: Where it starts in the file, counted from 1.
    """

    id: str
    name: str
    config: Mapping[str, object] | None
    disabled: bool
    inject: tuple[str, ...]
    isolate: tuple[tuple[str, str | None], ...]
    group: tuple[Entry, ...] | None
    line: int

    @property
    def shape(self) -> tuple[object, ...]:
        """What it is apart from its configuration: when this changes, it is mounted anew."""
        unordered = (frozenset(self.inject), frozenset(self.isolate))
        return (self.name, self.disabled, self.group is None, *unordered)


def flatten(entries: tuple[Entry, ...], parent: str = "") -> Iterator[tuple[Entry, str]]:
    """Walk entries in the order of the file, each with the id of the group it is in."""
    for entry in entries:
        yield entry, parent
        if entry.group:
            yield from flatten(entry.group, entry.id)


class EntryStatus(NamedTuple):
    """How one entry fares.

    Attributes:
        id: Its id, given in the file or derived from its name.
        name: The plugin as the file names it, `""` for a group.
        group: Id of the group it is in, `""` at the top.
        state: `mounted`, `pending`, `failed` or `disabled`.
        reason: Why it is not mounted, `""` when it is.
        line: Where it starts in the file, counted from 1.
    """

    id: str
    name: str
    group: str
    state: State
    reason: str
    line: int


class Reloaded(NamedTuple):
    """What a reload did, as ids in the order of the file.

    Attributes:
        added: Entries that were not there.
        changed: Entries that were given a new configuration, or mounted anew.
        removed: Entries that are gone.
    """

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
