"""The context that type checkers see: an attribute a service."""

# Maintainers: at run time the class is toolset.Context itself, so that annotating with it changes
# nothing. A key that is no identifier cannot be read as an attribute and gets none.

from __future__ import annotations

import keyword
from collections import Counter
from collections.abc import Iterable

from toolset.catalog import Catalog, ServiceEntry
from toolset_gen.artifacts import MARK
from toolset_gen.render.environment import fill

__all__ = ["typed_context"]

_DOC_WIDTH = 88


def typed_context(catalog: Catalog, borrowed: Iterable[ServiceEntry] = ()) -> str:
    """Write the typed context of a catalog.

    Args:
        catalog: Whose services become attributes.
        borrowed: Services of other catalogs that become attributes too.

    Returns:
        Source that black leaves as it stands.
    """
    entries = sorted([*catalog.services, *borrowed])
    services = [s for s in entries if s.key.isidentifier() and not keyword.iskeyword(s.key)]
    uses = Counter(service.class_name for service in services)
    names = {s.key: _name(s, unique=uses[s.class_name] == 1) for s in services}
    imports = sorted({_import(service, names[service.key]) for service in services})
    attributes = ["", *(f"        {s.key}: {names[s.key]}" for s in services)] if services else []
    return fill(
        "typed_context.py.j2", mark=MARK, packages=(), imports=imports, attributes=attributes
    )


def _name(service: ServiceEntry, *, unique: bool) -> str:
    if unique and service.class_name not in {"Context", "TYPE_CHECKING"}:
        return service.class_name
    return f"{service.class_name}_{service.key}"


def _import(service: ServiceEntry, name: str) -> str:
    module = service.path.rpartition(".")[0]
    alias = "" if name == service.class_name else f" as {name}"
    line = f"from {module} import {service.class_name}{alias}"
    if len(line) + 4 <= _DOC_WIDTH:
        return line
    return f"from {module} import (\n        {service.class_name}{alias},\n    )"
