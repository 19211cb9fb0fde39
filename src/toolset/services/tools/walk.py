"""The walk that checks a schema and copies it."""

# Maintainers: answers for "everything that is wrong, where it is wrong". Invariants: a work list
# instead of recursion, so that no depth fails; the paths are those of the source; the copy is plain
# JSON that shares nothing with its source. It knows keywords.py, and neither roots nor references.

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias, TypeGuard, cast

from toolset.catalog import nearest
from toolset.services.tools.errors import NotJsonError
from toolset.services.tools.jsontypes import JsonObject, JsonValue
from toolset.services.tools.keywords import KEYWORDS, SHORT, TYPES, Keyword, fits, value_problem
from toolset.services.tools.lossless import copy_json
from toolset.services.tools.paths import MAX_LISTED, Path, Violation
from toolset.services.tools.wire import brief, json_type

__all__ = ["Walk", "is_mapping"]

Form: TypeAlias = Literal["raw", "short"]

_ALL_TYPES = "accepted types: " + ", ".join(TYPES)
_ALL_SHORT = "accepted keywords: " + ", ".join(SHORT)
_MAX_SCHEMAS = 50_000
_TYPELESS = {"oneOf", "anyOf", "enum", "const"}
_ANYTHING: Mapping[object, object] = {}
_NOTHING: Mapping[object, object] = {"not": {}}
_NO_STRING_KEY = "which is no string"
_TRUE_HINT = "write `True`, or leave it out for an optional property"
_LIST_HINT = "list the names in `required` of the object around it, or use the short form"


class _Waiting(NamedTuple):
    """A schema that is still to be walked, and where its copy goes."""

    source: object
    path: Path
    parent: JsonObject | list[JsonValue]
    key: str | int
    is_property: bool = False


class _Leave(NamedTuple):
    """Everything below the mapping `ident` was walked."""

    ident: int


class _Node(NamedTuple):
    """The schema that is being walked."""

    source: Mapping[object, object]
    path: Path
    made: JsonObject
    types: tuple[str, ...]
    is_property: bool


def is_mapping(value: object) -> TypeGuard[Mapping[object, object]]:
    """Tell whether a value is a mapping.

    Args:
        value: Anything.

    Returns:
        Whether it is one.
    """
    return isinstance(value, Mapping)


def _is_list(value: object) -> TypeGuard[list[object]]:
    return isinstance(value, list)


