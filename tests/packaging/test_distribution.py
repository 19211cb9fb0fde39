"""What ships: the files of the wheel and the sdist, and the metadata of the distribution."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import NamedTuple

import pytest
from packaging.metadata import Metadata
from syrupy.assertion import SnapshotAssertion

import toolset

ROOT = Path(__file__).resolve().parents[2]


class Built(NamedTuple):
    """A wheel and an sdist of this repository."""

    wheel: Path
    sdist: Path


def build(source: Path, target: Path) -> Built:
    """Build both from the sources in a folder."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", str(target)],
        cwd=source,
        check=True,
        capture_output=True,
    )
    (wheel,), (sdist,) = target.glob("*.whl"), target.glob("*.tar.gz")
    return Built(wheel, sdist)


def contents(wheel: Path) -> dict[str, bytes]:
    """Read the files of a wheel, less its `RECORD`."""
    with zipfile.ZipFile(wheel) as archive:
        return {
            name: archive.read(name) for name in archive.namelist() if not name.endswith("/RECORD")
        }


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Build the distribution once for this module."""
    return build(ROOT, tmp_path_factory.mktemp("dist"))


def test_wheel_files_are_pinned(built: Built, snapshot: SnapshotAssertion) -> None:
    """The wheel holds these files and no other; `pytest tests/packaging --snapshot-update`."""
    assert "\n".join(sorted(contents(built.wheel))) == snapshot


def test_sdist_files_are_pinned(built: Built, snapshot: SnapshotAssertion) -> None:
    """The sdist holds these files and no other; `pytest tests/packaging --snapshot-update`."""
    with tarfile.open(built.sdist) as archive:
        names = [member.name.partition("/")[2] for member in archive if member.isfile()]
    assert "\n".join(sorted(names)) == snapshot


def test_sdist_builds_same_wheel(built: Built, tmp_path: Path) -> None:
    """The sdist is complete: the wheel built from it is, byte for byte, the one from the checkout."""
    with tarfile.open(built.sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.iterdir()
    again = build(unpacked, tmp_path / "dist")
    assert contents(again.wheel) == contents(built.wheel)


def test_metadata_is_valid(built: Built) -> None:
    """The metadata keeps to its standard, and only extras ask for what generating needs."""
    files = contents(built.wheel)
    (text,) = [data for name, data in files.items() if name.endswith("/METADATA")]
    metadata = Metadata.from_email(text, validate=True)
    assert metadata.name == "cordis-toolset"
    assert metadata.requires_dist is not None
    plain = [need.name for need in metadata.requires_dist if need.marker is None]
    assert sorted(plain) == ["click", "jsonschema", "pydantic", "pyyaml"]


def test_imports_come_from_installation() -> None:
    """The code under test is the installed distribution, or the checkout it was installed from."""
    installed = importlib.metadata.distribution("cordis-toolset")
    places = {Path(str(installed.locate_file("toolset"))), ROOT / "src" / "toolset"}
    if '"editable": true' not in (installed.read_text("direct_url.json") or ""):
        places.remove(ROOT / "src" / "toolset")
    assert Path(toolset.__path__[0]) in places


@pytest.mark.parametrize("group", ["console_scripts", "toolset.catalogs", "toolset.plugins"])
def test_entry_points_load(group: str) -> None:
    """Each entry point names something that can be imported."""
    points = importlib.metadata.distribution("cordis-toolset").entry_points.select(group=group)
    assert points
    for point in points:
        assert point.load()
