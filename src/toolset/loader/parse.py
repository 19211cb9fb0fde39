"""From the text of a composition to its entries, or to every mistake in it."""

# Maintainers: what makes a file valid. It depends on the text alone: not on what is installed, not
# on the environment, not on what a plugin takes. The generator's rules CFG006 and CFG007 judge
# files by the same rules without this code; the table of cases in tests/loader/cases holds the two
# together.

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from typing import Final

import yaml

from toolset.catalog import nearest
from toolset.loader.entries import Entry
from toolset.loader.errors import InvalidCompositionError
from toolset.loader.fields import (
    read_config,
    read_disabled,
    read_id,
    read_isolate,
    read_keys,
    read_name,
    shown,
)
from toolset.loader.nodes import NotYamlError, Pair, Reader, compose

__all__: list[str] = []

_KEYS: Final = ("config", "disabled", "group", "id", "inject", "isolate", "name")


def parse(
    text: str, shown_path: str, unknown: Callable[[str], str] = lambda _: ""
) -> tuple[Entry, ...]:
    """Read a composition.

    Args:
        text: What the file says.
        shown_path: How the file was named, for messages.
        unknown: Says why a name cannot lead to a plugin, `""` when it may. It is asked about a file
            that has mistakes, so that one report has all there is to correct.

    Returns:
        Its entries; none when it says nothing.

    Raises:
        InvalidCompositionError: It has mistakes; all of them are listed.
    """
    try:
        root = compose(text)
    except NotYamlError as error:
        raise InvalidCompositionError(shown_path, [error.problem]) from None
    parser = _Parser()
    entries = () if root is None or _is_null(root) else parser.entries(root)
    parser.refuse_taken_ids()
    if parser.reader.problems:
        parser.refuse_unknown_names(unknown)
        raise InvalidCompositionError(shown_path, parser.reader.problems)
    return entries


class _Parser:
    """Reads one composition."""

    def __init__(self) -> None:
        self.reader = Reader()
        self._derived: Counter[str] = Counter()
        self._ids: list[tuple[str, yaml.Node, bool]] = []
        self._names: list[tuple[str, yaml.Node]] = []

    def entries(self, node: yaml.Node, *, off: bool = False) -> tuple[Entry, ...]:
        """Read a list of entries; `off` when they are in a group that is disabled."""
        if not isinstance(node, yaml.SequenceNode):
            self.reader.refuse(
                node, f"a composition is a list of entries, `- name: ...`; not {shown(node)}"
            )
            return ()
        items = self.reader.items(node)
        return tuple(entry for item in items if (entry := self._entry(item, off)) is not None)

    def _entry(self, node: yaml.Node, off: bool) -> Entry | None:  # noqa: FBT001 - as above
        if not isinstance(node, yaml.MappingNode):
            self.reader.refuse(
                node, f"an entry is a mapping with `name`, or with `group`; not {shown(node)}"
            )
            return None
        pairs = self._known(self.reader.pairs(node))
        self._refuse_mixture(node, pairs)
        reader, get = self.reader, {key: pair.value for key, pair in pairs.items()}
        name = read_name(reader, get["name"]) if "name" in get else ""
        disabled = read_disabled(reader, get["disabled"]) if "disabled" in get else False
        off = off or disabled
        if name and not off:
            self._names.append((name, get["name"]))
        return Entry(
            id=self._id(node, get.get("id"), name or ("" if "name" in get else "group")),
            name=name,
            config=read_config(reader, get["config"]) if "config" in get else None,
            disabled=disabled,
            inject=read_keys(reader, "inject", get["inject"]) if "inject" in get else (),
            isolate=read_isolate(reader, get["isolate"]) if "isolate" in get else (),
            group=self.entries(get["group"], off=off) if "group" in get else None,
            line=node.start_mark.line + 1,
        )

    def _known(self, pairs: dict[Hashable, Pair]) -> dict[str, Pair]:
        """Give the keys that entries have and that have a value; refuse the others."""
        found: dict[str, Pair] = {}
        for key, pair in pairs.items():
            if not isinstance(key, str) or key not in _KEYS:
                close = nearest(str(key), _KEYS, limit=1)
                hint = f"did you mean {close[0]!r}?" if close else f"known are {', '.join(_KEYS)}"
                named = repr(key)
                if isinstance(key, bool):
                    hint, named = f"{shown(pair.key)}; {hint}", named.lower()
                self.reader.refuse(pair.key, f"unknown key {named} of an entry; {hint}")
            elif not _is_null(pair.value):
                found[key] = pair
        return found

    def _refuse_mixture(self, node: yaml.Node, pairs: dict[str, Pair]) -> None:
        if "name" in pairs and "group" in pairs:
            self.reader.refuse(
                pairs["group"].key, "an entry has `name` or `group`, not both; give a group an `id`"
            )
        elif "group" in pairs and "config" in pairs:
            self.reader.refuse(
                pairs["config"].key, "a group has no `config`; its entries have their own"
            )
        elif "name" not in pairs and "group" not in pairs:
            self.reader.refuse(node, "an entry needs `name`, or `group` with entries in it")

    def _id(self, node: yaml.Node, given: yaml.Node | None, base: str) -> str:
        """Read the id, or derive one: the name, then `name#2` and so on."""
        if given is not None:
            found = read_id(self.reader, given)
        else:
            self._derived[base] += 1
            found = base if self._derived[base] == 1 else f"{base}#{self._derived[base]}"
        if found:
            self._ids.append((found, node if given is None else given, given is not None))
        return found

    def refuse_taken_ids(self) -> None:
        """Refuse every id that an earlier entry has."""
        first: dict[str, int] = {}
        for found, node, is_given in self._ids:
            if found not in first:
                first[found] = node.start_mark.line + 1
                continue
            way = (
                "choose another" if is_given else "this one is derived from the name; give an `id`"
            )
            self.reader.refuse(
                node, f"id {found!r} is taken by the entry in line {first[found]}; {way}"
            )

    def refuse_unknown_names(self, unknown: Callable[[str], str]) -> None:
        """Refuse the names that lead nowhere, where they are known to."""
        reasons = {name: unknown(name) for name in dict(self._names)}
        for name, node in self._names:
            if reasons[name]:
                self.reader.refuse(node, reasons[name])


def _is_null(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:null"
