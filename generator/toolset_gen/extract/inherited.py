"""Documentation that members inherit from the bases of their class."""

# Maintainers: what a member's own class says counts first, then the nearest base.

from __future__ import annotations

from toolset_gen.extract.library import Library
from toolset_gen.extract.paths import Definition
from toolset_gen.extract.raw import Doc, RawClass, RawDefinition, RawFunction, RawVariable

__all__ = ["attribute_doc", "inherited_doc"]


def attribute_doc(library: Library, found: Definition) -> tuple[str, str]:
    """Find what an `Attributes:` section says of an attribute.

    Args:
        library: What resolves bases.
        found: Definition of the attribute.

    Returns:
        The text, and the path of the base's attribute it is from when it is not the own class's.
    """
    for base in library.mro(found.owner):
        owner = library.definition(base)
        if owner is None or not isinstance(owner.raw, RawClass):
            continue
        entries = owner.raw.doc.attributes if owner.raw.doc is not None else ()
        text = next((e.text for e in entries if e.name == found.raw.name and e.text), "")
        raw = owner.raw.member(found.raw.name)
        if isinstance(raw, RawVariable) and raw.doc is not None and owner.path != found.owner:
            text = text or raw.doc.summary
        if text:
            same = owner.path == found.owner
            return text, "" if same else f"{owner.path}.{found.raw.name}"
    return "", ""


def inherited_doc(library: Library, found: Definition) -> tuple[Doc | None, str]:
    """Find the docstring that holds for a member.

    Args:
        library: What resolves bases.
        found: Definition of a method or property.

    Returns:
        Its own docstring, else that of the nearest base, with the path of the member it is from.
    """
    if isinstance(found.raw, RawFunction) and found.raw.doc is not None:
        return found.raw.doc, ""
    for base in library.mro(found.owner)[1:] if found.owner else ():
        owner = library.definition(base)
        if owner is None or not isinstance(owner.raw, RawClass):
            continue
        raw: RawDefinition | None = owner.raw.member(found.raw.name)
        if isinstance(raw, RawFunction) and raw.doc is not None:
            return raw.doc, f"{owner.path}.{raw.name}"
    return None, ""
