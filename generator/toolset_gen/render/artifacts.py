"""Every artifact of a catalog, as bytes."""

# Maintainers: says which artifacts exist and under which path; each renderer is a pure function of
# the catalog. No line numbers, counts, dates, absolute paths or tool versions may get in: an edit
# elsewhere must not make an artifact stale, nor make two branches conflict.

from __future__ import annotations

import json
from collections.abc import Iterator, MutableMapping, Sequence
from concurrent.futures import Executor

from toolset.catalog import Catalog, ServiceEntry
from toolset_gen.config import Config
from toolset_gen.render.code import start_formatting
from toolset_gen.render.json_form import json_schema, json_text
from toolset_gen.render.module import catalog_module
from toolset_gen.render.pages import PAGES, PluginNotes, pages, snippets
from toolset_gen.render.typed_context import typed_context

__all__ = ["JSON_FILES", "artifact_paths", "render"]

JSON_FILES = ("api-catalog.json", "api-catalog.schema.json")


def artifact_paths(config: Config) -> tuple[str, ...]:
    """List what a project's configuration makes, without making it.

    Args:
        config: The project's configuration.

    Returns:
        Paths relative to its root, sorted.
    """
    names = [config.runtime, config.typed_context]
    if config.pages:
        names += [f"{config.pages}/{name}" for name in (*PAGES, *JSON_FILES)]
    return tuple(sorted(filter(None, names)))


def render(
    catalog: Catalog,
    config: Config,
    notes: PluginNotes,
    memory: MutableMapping[str, str],
    borrowed: Sequence[ServiceEntry] = (),
    *,
    executor: Executor | None = None,
) -> dict[str, bytes]:
    """Render all artifacts.

    Args:
        catalog: What they show, tools included.
        config: Which are wanted, and where.
        notes: What the tool catalog says of plugins beyond the catalog.
        memory: Formatted snippets of earlier runs; new ones are added.
        borrowed: Services of other catalogs that the typed context offers too.
        executor: Where code is formatted; None for here.

    Returns:
        Path relative to the project's root to bytes, sorted by path.
    """
    return {
        path: text.encode("utf-8", "backslashreplace")
        for path, text in sorted(
            _texts(catalog, config, notes, memory, borrowed, executor=executor)
        )
    }


def _texts(
    catalog: Catalog,
    config: Config,
    notes: PluginNotes,
    memory: MutableMapping[str, str],
    borrowed: Sequence[ServiceEntry],
    *,
    executor: Executor | None,
) -> Iterator[tuple[str, str]]:
    shown = snippets(catalog) if config.pages else ()
    formatted = start_formatting(shown, memory, executor)
    if config.runtime:
        yield config.runtime, catalog_module(catalog, config.packages)
    if config.typed_context:
        yield config.typed_context, typed_context(catalog, borrowed)
    if config.pages:
        schema = json.dumps(json_schema(), indent=2, ensure_ascii=False)
        for name, text in zip(JSON_FILES, (json_text(catalog), schema), strict=True):
            yield f"{config.pages}/{name}", f"{text}\n"
        for name, text in pages(catalog, config.packages, notes, formatted()).items():
            yield f"{config.pages}/{name}", text
