"""YAML as nodes with their places, bounded; and the plain values they stand for."""

# Maintainers: what yaml is asked to do, and what of it is refused: tags that make objects, keys
# that stand twice, aliases that contain themselves or expand without bound, nesting so deep that
# yaml itself would recurse too far. It knows nothing of entries.

from __future__ import annotations

from collections.abc import Hashable
from typing import Final, NamedTuple, Protocol, cast

import yaml

from toolset.loader.errors import Problem

__all__: list[str] = []

# The parser in C gives the same nodes; it is not in every build of pyyaml.
_LOADER: Final[type[yaml.SafeLoader]] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DEEPEST: Final = 64
_EXPANDED: Final = 100_000
_YAML: Final = "tag:yaml.org,2002:"
_MERGE: Final = f"{_YAML}merge"


class NotYamlError(Exception):
    """A text is no YAML that is read here.

    Attributes:
        problem: What is wrong and where.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(problem.message)


class _Mark(Protocol):
    """A place in a text; yaml has two such classes."""

    @property
    def line(self) -> int: ...
    @property
    def column(self) -> int: ...


class Pair(NamedTuple):
    """A key of a mapping with its value.

    Attributes:
        key: The node of the key.
        value: The node of the value.
    """

    key: yaml.Node
    value: yaml.Node


def problem_at(node: yaml.Node, message: str) -> Problem:
    """Say that something is wrong with a node."""
    return _at(node.start_mark, message)


def _at(mark: _Mark | None, message: str) -> Problem:
    return (
        Problem(1, 1, message) if mark is None else Problem(mark.line + 1, mark.column + 1, message)
    )


def compose(text: str) -> yaml.Node | None:
    """Read a text as one YAML document.

    Returns:
        Its root node, None when it says nothing.

    Raises:
        NotYamlError: It is none, or larger than it looks.
    """
    try:
        _check_bounds(text)
        return yaml.compose(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        said = ": ".join(part for part in (error.context, error.problem) if part)
        mark = error.problem_mark or error.context_mark
        raise NotYamlError(_at(mark, f"this is no valid YAML: {said}")) from None
    except yaml.YAMLError as error:  # a character that no YAML may have; it has no mark
        raise NotYamlError(
            _at(None, f"this is no valid YAML: {' '.join(str(error).split())}")
        ) from None


def _check_bounds(text: str) -> None:
    """Refuse a document that is too deep, or too large with its aliases expanded."""
    bounds = _Bounds()
    for event in yaml.parse(text, Loader=_LOADER):
        if isinstance(event, yaml.AliasEvent):
            bounds.alias(event, str(event.anchor))
        elif isinstance(event, yaml.CollectionStartEvent):
            bounds.open(event)
        elif isinstance(event, yaml.CollectionEndEvent):
            bounds.close()
        elif isinstance(event, yaml.ScalarEvent):
            bounds.add(event.anchor, 1)


class _Bounds:
    """Counts the values of a document, those that its aliases stand for included."""

    def __init__(self) -> None:
        self._open: list[tuple[object, int]] = [(None, 0)]  # anchor and size of what is being read
        self._sizes: dict[object, int] = {}
        self._expanded = 0

    def add(self, anchor: object, size: int) -> None:
        """Count a value that has been read whole."""
        outer, before = self._open[-1]
        self._open[-1] = (outer, before + size)
        if anchor:
            self._sizes[anchor] = size

    def open(self, event: yaml.CollectionStartEvent) -> None:
        """Go into a list or a mapping."""
        self._open.append((event.anchor, 1))
        if len(self._open) > _DEEPEST:
            message = f"this is nested more than {_DEEPEST} levels deep"
            raise NotYamlError(_at(event.start_mark, message))

    def close(self) -> None:
        """Come out of it."""
        self.add(*self._open.pop())

    def alias(self, event: yaml.AliasEvent, anchor: str) -> None:
        """Count what an alias stands for."""
        if any(one == anchor for one, _ in self._open):
            raise NotYamlError(_at(event.start_mark, f"alias *{anchor} contains itself"))
        size = self._sizes.get(anchor, 0)
        self._expanded += size
        if self._expanded > _EXPANDED:
            message = f"aliases expand to more than {_EXPANDED:,} values here"
            raise NotYamlError(_at(event.start_mark, message))
        self.add(None, size)


class Reader:
    """Makes values of nodes; what is wrong with them is collected, not raised.

    Attributes:
        problems: What was wrong, in the order it was met.
    """

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self._scalars = yaml.constructor.SafeConstructor()

    def refuse(self, node: yaml.Node, message: str) -> None:
        """Note that something is wrong with a node."""
        self.problems.append(problem_at(node, message))

    def pairs(self, node: yaml.MappingNode) -> dict[Hashable, Pair]:
        """Give the keys of a mapping; those it merges in with `<<` yield to its own."""
        self._check_tag(node, "map")
        own: dict[Hashable, Pair] = {}
        merged: list[Pair] = []
        for key_node, value_node in node.value:
            if key_node.tag == _MERGE:
                merged.append(Pair(key_node, value_node))
                continue
            if not isinstance(key_node, yaml.ScalarNode):
                self.refuse(key_node, "a key must be a plain value, such as a text")
                continue
            key = self._scalar(key_node)
            if key in own:
                first = own[key].key.start_mark.line + 1
                self.refuse(key_node, f"key {key!r} stands twice, first in line {first}")
            else:
                own[key] = Pair(key_node, value_node)
        for pair in merged:
            for key, value in self._merged(pair).items():
                own.setdefault(key, value)
        return own

    def _merged(self, pair: Pair) -> dict[Hashable, Pair]:
        if isinstance(pair.value, yaml.MappingNode):
            return self.pairs(pair.value)
        is_list = isinstance(pair.value, yaml.SequenceNode)
        parts = cast("list[yaml.Node]", pair.value.value) if is_list else []
        found: dict[Hashable, Pair] = {}
        for part in parts:
            if isinstance(part, yaml.MappingNode):
                for key, value in self.pairs(part).items():
                    found.setdefault(key, value)
        if not parts or not all(isinstance(part, yaml.MappingNode) for part in parts):
            self.refuse(pair.key, "`<<` merges a mapping, or a list of mappings")
        return found

    def value(self, node: yaml.Node) -> object:
        """Give the plain value of a node; None for a part that is refused."""
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        if isinstance(node, yaml.MappingNode):
            return {key: self.value(pair.value) for key, pair in self.pairs(node).items()}
        return [self.value(item) for item in self.items(cast("yaml.SequenceNode", node))]

    def items(self, node: yaml.SequenceNode) -> list[yaml.Node]:
        """Give the items of a list."""
        self._check_tag(node, "seq")
        return cast("list[yaml.Node]", node.value)

    def _check_tag(self, node: yaml.Node, kind: str) -> None:
        if node.tag != f"{_YAML}{kind}":
            self.refuse(node, f"tag {_shown_tag(node)} is refused: a composition holds data alone")

    def _scalar(self, node: yaml.ScalarNode) -> object:
        try:
            made: object = self._scalars.construct_object(node)  # pyright: ignore[reportUnknownMemberType] -- its stub leaves a parameter bare
        except yaml.constructor.ConstructorError:
            message = f"tag {_shown_tag(node)} is refused: a composition holds data alone"
        except (ValueError, LookupError, AttributeError):  # what yaml raises for `!!bool maybe`
            kind = _shown_tag(node)
            message = (
                f"{str(node.value)[:40]!r} looks like {kind} and is none; quote it if it is text"
            )
        else:
            return made
        self.refuse(node, message)
        return None


def _shown_tag(node: yaml.Node) -> str:
    return str(node.tag).replace(_YAML, "!!")
