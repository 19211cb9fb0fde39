"""What every artifact of the sample catalog looks like, byte by byte.

Update with `pytest tests/generator/test_render_snapshots.py --snapshot-update` and read the difference.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from sample_catalog import CATALOG
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension

from toolset_gen.config import Config
from toolset_gen.render import render
from toolset_gen.render.artifacts import artifact_paths
from toolset_gen.render.pages import PluginNotes

CONFIG = Config(Path("/x"), ("pkg",), runtime="api.py", pages="cat", typed_context="typed.py")
NOTES = PluginNotes({"pkg.Store": ("store/change",)}, {"pkg.Store": ("booted with tools",)})


@pytest.fixture(scope="module")
def artifacts() -> dict[str, bytes]:
    return render(CATALOG, CONFIG, NOTES, {})


@pytest.mark.parametrize("path", artifact_paths(CONFIG), ids=lambda path: path.rpartition("/")[2])
def test_artifact_looks_like_this(
    path: str, artifacts: dict[str, bytes], snapshot: SnapshotAssertion
) -> None:
    """The artifact is, byte by byte, the one that was last read and accepted."""
    # Binary files of their own: the default serializer takes CRLF for LF.
    assert artifacts[path] == snapshot.use_extension(SingleFileSnapshotExtension)
