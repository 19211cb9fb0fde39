"""The `[tool.toolset.catalog]` table of pyproject.toml."""

# Maintainers: answers for what the table may say and how it is refused. It knows paths and names as
# text, and refuses what the disk already contradicts (a file where a folder must be); whether a
# package exists is discover's question. Stays cheap to import (an unchanged verify
# pays for it): no dataclasses, no pydantic.
# Invariant: all problems of a file are reported at once, each with its line where it can be found.

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from keyword import iskeyword
from pathlib import Path, PurePosixPath
from typing import NamedTuple, TypeAlias, TypeVar, cast

from toolset_gen.errors import ConfigurationError, UsageError
from toolset_gen.places import against, holds_file

__all__ = ["Config", "Suppression", "find_root", "line_of", "locate", "read_config"]

T = TypeVar("T")
Table: TypeAlias = dict[str, object]
TABLE = "tool.toolset.catalog"
_EXAMPLE = 'packages = ["my_package"], runtime = "src/my_package/api_catalog.py", pages = "catalog"'
_TARGET = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")
_NONE: tuple[str, ...] = ()


class Suppression(NamedTuple):
    """A violation that a project accepts.

    Attributes:
        rule: Id of the rule.
        target: What it is accepted for, as the violation names it; `*` matches any text.
        reason: Why.
    """

    rule: str
    target: str
    reason: str


class Config(NamedTuple):
    """What is scanned and what is written; all paths are relative to `root`, with slashes.

    Attributes:
        root: The folder of pyproject.toml.
        packages: Import names of the packages to scan.
        sources: Folders the packages are looked for in.
        runtime: The importable artifact, `""` for none.
        pages: The folder of the pages, `""` for none.
        typed_context: The typed context, `""` for none.
        services: Service key to `module:Class` for classes others wrote.
        catalogs: Import paths of other packages' catalogs, whose services and events exist too.
        boot: Whether tool plugins are booted for the tool catalog.
        boot_timeout: Seconds one plugin may take to settle.
        suppress: Violations that are accepted.
        prose: Patterns of Markdown pages whose names are checked.
        compositions: Patterns of files that compose plugins, whose keys are checked.
        plugins: The project's own entry points of the group `toolset.plugins`, name to target.
    """

    root: Path
    packages: tuple[str, ...]
    sources: tuple[str, ...] = ("src", ".")
    runtime: str = ""
    pages: str = ""
    typed_context: str = ""
    services: tuple[tuple[str, str], ...] = ()
    catalogs: tuple[str, ...] = ()
    boot: bool = True
    boot_timeout: float = 20.0
    suppress: tuple[Suppression, ...] = ()
    prose: tuple[str, ...] = ("README.md", "docs/**/*.md")
    compositions: tuple[str, ...] = ("cordis.yml",)
    plugins: tuple[tuple[str, str], ...] = ()

    @property
    def file(self) -> Path:
        """The pyproject.toml it was read from."""
        return self.root / "pyproject.toml"

    def module_of(self, path: str) -> str:
        """Name the module that a file below one of the sources is imported as.

        Args:
            path: A path relative to the root, such as `runtime`.

        Returns:
            Its dotted name, `""` for `""`.
        """
        for source in self.sources:
            prefix = "" if source == "." else f"{source}/"
            if path.startswith(prefix):
                return path.removeprefix(prefix).removesuffix(".py").replace("/", ".")
        return ""


def locate(root: Path | None) -> Path:
    """Find the project that a command is about.

    Args:
        root: The folder that was named, None for the one that the current folder belongs to.

    Returns:
        The folder of pyproject.toml, absolute; whether there is one in a named folder is not looked at.

    Raises:
        UsageError: There is none, or the folder cannot be reached.
    """
    try:
        return find_root(Path.cwd()) if root is None else root.resolve()
    except (OSError, RuntimeError) as error:  # a loop of links is a RuntimeError before Python 3.13
        what = "the current folder" if root is None or not root.is_absolute() else repr(str(root))
        raise UsageError(
            f"{what} cannot be reached: {error}; change to a folder that exists, or name one with --root"
        ) from None


def find_root(start: Path) -> Path:
    """Find the project that a folder belongs to.

    Args:
        start: Where to begin.

    Returns:
        The nearest folder at or above `start` with a pyproject.toml.

    Raises:
        UsageError: There is none.
    """
    start = start.resolve()
    for folder in (start, *start.parents):
        if (folder / "pyproject.toml").is_file():
            return folder
    raise UsageError(
        f"no pyproject.toml in {str(start)!r} or above it, so nothing says what to scan; "
        "run inside a project or name it with --root"
    )


