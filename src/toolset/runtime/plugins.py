"""The accepted forms of a plugin, made one."""

# Maintainers: turns whatever was mounted into a Plugin record and refuses everything else at once.
# It runs nothing: `call` is called by the fiber.

from __future__ import annotations

import inspect
import itertools
import reprlib
from collections.abc import Callable, Iterable, Mapping
from types import FunctionType, MethodType, ModuleType
from typing import Final, Literal, NamedTuple, Protocol, cast

from toolset.runtime.config import validate
from toolset.runtime.errors import ConfigError, PluginTypeError, ServiceKeyError, bracketed
from toolset.runtime.service import Service

__all__ = ["HasApply"]

_MAX_KEYS: Final = 1000
LONGEST_KEY: Final = 100  # keys stand in every report and message about their service


class HasApply(Protocol):
    """An object or a module that is a plugin."""

    @property
    def apply(self) -> Callable[..., object]:
        """Run the plugin with a context, and a configuration if it takes one."""
        ...


class Inject(NamedTuple):
    """The services a plugin asks for.

    Attributes:
        required: Keys without which it stays pending, in declared order.
        optional: Keys it uses when they are there, in declared order.
        configs: Intercept configuration by key.
    """

    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    configs: Mapping[str, object] = {}


class Plugin(NamedTuple):
    """A plugin in its one normal form.

    Attributes:
        source: What was mounted.
        name: Display name.
        inject: The services it asks for.
        config: Its configuration model, or None.
        provides: Keys it is known to provide.
        call: Runs it with a context and a configuration.
        service: Its class when it is a service.
        takes_config: Whether `call` takes the configuration; `if given` when that parameter has a
            default, which an absent configuration leaves alone.
    """

    source: object
    name: str
    inject: Inject
    config: object
    provides: tuple[str, ...]
    call: Callable[..., object]
    service: type[Service] | None
    takes_config: Literal["no", "if given", "yes"]

    def invoke(self, ctx: object, config: object) -> object:
        """Run it, with the configuration if it takes one."""
        if self.takes_config == "no" or (self.takes_config == "if given" and config is None):
            return self.call(ctx)
        return self.call(ctx, config)

    def accept(self, config: object) -> object:
        """Give the configuration that it is run with.

        Raises:
            ConfigError: It does not fit, or the plugin takes none.
        """
        empty = config is None or config == {}
        if self.config is None and self.takes_config == "no" and not empty:
            problem = "the whole: the plugin takes none; leave it out, or give the plugin"
            raise ConfigError(self.name, [f"{problem} a parameter `config` or a model `Config`"])
        return validate(self.name, self.config, config)

    def check_made(self, made: Service) -> None:
        """Refuse a service whose class forgot to make its base.

        Raises:
            PluginTypeError: It has no context.
        """
        if not hasattr(made, "ctx"):
            given = "ctx" if self.takes_config == "no" else "ctx, config"
            raise PluginTypeError(
                self.source,
                f"`__init__` of service class {type(made).__name__} leaves it without a context; "
                f"call super().__init__({given}) in it first",
            )


def read_plugin(source: object) -> Plugin:
    """Read a plugin's form and metadata.

    Raises:
        PluginTypeError: It is no plugin, or its metadata are malformed.
    """
    call = _callable_of(source)
    service = _service_of(source)
    if service is not None and not service.key:
        raise PluginTypeError(
            source,
            f"service class {service.__name__} has no key; write "
            f'`class {service.__name__}(Service, key="...")`',
        )
    name = _name_of(source)
    provided = _keys(name, "provides", getattr(source, "provides", ()))
    return Plugin(
        source=source,
        name=name,
        inject=read_inject(name, getattr(source, "inject", None)),
        config=_config_of(name, source),
        provides=(service.key,) if service is not None else provided,
        call=call,
        service=service,
        takes_config=_takes_config(call),
    )


def _config_of(name: str, source: object) -> object:
    model: object = getattr(source, "Config", None)
    if model is None or (isinstance(model, type) and hasattr(model, "model_validate")):
        return model
    raise PluginTypeError(
        source, f"`Config` of plugin {bracketed(name)} is {reprlib.repr(model)}, no pydantic model"
    )


def _service_of(source: object) -> type[Service] | None:
    return source if isinstance(source, type) and issubclass(source, Service) else None


