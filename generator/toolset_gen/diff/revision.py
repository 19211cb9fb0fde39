"""The catalog of a git revision, and that of the sources as they are."""

# Maintainers: the revision's catalog is the committed api-catalog.json: the gate holds it equal to
# the sources of its commit, and reading it needs neither those sources nor their dependencies. What
# is compared with it is built from the sources on the disk, so a stale artifact hides nothing.

from __future__ import annotations

import json
import os
import subprocess
import tomllib
import types
import typing
from typing import Literal, TypeAlias, cast, get_args, get_origin

from toolset.catalog import SCHEMA_VERSION, Catalog
from toolset_gen.artifacts import COMMAND, read_bytes
from toolset_gen.build import build
from toolset_gen.cache import Cache
from toolset_gen.config import Config
from toolset_gen.diagnostics import is_unreadable
from toolset_gen.errors import GeneratorError, UsageError
from toolset_gen.gate import find_sources, recall
from toolset_gen.render.json_form import JSON_TEXT, RENAMED

__all__ = ["RevisionError", "UnreadableError", "current_catalog", "read_catalog"]

_Json: TypeAlias = "dict[str, object]"
_NAME = "api-catalog.json"
_LEAVING_OUT = frozenset({"EVT016", "EVT018", "PLG006", "PLG008", "SVC012", "SVC013", "SVC014"})
_PLAIN: tuple[type, ...] = (str, bool, int)


class RevisionError(UsageError):
    """There is no catalog to compare with.

    Args:
        revision: The revision that was asked for.
        why: What stands in the way, and the way out.
    """

    def __init__(self, revision: str, why: str) -> None:
        self.revision = revision
        self.why = why
        super().__init__(f"cannot compare with revision {revision!r}: {why}")


class UnreadableError(GeneratorError):
    """The sources are at fault in a way that keeps something out of their catalog.

    Args:
        places: Each place at fault, with what is wrong there.
    """

    def __init__(self, places: tuple[str, ...]) -> None:
        self.places = places
        super().__init__(
            "what the sources say is not known whole, so nothing is compared, or what is only "
            "unknown would seem removed; repair them first:\n" + "\n".join(places)
        )


def read_catalog(config: Config, revision: str) -> Catalog:
    """Read the catalog that was committed with a revision.

    Args:
        config: The project's configuration.
        revision: Whatever git takes for a commit.

    Returns:
        The catalog.

    Raises:
        RevisionError: There is no such revision, or no catalog in it that can be read.
    """
    if not config.pages:
        raise RevisionError(
            revision, f"`pages` is not set, so no {_NAME} is committed; set it and commit one"
        )
    commit = _commit(config, revision)
    for pages in dict.fromkeys((config.pages, _pages_of(config, revision, commit))):
        path = f"{pages}/{_NAME}"
        data = _blob(config, revision, commit, path) if pages else None
        if data is not None:
            return _parse(revision, path, data)
    why = f"it has no {config.pages}/{_NAME}; name a revision in which the catalog was committed"
    raise RevisionError(revision, why)


def _commit(config: Config, revision: str) -> str:
    """Find the commit that a revision names."""
    shallow = _git(config, revision, "rev-parse", "--is-shallow-repository")
    if shallow.returncode:
        said = " ".join(shallow.stderr.decode("utf-8", "replace").split("\n", 1)[0].split())
        raise RevisionError(revision, _no_repository(config, said))
    found = _git(
        config, revision, "rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}"
    )
    if not found.returncode:
        return found.stdout.decode().strip()
    if shallow.stdout.strip() == b"true":
        why = (
            "this clone is shallow and does not reach it; run `git fetch --unshallow`, or fetch it: "
            "`fetch-depth: 0` of actions/checkout does"
        )
    else:
        why = "git knows no such commit; name one, such as HEAD~1"
    raise RevisionError(revision, why)


def _no_repository(config: Config, said: str) -> str:
    if "not a git repository" in said:
        return f"{str(config.root)!r} is in no git repository"
    return f"git cannot be asked in {str(config.root)!r}: {said}"


