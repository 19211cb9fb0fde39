"""Functions, properties and attributes, described."""

# Maintainers: turns definitions into catalog Members, for any class or function. It judges nothing
# (facts.py does). Every type reference passes through `refs`, which remembers the use, so that
# types can be collected and those that lead nowhere reported.

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from toolset.catalog import Member, Parameter, Raised, Returns, Signature
from toolset_gen.extract.kinds import (
    binding,
    deprecation,
    function_kind,
    is_property,
    own_parameters,
)
from toolset_gen.extract.library import Library
from toolset_gen.extract.model import Location
from toolset_gen.extract.paths import Definition
from toolset_gen.extract.raw import (
    Doc,
    DocEntry,
    RawAnnotation,
    RawDefinition,
    RawFunction,
    RawParameter,
    RawVariable,
)
from toolset_gen.extract.scope import BUILTINS
from toolset_gen.extract.spelling import spell

__all__ = ["Members", "Use"]

_TYPE_VARIABLES = frozenset(
    f"{module}.{name}"
    for module in ("typing", "typing_extensions")
    for name in ("TypeVar", "ParamSpec", "TypeVarTuple")
)
_NO_DOC = Doc()


class Use(NamedTuple):
    """One use of a type in a signature.

    Attributes:
        name: The path as far as the module could tell, `?name` when it could not.
        path: The canonical path.
        location: Where.
        subject: Canonical path of what uses it.
    """

    name: str
    path: str
    location: Location
    subject: str


