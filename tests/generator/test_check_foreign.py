"""Classes that others wrote, provided as services: noted, never a violation; one's own: judged."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from extracting import CASES, scan, write_files
from projects import build_project, make_project, run_catalog

from toolset_gen.diagnostics import Diagnostic
from toolset_gen.notes import say_notes

CASE_17 = (CASES / "17_docstring_mismatch.py").read_text(encoding="utf-8")
EXPECTED = [
    (2, "SVC002", "'dst'"),
    (6, "SVC010", "the type 'int', the annotation 'str'"),
    (7, "SVC004", "'target', which is no parameter"),
    (8, "SVC003", "'force'"),
    (15, "SVC011", "'Ghost', which resolves to nothing"),
]


def provide(root: Path, text: str, *, name: str = "S", own: bool = False) -> Path:
    """Write a project that provides a class of another package, or of its own, as a service."""
    plugin = f'"""Provides."""\n\nfrom others import {name}\nfrom toolset import Context\n\nprovides = ["s"]\n\n\ndef apply(ctx: Context) -> None:\n    """Provide it."""\n    ctx.provide("s", {name}())\n'
    extra = f'boot = false\n[tool.toolset.catalog.services]\ns = "others:{name}"\n'
    make_project(root, {"plugin.py": plugin}, extra)
    (root / "src" / "others").mkdir()
    (root / "src" / "others" / "__init__.py").write_text(text, encoding="utf-8")
    if own:
        config = (root / "pyproject.toml").read_text()
        (root / "pyproject.toml").write_text(config.replace('["pkg"]', '["pkg", "others"]'))
    return root


def found(root: Path) -> list[Diagnostic]:
    return sorted(build_project(root).diagnostics, key=lambda d: d.line)


def test_mismatches_of_others_are_noted(tmp_path: Path) -> None:
    """Every mismatch has its line and words, is a note, and stops nothing."""
    root = provide(tmp_path, CASE_17)
    notes = found(root)
    assert [(d.line, d.rule) for d in notes] == [(line, rule) for line, rule, _ in EXPECTED]
    assert all(words in d.message for d, (_, _, words) in zip(notes, EXPECTED, strict=True))
    assert {(d.severity, d.path) for d in notes} == {("note", "others/__init__.py")}
    assert run_catalog(root, "generate").returncode == 0
    assert run_catalog(root, "verify").returncode == 0


def test_mismatches_of_ones_own_are_violations(tmp_path: Path) -> None:
    """The same class in a scanned package stops generation, and lacks more."""
    judged = found(provide(tmp_path, CASE_17, own=True))
    assert {(line, rule) for line, rule, _ in EXPECTED} <= {(d.line, d.rule) for d in judged}
    assert {d.severity for d in judged} == {"error"}
    assert "SVC001" in {d.rule for d in judged}


NO_NOTES = '''
class S:
    def bare(self, a, b=1): ...
    def prose(self, a, b=1):
        """Say nothing of parameters."""
    def sphinx(self, a):
        """Say it another way.

        :param a: This.
        :param c: That.
        """
    def fine(self, a: int, _private: int = 0) -> int:
        """Be documented.

        Args:
            a: This.

        Raises:
            ValueError: Always.
        """
    def of_base(self, *args: int, **more: int) -> None:
        """Take all.

        Args:
            *args: All.
            **more: More.
        """
    def _hidden(self, a):
        """Hide.

        Args:
            b: No parameter.
        """
'''


def test_what_others_leave_out_is_no_note(tmp_path: Path) -> None:
    """Missing docstrings, annotations and sections of others are theirs; so is what is private."""
    assert found(provide(tmp_path, NO_NOTES)) == []


@pytest.mark.parametrize(
    ("signature", "rule"),
    [
        ("def f(self) -> Nowhere: ...", "TYP001"),
        ("def f(self, a: 'Nowhere') -> None: ...", "TYP001"),
        ("def f(self, *args: P.args, **kwargs: P.kwargs) -> None: ...", ""),
        ("def f(self, a: T) -> list[T]: ...", ""),
        ("def f(self) -> _Private: ...", ""),
    ],
)
def test_types_of_others_are_noted(tmp_path: Path, signature: str, rule: str) -> None:
    """A type that does not exist is a note; a private one is the others' affair."""
    head = "from typing import ParamSpec, TypeVar\nP = ParamSpec('P')\nT = TypeVar('T')\nclass _Private: ...\n"
    notes = found(provide(tmp_path, f"{head}class S:\n    {signature}\n"))
    assert [(d.rule, d.severity) for d in notes] == ([(rule, "note")] if rule else [])


