"""What the runtime raises.

::

    ToolsetError
    ├── InactiveContextError      something was registered on a fiber that is ending or over
    │   └── InterruptedRunError   something that ran for a fiber was ended with it
    ├── NoLoopError               asynchronous work was asked for outside a running event loop
    ├── PluginTypeError           what was mounted is no plugin (also a TypeError)
    ├── ConfigError               a plugin's configuration does not fit its model (also a ValueError)
    ├── ServiceAccessError        a service was read that may not be read (also an AttributeError)
    ├── ServiceKeyError           a key cannot name a service (also a ValueError)
    ├── DuplicateServiceError     a second provider of one key
    ├── EffectTypeError           a set-up returned nothing that can be undone (also a TypeError)
    ├── EventNameError            an event name is not `scope/name` (also a ValueError)
    ├── EventModeError            an event was dispatched with another mode's verb
    ├── ListenerSignatureError    a listener cannot take its event (also a TypeError)
    ├── NextCalledTwiceError      a waterfall listener called `next` a second time
    ├── SettleTimeoutError        a fiber did not settle in its time (also a TimeoutError)
    └── ParallelError             listeners of a parallel dispatch failed (an ExceptionGroup)
"""

# Maintainers: one class a condition; a class builds its message from the things it is about and
# keeps them. Texts say what happened, in whose fiber, and the way out; they know no internals.

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Sequence
from typing import Self

__all__ = [
    "ConfigError",
    "DuplicateServiceError",
    "EffectTypeError",
    "EventModeError",
    "EventNameError",
    "InactiveContextError",
    "InterruptedRunError",
    "ListenerSignatureError",
    "NextCalledTwiceError",
    "NoLoopError",
    "ParallelError",
    "PluginTypeError",
    "ServiceAccessError",
    "ServiceKeyError",
    "SettleTimeoutError",
    "ToolsetError",
]


_LONGEST_NAME = 80


class PluginName(str):
    """A display name that messages show in another form, such as one with an id to act on.

    Args:
        name: The name.
        shown: What messages say.
    """

    __slots__ = ("shown",)

    shown: str

    def __new__(cls, name: str, shown: str) -> Self:
        """Make the text that is the name."""
        made = super().__new__(cls, name)
        made.shown = shown
        return made


def bracketed(name: str) -> str:
    """Give a plugin's display name as messages have it: in angle brackets, once, and never long."""
    if isinstance(name, PluginName):
        return name.shown
    bare = name[1:-1] if name.startswith("<") and name.endswith(">") else name  # `<anonymous>`
    return f"<{bare}>" if len(bare) <= _LONGEST_NAME else f"<{bare[:_LONGEST_NAME]}…>"


def _shown(value: object) -> str:
    """Show a value, short whatever it is, and its class."""
    kind = type(value).__name__
    return f"{reprlib.repr(value)} ({'an' if kind[:1].lower() in 'aeiou' else 'a'} {kind})"


class ToolsetError(Exception):
    """Base of every error that this package raises on purpose."""


class InactiveContextError(ToolsetError):
    """Something was registered, or was running, on a fiber that is ending or over.

    Args:
        owner: Display name of the fiber.
        state: Its state.
        what: What was tried, as an effect's label.
    """

    def __init__(self, owner: str, state: str, what: str) -> None:
        super().__init__(
            f"{what} refused: plugin {bracketed(owner)} is {state}; "
            "register effects while the plugin is loading or active"
        )
        self.owner, self.state, self.what = owner, state, what


class InterruptedRunError(InactiveContextError):
    """Something that ran for a fiber was ended because the fiber is ending.

    Args:
        owner: Display name of the fiber.
        state: Its state.
        what: What ran.
    """

    def __init__(self, owner: str, state: str, what: str) -> None:
        super().__init__(owner, state, what)
        self.args = (f"{what} was ended: its plugin {bracketed(owner)} is {state}",)


class NoLoopError(ToolsetError, RuntimeError):
    """Asynchronous work was asked for outside a running event loop.

    Args:
        what: The work, as an effect's label.
    """

    def __init__(self, what: str) -> None:
        super().__init__(
            f"{what} needs a running event loop; call it from a coroutine, "
            "for example inside `asyncio.run(main())`"
        )
        self.what = what


class PluginTypeError(ToolsetError, TypeError):
    """What was mounted is not a plugin.

    Args:
        received: The object that was mounted.
        problem: What is wrong with it, when it is nearly one.
    """

    def __init__(self, received: object, problem: str = "") -> None:
        what = problem or f"{_shown(received)} is not a plugin"
        super().__init__(
            f"{what}; a plugin is a function (ctx) or (ctx, config), a class taking the same, "
            "or an object or module with a callable `apply`"
        )
        self.received, self.problem = received, problem


class ConfigError(ToolsetError, ValueError):
    """A plugin's configuration does not fit its model.

    Args:
        plugin: Display name of the plugin.
        problems: One sentence a violation, each beginning with its path.
    """

    def __init__(self, plugin: str, problems: Sequence[str]) -> None:
        # Separated also for whoever shows it in one line.
        lines = ";".join(f"\n  {problem}" for problem in problems)
        super().__init__(f"configuration of plugin {bracketed(plugin)} is refused:{lines}")
        self.plugin, self.problems = plugin, tuple(problems)


