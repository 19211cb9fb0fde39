"""What mounted code may import and call, row by row of the sandbox's own table."""

from __future__ import annotations

import pytest
from mounting import evaluated

from toolset.cordis.errors import MountError
from toolset.cordis.traps import TABLE


def names(*kinds: str) -> list[str]:
    """List the names of some rows, without members."""
    return [name for row in TABLE if row.kind in kinds for name in row.names if "." not in name]


PARTS = [
    (name, part) for row in TABLE if row.kind == "part" for name in row.names for part in row.parts
]


@pytest.mark.parametrize("module", names("given"))
def test_given_module_is_itself(run, module: str) -> None:
    """A module that is given is the host's own."""
    found = run(evaluated(f"import {module}\nreturn {module}"))
    assert found is __import__(module)


@pytest.mark.parametrize(("module", "part"), PARTS, ids=[".".join(pair) for pair in PARTS])
def test_given_part_is_real(run, module: str, part: str) -> None:
    """A member that is given of a module works, though the rest is withheld."""
    assert "withheld" not in repr(run(evaluated(f"from {module} import {part} as x\nreturn x")))


@pytest.mark.parametrize("module", names("part", "withheld"))
def test_withheld_raises_when_called(run, module: str) -> None:
    """Importing a withheld module and naming its members is quiet; calling one names the way out."""
    code = f"import {module} as m\nthing = m.thing.deep\nx = thing or None\nthing()\nreturn 1"
    with pytest.raises(MountError) as caught:
        run(evaluated(code))
    row = next(row for row in TABLE if module in row.names)
    assert f"`{module}.thing.deep` is not available to mounted code: {row.instead}" in str(
        caught.value
    )
    assert "line 4, at the top level" in str(caught.value)


@pytest.mark.parametrize("name", names("builtin"))
def test_withheld_builtin_raises(run, name: str) -> None:
    """A withheld builtin can be named, and raises when it is called."""
    with pytest.raises(MountError, match=f"`{name}` is not available to mounted code"):
        run(evaluated(f"f = {name}\nf()\nreturn 1"))


WAYS = [
    ("import os\nos.system('ls')", "ctx.shell"),
    ("import os\nos.listdir('.')", "ctx.fs"),
    ("import os\nos.environ['HOME']", "ctx.fs"),
    ("import os.path as p\np.exists('x')", "ctx.fs"),
    ("from pathlib import Path\nPath('x')", "ctx.fs"),
    ("from os import *", "name what you import"),
    ("with open('x') as f: pass", "ctx.fs"),
    ("import io\nio.open('x')", "ctx.fs"),
    ("import subprocess\nsubprocess.run(['ls'])", "ctx.shell"),
    ("import asyncio\nasyncio.create_subprocess_shell('ls')", "ctx.shell"),
    ("import urllib.request\nurllib.request.urlopen('x')", "ctx.web"),
    ("from urllib.request import urlopen\nurlopen('x')", "ctx.web"),
    ("import httpx\nasync with httpx.AsyncClient() as c: pass", "ctx.web"),
    ("import time\ntime.sleep(1)", "ctx.timer.sleep"),
    ("import asyncio\nawait asyncio.sleep(1)", "ctx.timer.sleep"),
    ("import threading\nclass T(threading.Thread): pass", "ctx.spawn"),
    ("from concurrent.futures import ThreadPoolExecutor as E\nE()", "ctx.spawn"),
    ("from toolset import Context\nContext()", "harness"),
    ("import numpy", "`import numpy` is not available"),
    ("import jsn", "did you mean `json`?"),
    ("from . import x", "has no package"),
    ("os.getcwd()", "ctx.fs"),
    ("json.dumps(1)", "did you forget `import json`?"),
    ("x = null", "Python writes `None`"),
    ("require('fs')", "Python writes `import name`"),
    ("setTimeout(f, 1)", "ctx.set_timeout"),
]


@pytest.mark.parametrize(("code", "way"), WAYS, ids=[row[0][:40] for row in WAYS])
def test_way_out_is_named(run, code: str, way: str) -> None:
    """Each wrong turn is told the right one."""
    with pytest.raises(MountError) as caught:
        run(evaluated(f"{code}\nreturn 1"))
    assert way in str(caught.value)


PROBES = {
    "globals": "return 'os' not in globals()",
    "name error": "try:\n    os\n    x = False\nexcept NameError:\n    x = True\nreturn x",
    "import error": "try:\n    import numpy\n    x = False\nexcept ImportError:\n    x = True\nreturn x",
    "module not found": "try:\n    import numpy\nexcept ModuleNotFoundError:\n    return True",
    "import": "try:\n    import os, requests\nexcept ImportError:\n    os = None\nreturn bool(os)",
    "builtin": "try:\n    open\n    x = callable(open)\nexcept NameError:\n    x = False\nreturn x",
    "annotation": "import pathlib, asyncio\ndef f(p: pathlib.Path | None, q: asyncio.Future[int]): pass\n"
    "return True",
    "isinstance": "import pathlib\nreturn not isinstance('x', pathlib.Path)",
    "hasattr": "import os\nreturn hasattr(os, 'fork') and not hasattr(os, '__file__')",
    "exception": "import asyncio\ntry:\n    raise asyncio.TimeoutError\nexcept asyncio.TimeoutError:\n"
    "    return True",
    "parse": "import urllib.parse\nreturn urllib.parse.quote('a b') == 'a%20b'",
    "parse from": "from urllib.parse import quote\nreturn quote('a b') == 'a%20b'",
    "clock": "import time\nreturn time.time() > 0",
    "memory file": "import io, csv\nf = io.StringIO()\ncsv.writer(f).writerow([1])\n"
    "return f.getvalue() == '1\\r\\n'",
    "given name": "import toolset\nreturn toolset.Service is Service and toolset.event is event",
}


@pytest.mark.parametrize("code", PROBES.values(), ids=PROBES)
def test_probing_is_quiet(run, code: str) -> None:
    """Code that only asks whether something is there goes on."""
    assert run(evaluated(code)) is True
