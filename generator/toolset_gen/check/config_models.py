"""The configuration models of the scanned plugins, nested ones included."""

# Maintainers: says which model a field holds, and what each is called in reports. It judges nothing.

from __future__ import annotations

import re

from toolset.catalog import Field
from toolset_gen.check.config_types import Model
from toolset_gen.check.facts import Facts

__all__ = ["Models"]


class Models:
    """The scanned configuration models, nested ones included."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._types = {facts.canonical(entry.path): entry for entry in facts.known.types}
        self.labels: dict[str, str] = {}
        self.fields: dict[str, tuple[Field, ...]] = {}
        self.inside: dict[str, set[str]] = {}
        self.loose: set[str] = set()
        for config in facts.model.catalog.configs:
            path = facts.canonical(config.path)
            if path in facts.model.locations:
                self._add(path, config.plugin, config.fields)
                if config.extra == "allow":
                    self.loose.add(path)

    def _add(self, path: str, label: str, fields: tuple[Field, ...]) -> None:
        if path in self.labels:
            return
        self.labels[path] = label
        self.fields[path] = fields
        for field in fields:
            inner = self.nested(field)
            if inner in self._facts.model.locations:
                self.inside.setdefault(inner, set()).add(path)
                self._add(inner, f"{label}.{field.name}", self._types[inner].fields)

    def nested(self, field: Field) -> str:
        """Give the path of the model that a field's value is, alone or None."""
        name = re.fullmatch(r"(?:\w+\.)*(\w+)(?: \| None)?", field.annotation)
        for ref in field.type_refs:
            path = self._facts.canonical(ref)
            entry = self._types.get(path)
            if name is not None and entry is not None and path.rpartition(".")[2] == name[1]:
                return path if entry.kind in {"dataclass", "model"} else ""
        return ""

    def by_path(self) -> dict[str, Model]:
        """Describe the models for config_reads, under each path they are known under."""
        found: dict[str, Model] = {}
        for path, fields in self.fields.items():
            nested = {field.name: self.nested(field) for field in fields}
            model = Model(path, {n: p if p in self.fields else "" for n, p in nested.items()})
            found |= {path: model, self._facts.model.public.get(path, path): model}
        return found
