"""What one module says by itself: names resolved through its own imports, nothing linked yet."""

# Maintainers: the shape of what the reader makes of a file. Invariants: picklable, independent of
# every other module, holds no syntax nodes; it can be computed in another process and cached under
# the file's hash. Raise READER_VERSION when its meaning changes. A "path" here is dotted and
# absolute as far as this module alone can tell; the library follows it on.

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias, Union

from toolset.catalog import Deprecation, ParameterKind
from toolset_gen.diagnostics import Diagnostic
from toolset_gen.extract.values import RawFlow

__all__ = [
    "READER_VERSION",
    "Doc",
    "DocEntry",
    "Expr",
    "ExprKind",
    "RawAnnotation",
    "RawClass",
    "RawDefinition",
    "RawFunction",
    "RawListener",
    "RawMaking",
    "RawModule",
    "RawParameter",
    "RawSite",
    "RawUses",
    "RawVariable",
    "ReadResult",
]

READER_VERSION = 4

ExprKind: TypeAlias = Literal[
    "string", "constant", "name", "call", "sequence", "mapping", "lambda", "none", "other"
]
RawDefinition: TypeAlias = Union["RawFunction", "RawClass", "RawVariable"]


class DocEntry(NamedTuple):
    """One entry of a docstring section.

    Attributes:
        name: What it is about; several exceptions become several entries.
        type: The type it gives in parentheses, `""` without one.
        text: Its description.
        line: Its line in the file.
    """

    name: str
    type: str
    text: str
    line: int


class Doc(NamedTuple):
    """A parsed docstring.

    Attributes:
        summary: Its first paragraph on one line.
        description: The rest of the prose, sections that are not understood included.
        parameters: `Args:` and `Keyword Args:` entries.
        attributes: `Attributes:` entries.
        raises: `Raises:` entries.
        returns: `Returns:` text.
        yields: `Yields:` text.
        has_returns: Whether there is a `Returns:` or `Yields:` section at all.
        malformed: Lines inside `Args:` that are no entry.
        deprecated: What it says about deprecation.
        line: Line of the docstring.
    """

    summary: str = ""
    description: str = ""
    parameters: tuple[DocEntry, ...] = ()
    attributes: tuple[DocEntry, ...] = ()
    raises: tuple[DocEntry, ...] = ()
    returns: str = ""
    yields: str = ""
    has_returns: bool = False
    malformed: tuple[DocEntry, ...] = ()
    deprecated: Deprecation | None = None
    line: int = 0


class Expr(NamedTuple):
    """An expression, as far as anybody asks about it.

    Attributes:
        text: Its source on one line.
        kind: What it is.
        value: The text of a string literal.
        path: Of a name, what it refers to; of a call, what is called.
        args: Positional arguments of a call; elements of a sequence; values of a mapping.
        keywords: Keyword arguments of a call; constant keys of a mapping with their values.
        starred: Whether `*` or `**` hides some of them.
        line: Its line.
    """

    text: str
    kind: ExprKind = "other"
    value: str = ""
    path: str = ""
    args: tuple[Expr, ...] = ()
    keywords: tuple[tuple[str, Expr], ...] = ()
    starred: bool = False
    line: int = 0

    def keyword(self, name: str) -> Expr | None:
        """Find a keyword argument.

        Args:
            name: Its name.

        Returns:
            Its value, None when it is not passed.
        """
        return next((value for key, value in self.keywords if key == name), None)


class RawAnnotation(NamedTuple):
    """A type annotation.

    Attributes:
        text: Its source on one line, outer quotes of strings removed.
        inner: The same without `ClassVar`, `Required`, … and `Annotated` around it.
        refs: Paths of the names in it, in order, metadata left out; an unknown name is `?name`.
        base: What `Annotated` wraps, `""` when it does not.
        metadata: What `Annotated` adds.
        qualifiers: Last names of the qualifiers around it: `ClassVar`, `InitVar`, `Required`, …
        item: Text of the first type argument of `inner`, `""` without one.
        head: Of a variable's: what `inner` is, arguments and `None` left out, when it is one name.
        optional: Whether `None` was left out there.
        wrapped: What `Annotated[…] | None` has beside `None`.
    """

    text: str
    inner: str
    refs: tuple[str, ...] = ()
    base: str = ""
    metadata: tuple[Expr, ...] = ()
    qualifiers: tuple[str, ...] = ()
    item: str = ""
    head: str = ""
    optional: bool = False
    wrapped: RawAnnotation | None = None


class RawParameter(NamedTuple):
    """A parameter.

    Attributes:
        name: Its name.
        kind: How it is passed.
        annotation: Its annotation.
        default: Source of its default, None without one.
        line: Its line.
    """

    name: str
    kind: ParameterKind
    annotation: RawAnnotation | None
    default: str | None
    line: int


class RawFunction(NamedTuple):
    """A function or method.

    Attributes:
        name: Its name.
        line: Line of its `def`.
        is_async: Whether it is `async def`.
        is_generator: Whether its own body yields.
        decorators: Its decorators.
        parameters: All parameters, the bound one included.
        returns: Its return annotation.
        doc: Its docstring.
        overloads: The functions marked `overload` before it.
        is_overload: Whether it stands for overloads without an implementation.
        setter: Whether the property it is can be set.
    """

    name: str
    line: int
    is_async: bool = False
    is_generator: bool = False
    decorators: tuple[Expr, ...] = ()
    parameters: tuple[RawParameter, ...] = ()
    returns: RawAnnotation | None = None
    doc: Doc | None = None
    overloads: tuple[RawFunction, ...] = ()
    is_overload: bool = False
    setter: bool = False


