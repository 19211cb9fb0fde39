"""What mounted code may import, and what it gets in place of what it may not."""

# Maintainers: ONE table decides, and the documentation page is rendered from it. A module is given
# as itself, given in part, or withheld; what is withheld stays quiet until it is called, so that
# code which only asks for it (`try: import x`, annotations, `isinstance`) goes on. This is guidance
# for honest code, not a wall: nothing here tries to stop code that goes looking for a way around.

from __future__ import annotations

import builtins
import difflib
import importlib
from collections.abc import Callable, Iterable, Mapping
from typing import Final, Literal, NamedTuple, NoReturn

from toolset.cordis.errors import WithheldError, WithheldImportError

__all__ = ["TABLE", "Row", "Withheld", "make_builtins", "way_out"]


def _declare(key: str) -> str:
    """Say how a plugin asks for a service: by an attribute of its own, not by a variable."""
    return f'declare apply.inject = ["{key}"] (in a class: inject = ["{key}"]) and use'


FS: Final = f"{_declare('fs')} `ctx.fs` (`await ctx.fs.read_text(path)`, …)"
SHELL: Final = f"{_declare('shell')} `await ctx.shell.run(command)`"
WEB: Final = f"{_declare('web')} `await ctx.web.fetch(url)`"
TIMER: Final = (
    f"{_declare('timer')} `await ctx.timer.sleep(seconds)` or `ctx.set_timeout(...)`; "
    "background work is `ctx.spawn(coroutine)`"
)
DESIGN: Final = "it is withheld by design; put what needs it into an installed plugin and inject it"


class Row(NamedTuple):
    """What happens to some names.

    Attributes:
        kind: `given` as themselves, given in `part`, or `withheld`; `builtin` for names that need
            no import and are withheld.
        names: Modules, or builtins.
        instead: What to use in place of what is withheld.
        parts: The members that are given all the same.
    """

    kind: Literal["given", "part", "withheld", "builtin"]
    names: tuple[str, ...]
    instead: str = ""
    parts: tuple[str, ...] = ()


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


TABLE: Final[tuple[Row, ...]] = (
    Row(
        "given",
        _names(
            """__future__ abc array base64 binascii bisect calendar cmath collections colorsys
            contextlib contextvars copy csv dataclasses datetime decimal difflib enum fnmatch
            fractions functools graphlib hashlib heapq hmac html ipaddress itertools json keyword
            math numbers operator pprint pydantic random re secrets shlex statistics string struct
            textwrap traceback types typing typing_extensions unicodedata uuid weakref zlib zoneinfo"""
        ),
    ),
    Row(
        "part",
        ("io",),
        FS,
        _names(
            """StringIO BytesIO TextIOWrapper IOBase RawIOBase BufferedIOBase TextIOBase
            UnsupportedOperation SEEK_SET SEEK_CUR SEEK_END"""
        ),
    ),
    Row("part", ("pathlib",), FS, _names("PurePath PurePosixPath PureWindowsPath")),
    Row("part", ("os",), FS, _names("PathLike linesep sep")),
    Row(
        "part",
        ("time",),
        TIMER,
        _names(
            """altzone asctime ctime daylight gmtime localtime mktime monotonic monotonic_ns
            perf_counter perf_counter_ns process_time process_time_ns strftime strptime struct_time
            time time_ns timezone tzname"""
        ),
    ),
    Row(
        "part",
        ("asyncio",),
        TIMER,
        _names(
            """CancelledError TimeoutError InvalidStateError QueueEmpty QueueFull Condition Event
            Lock Queue PriorityQueue LifoQueue Semaphore"""
        ),
    ),
    Row("part", ("urllib",), WEB, ("parse", "error")),
    Row("part", ("http",), WEB, ("HTTPStatus", "HTTPMethod")),
    Row(
        "part",
        ("subprocess",),
        SHELL,
        _names("CalledProcessError SubprocessError TimeoutExpired DEVNULL PIPE STDOUT"),
    ),
    Row(
        "part",
        ("logging",),
        "use `ctx.logger`, which names the plugin, or `print`",
        _names("CRITICAL DEBUG ERROR INFO WARNING"),
    ),
    Row(
        "part",
        ("sys",),
        "use `print` and `console.error` for output, and a tool's parameters for input",
        _names("byteorder float_info maxsize version version_info"),
    ),
    Row(
        "part",
        ("toolset",),
        "the names given to mounted code are `harness`, `event` and `Service`",
        _names("Next Service ToolsetError define_tool event harness tool"),
    ),
    Row("withheld", _names("shutil tempfile glob fileinput dbm shelve sqlite3 linecache"), FS),
    Row(
        "withheld",
        _names(
            """multiprocessing pty os.system os.popen os.execv os.execvp os.spawnv os.posix_spawn
            os.fork os.kill asyncio.create_subprocess_exec asyncio.create_subprocess_shell"""
        ),
        SHELL,
    ),
    Row(
        "withheld",
        _names(
            """socket ssl ftplib smtplib socketserver requests httpx httpx2 aiohttp urllib3
            asyncio.open_connection asyncio.start_server"""
        ),
        WEB,
    ),
    Row("withheld", _names("threading concurrent sched selectors signal"), TIMER),
    Row(
        "withheld",
        _names(
            """builtins code codeop ctypes faulthandler gc importlib inspect marshal mmap pdb pickle
            pkgutil resource runpy site sysconfig tracemalloc"""
        ),
        DESIGN,
    ),
    Row("builtin", ("open",), FS),
    Row("builtin", ("input",), "nobody sits at the keyboard: make it a parameter of a tool"),
    Row(
        "builtin",
        ("exit", "quit"),
        "return from the function; a plugin is ended with cordis_unmount",
    ),
    Row("builtin", ("breakpoint",), "use `print` or `ctx.logger.debug`"),
    Row("builtin", ("help",), 'call cordis_inspect with what: "api"'),
)

