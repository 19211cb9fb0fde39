"""Services, events, plugins, configurations and types of packages built on the runtime."""

from __future__ import annotations

from pathlib import Path

import pytest
from extracting import scan

from toolset_gen.extract import Location

PACKAGE = '''# === FILE: pkg/__init__.py
from pkg.greeter import Greeter
from pkg.events import greeted
__all__ = ["Greeter", "greeted"]
# === FILE: pkg/names.py
KEY = "greeter"
class Names:
    GREETED = "greeter/greeted"
# === FILE: pkg/greeter.py
from __future__ import annotations
from pydantic import BaseModel, Field
from toolset import Service
from pkg.names import KEY
from pkg.model import Greeting
from pkg.events import greeted

class GreeterConfig(BaseModel, extra="forbid"):
    """How to greet."""

    word: str = Field("hello", min_length=1, description="The word to say.")

class Greeter(Service, key=KEY):
    """Greets people.

    With more prose.
    """

    inject = ["timer"]
    Config = GreeterConfig

    def start(self) -> None:
        self.ctx.on(greeted, self.heard)

    def heard(self, greeting: Greeting) -> None:
        """Hear.

        Args:
            greeting: What was said.
        """

    async def greet(self, name: str) -> Greeting:
        """Greet somebody.

        Args:
            name: Who.

        Returns:
            What was said.

        Raises:
            Silence: Nobody speaks.
        """
        self.ctx.emit(greeted, Greeting("hi"))
        return self.ctx.timer.now()
# === FILE: pkg/model.py
from dataclasses import dataclass
from enum import Enum

class Silence(Exception):
    """Nobody spoke."""

class Tone(Enum):
    LOUD = 1

@dataclass(frozen=True)
class Greeting:
    """What was said."""

    text: str
    tone: Tone = Tone.LOUD
# === FILE: pkg/events.py
import toolset as t
from pkg import names, model

@t.event(names.Names.GREETED, mode="emit")
def greeted(greeting: "model.Greeting") -> None:
    """Tell that somebody was greeted.

    Args:
        greeting: What was said.
    """
'''


def test_services_are_described(tmp_path: Path) -> None:
    """A service has its key, public path, own members and the plugin that provides it."""
    found = scan(tmp_path, PACKAGE)
    assert not found.model.diagnostics
    (service,) = found.model.catalog.services
    assert (service.key, service.class_name, service.path) == ("greeter", "Greeter", "pkg.Greeter")
    assert (service.summary, service.description) == ("Greets people.", "With more prose.")
    assert service.plugin == "Greeter"
    assert [item.signature for item in service.members] == [
        "heard(greeting: Greeting) -> None",
        "async greet(name: str) -> Greeting",
    ]
    (raised,) = service.members[1].raises
    assert (raised.type, raised.path) == ("Silence", "pkg.model.Silence")


def test_events_are_described(tmp_path: Path) -> None:
    """An event's name may be a constant elsewhere; its users are listed."""
    found = scan(tmp_path, PACKAGE)
    (event,) = found.model.catalog.events
    assert (event.name, event.mode, event.scope) == ("greeter/greeted", "emit", "greeter")
    assert (event.path, event.is_async) == ("pkg.greeted", False)
    assert event.signature == "greeted(greeting: model.Greeting) -> None"
    assert event.producers == ("pkg.greeter.Greeter.greet",)
    assert event.listeners == ("pkg.greeter.Greeter.heard",)
    assert event.parameters[0].type_refs == ("pkg.model.Greeting",)


def test_types_are_collected(tmp_path: Path) -> None:
    """Types that signatures refer to are listed with those that they refer to."""
    types = {
        item.path: item
        for item in scan(tmp_path, PACKAGE).model.catalog.types
        if item.path.startswith("pkg.")
    }
    assert set(types) == {"pkg.model.Greeting", "pkg.model.Tone"}
    assert types["pkg.model.Greeting"].declaration == (
        "@dataclass(frozen=True)\nclass Greeting:\n    text: str\n    tone: Tone = Tone.LOUD"
    )
    assert types["pkg.model.Greeting"].type_refs == ("pkg.model.Tone",)


def test_configs_are_described(tmp_path: Path) -> None:
    """A plugin's configuration model is listed under the plugin's name."""
    found = scan(tmp_path, PACKAGE)
    (plugin,) = found.model.catalog.plugins
    assert plugin.path == "pkg:Greeter"
    assert (plugin.inject, plugin.provides, plugin.kind) == (("timer",), ("greeter",), "config")
    (config,) = found.model.catalog.configs
    assert (config.plugin, config.path, config.extra) == (
        "Greeter",
        "pkg.greeter.GreeterConfig",
        "forbid",
    )
    assert config.fields[0].constraints == ("min_length=1",)


