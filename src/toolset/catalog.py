"""The data model of a catalog: records, and how catalogs are loaded, merged and asked.

A catalog says what the typed services, events, plugins, configurations and tools of one or
more packages look like. `toolset_gen` writes it, `toolset.cordis` reads it.
"""

# Maintainers: this module is the lowest layer. It answers for the shape of the records alone: it
# knows neither where facts come from (toolset_gen) nor what is live (toolset.cordis).
# Invariants: records are immutable and hold only str, bool, int, None, tuples and records, so that
# a generated module can spell them out and two Pythons write the same bytes. A field is added at
# the end with a default; changing or removing one raises SCHEMA_VERSION.

from __future__ import annotations

import difflib
import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Generic, Literal, NamedTuple, TypeAlias, TypeVar

__all__ = [
    "SCHEMA_VERSION",
    "Catalog",
    "ConfigEntry",
    "Deprecation",
    "Entries",
    "EventEntry",
    "EventMode",
    "Field",
    "Member",
    "MemberKind",
    "Parameter",
    "ParameterKind",
    "PluginEntry",
    "Raised",
    "Returns",
    "ServiceEntry",
    "Signature",
    "ToolEntry",
    "TypeEntry",
    "TypeKind",
    "load",
    "merge",
    "nearest",
    "type_closure",
]

SCHEMA_VERSION = 1

T_co = TypeVar("T_co", covariant=True)

EventMode: TypeAlias = Literal["emit", "parallel", "serial", "bail", "waterfall"]
ParameterKind: TypeAlias = Literal[
    "positional-only", "positional-or-keyword", "var-positional", "keyword-only", "var-keyword"
]
MemberKind: TypeAlias = Literal[
    "function",
    "coroutine",
    "generator",
    "async generator",
    "context manager",
    "async context manager",
    "property",
    "cached property",
    "attribute",
    "class variable",
]
TypeKind: TypeAlias = Literal[
    "class",
    "dataclass",
    "model",
    "enum",
    "named tuple",
    "typed dict",
    "protocol",
    "exception",
    "alias",
]


class Parameter(NamedTuple):
    """One parameter of a function.

    Attributes:
        name: Its name, without stars.
        kind: How it is passed, in the words of `inspect.Parameter`.
        annotation: Source text of its annotation, `""` without one.
        default: Source text of its default, `""` without one.
        required: Whether a call must pass it.
        description: Its `Args:` entry.
        type_refs: Canonical import paths of the names in its annotation, in order.
        base_type: What `Annotated` wraps, else `""`.
        metadata: Source text of what `Annotated` adds, in order.
    """

    name: str
    kind: ParameterKind = "positional-or-keyword"
    annotation: str = ""
    default: str = ""
    required: bool = True
    description: str = ""
    type_refs: tuple[str, ...] = ()
    base_type: str = ""
    metadata: tuple[str, ...] = ()


class Returns(NamedTuple):
    """What a call gives.

    Attributes:
        annotation: Source text of the return annotation, or of an attribute's type.
        description: The `Returns:` (or `Yields:`) text.
        type_refs: Canonical import paths of the names in the annotation, in order.
        item: What one step of a generator yields, or what a context manager gives; else `""`.
        base_type: What `Annotated` wraps, else `""`.
        metadata: Source text of what `Annotated` adds, in order.
    """

    annotation: str = ""
    description: str = ""
    type_refs: tuple[str, ...] = ()
    item: str = ""
    base_type: str = ""
    metadata: tuple[str, ...] = ()


class Raised(NamedTuple):
    """One `Raises:` entry.

    Attributes:
        type: The exception as written.
        path: Its canonical import path, `""` when it resolves to nothing.
        description: When it is raised.
    """

    type: str
    path: str = ""
    description: str = ""


class Deprecation(NamedTuple):
    """That something should no longer be used.

    Attributes:
        message: What to use instead.
        since: The version that deprecated it, `""` when not said.
    """

    message: str = ""
    since: str = ""


class Signature(NamedTuple):
    """One of several signatures of an overloaded function.

    Attributes:
        text: The signature in canonical form, one line: `async get(key: str) -> str`.
        parameters: Its parameters, without the bound one.
        returns: What this overload gives.
    """

    text: str
    parameters: tuple[Parameter, ...] = ()
    returns: Returns = Returns()


