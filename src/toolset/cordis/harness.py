"""How mounted code makes tools: the name `harness` of its namespace."""

# Maintainers: the tools of the registry, made by mounted code. They are a class of their own, so that
# the façade can tell what was checked here.

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol, TypeAlias, cast, overload

from toolset.cordis.errors import FacadeError
from toolset.services.tools.decorator import tool as make_tool
from toolset.services.tools.define import define_tool as make_defined
from toolset.services.tools.definition import ToolDefinition

if TYPE_CHECKING:
    from toolset.cordis.facade import MountContext

__all__ = ["Harness", "HarnessTool"]

Function: TypeAlias = "Callable[..., object]"
Decorator: TypeAlias = "Callable[[Function], HarnessTool]"


class HarnessTool(ToolDefinition):
    """A tool that mounted code has declared."""


class Harness:
    """Makes tools: `harness.tool`, `harness.define_tool`, `harness.register_tool`."""

    __slots__ = ()

    @overload
    def tool(self, function: Function, /) -> HarnessTool: ...
    @overload
    def tool(self, /, **options: object) -> Decorator: ...
    def tool(
        self, function: Function | None = None, /, **options: object
    ) -> HarnessTool | Decorator:
        """Make a tool from a function's signature and docstring, as a decorator.

        Args:
            function: The function, sync or async; its docstring describes tool and arguments.
            options: `name`, `description`, `render`, `present_call` or `annotations`, in place of
                what the function says.

        Returns:
            The tool, or a decorator that makes it.

        Raises:
            ToolDefinitionError: The function cannot be a tool; lists every reason.
        """
        if function is not None:
            return _from_function(function, {})
        return lambda decorated: _from_function(decorated, options)

    def define_tool(
        self, options: Mapping[str, object] | None = None, /, **named: object
    ) -> HarnessTool:
        """Declare a tool explicitly.

        Args:
            options: The options as one mapping.
            named: `name`, `description`, `parameters`, `output` (`{"schema": ..., "render": ...}`),
                `execute`, `present_call`, `annotations`.

        Returns:
            The tool.

        Raises:
            ToolDefinitionError: Something is malformed; lists everything that is.
        """
        if options is not None and not isinstance(cast("object", options), Mapping):
            return _marked(make_defined(options))  # which says what it takes
        return _marked(make_defined({**(options or {}), **named}))

    def register_tool(
        self,
        ctx: MountContext,
        definition: object = None,
        /,
        **options: object,
    ) -> object:
        """Register a tool until the plugin is unmounted.

        Args:
            ctx: The context that `apply` received.
            definition: A tool, a function to make one of, or the options of `define_tool`.
            options: The options of `define_tool` by name.

        Returns:
            The effect: `await effect.dispose()` takes the tool back.

        Raises:
            FacadeError: `definition` is none of these.
            ToolDefinitionError: The tool is malformed.
            DuplicateToolError: Its name is taken.
        """
        made = definition
        if definition is None or isinstance(definition, Mapping):
            made = self.define_tool(cast("Mapping[str, object] | None", definition), **options)
        elif callable(definition) and not isinstance(definition, ToolDefinition):
            made = _from_function(definition, options)
        elif options:
            raise FacadeError(
                "harness.register_tool(ctx, tool) takes options only without a tool",
                "register_tool",
            )
        tools = cast("_Tools", ctx.tools)
        return tools.register(made)


class _Tools(Protocol):
    def register(self, definition: object) -> object: ...


def _from_function(function: Function, options: Mapping[str, object]) -> HarnessTool:
    make = cast("Callable[..., ToolDefinition | Callable[[Function], ToolDefinition]]", make_tool)
    if not options:
        return _marked(cast("ToolDefinition", make(function)))
    return _marked(cast("Callable[[Function], ToolDefinition]", make(**options))(function))


def _marked(definition: ToolDefinition) -> HarnessTool:
    made = object.__new__(HarnessTool)
    vars(made).update(vars(definition))
    return made
