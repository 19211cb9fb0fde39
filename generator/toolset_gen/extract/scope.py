"""What the names at the top of one module refer to."""

# Maintainers: answers for module scope only (sites.py has the scopes inside functions). It reads
# imports and definitions, follows nothing into other modules. Where branches define a name twice,
# the first counts: that is the `TYPE_CHECKING` branch, and what `try:` hopes for; comparisons of
# `sys.version_info` are taken as a new Python would, so that the running one makes no difference.
# What stands in no branch replaces what was imported above it; until there, the import counts.

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterable, Iterator, Sequence

__all__ = ["BUILTINS", "ModuleScope", "branches", "dotted", "import_targets"]

# With what newer Pythons and `site` add, so that it makes no difference who runs the generator.
BUILTINS = frozenset(name for name in dir(builtins) if not name.startswith("_")) | {
    "PythonFinalizationError",
    *("copyright", "credits", "exit", "help", "license", "quit"),
}


def dotted(node: ast.expr) -> str:
    """Spell a chain of attributes.

    Args:
        node: An expression.

    Returns:
        `a.b.c`, or `""` when it is anything else.
    """
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    parts.append(node.id)
    return ".".join(reversed(parts))


def import_targets(
    node: ast.Import | ast.ImportFrom, module: str, *, is_package: bool
) -> Iterator[tuple[str, str]]:
    """List the names an import statement binds.

    Args:
        node: The statement.
        module: Dotted name of the module it stands in.
        is_package: Whether that module is a package.

    Yields:
        Local name and absolute path; `*` and the module for a star import.
    """
    if isinstance(node, ast.Import):
        for alias in node.names:
            if alias.asname:
                yield alias.asname, alias.name
            else:
                root = alias.name.partition(".")[0]
                yield root, root
        return
    base = node.module or ""
    if node.level:
        parts = module.split(".")
        keep = len(parts) - node.level + (1 if is_package else 0)
        base = ".".join([*parts[: max(keep, 0)], *filter(None, [base])])
    for alias in node.names:
        yield (alias.asname or alias.name), (base if alias.name == "*" else f"{base}.{alias.name}")


def branches(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Flatten the conditional blocks of a body, the branch that counts first.

    Args:
        body: Statements of a module or class.

    Yields:
        Every statement that may define something, in order of precedence.
    """
    for node in body:
        if isinstance(node, ast.If):
            first, second = node.body, node.orelse
            if _is_false(node.test):
                first, second = second, first
            yield from branches(first)
            yield from branches(second)
        elif isinstance(node, (ast.Try, ast.TryStar)):
            yield from branches(node.body)
            yield from branches(node.orelse)
            for handler in node.handlers:
                yield from branches(handler.body)
            yield from branches(node.finalbody)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            yield from branches(node.body)
        else:
            yield node


def _is_false(test: ast.expr) -> bool:
    """Whether a condition is `not TYPE_CHECKING`, or only holds on an older Python."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return dotted(test.operand).rpartition(".")[2] == "TYPE_CHECKING"
    if isinstance(test, ast.Compare) and dotted(test.left) == "sys.version_info":
        return isinstance(test.ops[0], (ast.Lt, ast.LtE))
    return False


def _is_this_module(target: ast.expr) -> bool:
    """Whether a module puts another in its place: `sys.modules[__name__] = other`."""
    return (
        isinstance(target, ast.Subscript)
        and dotted(target.value) == "sys.modules"
        and dotted(target.slice) == "__name__"
    )


class ModuleScope:
    """The names at the top of a module.

    Args:
        module: Its dotted name.
        is_package: Whether it is a package.
        body: Its statements.
    """

    __slots__ = (
        "_imported",
        "_replaced",
        "imports",
        "is_package",
        "local",
        "module",
        "republished",
        "stars",
    )

    def __init__(self, module: str, body: Sequence[ast.stmt], *, is_package: bool) -> None:
        self.module = module
        self.is_package = is_package
        self.imports: dict[str, str] = {}
        self.local: set[str] = set()
        self.stars: list[str] = []
        self.republished: set[str] = set()
        self._imported: dict[str, int] = {}
        self._replaced: dict[str, tuple[int, str]] = {}
        for node in branches(body):
            self._bind(node)
        for node in body:
            self._replace(node)

    def _bind(self, node: ast.stmt) -> None:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            self._import(node)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            self._define(node.name)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                self._assign(target)
                if _is_this_module(target) and dotted(node.value):
                    self.stars.append(self.path(dotted(node.value)))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            self._define(node.target.id)
        elif type(node).__name__ == "TypeAlias":  # `type X = …`, Python 3.12
            alias: object = getattr(node, "name", None)
            if isinstance(alias, ast.Name):
                self._define(alias.id)

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        for name, path in import_targets(node, self.module, is_package=self.is_package):
            if name == "*":
                self.stars.append(path)
                continue
            if name not in self.local:
                self.imports.setdefault(name, path)
            self._imported[name] = max(node.lineno, self._imported.get(name, 0))
        self.republished.update(a.asname for a in node.names if a.asname == a.name and a.asname)

    def _assign(self, target: ast.expr) -> None:
        for item in ast.walk(target):
            if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store):
                self._define(item.id)

    def _define(self, name: str) -> None:
        if name not in self.imports:
            self.local.add(name)

    def _replace(self, node: ast.stmt) -> None:
        """Let what stands in no branch take the place of what was imported above under its name."""
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names = [node.name]
        elif isinstance(node, ast.Assign):
            read = {item.id for item in ast.walk(node.value) if isinstance(item, ast.Name)}
            names = [t.id for t in node.targets if isinstance(t, ast.Name) and t.id not in read]
        else:
            return
        for name in names:
            if name in self.imports and self._imported[name] < node.lineno:
                self._replaced[name] = (node.lineno, self.imports.pop(name))
                self.local.add(name)

    def above(self, line: int) -> Callable[[str], str]:
        """Say what names refer to before the module is through.

        Args:
            line: The line up to which it is.

        Returns:
            What resolves a name there, as `path` does at the end of the module.
        """

        def resolve(name: str) -> str:
            head, dot, rest = name.partition(".")
            since, imported = self._replaced.get(head, (0, ""))
            return f"{imported}{dot}{rest}" if line <= since else self.path(name)

        return resolve

    def binds(self, name: str) -> bool:
        """Say whether the top of the module may bind a name.

        Args:
            name: The name.

        Returns:
            Whether it is defined or imported there, or may come with a star import.
        """
        return name in self.imports or name in self.local or bool(self.stars)

    def path(self, name: str, inside: tuple[frozenset[str], str] | None = None) -> str:
        """Say what a dotted name refers to.

        Args:
            name: The name as written.
            inside: Names of the enclosing class's body and the class's path, when there is one.

        Returns:
            An absolute dotted path; `builtins.…` for a builtin; `?name` when the module does not say.
        """
        head, dot, rest = name.partition(".")
        if inside is not None and head in inside[0]:
            return f"{inside[1]}.{name}"
        if head in self.local:
            return f"{self.module}.{name}"
        if head in self.imports:
            return f"{self.imports[head]}{dot}{rest}"
        if head in BUILTINS:
            return f"builtins.{name}"
        if self.stars:
            return f"{self.module}.{name}"
        return f"?{name}"
