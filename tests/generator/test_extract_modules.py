"""Links between modules: imports, re-exports, stubs, public paths."""

from __future__ import annotations

from pathlib import Path

import pytest
from extracting import scan, scan_case, scan_folder, write_files

STAR = "from pkg.other import *\n"


def test_checker_imports_resolve(tmp_path: Path) -> None:
    """A name that only type checkers import leads to its definition, and is no public member."""
    found = scan_case(tmp_path, "03")
    load = found.member("pkg.svc.Svc.load")
    assert load.signature == "async load(uid: int) -> U"
    assert load.returns.type_refs == ("pkg.model.User",)
    assert found.offered("pkg") == ["pkg.Svc"]
    assert found.offered("pkg.svc") == []


def test_reexports_are_one_entry(tmp_path: Path) -> None:
    """Each object has one entry, under its public path and name."""
    found = scan_case(tmp_path, "12")
    assert found.offered("pkg") == ["pkg.Engine", "pkg.build", "pkg.Extra"]
    assert found.offered("pkg._impl.core") == []
    build = found.function("pkg.build")
    assert (build.signature, build.path) == ("build() -> Engine", "pkg._impl.core.make")
    assert build.returns.type_refs == ("pkg.Engine",)
    assert found.type("pkg._impl.core.Engine").path == "pkg.Engine"
    assert found.model.public["pkg._impl.core.Engine"] == "pkg.Engine"
    assert "pkg._impl.core.Unlisted" not in found.model.public


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ('__all__ = ("A",)', ["A"]),
        ('__all__: list[str] = ["A"]\n__all__.extend(["b"])', ["A", "b"]),
        ('__all__ = ["A"]\n__all__.append("b")', ["A", "b"]),
        (f'{STAR}from pkg import other\n__all__ = ["b", *other.__all__]', ["b", "C"]),
        (f'{STAR}from pkg import other\n__all__ = other.__all__ + ["b"]', ["C", "b"]),
        (f"{STAR}from pkg import other as o\n__all__ = []\n__all__ += o.__all__", ["C"]),
        ("from pkg.other import C as C", ["A", "b", "C"]),
        ("from pkg.other import C", ["A", "b"]),
        ('__all__ = ["Ghost", "A"]', ["A"]),
    ],
)
def test_all_is_followed(tmp_path: Path, code: str, names: list[str]) -> None:
    """Every usual form of `__all__` is read; a name in it that nothing defines is nothing."""
    found = scan(
        tmp_path,
        f"""# === FILE: pkg/__init__.py
# === FILE: pkg/other.py
from pkg._c import C
__all__ = ["C"]
# === FILE: pkg/_c.py
class C: ...
# === FILE: pkg/mod.py
{code}
class A: ...
def b(): ...
_private = 1
""",
    )
    module = found.describer.library.module("pkg.mod")
    assert module is not None
    offered = found.describer.library.public_names(module)
    assert [n for n, _ in offered if found.describer.library.find(f"pkg.mod.{n}")] == names


def test_computed_all_is_reported(tmp_path: Path) -> None:
    """An `__all__` that is computed is reported and what is constant in it kept."""
    found = scan(tmp_path, "__all__ = ['a'] + [n for n in dir()]\ndef a(): ...\n")
    (diagnostic,) = found.model.diagnostics
    assert (diagnostic.rule, diagnostic.line, diagnostic.severity) == ("SRC007", 1, "warning")
    assert found.offered("case") == ["case.a"]


def test_opaque_all_hides_nothing(tmp_path: Path) -> None:
    """Where nothing of an `__all__` is constant, the underscore rule decides."""
    found = scan(tmp_path, "__all__ = [n for n in dir()]\ndef a(): ...\ndef _b(): ...\n")
    assert found.offered("case") == ["case.a"]


