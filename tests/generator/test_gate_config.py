"""What pyproject.toml may say, and how the rest is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolset_gen.config import Config, Suppression, find_root, read_config
from toolset_gen.errors import ConfigurationError, UsageError

HEAD = '[tool.toolset.catalog]\npackages = ["pkg"]\n'


def read(folder: Path, text: str) -> Config:
    (folder / "pyproject.toml").write_text(text, encoding="utf-8")
    return read_config(folder)


def refusal(folder: Path, text: str) -> str:
    with pytest.raises(ConfigurationError) as caught:
        read(folder, text)
    assert caught.value.exit_code == 2
    return str(caught.value).replace(str(folder), "")


def test_everything_is_read(tmp_path: Path) -> None:
    """Every key of the table ends up in the configuration."""
    config = read(
        tmp_path,
        HEAD + 'sources = ["lib"]\nruntime = "lib/pkg/api.py"\npages = "docs/catalog"\n'
        'typed-context = "lib/pkg/typed.py"\ncatalogs = ["other.api"]\nboot = false\n'
        'boot-timeout = 3\n[tool.toolset.catalog.services]\nhttp = "httpx:AsyncClient"\n'
        '[[tool.toolset.catalog.suppress]]\nrule = "EVT010"\ntarget = "a/*"\nreason = "later"\n',
    )
    assert config == Config(
        root=tmp_path,
        packages=("pkg",),
        sources=("lib",),
        runtime="lib/pkg/api.py",
        pages="docs/catalog",
        typed_context="lib/pkg/typed.py",
        services=(("http", "httpx:AsyncClient"),),
        catalogs=("other.api",),
        boot=False,
        boot_timeout=3.0,
        suppress=(Suppression("EVT010", "a/*", "later"),),
    )


def test_defaults_know_the_toolset(tmp_path: Path) -> None:
    """The toolset's own catalog counts for every package but the toolset itself."""
    assert read(tmp_path, HEAD).catalogs == ("toolset.api_catalog",)
    own = read(tmp_path, '[tool.toolset.catalog]\npackages = ["toolset"]\n')
    assert own.catalogs == ()


def test_all_problems_are_listed(tmp_path: Path) -> None:
    """Unknown keys and wrong types are reported together, each with its line and the way out."""
    text = refusal(tmp_path, HEAD + 'pagse = "catalog"\nruntime = 3\nboot = "yes"\n')
    assert text.splitlines() == [
        "/pyproject.toml:3: unknown key 'pagse' in [tool.toolset.catalog]; did you mean 'pages'?",
        "/pyproject.toml:4: runtime must be a non-empty text, not 3",
        "/pyproject.toml:5: boot must be true or false, not 'yes'",
    ]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ('packages = "pkg"', "packages must be a list of non-empty texts, not 'pkg'"),
        ("packages = [1]", "packages must be a list of non-empty texts, not [1]"),
        ("packages = []", "packages is missing or empty"),
        ("", "packages is missing or empty"),
        ('packages = ["p"]\npages = "/abs"', "pages must be a path below the project"),
        ('packages = ["p"]\npages = "../up"', "pages must be a path below the project"),
        ('packages = ["p"]\npages = "."', "pages must name something below the project"),
        ('packages = ["p"]\npages = "./"', "pages must name something below the project"),
        ('packages = ["p"]\nruntime = "api.txt"', "runtime must name a .py file, not 'api.txt'"),
        ('packages = ["p"]\nruntime = "a.py"\ntyped-context = "a.py"', "are one file; name two"),
        ('packages = ["p"]\nservices = 1', "services must be a table, not 1"),
        ('packages = ["p"]\nservices = {http = "httpx"}', 'services.http must be "module:Class"'),
        ('packages = ["p"]\nservices = {"a b" = "m:C"}', "services: 'a b' is no identifier"),
        ('packages = ["p"]\nservices = {"" = "m:C"}', "services: '' is no identifier"),
        ('packages = ["p"]\nservices = {class = "m:C"}', "services: 'class' is no identifier"),
        ('packages = ["p"]\nservices = {"1x" = 3}', "services: '1x' is no identifier"),
        ('packages = ["p"]\nservices = {x = "m.:C"}', 'services.x must be "module:Class"'),
        ('packages = ["p"]\nservices = {x = "m:1"}', 'services.x must be "module:Class"'),
        ('packages = ["p"]\nboot-timeout = 0', "boot-timeout must be a number of seconds above 0"),
        ('packages = ["p"]\nboot-timeout = true', "boot-timeout must be a number of seconds"),
        ('packages = ["p"]\nprose = "x"', "prose must be a list of non-empty texts"),
        ('packages = ["p"]\nprose = ["../x"]', "prose must be patterns below the project"),
        ('packages = ["p"]\nprose = ["docs/**.md"]', "a pattern in which `**` is no whole part"),
        ('packages = ["p"]\ncompositions = ["/x"]', "compositions must be patterns below"),
        ('packages = ["p"]\nsuppress = ["x"]', "suppress must be an array of tables"),
        ('packages = ["p"]\nsuppress = [{rule = "E", target = "t"}]', "suppress[0] needs rule"),
        (
            'packages = ["p"]\nsuppress = [{rule = "E", target = "t", reason = "r", resaon = ""}]',
            "unknown key 'resaon' in [suppress[0]]; did you mean 'reason'?",
        ),
    ],
)
def test_wrong_value_is_refused(tmp_path: Path, lines: str, expected: str) -> None:
    """A value of the wrong type or form is named, with what it must be."""
    assert expected in refusal(tmp_path, f"[tool.toolset.catalog]\n{lines}\n")