def test_inherited_mismatch_is_noted_once(tmp_path: Path) -> None:
    """A member of a base class is noted at its definition, under the service that has it."""
    text = CASE_17.replace("class S", "class Base") + "\n\nclass S(Base):\n    pass\n"
    assert [d.target for d in found(provide(tmp_path, text))] == [
        "s.move.dst",
        "s.move.src",
        "s.move.target",
        "s.move.force",
        "s.move.Ghost",
    ]


def test_notes_can_be_suppressed(tmp_path: Path) -> None:
    """A note has a rule and a target, and is accepted like a violation."""
    root = provide(tmp_path, CASE_17)
    with (root / "pyproject.toml").open("a") as file:
        file.write(
            '[[tool.toolset.catalog.suppress]]\nrule = "SVC011"\ntarget = "s.*"\nreason = "known"\n'
        )
    assert "SVC011" not in {d.rule for d in found(root)}
    assert len(found(root)) == len(EXPECTED) - 1


def test_notes_in_every_form(tmp_path: Path) -> None:
    """Text has a line a note, JSON every field, GitHub one notice that names no file of the change."""
    root = provide(tmp_path, CASE_17)
    _ = run_catalog(root, "generate")
    text = run_catalog(root, "verify").stdout.splitlines()
    assert [line.split(": note ")[0] for line in text[:-1]] == [
        f"others/__init__.py:{line}" for line, _, _ in sorted(EXPECTED)
    ]
    assert text[-1] == "The catalog is fresh."
    said = json.loads(run_catalog(root, "verify", "--format", "json").stdout)
    assert {item["severity"] for item in said["violations"]} == {"note"}
    assert said["status"] == "fresh"
    (line,) = run_catalog(root, "verify", "--format", "github").stdout.splitlines()
    assert line.startswith("::notice title=")
    assert line.count("%0A") == len(EXPECTED) - 1


def notes(services: int, each: int) -> list[Diagnostic]:
    return [
        Diagnostic("SVC004", "x.py", n, "wrong", "", "note", target=f"s{s:03}.m{n}")
        for s in range(services)
        for n in range(each)
    ]


@pytest.mark.parametrize(
    ("services", "each", "lines", "last"),
    [
        (1, 20, 20, "[s000.m19]"),
        (1, 21, 1, "(and 20 more of 's000')"),
        (20, 3, 20, "(and 2 more of 's019')"),
        (420, 5, 21, "… and 400 more services; `--format json` lists every note"),
    ],
)
def test_said_notes_are_bounded(services: int, each: int, lines: int, last: str) -> None:
    """However many notes there are, what is said of them stays short and says what is left."""
    said = list(say_notes(notes(services, each)))
    assert len(said) == lines
    assert said[-1].endswith(last)


FIELDS = {
    "dataclass": (
        (
            "from dataclasses import InitVar, dataclass, field\n@dataclass(frozen=True)\nclass S:\n    a: int\n"
            "    b: list[int] = field(default_factory=list)\n    c: InitVar[int] = 0\n    _d: int = 1\n"
        ),
        [("a", "a: int", ""), ("b", "b: list[int]", "<factory: list>")],
    ),
    "model": (
        (
            "from pydantic import BaseModel, Field\nclass S(BaseModel):\n"
            "    a: int = Field(3, description='An a.')\n    b: str\n"
        ),
        [("a", "a: int", "3"), ("b", "b: str", "")],
    ),
    "named tuple": (
        "from typing import NamedTuple\nclass S(NamedTuple):\n    a: int\n    b: str = 'x'\n",
        [("a", "a: int", ""), ("b", "b: str", "'x'")],
    ),
    "enum": ("import enum\nclass S(enum.Enum):\n    A = 1\n", [("A", "A", "1")]),
    "typed dict": ("from typing import TypedDict\nclass S(TypedDict):\n    a: int\n", []),
}


@pytest.mark.parametrize("kind", FIELDS)
def test_fields_are_attributes(tmp_path: Path, kind: str) -> None:
    """What a class holds is read from the service that it is; its shape is among the types."""
    text, expected = FIELDS[kind]
    catalog = scan(tmp_path, f"# === FILE: others.py\n{text}", s="others:S").model.catalog
    (service,) = catalog.services
    assert [(m.name, m.signature, m.default) for m in service.members] == expected
    assert [(t.path, t.kind) for t in catalog.types] == [("others.S", kind)]