def test_context_is_catalogued(tmp_path: Path) -> None:
    """The inherited API is read from the runtime even when only another package is scanned."""
    context = {item.name: item for item in scan(tmp_path, PACKAGE).model.catalog.context}
    assert {"on", "emit", "waterfall", "plugin", "provide", "effect", "root"} <= set(context)
    assert context["provide"].summary
    assert len(context["on"].signatures) > 1
    assert "ctx" not in context


def test_places_are_known(tmp_path: Path) -> None:
    """Everything listed has a place by its canonical path, and declarations have theirs."""
    model = scan(tmp_path, PACKAGE).model
    assert model.locations["pkg.greeter.Greeter"] == Location("pkg/greeter.py", 13)
    assert model.locations["pkg.greeter.Greeter.greet"] == Location("pkg/greeter.py", 32)
    assert model.locations["pkg.greeter.GreeterConfig.word"] == Location("pkg/greeter.py", 11)
    assert model.locations["pkg.events.greeted"] == Location("pkg/events.py", 5)
    assert [(i.kind, i.name) for i in model.declarations if i.location.path.startswith("pkg")] == [
        ("event", "greeter/greeted"),
        ("config", "Greeter"),
        ("plugin", "Greeter"),
        ("service", "greeter"),
        ("type", "Tone"),
        ("type", "Greeting"),
    ]
    assert model.public["pkg.events.greeted"] == "pkg.greeted"


EVENTS = '''# === FILE: pkg/__init__.py
# === FILE: pkg/names.py
CREATED = "user/created"
PREFIX = "user"
TWICE = "a/b"
TWICE = "c/d"
# === FILE: pkg/api.py
from toolset import event
# === FILE: pkg/events.py
from pkg import api
from pkg.api import event as ev
from pkg.names import CREATED, PREFIX, TWICE

@ev("user/deleted", mode="emit")
def deleted(uid: int) -> None:
    """Deleted."""

@api.event(CREATED, mode="bail")
def created(uid: int) -> None:
    """Created."""

@ev(f"{PREFIX}/dynamic", mode="emit")
def dynamic(uid: int) -> None:
    """Name is not a constant."""

@ev("user/deleted", mode="emit")
def again(uid: int) -> None:
    """Same name."""

@ev(TWICE, mode="emit")
def twice() -> None:
    """A name that is set twice."""

@ev("user/odd", mode="shout")
def odd() -> None:
    """No such mode."""

def event(name, mode): ...

@event("user/other", mode="emit")
def other() -> None:
    """Another decorator of that name."""
'''


def test_event_names_are_constants(tmp_path: Path) -> None:
    """Renamed decorators and constants of other modules are followed; the rest is reported."""
    model = scan(tmp_path, EVENTS).model
    assert [item.name for item in model.catalog.events] == ["user/created", "user/deleted"]
    assert model.catalog.events[1].path == "pkg.events.deleted"
    found = [(item.rule, item.path, item.line, item.target) for item in model.diagnostics]
    assert found == [
        ("EVT016", "pkg/events.py", 13, "pkg.events.dynamic"),
        ("EVT016", "pkg/events.py", 21, "pkg.events.twice"),
        ("EVT016", "pkg/events.py", 25, "pkg.events.odd"),
    ]
    assert "not a constant" in model.diagnostics[0].message


def test_events_in_classes_count(tmp_path: Path) -> None:
    """An event may be declared in a class body; it is dispatched through the class."""
    model = scan(
        tmp_path,
        """
from toolset import Context, event

class Events:
    @event("a/b", mode="emit")
    def b(x: int) -> None: ...

def f(ctx: Context) -> None:
    ctx.emit(Events.b, 1)
""",
    ).model
    (found,) = model.catalog.events
    assert (found.path, found.signature) == ("case.Events.b", "b(x: int) -> None")
    assert found.producers == ("case.f",)


def test_duplicate_events_stay_visible(tmp_path: Path) -> None:
    """Both declarations of a name are there with their places."""
    declared = [i for i in scan(tmp_path, EVENTS).model.declarations if i.name == "user/deleted"]
    assert [(item.path, item.location.line) for item in declared] == [
        ("pkg.events.deleted", 5),
        ("pkg.events.again", 17),
    ]