def _pages_of(config: Config, revision: str, commit: str) -> str:
    """Read where the pages were by the configuration of then, `""` when that does not say."""
    data = _blob(config, revision, commit, config.file.name)
    try:
        found: object = tomllib.loads(data.decode("utf-8-sig")) if data is not None else {}
    except (ValueError, RecursionError):
        return ""
    for name in ("tool", "toolset", "catalog", "pages"):
        found = cast("_Json", found).get(name) if isinstance(found, dict) else None
    return found.rstrip("/") if isinstance(found, str) else ""


def _blob(config: Config, revision: str, commit: str, path: str) -> bytes | None:
    """Read a file of a commit, None when it has none."""
    done = _git(config, revision, "cat-file", "blob", f"{commit}:./{path}")
    return None if done.returncode else done.stdout


def _git(config: Config, revision: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(  # noqa: S603 - arguments are no shell's, the revision no option
            ["git", *arguments],  # noqa: S607 - whichever git the user has
            cwd=config.root,
            capture_output=True,
            check=False,
            env={**os.environ, "LC_ALL": "C"},
        )
    except FileNotFoundError:
        raise RevisionError(revision, "git is not installed") from None
    except (OSError, ValueError) as error:  # a file of that name that cannot be run, a NUL
        raise RevisionError(revision, f"git cannot be run: {error}") from None


def _parse(revision: str, path: str, data: bytes) -> Catalog:
    try:
        document = cast("_Json", json.loads(data))
        version = document.get("schema_version")
    except (ValueError, AttributeError, RecursionError):
        raise RevisionError(revision, f"its {path} is not what `{COMMAND}` wrote") from None
    if version != SCHEMA_VERSION:
        why = f"its {path} has schema version {version!r}, this generator reads {SCHEMA_VERSION}"
        raise RevisionError(revision, why)
    try:
        return cast("Catalog", _record(Catalog, document))
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        raise RevisionError(revision, f"its {path} is not what `{COMMAND}` wrote") from None


def _record(record: type, values: _Json) -> tuple[object, ...]:
    """Read a record; a field that was not there yet has its default."""
    hints = typing.get_type_hints(record)
    arguments: _Json = {}
    for name in cast("tuple[str, ...]", getattr(record, "_fields", ())):
        key = RENAMED.get(name, name)
        if key not in values:
            continue
        if (record, name) in JSON_TEXT:
            value = values[key]
            arguments[name] = "" if value is None else json.dumps(value, sort_keys=True)
        else:
            arguments[name] = _value(hints[name], values[key])
    return cast("tuple[object, ...]", record(**arguments))


def _value(hint: object, value: object) -> object:
    origin, arguments = get_origin(hint), cast("tuple[object, ...]", get_args(hint))
    if value is None or origin is Literal:
        return value
    if origin is tuple:
        if not isinstance(value, list):
            raise TypeError(value)
        return tuple(_value(arguments[0], item) for item in cast("list[object]", value))
    if origin in {types.UnionType, typing.Union}:
        return _value(next(one for one in arguments if one is not type(None)), value)
    kind = cast("type", hint)
    if kind in _PLAIN:
        if not isinstance(value, kind):
            raise TypeError(value)
        return value
    return _record(kind, cast("_Json", value))


def current_catalog(config: Config) -> Catalog:
    """Read the catalog of the sources as they are: with violations, unless one leaves something out.

    Args:
        config: The project's configuration.

    Returns:
        The catalog.

    Raises:
        UnreadableError: A file cannot be read, a tool plugin does not become active, or a declaration
            is written so that the catalog cannot list it.
        GeneratorError: The configuration cannot be served.
    """
    sources = find_sources(config)
    path = f"{config.pages}/{_NAME}"
    known = recall(config, sources)
    data = read_bytes(config.root / path) if known is not None else None
    if data is None:
        cache = Cache(config.root)
        built = build(config, sources, cache.snippets())
        places = tuple(
            f"{d.path}:{d.line}: {d.rule}: {d.message}; {d.remedy}"
            for d in built.diagnostics
            if is_unreadable(d) or d.rule in _LEAVING_OUT
        )
        if places:
            raise UnreadableError(places)
        data = built.artifacts[path]
    return _parse("the working tree", path, data)