class Members:
    """Describes members.

    Args:
        library: What resolves paths.
    """

    def __init__(self, library: Library) -> None:
        self.library = library
        self.uses: list[Use] = []
        self.locations: dict[str, Location] = {}

    def refs(self, paths: Iterable[str], location: Location, subject: str) -> tuple[str, ...]:
        """Resolve the names of an annotation.

        Args:
            paths: The names' paths.
            location: Where the annotation stands.
            subject: What has it.

        Returns:
            Their public import paths, builtins and type variables left out.
        """
        found: list[str] = []
        for path in paths:
            if path.startswith("builtins."):
                continue
            canonical = self.library.canonical(path)
            if self._is_variable(canonical):
                continue
            self.uses.append(Use(path, canonical, location, subject))
            if not path.startswith("?"):
                found.append(self.library.public(canonical) or canonical)
        return tuple(dict.fromkeys(found))

    def _is_variable(self, path: str) -> bool:
        found = self.library.definition(path)
        if found is None or not isinstance(found.raw, RawVariable) or found.raw.value is None:
            return False
        return found.raw.value.path in _TYPE_VARIABLES

    def parameter(self, raw: RawParameter, text: str, where: Location, subject: str) -> Parameter:
        """Describe a parameter.

        Args:
            raw: The parameter.
            text: Its documentation.
            where: The definition's place; the parameter's line is used.
            subject: Canonical path of the function.

        Returns:
            Its description.
        """
        note = raw.annotation
        variadic = raw.kind in {"var-positional", "var-keyword"}
        place = where._replace(line=raw.line)
        return Parameter(
            name=raw.name,
            kind=raw.kind,
            annotation=note.text if note else "",
            default=raw.default or "",
            required=raw.default is None and not variadic,
            description=text,
            type_refs=self.refs(note.refs, place, subject) if note else (),
            base_type=note.base if note else "",
            metadata=tuple(item.text for item in note.metadata) if note else (),
        )

    def returns(
        self, note: RawAnnotation | None, text: str, where: Location, subject: str, *, item: bool
    ) -> Returns:
        """Describe what a call gives.

        Args:
            note: The annotation.
            text: Its documentation.
            where: The definition's place.
            subject: Canonical path of the function or attribute.
            item: Whether one step of it is asked for.

        Returns:
            The description.
        """
        if note is None:
            return Returns(description=text)
        return Returns(
            annotation=note.text,
            description=_untyped(text, note.text),
            type_refs=self.refs(note.refs, where, subject),
            item=note.item if item else "",
            base_type=note.base,
            metadata=tuple(part.text for part in note.metadata),
        )

    def raises(self, entries: Iterable[DocEntry], found: Definition) -> tuple[Raised, ...]:
        """Resolve the exceptions a docstring names.

        Args:
            entries: Its `Raises:` entries.
            found: The definition whose module they are looked up in.

        Returns:
            The exceptions in order.
        """
        return tuple(
            Raised(entry.name, self.exception(entry.name, found), entry.text) for entry in entries
        )

    def exception(self, name: str, found: Definition) -> str:
        """Resolve the name of an exception.

        Args:
            name: The name as written.
            found: The definition whose docstring says it.

        Returns:
            Its public import path, `""` when nothing has that name. What the module does not import
            is looked for among all that is public: a callee's error need not be imported to be named.
        """
        module = found.module.name
        if self.library.find(f"{module}.{name}") is not None or self._imported(module, name):
            canonical = self.library.canonical(f"{module}.{name}")
            if self.library.is_known(f"{module}.{name}"):
                return self.library.public(canonical) or canonical
        if name in BUILTINS:
            return f"builtins.{name}"
        if "." in name and self.library.find(name) is not None:
            canonical = self.library.canonical(name)
            return self.library.public(canonical) or canonical
        return self.library.by_name(name) or ""

    def _imported(self, module: str, name: str) -> bool:
        raw = self.library.module(module)
        head = name.partition(".")[0]
        return raw is not None and any(local == head for local, _ in raw.imports)

    # Functions

    def function(
        self,
        found: Definition,
        *,
        name: str = "",
        doc: Doc | None = None,
        extra: Sequence[DocEntry] = (),
    ) -> Member:
        """Describe a function, method or property.

        Args:
            found: Its definition.
            name: The name users know it by, when that is another.
            doc: A docstring to show instead of its own.
            extra: More documentation of its parameters: the class's, for `__init__`.

        Returns:
            Its description.
        """
        raw = found.raw
        if not isinstance(raw, RawFunction):
            raise TypeError(f"{found.path} is no function")
        shown = doc or raw.doc or _NO_DOC
        self.locations[found.path] = found.location
        if is_property(raw):
            return self._property(found, raw, shown)
        kind = function_kind(raw)
        docs = {entry.name: entry.text for entry in [*extra, *shown.parameters]}
        name = name or raw.name
        variants = raw.overloads or (raw,)
        signatures = [self._signature(item, found, name, docs, shown) for item in variants]
        several = len(signatures) > 1
        return Member(
            name=name,
            kind=kind,
            signature=signatures[0].text,
            signatures=tuple(signatures) if several else (),
            parameters=_union(signatures) if several else signatures[0].parameters,
            returns=_returns(signatures),
            raises=self.raises(shown.raises, found),
            summary=shown.summary,
            description=shown.description,
            binding=binding(raw, found),
            deprecated=deprecation(raw, self.library) or shown.deprecated,
            path=found.path,
        )

    def _signature(
        self, raw: RawFunction, found: Definition, name: str, docs: dict[str, str], doc: Doc
    ) -> Signature:
        where = found.location._replace(line=raw.line)
        kind = function_kind(raw)
        given = own_parameters(raw, found)
        parameters = tuple(
            self.parameter(item, docs.get(item.name, ""), where, found.path) for item in given
        )
        stepwise = kind not in {"function", "coroutine"}
        text = (doc.yields or doc.returns) if stepwise else (doc.returns or doc.yields)
        returns = self.returns(raw.returns, text, where, found.path, item=stepwise)
        awaited = kind == "coroutine"
        return Signature(
            text=spell(name, parameters, returns.annotation, awaited=awaited),
            parameters=parameters,
            returns=returns,
        )

    def _property(self, found: Definition, raw: RawFunction, doc: Doc) -> Member:
        text = doc.returns or doc.yields
        returns = self.returns(raw.returns, text, found.location, found.path, item=False)
        kind = is_property(raw) or "property"
        return Member(
            name=raw.name,
            kind=kind,
            signature=f"{raw.name}: {returns.annotation}" if returns.annotation else raw.name,
            returns=returns,
            raises=self.raises(doc.raises, found),
            summary=doc.summary,
            description=doc.description,
            read_only=not raw.setter,
            awaited=raw.is_async,
            deprecated=deprecation(raw, self.library) or doc.deprecated,
            path=found.path,
        )

    def attribute(self, found: Definition, text: str = "", *, frozen: bool = False) -> Member:
        """Describe an attribute or class variable.

        Args:
            found: Its definition.
            text: Documentation from elsewhere, when it has none of its own.
            frozen: Whether the class's instances are immutable.

        Returns:
            Its description.
        """
        raw = found.raw
        if not isinstance(raw, RawVariable):
            raise TypeError(f"{found.path} is no attribute")
        self.locations[found.path] = found.location
        note = raw.annotation
        of_class = not raw.on_self and (note is None or "ClassVar" in note.qualifiers)
        final = note is not None and "Final" in note.qualifiers
        shown = note.inner if note is not None and note.qualifiers else (note.text if note else "")
        doc = raw.doc or _NO_DOC
        returns = self.returns(note, "", found.location, found.path, item=False)
        return Member(
            name=raw.name,
            kind="class variable" if of_class and found.owner else "attribute",
            signature=f"{raw.name}: {shown}" if shown else raw.name,
            returns=returns._replace(annotation=shown),
            summary=doc.summary or text,
            description=doc.description,
            binding=("class" if of_class else "instance") if found.owner else "module",
            default=raw.value.text if raw.value is not None and not raw.on_self else "",
            read_only=final or (frozen and not of_class),
            deprecated=doc.deprecated,
            path=found.path,
        )

    def any(self, found: Definition, text: str = "") -> Member | None:
        """Describe whatever is not a class.

        Args:
            found: Its definition.
            text: Documentation from elsewhere.

        Returns:
            Its description, None for a class.
        """
        raw: RawDefinition = found.raw
        if isinstance(raw, RawFunction):
            return self.function(found)
        return self.attribute(found, text) if isinstance(raw, RawVariable) else None


def _untyped(text: str, annotation: str) -> str:
    """Drop the return type that a docstring repeats before its colon."""
    head, colon, rest = text.partition(":")
    return rest.strip() if colon and head.strip() == annotation and rest.strip() else text


def _union(signatures: Sequence[Signature]) -> tuple[Parameter, ...]:
    """The parameters of all overloads by name, each as it first appears."""
    found: dict[str, Parameter] = {}
    for signature in signatures:
        for item in signature.parameters:
            found.setdefault(item.name, item)
    return tuple(found.values())


def _returns(signatures: Sequence[Signature]) -> Returns:
    if len(signatures) == 1:
        return signatures[0].returns
    kinds = list(dict.fromkeys(item.returns.annotation for item in signatures))
    refs = dict.fromkeys(ref for item in signatures for ref in item.returns.type_refs)
    first = signatures[0].returns
    if len(kinds) == 1:
        return first
    return Returns(" | ".join(filter(None, kinds)), first.description, tuple(refs))
