"""References inside a schema: each must lead somewhere, and validation must come to an end."""

# Maintainers: answers for `$ref` and for schemas that judge a value without entering it. A ring of
# those would never end, a long chain would exhaust the validator's stack; both are refused here,
# where the schema is registered, and not when a call trips over them. Iterative throughout.

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import unquote

from toolset.services.tools.jsontypes import JsonObject, JsonValue
from toolset.services.tools.keywords import IN_PLACE, KEYWORDS
from toolset.services.tools.paths import Path, Violation

__all__ = ["check_references"]

_MAX_CHAIN = 32


def check_references(root: JsonObject, place: Path) -> list[Violation]:
    """Check every reference of a normalised schema.

    Args:
        root: The schema.
        place: Its name in messages.

    Returns:
        What is wrong: references that lead nowhere or outside, rings, and chains that are too long.
    """
    return _References(root, place).check()


def _children(schema: JsonObject, place: Path) -> Iterator[tuple[str, JsonObject, Path]]:
    for name, value in schema.items():
        keyword = KEYWORDS.get(name)
        if keyword is None:
            continue
        if keyword.holds == "schema" and isinstance(value, dict):
            yield name, value, place / name
        elif keyword.holds == "schema list" and isinstance(value, list):
            for at, child in enumerate(value):
                if isinstance(child, dict):
                    yield name, child, place / name / at
        elif keyword.holds == "schema map" and isinstance(value, dict):
            for key, child in value.items():
                if isinstance(child, dict):
                    yield name, child, place / name / key


class _References:
    """The schemas of one root, and which of them judge the same value."""

    def __init__(self, root: JsonObject, place: Path) -> None:
        self.root = root
        self.places: dict[int, Path] = {}
        self.anchors: dict[str, int] = {}
        self.refs: list[tuple[int, str]] = []
        self.same_value: dict[int, list[int]] = {}
        self.violations: list[Violation] = []
        self._collect(root, place)

    def _collect(self, root: JsonObject, place: Path) -> None:
        work: list[tuple[JsonObject, Path]] = [(root, place)]
        while work:
            schema, path = work.pop()
            self.places[id(schema)] = path
            edges = self.same_value.setdefault(id(schema), [])
            anchor, ref = schema.get("$anchor"), schema.get("$ref")
            if isinstance(anchor, str):
                self.anchors[anchor] = id(schema)
            if isinstance(ref, str):
                self.refs.append((id(schema), ref))
            found = list(_children(schema, path))
            edges.extend(id(child) for keyword, child, _ in found if keyword in IN_PLACE)
            work.extend((child, where) for _, child, where in reversed(found))

    def check(self) -> list[Violation]:
        for source, ref in self.refs:
            target = self._resolve(ref)
            if target is None:
                self._refuse(
                    source, f"{ref!r} leads nowhere", "refer to `#/$defs/...` of this schema"
                )
            else:
                self.same_value[source].append(target)
        if not self.violations:
            self._check_chains()
        return self.violations

    def _refuse(self, ident: int, problem: str, remedy: str) -> None:
        self.violations.append(Violation(str(self.places[ident] / "$ref"), problem, remedy))

    def _resolve(self, ref: str) -> int | None:
        """Give the schema a local reference leads to; there is no other kind here."""
        if not ref.startswith("#"):
            return None
        fragment = unquote(ref[1:])
        if fragment and not fragment.startswith("/"):
            return self.anchors.get(fragment)
        node: JsonValue = self.root
        for step in fragment.split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            if isinstance(node, dict):
                node = node.get(name)
            elif isinstance(node, list) and name.isdecimal() and int(name) < len(node):
                node = node[int(name)]
            else:
                return None
        return id(node) if id(node) in self.places else None

    def _check_chains(self) -> None:
        """Walk depth first over schemas that judge the same value, without recursion."""
        longest: dict[int, int] = {}
        for start in self.same_value:
            open_now: dict[int, None] = {}
            work: list[tuple[int, bool]] = [(start, False)]
            while work:
                ident, done = work.pop()
                if done:
                    del open_now[ident]
                    below = (longest[child] for child in self.same_value[ident])
                    longest[ident] = 1 + max(below, default=0)
                elif ident in open_now:
                    remedy = "refer to itself from `properties` or `items` only"
                    self._refuse(ident, "refers to itself for the same value", remedy)
                    return
                elif ident not in longest:
                    open_now[ident] = None
                    work.append((ident, True))
                    work.extend((child, False) for child in self.same_value[ident])
            if longest.get(start, 0) > _MAX_CHAIN:
                where = str(self.places[start])
                problem = f"stacks more than {_MAX_CHAIN} schemas on one value"
                self.violations.append(Violation(where, problem, "make it flatter"))
                return