def read_config(root: Path) -> Config:
    """Read and check a project's configuration.

    Args:
        root: The folder of pyproject.toml.

    Returns:
        The configuration, defaults filled in.

    Raises:
        ConfigurationError: The file cannot be read, or says something that cannot be used.
    """
    path = root / "pyproject.toml"
    text = _read_text(path)
    try:
        document: Table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(path, (_toml_problem(str(error)),)) from None
    except RecursionError:
        problem = " is nested too deeply to be read; no setting needs that"
        raise ConfigurationError(path, (problem,)) from None
    reader = _Reader(path, text)
    config = _config(reader, root, _find_table(path, document, text))
    reader.finish()
    return config._replace(plugins=tuple(_plugins(document)))


def _read_text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        problem = f" cannot be read: {error.strerror or error}; --root names a folder that has one"
    except UnicodeDecodeError as error:
        problem = f" is not UTF-8 (byte {error.start}); TOML files must be"
    raise ConfigurationError(path, (problem,))


def _toml_problem(message: str) -> str:
    place = re.search(r" \(at line (\d+), column (\d+)\)$", message)
    if place is None:
        return f" is no valid TOML: {message}"
    return f"{place[1]}:{place[2]}: no valid TOML: {message[: place.start()]}"


def line_of(path: Path, key: str) -> int:
    """Find the line that a key of the table stands on.

    Args:
        path: The pyproject.toml.
        key: The key.

    Returns:
        The line, 1-based; 0 when the table does not have the key.
    """
    return _Reader(path, _read_text(path)).line(key)


def _find_table(path: Path, document: Table, text: str) -> Table:
    found: Table = document
    names = TABLE.split(".")
    for depth, name in enumerate(names, 1):
        inner = found.get(name)
        if inner is not None and not isinstance(inner, dict):
            dotted = ".".join(names[:depth])
            line = _line_of_value(text, dotted)
            problem = f" {dotted} must be a table, not {inner!r}; write [{TABLE}]: {_EXAMPLE}"
            raise ConfigurationError(path, (f"{line}:{problem}" if line else problem,))
        if inner is None:
            break
        found = cast("Table", inner)
    else:
        return found
    raise ConfigurationError(
        path,
        (f" has no table [{TABLE}]; add one that says what to scan: {_EXAMPLE}",),
    )


def _line_of_value(text: str, dotted: str) -> int:
    header = ""
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("["):
            header = f"{line.strip().strip('[]')}."
            if header == f"{dotted}.":
                return number
        elif f"{header}{line.partition('=')[0].strip()}".replace('"', "") == dotted:
            return number
    return 0


def _config(reader: _Reader, root: Path, table: Table) -> Config:
    reader.known(table, TABLE, _KEYS)
    get = reader.get
    packages = get(table, "packages", _strings, _NONE)
    if not packages and "packages" not in reader.refused:
        reader.problem(
            "packages",
            'packages is missing or empty; list what to scan, such as packages = ["my_package"]',
        )
    config = Config(
        root=root,
        packages=packages,
        sources=get(table, "sources", _strings, ("src", ".")),
        runtime=reader.path_of(table, "runtime", ".py"),
        pages=reader.path_of(table, "pages", ""),
        typed_context=reader.path_of(table, "typed-context", ".py"),
        services=_services(reader, table),
        catalogs=get(table, "catalogs", _strings, _default_catalogs(packages)),
        boot=get(table, "boot", _boolean, True),
        boot_timeout=get(table, "boot-timeout", _seconds, 20.0),
        suppress=_suppressions(reader, table),
        prose=reader.patterns(table, "prose", Config._field_defaults["prose"]),
        compositions=reader.patterns(table, "compositions", Config._field_defaults["compositions"]),
    )
    if config.runtime and config.runtime == config.typed_context:
        reader.problem("typed-context", "runtime and typed-context are one file; name two")
    return config


_KEYS = (
    "boot",
    "boot-timeout",
    "catalogs",
    "compositions",
    "packages",
    "pages",
    "prose",
    "runtime",
    "services",
    "sources",
    "suppress",
    "typed-context",
)


def _default_catalogs(packages: tuple[str, ...]) -> tuple[str, ...]:
    return () if "toolset" in packages else ("toolset.api_catalog",)


def _services(reader: _Reader, table: Table) -> tuple[tuple[str, str], ...]:
    found = reader.get(table, "services", _table, Table())
    services: list[tuple[str, str]] = []
    for key, target in sorted(found.items()):
        if not key.isidentifier() or iskeyword(key):
            where = key if reader.line(key) else "services"
            reader.problem(
                where, f"services: {key!r} is no identifier, so `ctx.` cannot read it; name it so"
            )
        elif isinstance(target, str) and _TARGET.fullmatch(target):
            services.append((key, target))
        else:
            where = key if reader.line(key) else "services"
            reader.problem(where, f'services.{key} must be "module:Class", not {target!r}')
    return tuple(services)


def _plugins(document: Table) -> Iterator[tuple[str, str]]:
    """Give the entry points that compositions may name; whether they are well-formed is pip's business."""
    table: Table | None = document
    for name in ("project", "entry-points", "toolset.plugins"):
        inner = table.get(name) if table is not None else None
        table = cast("Table", inner) if isinstance(inner, dict) else None
    for name, target in sorted((table or {}).items()):
        if isinstance(target, str):
            yield name, "".join(target.partition("[")[0].split())


