"""Tools are read by booting their plugins in a process of their own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from toolset.catalog import PluginEntry
from toolset_gen.boot import Booted, Booter, boot_plan
from toolset_gen.errors import BootError

REGISTRY = PluginEntry("ToolRegistry", "toolset.services.tools:ToolRegistry", provides=("tools",))
PLUGINS = {
    "good": '''
from toolset import tool

@tool
async def reverse(text: str) -> str:
    """Reverse a text.

    Args:
        text: Text to reverse.
    """
    return text[::-1]

def apply(ctx):
    print("noise on standard output")
    ctx.tools.register(reverse)
''',
    "raising": "def apply(ctx):\n    raise RuntimeError('no\\nluck')\n",
    "exiting": "def apply(ctx):\n    raise SystemExit(7)\n",
    "ending": "import os\ndef apply(ctx):\n    os._exit(7)\n",
    "wailing": "import os, sys\ndef apply(ctx):\n    print('oh no', file=sys.stderr, flush=True)\n    os._exit(7)\n",
    "unimportable": "import nothing_of_that_name\n",
    "hanging": "async def apply(ctx):\n    import asyncio\n    await asyncio.Event().wait()\n",
    "spinning": "def apply(ctx):\n    while True:\n        pass\n",
    "waiting": "inject = ['tools', 'nobody']\ndef apply(ctx):\n    pass\n",
    "silent": "def apply(ctx):\n    pass\n",
    "no_plugin": "apply = 3\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("boot")
    for name, text in PLUGINS.items():
        head = "" if "inject" in text else "inject = ['tools']\n"
        (root / f"{name}.py").write_text(head + text)
    return root


@pytest.fixture(scope="module")
def booter(folder: Path) -> Iterator[Booter]:
    with Booter(folder, ["."], 1.5) as booter:
        booter.boot(REGISTRY, ())  # the first request waits for the imports
        yield booter


def boot(booter: Booter, name: str) -> Booted:
    return booter.boot(PluginEntry(name, name, inject=("tools",)), (REGISTRY,))


def test_tools_are_read_as_models_see_them(booter: Booter) -> None:
    """A booted plugin's tools come with description and schemas, whatever it prints."""
    booted = boot(booter, "good")
    assert (booted.failure, booted.providers) == ("", ("ToolRegistry",))
    (tool,) = booted.tools
    assert (tool.name, tool.plugin, tool.description) == ("reverse", "good", "Reverse a text.")
    properties = json.loads(tool.parameters)["properties"]
    assert properties["text"]["description"] == "Text to reverse."
    assert json.loads(tool.output)["type"] == "string"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("raising", "it raised RuntimeError: no luck"),
        ("exiting", "SystemExit: 7"),
        ("ending", "it ended the process it was booted in (exit code 7)"),
        ("wailing", "it ended the process it was booted in (exit code 7, last words: oh no)"),
        ("unimportable", "it raised ModuleNotFoundError: No module named 'nothing_of_that_name'"),
        ("hanging", "it did not settle within 1.5 seconds"),
        ("spinning", "it did not settle within 1.5 seconds"),
        ("waiting", "it is pending"),
        ("no_plugin", "PluginTypeError"),
    ],
)
def test_failure_has_its_reason(booter: Booter, name: str, expected: str) -> None:
    """A plugin that does not become active says why in one line, and the next one boots as ever."""
    booted = boot(booter, name)
    assert expected in booted.failure
    assert "\n" not in booted.failure
    assert booted.tools == ()
    assert boot(booter, "silent").failure == ""


