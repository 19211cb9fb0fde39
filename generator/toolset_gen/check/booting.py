"""Rules on what booting the tool plugins showed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from toolset.catalog import PluginEntry
from toolset_gen.boot import REGISTRY, Booted
from toolset_gen.check.facts import Facts
from toolset_gen.check.rules import RULES
from toolset_gen.diagnostics import Diagnostic
from toolset_gen.extract.model import Location

__all__ = ["check_booting"]

# What follows `ctx.tools` where a plugin registers, on the same line or the next.
_REGISTERS = re.compile(rf"\b{REGISTRY}\b\s*\.\s*register\b")


def check_booting(facts: Facts) -> Iterator[Diagnostic]:
    """Judge plugins that were booted, and the tools they registered.

    Args:
        facts: What to judge.

    Yields:
        Violations of PLG005 to PLG007.
    """
    owners: dict[str, PluginEntry] = {}
    for booted in facts.booted:
        if booted.failure:
            yield _failed(facts, booted)
        elif not booted.tools and _registers(facts, booted.plugin):
            yield RULES["PLG007"].at(
                facts.plugin_place(booted.plugin),
                booted.plugin.name,
                f"plugin {booted.plugin.name!r} calls `{REGISTRY}.register` and registers no tool "
                "when mounted with its default configuration",
                "register with the defaults too, or accept it with a suppression",
            )
        for tool in booted.tools:
            other = owners.setdefault(tool.name, booted.plugin)
            if other.path != booted.plugin.path:
                yield RULES["PLG005"].at(
                    facts.plugin_place(booted.plugin),
                    tool.name,
                    f"tool {tool.name!r} is registered by plugin {booted.plugin.name!r} "
                    f"and by plugin {other.name!r}",
                    "rename one of them: they cannot be mounted together",
                )


def _failed(facts: Facts, booted: Booted) -> Diagnostic:
    return RULES["PLG006"].at(
        _raised_at(facts, booted),
        booted.plugin.name,
        f"plugin {booted.plugin.name!r} was booted with its default configuration and "
        f"{booted.failure}",
        _way_out(facts, booted),
    )


def _way_out(facts: Facts, booted: Booted) -> str:
    package = booted.missing.partition(".")[0]
    if package and package not in {name.partition(".")[0] for name in facts.config.packages}:
        return (
            f"install what provides {package!r} in the environment that runs the gate: "
            "tool plugins are imported there"
        )
    if booted.missing:
        return f"correct the import of {booted.missing!r}, which the package does not have"
    if booted.unimported:
        return f"repair {booted.unimported!r}: `python -c 'import {booted.unimported}'` shows more"
    return "let it become active with its defaults, or accept it with a suppression"


def _raised_at(facts: Facts, booted: Booted) -> Location:
    """Find the innermost frame inside the project, else the plugin itself."""
    root = facts.config.root.resolve()
    for frame in reversed(booted.frames):
        path = Path(frame.file)
        if path.is_relative_to(root) and "site-packages" not in path.parts:
            return Location(path.relative_to(root).as_posix(), frame.line)
    return facts.plugin_place(booted.plugin)


def _registers(facts: Facts, plugin: PluginEntry) -> bool:
    """Tell whether the plugin's own source registers tools at all."""
    files = {site.location.path for site in facts.model.sites if site.plugin == plugin.path}
    files.add(facts.plugin_place(plugin).path)
    for path in sorted(files):
        try:
            text = (facts.config.root / path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        if _REGISTERS.search(text):
            return True
    return False
