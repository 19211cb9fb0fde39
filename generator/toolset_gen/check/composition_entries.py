"""The entries of a composition: what each key may hold, which go together, whose id is taken."""

# Maintainers: what the loader takes, judged without the loader's code; see composition_yaml.py. It
# finds the configurations too, and leaves it to compositions.py what plugins take.

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, cast

from toolset.catalog import nearest
from toolset_gen.check.composition_yaml import Fault, Nodes, Pairs

if TYPE_CHECKING:
    import yaml

__all__ = ["Configured", "Entries"]

_KEYS = ("config", "disabled", "group", "id", "inject", "isolate", "name")
_DOTTED = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_NAME = re.compile(rf"[\w-][\w.-]*|{_DOTTED}:{_DOTTED}")
_VARIABLE = re.compile(r"\$\{env:[A-Za-z_][A-Za-z0-9_]*(?::-(?:(?!\$\{)[^}])*)?\}")
_LIKE_VARIABLE = re.compile(r"\$\{\s*env\s*:", re.IGNORECASE)
_LONGEST_ID = 200


class Configured(NamedTuple):
    """An entry with a configuration.

    Attributes:
        name: What names its plugin.
        config: The mapping it is given.
    """

    name: str
    config: yaml.MappingNode


class Entries:
    """Judges the entries of one composition.

    Args:
        nodes: Its nodes; faults are added to theirs.

    Attributes:
        names: What names plugins, each with its line.
    """

    def __init__(self, nodes: Nodes) -> None:
        import yaml  # noqa: PLC0415 - only a composition needs it

        self._yaml = yaml
        self._nodes = nodes
        self._derived: Counter[str] = Counter()
        self._ids: list[tuple[str, yaml.Node]] = []
        self.names: list[tuple[str, int]] = []

    def judge(self, root: yaml.Node) -> Iterator[Configured]:
        """Judge a composition.

        Args:
            root: Its root node.

        Yields:
            The entries with a configuration, those in groups too.
        """
        yield from self._list(root)
        first: dict[str, int] = {}
        for key, node in self._ids:
            line = node.start_mark.line + 1
            if key in first:
                self._nodes.fault(
                    node, f"the id {key!r} is that of line {first[key]} too; give an `id`"
                )
            first.setdefault(key, line)

    def _list(self, node: yaml.Node) -> Iterator[Configured]:
        if not isinstance(node, self._yaml.SequenceNode):
            self._nodes.fault(node, "it is no list of entries")
            return
        for item in self._nodes.items(node):
            if isinstance(item, self._yaml.MappingNode):
                yield from self._entry(item)
            else:
                self._nodes.fault(item, "an entry is no mapping")

    def _entry(self, node: yaml.MappingNode) -> Iterator[Configured]:
        pairs = self._nodes.pairs(node)
        given = {str(key): value for key, (_, value) in pairs.items() if key in _KEYS}
        given = {key: value for key, value in given.items() if not self._nodes.is_null(value)}
        name = self._name(given["name"]) if "name" in given else ""
        self._unknown(name or "an entry", pairs)
        self._mixture(node, pairs, given)
        self._id(node, given.get("id"), name or ("" if "name" in given else "group"))
        self._small(given)
        config = given.get("config")
        if isinstance(config, self._yaml.MappingNode):
            self._config(config)
            yield Configured(name, config)
        elif config is not None:
            self._nodes.fault(config, "`config` is no mapping")
        if "group" in given:
            yield from self._list(given["group"])

    def _unknown(self, name: str, pairs: Pairs) -> None:
        for key, (node, _) in pairs.items():
            if key not in _KEYS:
                close = nearest(str(key), _KEYS, limit=1)
                hint = (
                    f"did you mean {close[0]!r}?" if close else f"an entry has {', '.join(_KEYS)}"
                )
                problem = f"sets {key!r} of {name!r}, which does not exist; {hint}"
                line = node.start_mark.line + 1
                self._nodes.faults.append(Fault(line, problem, f"{name}.{key}"))

    def _mixture(self, node: yaml.Node, pairs: Pairs, given: dict[str, yaml.Node]) -> None:
        """Judge which keys go together."""
        if "name" in given and "group" in given:
            self._nodes.fault(pairs["group"][0], "an entry has both `name` and `group`")
        elif "group" in given and "config" in given:
            self._nodes.fault(pairs["config"][0], "a group has a `config`")
        elif "name" not in given and "group" not in given:
            self._nodes.fault(node, "an entry needs `name`, or `group` with entries in it")

    def _name(self, node: yaml.Node) -> str:
        value = self._nodes.scalar(node)
        if isinstance(value, str) and _NAME.fullmatch(value):
            self.names.append((value, node.start_mark.line + 1))
            return value
        self._nodes.fault(node, "`name` is no module, `module:attribute` or entry point")
        return ""

    def _id(self, node: yaml.Node, given: yaml.Node | None, base: str) -> None:
        if given is None:
            self._derived[base] += 1
            value: object = base if self._derived[base] == 1 else f"{base}#{self._derived[base]}"
        else:
            value = self._nodes.scalar(given)
        if given is not None and not _may_be_id(value):
            self._nodes.fault(given, "`id` is no text on one line")
        elif value:
            self._ids.append((str(value), node if given is None else given))

    def _small(self, given: dict[str, yaml.Node]) -> None:
        """Judge `disabled`, `inject` and `isolate`."""
        if "disabled" in given and not isinstance(self._nodes.scalar(given["disabled"]), bool):
            self._nodes.fault(given["disabled"], "`disabled` is neither true nor false")
        if "inject" in given:
            self._keys("inject", given["inject"])
        isolate = given.get("isolate")
        if isinstance(isolate, self._yaml.MappingNode):
            for key, label in self._nodes.pairs(isolate).values():
                self._service("isolate", key)
                value = self._nodes.scalar(label)
                if value is not True and not (isinstance(value, str) and value):
                    self._nodes.fault(
                        label, "a key of `isolate` is set to neither true nor a label"
                    )
        elif isolate is not None:
            self._keys("isolate", isolate)

    def _keys(self, what: str, node: yaml.Node) -> None:
        if isinstance(node, self._yaml.SequenceNode):
            for item in self._nodes.items(node):
                self._service(what, item)
        else:
            self._nodes.fault(node, f"`{what}` is no list of service keys")

    def _service(self, what: str, node: yaml.Node) -> None:
        value = self._nodes.scalar(node)
        if not isinstance(value, str) or not value.isidentifier() or value.startswith("_"):
            self._nodes.fault(node, f"`{what}` names what is no service key")

    def _config(self, node: yaml.MappingNode) -> None:
        for key, (at, value) in self._nodes.pairs(node).items():
            if not isinstance(key, str):
                self._nodes.fault(at, "a key of `config` is no text")
                continue
            self._nodes.check(value)
            self._variables(value)

    def _variables(self, node: yaml.Node) -> None:
        if isinstance(node, self._yaml.MappingNode):
            for _, value in cast("list[tuple[yaml.Node, yaml.Node]]", node.value):
                self._variables(value)
        elif isinstance(node, self._yaml.SequenceNode):
            for item in cast("list[yaml.Node]", node.value):
                self._variables(item)
        elif _LIKE_VARIABLE.search(_VARIABLE.sub(" ", str(node.value))):
            self._nodes.fault(node, "a variable is neither ${env:NAME} nor ${env:NAME:-default}")


def _may_be_id(value: object) -> bool:
    if not isinstance(value, str) or not value.strip():
        return False
    return value.isprintable() and len(value) <= _LONGEST_ID
