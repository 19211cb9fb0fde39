"""Plugins and their configuration models."""

# Maintainers: finds what can be mounted. Four forms are found: service classes; modules with a
# public function `apply`; functions, and classes with `apply` or `(ctx)`, that carry metadata
# (`name`, `inject`, `Config`); and whatever `ctx.plugin(X)` mounts in the sources. What only a
# mount shows is `library`: it is not meant to be mounted by itself. Sites inside a plugin's code
# belong to it.

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from toolset.catalog import ConfigEntry, PluginEntry
from toolset_gen.diagnostics import Diagnostic
from toolset_gen.extract.describe import Describer
from toolset_gen.extract.injects import InjectedKey, Injects
from toolset_gen.extract.library import Library
from toolset_gen.extract.model import Location
from toolset_gen.extract.names import is_context, is_service
from toolset_gen.extract.paths import Definition
from toolset_gen.extract.raw import Expr, RawClass, RawFunction, RawModule, RawVariable
from toolset_gen.extract.services import classes

__all__ = ["FoundPlugin", "Plugins", "find_plugins"]

_METADATA = frozenset({"name", "inject", "Config", "provides"})


class FoundPlugin(NamedTuple):
    """A plugin.

    Attributes:
        entry: What the catalog says of it.
        code: Canonical path of what holds its code: a module, class or function.
        location: Where it is defined.
        injected: Its `inject`, key by key.
        config: Its configuration model, None without one.
    """

    entry: PluginEntry
    code: str
    location: Location
    injected: tuple[InjectedKey, ...] = ()
    config: ConfigEntry | None = None


class Plugins(NamedTuple):
    """All plugins, and what cannot be told of them.

    Attributes:
        found: In the order of their import paths.
        diagnostics: `inject` lists that are not constant.
    """

    found: tuple[FoundPlugin, ...]
    diagnostics: tuple[Diagnostic, ...]


class _Metadata(NamedTuple):
    """Where a plugin keeps its metadata, and what is there."""

    name: Expr | None
    inject: Expr | None
    config: str
    provides: Expr | None


def find_plugins(describer: Describer, mounted: Iterable[str]) -> Plugins:
    """Find the plugins that the scanned modules define.

    Args:
        describer: What describes configuration models.
        mounted: Canonical paths of what `ctx.plugin` mounts.

    Returns:
        The plugins.
    """
    finder = _Finder(describer)
    for module in describer.library.modules():
        finder.module(module)
    for found, raw in classes(describer.library):
        finder.of_class(found, raw)
    for path in sorted(set(mounted)):
        finder.mounted(path)
    return Plugins(
        tuple(finder.found[path] for path in sorted(finder.found)),
        tuple(finder.injects.diagnostics),
    )