@pytest.mark.parametrize(
    ("body", "reason", "unimported", "missing"),
    [
        (
            "import nothing_such.deep",
            (
                "module 'beside' could not be imported for 'broken': it raised ModuleNotFoundError: "
                "No module named 'nothing_such'"
            ),
            "beside",
            "nothing_such",
        ),
        (
            "raise RuntimeError('first\\nlast')",
            "module 'beside' could not be imported for 'broken': it raised RuntimeError: first last",
            "beside",
            "",
        ),
        (
            "x = (",
            (
                "module 'broken' could not be imported: it raised SyntaxError: '(' was never closed "
                "(beside.py, line 1)"
            ),
            "broken",
            "",
        ),
        (
            "raise SystemExit(3)",
            "module 'beside' could not be imported for 'broken': it raised SystemExit: 3",
            "beside",
            "",
        ),
        (
            "from silent import nothing_such",
            (
                "module 'beside' could not be imported for 'broken': it raised ImportError: "
                "cannot import name 'nothing_such' from 'silent'"
            ),
            "beside",
            "",
        ),
    ],
)
def test_import_failure_names_the_module(
    tmp_path: Path, body: str, reason: str, unimported: str, missing: str
) -> None:
    """Of a module that cannot be imported, the one that failed is named, and what it lacks."""
    (tmp_path / "beside.py").write_text(body)
    (tmp_path / "silent.py").write_text("")
    (tmp_path / "broken.py").write_text("import beside\ndef apply(ctx):\n    pass\n")
    with Booter(tmp_path, ["."], 20) as booter:
        booted = boot(booter, "broken")
    assert booted.failure.startswith(reason)
    assert (booted.unimported, booted.missing) == (unimported, missing)


def test_failure_has_its_place(booter: Booter, folder: Path) -> None:
    """What a plugin raised comes with the file and line it was raised at."""
    frames = boot(booter, "raising").frames
    assert (str(folder / "raising.py"), 3) in [tuple(frame) for frame in frames]


def test_booting_writes_nothing(booter: Booter, folder: Path) -> None:
    """Booting leaves no byte code and no other file behind."""
    boot(booter, "good")
    assert sorted(p.name for p in folder.rglob("*")) == sorted(f"{name}.py" for name in PLUGINS)


def test_relative_path_is_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What this process imports from a relative folder, the child imports from the same one."""
    (folder / "beside").mkdir()
    (folder / "beside" / "neighbour.py").write_text(PLUGINS["silent"])
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend("beside")
    with Booter(folder, ["."], 20) as booter:
        assert boot(booter, "neighbour").failure == ""
    (folder / "beside" / "neighbour.py").unlink()
    (folder / "beside").rmdir()


def test_docstrings_survive_optimizing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What models are told does not depend on whether Python strips docstrings elsewhere."""
    monkeypatch.setenv("PYTHONOPTIMIZE", "2")
    with Booter(folder, ["."], 20) as booter:
        (tool,) = boot(booter, "good").tools
    assert tool.description == "Reverse a text."


def test_no_process_is_explained(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the system gives no process, that is said, and no fault of the sources."""
    monkeypatch.setattr(sys, "executable", str(folder / "nothing"))
    with pytest.raises(BootError, match=r"cannot be started: .*No such file") as caught:
        Booter(folder, ["."], 20)
    assert caught.value.exit_code == 3


def test_plan_mounts_providers_first() -> None:
    """Plugins that inject the registry are booted after what they need, cycles notwithstanding."""
    fs = PluginEntry("fs", "fs", inject=("disk",), provides=("fs",))
    disk = PluginEntry("disk", "disk", inject=("fs",), provides=("disk",))
    reader = PluginEntry("reader", "reader", inject=("fs", "tools"))
    maybe = PluginEntry("maybe", "maybe", optional=("tools",))
    plan = boot_plan([reader, fs, maybe], [REGISTRY, fs, disk])
    assert [(p.name, [q.name for q in needed]) for p, needed in plan] == [
        ("maybe", ["ToolRegistry"]),
        ("reader", ["disk", "fs", "ToolRegistry"]),
    ]


def test_hanging_plugin_ends_without_parent(folder: Path) -> None:
    """The process ends by itself when a plugin hangs and nobody is left to end it."""
    reading, writing = os.pipe()
    request = {
        "plugin": "spinning",
        "providers": [REGISTRY.path],
        "seconds": -4,
        "catalog": "",
        "typed_context": "",
    }
    done = subprocess.run(
        [sys.executable, "-m", "toolset_gen.boot_child", str(writing)],
        input=json.dumps(request).encode() + b"\n",
        pass_fds=(writing,),
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), *sys.path])},
        check=False,
        timeout=30,
    )
    os.close(reading)
    os.close(writing)
    assert done.returncode == -signal.SIGALRM