def test_service_keys_are_constants(tmp_path: Path) -> None:
    """A key that is not constant is reported; duplicates are declared twice, listed once."""
    model = scan(
        tmp_path,
        """# === FILE: pkg/__init__.py
import os
from toolset import Service as S
from toolset.runtime.service import Service

class Base(S):
    def base(self) -> None: ...
class A(Base, key="a"): ...
class B(Service, key=os.name): ...
class C(Service, key="a"): ...
class D(A): ...
class NotOne(dict, key="x"): ...
""",
    ).model
    (service,) = model.catalog.services
    assert (service.path, service.members[0].inherited_from) == ("pkg.A", "pkg.Base")
    (diagnostic,) = model.diagnostics
    assert (diagnostic.rule, diagnostic.line) == ("SVC012", 8)
    assert "not a constant" in diagnostic.message
    assert [i.path for i in model.declarations if i.kind == "service"] == ["pkg.A", "pkg.C"]
    assert [(i.path, i.provides) for i in model.catalog.plugins] == [
        ("pkg:A", ("a",)),
        ("pkg:C", ("a",)),
        ("pkg:D", ("a",)),
    ]


def test_external_services_are_read(tmp_path: Path) -> None:
    """A class that others wrote is described with its types, and never imported."""
    model = scan(tmp_path, "x = 1\n", web="click:Context", gone="click:Nothing").model
    (service,) = model.catalog.services
    assert (service.key, service.class_name, service.path) == (
        "web",
        "Context",
        "click.Context",
    )
    invoke = next(item for item in service.members if item.name == "invoke")
    assert len(invoke.signatures) == 2
    assert "click.core.Command" in {item.path for item in model.catalog.types}
    (diagnostic,) = model.diagnostics
    assert (diagnostic.rule, diagnostic.path, diagnostic.target) == (
        "SVC013",
        "pyproject.toml",
        "gone",
    )
    assert "click:Nothing" in diagnostic.message
    assert not model.doc_facts


PLUGINS = '''# === FILE: pkg/__init__.py
# === FILE: pkg/module_plugin.py
"""A plugin that is a module."""
from pydantic import BaseModel
from toolset import Context

KEYS = ["fs", "timer"]
name = "the-module"
inject = {"required": KEYS, "optional": ["web"]}

class Config(BaseModel):
    """Config."""
    size: int
    """The size."""

async def apply(ctx: Context, config: Config) -> None:
    ctx.provide("thing", object())
# === FILE: pkg/functions.py
import toolset
from pkg.module_plugin import Config

def worker(ctx: toolset.Context) -> None:
    """Work."""
    ctx.plugin(helper)
    ctx.plugin(local := object())
worker.inject = ("fs",)
worker.name = "hard-worker"

def helper(ctx) -> None:
    """Help."""

def plain(ctx) -> None:
    """Not a plugin by anything it says."""

def configured(ctx, config): ...
configured.Config = Config

class Classy:
    """A class plugin."""
    name = "classy"
    inject = {"fs": {"root": "x"}}
    def __init__(self, ctx: "toolset.Context") -> None: ...

class Instance:
    def __init__(self, value): self.name = value
    def apply(self, ctx): ...

bad_keys = [f"{1}"]
def bad(ctx): ...
bad.inject = bad_keys
# === FILE: pkg/no_plugin.py
def apply(template: str) -> None: ...
# === FILE: pkg/seam.py
from abc import ABC, abstractmethod
from toolset import Service
class Base(Service, ABC, key="seam"):
    @abstractmethod
    def go(self) -> None: ...
'''


def test_plugin_forms_are_found(tmp_path: Path) -> None:
    """Modules, functions, classes and mounted helpers are plugins; what only looks alike is not."""
    model = scan(tmp_path, PLUGINS).model
    found = {i.path: (i.name, i.inject, i.optional, i.kind) for i in model.catalog.plugins}
    assert found == {
        "pkg.module_plugin": ("the-module", ("fs", "timer"), ("web",), "config"),
        "pkg.functions:worker": ("hard-worker", ("fs",), (), "no config"),
        "pkg.functions:helper": ("helper", (), (), "library"),
        "pkg.functions:configured": ("configured", (), (), "config"),
        "pkg.functions:Classy": ("classy", ("fs",), (), "no config"),
        "pkg.functions:bad": ("bad", (), (), "no config"),
        "pkg.seam:Base": ("Base", (), (), "seam"),
    }
    summaries = {item.path: item.summary for item in model.catalog.plugins}
    assert summaries["pkg.module_plugin"] == "A plugin that is a module."
    provides = {item.path: item.provides for item in model.catalog.plugins}
    assert provides["pkg.module_plugin"] == ("thing",)


