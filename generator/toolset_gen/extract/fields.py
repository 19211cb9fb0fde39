"""The fields of dataclasses, pydantic models, named tuples, typed dicts; the members of enums."""

# Maintainers: answers for what such a class holds and how its constructor takes it. Each kind of
# class has one function; all give `FieldSpec`s in constructor order. Nothing is evaluated:
# constraints and defaults are text.

from __future__ import annotations

from collections.abc import Iterator

from toolset.catalog import Field, TypeKind
from toolset_gen.extract.library import Library
from toolset_gen.extract.members import Members
from toolset_gen.extract.models import ROOT_MODEL, FieldSpec, ModelFields, is_field
from toolset_gen.extract.paths import Definition
from toolset_gen.extract.raw import Doc, Expr, RawAnnotation, RawClass, RawVariable

__all__ = ["FieldSpec", "Fields", "class_kind"]

_DATACLASS = frozenset(
    {"dataclasses.dataclass", "pydantic.dataclasses.dataclass", "attrs.define", "attrs.frozen"}
    | {"attr.define", "attr.frozen", "attrs.mutable", "attr.mutable"}
)
_MODEL = frozenset(
    {"pydantic.BaseModel", "pydantic.main.BaseModel", *ROOT_MODEL}
    | {"pydantic_settings.BaseSettings", "pydantic_settings.main.BaseSettings"}
)
_ENUM = frozenset(
    f"enum.{name}" for name in ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "ReprEnum")
)
_TYPED_DICT = frozenset({"typing.TypedDict", "typing_extensions.TypedDict"})
_NAMED_TUPLE = frozenset({"typing.NamedTuple", "typing_extensions.NamedTuple"})
_PROTOCOL = frozenset({"typing.Protocol", "typing_extensions.Protocol"})
_BY_BASE: dict[TypeKind, frozenset[str]] = {
    "enum": _ENUM,
    "typed dict": _TYPED_DICT,
    "named tuple": _NAMED_TUPLE,
    "model": _MODEL,
}
_DATA_FIELD = frozenset({"dataclasses.field", "attrs.field", "attr.field", "attr.ib"})


def class_kind(path: str, library: Library) -> TypeKind:
    """Say what kind of class a class is.

    Args:
        path: Its canonical path.
        library: What resolves its bases.

    Returns:
        Its kind.
    """
    line = library.mro(path)
    for kind, bases in _BY_BASE.items():
        if not bases.isdisjoint(line):
            return kind
    if any(_dataclass(item, library) is not None for item in line):
        return "dataclass"
    if not _PROTOCOL.isdisjoint(library.bases(path)):
        return "protocol"
    return "exception" if any(_is_exception(item) for item in line) else "class"


def _is_exception(path: str) -> bool:
    name = path.removeprefix("builtins.")
    return name != path and name.endswith(("Error", "Exception", "Warning", "Group", "Exit"))


def _dataclass(path: str, library: Library) -> Expr | None:
    """The decorator that makes a class a dataclass."""
    found = library.definition(path)
    if found is None or not isinstance(found.raw, RawClass):
        return None
    return next((d for d in found.raw.decorators if library.canonical(d.path) in _DATACLASS), None)


