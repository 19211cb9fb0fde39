"""What mounted code prints: written through to the host's streams, tagged with the mount."""

# Maintainers: `print` and `console` of one mount. A line's tag is written when its first character
# is; the streams are looked up when something is printed, so that a host may redirect them.

from __future__ import annotations

import builtins
import sys
from typing import Final, Protocol, TextIO

from toolset.services.tools.wire import cut

__all__ = ["Console", "Output"]


_LONGEST: Final = 1_000_000  # characters of one call: the host's output is for people


class _Writer(Protocol):
    def write(self, text: str, /) -> object: ...


class Output:
    """The tagged output of one mount.

    Args:
        mount_id: The mount, such as `dyn-1`.
        stdout: Where `print` writes; the host's standard output by default.
        stderr: Where warnings and errors go; the host's standard error by default.
    """

    def __init__(
        self, mount_id: str, stdout: TextIO | None = None, stderr: TextIO | None = None
    ) -> None:
        self._tag = f"[cordis:{mount_id}] "
        self._streams = {"stdout": stdout, "stderr": stderr}
        self._open_line = {"stdout": False, "stderr": False}

    def print(
        self,
        *values: object,
        sep: str | None = " ",
        end: str | None = "\n",
        file: _Writer | None = None,
        flush: bool = False,
    ) -> None:
        """Print as the builtin does, tagged unless it goes to a file of the caller's own.

        Args:
            values: What to print.
            sep: Text between the values.
            end: Text after the last.
            file: Where to write instead.
            flush: Whether to flush the stream.
        """
        if file is not None:  # one in memory: mounted code opens no others
            builtins.print(*values, sep=sep, end=end, file=file)
            return
        between = " " if sep is None else sep
        after = "\n" if end is None else end
        self.write("stdout", between.join(map(str, values)) + after, flush=flush)

    def write(self, name: str, text: str, *, flush: bool = False) -> None:
        """Write text to one of the host's streams, a tag at the head of each line.

        Args:
            name: `stdout` or `stderr`.
            text: The text.
            flush: Whether to flush the stream.
        """
        stream: TextIO | None = self._streams[name] or getattr(sys, name)
        if stream is None or not text:  # a host without a console
            return
        if len(text) > _LONGEST:
            text = cut(text, _LONGEST) + "\n"
        tagged = "".join(
            line if not index and self._open_line[name] else self._tag + line
            for index, line in enumerate(text.splitlines(keepends=True))
        )
        self._open_line[name] = not text.endswith("\n")
        try:
            stream.write(tagged)
        except UnicodeEncodeError:  # a lone surrogate, or a terminal that is not UTF-8
            encoding = stream.encoding or "utf-8"
            stream.write(tagged.encode(encoding, "backslashreplace").decode(encoding))
        if flush:
            stream.flush()


class Console:
    """`console` as mounted code knows it: `log`, `info` and `debug` to stdout, `warn` and `error` to stderr.

    Args:
        output: The tagged output of the mount.
    """

    __slots__ = ("__output",)

    def __init__(self, output: Output) -> None:
        self.__output = output

    def __say(self, name: str, values: tuple[object, ...]) -> None:
        self.__output.write(name, " ".join(map(str, values)) + "\n")

    def log(self, *values: object) -> None:
        """Print values to the host's standard output.

        Args:
            values: What to print.
        """
        self.__say("stdout", values)

    info = debug = log

    def warn(self, *values: object) -> None:
        """Print values to the host's standard error.

        Args:
            values: What to print.
        """
        self.__say("stderr", values)

    error = warn