def test_inject_must_be_constant(tmp_path: Path) -> None:
    """An `inject` that is computed is reported where it is written."""
    model = scan(tmp_path, PLUGINS).model
    (diagnostic,) = model.diagnostics
    assert (diagnostic.rule, diagnostic.target) == ("PLG008", "bad")
    assert diagnostic.line == 30


def test_inject_keys_have_places(tmp_path: Path) -> None:
    """Each injected key is a site with its own line."""
    model = scan(tmp_path, PLUGINS).model
    sites = [s for s in model.sites if s.kind == "inject" and s.plugin == "pkg.module_plugin"]
    assert [(s.verb, s.name, s.location.line) for s in sites] == [
        ("required", "fs", 5),
        ("required", "timer", 5),
        ("optional", "web", 7),
    ]


@pytest.mark.parametrize(
    ("annotation", "kind"),
    [
        ("Missing", "unresolved"),
        ("_Private", "private"),
        ("list[_Private]", "private"),
        ("'pkg._mod.Hidden'", "unresolved"),
        ("Hidden", "private"),
        ("Int", None),
        ("T", None),
        ("Never", None),
    ],
)
def test_type_uses_are_judged(tmp_path: Path, annotation: str, kind: str | None) -> None:
    """A type in a service's signature that leads nowhere or is private is stated with its place."""
    model = scan(
        tmp_path,
        f"""# === FILE: pkg/__init__.py
# === FILE: pkg/_mod.py
class Hidden: ...
# === FILE: pkg/svc.py
from typing import Never, TypeVar
from decimal import Decimal as Int
from toolset import Service
from pkg._mod import Hidden
T = TypeVar("T")
class _Private: ...
class A(Service, key="a"):
    def f(self, x: {annotation}) -> None:
        ...
""",
    ).model
    facts = [
        (i.kind, i.location, i.subject) for i in model.type_facts if i.subject.startswith("pkg")
    ]
    expected = [(kind, Location("pkg/svc.py", 8), "pkg.svc.A.f")] if kind else []
    assert facts == expected


def test_ambiguous_and_long_types(tmp_path: Path) -> None:
    """Two types of one name, and a declaration that is cut, are stated."""
    long = "\n".join(f"    field_number_{n}: dict[str, list[int]]" for n in range(60))
    model = scan(
        tmp_path,
        f"""# === FILE: pkg/__init__.py
# === FILE: pkg/a.py
class Same: ...
# === FILE: pkg/b.py
class Same: ...
class Long:
{long}
# === FILE: pkg/svc.py
from toolset import Service
from pkg import a, b
class A(Service, key="a"):
    def f(self, x: a.Same, y: b.Same, z: b.Long) -> None: ...
""",
    ).model
    found = [(i.kind, i.path, i.others) for i in model.type_facts if i.path.startswith("pkg")]
    assert found == [
        ("ambiguous", "pkg.a.Same", ("pkg.b.Same",)),
        ("ambiguous", "pkg.b.Same", ("pkg.a.Same",)),
        ("truncated", "pkg.b.Long", ()),
    ]
    long_entry = next(item for item in model.catalog.types if item.name == "Long")
    assert long_entry.truncated
    assert len(long_entry.declaration) <= 1500
    assert long_entry.declaration.endswith("# …")
    assert len(long_entry.fields) == 0
    assert len(long_entry.members) == 60


def test_doc_facts_have_roles(tmp_path: Path) -> None:
    """Facts say as what the subject is listed, and only listed things have facts."""
    model = scan(
        tmp_path,
        """# === FILE: pkg/__init__.py
from pydantic import BaseModel
from toolset import Service, event

class Unlisted:
    def f(self, x): ...

class Conf(BaseModel):
    a: int = 1

class A(Service, key="a"):
    Config = Conf
    def f(self) -> None:
        \"\"\"F.\"\"\"

@event("a/b", mode="emit")
def b(x: int) -> None:
    \"\"\"B.\"\"\"
""",
    ).model
    assert [(i.kind, i.role, i.subject, i.name, i.location.line) for i in model.doc_facts] == [
        ("no docstring", "config", "pkg.Conf", "", 7),
        ("undocumented field", "config", "pkg.Conf", "a", 8),
        ("no docstring", "service", "pkg.A", "", 10),
        ("undocumented parameter", "event", "pkg.b", "x", 16),
    ]
