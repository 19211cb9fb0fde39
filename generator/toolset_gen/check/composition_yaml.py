"""A composition as YAML: its nodes, and what no loader takes whatever the entries say."""

# Maintainers: the loader's bounds, judged without the loader's code; the table of cases in
# tests/loader/cases holds the two together. yaml is imported when there is a composition.

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, TypeGuard, cast

if TYPE_CHECKING:
    import yaml

__all__ = ["Fault", "Nodes", "Pairs"]

_DEEPEST = 64
_EXPANDED = 100_000
_YAML = "tag:yaml.org,2002:"


class Fault(NamedTuple):
    """What is wrong with a composition.

    Attributes:
        line: Where, counted from 1; 0 for the whole.
        problem: What.
        key: The entry's key that does not exist, as `name.key`; `""` for anything else.
    """

    line: int
    problem: str
    key: str = ""


Pairs = dict[object, "tuple[yaml.Node, yaml.Node]"]


class Nodes:
    """Reads the nodes of one composition.

    Attributes:
        faults: What was wrong with them.
    """

    def __init__(self) -> None:
        import yaml  # noqa: PLC0415 - see the head of the module

        self._yaml = yaml
        self._loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        self._values = yaml.constructor.SafeConstructor()
        self.faults: list[Fault] = []

    def fault(self, node: yaml.Node, problem: str) -> None:
        """Note that something is wrong at a node."""
        self.faults.append(Fault(node.start_mark.line + 1, problem))

    def root(self, text: str) -> yaml.Node | None:
        """Read the one document of a text; None when there is none, or none that is read."""
        yaml = self._yaml
        try:
            unbounded = next(self._unbounded(text), None)
            if unbounded is None:
                root = yaml.compose(text, Loader=self._loader)
                return None if root is None or self.is_null(root) else root
            self.faults.append(unbounded)
        except yaml.YAMLError as error:
            marked = error if isinstance(error, yaml.MarkedYAMLError) else None
            mark = (marked.problem_mark or marked.context_mark) if marked is not None else None
            problem = marked.problem if marked is not None else str(error)
            self.faults.append(
                Fault(1 if mark is None else mark.line + 1, f"no valid YAML: {problem}")
            )
        return None

    def _unbounded(self, text: str) -> Iterator[Fault]:
        """Find where a document is too deep, or too large with its aliases expanded."""
        yaml = self._yaml
        reading: list[tuple[str | None, int]] = [(None, 0)]
        sizes: dict[str, int] = {}
        expanded = 0
        for event in yaml.parse(text, Loader=self._loader):
            line = event.start_mark.line + 1 if event.start_mark is not None else 0
            if isinstance(event, yaml.CollectionStartEvent):
                reading.append((event.anchor, 1))
                if len(reading) > _DEEPEST:
                    yield Fault(line, f"nested more than {_DEEPEST} levels deep")
                continue
            if isinstance(event, yaml.AliasEvent):
                anchor, size = None, sizes.get(str(event.anchor), 0)
                expanded += size
                if expanded > _EXPANDED or event.anchor in {one for one, _ in reading}:
                    yield Fault(line, "an alias that expands without bound")
            elif isinstance(event, yaml.CollectionEndEvent):
                anchor, size = reading.pop()
            elif isinstance(event, yaml.ScalarEvent):
                anchor, size = event.anchor, 1
            else:
                continue
            outer, before = reading[-1]
            reading[-1] = (outer, before + size)
            if anchor:
                sizes[anchor] = size

    def is_null(self, node: yaml.Node) -> bool:
        """Tell whether a node says nothing."""
        return isinstance(node, self._yaml.ScalarNode) and node.tag == f"{_YAML}null"

    def is_mapping(self, node: yaml.Node) -> TypeGuard[yaml.MappingNode]:
        """Tell whether a node is a mapping."""
        return isinstance(node, self._yaml.MappingNode)

    def scalar(self, node: yaml.Node) -> object:
        """Give the value of a scalar; look into anything else and give None."""
        yaml = self._yaml
        if not isinstance(node, yaml.ScalarNode):
            self.check(node)
            return None
        try:
            value: object = self._values.construct_object(node)  # pyright: ignore[reportUnknownMemberType] -- its stub leaves a parameter bare
        except (yaml.YAMLError, ValueError, LookupError, AttributeError):
            kind = node.tag.replace(_YAML, "!!")
            self.fault(node, f"{node.value[:40]!r} is no {kind}, or that is no plain data")
            return None
        return value

    def items(self, node: yaml.SequenceNode) -> list[yaml.Node]:
        """Give the items of a list."""
        self._plain(node, "seq")
        return cast("list[yaml.Node]", node.value)

    def pairs(self, node: yaml.MappingNode) -> Pairs:
        """Give the keys of a mapping, those it merges in as well."""
        self._plain(node, "map")
        own, merged = Pairs(), Pairs()
        for key, value in cast("list[tuple[yaml.Node, yaml.Node]]", node.value):
            if key.tag == f"{_YAML}merge":
                for one, pair in self._merged(key, value):
                    merged.setdefault(one, pair)
            elif not isinstance(key, self._yaml.ScalarNode):
                self.fault(key, "a key that is no plain value")
            elif (name := self.scalar(key)) in own:
                self.fault(key, f"the key {name!r} stands twice")
            else:
                own[name] = (key, value)
        return merged | own

    def _merged(
        self, key: yaml.Node, value: yaml.Node
    ) -> Iterator[tuple[object, tuple[yaml.Node, yaml.Node]]]:
        is_list = isinstance(value, self._yaml.SequenceNode)
        parts = cast("list[yaml.Node]", value.value) if is_list else [value]
        mappings = [one for one in parts if isinstance(one, self._yaml.MappingNode)]
        if not parts or len(mappings) < len(parts):
            self.fault(key, "`<<` merges a mapping, or a list of mappings")
        for one in mappings:
            yield from self.pairs(one).items()

    def check(self, node: yaml.Node) -> None:
        """Look at everything in a node that holds data of any shape."""
        if isinstance(node, self._yaml.MappingNode):
            for _, value in self.pairs(node).values():
                self.check(value)
        elif isinstance(node, self._yaml.SequenceNode):
            for item in self.items(node):
                self.check(item)
        else:
            self.scalar(node)

    def _plain(self, node: yaml.Node, kind: str) -> None:
        if node.tag != f"{_YAML}{kind}":
            self.fault(
                node, f"the tag {node.tag.replace(_YAML, '!!')!r}: a composition holds data alone"
            )