def test_stub_and_source_merge(tmp_path: Path) -> None:
    """Types come from the stub, docs and real defaults from the source."""
    found = scan_case(tmp_path, "16")
    run = found.function("pkg.fast.run")
    assert (run.signature, run.summary) == ("run(a: int, b: int = 1) -> str", "Run it.")
    limit = found.function("pkg.fast.LIMIT")
    assert (limit.signature, limit.default) == ("LIMIT: int", "3")
    pick, native = found.function("pkg.fast.pick"), found.function("pkg.fast.native")
    assert (len(pick.signatures), pick.summary) == (2, "Pick.")
    assert (len(native.signatures), native.summary) == (2, "")
    module = found.describer.library.module("pkg.fast")
    assert module is not None
    assert module.doc is not None
    assert module.doc.summary == "Module doc."
    assert found.describer.library.scanned == ("pkg", "pkg.fast")
    place = found.describer.location("pkg.fast.native")
    assert place is not None
    assert place.path == "pkg/fast.pyi"


def test_stub_classes_merge(tmp_path: Path) -> None:
    """Members of a class in a stub take docs and defaults from the source; the rest is kept."""
    found = scan(
        tmp_path,
        '''# === FILE: case.py
class A:
    """A."""
    def f(self, x=3):
        """F."""
    def extra(self): ...
    async def g(self): yield 1
# === FILE: case.pyi
from typing import AsyncIterator
class A:
    def f(self, x: int = ...) -> None: ...
    def g(self) -> AsyncIterator[int]: ...
''',
    )
    members = {item.name: item for item in found.type("case.A").members}
    assert members["f"].signature == "f(x: int = 3) -> None"
    assert members["f"].summary == "F."
    assert (members["g"].kind, members["g"].returns.item) == ("async generator", "int")
    assert "extra" in members


def test_circular_imports_end(tmp_path: Path) -> None:
    """Modules that import each other in a circle leave a name unresolved and end."""
    found = scan(
        tmp_path,
        """# === FILE: pkg/__init__.py
from pkg.a import X
from pkg.b import *
# === FILE: pkg/a.py
from pkg.b import X
from pkg.b import *
def f(x: X) -> "Y": ...
# === FILE: pkg/b.py
from pkg.a import X
from pkg.a import *
""",
    )
    assert found.function("pkg.a.f").signature == "f(x: X) -> Y"
    assert not found.describer.library.is_known("pkg.a.X")


@pytest.mark.parametrize(
    ("code", "signature"),
    [
        ("if TYPE_CHECKING:\n    def f(x: int): ...\nelse:\n    def f(x): ...", "f(x: int)"),
        ("if not TYPE_CHECKING:\n    def f(x): ...\nelse:\n    def f(x: int): ...", "f(x: int)"),
        ("try:\n    def f(a): ...\nexcept ImportError:\n    def f(b): ...", "f(a)"),
        (
            "import sys\nif sys.version_info < (3, 12): \n    def f(old): ...\nelse:\n    def f(new): ...",
            "f(new)",
        ),
    ],
)
def test_branches_have_an_order(tmp_path: Path, code: str, signature: str) -> None:
    """Of two branches one counts, whichever Python runs the generator."""
    found = scan(tmp_path, f"from typing import TYPE_CHECKING\n{code}\n")
    assert found.function("case.f").signature == signature


def test_names_resolve_through_scopes(tmp_path: Path) -> None:
    """Relative imports, submodules, nested classes and other names for things lead home."""
    found = scan(
        tmp_path,
        """# === FILE: pkg/__init__.py
# === FILE: pkg/sub/__init__.py
from ..base import Thing as T
from . import deep
Alias = T
# === FILE: pkg/sub/deep.py
import pkg.base as base
import pkg.base
from .. import base as b3
class Outer:
    class Inner: ...
    def f(self, a: Inner, b: base.Thing, c: pkg.base.Thing, d: b3.Thing) -> "Outer.Inner": ...
def g(x: "pkg.sub.Alias", y: Nowhere): ...
# === FILE: pkg/base.py
class Thing: ...
""",
    )
    f = found.member("pkg.sub.deep.Outer.f")
    assert [item.type_refs for item in f.parameters] == [
        ("pkg.sub.deep.Outer.Inner",),
        ("pkg.base.Thing",),
        ("pkg.base.Thing",),
        ("pkg.base.Thing",),
    ]
    assert f.returns.type_refs == ("pkg.sub.deep.Outer.Inner",)
    g = found.function("pkg.sub.deep.g")
    assert [item.type_refs for item in g.parameters] == [("pkg.base.Thing",), ()]


