"""Read the shape of an object that no catalog describes: its members, signatures and docstrings."""

# Maintainers: makes the same records as the generator, from live objects, for a service that only
# exists now. It never calls what it describes and never triggers a property: members are found
# with `inspect.getattr_static`. It knows nothing of catalogs on disk, of fibers or of Markdown.

from __future__ import annotations

import contextlib
import functools
import inspect
import types
from collections.abc import Iterator
from typing import cast

from toolset.catalog import (
    EventEntry,
    EventMode,
    Member,
    MemberKind,
    Parameter,
    ParameterKind,
    Returns,
    ServiceEntry,
)
from toolset.runtime import Service
from toolset.services.tools.wire import cut

__all__ = [
    "describe",
    "describe_event",
    "describe_function",
    "describe_members",
    "is_complete",
    "is_instance_of",
    "signature_of",
    "with_extra_members",
]

_KINDS: dict[object, ParameterKind] = {
    inspect.Parameter.POSITIONAL_ONLY: "positional-only",
    inspect.Parameter.POSITIONAL_OR_KEYWORD: "positional-or-keyword",
    inspect.Parameter.VAR_POSITIONAL: "var-positional",
    inspect.Parameter.KEYWORD_ONLY: "keyword-only",
    inspect.Parameter.VAR_KEYWORD: "var-keyword",
}
_CALLABLE = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.MethodType,
    functools.partial,
)
_LONG_DEFAULT = 60
_LONGEST_SUMMARY = 300
_LONGEST_PROSE = 10_000
_LONGEST_READ = 100_000
_OF_EVERY_SERVICE = frozenset({"Config", "caller", "config", "ctx", "inject", "provides", "start"})


def describe(key: str, value: object) -> ServiceEntry:
    """Describe a live object as a service.

    Args:
        key: The key it is provided under.
        value: The object.

    Returns:
        A record as the generator would have written it, as far as the object tells.
    """
    cls = type(value)
    summary, prose = _docstring(cls if cls.__module__ != "builtins" else None)
    return ServiceEntry(
        key=key,
        class_name=cls.__qualname__.rpartition(".")[2],
        path=f"{cls.__module__}.{cls.__qualname__}",
        summary=summary,
        description=prose,
        members=tuple(describe_members(value)),
    )


def describe_function(name: str, function: object) -> Member:
    """Describe a function that is not a method.

    Args:
        name: The name to show.
        function: The function.

    Returns:
        Its record.
    """
    return _function(name, function, 0)


def describe_members(value: object) -> Iterator[Member]:
    """Describe the public members of a live object, sorted by name.

    Args:
        value: The object; a class is described as its instances are.

    Yields:
        One record a member.
    """
    for name in sorted(_public_names(value)):
        member = _describe_member(value, name)
        if member is not None:
            yield member


def with_extra_members(entry: ServiceEntry, value: object) -> ServiceEntry:
    """Add to a catalog's entry what only the live object has.

    Args:
        entry: The catalog's entry.
        value: A live object of that class or of one derived from it.

    Returns:
        The entry, with the members of `value` that it does not list at the end.
    """
    listed = {member.name for member in entry.members}
    extra = [n for n in sorted(_public_names(value)) if n not in listed]
    found = [member for name in extra if (member := _describe_member(value, name)) is not None]
    return entry._replace(members=(*entry.members, *found)) if found else entry


def is_complete(value: object) -> bool:
    """Tell whether an object's public members can all be listed.

    Args:
        value: The object.

    Returns:
        False when its class computes attributes (`__getattr__` or its own `__getattribute__`).
    """
    cls = type(value)
    return not hasattr(cls, "__getattr__") and inspect.getattr_static(cls, "__getattribute__") in (
        object.__getattribute__,
        types.ModuleType.__getattribute__,
    )


