"""How a class is called to make an instance."""

# Maintainers: a written `__init__` or `__new__` in the nearest class counts, else what the fields
# of a dataclass, model or named tuple generate.

from __future__ import annotations

from collections.abc import Sequence

from toolset.catalog import Member, Parameter, Returns, TypeKind
from toolset_gen.extract.fields import FieldSpec, class_kind
from toolset_gen.extract.library import Library
from toolset_gen.extract.members import Members
from toolset_gen.extract.paths import Definition
from toolset_gen.extract.raw import DocEntry, RawClass, RawFunction
from toolset_gen.extract.spelling import spell

__all__ = ["describe_constructor"]


def describe_constructor(
    members: Members, found: Definition, kind: TypeKind, specs: Sequence[FieldSpec]
) -> Member | None:
    """Describe how a class is called.

    Args:
        members: What describes functions.
        found: The class.
        kind: What kind of class it is.
        specs: Its fields.

    Returns:
        A member named after the class; None for a class that is not called.
    """
    raw = found.raw
    if kind in {"enum", "typed dict", "protocol"} or not isinstance(raw, RawClass):
        return None
    written = _written(members.library, found)
    if written is not None:
        documented = raw.doc.parameters if raw.doc is not None else ()
        member = _call_of(members, written, raw, documented)
    elif specs or kind in {"dataclass", "named tuple", "model"}:
        member = _generated(found, raw, specs)
    else:
        member = Member(raw.name, "function", f"{raw.name}()", path=found.path)
    return member._replace(binding="class")


def _written(library: Library, found: Definition) -> Definition | None:
    for base in library.mro(found.path):
        owner = library.definition(base)
        if owner is None or not isinstance(owner.raw, RawClass):
            continue
        generated = class_kind(owner.path, library) in {"dataclass", "named tuple"}
        if generated and owner.raw.member("__init__") is None:
            return None
        for name in ("__init__", "__new__"):
            raw = owner.raw.member(name)
            if isinstance(raw, RawFunction):
                path = f"{owner.path}.{name}"
                return Definition(path, owner.module, raw, owner.path, owner.file)
    return None


def _call_of(
    members: Members, written: Definition, raw: RawClass, documented: Sequence[DocEntry]
) -> Member:
    member = members.function(written, name=raw.name, extra=documented)
    plain = Returns(description=member.returns.description)
    signatures = tuple(
        item._replace(text=spell(raw.name, item.parameters, ""), returns=Returns())
        for item in member.signatures
    )
    text = signatures[0].text if signatures else spell(raw.name, member.parameters, "")
    return member._replace(kind="function", signature=text, signatures=signatures, returns=plain)


def _generated(found: Definition, raw: RawClass, specs: Sequence[FieldSpec]) -> Member:
    taken = [spec for spec in specs if spec.field.init]
    ordered = sorted(taken, key=lambda spec: spec.keyword_only)
    parameters = tuple(_parameter(spec) for spec in ordered)
    text = spell(raw.name, parameters, "")
    return Member(raw.name, "function", text, parameters=parameters, path=found.path)


def _parameter(spec: FieldSpec) -> Parameter:
    field, note = spec.field, spec.raw.annotation
    default = f"<factory: {field.default}>" if field.factory else field.default
    wrapped = note is not None and "InitVar" in note.qualifiers
    return Parameter(
        name=field.key if field.key.isidentifier() else field.name,
        kind="keyword-only" if spec.keyword_only else "positional-or-keyword",
        annotation=note.text if wrapped and note is not None else field.annotation,
        default=default,
        required=field.required,
        description=field.description,
        type_refs=field.type_refs,
    )
