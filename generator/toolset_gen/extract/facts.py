"""What docstrings and signatures lack, or say wrongly: facts for the rules."""

# Maintainers: compares definitions with their docstrings and states what it finds; whether that is
# a fault, and for whom, the rules decide. Each fact has the line of the entry it is about, or of
# the definition when there is no entry. Inherited docstrings count as documentation.

from __future__ import annotations

import re
from collections.abc import Iterator

from toolset_gen.extract.describe import Describer
from toolset_gen.extract.docstrings import says_nothing
from toolset_gen.extract.inherited import attribute_doc, inherited_doc
from toolset_gen.extract.kinds import function_kind, is_property, own_parameters
from toolset_gen.extract.model import DocFact, DocFactKind, Location, Role
from toolset_gen.extract.paths import Definition
from toolset_gen.extract.raw import Doc, DocEntry, RawClass, RawFunction, RawParameter, RawVariable

__all__ = ["class_facts", "field_facts", "function_facts"]

_SILENT = frozenset({"None", "NoReturn", "Never", "typing.NoReturn", "typing.Never", "Self"})
_ITERATORS = re.compile(r"^(\w+\.)*(Async)?(Iterator|Iterable|Generator)\[None\b")


def class_facts(found: Definition, role: Role) -> Iterator[DocFact]:
    """Compare a class with its own docstring.

    Args:
        found: The class.
        role: As what the catalog lists it.

    Yields:
        What is amiss with the class as a whole.
    """
    yield from _prose(found, found.raw.doc, role)


def _prose(found: Definition, doc: Doc | None, role: Role) -> Iterator[DocFact]:
    if doc is None:
        yield DocFact("no docstring", role, found.path, "", found.location)
    elif says_nothing(doc.summary):
        yield DocFact("no prose", role, found.path, "", found.location)


def function_facts(describer: Describer, found: Definition, role: Role) -> Iterator[DocFact]:
    """Compare a function, method, property or attribute with its documentation.

    Args:
        describer: What finds inherited docstrings.
        found: The definition.
        role: As what the catalog lists it.

    Yields:
        What is amiss.
    """
    raw = found.raw
    if isinstance(raw, RawVariable):
        yield from _attribute(describer, found, raw, role)
    elif isinstance(raw, RawFunction):
        doc, _ = inherited_doc(describer.library, found)
        yield from _annotations(found, raw, role)
        if raw.name.startswith("__"):  # Python's data model says what they do
            return
        yield from _prose(found, doc, role)
        if doc is not None:
            own = doc if raw.doc is not None else None
            yield from _parameters(found, raw, doc, own, role)
            yield from _returns(found, raw, doc, role)
            yield from _raises(describer, found, own, role)


def _attribute(
    describer: Describer, found: Definition, raw: RawVariable, role: Role
) -> Iterator[DocFact]:
    text, _ = attribute_doc(describer.library, found)
    own = raw.doc.summary if raw.doc is not None else ""
    if says_nothing(own) and says_nothing(text):
        yield DocFact("undocumented attribute", role, found.owner, raw.name, found.location)
    if raw.annotation is None or raw.inferred:
        if raw.value is not None and raw.value.kind in {"string", "constant"} and not raw.on_self:
            return  # a literal says its type
        yield DocFact("no annotation", role, found.owner, raw.name, found.location)


def _annotations(found: Definition, raw: RawFunction, role: Role) -> Iterator[DocFact]:
    for variant in raw.overloads or (raw,):
        for item in own_parameters(variant, found):
            if item.annotation is None:
                place = _at(found, item.line)
                yield DocFact("no annotation", role, found.path, item.name, place)
        if variant.returns is None:
            place = _at(found, variant.line)
            yield DocFact("no return annotation", role, found.path, "", place)


