"""Say what mounted code did wrong: its own lines of a traceback, and what it returned instead."""

# Maintainers: words about failures of running code. It reads exceptions and values and changes
# none. Whatever it calls on a mounted object (`repr`, `str`) may run mounted code, so nothing here
# is done while the guard is not held.

from __future__ import annotations

import asyncio
import dis
import inspect
import itertools
import os
import reprlib
import traceback
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Final, cast

from toolset.cordis.deadline import mount_of, place_in
from toolset.cordis.errors import (
    MountEndedError,
    MountError,
    MountRecursionError,
    MountResultError,
    MountTimeoutError,
)
from toolset.cordis.parse_errors import FORMS
from toolset.cordis.traps import way_out
from toolset.runtime.closing import closes
from toolset.runtime.errors import PluginTypeError, ToolsetError
from toolset.runtime.plugins import Plugin, read_plugin
from toolset.services.tools.wire import cut

__all__ = [
    "check_plugin",
    "ended",
    "in_one_line",
    "is_fault",
    "is_interrupt",
    "mount_error",
    "name_hint",
    "note_places",
    "own_lines",
    "tidy",
]

_LONGEST: Final = 2000
_LONGEST_LINE: Final = 200
_LONGEST_NAME: Final = 80
_LONGEST_LOGGED: Final = 300
_PACKAGE: Final = os.path.dirname(os.path.dirname(__file__)) + os.sep  # noqa: PTH120 - file names are text here
_FRAMES: Final = 8
_CAUSES: Final = 3
_LINES_OF_RECURSION: Final = 6  # where it begins: the others are the same again
_OTHER_NAMES: Final = {
    "null": "Python writes `None`",
    "undefined": "Python writes `None`",
    "true": "Python writes `True`",
    "false": "Python writes `False`",
    "this": "Python methods take `self` as their first parameter",
    "require": "Python writes `import name`",
    "module": "end the code with `return plugin`",
    "exports": "end the code with `return plugin`",
    "process": "the host's process is withheld",
    "JSON": "Python writes `import json` and `json.dumps(...)`, `json.loads(...)`",
    "Math": "Python writes `import math`",
    "Promise": "Python awaits coroutines: `async def` and `await`",
    "setTimeout": 'declare apply.inject = ["timer"] and call `ctx.set_timeout(...)`',
    "setInterval": 'declare apply.inject = ["timer"] and call `ctx.set_interval(...)`',
    "plugin": "a plugin needs no decorator: return the function, `name` and `inject` as its attributes",
    "tool": "write `@harness.tool`",
    "define_tool": "write `harness.define_tool(...)`",
    "register_tool": "write `harness.register_tool(ctx, ...)`",
    "Next": "write `from toolset import Next`, or leave the annotation out",
    "Context": "leave the annotation out: the context is what `apply(ctx)` receives",
    **{
        key: f'a service is read from the context: declare apply.inject = ["{key}"] and use `ctx.{key}`'
        for key in ("fs", "timer", "tools", "shell", "web")
    },
    "ctx": "the context is what `apply(ctx)` receives; it does not exist before",
}


_OTHER_MEMBERS: Final = {
    "length": "Python writes `len(x)`",
    "then": "Python writes `result = await x` and goes on in the next line",
    "catch": "Python writes `try: result = await x` and `except Error as error:`",
    "push": "Python writes `items.append(x)`",
    "forEach": "Python writes `for item in items:`",
    "includes": "Python writes `x in items`",
    "toString": "Python writes `str(x)`",
    "toUpperCase": "Python writes `text.upper()`",
    "toLowerCase": "Python writes `text.lower()`",
}


def is_interrupt(error: BaseException) -> bool:
    """Tell an exception that is meant for the host from one that mounted code made itself.

    Args:
        error: What came out of mounted code.

    Returns:
        True for a Ctrl-C of the person at the terminal, for a cancellation of the running task, and
        when the coroutine or generator that caught it is being closed.
    """
    if isinstance(error, GeneratorExit):
        return closes(error)
    if isinstance(error, asyncio.CancelledError):
        task = asyncio.current_task()
        return task is not None and task.cancelling() > 0
    return isinstance(error, KeyboardInterrupt) and not _raised_by_mount(error.__traceback__)


def _raised_by_mount(trace: TracebackType | None) -> bool:
    """Tell whether the innermost instruction is a `raise` that stands in mounted code."""
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None or not mount_of(trace.tb_frame.f_code.co_filename):
        return False
    return dis.opname[trace.tb_frame.f_code.co_code[trace.tb_lasti]] == "RAISE_VARARGS"


