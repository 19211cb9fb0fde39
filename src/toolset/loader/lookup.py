"""From the name of an entry to its plugin."""

# Maintainers: the only place that imports what a composition names. Importing runs a plugin's code,
# so whatever it raises, the exit of the process included, is the failure of that one entry. A
# lookup is made for one load and remembers names for as long.

from __future__ import annotations

import importlib
import pkgutil
import sys
import traceback
from collections.abc import Iterable
from functools import cached_property
from importlib.metadata import entry_points
from importlib.util import find_spec
from types import ModuleType
from typing import Final, cast

from toolset.catalog import nearest
from toolset.loader.errors import PluginLookupError
from toolset.runtime.service import Service

__all__: list[str] = []

GROUP: Final = "toolset.plugins"


class Lookup:
    """Finds plugins by the names of entries: entry points before modules."""

    def __init__(self) -> None:
        self._found: dict[str, object] = {}
        self._failed: dict[str, PluginLookupError] = {}

    @cached_property
    def _points(self) -> dict[str, set[str]]:
        """What every entry point names, by its name."""
        found: dict[str, set[str]] = {}
        for point in entry_points(group=GROUP):
            found.setdefault(point.name, set()).add(point.value)
        return found

    def unknown(self, name: str) -> str:
        """Say why a name cannot lead to a plugin, as far as that is known without running code.

        Args:
            name: The name of an entry.

        Returns:
            The reason; `""` when it may lead to one.
        """
        top = name.partition(":")[0].partition(".")[0]
        if name in self._points or top in sys.modules or find_spec(top) is not None:
            return ""
        return str(PluginLookupError(name, self._absent(name, top)))

    def find(self, name: str) -> object:
        """Give the plugin that a name leads to.

        Args:
            name: A module, `module:attribute` or an entry point.

        Returns:
            The plugin.

        Raises:
            PluginLookupError: There is none.
        """
        if name in self._failed:
            raise self._failed[name].with_traceback(None)
        if name not in self._found:
            try:
                self._found[name] = self._find(name)
            except PluginLookupError as error:
                self._failed[name] = error
                raise
        return self._found[name]

    def _find(self, name: str) -> object:
        module, attribute = self._target(name).partition(":")[::2]
        found: object = self._import(name, module)
        for part in filter(None, attribute.split(".")):
            found = self._member(name, found, part)
        return _judged(name, found)

    def _target(self, name: str) -> str:
        """Give the `module` or `module:attribute` that a name stands for."""
        points = self._points.get(name, set())
        if len(points) > 1:
            raise PluginLookupError(
                name,
                f"several packages announce it, as {_listed(sorted(points))}; write the one you mean",
            )
        target = next(iter(points), name)
        return "".join(target.partition("[")[0].split())  # without the extras it asks for

    def _import(self, name: str, module: str) -> ModuleType:
        try:
            return importlib.import_module(module)
        except ModuleNotFoundError as error:
            if not f"{module}.".startswith(f"{error.name}."):  # something that the module needs
                raise PluginLookupError(name, _broken(module, error)) from error
            raise PluginLookupError(name, self._absent(name, str(error.name))) from None
        except (Exception, SystemExit) as error:
            raise PluginLookupError(name, _broken(module, error)) from error

    def _absent(self, name: str, missing: str) -> str:
        """Say that a module is not there, and which ones are that may be meant."""
        parent = missing.rpartition(".")[0]
        if parent:
            path = cast("Iterable[str]", getattr(sys.modules.get(parent), "__path__", ()))
            known = [f"{parent}.{one.name}" for one in pkgutil.iter_modules(path)]
        else:
            known = [one for one in self._top_level if not one.startswith("_")]
        what = f"there is no module {missing!r}"
        if name == missing and not parent:
            known += self._points
            what += f" and no entry point of that name in the group {GROUP!r}"
        close = [found + name.removeprefix(missing) for found in nearest(missing, known, limit=1)]
        hint = f"did you mean {close[0]!r}?" if close else "install the package that has it"
        return f"{what}; {hint}"

    @cached_property
    def _top_level(self) -> list[str]:
        return [one.name for one in pkgutil.iter_modules()]

    def _member(self, name: str, owner: object, attribute: str) -> object:
        missing = object()
        found: object = getattr(owner, attribute, missing)
        if found is not missing:
            return found
        shown = getattr(owner, "__name__", type(owner).__name__)
        close = nearest(attribute, (one for one in dir(owner) if not one.startswith("_")))
        hint = f"; did you mean {_listed(close)}?" if close else ""
        raise PluginLookupError(name, f"{shown!r} has no {attribute!r}{hint}")


def _judged(name: str, found: object) -> object:
    """Give back what can be a plugin; of a module that is none, say what in it is."""
    if not isinstance(found, ModuleType) or hasattr(found, "apply"):
        return found
    inside = [
        f"{found.__name__}:{key}"
        for key, value in vars(found).items()
        if isinstance(value, type) and issubclass(value, Service) and value.key
    ]
    way = f"write {_listed(inside)}" if inside else f"name what is, '{found.__name__}:attribute'"
    raise PluginLookupError(
        name, f"module {found.__name__!r} has no function `apply`, so it is no plugin itself; {way}"
    )


def _broken(module: str, error: BaseException) -> str:
    said = f"importing {module!r} failed: {type(error).__name__}: {error}".removesuffix(": ")
    frames = traceback.extract_tb(error.__traceback__)
    own = [one for one in frames if not one.filename.startswith("<frozen") and one.line]
    if isinstance(error, SyntaxError) or len(own) < 2:  # noqa: PLR2004 - the first is ours
        return said
    return f"{said} ({own[-1].filename}:{own[-1].lineno})"


def _listed(names: Iterable[str]) -> str:
    return " or ".join(repr(name) for name in names)
