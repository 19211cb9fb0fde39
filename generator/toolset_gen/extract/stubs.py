"""Merge a stub with the module it stands beside."""

# Maintainers: types come from the stub; docs, real defaults and what bodies do from the source.
# Invariant: a name that either file defines is in the result.

from __future__ import annotations

from collections.abc import Iterable

from toolset_gen.extract.raw import (
    RawClass,
    RawDefinition,
    RawFunction,
    RawModule,
    RawParameter,
    RawVariable,
)

__all__ = ["merge_stub"]


def merge_stub(source: RawModule, stub: RawModule) -> RawModule:
    """Merge the two descriptions of one module.

    Args:
        source: The `.py` file.
        stub: The `.pyi` file beside it.

    Returns:
        One module, at the place of the `.py` file.
    """
    return source._replace(
        doc=source.doc or stub.doc,
        definitions=_merged(source.definitions, stub.definitions),
        imports=tuple(sorted({**dict(source.imports), **dict(stub.imports)}.items())),
        stars=tuple(dict.fromkeys([*stub.stars, *source.stars])),
        exports=stub.exports if stub.exports is not None else source.exports,
        republished=tuple(sorted({*source.republished, *stub.republished})),
    )


def _merged(
    source: Iterable[RawDefinition], stub: Iterable[RawDefinition]
) -> tuple[RawDefinition, ...]:
    real = {item.name: item for item in source}
    typed = {item.name: item for item in stub}
    found = {name: _one(real.get(name), item) for name, item in typed.items()}
    return tuple({**found, **{k: v for k, v in real.items() if k not in found}}.values())


def _one(source: RawDefinition | None, stub: RawDefinition) -> RawDefinition:
    if isinstance(source, RawFunction) and isinstance(stub, RawFunction):
        return _function(source, stub)
    if isinstance(source, RawClass) and isinstance(stub, RawClass):
        return stub._replace(
            line=source.line,
            doc=source.doc or stub.doc,
            decorators=source.decorators or stub.decorators,
            members=_merged(source.members, stub.members),
        )
    if isinstance(source, RawVariable) and isinstance(stub, RawVariable):
        written = stub.value is None or stub.value.text == "..."
        value = source.value if written else stub.value
        return stub._replace(line=source.line, value=value, doc=source.doc or stub.doc)
    return stub


def _function(source: RawFunction, stub: RawFunction) -> RawFunction:
    defaults = {item.name: item.default for item in source.parameters}
    overloads = (o._replace(parameters=_real(o.parameters, defaults)) for o in stub.overloads)
    return stub._replace(
        line=source.line,
        is_async=source.is_async,
        is_generator=source.is_generator,
        decorators=source.decorators or stub.decorators,
        parameters=_real(stub.parameters, defaults),
        doc=source.doc or stub.doc,
        overloads=tuple(overloads),
        setter=source.setter or stub.setter,
    )


def _real(
    parameters: tuple[RawParameter, ...], defaults: dict[str, str | None]
) -> tuple[RawParameter, ...]:
    """Put the real default where a stub writes `...`."""
    return tuple(
        item._replace(default=defaults.get(item.name) or "...") if item.default == "..." else item
        for item in parameters
    )
