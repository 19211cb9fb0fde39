"""What extraction hands on: the catalog, and the facts that rules need and the catalog drops.

`SourceModel` is the whole result. Everything in it is immutable and compares by value; places are
posix paths relative to the project root, with 1-based lines.
"""

# Maintainers: the boundary between extraction and the rules. Extraction states facts here and
# judges nothing but what makes facts unknowable (unreadable files, names that are not constant, two
# declarations of one name): those are `diagnostics`. Invariant: every sequence is sorted by place,
# so that equal sources give an equal model whatever the order of files. Lines live here alone,
# never in the catalog.

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

from toolset.catalog import Catalog, Parameter
from toolset_gen.diagnostics import Diagnostic

__all__ = [
    "Declaration",
    "DeclarationKind",
    "DocFact",
    "DocFactKind",
    "Listener",
    "Location",
    "Role",
    "Site",
    "SiteKind",
    "SourceModel",
    "TypeFact",
    "TypeFactKind",
]

SiteKind: TypeAlias = Literal["dispatch", "listen", "mention", "provide", "read", "inject", "mount"]
DeclarationKind: TypeAlias = Literal[
    "service", "event", "plugin", "config", "type", "member", "field"
]
Role: TypeAlias = Literal["service", "event", "type", "config", "plugin", "context"]
DocFactKind: TypeAlias = Literal[
    "no docstring",
    "no prose",
    "undocumented parameter",
    "empty entry",
    "unknown entry",
    "malformed entry",
    "type disagreement",
    "no returns",
    "unresolved raise",
    "no annotation",
    "no return annotation",
    "undocumented attribute",
    "undocumented field",
]
TypeFactKind: TypeAlias = Literal["unresolved", "private", "ambiguous", "truncated"]


class Location(NamedTuple):
    """A place in a source file.

    Attributes:
        path: The file, posix, relative to the project root.
        line: The line, 1-based.
    """

    path: str
    line: int


class Listener(NamedTuple):
    """What a listen site registers, as far as it can be told from the source.

    Attributes:
        path: Canonical path of the function; `module.<lambda>` for a lambda.
        location: Where it is defined.
        parameters: What it can still be called with: the bound parameter of a method and what
            `functools.partial` has filled are gone.
        is_async: Whether calling it gives a coroutine.
        returns: Source text of its return annotation, `""` without one.
    """

    path: str
    location: Location
    parameters: tuple[Parameter, ...]
    is_async: bool = False
    returns: str = ""


class Site(NamedTuple):
    """One place that uses an event, a service or a plugin.

    Attributes:
        kind: `dispatch` and `listen` are about events, `mention` names one where nobody follows it,
            `provide`, `read` and `inject` about service
            keys, `mount` about plugins.
        verb: The method called (`emit`, `parallel`, `serial`, `bail`, `waterfall`, `on`, `once`,
            `provide`, `get`, `plugin`), `attribute` for `ctx.key`, and for `inject` sites `required`
            or `optional`.
        name: Event name, service key, or canonical path of the mounted plugin; None when the source
            does not say it as a constant.
        text: Source text of the expression that says it.
        location: Where.
        function: Canonical path of the enclosing function or class, else of the module.
        event: Canonical path of the event's declaration when the site names the `Event` object and
            not its wire name; `""` otherwise.
        plugin: Import path of the plugin whose code this is (`PluginEntry.path`), `""` when none is.
        arguments: How many positional arguments a dispatch passes after the event (the inner default
            of a waterfall included), -1 when a starred argument hides it.
        listener: Of a listen site, the listener when it can be resolved.
        via: Of an event that is given to a helper, where the verb stands, the site itself when nobody
            can tell; None when the site has the verb.
    """

    kind: SiteKind
    verb: str
    name: str | None
    text: str
    location: Location
    function: str
    event: str = ""
    plugin: str = ""
    arguments: int = 0
    listener: Listener | None = None
    via: Location | None = None


class Declaration(NamedTuple):
    """One declaration of something that has a name, duplicates included.

    Attributes:
        kind: What is declared.
        name: Service key, event name, plugin name, plugin name of a configuration, type name.
        path: Canonical path of the definition.
        location: Where it is declared.
    """

    kind: DeclarationKind
    name: str
    path: str
    location: Location


class DocFact(NamedTuple):
    """One thing that a docstring or signature does not say, or says wrongly.

    Attributes:
        kind: What is amiss.
        role: As what the catalog lists the thing.
        subject: Canonical path of the class, function, attribute or field.
        name: The parameter, exception or field it is about, `""` for the subject as a whole.
        location: The entry's line when there is an entry, else the definition's.
        found: What stands there (a docstring's type), `""` when nothing does.
        expected: What should (the annotation), `""` when that is not one text.
    """

    kind: DocFactKind
    role: Role
    subject: str
    name: str
    location: Location
    found: str = ""
    expected: str = ""


class TypeFact(NamedTuple):
    """One thing that is amiss with a type in a public signature.

    Attributes:
        kind: `unresolved` (no such name), `private` (no public import path), `ambiguous` (another
            catalogued type has the same name), `truncated` (its declaration was cut).
        name: The name as written in the signature; of a type itself, its name.
        path: Canonical path, `""` when unresolved.
        location: The use for `unresolved` and `private`, else the type's definition.
        subject: Canonical path of the member that uses it, `""` when the fact is of the type.
        others: Of an ambiguous name, the import paths of the other types, sorted.
    """

    kind: TypeFactKind
    name: str
    path: str
    location: Location
    subject: str = ""
    others: tuple[str, ...] = ()


class SourceModel(NamedTuple):
    """Everything that the sources say.

    Attributes:
        catalog: Services, events, types, plugins, configurations and the context's API; no tools.
        diagnostics: What made facts unknowable: syntax errors and unreadable files (`SRC…`), names
            that are not constant, two declarations of one event or service key.
        sites: Every dispatch, listen, provide, read, inject and mount site.
        declarations: Every declaration of a service, event, plugin, configuration and type.
        doc_facts: What docstrings and signatures lack.
        type_facts: What is amiss with types in signatures.
        locations: Canonical path to place, for every catalogued definition, member and field.
        public: Canonical path to public import path, where the two differ.
    """

    catalog: Catalog
    diagnostics: tuple[Diagnostic, ...] = ()
    sites: tuple[Site, ...] = ()
    declarations: tuple[Declaration, ...] = ()
    doc_facts: tuple[DocFact, ...] = ()
    type_facts: tuple[TypeFact, ...] = ()
    locations: Mapping[str, Location] = MappingProxyType({})
    public: Mapping[str, str] = MappingProxyType({})