def test_every_wrong_service_is_named(tmp_path: Path) -> None:
    """Keys that no context can have as attributes are all named, each with its line."""
    text = refusal(
        tmp_path,
        f'{HEAD}[tool.toolset.catalog.services]\n"a b" = "m:C"\nok = "m:C"\n"c-d" = "m:C"\n',
    )
    assert [line.partition(" is no")[0] for line in text.splitlines()] == [
        "/pyproject.toml:4: services: 'a b'",
        "/pyproject.toml:6: services: 'c-d'",
    ]


def test_missing_table_shows_one(tmp_path: Path) -> None:
    """A pyproject.toml without the table is refused with the lines to add."""
    for text in ("", "[tool]\n", "[tool]\ntoolset = 3\n"):
        assert 'packages = ["my_package"]' in refusal(tmp_path, text)


def test_invalid_toml_names_the_line(tmp_path: Path) -> None:
    """A TOML error is reported with its line and column."""
    assert refusal(tmp_path, "[tool\n").startswith("/pyproject.toml:1:6: no valid TOML")


def test_unreadable_file_is_explained(tmp_path: Path) -> None:
    """A pyproject.toml that is missing, a folder or not UTF-8 is a refusal like any other."""
    with pytest.raises(ConfigurationError, match="cannot be read: No such file"):
        read_config(tmp_path)
    (tmp_path / "pyproject.toml").write_bytes(b"\xff")
    with pytest.raises(ConfigurationError, match=r"is not UTF-8 \(byte 0\)"):
        read_config(tmp_path)
    (tmp_path / "pyproject.toml").unlink()
    (tmp_path / "pyproject.toml").mkdir()
    with pytest.raises(ConfigurationError, match="cannot be read: Is a directory"):
        read_config(tmp_path)


def test_root_is_found_above(tmp_path: Path) -> None:
    """The project is the nearest folder above with a pyproject.toml."""
    inner = tmp_path / "src" / "pkg"
    inner.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("")
    assert find_root(inner) == tmp_path.resolve()


def test_no_root_is_wrong_use() -> None:
    """Outside of any project the error says how to name one."""
    with pytest.raises(UsageError, match="--root"):
        find_root(Path("/"))
