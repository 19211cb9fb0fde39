"""Why a class that the configuration names cannot be described, and what to do about it."""

# Maintainers: asked only when nothing was found, so it may be slow. It tells what a module is without
# importing it: a module in C is known by what the import system would load it with.

from __future__ import annotations

from collections.abc import Iterator
from importlib.machinery import BuiltinImporter, ExtensionFileLoader, PathFinder

from toolset.catalog import nearest
from toolset_gen.diagnostics import Diagnostic
from toolset_gen.extract.library import Library
from toolset_gen.extract.paths import Definition
from toolset_gen.extract.raw import RawClass, RawFunction, RawModule

__all__ = ["absent"]

_TABLE = "[tool.toolset.catalog.services]"
_WRAP = (
    "write a class of your own that wraps it and name that, "
    "or put a stub (a `.pyi` file) that declares it beside the module"
)


def absent(key: str, target: str, library: Library) -> Diagnostic:
    """Say why nothing describes the class of a service.

    Args:
        key: The service's key.
        target: Its `module:Class`, as the configuration has it.
        library: The modules that were looked in.

    Returns:
        The violation.
    """
    why, remedy = _reason(target, library)
    message = f"the class {target!r} of service {key!r} {why}"
    return Diagnostic("SVC013", "pyproject.toml", 0, message, remedy, target=key)


def _reason(target: str, library: Library) -> tuple[str, str]:
    module, _, name = target.partition(":")
    found = library.find(f"{module}.{name}")
    if found is not None:
        what = _kind(found)
        return f"is {what}, and no class", f"name a class as `module:Class` under {_TABLE}"
    outside = library.canonical(f"{module}.{name}")
    for source in (module, outside.rpartition(".")[0]):
        if _is_compiled(source):
            return f"is written in C ({source!r}), so its source cannot be read", _WRAP
    raw = library.module(module)
    if raw is None:
        return _no_module(module, library)
    close = nearest(name, _classes(module, library))
    if not close:
        for star in raw.stars:
            inner = _compiled_star(star, library, frozenset())
            if inner:
                why = f"is not in the source of {module!r}; what that takes from {inner!r} is written in C"
                return f"{why}, so it cannot be read", _WRAP
    hint = f"did you mean {' or '.join(repr(f'{module}:{one}') for one in close)}?" if close else ""
    return f"was not found: {module!r} has no {name!r}", hint or f"correct it under {_TABLE}"


def _kind(found: Definition | RawModule) -> str:
    if isinstance(found, RawModule):
        return "a module"
    return "a function" if isinstance(found.raw, RawFunction) else "a variable"


def _no_module(module: str, library: Library) -> tuple[str, str]:
    parent = module.rpartition(".")[0]
    if parent and library.module(parent) is not None:
        return (
            f"was not found: {parent!r} has no module {module.rpartition('.')[2]!r}",
            f"correct `module:Class` under {_TABLE}",
        )
    return (
        f"was not found: there is no module {module!r}",
        f"correct `module:Class` under {_TABLE}, or install its package",
    )


def _classes(module: str, library: Library) -> Iterator[str]:
    for name in library.exported(module):
        found = library.definition(f"{module}.{name}")
        if found is not None and isinstance(found.raw, RawClass):
            yield name


def _compiled_star(module: str, library: Library, seen: frozenset[str]) -> str:
    """Find the module in C that a star import ends in, `""` when there is none."""
    raw = library.module(module)
    if raw is None or module in seen:
        return module if raw is None and _is_compiled(module) else ""
    found = (_compiled_star(star, library, seen | {module}) for star in raw.stars)
    return next((name for name in found if name), "")


def _is_compiled(module: str) -> bool:
    path: list[str] | None = None
    spec = None
    parts = module.split(".")
    for end in range(1, len(parts) + 1):
        name = ".".join(parts[:end])
        spec = BuiltinImporter.find_spec(name) or PathFinder.find_spec(name, path)
        if spec is None:
            return False
        path = list(spec.submodule_search_locations or ())
    if spec is None:
        return False
    return spec.origin == "built-in" or isinstance(spec.loader, ExtensionFileLoader)
