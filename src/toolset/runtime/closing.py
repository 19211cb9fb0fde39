"""Tell a `GeneratorExit` that code raised from the one that closing a coroutine or generator gives."""

# Maintainers: Python throws a fresh GeneratorExit into each frame of what is being closed, and keeps
# what comes out of the inner ones. So one that a frame catches, and that came from below it, was
# raised by that code: it is a failure like any other, and must not end a transition half-way.

from __future__ import annotations

__all__: list[str] = []


def closes(error: GeneratorExit) -> bool:
    """Tell whether the frame that caught it is being closed; else, code below it raised it."""
    trace = error.__traceback__
    return trace is None or trace.tb_next is None


def as_failure(error: Exception | GeneratorExit) -> Exception:
    """Give the failure that an exception of a plugin's code is."""
    if isinstance(error, Exception):
        return error
    failure = RuntimeError("the code raised GeneratorExit, which only closing may raise")
    failure.__cause__ = error
    return failure
