"""Bound every synchronous stretch of mounted code on the event loop's thread."""

from __future__ import annotations

from toolset.cordis.errors import MountTimeoutError

__all__ = ["Guard"]


class Guard:
    """Ends mounted code that runs too long without returning to the event loop.

    Hold it while any mount is being evaluated or is live: nothing is armed before the first hold
    and nothing is left behind after the last release.

    Args:
        limit: Longest synchronous stretch, in seconds.
    """

    def __init__(self, limit: float) -> None:
        self.limit = limit

    def hold(self) -> None:
        """Start guarding the running event loop, or count one more holder."""

    def release(self) -> None:
        """Count one holder less; the last one puts signal handler and timer back."""

    def strike(self, mount_id: str) -> MountTimeoutError | None:
        """Take the last time that a stretch of a mount was ended, also when its code hid it.

        Args:
            mount_id: The mount.

        Returns:
            The error raised in it, or None when there is none since the last call.
        """
        return None
