"""The catalog of this repository: fresh, and as every tool that reads it wants it."""

from __future__ import annotations

import json
from pathlib import Path

import black
import jsonschema
import pytest

from toolset import catalog
from toolset_gen.config import read_config
from toolset_gen.render.artifacts import artifact_paths
from toolset_gen.testing import assert_catalog_fresh

ROOT = Path(__file__).parents[2]
CONFIG = read_config(ROOT)


def test_own_catalog_is_fresh() -> None:
    """What is committed is what the sources say."""
    assert_catalog_fresh(ROOT)


@pytest.mark.parametrize("path", [p for p in artifact_paths(CONFIG) if p.endswith(".py")])
def test_own_python_is_stable_under_black(path: str) -> None:
    """Black changes nothing in the generated modules."""
    text = (ROOT / path).read_text(encoding="utf-8")
    assert black.format_str(text, mode=black.Mode()) == text


def test_own_json_fits_its_schema() -> None:
    """The JSON validates against the schema beside it, and speaks of the same services."""
    pages = ROOT / CONFIG.pages
    document = json.loads((pages / "api-catalog.json").read_text(encoding="utf-8"))
    schema = json.loads((pages / "api-catalog.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(document)
    loaded = catalog.load(["toolset.api_catalog"])
    assert [entry["key"] for entry in document["services"]] == [e.key for e in loaded.services]
    assert [entry["name"] for entry in document["events"]] == [e.name for e in loaded.events]


def test_own_artifacts_say_nothing_volatile() -> None:
    """No artifact holds a path of this machine or a line number of a source."""
    for path in artifact_paths(CONFIG):
        text = (ROOT / path).read_text(encoding="utf-8")
        assert str(ROOT) not in text, path
        assert ".py:" not in text, path