class ServiceAccessError(ToolsetError, AttributeError):
    """A service was read through a context that may not read it now.

    Args:
        message: What happened and the way out.
        key: The service's key.
    """

    def __init__(self, message: str, key: str) -> None:
        super().__init__(message)
        self.key = key


class ServiceKeyError(ToolsetError, ValueError):
    """A key cannot name a service.

    Args:
        key: The key.
        why: What is wrong with it.
    """

    def __init__(self, key: object, why: str) -> None:
        super().__init__(f"{reprlib.repr(key)} cannot be a service key: {why}")
        self.key = key


class DuplicateServiceError(ToolsetError):
    """A key has a provider already.

    Args:
        key: The key.
        owner: Display name of the fiber that provides it.
        other: Display name of the fiber that tried to.
    """

    def __init__(self, key: str, owner: str, other: str) -> None:
        super().__init__(
            f'service "{key}" is already provided by {bracketed(owner)}; {bracketed(other)} cannot provide it too'
        )
        self.key, self.owner, self.other = key, owner, other


class EffectTypeError(ToolsetError, TypeError):
    """A set-up returned, or yielded, something that cannot be undone.

    Args:
        label: The effect's label.
        received: What came back.
        yielded: Whether a generator yielded it.
    """

    def __init__(self, label: str, received: object, *, yielded: bool = False) -> None:
        verb = "yielded" if yielded else "returned"
        accepted = (
            "yield disposers: callables without arguments"
            if yielded
            else "return a disposer, a generator of disposers, a context manager, "
            "an awaitable of one of these, or None"
        )
        super().__init__(f"set-up of {label} {verb} {_shown(received)}; {accepted}")
        self.label, self.received = label, received


class EventNameError(ToolsetError, ValueError):
    """An event's name is not `scope/name`.

    Args:
        name: The name as declared.
    """

    def __init__(self, name: object) -> None:
        super().__init__(
            f"event name {reprlib.repr(name)} is refused; write it as `scope/name` in lower-case letters, "
            "digits and dashes, such as 'tools/pre-execute'"
        )
        self.name = name


class EventModeError(ToolsetError):
    """An event was dispatched with another mode's verb.

    Args:
        name: The event.
        mode: The mode it is declared with.
        verb: The verb that was used.
    """

    def __init__(self, name: str, mode: str, verb: str) -> None:
        wait = "await " if mode in {"parallel", "serial"} else ""
        super().__init__(
            f'event "{name}" is declared with mode {mode!r} and cannot be dispatched with '
            f"ctx.{verb}; use {wait}ctx.{mode}({name!r}, ...)"
        )
        self.name, self.mode, self.verb = name, mode, verb


class ListenerSignatureError(ToolsetError, TypeError):
    """A listener's parameters cannot take its event's arguments.

    Args:
        name: The event.
        listener: Display name of the listener with its signature.
        expected: The signature that the event declares.
        owner: Display name of the fiber that listens.
    """

    def __init__(self, name: str, listener: str, expected: str, owner: str) -> None:
        super().__init__(
            f'listener {listener} of {bracketed(owner)} cannot take event "{name}": '
            f"it is called as {expected}"
        )
        self.name, self.listener, self.expected, self.owner = name, listener, expected, owner


class NextCalledTwiceError(ToolsetError):
    """A waterfall listener called its `next` a second time.

    Args:
        name: The event.
        owner: Display name of the fiber whose listener did.
    """

    def __init__(self, name: str, owner: str) -> None:
        super().__init__(
            f'a listener of {bracketed(owner)} called `next` of event "{name}" twice; '
            "call it once and keep what it returned"
        )
        self.name, self.owner = name, owner


class SettleTimeoutError(ToolsetError, TimeoutError):
    """A fiber did not settle within the root's `settle_timeout`.

    Args:
        fiber: Display name of the fiber.
        state: The state it is in.
        seconds: The budget.
        waits_for: What it was waiting for.
    """

    def __init__(self, fiber: str, state: str, seconds: float, waits_for: str) -> None:
        super().__init__(
            f"plugin {bracketed(fiber)} is still {state} after {seconds:g} s, waiting for {waits_for}; "
            "make that end when it is cancelled, or raise `settle_timeout`"
        )
        self.fiber, self.state, self.seconds, self.waits_for = fiber, state, seconds, waits_for


class ParallelError(ExceptionGroup[Exception], ToolsetError):
    """Listeners of a parallel dispatch failed; its message has a line for each."""

    @classmethod
    def of(cls, name: str, failures: Iterable[tuple[str, Exception]]) -> ParallelError:
        """Build the group for one dispatch.

        Args:
            name: The event.
            failures: Display name of the listener's fiber and what it raised.

        Returns:
            The group, its members in the order given.
        """
        pairs = list(failures)
        lines = "".join(f"\n  {bracketed(who)}: {type(e).__name__}: {e}" for who, e in pairs)
        return cls(
            f'{len(pairs)} listener(s) of event "{name}" failed:{lines}', [e for _, e in pairs]
        )