def mount_error(error: BaseException, mount_id: str) -> MountError:
    """Describe what mounted code raised, with the mount's own lines only.

    Args:
        error: What it raised.
        mount_id: The mount.

    Returns:
        The error to raise in its place.
    """
    described = isinstance(error, MountError) and error.mount_id == mount_id  # and says so itself
    said = str(error) if described else f"{mount_id} raised {_one_line(error)}"
    parts = [said, *own_lines(error, mount_id)]
    for cause in _causes(error):
        parts += [f"because of {_one_line(cause)}", *own_lines(cause, mount_id)]
    hint = name_hint(error) or _call_hint(error, mount_id)
    if hint and hint not in parts[0]:  # a callback's error has it as a note already
        parts.append(hint)
    return MountError("\n".join(parts), mount_id)


def ended(error: MountTimeoutError, mount_id: str) -> MountTimeoutError:
    """Make the error of an ended stretch anew, without traceback.

    Args:
        error: What was raised in the stretch.
        mount_id: The mount.

    Returns:
        An equal error; of a recursion, one with the mount and its lines, which nothing could look
        up where it was raised.
    """
    if isinstance(error, MountRecursionError) and not error.mount_id:
        return error.again(mount_id, own_lines(error, mount_id)[:_LINES_OF_RECURSION])
    return error.again()


def _one_line(error: BaseException) -> str:
    kind = type(error)
    text = "".join(traceback.format_exception_only(error)).strip()
    for note in getattr(error, "__notes__", ()):
        if isinstance(note, _Places):
            text = text.replace(f"\n{note}", "", 1)
    text = kind.__name__ + text.removeprefix(f"{kind.__module__}.{kind.__qualname__}").removeprefix(
        kind.__qualname__
    )
    return _printable(cut(text, _LONGEST))


