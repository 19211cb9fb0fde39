"""What rules judge by, and the look-ups they share."""

# Maintainers: the only place that knows how canonical and public paths, declarations and locations
# of the source model fit together. It judges nothing.

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from toolset.catalog import Catalog, EventEntry, PluginEntry, merge
from toolset_gen.boot import Booted
from toolset_gen.config import Config
from toolset_gen.discover import Sources
from toolset_gen.extract.model import Declaration, DeclarationKind, Location, Site, SourceModel

__all__ = ["Facts"]


class Facts:
    """Everything a rule may look at.

    Args:
        config: The project's configuration.
        model: What its sources say.
        others: The catalogs of other packages.
        booted: What booting its tool plugins showed.
        sources: The scanned files, and the documents beside them.
    """

    def __init__(
        self,
        config: Config,
        model: SourceModel,
        others: Catalog,
        booted: Iterable[Booted] = (),
        sources: Sources | None = None,
    ) -> None:
        self.config = config
        self.files = sources.files if sources is not None else ()
        self.documents = sources.documents if sources is not None else ()
        self.model = model
        self.booted = tuple(booted)
        self.known = merge([model.catalog, others])

    @cached_property
    def service_keys(self) -> frozenset[str]:
        """Every key that something provides or a class is declared for."""
        return frozenset(
            {service.key for service in self.known.services}
            | {key for plugin in self.known.plugins for key in plugin.provides}
            | {site.name for site in self.sites("provide") if site.name is not None}
        )

    @cached_property
    def events(self) -> dict[str, EventEntry]:
        """Every known event by name."""
        return {event.name: event for event in self.known.events}

    @cached_property
    def _event_names(self) -> dict[str, str]:
        own = {found.path: found.name for found in self.declarations("event")}
        return {event.path: event.name for event in self.known.events} | own

    @cached_property
    def _canonical(self) -> dict[str, str]:
        return {public: path for path, public in self.model.public.items()}

    def canonical(self, path: str) -> str:
        """Give the path under which something is defined.

        Args:
            path: Any import path of it.

        Returns:
            Its canonical path, `path` itself when there is no other.
        """
        head, rest = path, ""
        while head:
            if head in self._canonical:
                return self._canonical[head] + rest
            head, _, name = head.rpartition(".")
            rest = f".{name}{rest}"
        return path

    @cached_property
    def plugins(self) -> dict[str, PluginEntry]:
        """Every scanned plugin by import path."""
        return {plugin.path: plugin for plugin in self.model.catalog.plugins}

    def sites(self, *kinds: str) -> Iterator[Site]:
        """Give the sites of some kinds.

        Args:
            *kinds: Their kinds.

        Yields:
            The sites in the order of the source.
        """
        return (site for site in self.model.sites if site.kind in kinds)

    def declarations(self, kind: DeclarationKind) -> Iterator[Declaration]:
        """Give the declarations of one kind, duplicates included.

        Args:
            kind: The kind.

        Yields:
            The declarations in the order of the source.
        """
        return (found for found in self.model.declarations if found.kind == kind)

    def event_name(self, site: Site) -> str | None:
        """Tell which event a site is about.

        Args:
            site: A dispatch or listen site.

        Returns:
            Its name, None when the source does not say.
        """
        return site.name if site.name is not None else self._event_names.get(site.event)

    @cached_property
    def _labels(self) -> dict[str, str]:
        kinds: tuple[DeclarationKind, ...] = ("config", "service", "event")
        own = {found.path: found.name for kind in kinds for found in self.declarations(kind)}
        return self._foreign | own

    def user_name(self, path: str) -> str:
        """Name a definition as those who use it do.

        Args:
            path: Its canonical path.

        Returns:
            An event's name, `key.member` of a service, `plugin.field` of a configuration, else the
            path as it is.
        """
        head, rest = path, ""
        while head:
            if head in self._labels:
                return self._labels[head] + rest
            head, _, name = head.rpartition(".")
            rest = f".{name}{rest}"
        return path

    @cached_property
    def _foreign(self) -> dict[str, str]:
        """The members of services that others wrote, by canonical path, as `key.member`."""
        found: dict[str, str] = {}
        for service in self.model.catalog.services:
            if not self.is_ours(service.path):
                for member in service.members:
                    found.setdefault(member.path, f"{service.key}.{member.name}")
        return found

    def is_ours(self, path: str) -> bool:
        """Tell whether a definition is in the scanned packages.

        Args:
            path: Its canonical path.

        Returns:
            Whether those who run the gate can repair it.
        """
        return any(path == p or path.startswith(f"{p}.") for p in self.config.packages)

    @cached_property
    def _context_paths(self) -> frozenset[str]:
        return frozenset(member.path for member in self.model.catalog.context)

    def is_public_face(self, path: str) -> bool:
        """Tell whether a definition is part of what plugins are written against.

        Args:
            path: Its canonical path.

        Returns:
            Whether it belongs to a service, an event, a configuration or the context, and not only
            to a type that one of those refers to.
        """
        return self.user_name(path) != path or path in self._context_paths

    def place(self, path: str) -> Location:
        """Find where something is defined.

        Args:
            path: Its canonical or public path, with a dot or a colon before an attribute.

        Returns:
            The place; that of what contains it when it has none of its own.
        """
        dotted = path.replace(":", ".")
        while dotted:
            for name in (dotted, self._canonical.get(dotted, dotted)):
                if name in self.model.locations:
                    return self.model.locations[name]
            dotted = dotted.rpartition(".")[0]
        return Location("pyproject.toml", 0)

    def plugin_place(self, plugin: PluginEntry) -> Location:
        """Find where a plugin is defined.

        Args:
            plugin: A scanned plugin.

        Returns:
            The place.
        """
        dotted = plugin.path.replace(":", ".")
        for found in self.declarations("plugin"):
            if f"{found.path}.".startswith(f"{dotted}."):
                return found.location
        return self.declared("plugin", plugin.name)

    def declared(self, kind: DeclarationKind, name: str) -> Location:
        """Find the first declaration of a name.

        Args:
            kind: What it declares.
            name: The name.

        Returns:
            The place.
        """
        for found in self.declarations(kind):
            if found.name == name:
                return found.location
        return Location("pyproject.toml", 0)