def _suppressions(reader: _Reader, table: Table) -> tuple[Suppression, ...]:
    found: list[Suppression] = []
    for number, entry in enumerate(reader.get(table, "suppress", _tables, list[Table]())):
        where = f"suppress[{number}]"
        reader.known(entry, where, Suppression._fields)
        values = [entry.get(name) for name in Suppression._fields]
        texts = [value for value in values if isinstance(value, str) and value.strip()]
        if len(texts) < len(values):
            reader.problem(
                "suppress",
                f"{where} needs rule, target and reason, each a non-empty text; "
                "a violation is accepted for a reason or repaired",
            )
        else:
            found.append(Suppression(*texts))
    return tuple(found)


class _Reader:
    """Takes values out of the table and collects what is wrong with them."""

    def __init__(self, path: Path, text: str) -> None:
        self._path = path
        self._root = path.parent
        self._lines = text.splitlines()
        self._problems: list[str] = []
        self.refused: set[str] = set()

    def problem(self, key: str, message: str) -> None:
        line = self.line(key)
        self.refused.add(key)
        self._problems.append(f"{line}: {message}" if line else f" {message}")

    def known(self, table: Table, where: str, keys: tuple[str, ...]) -> None:
        for key in table:
            if key not in keys:
                from toolset.catalog import nearest  # noqa: PLC0415 - only a mistake needs it

                close = nearest(key, keys, limit=1)
                hint = f"did you mean {close[0]!r}?" if close else f"known are {', '.join(keys)}"
                self.problem(key, f"unknown key {key!r} in [{where}]; {hint}")

    def get(self, table: Table, key: str, read: Callable[[object], T], default: T) -> T:
        if key not in table:
            return default
        try:
            return read(table[key])
        except TypeError as error:
            self.problem(key, f"{key} must be {error}, not {table[key]!r}")
            return default

    def path_of(self, table: Table, key: str, suffix: str) -> str:
        text = self.get(table, key, _string, "")
        path = PurePosixPath(text)
        if text and (path.is_absolute() or ".." in path.parts or "\\" in text):
            self.problem(key, f"{key} must be a path below the project, with slashes, not {text!r}")
        elif text and not path.parts:
            self.problem(key, f"{key} must name something below the project, not {text!r} itself")
        elif text and not text.endswith(suffix):
            self.problem(key, f"{key} must name a {suffix} file, not {text!r}")
        elif text and (blocked := against(self._root, path, is_file=bool(suffix))):
            self.problem(key, f"{key} {blocked}; name another place")
        return path.as_posix() if text else ""

    def patterns(self, table: Table, key: str, default: tuple[str, ...]) -> tuple[str, ...]:
        found = self.get(table, key, _strings, default)
        for text in found:
            path = PurePosixPath(text)
            if path.is_absolute() or ".." in path.parts or "\\" in text:
                self.problem(key, f"{key} must be patterns below the project, not {text!r}")
            elif not path.parts or any("**" in part and part != "**" for part in path.parts):
                self.problem(key, f"{key} has a pattern in which `**` is no whole part: {text!r}")
            elif key in table and not set(text) & set("*?[") and not holds_file(self._root, path):
                self.problem(key, f"{key}: {text!r} matches no file; correct it, or take it out")
        return found

    def finish(self) -> None:
        if self._problems:
            raise ConfigurationError(self._path, tuple(self._problems))

    def line(self, key: str) -> int:
        """Find the line that a key stands on; tomllib tells none."""
        inside = False
        wanted = re.compile(
            rf'\s*"?{re.escape(key)}"?\s*=|\[+{re.escape(TABLE)}\.{re.escape(key)}\]'
        )
        for number, line in enumerate(self._lines, 1):
            if line.startswith("["):
                inside = line.startswith((f"[{TABLE}", f"[[{TABLE}"))
            if inside and wanted.match(line):
                return number
        return 0


def _string(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise TypeError("a non-empty text")
    return value


def _boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError("true or false")
    return value


_LONGEST = 3600


def _seconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= _LONGEST:
        raise TypeError("a number of seconds above 0, 3600 at most")
    return float(value)


def _strings(value: object) -> tuple[str, ...]:
    items = cast("list[object]", value) if isinstance(value, list) else None
    texts = [item for item in items or () if isinstance(item, str) and item]
    if items is None or len(texts) < len(items):
        raise TypeError("a list of non-empty texts")
    return tuple(dict.fromkeys(texts))


def _table(value: object) -> Table:
    if not isinstance(value, dict):
        raise TypeError("a table")
    return cast("Table", value)


def _tables(value: object) -> list[Table]:
    items = cast("list[object]", value) if isinstance(value, list) else None
    if items is None or not all(isinstance(item, dict) for item in items):
        raise TypeError("an array of tables")
    return cast("list[Table]", items)
