"""Services that the catalog cannot list, since their name means another class."""

# Maintainers: a service that is silently dropped would be missing from the catalog. Where what counts
# is a service with the same key, as the fallback of an import has it, nothing is missing.

from __future__ import annotations

from collections.abc import Iterator

from toolset_gen.diagnostics import Diagnostic
from toolset_gen.extract.library import Library
from toolset_gen.extract.names import SERVICE, is_service
from toolset_gen.extract.raw import RawClass, RawModule

__all__ = ["hidden_services"]


def hidden_services(library: Library) -> Iterator[Diagnostic]:
    """Find the services that another definition of their name hides.

    Args:
        library: The modules.

    Yields:
        A violation of SVC014 for each.
    """
    for module in library.modules():
        for owner, raw in module.hidden:
            path = ".".join(filter(None, [module.name, owner, raw.name]))
            if _derives(raw, library) and not _is_repeated(path, raw, library):
                yield _refused(module, path, raw, library)


def _derives(raw: RawClass, library: Library) -> bool:
    bases = [library.canonical(base.path) for base in raw.bases if base.path]
    return any(base in SERVICE or is_service(base, library) for base in bases)


def _is_repeated(path: str, raw: RawClass, library: Library) -> bool:
    counted = library.definition(path)
    if counted is None or not isinstance(counted.raw, RawClass):
        return False
    key = library.constant(raw.keyword("key"))
    return (
        key is not None
        and is_service(counted.path, library)
        and key == library.constant(counted.raw.keyword("key"))
    )


def _refused(module: RawModule, path: str, raw: RawClass, library: Library) -> Diagnostic:
    counted = library.definition(path)
    other = (
        f"the one at {counted.file}:{counted.raw.line}"
        if counted is not None
        else f"what is imported as {raw.name!r}"
    )
    key = raw.keyword("key")
    return Diagnostic(
        "SVC014",
        module.path,
        raw.line,
        f"the service {path!r} with the key {key.text if key is not None else ''} is hidden: "
        f"the catalog takes {other} for it",
        "give each class a name of its own, or one class a branch inside; one key stays one service",
        target=path,
    )
