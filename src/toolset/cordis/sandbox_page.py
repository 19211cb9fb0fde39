"""The documentation page about what mounted code is given, rendered from the sandbox's own table."""

# Maintainers: prose around `traps.TABLE`. tests/cordis/test_sandbox_page.py holds docs/sandbox.md
# to it; `python -m toolset.cordis.sandbox_page` prints the page.

from __future__ import annotations

from typing import Final, Literal

from toolset.cordis.traps import TABLE

__all__ = ["sandbox_page"]

_HEAD: Final = """\
<!-- Generated from the sandbox's own table: python -m toolset.cordis.sandbox_page > docs/sandbox.md -->

# What mounted code is given

`cordis_mount` runs Python that a model wrote, inside your process. **This is not a security
boundary.** The sandbox keeps honest code from taking a wrong turn and tells it the right one; code
that looks for a way around finds one, and the services it injects reach the real files, processes
and networks. Treat mounting like shell access: enable it only for models and sessions that may have
a shell, and ask a person first where that matters.

The code is the body of an async function: `await` and `return` work at its top level, and it must
`return` a plugin. Each mount has a namespace of its own. What its top level imports and defines
(functions, classes) is global to it, as in a module; its other variables are local to the body, and
functions share them by closure.

## Names

| name | what it is |
|---|---|
| the builtins | as in any module, less the withheld ones below |
| `print(...)`, `console.log/info/warn/error(...)` | the host's output and error streams, each line tagged `[cordis:dyn-1]` |
| `harness.tool`, `harness.define_tool`, `harness.register_tool` | make and register tools |
| `event`, `Service` | declare events, write services as classes |

`import toolset` gives the same names. Of the service `tools`, mounted code gets `register`, and
`schemas` and `get`, which describe tools and give nothing to call; the rest is withheld. `shell` and
`web`, which the tables below name, are there where the host provides them: this package has `fs` and
`timer`.

The code may have 200,000 characters; longer code is refused before it is parsed.
"""

_TIME: Final = """\
## Time

A synchronous stretch, from one return to the event loop to the next, may take `vm_timeout_ms`. A
stretch that takes longer is ended, in evaluation, in `apply`, and later in listeners, tools, tasks and
the methods of services that mounted code provides; also when it catches `BaseException` in a loop. The
error names the line. Host code that mounted code called is given up to a second to finish first, so
that nothing of the host's is left half done. Code within its time runs at full speed: the stack is
looked at a few times a second while temporary plugins exist, by an interval timer (`SIGALRM`) that is
gone with the last of them; the host's own handler and timer are put back. A handler or timer that the
host sets meanwhile is noticed within half a second, or at the next mount: the host's signals still
reach it, and the bound holds again. Between the two it does not.

The host's checks of a mounted tool, of its arguments and of its value against the schemas that the
mount declared, are bounded like the mount's own code: a `pattern` that backtracks without end fails
the call, a second after the bound: until then the event loop waits.

Unmounting takes `mount_timeout_ms` at most. Tasks, listeners and calls of the mount are cancelled at
once and have half of that time to clean up; disposers that await something have the same half and are
cancelled after it; and what does not let itself be cancelled (a loop with `except BaseException`) is
ended by force, at the line it waits at, and named in the log. Async generators that were left half-way
are closed with the mount, within the same time. The same holds when the host disposes the toolset, so that no mount keeps a
process from ending.

What cannot be ended:

- **one long call into C** that never looks for signals, such as `sum(range(10**10))` or sorting a huge
  list: the process waits for it. Only another process could bound that;
- what runs beside the event loop's thread, or another process: a service may start such work for the
  mount, and only that service can end it;
- where no signal can interrupt, in an event loop outside the main thread or on Windows, a thread
  watches instead. It ends Python code only, not a blocking call, and before Python 3.12 no loop
  that catches every exception;
- code that switches the bound off: the handler and the timer are the process's, and a mount that gets
  hold of `signal` by one of the roads below can take them away.
"""

_LIMITS: Final = """\
## The context, and what stays open

`apply` receives a restricted context. `dir(ctx)` lists what it has; the framework's inside (`root`,
`fiber`, `registry`, `plugin`, `inject`, `extend`, `isolate`, `intercept`, `mixin`, `accessor`,
`parent`, …) is withheld by design. Contexts and fibers do not pass through attributes, return values,
awaited values, iterators or the arguments of callbacks. These roads are known and stay open, for this
is no boundary:

- closures, frames, tracebacks and the garbage collector, for code that walks them;
- attributes of the modules that are given: most have modules of their own among their attributes, also
  withheld ones (`contextlib.os`, `random._os`, `dataclasses.sys`, and `functools.__builtins__` with
  the real `__import__`), which lead to everything else, `signal` included;
- an object of the host's that holds a context several objects deep, and one in an exception;
- functions inside containers that are handed to a service: they are called with what the host gives;
- the arguments that a host plugin passes to the methods of a service which mounted code provides, and
  `_caller` of such a service.

One more limit is known:

- modules are shared with the host: what mounted code sets on one (`json.dumps = ...`) is there for
  everybody, and stays when the plugin is unmounted.
"""


def sandbox_page() -> str:
    """Render the page.

    Returns:
        Markdown.
    """
    return (
        "\n".join(
            (
                _HEAD,
                "## Modules given as themselves\n",
                ", ".join(f"`{name}`" for name in _names("given")) + ".\n",
                "Their submodules are given too. Any other module is an `ImportError` that says so.\n",
                "## Given in part\n",
                "| module | what is given | for the rest |",
                "|---|---|---|",
                *(
                    f"| {_code(row.names)} | {_code(row.parts)} | {row.instead} |"
                    for row in TABLE
                    if row.kind == "part"
                ),
                "",
                "## Withheld\n",
                "Importing these is quiet, and so is asking for them (`try: import os`, annotations,",
                "`isinstance`). Calling what they contain raises an error that names the way:\n",
                "| names | instead |",
                "|---|---|",
                *(
                    f"| {_code(row.names)} | {row.instead} |"
                    for row in TABLE
                    if row.kind == "withheld"
                ),
                *(
                    f"| {_code(row.names)} | {row.instead} |"
                    for row in TABLE
                    if row.kind == "builtin"
                ),
                "",
                _TIME,
                _LIMITS,
            )
        ).rstrip()
        + "\n"
    )


def _names(kind: Literal["given", "withheld"]) -> list[str]:
    return [name for row in TABLE if row.kind == kind for name in row.names]


def _code(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


if __name__ == "__main__":
    print(sandbox_page(), end="")  # noqa: T201 - the purpose of running it