def test_documented_fields_are_no_violation(tmp_path: Path) -> None:
    """A field that `Field` describes needs no docstring, whether it has a default or not."""
    text = (
        '"""Models."""\n\nfrom pydantic import BaseModel, Field\n\n\nclass S(BaseModel):\n    """Hold."""\n\n'
        "    a: int = Field(description='An a.')\n    b: int\n"
    )
    judged = found(provide(tmp_path, text, own=True))
    assert [(d.rule, d.target) for d in judged] == [("SVC009", "s.b")]


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("others:Engine", "others.Engine"),
        ("others._core.engine:Engine", "others.Engine"),
        ("others.api:Engine", "others.api.Engine"),
    ],
)
def test_services_have_the_path_that_is_written(tmp_path: Path, target: str, path: str) -> None:
    """A class of another package is named as the project names it, unless that is private; its types as published."""
    text = """# === FILE: others/__init__.py
from others._core.engine import Engine, Part as Part
# === FILE: others/api.py
from others._core.engine import Engine
# === FILE: others/_core/__init__.py
# === FILE: others/_core/engine.py
class Hidden: ...
class Part: ...
class Engine:
    def part(self) -> Part: ...
    def hidden(self) -> Hidden: ...
# === FILE: host.py
"""
    _ = scan(tmp_path, text)
    model = scan(tmp_path, "# === FILE: host.py\n", s=target).model
    (service,) = model.catalog.services
    assert service.path == path
    assert [m.returns.type_refs for m in service.members] == [
        ("others.Part",),
        ("others._core.engine.Hidden",),
    ]


def test_class_of_a_package_behind_is_found(tmp_path: Path) -> None:
    """A package that only publishes what another defines leads there."""
    (service,) = scan(tmp_path, "x = 1\n", s="pytest:MonkeyPatch").model.catalog.services
    assert (service.path, service.class_name) == ("pytest.MonkeyPatch", "MonkeyPatch")
    assert "setattr" in {member.name for member in service.members}


@pytest.mark.parametrize("case", sorted(CASES.glob("*.py")), ids=lambda path: path.stem[:2])
def test_cases_of_others_have_no_other_notes(tmp_path: Path, case: Path) -> None:
    """Of all collected cases only the one whose docstring is wrong is noted; none is a violation."""
    if case.stem[:2] in {"13", "14"}:  # no class of theirs can be provided
        return
    write_files(tmp_path / "src", case.read_text(encoding="utf-8").replace("pkg", "others"))
    module, name = _first_class(tmp_path / "src")
    services = f'boot = false\n[tool.toolset.catalog.services]\ns = "{module}:{name}"\n'
    made = build_project(make_project(tmp_path, {}, services))
    rules = {d.rule for d in made.diagnostics if d.rule != "SVC008"}
    assert bool(rules) == case.stem.startswith("17")


def _first_class(root: Path) -> tuple[str, str]:
    """Find the last class of the last module; a function is put into one."""
    modules = sorted(path for path in root.rglob("*.py") if "class " in path.read_text())
    if not modules:
        path = next(path for path in sorted(root.rglob("*.py")) if "def " in path.read_text())
        path.write_text(path.read_text() + '\n\nclass Made:\n    """Made."""\n')
        modules = [path]
    name = re.findall(r"^class (\w+)", modules[-1].read_text(), re.MULTILINE)[-1]
    return ".".join(modules[-1].relative_to(root).with_suffix("").parts), name


def test_enum_members_need_no_annotation(tmp_path: Path) -> None:
    """Members of an enum of one's own that is provided are not asked for an annotation."""
    text = '''"""Levels."""

import enum

from toolset import Context


class Level(enum.Enum):
    """How loud."""

    LOW = 1
    """Low."""
    HIGH = enum.auto()
    """High."""

    def shout(self, text) -> str:
        """Shout a text.

        Args:
            text: What to shout.

        Returns:
            The text.
        """
        return text


def apply(ctx: Context) -> None:
    """Provide it."""
    ctx.provide("level", Level.LOW)
'''
    extra = 'boot = false\n[tool.toolset.catalog.services]\nlevel = "pkg.levels:Level"\n'
    found = build_project(make_project(tmp_path, {"levels.py": text}, extra)).diagnostics
    assert [(one.rule, one.target) for one in found] == [("SVC006", "level.shout.text")]
