"""What plugins inject, key by key."""

# Maintainers: reads `inject` in each of its forms: a list, `{"required": …, "optional": …}`, keys
# with settings. A form that is not constant is reported, since nobody can tell then what a plugin
# waits for.

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from toolset_gen.diagnostics import Diagnostic
from toolset_gen.extract.library import Library
from toolset_gen.extract.model import Location
from toolset_gen.extract.raw import Expr, RawVariable

__all__ = ["InjectedKey", "Injects"]


class InjectedKey(NamedTuple):
    """One key of an `inject`.

    Attributes:
        key: The key, None when it is not a constant.
        required: Whether the plugin waits for it.
        text: Its source.
        location: Where it stands.
    """

    key: str | None
    required: bool
    text: str
    location: Location


class Injects:
    """Reads what plugins inject.

    Args:
        library: What resolves constants.
    """

    def __init__(self, library: Library) -> None:
        self.library = library
        self.diagnostics: list[Diagnostic] = []

    def of(self, expr: Expr | None, plugin: str, location: Location) -> Iterator[InjectedKey]:
        """Read an `inject`.

        Args:
            expr: What it is set to, None when the plugin has none.
            plugin: Whose it is.
            location: Where that is defined.

        Yields:
            Its keys.
        """
        expr = self._literal(expr)
        if expr is None or expr.kind == "none":
            return
        if expr.kind not in {"sequence", "mapping"} or expr.starred:
            self._not_constant(expr, plugin, location)
            return
        names = {key for key, _ in expr.keywords}
        if expr.kind == "mapping" and names and names <= {"required", "optional"}:
            for part, value in expr.keywords:
                items = self._literal(value)
                yield from self._each(items, plugin, location, required=part == "required")
        elif expr.kind == "mapping":
            for key, value in expr.keywords:
                place = location._replace(line=value.line)
                yield InjectedKey(key, required=True, text=repr(key), location=place)
        else:
            yield from self._each(expr, plugin, location, required=True)

    def _each(
        self, expr: Expr | None, plugin: str, location: Location, *, required: bool
    ) -> Iterator[InjectedKey]:
        if expr is None or expr.kind != "sequence" or expr.starred:
            if expr is not None:
                self._not_constant(expr, plugin, location)
            return
        written = [item.value for item in expr.args if item.kind == "string"]
        if len(written) == len(expr.args) and written != sorted(written):
            self._not_sorted(expr, plugin, location)
        for item in expr.args:
            key = self.library.constant(item)
            place = location._replace(line=item.line)
            if key is None:
                self._not_constant(item, plugin, location)
            yield InjectedKey(key, required, item.text, place)

    def _literal(self, expr: Expr | None) -> Expr | None:
        """Follow a name to the literal it is set to."""
        for _ in range(8):
            if expr is None or expr.kind != "name":
                return expr
            found = self.library.definition(expr.path)
            if found is None or not isinstance(found.raw, RawVariable) or found.raw.rebound:
                return expr
            expr = found.raw.value
        return expr

    def _not_sorted(self, expr: Expr, plugin: str, location: Location) -> None:
        self.diagnostics.append(
            Diagnostic(
                "PLG009",
                location.path,
                expr.line or location.line,
                f"the keys that plugin {plugin!r} injects are not sorted: `{expr.text}`",
                "sort them, or run `toolset catalog fix`",
                "warning",
                target=plugin,
            )
        )

    def _not_constant(self, expr: Expr, plugin: str, location: Location) -> None:
        self.diagnostics.append(
            Diagnostic(
                "PLG008",
                location.path,
                expr.line or location.line,
                f"`inject` of plugin {plugin!r} is not a constant: `{expr.text}`",
                "list the keys as strings, or as names that are set once to strings",
                target=plugin,
            )
        )
