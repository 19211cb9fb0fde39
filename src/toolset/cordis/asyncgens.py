"""Keep the async generators of mounted code with the mount they belong to."""

# Maintainers: asyncio closes a generator that was dropped half-way in a task that nobody owns, and
# asks the thread's hooks for that, which a generator takes at its first iteration. While a guard is
# held these hooks stand before asyncio's: what a mount's code began is kept by the mount, the rest
# goes on to asyncio. Without this a `finally` that never ends runs on after the unmount
# (test_dropped_generator_ends_with_mount). It knows neither fibers nor time: who drives the closing
# is set by the mount.

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator, Callable
from types import AsyncGeneratorType
from typing import Protocol, TypeAlias, cast
from weakref import WeakSet

from toolset.cordis.deadline import FRAME_PREFIX

__all__ = ["AsyncGen", "Generators", "Hooks"]

AsyncGen: TypeAlias = "AsyncGeneratorType[object, object]"
_Hook: TypeAlias = "Callable[[AsyncGenerator[object, object]], object]"


class Generators:
    """The async generators that the code of one mount has begun.

    Attributes:
        owner: Closes one that was dropped and tells whether it could; None leaves all of them
            until `take` is called.
    """

    def __init__(self) -> None:
        self.owner: Callable[[AsyncGen], bool] | None = None
        self._living: WeakSet[AsyncGen] = WeakSet()
        self._dropped: list[AsyncGen] = []

    def begin(self, generator: AsyncGen) -> None:
        """Keep one in sight that is iterated for the first time."""
        self._living.add(generator)

    def drop(self, generator: AsyncGen, loop: asyncio.AbstractEventLoop) -> None:
        """Keep one that nobody holds any more, and have it closed; from any thread."""
        self._dropped.append(generator)
        if not loop.is_closed():
            loop.call_soon_threadsafe(self.hand_over)

    def hand_over(self) -> None:
        """Have the owner close those that were dropped."""
        owner = self.owner
        while owner is not None and self._dropped:
            if not owner(self._dropped[-1]):
                return
            self._dropped.pop()

    def take_dropped(self) -> list[AsyncGen]:
        """Take those that were dropped and that nobody has closed yet."""
        dropped, self._dropped = self._dropped, []
        return dropped

    def take(self) -> list[AsyncGen]:
        """Take those that are still to be closed, dropped or not.

        Returns:
            All but those that run: whoever iterates them has them.
        """
        dropped = self.take_dropped()
        if not self._living:  # as of most mounts: iterating a weak set takes its time
            return dropped
        living = [each for each in self._living if not each.ag_running and each.ag_frame]
        self._living.clear()
        return [*dropped, *living]


class Member(Protocol):
    """A guard, as the hooks need it."""

    def generators_of(self, filename: str) -> Generators | None:
        """Give those of the mount with that file name."""
        ...


class Hooks:
    """The hooks of the event loop's thread, installed with the first member, gone with the last."""

    def __init__(self) -> None:
        self._members: list[Member] = []
        self._loop = asyncio.get_running_loop()
        self._before = sys.get_asyncgen_hooks()
        # Made once: a bound method is a new object each time it is read.
        self._own = (self._begun, self._dropped)
        sys.set_asyncgen_hooks(*self._own)

    @staticmethod
    def join(member: Member) -> Hooks:
        """Join the hooks of this thread, installing them when there are none.

        Args:
            member: The guard that asks for them.

        Returns:
            The hooks.
        """
        installed = getattr(sys.get_asyncgen_hooks().finalizer, "__self__", None)
        hooks = installed if isinstance(installed, Hooks) else Hooks()
        hooks.admit(member)
        return hooks

    def admit(self, member: Member) -> None:
        """Take a member in.

        Args:
            member: The guard that joins.
        """
        self._members.append(member)

    def leave(self, member: Member) -> None:
        """Leave the hooks; the last member puts back what was there.

        Args:
            member: The guard that had joined.
        """
        self._members.remove(member)
        if not self._members and self.installed():
            sys.set_asyncgen_hooks(*self._before)

    def installed(self) -> bool:
        """Tell whether these are still the hooks: a loop sets its own whenever it starts.

        Returns:
            Whether generators that begin now come here.
        """
        return sys.get_asyncgen_hooks().finalizer is self._own[1]

    def _begun(self, generator: AsyncGenerator[object, object]) -> None:
        own, kept = self._found(generator)
        if kept is not None:
            kept.begin(cast("AsyncGen", generator))
        elif not own:
            _pass_on(self._before.firstiter, generator)

    def _dropped(self, generator: AsyncGenerator[object, object]) -> None:
        own, kept = self._found(generator)
        if kept is not None:
            kept.drop(cast("AsyncGen", generator), self._loop)
        elif not own:  # one of a mount that is over was closed with it, or is never resumed
            _pass_on(self._before.finalizer, generator)

    def _found(self, generator: AsyncGenerator[object, object]) -> tuple[bool, Generators | None]:
        """Tell whether mounted code wrote a generator, and give where its mount keeps them."""
        filename = cast("AsyncGen", generator).ag_code.co_filename
        if not filename.startswith(FRAME_PREFIX):
            return False, None
        found = (member.generators_of(filename) for member in self._members)
        return True, next((each for each in found if each is not None), None)


def _pass_on(hook: object, generator: AsyncGenerator[object, object]) -> None:
    if callable(hook):
        cast("_Hook", hook)(generator)
