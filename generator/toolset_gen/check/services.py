"""Rules on services beyond their documentation."""

from __future__ import annotations

from collections.abc import Iterator

from toolset_gen.check.facts import Facts
from toolset_gen.check.rules import RULES
from toolset_gen.diagnostics import Diagnostic
from toolset_gen.extract.model import Declaration

__all__ = ["check_services"]


def check_services(facts: Facts) -> Iterator[Diagnostic]:
    """Judge which class stands for which key, and who provides it.

    Args:
        facts: What to judge.

    Yields:
        Violations of SVC007 and SVC008.
    """
    yield from _twice(facts)
    yield from _named_too(facts)
    provided = {key for plugin in facts.known.plugins for key in plugin.provides}
    provided |= {site.name for site in facts.sites("provide") if site.name is not None}
    for service in facts.model.catalog.services:
        if service.key not in provided:
            yield RULES["SVC008"].at(
                facts.declared("service", service.key),
                service.key,
                f"service {service.key!r} ({service.path}) is provided by no plugin",
                f'provide it in a plugin with `ctx.provide("{service.key}", …)`, '
                "or remove it from the catalog",
            )


def _twice(facts: Facts) -> Iterator[Diagnostic]:
    first: dict[str, Declaration] = {}
    for found in facts.declarations("service"):
        other = first.setdefault(found.name, found)
        if other.path != found.path:
            yield RULES["SVC007"].at(
                found.location,
                found.name,
                f"service key {found.name!r} is declared by {found.path} too; the first is "
                f"{other.path} at {other.location.path}:{other.location.line}",
                "give one of the classes another key",
            )


def _named_too(facts: Facts) -> Iterator[Diagnostic]:
    """Find keys under which the configuration names a class of others, and the code has one."""
    own = {found.name: found for found in facts.declarations("service")}
    scanned = {package.partition(".")[0] for package in facts.config.packages}
    for key, target in facts.config.services:
        found = own.get(key)
        if found is not None and target.partition(":")[0].partition(".")[0] not in scanned:
            yield RULES["SVC007"].at(
                found.location,
                key,
                f"service key {key!r} is declared by {found.path}, and pyproject.toml names "
                f"{target!r} for it, which is left out",
                "give the class another key, or change the one under [tool.toolset.catalog.services]",
            )