def is_instance_of(value: object, entry: ServiceEntry) -> bool:
    """Tell whether a live object is of the class that a catalog describes.

    Args:
        value: The object.
        entry: The catalog's entry; its path is a public one, so the defining module may be a
            submodule of the one it names.

    Returns:
        Whether its class, or one it derives from, is that class.
    """
    package = entry.path.partition(".")[0]
    return any(
        cls.__name__ == entry.class_name and cls.__module__.partition(".")[0] == package
        for cls in type(value).__mro__
    )


def describe_event(
    name: str, mode: EventMode, signature: inspect.Signature, *, is_async: bool, doc: str
) -> EventEntry:
    """Describe a live event declaration.

    Args:
        name: Its name.
        mode: Its mode.
        signature: The listener's signature.
        is_async: Whether the declaration is `async def`.
        doc: Its docstring.

    Returns:
        A record as the generator would have written it.
    """
    parameters, returns = signature_of(signature)
    summary, prose = _split(doc)
    text = f"{'async ' if is_async else ''}{name.rpartition('/')[2].replace('-', '_')}{_text(signature)}"
    return EventEntry(name, mode, is_async, text, parameters, returns, summary, prose)


def signature_of(signature: inspect.Signature) -> tuple[tuple[Parameter, ...], Returns]:
    """Turn a live signature into records.

    Args:
        signature: The signature, without the bound parameter.

    Returns:
        Its parameters, and what it returns.
    """
    empty = inspect.Parameter.empty
    parameters = tuple(
        Parameter(
            name=p.name,
            kind=_KINDS[p.kind],
            annotation="" if p.annotation is empty else _annotation(p.annotation),
            default="" if p.default is empty else _default(p.default),
            required=p.default is empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD),
        )
        for p in signature.parameters.values()
    )
    returned = signature.return_annotation
    return parameters, Returns("" if returned is signature.empty else _annotation(returned))


def _public_names(value: object) -> set[str]:
    names: set[str] = set(getattr(value, "__dict__", ()))
    for cls in (value if isinstance(value, type) else type(value)).__mro__:
        if cls is not object:
            names.update(vars(cls))
    if isinstance(value, Service):
        # What every service has is the runtime's business, not this service's API.
        names.difference_update(vars(Service), _OF_EVERY_SERVICE)
    return {name for name in names if not name.startswith("_")}


def _describe_member(  # noqa: PLR0911 - a kind of member, a return
    value: object, name: str
) -> Member | None:
    try:
        found: object = inspect.getattr_static(value, name)
    except AttributeError:
        return None
    own = not isinstance(value, type) and name in getattr(value, "__dict__", ())
    if isinstance(found, property):
        return _property(name, found.fget, read_only=found.fset is None)
    if isinstance(found, functools.cached_property):
        getter: object = cast("functools.cached_property[object]", found).func
        return _property(name, getter, kind="cached property")
    if isinstance(found, (staticmethod, classmethod)):
        inner: object = cast("staticmethod[..., object]", found).__func__
        return _function(name, inner, 0 if isinstance(found, staticmethod) else 1)
    if isinstance(found, _CALLABLE):
        unbound = own or isinstance(value, types.ModuleType) or isinstance(found, types.MethodType)
        return _function(name, cast("object", found), 0 if unbound else 1)
    if own and callable(found) and not isinstance(found, type):
        return _function(name, found, 0)
    kind: MemberKind = "attribute" if own else "class variable"
    shown = type(found).__name__
    return Member(name, kind, f"{name}: {shown}", returns=Returns(shown))


def _property(
    name: str, getter: object, *, kind: MemberKind = "property", read_only: bool = False
) -> Member:
    annotation = ""
    if getter is not None:
        signature = _signature(getter)
        if signature is not None and signature.return_annotation is not signature.empty:
            annotation = _annotation(signature.return_annotation)
    summary, prose = _docstring(getter)
    return Member(
        name,
        kind,
        f"{name}: {annotation}" if annotation else name,
        returns=Returns(annotation),
        summary=summary,
        description=prose,
        read_only=read_only,
    )