def test_shortest_public_path_wins(tmp_path: Path) -> None:
    """Of several public paths the shortest is shown; a package's unlisted import counts last."""
    found = scan(
        tmp_path,
        """# === FILE: pkg/__init__.py
from pkg.api import A
from pkg._hidden import H
__all__ = ["A"]
# === FILE: pkg/api/__init__.py
from pkg.api.impl import A, B
from pkg._hidden import K
# === FILE: pkg/api/impl.py
class A: ...
class B: ...
# === FILE: pkg/_hidden.py
class H: ...
class K: ...
""",
    )
    public = found.describer.library.public
    assert public("pkg.api.impl.A") == "pkg.A"
    assert public("pkg.api.impl.B") == "pkg.api.impl.B"
    assert public("pkg._hidden.K") == "pkg.api.K"
    assert public("pkg._hidden.H") is None
    assert public("typing.Any") == "typing.Any"


def test_aliases_are_types(tmp_path: Path) -> None:
    """Declared aliases are types of their own; their names are followed."""
    found = scan(
        tmp_path,
        '''
from typing import NewType, TypeAlias, TypeVar, Union

T = TypeVar("T")
class A: ...
Json: TypeAlias = "dict[str, Json] | A | None"
"""A JSON value.

With more prose.
"""
Plain = Union[A, int]
Uid = NewType("Uid", int)
COUNT = 3
def f(x: Json, y: Plain, z: Uid, t: T) -> T: ...
''',
    )
    json = found.type("case.Json")
    assert (json.kind, json.summary, json.description) == (
        "alias",
        "A JSON value.",
        "With more prose.",
    )
    assert json.declaration == "Json: TypeAlias = dict[str, Json] | A | None"
    assert json.type_refs == ("case.A", "case.Json")
    assert found.type("case.Plain").declaration == "Plain = Union[A, int]"
    assert found.type("case.Uid").declaration == 'Uid = NewType("Uid", int)'
    assert found.describer.describe_type("case.COUNT") is None
    assert [item.type_refs for item in found.function("case.f").parameters] == [
        ("case.Json",),
        ("case.Plain",),
        ("case.Uid",),
        (),
    ]


def test_modules_yield_to_their_names(tmp_path: Path) -> None:
    """A package that binds a function over the module it comes from offers the function, read or not."""
    text = (
        "# === FILE: pkg/__init__.py\nfrom .delete import delete\nfrom .box import Box\n"
        "# === FILE: pkg/delete.py\ndef delete(it: int) -> int: ...\nclass Eraser: ...\n"
        "# === FILE: pkg/box.py\nfrom . import delete\nfrom .delete import Eraser\n"
        "class Box:\n    def rub(self, with_: Eraser) -> int: ...\n    wipe = delete\n"
        "# === FILE: host/__init__.py\n"
    )
    names = write_files(tmp_path, text)
    assert names == ["host", "pkg"]
    for result in (scan_folder(tmp_path, "pkg"), scan_folder(tmp_path, "host", box="pkg:Box")):
        library = result.describer.library
        assert library.canonical("pkg.delete") == "pkg.delete.delete"
        assert library.canonical("pkg.delete.delete") == "pkg.delete.delete"
        assert library.canonical("pkg.delete.Eraser") == "pkg.delete.Eraser"
        assert result.function("pkg.delete").signature == "delete(it: int) -> int"


def test_lost_modules_end_the_search(tmp_path: Path) -> None:
    """Names of modules that cannot be read lead nowhere, and not in ever longer circles."""
    text = (
        "# === FILE: pkg/__init__.py\nfrom .delete import delete\nfrom .a import x\n"
        "# === FILE: pkg/delete.py\ndef delete(:\n"
        "# === FILE: pkg/a.py\nfrom pkg.b.y import x\n"
        "# === FILE: pkg/b.py\nfrom pkg.a.x import y\n"
    )
    result = scan(tmp_path, text)
    assert [item.path for item in result.model.diagnostics] == ["pkg/delete.py"]
    library = result.describer.library
    for path in ("pkg.delete", "pkg.delete.delete", "pkg.x", "pkg.a.x", "pkg.b.y"):
        assert library.definition(path) is None
        assert library.canonical(path).startswith("pkg.")