def _parameters(
    found: Definition, raw: RawFunction, doc: Doc, own: Doc | None, role: Role
) -> Iterator[DocFact]:
    variants = raw.overloads or (raw,)
    given: dict[str, RawParameter] = {}
    for variant in variants:
        for item in own_parameters(variant, found):
            given.setdefault(item.name, item)
    entries = {entry.name: entry for entry in doc.parameters}
    if is_property(raw) == "":
        for name, item in given.items():
            if name not in entries and not _speaks_for_itself(name, raw):
                place = _at(found, item.line)
                yield DocFact("undocumented parameter", role, found.path, name, place)
    for entry in own.parameters if own is not None else ():
        place = _at(found, entry.line)
        parameter = given.get(entry.name)
        if parameter is None:
            yield DocFact("unknown entry", role, found.path, entry.name, place)
            continue
        if says_nothing(entry.text):
            yield DocFact("empty entry", role, found.path, entry.name, place)
        yield from _disagreement(found, parameter, entry, role)
    for entry in own.malformed if own is not None else ():
        place = _at(found, entry.line)
        yield DocFact("malformed entry", role, found.path, "", place, found=entry.name)


def _speaks_for_itself(name: str, raw: RawFunction) -> bool:
    """Whether the contract of the runtime or of Python says what a parameter is."""
    last = raw.parameters[-1].name if raw.parameters else ""
    return (name == "next" and last == "next") or raw.name in {"__exit__", "__aexit__"}


def _disagreement(
    found: Definition, parameter: RawParameter, entry: DocEntry, role: Role
) -> Iterator[DocFact]:
    if not entry.type or parameter.annotation is None:
        return
    written = parameter.annotation.inner or parameter.annotation.text
    if _normal(entry.type) not in {_normal(written), _normal(parameter.annotation.text)}:
        yield DocFact(
            "type disagreement",
            role,
            found.path,
            entry.name,
            _at(found, entry.line),
            found=entry.type,
            expected=written,
        )


def _normal(text: str) -> str:
    return re.sub(r"[\s`\"']", "", text)


def _returns(found: Definition, raw: RawFunction, doc: Doc, role: Role) -> Iterator[DocFact]:
    if is_property(raw) or not (says_nothing(doc.returns) and says_nothing(doc.yields)):
        return
    kind = function_kind(raw)
    notes = [variant.returns for variant in raw.overloads or (raw,)]
    texts = [note.text for note in notes if note is not None]
    silent = all(text in _SILENT or _ITERATORS.match(text) for text in texts)
    if not texts or (silent and (kind in {"function", "coroutine"} or "manager" in kind)):
        return
    section = "Returns:" if doc.has_returns else ""
    yield DocFact("no returns", role, found.path, "", found.location, found=section)


def _raises(
    describer: Describer, found: Definition, doc: Doc | None, role: Role
) -> Iterator[DocFact]:
    for entry in doc.raises if doc is not None else ():
        if not describer.members.exception(entry.name, found):
            place = _at(found, entry.line)
            yield DocFact("unresolved raise", role, found.path, entry.name, place)


def field_facts(describer: Describer, path: str, role: Role) -> Iterator[DocFact]:
    """State which fields of a class have no description or type.

    Args:
        describer: What describes the class.
        path: Its canonical path.
        role: As what the catalog lists it.

    Yields:
        What is amiss, a fact a field.
    """
    facts = describer.describe_class(path)
    if facts is None:
        return
    for spec in facts.fields:
        kinds: list[DocFactKind] = []
        if says_nothing(spec.field.description):
            kinds.append("undocumented field")
        if not spec.field.annotation:
            kinds.append("no annotation")
        for kind in kinds:
            yield DocFact(kind, role, path, spec.field.name, spec.found.location)
    raw = facts.found.raw
    if role == "config" and isinstance(raw, RawClass):
        yield from _unannotated(facts.found, raw, role)
        yield from class_facts(facts.found, role)


def _unannotated(found: Definition, raw: RawClass, role: Role) -> Iterator[DocFact]:
    """State which assignments in a model are meant as fields and are none for want of a type."""
    for item in raw.members:
        if not isinstance(item, RawVariable) or item.on_self or item.annotation is not None:
            continue
        if item.name != "model_config" and not item.name.startswith("_"):
            yield DocFact("no annotation", role, found.path, item.name, _at(found, item.line))


def _at(found: Definition, line: int) -> Location:
    return Location(found.file, line)
