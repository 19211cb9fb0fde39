"""Everything that is checked, built or measured here, one session each; `nox -l` lists them."""

# Maintainers: `.ci/run` calls nothing but these. A session that judges what ships (tests, package,
# docs-code, bench) installs the wheel that `build` made in the same run; one that judges the
# sources (lint, typing, verify-api, generate, demo) installs the checkout, editable.

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import nox
from nox.command import CommandFailed

nox.needs_version = ">=2026.8.10"  # earlier ones stop at a broken `python3.12` on the PATH
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.error_on_missing_interpreters = False  # a machine with one Python is enough
nox.options.download_python = "never"

ROOT = Path(__file__).parent
PROJECT = nox.project.load_toml(ROOT / "pyproject.toml")
DIST = ROOT / "dist"
# The running Python is always there, so that `nox -s tests` never passes by testing nothing.
RUNNING = f"{sys.version_info.major}.{sys.version_info.minor}"
PYTHONS = list(dict.fromkeys([*nox.project.python_versions(PROJECT), RUNNING]))


def see_pyenv_pythons() -> None:
    """Append pyenv's interpreters to the PATH: its shims find only those that are switched on."""
    root = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser()
    found = [str(folder) for folder in sorted(root.glob("versions/*/bin"))]
    os.environ["PATH"] = os.pathsep.join([os.environ["PATH"], *found])


see_pyenv_pythons()


def group(name: str) -> tuple[str, ...]:
    """Read one dependency group of the project."""
    return tuple(nox.project.dependency_groups(PROJECT, name))


def built(suffix: str) -> Path:
    """Find the one artifact with `suffix` that `build` left in dist/."""
    (artifact,) = DIST.glob(f"*{suffix}")
    return artifact


@nox.session(default=False)
def build(session: nox.Session) -> None:
    """Build the sdist and the wheel into dist/."""
    for old in [*DIST.glob("*.whl"), *DIST.glob("*.tar.gz")]:
        old.unlink()
    session.install(*PROJECT["build-system"]["requires"])
    session.run("hatchling", "build", "-d", str(DIST), silent=True)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style and formatting with ruff; `nox -s lint -- --fix` repairs what it can."""
    session.install(*group("lint"))
    session.run("ruff", "check", *session.posargs)
    session.run("ruff", "format", *([] if "--fix" in session.posargs else ["--check"]))


@nox.session
def typing(session: nox.Session) -> None:
    """Check src, generator and typing_tests with mypy and pyright, both strict."""
    session.install("-e", ".[generator,watch]", *group("typing"))
    # Else pyright asks the package index whether there is a newer one.
    session.env["PYRIGHT_PYTHON_IGNORE_WARNINGS"] = "1"
    session.run("mypy", *session.posargs)
    session.run("pyright", *session.posargs)
    session.run("mypy", "typing_tests")
    session.run("pyright", "-p", "typing_tests")
    with session.chdir("examples/acme_plugins"):
        shared = "../../pyproject.toml"
        session.run("mypy", "--config-file", shared, "src", env={"MYPYPATH": "src"})


@nox.session(python=PYTHONS, requires=["build"])
def tests(session: nox.Session) -> None:
    """Run the tests against the built wheel, on every Python of the classifiers that is here."""
    session.install(f"{built('.whl')}[generator]", *group("test"))
    session.run("pytest", "--numprocesses", "auto", *session.posargs)


@nox.session(requires=["build"])
def example(session: nox.Session) -> None:
    """Install the example package beside the wheel, run its gate and its own tests."""
    session.install(f"{built('.whl')}[generator]", *group("test"))
    session.install("--no-deps", "--no-build-isolation", "examples/acme_plugins")
    with session.chdir("examples/acme_plugins"):
        session.run("toolset", "catalog", "verify")
        session.run("pytest", *session.posargs)


@nox.session(name="docs-code", requires=["build"])
def docs_code(session: nox.Session) -> None:
    """Run the code blocks of the documentation and the examples of the docstrings."""
    session.install(f"{built('.whl')}[generator]", *group("test"))
    session.run("pytest", "tests/docs", *session.posargs)


@nox.session(default=False, venv_backend="none")
def mermaid(session: nox.Session) -> None:
    """Draw the diagrams of the generated pages with Mermaid itself; needs node and npm."""
    if shutil.which("npm") is None:
        session.skip("npm is not installed")
    pages = [*ROOT.glob("catalog/graph.md"), *ROOT.glob("examples/*/catalog/graph.md")]
    folder = Path(session.create_tmp())
    shutil.copytree(ROOT / "tests/docs/mermaid", folder, dirs_exist_ok=True)
    with session.chdir(folder):
        session.run("npm", "install", "--no-audit", "--no-fund", "--silent", external=True)
        session.run("node", "check.mjs", *map(str, pages), external=True)


@nox.session(requires=["build"])
def package(session: nox.Session) -> None:
    """Install the wheel alone, start it, then hold the file lists and metadata of what ships."""
    session.install(str(built(".whl")))
    session.run("toolset", "--help", silent=True)
    session.install(f"{built('.whl')}[generator]", *group("test"))
    session.run("pytest", "tests/packaging", *session.posargs)


@nox.session(default=False, python=PYTHONS, requires=["build"])
def fuzz(session: nox.Session) -> None:
    """Feed thousands of histories, broken plugins and schemas; `nox -s fuzz -- 20000` takes more."""
    session.install(f"{built('.whl')}[generator]", *group("test"))
    examples, *others = session.posargs or ["5000"]
    long = {"TOOLSET_FUZZ_EXAMPLES": examples, "TOOLSET_FUZZ_CYCLES": "10000"}
    machines = ["tests/runtime/test_machine.py", "tests/loader/test_loader_property.py"]
    tests = [*machines, "tests/cordis/test_fuzz_mounts.py"]
    cycles = "tests/cordis/test_mounts.py::test_mount_cycle_keeps_nothing"
    session.run("pytest", *tests, cycles, *others, env=long)


@nox.session(name="verify-api")
def verify_api(session: nox.Session) -> None:
    """Rebuild every generated artifact in memory and fail when a committed one differs."""
    session.install("-e", ".[generator]")
    session.run("toolset", "catalog", "verify", *session.posargs)


@nox.session(default=False)
def generate(session: nox.Session) -> None:
    """Write every generated artifact."""
    session.install("-e", ".[generator]")
    session.run("toolset", "catalog", "generate", *session.posargs)


@nox.session(default=False)
def demo(session: nox.Session) -> None:
    """Let a recorded agent look at a runtime, extend it and take the extension away again."""
    session.install("-e", ".[generator]")
    session.run("toolset", "demo", *session.posargs)


@nox.session(default=False, requires=["build"])
def scale(session: nox.Session) -> None:
    """Let the workers of a Dask cluster read the sources, and compare the bytes."""
    session.install(f"{built('.whl')}[generator]", *group("test"), *group("scale"))
    session.run("pytest", "tests/generator/test_executor.py", *session.posargs)


@nox.session(default=False, requires=["build"])
def bench(session: nox.Session) -> None:
    """Measure the promised ratios; `nox -s bench -- --check` fails when one is over its bound."""
    session.install(f"{built('.whl')}[generator]", *group("bench"))
    session.install("--no-deps", *group("bench-read"))
    over: list[str] = []
    for script in sorted((ROOT / "benchmarks").glob("[!_]*.py")):
        try:
            session.run("python", str(script), *session.posargs)
        except CommandFailed:
            over.append(script.name)
    if over:
        session.error(f"over a bound, or failed: {', '.join(over)}")