class RawVariable(NamedTuple):
    """A variable of a module or class, or an attribute set on `self`.

    Attributes:
        name: Its name.
        line: Where it is first set.
        annotation: Its annotation; of `self.x = x`, the parameter's.
        value: What it is set to.
        doc: The string after it.
        on_self: Whether it is set on `self`.
        inferred: Whether the annotation is taken from a parameter.
        rebound: Whether it is set more than once.
        is_alias: Whether it is declared a type alias.
        means: The type that it may be another name for.
        lazy: Whether it is a type of its own to pydantic: `type X = …`, `TypeAliasType`, `NewType`.
    """

    name: str
    line: int
    annotation: RawAnnotation | None = None
    value: Expr | None = None
    doc: Doc | None = None
    on_self: bool = False
    inferred: bool = False
    rebound: bool = False
    is_alias: bool = False
    means: RawAnnotation | None = None
    lazy: bool = False


class RawClass(NamedTuple):
    """A class.

    Attributes:
        name: Its name.
        line: Line of its `class`.
        bases: Its bases; a subscripted one is the class without arguments.
        keywords: Its class keywords.
        decorators: Its decorators.
        doc: Its docstring.
        members: What its body defines and its methods set on `self`, in order.
    """

    name: str
    line: int
    bases: tuple[Expr, ...] = ()
    keywords: tuple[tuple[str, Expr], ...] = ()
    decorators: tuple[Expr, ...] = ()
    doc: Doc | None = None
    members: tuple[RawDefinition, ...] = ()

    def keyword(self, name: str) -> Expr | None:
        """Find a class keyword.

        Args:
            name: Its name.

        Returns:
            Its value, None when it is not given.
        """
        return next((value for key, value in self.keywords if key == name), None)

    def member(self, name: str) -> RawDefinition | None:
        """Find what the class itself defines under a name.

        Args:
            name: The name.

        Returns:
            The definition, None when there is none.
        """
        return next((member for member in self.members if member.name == name), None)


class RawListener(NamedTuple):
    """What a listen site passes as the listener.

    Attributes:
        path: What the expression refers to, `""` when that cannot be told.
        function: The function itself, when it is local or a lambda.
        bound: How many leading positional parameters are already filled.
        filled: Names of the parameters that `functools.partial` has filled by keyword.
    """

    path: str = ""
    function: RawFunction | None = None
    bound: int = 0
    filled: tuple[str, ...] = ()


class RawSite(NamedTuple):
    """A call on, or a read of, something that may be a context.

    Attributes:
        verb: The attribute that is read or called.
        receiver: Path of the type the receiver is annotated with, `""` when it is only named `ctx`.
        call: The call, None when the attribute is only read.
        line: Its line.
        function: Dotted path of the enclosing function or class inside the module, `""` at its top.
        listener: The second argument of `on` and `once`.
    """

    verb: str
    receiver: str
    call: Expr | None
    line: int
    function: str
    listener: RawListener | None = None


class RawUses(NamedTuple):
    """What a module uses: contexts, and by them events, services and plugins.

    Attributes:
        sites: Uses of contexts, in source order.
        flows: What each of its bodies does with what it is given.
        mentions: What is named where a value is used that nobody follows, sorted.
    """

    sites: tuple[RawSite, ...] = ()
    flows: tuple[RawFlow, ...] = ()
    mentions: tuple[str, ...] = ()


class RawMaking(NamedTuple):
    """A call with `mode=`, which declares an event when it is the runtime's `event` that is called.

    Attributes:
        call: The call.
        function: Dotted path of the function it stands in, `""` when it runs with the module.
        owner: Dotted path of the class body it stands in, `""` for none.
        name: What it is kept under, or what it gives when called is kept under; `""` for neither.
        form: `decorator` (of a definition called `name`), `applied` (to `given`), `kept`, else `other`.
        given: What it is applied to.
        function_given: The same when it is a lambda.
    """

    call: Expr
    function: str
    owner: str
    name: str = ""
    form: Literal["decorator", "applied", "kept", "other"] = "other"
    given: Expr | None = None
    function_given: RawFunction | None = None


class RawModule(NamedTuple):
    """A module.

    Attributes:
        name: Its dotted name.
        path: Its file, as reported.
        is_package: Whether it is an `__init__` file.
        is_stub: Whether it is a stub.
        doc: Its docstring.
        definitions: What it defines at its top, in order.
        imports: Local name to imported path.
        stars: Modules it imports everything from, in order.
        exports: Names in `__all__`, in order; None without one. `*module` stands for that module's.
        uses: What it uses; None when nobody looked, as nothing in its text hints at a context.
        sets: Attributes set on its functions and classes from outside: (`name`, `attribute`, value).
        makings: Calls that may declare events.
        republished: Names imported as `from x import y as y`, which publishes them without `__all__`.
        hidden: Classes with a `key` whose name, by another definition or import, means something else,
            each with the dotted path of the class body it stands in, `""` at the top.
    """

    name: str
    path: str
    is_package: bool
    is_stub: bool
    doc: Doc | None
    definitions: tuple[RawDefinition, ...]
    imports: tuple[tuple[str, str], ...]
    stars: tuple[str, ...]
    exports: tuple[str, ...] | None
    uses: RawUses | None
    sets: tuple[tuple[str, str, Expr], ...]
    makings: tuple[RawMaking, ...] = ()
    republished: tuple[str, ...] = ()
    hidden: tuple[tuple[str, RawClass], ...] = ()


class ReadResult(NamedTuple):
    """What reading one file gave.

    Attributes:
        module: The module, None when it cannot be read.
        diagnostics: Why, and what else is wrong with the file.
    """

    module: RawModule | None
    diagnostics: tuple[Diagnostic, ...] = ()