class Fields:
    """Describes the fields of classes.

    Args:
        members: What resolves type references.
    """

    def __init__(self, members: Members) -> None:
        self.members = members
        self.library = members.library
        self.models = ModelFields(self.library)

    def of(self, path: str, kind: TypeKind) -> tuple[FieldSpec, ...]:
        """List the fields of a class, inherited ones included.

        Args:
            path: Canonical path of the class.
            kind: What kind of class it is.

        Returns:
            Its fields; none for a kind that has no fields.
        """
        slots: dict[str, FieldSpec] = {}
        for base in reversed(self.library.mro(path)):
            found = self.library.definition(base)
            if found is None or not isinstance(found.raw, RawClass):
                continue
            for item in found.raw.members:
                if isinstance(item, RawVariable) and _is_class_variable(item):
                    slots.pop(item.name, None)
            for spec in self._own(found, found.raw, kind):
                slots[spec.field.name] = spec
        if kind == "model":
            return self.models.keyed(path, slots.values())
        return tuple(slots.values())

    def _own(self, found: Definition, raw: RawClass, kind: TypeKind) -> Iterator[FieldSpec]:
        match kind:
            case "dataclass":
                decorator = _dataclass(found.path, self.library)
                if decorator is not None:
                    yield from self._dataclass_fields(found, raw, decorator)
            case "model":
                yield from self._root(found, raw)
                for item, note in _annotated(raw):
                    if is_field(item):
                        spec = self._spec(found, raw, item, note)._replace(keyword_only=True)
                        yield spec._replace(field=self.models.field(spec.field, item, note))
            case "enum":
                yield from self._enum_members(found, raw)
            case "named tuple":
                for item, note in _annotated(raw):
                    yield self._spec(found, raw, item, note)
            case "typed dict":
                yield from self._keys(found, raw)
            case _:
                return

    def _spec(
        self, owner: Definition, raw: RawClass, item: RawVariable, note: RawAnnotation | None
    ) -> FieldSpec:
        """Describe a field as it stands, no library's rules applied."""
        path = f"{owner.path}.{item.name}"
        found = Definition(path, owner.module, item, owner.path, owner.file)
        self.members.locations[path] = found.location
        value = item.value
        return FieldSpec(
            Field(
                name=item.name,
                annotation=note.inner if note else "",
                required=value is None,
                default=value.text if value else "",
                description=_text(item.doc) or _entry(raw.doc, item.name),
                type_refs=self.members.refs(note.refs, found.location, path) if note else (),
            ),
            item,
            found,
        )

    def _root(self, found: Definition, raw: RawClass) -> Iterator[FieldSpec]:
        """The one field of `RootModel[…]`."""
        for base in raw.bases:
            if base.args and self.library.canonical(base.path) in ROOT_MODEL:
                note = base.args[0]
                item = RawVariable("root", raw.line)
                spec = self._spec(found, raw, item, None)._replace(keyword_only=False)
                refs = self.members.refs(
                    [note.path] if note.path else [], found.location, found.path
                )
                field = spec.field._replace(annotation=note.text, type_refs=refs)
                yield spec._replace(field=field)

    def _enum_members(self, found: Definition, raw: RawClass) -> Iterator[FieldSpec]:
        for item in raw.members:
            if not isinstance(item, RawVariable) or item.on_self or item.annotation is not None:
                continue
            if item.name.startswith("_") or item.value is None or item.value.kind == "lambda":
                continue
            spec = self._spec(found, raw, item, None)
            yield spec._replace(field=spec.field._replace(required=False))

    def _keys(self, found: Definition, raw: RawClass) -> Iterator[FieldSpec]:
        total = raw.keyword("total")
        optional = total is not None and total.text == "False"
        for item, note in _annotated(raw):
            spec = self._spec(found, raw, item, note)
            needed = not optional
            for word in note.qualifiers:
                needed = {"Required": True, "NotRequired": False}.get(word, needed)
            yield spec._replace(field=spec.field._replace(required=needed))

    # Dataclasses

    def _dataclass_fields(
        self, found: Definition, raw: RawClass, decorator: Expr
    ) -> Iterator[FieldSpec]:
        keyword_only = _flag(decorator, "kw_only")
        for item, note in _annotated(raw):
            if "dataclasses.KW_ONLY" in note.refs:
                keyword_only = True
                continue
            spec = self._spec(found, raw, item, note)._replace(
                keyword_only=keyword_only, init_only="InitVar" in note.qualifiers
            )
            call = item.value
            if call is not None and call.kind == "call" and call.path in _DATA_FIELD:
                spec = _with_call(spec, call)
            yield spec


def _annotated(raw: RawClass) -> Iterator[tuple[RawVariable, RawAnnotation]]:
    for item in raw.members:
        if not isinstance(item, RawVariable) or item.on_self or item.annotation is None:
            continue
        if not _is_class_variable(item):
            yield item, item.annotation


def _is_class_variable(item: RawVariable) -> bool:
    return item.annotation is not None and "ClassVar" in item.annotation.qualifiers


def _with_call(spec: FieldSpec, call: Expr) -> FieldSpec:
    """Apply a dataclass's `field(...)`."""
    field = spec.field._replace(default="", required=True)
    factory = call.keyword("default_factory") or call.keyword("factory")
    default = call.keyword("default")
    if default is not None:
        field = field._replace(default=default.text, required=False)
    if factory is not None:
        field = field._replace(default=factory.text, required=False, factory=True)
    init = call.keyword("init")
    if init is not None and init.text == "False":
        field = field._replace(init=False, required=False)
    keyword_only = spec.keyword_only
    word = call.keyword("kw_only")
    if word is not None:
        keyword_only = word.text == "True"
    return spec._replace(field=field, keyword_only=keyword_only)


def _flag(call: Expr, name: str) -> bool:
    value = call.keyword(name)
    return value is not None and value.text == "True"


def _text(doc: Doc | None) -> str:
    if doc is None:
        return ""
    return "\n\n".join(filter(None, [doc.summary, doc.description]))


def _entry(doc: Doc | None, name: str) -> str:
    entries = (*doc.attributes, *doc.parameters) if doc is not None else ()
    return next((entry.text for entry in entries if entry.name == name), "")
