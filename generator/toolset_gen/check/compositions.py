"""Rules on files that compose plugins: `cordis.yml`."""

# Maintainers: joins the entries of a composition with the catalogs. A name is a module,
# `module:attribute`, or an entry point that the project itself declares: what else is installed is
# no fact of the sources. Only plugins of the scanned packages are judged: of no other is the
# configuration known.

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from toolset.catalog import ConfigEntry, Field, nearest
from toolset_gen.check.composition_entries import Entries
from toolset_gen.check.composition_names import Names
from toolset_gen.check.composition_yaml import Fault, Nodes
from toolset_gen.check.config_models import Models
from toolset_gen.check.facts import Facts
from toolset_gen.check.rules import RULES
from toolset_gen.diagnostics import Diagnostic
from toolset_gen.documents import Document
from toolset_gen.extract.model import Location

if TYPE_CHECKING:
    import yaml

__all__ = ["check_compositions"]


def check_compositions(facts: Facts) -> Iterator[Diagnostic]:
    """Judge the compositions of a project.

    Args:
        facts: What to judge.

    Yields:
        Violations of CFG006 and CFG007.
    """
    documents = [one for one in facts.documents if one.kind == "composition"]
    if documents:
        plugins = _Plugins(facts)
        for document in documents:
            yield from _judge(document, plugins)


def _judge(document: Document, plugins: _Plugins) -> Iterator[Diagnostic]:
    nodes = Nodes()
    root = nodes.root(document.text)
    if root is not None:
        entries = Entries(nodes)
        for found in entries.judge(root):
            nodes.faults += plugins.unknown(nodes, found.name, found.config)
        for name, line in entries.names:
            problem = plugins.names.missing(name)
            nodes.faults += [Fault(line, problem, name)] if problem else []
    for fault in sorted(set(nodes.faults)):
        place = Location(document.path, fault.line)
        if fault.key:
            message = f"{document.path} {fault.problem}"
            yield RULES["CFG006"].at(place, fault.key, message, "correct it, or remove it")
        else:
            message = f"{document.path} cannot be read as a composition: {fault.problem}"
            way = "make it a list of entries, each with `name` and, if wanted, `config`"
            yield RULES["CFG007"].at(place, document.path, message, way)


class _Plugins:
    """What the plugins that a composition may name can be configured with."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._models = Models(facts)
        self.names = Names(facts)
        configs = {config.plugin: config for config in facts.model.catalog.configs}
        self._configs: dict[str, ConfigEntry] = {}
        for plugin in facts.model.catalog.plugins:
            if plugin.name in configs:
                self._configs[self._path(plugin.path)] = configs[plugin.name]
        for name, target in facts.config.plugins:
            config = self._configs.get(self._path(target))
            if config is not None:
                self._configs[name] = config

    def _path(self, name: str) -> str:
        return self._facts.canonical(name.replace(":", "."))

    def unknown(self, nodes: Nodes, name: str, node: yaml.MappingNode) -> Iterator[Fault]:
        """Find the keys of a configuration that its plugin does not have."""
        config = self._configs.get(name) or self._configs.get(self._path(name))
        if config is not None and config.extra != "allow":
            yield from self._unknown(nodes, name, node, config.fields)

    def _unknown(
        self, nodes: Nodes, name: str, node: yaml.MappingNode, fields: Iterable[Field]
    ) -> Iterator[Fault]:
        known = {key: field for field in fields for key in (field.name, field.key) if key}
        for key, (at, value) in nodes.pairs(node).items():
            if key not in known:
                close = nearest(str(key), known, limit=1)
                hint = (
                    f"did you mean {close[0]!r}?" if close else f"it has {', '.join(sorted(known))}"
                )
                problem = f"sets {key!r} of {name!r}, which does not exist; {hint}"
                yield Fault(at.start_mark.line + 1, problem, f"{name}.{key}")
                continue
            inner = self._models.nested(known[str(key)])
            if inner in self._models.fields and nodes.is_mapping(value):
                yield from self._unknown(nodes, f"{name}.{key}", value, self._models.fields[inner])