def _printable(text: str) -> str:
    """Replace what would steer the terminal that a message is shown on."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text)


class _Places(str):
    """A note that has the lines of a mount: what describes them itself leaves it out."""

    __slots__ = ()


def note_places(error: BaseException, mount_id: str) -> None:
    """Note on an exception which lines of a mount it passed through, and the way out of a name.

    Args:
        error: What mounted code raised.
        mount_id: The mount.
    """
    said = type(error) is MountError or isinstance(error, MountTimeoutError | MountEndedError)
    if said:  # its text has the line
        return
    hint = name_hint(error)
    lines = own_lines(error, mount_id)
    head = f"raised in {mount_id}:"
    notes = cast("list[object]", error.__dict__.setdefault("__notes__", []))
    if not isinstance(cast("object", notes), list):
        return  # its own idea of notes
    # One for each mount, the last: it has passed through more of its lines.
    notes[:] = [n for n in notes if not (isinstance(n, _Places) and n.startswith(head))]
    if hint and hint not in notes:
        notes.append(hint)
    if lines:
        notes.append(_Places("\n".join([head, *lines])))


def _causes(error: BaseException) -> Iterator[BaseException]:
    for _ in range(_CAUSES):
        if isinstance(error, MountError):
            return  # its text tells its causes, and what it was raised beside is none
        cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        if cause is None:
            return
        if isinstance(cause, MountError) and cause.mount_id:
            return  # of another mount, or told already
        yield cause
        error = cause


def is_fault(error: BaseException) -> bool:
    """Tell a fault of this package from what mounted code did wrong.

    Args:
        error: What was raised while mounted code ran, or for it.

    Returns:
        Whether it came out of this package's own code, and was not raised on purpose.
    """
    if isinstance(error, ToolsetError | OSError):
        return False
    frame, trace = None, error.__traceback__
    while trace is not None:
        frame, trace = trace.tb_frame, trace.tb_next
    name = "" if frame is None else frame.f_code.co_filename
    called_badly = isinstance(error, TypeError) and name.endswith("membrane.py")
    # What asyncio throws where a coroutine of the mount has yielded what is no future.
    bad_yield = isinstance(error, RuntimeError) and name.endswith("ending.py")
    return name.startswith(_PACKAGE) and not called_badly and not bad_yield


def in_one_line(error: BaseException, mount_id: str) -> str:
    """Describe a failure of a mount for the host's log.

    Args:
        error: What was raised.
        mount_id: The mount.

    Returns:
        What happened, and the innermost line of the mount that it passed through.
    """
    text = str(error) if isinstance(error, MountError) else _one_line(error)
    said = " ".join(text.partition("\n")[0].split())
    lines = own_lines(error, mount_id) or own_lines(error.__cause__ or error, mount_id)
    places = [line.strip() for line in lines if line.startswith("  line ")]
    where = f" ({mount_id}, {places[-1]})" if places else ""
    return f"{cut(said, _LONGEST_LOGGED)}{where}"


def tidy(name: str) -> str:
    """Make a name or label that stays in its line, in reports and messages.

    Args:
        name: As mounted code has it.

    Returns:
        The name without line breaks and what else cannot be shown, and not longer than a line.
    """
    left = len(name) - _LONGEST_NAME
    shown = name[:_LONGEST_NAME]
    if not shown.isprintable():
        shown = "".join(char if char.isprintable() else " " for char in shown)
    return (" ".join(shown.split()) or "<anonymous>") + "…" * (left > 0)


def own_lines(error: BaseException, mount_id: str) -> list[str]:
    """List the lines of a mount that an exception passed through, outermost first.

    Args:
        error: The exception.
        mount_id: The mount.

    Returns:
        Two lines for each place: where, and the text that stands there.
    """
    stack = [
        (frame, line)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if mount_of(frame.f_code.co_filename) == mount_id
    ]
    left_out = len(stack) - 2 * _FRAMES
    if left_out > 0:
        stack = stack[:_FRAMES] + stack[-_FRAMES:]
    shown: list[str] = []
    summaries = traceback.StackSummary.extract(iter(stack), lookup_lines=True)
    for index, ((frame, line), summary) in enumerate(zip(stack, summaries, strict=True)):
        if index == _FRAMES and left_out > 0:
            shown.append(f"  … {left_out} more")
        shown.append(f"  line {line}, {place_in(frame.f_code)}")
        if summary.line:
            shown.append(f"    {cut(summary.line, _LONGEST_LINE)}")
    return shown


def name_hint(error: BaseException) -> str:
    """Give the way out for an unknown name that is withheld, unimported or of another language.

    Args:
        error: What was raised.

    Returns:
        A sentence, or an empty text.
    """
    if isinstance(error, AttributeError) and error.name in _OTHER_MEMBERS:
        return f"likely cause: {_OTHER_MEMBERS[error.name]}"
    if not isinstance(error, NameError) or isinstance(error, UnboundLocalError):
        return ""
    name: str = error.name or ""
    if name in _OTHER_NAMES:
        return f"likely cause: {_OTHER_NAMES[name]}"
    way = way_out(name)
    return f"`{name}`: {way}" if way else ""


def _call_hint(error: BaseException, mount_id: str) -> str:
    """Give the way out for a plugin that is called by its own code, or asks too much of its config."""
    if not isinstance(error, TypeError | AttributeError):
        return ""
    if isinstance(error, TypeError) and "required positional argument: 'ctx'" in str(error):
        return (
            "likely cause: the runtime calls the plugin: return it, do not call it (`return apply`)"
        )
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    own = [one for one in frames if mount_of(one.f_code.co_filename) == mount_id]
    if "NoneType" in str(error) and own and own[-1].f_locals.get("config", error) is None:
        return (
            "likely cause: `config` is None: a mounted plugin is configured by the defaults of its "
            "`Config`, a pydantic model, and this one has none"
        )
    return ""


def check_plugin(value: object, mount_id: str) -> Plugin:
    """Read the plugin that code returned; refuse a value that is none, saying what it is.

    Args:
        value: What the code returned.
        mount_id: The mount.

    Returns:
        The plugin.

    Raises:
        MountResultError: It is no plugin.
        MountError: Looking at it raised.
    """
    try:
        return read_plugin(value)
    except PluginTypeError as error:
        hint = _result_hint(value)
        problem = " ".join(_printable(error.problem).split())
        raise MountResultError(mount_id, _describe(value), hint, problem) from None
    except BaseException as error:
        if is_interrupt(error):
            raise
        raise mount_error(error, mount_id) from error


def _describe(value: object) -> str:
    if value is None:
        return "None"
    kind = type(value).__name__
    if inspect.iscoroutine(value) or inspect.isgenerator(value) or inspect.isasyncgen(value):
        return f"a {kind} of `{value.__name__}`"
    if isinstance(value, Mapping):
        keys = [repr(key) for key in itertools.islice(cast("Mapping[object, object]", value), 8)]
        return f"a {kind} with the keys {', '.join(keys) or '(none)'}"
    article = "an" if kind[:1] in "aeiouAEIOU" else "a"
    return f"{article} {kind}: {reprlib.repr(value)}"


def _result_hint(value: object) -> str:
    if _has_key(value, "apply"):
        return f"a mapping is no plugin: make its keys the attributes of an object\n{FORMS}"
    if inspect.iscoroutine(value):
        value.close()  # nobody will await it
    if inspect.iscoroutine(value) or inspect.isgenerator(value) or inspect.isasyncgen(value):
        return f"return the function itself, do not call it: `return apply`\n{FORMS}"
    if value is None or isinstance(value, str | int | float | list | tuple | set):
        return FORMS
    if hasattr(value, "execute"):
        return f"a tool is registered in `apply`: `ctx.tools.register(...)`\n{FORMS}"
    return f"it has no callable `apply`\n{FORMS}"


def _has_key(value: object, key: str) -> bool:
    return isinstance(value, Mapping) and key in cast("Mapping[object, object]", value)