_MOUNTED_FORM: Final = {"toolset": "toolset.cordis.names"}
_INTERACTIVE: Final = ("copyright", "credits", "license")


def _row_of(module: str) -> Row | None:
    return next((row for row in TABLE if row.kind != "builtin" and module in row.names), None)


def _instead(name: str, row: Row) -> str:
    return next((each.instead for each in TABLE if name in each.names), row.instead)


class Withheld:
    """Stands for a module, a member of one, or a builtin that mounted code is not given.

    It is quiet until it is used: reading members gives more of the same.

    Args:
        name: What it stands for, such as `os.path`.
        row: Its row of the table.
    """

    __slots__ = ("__name", "__row")

    __name: str
    __row: Row

    def __init__(self, name: str, row: Row) -> None:
        object.__setattr__(self, "_Withheld__name", name)
        object.__setattr__(self, "_Withheld__row", row)

    def __getattr__(self, member: str) -> object:
        if member.startswith("__") and member.endswith("__"):
            raise AttributeError(member)
        if member in self.__row.parts and self.__name in self.__row.names:
            return _part(self.__name, member)
        return Withheld(f"{self.__name}.{member}", self.__row)

    def __refuse(self, *_: object, **__: object) -> NoReturn:
        raise WithheldError(self.__name, _instead(self.__name, self.__row))

    __call__ = __enter__ = __aenter__ = __iter__ = __aiter__ = __await__ = __refuse
    __contains__ = __len__ = __setitem__ = __delitem__ = __setattr__ = __delattr__ = __refuse
    __mro_entries__ = __fspath__ = __truediv__ = __refuse

    def __exit__(self, *_: object) -> None:
        """Complete the protocol: `with` asks for both methods before it enters."""

    async def __aexit__(self, *_: object) -> None:
        """Complete the protocol: `async with` asks for both methods before it enters."""

    def __getitem__(self, key: object) -> Withheld:
        """Allow `Queue[int]` in an annotation, refuse `environ["HOME"]`."""
        if not self.__name.rpartition(".")[2][:1].isupper():
            self.__refuse()
        return self

    def __or__(self, _: object) -> Withheld:
        return self

    __ror__ = __or__

    def __bool__(self) -> bool:
        return True

    def __instancecheck__(self, _: object) -> bool:
        return False

    __subclasscheck__ = __instancecheck__

    def __repr__(self) -> str:
        return f"<{self.__name}, withheld: {_instead(self.__name, self.__row)}>"


def _part(module: str, member: str) -> object:
    """Give a member of a module that is given in part; it may be a submodule."""
    source = _MOUNTED_FORM.get(module, module)
    found: object = getattr(importlib.import_module(source), member, None)
    return importlib.import_module(f"{module}.{member}") if found is None else found


def way_out(name: str) -> str:
    """Give what to write for a name that mounted code used without importing it.

    Args:
        name: The name.

    Returns:
        A sentence, or an empty text when the name is no known module.
    """
    row = _row_of(name)
    if row is None:
        return ""
    if row.kind == "given":
        return f"did you forget `import {name}`?"
    return _instead(name, row)


def import_module(
    name: str,
    globals: Mapping[str, object] | None = None,  # noqa: A002 - the import statement's own names
    locals: Mapping[str, object] | None = None,  # noqa: A002
    fromlist: Iterable[str] | None = (),
    level: int = 0,
) -> object:
    """Import for mounted code, as its import statements do.

    Args:
        name: The dotted name.
        globals: Not used.
        locals: Not used.
        fromlist: Names that will be read from the module.
        level: Number of dots of a relative import.

    Returns:
        The module, or what stands for it.

    Raises:
        WithheldImportError: Nothing is known of the module.
    """
    del globals, locals
    if level:
        raise WithheldImportError("." * level + name, "mounted code is one text: it has no package")
    root, *inner = name.split(".")
    row = _row_of(root)
    if row is None:
        raise WithheldImportError(f"import {name}", _unknown(root))
    if row.kind == "given":
        return builtins.__import__(name, None, None, tuple(fromlist or ()), 0)
    found: object = Withheld(root, row)
    if fromlist:
        for each in inner:
            found = getattr(found, each)
    return found


def _unknown(root: str) -> str:
    given = next(row.names for row in TABLE if row.kind == "given")
    near = difflib.get_close_matches(root, given, 1, 0.75)
    guess = f"did you mean `{near[0]}`? " if near else ""
    return (
        f"{guess}mounted code imports the pure standard modules ({', '.join(given[1:])}); "
        "what needs more belongs into an installed plugin that provides a service"
    )


def make_builtins() -> dict[str, object]:
    """Make the builtins of one mount.

    Returns:
        The host's builtins less the withheld ones, which refuse when they are called.
    """
    names: dict[str, object] = dict(vars(builtins))
    for name in _INTERACTIVE:
        names.pop(name, None)
    for row in TABLE:
        if row.kind == "builtin":
            names.update({name: Withheld(name, row) for name in row.names})
    importer: Callable[..., object] = import_module
    names["__import__"] = importer
    return names
