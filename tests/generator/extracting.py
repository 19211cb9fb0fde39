"""Write small packages to disk and extract them."""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path

from toolset.catalog import Member, Parameter, TypeEntry
from toolset_gen.discover import Sources, discover
from toolset_gen.extract import Describer, SourceModel, describer_of, extract, read_all

CASES = Path(__file__).parent / "cases"


class Scan:
    """A scanned project, described in three ways, each on first use."""

    def __init__(self, sources: Sources, services: dict[str, str]) -> None:
        self.sources = sources
        self.services = services

    @cached_property
    def describer(self) -> Describer:
        packages = {target.partition(":")[0] for target in self.services.values()}
        return describer_of(read_all(self.sources), self.sources, packages)

    @cached_property
    def model(self) -> SourceModel:
        return extract(self.sources, services=self.services)

    def function(self, path: str) -> Member:
        found = self.describer.describe_function(path)
        assert found is not None, f"nothing describes {path}"
        return found

    def type(self, path: str) -> TypeEntry:
        found = self.describer.describe_type(path)
        assert found is not None, f"nothing describes {path}"
        return found

    def offered(self, module: str) -> list[str]:
        raw = self.describer.library.module(module)
        assert raw is not None
        return [item.path for item in self.describer.describe_module(raw)]

    def member(self, path: str) -> Member:
        owner, _, name = path.rpartition(".")
        return next(item for item in self.type(owner).members if item.name == name)


def write_files(root: Path, text: str) -> list[str]:
    """Split a text at its `# === FILE:` lines and write the files below `root`."""
    parts = re.split(r"^# === FILE: (\S+)\n", text, flags=re.MULTILINE)
    files = dict(zip(parts[1::2], parts[2::2], strict=True)) or {"case.py": text}
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return sorted(
        {name.partition("/")[0].removesuffix(".pyi").removesuffix(".py") for name in files}
    )


def scan(root: Path, text: str, **services: str) -> Scan:
    """Write the files of a text and extract them."""
    return scan_folder(root, *write_files(root, text), **services)


def scan_folder(root: Path, *packages: str, **services: str) -> Scan:
    """Extract packages that are on disk."""
    return Scan(discover(root, packages), services)


def scan_case(root: Path, number: str, **services: str) -> Scan:
    """Extract one of the collected cases."""
    (path,) = CASES.glob(f"{number}_*.py")
    return scan(root, path.read_text(encoding="utf-8"), **services)


def by_name(parameters: tuple[Parameter, ...]) -> dict[str, Parameter]:
    """Index parameters by name."""
    return {item.name: item for item in parameters}
