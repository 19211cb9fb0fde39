"""How a command says what it has to say, and how it ends when something stops it."""

# Maintainers: answers for exit codes and for what stands on the terminal when a command cannot go
# on: an error that says all there is to say, Ctrl-C, a reader that has gone, a crash. It knows no
# command. Invariants: nothing but a fault of the generator itself shows a traceback; nothing that
# stops a command exits 1, which means stale; who stops reading the report does not change what the
# command exits with.

from __future__ import annotations

import codecs
import os
import signal
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TextIO

from toolset_gen.errors import GeneratorError, ReportError

__all__ = ["INTERRUPTED", "explained", "say", "uninterrupted"]

INTERRUPTED = 130  # as shells say that Ctrl-C ended something
_FAULT = 3
_EXTRA = frozenset({"black", "griffe", "jinja2", "libcst"})
_NOTHING_WRITTEN = "Interrupted; nothing was written."


def say(text: str, *, end: str = "\n") -> None:
    """Print to standard output, in whatever encoding it has.

    Who has stopped reading, such as `head`, is told nothing more, and no error.

    Args:
        text: What to print; a character that the encoding lacks is escaped.
        end: What follows it.

    Raises:
        ReportError: It cannot be written, as on a full disk.
    """
    try:
        _write(sys.stdout, text + end)
    except BrokenPipeError:
        _silence()
    except OSError as error:
        _silence()
        raise ReportError(error) from None


def _write(stream: TextIO | None, text: str) -> None:
    if stream is None:  # the process was started without it
        return
    encoding = stream.encoding or "utf-8"
    if codecs.lookup(encoding).name == "ascii":
        encoding = "utf-8"  # what a system without a locale calls its terminal, and is not
    stream.flush()
    stream.buffer.write(text.replace("\n", os.linesep).encode(encoding, "backslashreplace"))
    stream.flush()


def _silence() -> None:
    """Lead standard output nowhere, so that Python does not fail on it once more when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    with suppress(OSError, ValueError):
        os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _complain(text: str) -> None:
    with suppress(OSError):  # whoever closed standard error has been told enough by the exit code
        _write(sys.stderr, f"{text}\n")


@contextmanager
def explained() -> Generator[None]:
    """End the process with a message and its exit code when the block cannot go on.

    Raises:
        SystemExit: Always, when the block raises: 2 for wrong use, 3 for a fault, 130 on Ctrl-C.
    """
    try:
        yield
    except GeneratorError as error:
        _complain(f"error: {error}")
        sys.exit(error.exit_code)
    except KeyboardInterrupt as error:
        _complain(str(error) or _NOTHING_WRITTEN)
        sys.exit(INTERRUPTED)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _EXTRA:
            _crash()
        _complain(
            f"error: the generator needs {error.name!r}, which is not installed; "
            "run `pip install 'cordis-toolset[generator]'`"
        )
        sys.exit(2)
    except Exception:  # noqa: BLE001 - a crash must not exit 1, which means stale
        _crash()


def _crash() -> None:
    import traceback  # noqa: PLC0415 - only a crash needs it

    _complain(traceback.format_exc().rstrip("\n"))
    _complain("error: the generator itself failed; this is a bug of it. Nothing was written.")
    sys.exit(_FAULT)


@contextmanager
def uninterrupted() -> Generator[None]:
    """Let Ctrl-C wait until the block is over: for writing files, which takes no time.

    Raises:
        KeyboardInterrupt: It came meanwhile; its text says that the block was finished.
    """
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield  # Ctrl-C raises nothing here: it goes to another thread, or is somebody else's
        return
    came: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        del frame
        came.append(number)

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if came:
        raise KeyboardInterrupt("Interrupted; what was to be written had been written.")