class Member(NamedTuple):
    """A public method, property or attribute of a class, or a public function.

    Attributes:
        name: Its name.
        kind: What it is and so how it is used: a `coroutine` is awaited, an `async generator` is
            iterated with `async for`, an `async context manager` is entered with `async with`.
        signature: Canonical one-line form; for attributes and properties `name: type`.
        signatures: Every overload, in source order; empty when there is one signature.
        parameters: Its parameters, without the bound one; of an overloaded member the union by name.
        returns: What a call gives, or the type of an attribute.
        raises: What it may raise.
        summary: First line of its docstring.
        description: Docstring prose after the summary, sections removed.
        binding: What the first, omitted parameter is bound to.
        default: Source text of an attribute's value.
        read_only: Whether a property or attribute cannot be set.
        awaited: Whether a property's value must be awaited.
        inherited_from: Canonical path of the class that defines it, when it is not its own.
        doc_inherited_from: Canonical path of the member whose docstring it shows, when not its own.
        deprecated: Set when it should no longer be used.
        path: Canonical path of the definition.
    """

    name: str
    kind: MemberKind
    signature: str
    signatures: tuple[Signature, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    returns: Returns = Returns()
    raises: tuple[Raised, ...] = ()
    summary: str = ""
    description: str = ""
    binding: Literal["instance", "class", "static", "module"] = "instance"
    default: str = ""
    read_only: bool = False
    awaited: bool = False
    inherited_from: str = ""
    doc_inherited_from: str = ""
    deprecated: Deprecation | None = None
    path: str = ""


class Field(NamedTuple):
    """One field of a dataclass, pydantic model, typed dict or named tuple; one member of an enum.

    Attributes:
        name: Its name in Python.
        annotation: Source text of its type, without `Annotated`, `Required`, `InitVar` wrappers.
        required: Whether it must be given.
        default: Source text of its default; the callable of a factory; an enum member's value.
        factory: Whether `default` names a callable that makes the default.
        constraints: Source text of its constraints, sorted: `("ge=1", "le=65535")`.
        key: Its key in input data when that is not its name.
        description: What it means.
        init: Whether the constructor takes it.
        type_refs: Canonical import paths of the names in its type, in order.
    """

    name: str
    annotation: str = ""
    required: bool = True
    default: str = ""
    factory: bool = False
    constraints: tuple[str, ...] = ()
    key: str = ""
    description: str = ""
    init: bool = True
    type_refs: tuple[str, ...] = ()


class ServiceEntry(NamedTuple):
    """A service: the class whose instance is provided under a key.

    Attributes:
        key: The key it is provided under.
        class_name: Name of the class (`class` in JSON).
        path: Public import path of the class.
        summary: First line of the class's docstring.
        description: The rest of its prose.
        members: Public members: own ones in source order, then inherited ones.
        plugin: Name of the plugin that provides it, `""` when none is known.
        deprecated: Set when it should no longer be used.
        constructor: How a host makes an instance of a class that others wrote; None for a `Service`,
            which the runtime makes.
    """

    key: str
    class_name: str
    path: str
    summary: str = ""
    description: str = ""
    members: tuple[Member, ...] = ()
    plugin: str = ""
    deprecated: Deprecation | None = None
    constructor: Member | None = None


class EventEntry(NamedTuple):
    """A declared event.

    Attributes:
        name: `scope/name`.
        mode: The verb it is dispatched with.
        is_async: Whether its declaration is `async def`.
        signature: The listener's signature, canonical one-line form, without `async`'s body.
        parameters: The listener's parameters; of a waterfall the last one is `next`.
        returns: What a listener returns.
        summary: First line of the declaration's docstring.
        description: The rest of its prose.
        path: Public import path of the declaration.
        producers: Canonical paths of the functions that dispatch it, sorted.
        listeners: Canonical paths of the functions that listen to it, sorted.
        deprecated: Set when it should no longer be used.
    """

    name: str
    mode: EventMode
    is_async: bool
    signature: str
    parameters: tuple[Parameter, ...] = ()
    returns: Returns = Returns()
    summary: str = ""
    description: str = ""
    path: str = ""
    producers: tuple[str, ...] = ()
    listeners: tuple[str, ...] = ()
    deprecated: Deprecation | None = None

    @property
    def scope(self) -> str:
        """The part of the name before the slash."""
        return self.name.partition("/")[0]


class TypeEntry(NamedTuple):
    """A type that a public signature refers to.

    Attributes:
        name: Its name.
        path: Public import path.
        kind: What kind of class or alias it is.
        declaration: Its shape as Python text: fields and signatures, no bodies.
        summary: First line of its docstring.
        description: The rest of its prose.
        fields: Fields of a record type, members of an enum.
        members: Public methods, properties and class variables.
        type_refs: Canonical import paths of every name its declaration uses, sorted.
        frozen: Whether instances are immutable.
        truncated: Whether `declaration` was cut.
        constructor: How it is called to make an instance, None when it is not.
    """

    name: str
    path: str
    kind: TypeKind
    declaration: str
    summary: str = ""
    description: str = ""
    fields: tuple[Field, ...] = ()
    members: tuple[Member, ...] = ()
    type_refs: tuple[str, ...] = ()
    frozen: bool = False
    truncated: bool = False
    constructor: Member | None = None


class PluginEntry(NamedTuple):
    """A plugin that the scanned packages define.

    Attributes:
        name: Its display name.
        path: Import path: a module, or `module:attribute`.
        inject: Required service keys, sorted.
        optional: Optional service keys, sorted.
        provides: Service keys it provides, sorted.
        config: Public import path of its configuration model, `""` without one.
        kind: `config` (it has fields to set), `no config`, `seam` (it only provides a base others
            build on) or `library` (importable, not mounted by itself).
        summary: First line of its docstring.
        tools: Names of the tools it registers when mounted with its default configuration, sorted.
    """

    name: str
    path: str
    inject: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    provides: tuple[str, ...] = ()
    config: str = ""
    kind: Literal["config", "no config", "seam", "library"] = "no config"
    summary: str = ""
    tools: tuple[str, ...] = ()


class ConfigEntry(NamedTuple):
    """A plugin's configuration model.

    Attributes:
        plugin: Display name of the plugin.
        path: Public import path of the model.
        declaration: The model as declared, as Python text.
        fields: Its fields in order.
        summary: First line of its docstring.
        extra: What happens to unknown keys: `forbid`, `ignore` or `allow`.
    """

    plugin: str
    path: str
    declaration: str
    fields: tuple[Field, ...] = ()
    summary: str = ""
    extra: str = "ignore"


class ToolEntry(NamedTuple):
    """A model-facing tool, as a booted plugin registered it.

    Attributes:
        name: The name a model calls it by.
        plugin: Display name of the plugin that registered it.
        description: What the model is told.
        parameters: JSON Schema of its arguments, as JSON text with sorted keys.
        output: JSON Schema of its value, as JSON text with sorted keys; `""` without one.
    """

    name: str
    plugin: str
    description: str
    parameters: str
    output: str = ""


class Catalog(NamedTuple):
    """Everything that one or more packages declare, each sequence sorted by its name.

    Attributes:
        services: Services by key.
        events: Events by name.
        types: Types by import path.
        plugins: Plugins by name.
        configs: Configuration models by plugin name.
        tools: Tools by name.
        context: The `ctx` API that every plugin inherits.
    """

    services: tuple[ServiceEntry, ...] = ()
    events: tuple[EventEntry, ...] = ()
    types: tuple[TypeEntry, ...] = ()
    plugins: tuple[PluginEntry, ...] = ()
    configs: tuple[ConfigEntry, ...] = ()
    tools: tuple[ToolEntry, ...] = ()
    context: tuple[Member, ...] = ()


class Entries(Mapping[str, T_co], Generic[T_co]):
    """A read-only mapping whose values are built on first use, one function an entry.

    Args:
        builders: Name to function; the mapping keeps its order.
    """

    __slots__ = ("_builders", "_built")

    def __init__(self, builders: Mapping[str, Callable[[], T_co]]) -> None:
        self._builders = dict(builders)
        self._built: dict[str, T_co] = {}

    def __getitem__(self, name: str) -> T_co:
        try:
            return self._built[name]
        except KeyError:
            value = self._built[name] = self._builders[name]()
            return value

    def __iter__(self) -> Iterator[str]:
        return iter(self._builders)

    def __len__(self) -> int:
        return len(self._builders)

    def __repr__(self) -> str:
        return f"<Entries: {', '.join(self._builders) or 'none'}>"


def load(modules: Iterable[str]) -> Catalog:
    """Import generated catalog modules and merge them.

    Args:
        modules: Import paths, such as `toolset.api_catalog`.

    Returns:
        One catalog; of two entries with one name the first module's stands.

    Raises:
        ImportError: A module cannot be imported.
        ValueError: A module is no generated catalog, or was written for another schema version.
    """
    return merge(_read(name) for name in modules)


def _read(name: str) -> Catalog:
    module = importlib.import_module(name)
    version: object = getattr(module, "SCHEMA_VERSION", None)
    if version is None:
        raise ValueError(
            f"module {name!r} is not a generated catalog; name the file that "
            "`toolset catalog generate` wrote as `runtime`"
        )
    if version != SCHEMA_VERSION:
        raise ValueError(
            f"catalog {name!r} has schema version {version!r}, this toolset reads "
            f"{SCHEMA_VERSION}; regenerate it with `toolset catalog generate`"
        )
    return Catalog(
        services=tuple(module.SERVICE_API.values()),
        events=tuple(module.EVENT_API.values()),
        types=tuple(module.TYPE_API.values()),
        plugins=tuple(module.PLUGIN_API.values()),
        context=tuple(module.INHERITED_CTX_API),
    )


def merge(catalogs: Iterable[Catalog]) -> Catalog:
    """Make one catalog of several.

    Args:
        catalogs: Catalogs in order of precedence.

    Returns:
        Their union, sorted; of two entries with one name the first stands.
    """
    parts = tuple(catalogs)
    return Catalog(
        services=_union((e.key, e) for part in parts for e in part.services),
        events=_union((e.name, e) for part in parts for e in part.events),
        types=_union((e.path, e) for part in parts for e in part.types),
        plugins=_union((e.name, e) for part in parts for e in part.plugins),
        configs=_union((e.plugin, e) for part in parts for e in part.configs),
        tools=_union((e.name, e) for part in parts for e in part.tools),
        context=next((part.context for part in parts if part.context), ()),
    )


_E = TypeVar("_E")


def _union(pairs: Iterable[tuple[str, _E]]) -> tuple[_E, ...]:
    first: dict[str, _E] = {}
    for name, entry in pairs:
        first.setdefault(name, entry)
    return tuple(first[name] for name in sorted(first))


_LONGEST_MEANT = 200  # comparing takes the square of the length


def nearest(name: str, candidates: Iterable[str], *, limit: int = 3) -> tuple[str, ...]:
    """Find what somebody who wrote `name` may have meant.

    Args:
        name: The name that nothing knows.
        candidates: The names that exist.
        limit: How many to give at most.

    Returns:
        The closest candidates, best first; empty when none is close.
    """
    if len(name) > _LONGEST_MEANT:
        return ()
    known = sorted(set(candidates))
    found = difflib.get_close_matches(name, known, n=limit, cutoff=0.6)
    folded = name.casefold().replace("_", "").replace("-", "")
    same = [c for c in known if c.casefold().replace("_", "").replace("-", "") == folded]
    return tuple(dict.fromkeys([*same, *found]))[:limit]


def type_closure(catalog: Catalog, refs: Iterable[str]) -> tuple[TypeEntry, ...]:
    """Collect the types that signatures refer to, and the types those refer to.

    Args:
        catalog: Where the types are described.
        refs: Canonical import paths to start from; those the catalog does not know are left out.

    Returns:
        The types, sorted by path, each once.
    """
    known = {entry.path: entry for entry in catalog.types}
    found: dict[str, TypeEntry] = {}
    queue = list(refs)
    while queue:
        path = queue.pop()
        entry = known.get(path)
        if entry is not None and path not in found:
            found[path] = entry
            queue.extend(entry.type_refs)
    return tuple(found[path] for path in sorted(found))