def _function(name: str, found: object, bound: int) -> Member:
    kind = _kind(found)
    signature = _signature(found)
    summary, prose = _docstring(found)
    prefix = "async " if kind == "coroutine" else ""
    if signature is None:
        # No parameters are known, so any are accepted.
        anything = (
            Parameter("args", "var-positional", required=False),
            Parameter("kwargs", "var-keyword", required=False),
        )
        text = f"{prefix}{name}(...)"
        return Member(name, kind, text, parameters=anything, summary=summary, description=prose)
    kept = list(signature.parameters.values())
    if bound and kept and kept[0].kind not in (kept[0].VAR_POSITIONAL, kept[0].KEYWORD_ONLY):
        kept = kept[1:]
    signature = signature.replace(parameters=kept)
    parameters, returns = signature_of(signature)
    return Member(
        name,
        kind,
        f"{prefix}{name}{_text(signature)}",
        parameters=parameters,
        returns=returns,
        summary=summary,
        description=prose,
    )


def _kind(found: object) -> MemberKind:
    inner = found
    while isinstance(inner, functools.partial):
        inner = inner.func
    wrapped: object = getattr(inner, "__wrapped__", None)
    code: object = getattr(inner, "__code__", None)
    if isinstance(code, types.CodeType) and code.co_filename == contextlib.__file__:
        if inspect.isasyncgenfunction(wrapped):
            return "async context manager"
        if inspect.isgeneratorfunction(wrapped):
            return "context manager"
    if inspect.isasyncgenfunction(inner):
        return "async generator"
    if inspect.isgeneratorfunction(inner):
        return "generator"
    return "coroutine" if inspect.iscoroutinefunction(inner) else "function"


def _signature(found: object) -> inspect.Signature | None:
    if not callable(found):
        return None
    try:
        return inspect.signature(found)
    except (TypeError, ValueError):  # a builtin that does not tell
        return None


def _text(signature: inspect.Signature) -> str:
    """Write a signature as its source would read, quotes of string annotations removed."""
    parameters, returns = signature_of(signature)
    arrow = f" -> {returns.annotation}" if returns.annotation else ""
    return f"({_parameter_list(parameters)}){arrow}"


def _parameter_list(parameters: tuple[Parameter, ...]) -> str:
    shown: list[str] = []
    for index, parameter in enumerate(parameters):
        kinds = [p.kind for p in parameters[:index]]
        if parameter.kind != "positional-only" and kinds and kinds[-1] == "positional-only":
            shown.append("/")
        if parameter.kind == "keyword-only" and not {"var-positional", "keyword-only"} & set(kinds):
            shown.append("*")
        shown.append(_parameter(parameter))
    if parameters and parameters[-1].kind == "positional-only":
        shown.append("/")
    return ", ".join(shown)


def _parameter(parameter: Parameter) -> str:
    stars = {"var-positional": "*", "var-keyword": "**"}.get(parameter.kind, "")
    text = f"{stars}{parameter.name}"
    if parameter.annotation:
        text += f": {parameter.annotation}"
    if parameter.default:
        text += f" = {parameter.default}" if parameter.annotation else f"={parameter.default}"
    return text


def _annotation(annotation: object) -> str:
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def _default(default: object) -> str:
    """Show a default; an object whose `repr` holds an address, or is long, is shown as `...`."""
    if default is None or isinstance(default, (bool, int, float, str, bytes)):
        shown = repr(default)
        return shown if len(shown) <= _LONG_DEFAULT else "..."
    return "()" if default == () else "..."


def _docstring(found: object) -> tuple[str, str]:
    if found is None:
        return "", ""
    own: object = getattr(found, "__doc__", None)
    return _split(inspect.cleandoc(own[:_LONGEST_READ]) if isinstance(own, str) else "")


def _split(doc: str) -> tuple[str, str]:
    summary, _, prose = doc.partition("\n")
    return cut(summary.strip(), _LONGEST_SUMMARY), cut(prose.strip(), _LONGEST_PROSE)
