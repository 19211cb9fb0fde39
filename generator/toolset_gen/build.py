"""Build every artifact of a project in memory: the one function that generate and verify share."""

# Maintainers: a pure function of the project's files and the installed distributions, but for the
# child process that boots plugins; it writes nothing. Heavy imports happen inside, since an
# unchanged verify imports this module and never calls `build`.

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableMapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, NamedTuple

from toolset_gen.config import Config
from toolset_gen.diagnostics import Diagnostic, is_unreadable, ordered
from toolset_gen.discover import Sources
from toolset_gen.others import load_others

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from toolset.catalog import Catalog, PluginEntry, ServiceEntry
    from toolset_gen.boot import Booted, Booter
    from toolset_gen.extract.model import SourceModel
    from toolset_gen.render.pages import PluginNotes

__all__ = ["Build", "build"]


class Build(NamedTuple):
    """What a project's sources come to.

    Attributes:
        artifacts: Path relative to the root to bytes; empty when the sources cannot be read.
        diagnostics: Every violation and every unreadable file, sorted by place.
    """

    artifacts: dict[str, bytes]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def at_fault(self) -> bool:
        """Whether nothing may be written."""
        return any(found.severity == "error" for found in self.diagnostics)


def build(
    config: Config,
    sources: Sources,
    snippets: MutableMapping[str, str] | None = None,
    *,
    executor: Executor | None = None,
) -> Build:
    """Build all artifacts.

    Args:
        config: The project's configuration.
        sources: The files it scans.
        snippets: Formatted code of earlier builds; new code is added.
        executor: Where files are read and code is formatted: threads, processes, or other
            machines; None for here.

    Returns:
        The artifacts, and everything that is wrong with the sources.

    Raises:
        ConfigurationError: A catalog named in the configuration cannot be loaded.
    """
    from toolset_gen.check import judge  # noqa: PLC0415 - see the head of the module
    from toolset_gen.check.facts import Facts  # noqa: PLC0415
    from toolset_gen.extract import extract  # noqa: PLC0415
    from toolset_gen.render import render  # noqa: PLC0415

    others = load_others(config)
    # Started first: it imports the runtime while this process reads.
    with _start_booter(config, sources) as booter:
        model = extract(sources, services=dict(config.services), executor=executor)
        model = model._replace(diagnostics=ordered([*sources.diagnostics, *model.diagnostics]))
        unreadable = any(is_unreadable(found) for found in model.diagnostics)
        booted = [] if unreadable or booter is None else list(_boot(booter, model, others))
    model = model._replace(catalog=_with_tools(model.catalog, booted))
    diagnostics = judge(Facts(config, model, others, booted, sources))
    if unreadable:
        return Build({}, diagnostics)
    notes = _notes(model, booted)
    shown = _without_inherited(model.catalog, others)
    borrowed = tuple(_borrowed(model.catalog, others))
    memory: MutableMapping[str, str] = {} if snippets is None else snippets
    artifacts = render(shown, config, notes, memory, borrowed, executor=executor)
    return Build(artifacts, diagnostics)


def _without_inherited(catalog: Catalog, others: Catalog) -> Catalog:
    """Leave out the `ctx` API when another catalog has it: its releases must not make this one stale."""
    return catalog._replace(context=()) if others.context else catalog


def _borrowed(catalog: Catalog, others: Catalog) -> Iterator[ServiceEntry]:
    """Give the services of other catalogs that the scanned plugins inject."""
    own = {service.key for service in catalog.services}
    used = {key for plugin in catalog.plugins for key in (*plugin.inject, *plugin.optional)}
    return (service for service in others.services if service.key in used - own)


def _start_booter(config: Config, sources: Sources) -> AbstractContextManager[Booter | None]:
    """Start the process that boots plugins, unless no file can be of a plugin with tools."""
    from toolset_gen.boot import REGISTRY, Booter  # noqa: PLC0415

    if not config.boot or not any(REGISTRY.encode() in file.data for file in sources.files):
        return nullcontext()
    return Booter(
        config.root,
        config.sources,
        config.boot_timeout,
        catalog=config.module_of(config.runtime),
        typed_context=config.module_of(config.typed_context),
    )


def _boot(booter: Booter, model: SourceModel, others: Catalog) -> Iterator[Booted]:
    from toolset_gen.boot import boot_plan  # noqa: PLC0415

    plugins = model.catalog.plugins
    for plugin, providers in boot_plan(plugins, (*plugins, *others.plugins)):
        yield booter.boot(plugin, providers)


def _with_tools(catalog: Catalog, booted: Iterable[Booted]) -> Catalog:
    """Add the tools, and to each plugin the names of its own."""
    found = [tool for one in booted for tool in one.tools]
    names = {one.plugin.path: tuple(tool.name for tool in one.tools) for one in booted}

    def named(plugin: PluginEntry) -> PluginEntry:
        return plugin._replace(tools=names.get(plugin.path, ()))

    return catalog._replace(
        tools=tuple(sorted(found)), plugins=tuple(named(plugin) for plugin in catalog.plugins)
    )


def _notes(model: SourceModel, booted: Iterable[Booted]) -> PluginNotes:
    from toolset_gen.render.pages import PluginNotes  # noqa: PLC0415

    writes: dict[str, set[str]] = {}
    for site in model.sites:
        if site.kind == "dispatch" and site.plugin and site.name:
            writes.setdefault(site.plugin, set()).add(site.name)
    return PluginNotes(
        writes={path: tuple(sorted(names)) for path, names in writes.items()},
        notes={
            one.plugin.path: (f"booted with {', '.join(one.providers)}",)
            for one in booted
            if one.providers
        },
    )
