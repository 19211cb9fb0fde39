"""`@tool`: a tool from a function's signature and docstring."""

# Maintainers: answers for reading a function as a tool. Types are the business of plain.py, or else
# of pydantic (typed.py, imported for the first annotation that is not plain); what is wrong is
# collected and refused at once, as in define.py. Bodies that are sync run inline: threads are the
# author's decision.

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, cast, overload

from toolset.catalog import nearest
from toolset.services.tools.define import description_violations, name_violations
from toolset.services.tools.definition import PresentCall, Render, ToolDefinition
from toolset.services.tools.docstring import Documented, read_docstring
from toolset.services.tools.errors import ToolDefinitionError
from toolset.services.tools.jsontypes import JsonObject
from toolset.services.tools.paths import Violation
from toolset.services.tools.plain import PlainArguments, PlainReturned, plain_hints
from toolset.services.tools.records import ToolAnnotations, ToolCall
from toolset.services.tools.schema import output_schema, parameter_schema
from toolset.services.tools.wire import brief

if TYPE_CHECKING:
    from toolset.services.tools import typed

__all__ = ["tool"]

_STARS = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}


class _Options(NamedTuple):
    name: str | None
    description: str | None
    render: Render | None
    present_call: PresentCall | None
    annotations: ToolAnnotations | None


@overload
def tool(function: Callable[..., object], /) -> ToolDefinition: ...
@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    render: Render | None = None,
    present_call: PresentCall | None = None,
    annotations: ToolAnnotations | None = None,
) -> Callable[[Callable[..., object]], ToolDefinition]: ...
def tool(
    function: Callable[..., object] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    render: Render | None = None,
    present_call: PresentCall | None = None,
    annotations: ToolAnnotations | None = None,
) -> ToolDefinition | Callable[[Callable[..., object]], ToolDefinition]:
    """Make a tool of a function, sync or async.

    Its parameters become the tool's, described by the docstring's `Args:`; its return annotation
    becomes the output's schema. A parameter annotated `ToolCall` receives the call instead.

    Args:
        function: The function, when `@tool` stands without parentheses.
        name: The tool's name; the function's when left out.
        description: What the model reads; the docstring's prose when left out.
        render: Makes what the model sees: `render(args, value)`.
        present_call: `present_call(args)` gives the card a person sees.
        annotations: Hints for clients.

    Returns:
        The definition, or a decorator that makes it.

    Raises:
        ToolDefinitionError: The function cannot be a tool; lists every reason.
    """
    options = _Options(name, description, render, present_call, annotations)
    if function is None:
        return lambda decorated: _of_function(decorated, options)
    return _of_function(function, options)


def _of_function(function: Callable[..., object], options: _Options) -> ToolDefinition:
    if isinstance(function, type) or not callable(cast("object", function)):
        problem = f"takes a function, got {brief(function)}"
        raise ToolDefinitionError("", [Violation("@tool", problem)])
    name = options.name or getattr(function, "__name__", None)
    documented = read_docstring(function.__doc__)
    description = options.description or documented.prose or None
    violations = [*name_violations(name), *description_violations(description)]
    made = _Signature(function, documented, violations)
    if violations or made.arguments is None or made.returns is None:
        raise ToolDefinitionError(str(name), violations)
    return ToolDefinition(
        name=str(name),
        description=str(description),
        parameters=made.parameters,
        output=made.output,
        execute=_body(function, made.arguments, made.returns, made.call_name),
        render=options.render,
        present_call=options.present_call,
        annotations=options.annotations or ToolAnnotations(),
    )


def _body(
    function: Callable[..., object],
    arguments: PlainArguments | typed.Arguments,
    returns: PlainReturned | typed.Returned,
    call_name: str | None,
) -> Callable[[JsonObject, ToolCall], object]:
    async def execute(args: JsonObject, call: ToolCall) -> object:
        positional, named = arguments.bind(args)
        if call_name is not None:
            named[call_name] = call
        value = function(*positional, **named)
        if inspect.isawaitable(value):
            value = await value
        return returns.to_json(value)

    return execute


class _Signature:
    """What a function's signature says, and what is wrong with it as a tool."""

    def __init__(
        self, function: Callable[..., object], documented: Documented, violations: list[Violation]
    ) -> None:
        self.violations = violations
        self.call_name: str | None = None
        self.arguments: PlainArguments | typed.Arguments | None = None
        self.returns: PlainReturned | typed.Returned | None = None
        self.parameters: JsonObject = {}
        self.output: JsonObject = {}
        hints = self._hints(function)
        if hints is None:
            return
        parameters = self._parameters(function, hints)
        self._check_entries(documented, [one.name for one in parameters])
        returned = hints.get("return", object)
        if not violations and not self._plainly(parameters, documented.arguments, returned):
            self._by_pydantic(parameters, documented.arguments, returned)

    def _plainly(
        self,
        parameters: Sequence[inspect.Parameter],
        descriptions: Mapping[str, str],
        returned: object,
    ) -> bool:
        """Describe a function whose annotations are plain; say whether they are."""
        arguments = PlainArguments.of(parameters, descriptions)
        returns = PlainReturned.of(returned)
        if arguments is None or returns is None:
            return False
        self.arguments, self.parameters = arguments, arguments.schema
        self.returns, self.output = returns, returns.schema
        return True

    def _by_pydantic(
        self,
        parameters: Sequence[inspect.Parameter],
        descriptions: Mapping[str, str],
        returned: object,
    ) -> None:
        from toolset.services.tools import typed  # noqa: PLC0415 -- imports pydantic

        try:
            self.arguments = arguments = typed.Arguments(parameters, descriptions)
            self.returns = returns = typed.Returned(returned)
        except typed.TypeSchemaError as error:
            self._refuse("signature", str(error), "use types that JSON has")
            return
        self.parameters, found = parameter_schema(arguments.model)
        self.parameters["additionalProperties"] = False
        self.output, more = output_schema(returns.annotation)
        self.violations += [*found, *more]

    def _refuse(self, path: str, problem: str, remedy: str = "") -> None:
        self.violations.append(Violation(path, problem, remedy))

    def _hints(self, function: Callable[..., object]) -> dict[str, object] | None:
        plain = plain_hints(getattr(function, "__annotations__", {}))
        if plain is not None:
            return plain
        try:
            return typing.get_type_hints(function, include_extras=True)
        except (NameError, TypeError, SyntaxError) as error:
            remedy = "import the types at module level, where annotations are looked up"
            self._refuse("signature", f"has annotations that cannot be read: {error}", remedy)
            return None

    def _parameters(
        self, function: Callable[..., object], hints: dict[str, object]
    ) -> list[inspect.Parameter]:
        """Give the parameters that a model fills in, their annotations evaluated."""
        found: list[inspect.Parameter] = []
        for name, parameter in inspect.signature(function).parameters.items():
            path = f"parameters.{name}"
            if parameter.kind in _STARS:
                self._refuse(path, "takes any number of arguments", "name each one")
            elif hints.get(name) is ToolCall and parameter.kind is not parameter.POSITIONAL_ONLY:
                self.call_name = name
            elif name not in hints:
                self._refuse(path, "has no annotation", "write its type, such as `text: str`")
            else:
                found.append(parameter.replace(annotation=hints[name]))
        return found

    def _check_entries(self, documented: Documented, names: list[str]) -> None:
        for name in documented.arguments:
            if name not in names and name != self.call_name:
                close = nearest(name, names)
                hint = f"did you mean {close[0]!r}?" if close else "remove it"
                self._refuse(f"docstring.Args.{name}", "describes no parameter", hint)