class _Finder:
    def __init__(self, describer: Describer) -> None:
        self.describer = describer
        self.library = describer.library
        self.found: dict[str, FoundPlugin] = {}
        self.injects = Injects(self.library)

    def module(self, module: RawModule) -> None:
        """Take a module with `apply`, and its functions with metadata."""
        apply = next((d for d in module.definitions if d.name == "apply"), None)
        if isinstance(apply, RawFunction) and self._takes_context(apply, skip=0):
            data = _module_metadata(module, self.library)
            fallback = module.name.rpartition(".")[2]
            summary = module.doc.summary if module.doc is not None else ""
            place = Location(module.path, apply.line)
            self._add(module.name, module.name, fallback, data, place, summary=summary)
        for raw in module.definitions:
            if isinstance(raw, RawFunction):
                given = _set_metadata(module, raw.name, self.library)
                if given is not None:
                    path = f"{module.name}.{raw.name}"
                    found = Definition(path, module, raw, "", module.path)
                    self._function(found, raw, given)

    def _function(self, found: Definition, raw: RawFunction, data: _Metadata) -> None:
        summary = raw.doc.summary if raw.doc is not None else ""
        self._add(
            self._import_path(found), found.path, raw.name, data, found.location, summary=summary
        )

    def of_class(self, found: Definition, raw: RawClass, *, mounted: bool = False) -> None:
        """Take a service class with a key, and a class with `apply` and metadata."""
        service = is_service(found.path, self.library)
        key = self._service_key(found) if service else None
        data = self._class_metadata(found)
        apply = raw.member("apply")
        shaped = isinstance(apply, RawFunction) and self._takes_context(apply, skip=1)
        if service and key is None and not mounted:
            return
        made = raw.member("__init__")
        shaped = shaped or (isinstance(made, RawFunction) and self._takes_context(made, skip=1))
        if not service and not mounted and not (shaped and any(data)):
            return
        summary = raw.doc.summary if raw.doc is not None else ""
        path = self._import_path(found)
        provides = (key,) if key is not None else ()
        seam = service and self._is_abstract(found, raw)
        self._add(
            path,
            found.path,
            raw.name,
            data,
            found.location,
            summary=summary,
            provides=provides,
            seam=seam,
        )

    def mounted(self, path: str) -> None:
        """Take what the sources mount and nothing else shows to be a plugin."""
        found = self.library.find(path)
        if isinstance(found, RawModule) or found is None:
            return
        if found.module.name not in self.library.scanned:
            return
        own = self._import_path(found)
        if own in self.found or found.path == f"{found.module.name}.apply":
            return
        if isinstance(found.raw, RawFunction):
            self._function(found, found.raw, _Metadata(None, None, "", None))
        elif isinstance(found.raw, RawClass):
            self.of_class(found, found.raw, mounted=True)
        if own in self.found:
            plugin = self.found[own]
            if plugin.entry.kind == "no config" and not plugin.entry.provides:
                entry = plugin.entry._replace(kind="library")
                self.found[own] = plugin._replace(entry=entry)

    def _import_path(self, found: Definition) -> str:
        """Where users import a function or class from, as `module:attribute`."""
        public = self.library.public(found.path)
        path = public or found.path
        depth = 1 + (found.path.count(".") - found.module.name.count(".") - 1)
        parts = path.rsplit(".", depth)
        return f"{parts[0]}:{'.'.join(parts[1:])}"

    def _takes_context(self, raw: RawFunction, *, skip: int) -> bool:
        given = raw.parameters[skip:]
        if not given:
            return False
        first = given[0]
        if first.annotation is None:
            return first.name == "ctx"
        return any(is_context(path, self.library) for path in first.annotation.refs)

    def _service_key(self, found: Definition) -> str | None:
        for base in self.library.mro(found.path):
            owner = self.library.definition(base)
            if owner is not None and isinstance(owner.raw, RawClass):
                key = self.library.constant(owner.raw.keyword("key"))
                if key is not None:
                    return key
        return None

    def _is_abstract(self, found: Definition, raw: RawClass) -> bool:
        if "abc.ABC" in self.library.bases(found.path) or raw.keyword("metaclass") is not None:
            return True
        return any(
            isinstance(item, RawFunction)
            and any(mark.path.startswith("abc.abstract") for mark in item.decorators)
            for item in raw.members
        )

    def _class_metadata(self, found: Definition) -> _Metadata:
        values: dict[str, Expr] = {}
        config = ""
        for base in reversed(self.library.mro(found.path)):
            owner = self.library.definition(base)
            if owner is None or not isinstance(owner.raw, RawClass):
                continue
            for item in owner.raw.members:
                if isinstance(item, RawFunction) or (
                    isinstance(item, RawVariable) and item.on_self
                ):
                    continue  # what only an instance has is not known before there is one
                if item.name == "Config":
                    config = _config_path(item, f"{owner.path}.Config")
                elif isinstance(item, RawVariable) and item.value is not None:
                    values[item.name] = item.value
        outside = _set_metadata(found.module, found.raw.name, self.library)
        given = _Metadata(values.get("name"), values.get("inject"), config, values.get("provides"))
        return outside or given

    def _add(
        self,
        path: str,
        code: str,
        fallback: str,
        data: _Metadata,
        location: Location,
        *,
        summary: str,
        provides: tuple[str, ...] = (),
        seam: bool = False,
    ) -> None:
        name = self.library.constant(data.name) or fallback
        injected = tuple(self.injects.of(data.inject, name, location))
        config = self._config(name, data.config)
        said = [self.library.constant(item) for item in data.provides.args] if data.provides else []
        entry = PluginEntry(
            name=name,
            path=path,
            inject=_keys(injected, required=True),
            optional=_keys(injected, required=False),
            provides=tuple(sorted({*provides, *(key for key in said if key is not None)})),
            config=config.path if config is not None else "",
            kind="seam" if seam else ("config" if config and config.fields else "no config"),
            summary=summary,
        )
        self.found[path] = FoundPlugin(entry, code, location, injected, config)

    def _config(self, plugin: str, path: str) -> ConfigEntry | None:
        facts = self.describer.describe_class(path) if path else None
        if facts is None:
            return None
        return ConfigEntry(
            plugin=plugin,
            path=facts.entry.path,
            declaration=facts.entry.declaration,
            fields=facts.entry.fields,
            summary=facts.entry.summary,
            extra=facts.settings.get("extra", "ignore"),
        )


def _keys(injected: Iterable[InjectedKey], *, required: bool) -> tuple[str, ...]:
    wanted = [item for item in injected if item.required == required]
    return tuple(sorted({item.key for item in wanted if item.key is not None}))


def _config_path(item: RawClass | RawVariable, own: str) -> str:
    if isinstance(item, RawVariable):
        return item.value.path if item.value is not None and item.value.kind == "name" else ""
    return own


def _module_metadata(module: RawModule, library: Library) -> _Metadata:
    values: dict[str, Expr] = {}
    for item in module.definitions:
        if isinstance(item, RawVariable) and item.value is not None:
            values[item.name] = item.value
    config = library.definition(f"{module.name}.Config")
    path = config.path if config is not None else ""
    return _Metadata(values.get("name"), values.get("inject"), path, values.get("provides"))


def _set_metadata(module: RawModule, name: str, library: Library) -> _Metadata | None:
    """The metadata that a module sets on one of its functions or classes."""
    values: Mapping[str, Expr] = {
        attribute: value
        for owner, attribute, value in module.sets
        if owner == name and attribute in _METADATA
    }
    if not values:
        return None
    config = values.get("Config")
    path = library.canonical(config.path) if config is not None and config.path else ""
    return _Metadata(values.get("name"), values.get("inject"), path, values.get("provides"))
