"""The plugins that a composition names in the scanned packages: whether they are there."""

# Maintainers: judges names below the scanned packages alone, and only whether a module is read and
# binds the attribute: what is no plugin is the loader's to refuse. Parses a file when it is named.

from __future__ import annotations

import ast

from toolset.catalog import nearest
from toolset_gen.check.facts import Facts
from toolset_gen.extract.scope import ModuleScope

__all__ = ["Names"]


class Names:
    """What the modules of the scanned packages define.

    Args:
        facts: The scanned files.
    """

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._files = {file.module: file for file in facts.files if not file.is_stub}
        generated = (facts.config.runtime, facts.config.typed_context)
        self._generated = {facts.config.module_of(path) for path in generated if path}
        self._scopes: dict[str, ModuleScope | None] = {}

    def missing(self, name: str) -> str:
        """Say what is wrong with a name.

        Args:
            name: A module, or `module:attribute`.

        Returns:
            What does not exist and what is near it; `""` when it exists or is not known.
        """
        module, _, attribute = name.partition(":")
        if module in dict(self._facts.config.plugins) or not self._facts.is_ours(module):
            return ""
        if module in self._generated or not ("." in module or attribute):
            return ""
        if module not in self._files:
            return _said(name, nearest(module, self._files, limit=1), attribute)
        scope = self._scope(module) if attribute else None
        head = attribute.partition(".")[0]
        if scope is None or scope.binds(head) or scope.binds("__getattr__"):
            return ""
        if f"{module}.{head}" in self._files:
            return ""
        close = nearest(head, {*scope.local, *scope.imports}, limit=1)
        return _said(name, tuple(f"{module}:{one}" for one in close))

    def _scope(self, module: str) -> ModuleScope | None:
        if module not in self._scopes:
            file = self._files[module]
            try:
                body = ast.parse(file.data).body
                self._scopes[module] = ModuleScope(module, body, is_package=file.is_package)
            except (SyntaxError, ValueError, LookupError, RecursionError, MemoryError):
                self._scopes[module] = None  # said by SRC001
        return self._scopes[module]


def _said(name: str, close: tuple[str, ...], attribute: str = "") -> str:
    rest = f":{attribute}" if attribute else ""
    hint = f"did you mean {close[0] + rest!r}?" if close else "its package has nothing near it"
    return f"names {name!r}, which does not exist; {hint}"