def _callable_of(source: object) -> Callable[..., object]:
    if isinstance(source, FunctionType | MethodType | type):
        return cast("Callable[..., object]", source)
    apply: object = getattr(source, "apply", None)
    if apply is not None:
        if callable(apply):
            return apply
        raise PluginTypeError(
            source,
            f"`apply` of {reprlib.repr(source)} is {reprlib.repr(apply)}, which cannot be called",
        )
    if isinstance(source, ModuleType):
        raise PluginTypeError(source, f"module {source.__name__!r} has no function `apply`")
    if callable(source):
        return source
    raise PluginTypeError(source)


def _name_of(source: object) -> str:
    name: object = getattr(source, "name", None)
    if isinstance(name, str) and name:
        return name
    own: object = getattr(source, "__name__", None)
    if not isinstance(own, str) or own == "<lambda>":
        own = None if isinstance(own, str) else _class_name(source)
    return own or "<anonymous>"


def _class_name(source: object) -> str | None:
    return None if callable(source) else type(source).__name__


def _takes_config(call: Callable[..., object]) -> Literal["no", "if given", "yes"]:
    """Tell whether a plugin is called with (ctx, config) rather than (ctx)."""
    if isinstance(call, FunctionType) and not hasattr(call, "__wrapped__"):
        code = call.__code__
        if code.co_argcount and len(call.__kwdefaults__ or ()) == code.co_kwonlyargcount:
            required = code.co_argcount - len(call.__defaults__ or ())
            if required <= 2:  # noqa: PLR2004 - ctx and config
                return "yes" if required > 1 else "if given" if code.co_argcount > 1 else "no"
    try:
        signature = inspect.signature(call)
    except ValueError:  # a builtin without a signature
        return "no"
    one, two = _binds(signature, 1), _binds(signature, 2)
    if not one and not two:
        problem = f"{reprlib.repr(call)} takes {signature}, but a plugin is called with (ctx) or (ctx, config)"
        raise PluginTypeError(call, problem)
    return "no" if not two else "if given" if one else "yes"


def _binds(signature: inspect.Signature, count: int) -> bool:
    try:
        signature.bind(*(None,) * count)
    except TypeError:
        return False
    return True


def read_inject(plugin: str, given: object) -> Inject:
    """Read the three forms of `inject`: a list, a mapping, or required and optional lists.

    Raises:
        PluginTypeError: It is none of them.
    """
    if given is None:
        return Inject()
    if isinstance(given, Mapping):
        table = cast("Mapping[str, object]", given)
        if table and set(table) <= {"required", "optional"}:
            required = _keys(plugin, "inject", table.get("required", ()))
            optional = _keys(plugin, "inject", table.get("optional", ()))
            return Inject(required, tuple(key for key in optional if key not in required))
        configs = {key: config for key, config in table.items() if config is not None}
        return Inject(_keys(plugin, "inject", tuple(table)), (), configs)
    return Inject(_keys(plugin, "inject", given))


def _keys(plugin: str, what: str, given: object) -> tuple[str, ...]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise PluginTypeError(
            given,
            f"`{what}` of plugin {bracketed(plugin)} is {reprlib.repr(given)}; write a list of service keys, "
            f"such as {what} = [{reprlib.repr(given)}]",
        )
    keys = list(itertools.islice(cast("Iterable[object]", given), _MAX_KEYS + 1))
    for key in keys:
        if not isinstance(key, str) or not key.isidentifier() or len(key) > LONGEST_KEY:
            raise PluginTypeError(
                keys,
                f"`{what}` of plugin {bracketed(plugin)} names {reprlib.repr(key)}, no service key",
            )
    if len(keys) > _MAX_KEYS:  # an iterator may have no end
        raise PluginTypeError(
            keys, f"`{what}` of plugin {bracketed(plugin)} names more than {_MAX_KEYS} service keys"
        )
    return tuple(dict.fromkeys(cast("list[str]", keys)))


def check_key(key: object, reserved: Callable[[str], bool]) -> str:
    """Refuse a key under which no service could be read.

    Raises:
        ServiceKeyError: It is no identifier, is private, or is a member of every context.
    """
    if not isinstance(key, str) or not key.isidentifier() or len(key) > LONGEST_KEY:
        raise ServiceKeyError(
            key, f"use an identifier, such as 'fs', of at most {LONGEST_KEY} characters"
        )
    if key.startswith("_"):
        raise ServiceKeyError(key, "names with a leading underscore are private")
    if reserved(key):
        raise ServiceKeyError(key, f"every context has a member of its own called {key!r}")
    return key
