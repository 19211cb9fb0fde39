"""What is read from sources agrees with what Python says of the imported classes."""

from __future__ import annotations

import ast
import importlib
import inspect
from functools import cache
from pathlib import Path

import griffe
import pytest

from toolset.catalog import Member, Parameter
from toolset_gen.discover import Sources
from toolset_gen.extract import Describer, describer_of

CLASSES = [
    "argparse.ArgumentParser",
    "argparse.Namespace",
    "argparse.HelpFormatter",
    "asyncio.Queue",
    "asyncio.Lock",
    "asyncio.Semaphore",
    "asyncio.TaskGroup",
    "asyncio.Runner",
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
    "email.message.Message",
    "email.message.EmailMessage",
    "fractions.Fraction",
    "graphlib.TopologicalSorter",
    "http.client.HTTPConnection",
    "http.cookiejar.CookieJar",
    "imaplib.IMAP4",
    "ipaddress.IPv4Address",
    "ipaddress.IPv6Network",
    "json.JSONDecoder",
    "json.JSONEncoder",
    "logging.Handler",
    "logging.Logger",
    "logging.LogRecord",
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


def live_parameters(owner: type, member: Member) -> list[inspect.Parameter] | None:
    value = inspect.getattr_static(owner, member.name)
    if isinstance(value, (staticmethod, classmethod)):
        value = value.__func__
    if not inspect.isfunction(value) or hasattr(value, "__wrapped__"):
        return None
    found = list(inspect.signature(value).parameters.values())
    return found if member.binding == "static" else found[1:]


def live_class(path: str) -> type:
    module, _, name = path.rpartition(".")
    found = getattr(importlib.import_module(module), name)
    assert isinstance(found, type)
    return found


@pytest.mark.parametrize("path", CLASSES)
def test_members_agree_with_python(path: str) -> None:
    """Names, kinds and defaults of every public method are those of `inspect.signature`."""
    live = live_class(path)
    facts = describer().describe_class(path)
    assert facts is not None
    checked = 0
    for member in facts.entry.members:
        if member.signatures or member.kind in {"property", "attribute", "class variable"}:
            continue
        if member.kind == "cached property":
            continue
        expected = live_parameters(live, member)
        if expected is None:
            continue
        checked += 1
        assert read_shape(member.parameters) == shape(expected), member.name
        for mine, theirs in zip(member.parameters, expected, strict=True):
            compare_default(mine, theirs)
    assert checked or not any(inspect.isfunction(v) for v in vars(live).values())


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
    if constructor.signatures or path == "pydantic.BaseModel" or both:
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
