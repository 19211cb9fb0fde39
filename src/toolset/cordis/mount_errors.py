"""What mounting and unmounting raise, beside what the mounted code itself does.

::

    MountError
    ├── PreflightError            the code has certain mistakes; nothing of it ran
    ├── MountWaitError            the whole mount, its awaiting included, took too long
    ├── MountGoneError            the plugin was disposed while it was being mounted
    ├── StillEndingError          a plugin did not come to rest in its time while being unmounted
    └── UnknownMountError         no temporary plugin has that id
"""

# Maintainers: as errors.py, for the manager. Kept apart because these speak of lives, those of
# code.

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from toolset.cordis.errors import MountError
from toolset.cordis.preflight import Finding
from toolset.services.tools.wire import cut

__all__ = [
    "MountGoneError",
    "MountWaitError",
    "PreflightError",
    "StillEndingError",
    "UnknownMountError",
]


_LONGEST_ID: Final = 80
_MOST: Final = 20  # mistakes, or notes, that are written out


class PreflightError(MountError):
    """The code of a mount has mistakes that are certain before it runs.

    Args:
        mount_id: The mount.
        mistakes: What fails it, by line.
        notes: What is likely wrong besides.
    """

    def __init__(
        self, mount_id: str, mistakes: Sequence[Finding], notes: Sequence[Finding] = ()
    ) -> None:
        count = "1 mistake" if len(mistakes) == 1 else f"{len(mistakes)} mistakes"
        lines = [f"the code of {mount_id} was not run: it has {count}"]
        lines += [f"  {finding}" for finding in mistakes[:_MOST]]
        if len(mistakes) > _MOST:
            lines.append(f"  … and {len(mistakes) - _MOST:,} more")
        lines += [f"  note: {finding}" for finding in notes[:_MOST]]
        super().__init__("\n".join(lines), mount_id)
        self.mistakes, self.notes = tuple(mistakes), tuple(notes)


class MountWaitError(MountError):
    """A whole mount took longer than its bound and was ended.

    Args:
        mount_id: The mount.
        seconds: The bound.
        where: Where it was waiting: its line and text, `""` when that is not known.
        starting: Whether its plugin was being started; else the code was yet to return one.
    """

    def __init__(
        self, mount_id: str, seconds: float, where: str = "", *, starting: bool = True
    ) -> None:
        at = f", waiting at {where}" if where else ""
        way = (
            "return from `apply` (or `yield`) at once and await long work in ctx.spawn(...)"
            if starting
            else "await nothing long at the top level: return the plugin at once, and await in its "
            "`apply` or in ctx.spawn(...)"
        )
        super().__init__(
            f"{mount_id} was ended: it was not mounted after {seconds * 1000:g} ms{at}; {way} "
            "(mount_timeout_ms is the bound)",
            mount_id,
        )
        self.seconds, self.where = seconds, where


class MountGoneError(MountError):
    """A plugin was disposed while it was being mounted.

    Args:
        mount_id: The mount.
        name: Display name of the plugin.
    """

    def __init__(self, mount_id: str, name: str) -> None:
        super().__init__(
            f'{mount_id} (plugin "{name}") was unmounted while it was being mounted', mount_id
        )


class StillEndingError(MountError):
    """A plugin did not come to rest in its time while it was being unmounted.

    Args:
        mount_id: The mount.
        name: Display name of the plugin.
        seconds: The bound.
        why: What it is waiting for.
    """

    def __init__(self, mount_id: str, name: str, seconds: float, why: str) -> None:
        super().__init__(
            f'{mount_id} (plugin "{name}") is still ending after {seconds * 1000:g} ms: {why}; '
            "it is listed until it is over, and its clean-up goes on",
            mount_id,
        )
        self.seconds, self.why = seconds, why


class UnknownMountError(MountError):
    """No temporary plugin has an id.

    Args:
        mount_id: What was asked for.
    """

    def __init__(self, mount_id: str) -> None:
        super().__init__(
            f'no temporary plugin with id "{cut(mount_id, _LONGEST_ID)}" '
            '(list them with cordis_inspect what:"temporary")',
            mount_id,
        )
