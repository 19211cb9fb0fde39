"""What is read from sources agrees with what Python says of the imported classes."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import griffe
import pytest

from toolset.catalog import Member, Parameter
from toolset_gen.discover import Sources
from toolset_gen.extract import Describer, describer_of

CLASSES = [
    "anyio.CapacityLimiter",
    "argparse.ArgumentParser",
    "argparse.HelpFormatter",
    "argparse.Namespace",
    "asyncio.Lock",
    "asyncio.Queue",
    "asyncio.Runner",
    "asyncio.Semaphore",
    "asyncio.TaskGroup",
    "black.Mode",
    "calendar.Calendar",
    "calendar.TextCalendar",
    "click.Argument",
    "click.Command",
    "click.Context",
    "click.Group",
    "click.Option",
    "click.Path",
    "click.testing.CliRunner",
    "collections.ChainMap",
    "collections.Counter",
    "collections.UserDict",
    "collections.UserList",
    "concurrent.futures.Future",
    "concurrent.futures.thread.ThreadPoolExecutor",
    "configparser.ConfigParser",
    "contextlib.AsyncExitStack",
    "contextlib.ExitStack",
    "csv.DictReader",
    "csv.DictWriter",
    "difflib.Differ",
    "difflib.SequenceMatcher",
    "email.message.EmailMessage",
    "email.message.Message",
    "fractions.Fraction",
    "graphlib.TopologicalSorter",
    "griffe.Class",
    "griffe.Docstring",
    "griffe.Function",
    "griffe.GriffeLoader",
    "griffe.Parameter",
    "http.client.HTTPConnection",
    "http.cookiejar.CookieJar",
    "imaplib.IMAP4",
    "ipaddress.IPv4Address",
    "ipaddress.IPv6Network",
    "jinja2.Environment",
    "jinja2.FileSystemLoader",
    "jinja2.Template",
    "jinja2.Undefined",
    "json.JSONDecoder",
    "json.JSONEncoder",
    "jsonschema.ValidationError",
    "libcst.CSTTransformer",
    "libcst.Call",
    "libcst.MetadataWrapper",
    "libcst.Name",
    "logging.Handler",
    "logging.LogRecord",
    "logging.Logger",
    "logging.handlers.RotatingFileHandler",
    "mailbox.Maildir",
    "pathlib.PurePath",
    "pprint.PrettyPrinter",
    "pydantic.BaseModel",
    "pydantic.TypeAdapter",
    "pydantic.fields.FieldInfo",
    "queue.Queue",
    "sched.scheduler",
    "shlex.shlex",
    "smtplib.SMTP",
    "socketserver.TCPServer",
    "statistics.NormalDist",
    "string.Template",
    "subprocess.Popen",
    "tarfile.TarFile",
    "tempfile.TemporaryDirectory",
    "textwrap.TextWrapper",
    "threading.Barrier",
    "threading.Thread",
    "threading.Timer",
    "trace.Trace",
    "unittest.TestCase",
    "unittest.TestSuite",
    "urllib.request.Request",
    "uuid.UUID",
    "wave.Wave_read",
    "xmlrpc.client.ServerProxy",
    "zipfile.ZipFile",
    "zipfile.ZipInfo",
]

# Functions that a class body imports are no definitions of its own.
IMPORTED = {"walk"}
# What is not compared, and why; `test_little_is_left_out` bounds it.
NO_FUNCTION = {  # (a descriptor of another language, or one that its class makes at run time)
    ("black.Mode", "__contains__"),  # compiled by mypyc
    ("black.Mode", "get_cache_key"),  # compiled by mypyc
    ("pydantic.BaseModel", "model_computed_fields"),  # a property of the class
    ("pydantic.BaseModel", "model_fields"),  # a property of the class
}
NO_CONSTRUCTOR = {
    "pydantic.BaseModel",  # its metaclass gives a signature of its own to each class
}


@cache
def describer() -> Describer:
    roots = {path.partition(".")[0] for path in CLASSES}
    return describer_of((), Sources(Path("/nowhere"), (), ()), roots)


def shape(parameters: list[inspect.Parameter]) -> list[tuple[str, str, bool]]:
    words = {
        inspect.Parameter.POSITIONAL_ONLY: "positional-only",
        inspect.Parameter.POSITIONAL_OR_KEYWORD: "positional-or-keyword",
        inspect.Parameter.VAR_POSITIONAL: "var-positional",
        inspect.Parameter.KEYWORD_ONLY: "keyword-only",
        inspect.Parameter.VAR_KEYWORD: "var-keyword",
    }
    return [(p.name, words[p.kind], p.default is not inspect.Parameter.empty) for p in parameters]


def read_shape(parameters: tuple[Parameter, ...]) -> list[tuple[str, str, bool]]:
    return [(p.name, p.kind, bool(p.default)) for p in parameters]


def live_parameters(owner: type, member: Member) -> list[inspect.Parameter]:
    value = inspect.getattr_static(owner, member.name)
    value = getattr(value, "__func__", value)
    found = list(inspect.signature(value).parameters.values())
    return found if member.binding == "static" else found[1:]


def live_class(path: str) -> type:
    module, _, name = path.rpartition(".")
    found = getattr(importlib.import_module(module), name)
    assert isinstance(found, type)
    return found


def methods(path: str) -> Iterator[tuple[Member, str]]:
    """Give the methods that Python has one signature for; the second is why one is left out."""
    live = live_class(path)
    facts = describer().describe_class(path)
    assert facts is not None
    for member in facts.entry.members:
        if member.kind in {"property", "attribute", "class variable", "cached property"}:
            continue  # they have no signature
        value = inspect.getattr_static(live, member.name)
        value = getattr(value, "__func__", value)
        why = ""
        if member.signatures:
            why = "overloaded: `inspect` knows the implementation alone"
        elif hasattr(value, "__wrapped__"):
            why = "decorated: `inspect` takes the wrapped function, or another that it was given"
        elif not inspect.isfunction(value):
            why = "no function at run time"
            assert (path, member.name) in NO_FUNCTION
        yield member, why


@pytest.mark.parametrize("path", CLASSES)
def test_members_agree_with_python(path: str) -> None:
    """Names, kinds, defaults and annotations of every public method are those of `inspect`."""
    live = live_class(path)
    for member, why in methods(path):
        if why:
            continue
        expected = live_parameters(live, member)
        assert read_shape(member.parameters) == shape(expected), member.name
        for mine, theirs in zip(member.parameters, expected, strict=True):
            compare_default(mine, theirs)
            compare_annotation(mine.annotation, theirs.annotation)
        value = inspect.getattr_static(live, member.name)
        compare_kind(member, getattr(value, "__func__", value))


def test_little_is_left_out() -> None:
    """Thousands of signatures are compared, and few are not, each for a known reason."""
    every = [why for path in CLASSES for _, why in methods(path)]
    assert every.count("") > 2000
    assert len(every) - every.count("") < len(every) / 50
    assert len({path for path in CLASSES if path not in NO_CONSTRUCTOR}) >= 80


def compare_annotation(mine: str, theirs: object) -> None:
    """Compare what is written; an annotation that was evaluated shows only that there is one."""
    if isinstance(theirs, str):
        assert plain(mine) == plain(theirs)
    assert bool(mine) == (theirs is not inspect.Parameter.empty)


def plain(text: str) -> str:
    return re.sub(r"[\s\"']", "", text)


def compare_kind(member: Member, value: object) -> None:
    """Coroutines and generators are told apart as Python does."""
    assert (member.kind == "coroutine") == inspect.iscoroutinefunction(value)
    assert (member.kind == "async generator") == inspect.isasyncgenfunction(value)
    assert (member.kind == "generator") == inspect.isgeneratorfunction(value)


def compare_default(mine: Parameter, theirs: inspect.Parameter) -> None:
    try:
        value = ast.literal_eval(mine.default)
    except (ValueError, SyntaxError):
        return
    assert value == theirs.default


@pytest.mark.parametrize("path", CLASSES)
def test_constructors_agree_with_python(path: str) -> None:
    """How a class is called is what `inspect.signature` says of it."""
    live = live_class(path)
    entry = describer().describe_type(path)
    assert entry is not None
    constructor = entry.constructor
    assert constructor is not None
    both = {"__init__", "__new__"} <= vars(live).keys()  # `__init__` is what its author documents
    if constructor.signatures or path in NO_CONSTRUCTOR or both:
        return
    expected = list(inspect.signature(live).parameters.values())
    assert read_shape(constructor.parameters) == shape(expected)


@pytest.mark.parametrize("path", CLASSES)
def test_members_are_complete(path: str) -> None:
    """Every public method Python finds on a class written in Python is listed."""
    live = live_class(path)
    entry = describer().describe_type(path)
    assert entry is not None
    names = {item.name for item in entry.members}
    known = {path.rpartition(".")[2] for path in describer().library.mro(path_of(path))}
    for base in live.__mro__[:-1]:
        if base.__name__ not in known or base.__module__ == "collections.abc":
            break
        for name, value in vars(base).items():
            if not name.startswith("_") and name not in IMPORTED and is_method(value):
                assert name in names


def path_of(path: str) -> str:
    return describer().library.canonical(path)


def is_method(value: object) -> bool:
    return inspect.isfunction(value) or isinstance(value, (classmethod, staticmethod, property))


LEAST = {"click": 50, "griffe": 200, "jinja2": 30, "libcst": 200, "pydantic": 0}


@pytest.mark.parametrize("package", LEAST)
def test_exports_agree_with_griffe(package: str) -> None:
    """What a package publishes, and where from, is what griffe finds too."""
    loader = griffe.GriffeLoader(allow_inspection=False)
    loaded = loader.load(package, try_relative_path=False)
    loader.resolve_aliases(implicit=True, external=False)
    library = describer_of((), Sources(Path("/nowhere"), (), ()), {package}).library
    module = library.module(package)
    assert module is not None
    checked = 0
    for name, member in loaded.members.items():
        if not member.is_alias or name.startswith("_"):
            continue
        try:
            theirs = member.final_target.canonical_path  # type: ignore[union-attr]
        except griffe.AliasResolutionError:
            continue
        if theirs.partition(".")[0] == package:
            checked += 1
            assert library.canonical(f"{package}.{name}") == theirs
    assert checked > LEAST[package]