class Walk:
    """One pass over one schema.

    Args:
        form: How the schema is written.

    Attributes:
        form: How the schema is written.
        violations: Everything wrong that was found so far.
    """

    def __init__(self, form: Form) -> None:
        self.form: Form = form
        self.violations: list[Violation] = []
        self._work: list[_Waiting | _Leave] = []
        self._active: set[int] = set()
        self._schemas = 0

    def refuse(self, path: Path, problem: str, remedy: str = "") -> None:
        """Note something wrong and go on.

        Args:
            path: Where.
            problem: What is wrong there.
            remedy: What would be accepted.
        """
        self.violations.append(Violation(str(path), problem, remedy))

    def _told(self) -> bool:
        """Tell whether what is refused next will be written out."""
        return len(self.violations) < MAX_LISTED

    def run(self, source: Mapping[object, object], path: Path) -> JsonObject:
        """Walk one schema and everything below it.

        Args:
            source: The schema as written.
            path: Its place.

        Returns:
            The copy; worthless when there are violations.
        """
        holder: list[JsonValue] = [None]
        self._work.append(_Waiting(source, path, holder, 0))
        self._drain()
        root = holder[0]
        return root if isinstance(root, dict) else {}

    def run_map(self, source: Mapping[object, object], path: Path) -> JsonObject:
        """Walk a short property map: the members of an object that is not written out.

        Args:
            source: The map as written.
            path: Its place.

        Returns:
            The schema of the object; worthless when there are violations.
        """
        root: JsonObject = {"type": "object"}
        self._active.add(id(source))
        self._properties(source, path, root)
        root["additionalProperties"] = False
        self._drain()
        return root

    def _drain(self) -> None:
        while self._work:
            step = self._work.pop()
            if isinstance(step, _Leave):
                self._active.discard(step.ident)
            elif self._schemas < _MAX_SCHEMAS:
                self._schemas += 1
                self._visit(step)
            else:
                self.refuse(step.path, f"is schema number {_MAX_SCHEMAS + 1:,}", "use fewer")
                self._work.clear()

    def _visit(self, step: _Waiting) -> None:
        source: object = step.source
        path = step.path
        if isinstance(source, bool) and self.form == "raw":
            source = _ANYTHING if source else _NOTHING
        if not is_mapping(source):
            problem = f"must be a mapping, got {brief(source)}"
            self.refuse(path, problem, "write a schema such as {'type': 'string'}")
            return
        if id(source) in self._active:
            self.refuse(path, "contains itself", "a schema is finite; in a JSON Schema use `$ref`")
            return
        self._active.add(id(source))
        self._work.append(_Leave(id(source)))
        made: JsonObject = {}
        if isinstance(step.parent, dict):
            step.parent[cast("str", step.key)] = made
        else:
            step.parent[cast("int", step.key)] = made
        types = self._types(source, path, made)
        self._keywords(_Node(source, path, made, types, step.is_property))

    def _types(
        self, source: Mapping[object, object], path: Path, made: JsonObject
    ) -> tuple[str, ...]:
        """Check `type` and give the types it names, none when it is absent or wrong."""
        if "type" not in source:
            if self.form == "short" and not _TYPELESS & source.keys():
                self.refuse(path / "type", "is missing", _ALL_TYPES)
            return ()
        given = source["type"]
        named = given if _is_list(given) else [given]
        unknown = [name for name in named if not isinstance(name, str) or name not in TYPES]
        if unknown or not named:
            self._unknown_type(path / "type", unknown[0] if unknown else given)
            return ()
        types = tuple(cast("list[str]", named))
        if "json" not in types:
            made["type"] = types[0] if isinstance(given, str) else list(types)
        elif len(types) > 1:
            self.refuse(path / "type", "'json' takes any value and stands alone", "drop the others")
        return types

    def _unknown_type(self, place: Path, given: object) -> None:
        close = nearest(given, TYPES) if isinstance(given, str) and self._told() else ()
        hint = f"did you mean {close[0]!r}? " if close else ""
        self.refuse(place, f"unknown type {brief(given)}", hint + _ALL_TYPES)

    def _keywords(self, node: _Node) -> None:
        for name, value in node.source.items():
            if not isinstance(name, str):
                self.refuse(node.path, f"has the key {brief(name)}, {_NO_STRING_KEY}")
            elif name == "required":
                self._required(node, value)
            elif name != "type" and not (name in {"$schema", "$id"} and node.path.parent is None):
                self._keyword(node, name, value)
        made, path = node.made, node.path
        if "array" in node.types and not {"items", "prefixItems"} & node.source.keys():
            made["items"] = {}  # some model APIs refuse an array that does not say
        if self.form == "short" and "object" in node.types:
            if "additionalProperties" not in node.source:
                remedy = "write False for the listed properties only, True to accept any"
                self.refuse(path / "additionalProperties", "must be said for an object", remedy)
            made.setdefault("properties", {})

    def _keyword(self, node: _Node, name: str, value: object) -> None:
        place = node.path / name
        keyword = KEYWORDS.get(name)
        if keyword is None or (self.form == "short" and not keyword.short):
            self._unknown(node, name, value)
            return
        if node.types and keyword.types and not set(node.types) & set(keyword.types):
            problem = f"is misplaced on type {' or '.join(node.types)}"
            self.refuse(place, problem, f"it belongs to {' or '.join(keyword.types)}")
            return
        problem = value_problem(keyword, value)
        if problem:
            self.refuse(place, f"{problem}, got {brief(value)}")
        elif keyword.holds == "schema":
            self._schema(node, name, value)
        elif keyword.holds == "schema list":
            self._schema_list(node, name, value, keyword.least)
        elif keyword.holds == "schema map":
            self._schema_map(node, name, value)
        else:
            self._data(node, name, value, keyword)

    def _unknown(self, node: _Node, name: str, value: object) -> None:
        if self.form == "raw" and name == "$id":
            problem = "is not supported below the root"
            self.refuse(node.path / name, problem, "use `$defs` and `$ref: '#/$defs/...'`")
        elif self.form == "raw":
            self._copy(node.made, node.path, name, value)
        else:
            close = nearest(name, SHORT) if self._told() else ()
            hint = f"did you mean {close[0]!r}? " if close else ""
            self.refuse(node.path / name, "is no keyword of the short form", hint + _ALL_SHORT)

    def _schema(self, node: _Node, name: str, value: object) -> None:
        if isinstance(value, bool) and name in {"additionalProperties", "unevaluatedProperties"}:
            node.made[name] = value
        elif name == "items" and isinstance(value, list):
            remedy = "draft 2020-12 writes a tuple as `prefixItems`"
            self.refuse(node.path / name, "must be one schema, got a list", remedy)
        else:
            node.made[name] = None  # keeps its place in the order
            self._work.append(_Waiting(value, node.path / name, node.made, name))

    def _schema_list(self, node: _Node, name: str, value: object, least: int) -> None:
        place = node.path / name
        if not _is_list(value):
            self.refuse(place, f"must be a list of schemas, got {brief(value)}")
            return
        if len(value) < least:
            remedy = f"give {least} or more, or write the one schema itself"
            self.refuse(place, f"has {len(value)} schemas", remedy)
            return
        target: list[JsonValue] = [None] * len(value)
        node.made[name] = target
        found = [_Waiting(child, place / at, target, at) for at, child in enumerate(value)]
        self._work.extend(reversed(found))

    def _schema_map(self, node: _Node, name: str, value: object) -> None:
        place = node.path / name
        if not is_mapping(value):
            problem = f"must be a mapping from names to schemas, got {brief(value)}"
            self.refuse(place, problem, "write {'name': {'type': 'string'}}")
        elif name == "properties" and self.form == "short":
            self._properties(value, place, node.made)
        else:
            node.made[name] = self._named(value, place, is_property=name == "properties")

    def _properties(self, source: Mapping[object, object], path: Path, made: JsonObject) -> None:
        """Take the properties of a short object; the ones marked `required` go into its list."""
        made["properties"] = self._named(source, path, is_property=True)
        required: list[JsonValue] = [
            name
            for name, child in source.items()
            if isinstance(name, str) and is_mapping(child) and child.get("required") is True
        ]
        if required:
            made["required"] = required

    def _named(
        self, source: Mapping[object, object], path: Path, *, is_property: bool
    ) -> JsonObject:
        target: JsonObject = {}
        found: list[_Waiting] = []
        for name, child in source.items():
            if not isinstance(name, str):
                self.refuse(path, f"has the key {brief(name)}, {_NO_STRING_KEY}")
            elif self._copy(target, path, name, None):
                found.append(_Waiting(child, path / name, target, name, is_property))
        self._work.extend(reversed(found))
        return target

    def _required(self, node: _Node, value: object) -> None:
        place = node.path / "required"
        if self.form == "short":
            if not node.is_property:
                self.refuse(place, "is misplaced: only a property can be required", "leave it out")
            elif value is not True:
                self.refuse(place, f"must be true, got {brief(value)}", _TRUE_HINT)
        elif isinstance(value, bool):
            self.refuse(place, "must be a list of names in a JSON Schema", _LIST_HINT)
        elif not _is_list(value):
            self.refuse(place, f"must be a list of property names, got {brief(value)}")
        else:
            node.made["required"] = self._required_names(node, value)

    def _required_names(self, node: _Node, names: Sequence[object]) -> list[JsonValue]:
        place = node.path / "required"
        properties = node.source.get("properties")
        declared = {str(name) for name in properties} if is_mapping(properties) else None
        for at, name in enumerate(names):
            if not isinstance(name, str):
                self.refuse(place / at, f"must be a property name, got {brief(name)}")
            elif declared is not None and name not in declared:
                close = nearest(name, declared) if self._told() else ()
                hint = f"did you mean {close[0]!r}?" if close else "declare it in `properties`"
                self.refuse(place / at, f"names the undeclared property {brief(name)}", hint)
        return [name for name in names if isinstance(name, str)]

    def _data(self, node: _Node, name: str, value: object, keyword: Keyword) -> None:
        place = node.path / name
        if keyword.holds == "json list":
            if not _is_list(value):
                self.refuse(place, f"must be a list, got {brief(value)}")
                return
            if len(value) < keyword.least:
                self.refuse(place, "is empty", "list the accepted values")
                return
        if not self._copy(node.made, node.path, name, value) or not node.types:
            return
        if name == "const":
            self._check_fits(node, value, place)
        elif name == "enum" and _is_list(value):
            for at, member in enumerate(value):
                self._check_fits(node, member, place / at)

    def _check_fits(self, node: _Node, value: object, place: Path) -> None:
        if not any(fits(value, name) for name in node.types):
            problem = f"{brief(value)} is of another type: {json_type(value)}"
            self.refuse(place, problem, f"`type` says {' or '.join(node.types)}")

    def _copy(self, made: JsonObject, path: Path, name: str, value: object) -> bool:
        """Copy plain data under a name; say whether both are lossless JSON."""
        try:
            copied = copy_json({name: value}, path, utf8=True)
        except NotJsonError as error:
            self.violations.append(error.violation)
            return False
        made.update(cast("JsonObject", copied))
        return True
