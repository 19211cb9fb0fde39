"""The base of services that are classes."""

# Maintainers: a service is a class with a key; reading it through a context gives a view that shares
# the instance's `__dict__` and knows its reader. The only state outside the shared dict is `_caller`.

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Self

from toolset.runtime.errors import ServiceKeyError

if TYPE_CHECKING:
    from toolset.runtime.context import Context

__all__ = ["Service"]


class Service:
    """A plugin that provides its instance under a key.

    Write `class FileSystem(Service, key="fs")`. Mounting the class constructs it with
    `(ctx, config)`, runs its optional `start()`, which may be whatever an effect's set-up may be,
    and then provides it as `ctx.fs`.

    Args:
        ctx: The context it is mounted with.
        config: Its validated configuration.

    Attributes:
        key: The key it is provided under.
        ctx: The context it was mounted with.
        config: Its validated configuration, or what was passed when it has no `Config`.
    """

    __slots__ = ("__dict__", "__weakref__", "_caller")

    key: ClassVar[str] = ""
    _caller: Context

    def __init_subclass__(cls, *, key: str | None = None, **options: object) -> None:
        super().__init_subclass__(**options)
        if key is None:
            return
        if not key.isidentifier() or key.startswith("_"):
            raise ServiceKeyError(
                key, "use an identifier without a leading underscore, such as 'fs'"
            )
        cls.key = key

    def __init__(self, ctx: Context, config: object = None) -> None:
        self.ctx = ctx
        self.config = config

    @property
    def caller(self) -> Context:
        """The context through which this view was reached; effects for the caller belong to it."""
        try:
            return self._caller
        except AttributeError:  # the service itself, nobody's view
            return self.ctx

    def seen_by(self, reader: Context) -> Self:
        """Give a view of this service that knows its reader.

        Args:
            reader: The context it is read through.

        Returns:
            An object of the same class that shares this one's state.
        """
        view = object.__new__(type(self))
        object.__setattr__(view, "__dict__", self.__dict__)
        view._caller = reader
        return view
