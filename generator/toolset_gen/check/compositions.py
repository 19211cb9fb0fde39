"""Rules on files that compose plugins: `cordis.yml`."""

# Maintainers: reads the format that the loader takes, as YAML nodes, since those have lines. Only entries
# whose plugin the scanned packages define are judged: of no other is the configuration known. yaml is
# imported when there is such a file.

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from toolset.catalog import ConfigEntry, Field, nearest
from toolset_gen.check.config_models import Models
from toolset_gen.check.facts import Facts
from toolset_gen.check.rules import RULES
from toolset_gen.diagnostics import Diagnostic
from toolset_gen.documents import Document
from toolset_gen.extract.model import Location

if TYPE_CHECKING:
    import yaml

__all__ = ["check_compositions"]

_KEYS = ("config", "disabled", "group", "id", "inject", "isolate", "name")


def check_compositions(facts: Facts) -> Iterator[Diagnostic]:
    """Judge the keys that compositions set.

    Args:
        facts: What to judge.

    Yields:
        Violations of CFG006 and CFG007.
    """
    for document in facts.documents:
        if document.kind == "composition":
            yield from _Composition(facts, document).judge()


class _Composition:
    def __init__(self, facts: Facts, document: Document) -> None:
        self._document = document
        self._models = Models(facts)
        configs = {config.plugin: config for config in facts.model.catalog.configs}
        self._configs: dict[str, ConfigEntry] = {}
        for plugin in facts.model.catalog.plugins:
            if plugin.name in configs:
                self._configs[plugin.path] = configs[plugin.name]

    def judge(self) -> Iterator[Diagnostic]:
        import yaml  # noqa: PLC0415 - see the head of the module

        try:
            root = yaml.compose(self._document.text, Loader=yaml.SafeLoader)
        except yaml.YAMLError as error:
            mark = error.problem_mark if isinstance(error, yaml.MarkedYAMLError) else None
            problem = error.problem if isinstance(error, yaml.MarkedYAMLError) else str(error)
            yield self._unreadable(mark.line + 1 if mark is not None else 0, str(problem))
            return
        if isinstance(root, yaml.SequenceNode):
            yield from self._entries(root)
        elif root is not None:
            yield self._unreadable(root.start_mark.line + 1, "it is no list of entries")

    def _unreadable(self, line: int, problem: str) -> Diagnostic:
        path = self._document.path
        return RULES["CFG007"].at(
            Location(path, line),
            path,
            f"{path} cannot be read as a composition: {problem}",
            "make it a list of entries, each with `name` and, if wanted, `config`",
        )

    def _entries(self, node: yaml.SequenceNode) -> Iterator[Diagnostic]:
        import yaml  # noqa: PLC0415 - see the head of the module

        for item in node.value:
            if not isinstance(item, yaml.MappingNode):
                yield self._unreadable(item.start_mark.line + 1, "an entry is no mapping")
                continue
            values = {str(key.value): (key, value) for key, value in item.value}
            name = str(values["name"][1].value) if "name" in values else ""
            yield from self._keys(name or "an entry", values, _KEYS, "an entry has")
            for part in ("group", "config"):
                if part in values and isinstance(values[part][1], yaml.SequenceNode):
                    yield from self._entries(values[part][1])
            config = self._configs.get(name)
            if config is not None and "config" in values and config.extra != "allow":
                yield from self._config(name, values["config"][1], config.fields)

    def _config(self, name: str, node: yaml.Node, fields: Iterable[Field]) -> Iterator[Diagnostic]:
        import yaml  # noqa: PLC0415 - see the head of the module

        if not isinstance(node, yaml.MappingNode):
            return
        values = {str(key.value): (key, value) for key, value in node.value}
        by_key = {key: field for field in fields for key in (field.name, field.key) if key}
        yield from self._keys(name, values, by_key, "its configuration has")
        for key, (_, value) in values.items():
            inner = self._models.nested(by_key[key]) if key in by_key else ""
            if inner in self._models.fields:
                yield from self._config(f"{name}.{key}", value, self._models.fields[inner])

    def _keys(
        self,
        name: str,
        values: dict[str, tuple[yaml.Node, yaml.Node]],
        known: Iterable[str],
        has: str,
    ) -> Iterator[Diagnostic]:
        names = sorted(known)
        for key, (node, _) in values.items():
            if key not in names:
                close = nearest(key, names, limit=1)
                hint = f"did you mean {close[0]!r}?" if close else f"{has} {', '.join(names)}"
                yield RULES["CFG006"].at(
                    Location(self._document.path, node.start_mark.line + 1),
                    f"{name}.{key}",
                    f"{self._document.path} sets {key!r} of {name!r}, which does not exist; {hint}",
                    "correct the key, or remove it",
                )
