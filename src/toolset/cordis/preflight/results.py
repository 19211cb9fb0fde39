"""Rules on what is read from the result of a call."""

# Maintainers: speaks of builtin types, and of record types that the catalog lists whole: a class that
# derives from another may have more than its declaration says.

from __future__ import annotations

import ast
import re
from typing import Final

from toolset.catalog import Returns, TypeEntry, nearest
from toolset.cordis.preflight.findings import Code
from toolset.cordis.preflight.reads import as_python

__all__ = ["check_result_read"]

_BUILTIN: Final[dict[str, type]] = {
    **{kind.__name__: kind for kind in (str, bytes, int, float, bool, list, dict, tuple, set)},
    "None": type(None),
}
# How a record's declaration begins when nothing but its own lines gives it members.
_WHOLE: Final = re.compile(
    r"(?:@[^\n]*\n)*class \w+(?:\[[^\]]*\])?(?:\((?:typing\.)?NamedTuple\))?:"
)
_RECORDS: Final = frozenset({"dataclass", "named tuple"})


def check_result_read(code: Code, node: ast.Attribute, shown: str, returns: Returns) -> None:
    """Judge an attribute that is read from what a call gave."""
    name = node.attr
    if name.startswith("_") or name in code.scopes.probed:
        return
    names = _names(code, returns)
    if names is None or name in names:
        return
    close = nearest(as_python(name), names)
    hint = (
        "write len(...) around it"
        if name in {"length", "size"}
        and "__len__" in dir(_BUILTIN.get(returns.annotation.partition("[")[0]))
        else f"did you mean {' or '.join(repr(c) for c in close)}?"
        if close
        else f"it has {', '.join(sorted(names)[:12]) or 'none'}"
    )
    code.mistake(
        node,
        "unknown-attribute",
        f"{shown}() gives {returns.annotation}, which has no {name!r}; {hint}",
        raises="AttributeError",
    )


def _names(code: Code, returns: Returns) -> frozenset[str] | None:
    """List what a result of that type has; None when that is not certain."""
    kind = _BUILTIN.get(returns.annotation.partition("[")[0].strip())
    if kind is not None and "|" not in returns.annotation:
        return frozenset(name for name in dir(kind) if not name.startswith("_"))
    if len(returns.type_refs) != 1:
        return None
    entry = code.knowledge.type(returns.type_refs[0])
    if entry is None or entry.name != returns.annotation:
        return None
    return _of_record(entry)


def _of_record(entry: TypeEntry) -> frozenset[str] | None:
    if entry.kind not in _RECORDS or entry.truncated or not _WHOLE.match(entry.declaration):
        return None
    inherited = dir(tuple) if entry.kind == "named tuple" else ()
    own = [*(field.name for field in entry.fields), *(member.name for member in entry.members)]
    return frozenset(name for name in (*own, *inherited) if not name.startswith("_"))
