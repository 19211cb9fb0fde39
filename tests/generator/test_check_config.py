"""Configuration models and the code that reads them, judged in both directions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from projects import build_project, make_project

NO_BOOT = "boot = false\n"
HEAD = '''
from __future__ import annotations

from typing import Annotated, Literal, Optional, cast

import third_party
from pydantic import BaseModel, ConfigDict, Field

from toolset import Context, Service


class Tls(BaseModel):
    """How to encrypt."""

    certificate: str = Field("", description="Path.")
    private_key: str = Field("", description="Path.")


class Config(BaseModel):
    """How."""

    alpha: int = Field(1, description="First.")
    beta: Annotated[int, Field(ge=1)] = Field(1, description="Second.")
    tls: Tls | None = Field(None, description="Third.")

    @property
    def both(self) -> int:
        """Sum."""
        return 0


'''
FIELDS = {"alpha", "beta", "tls"}


def found(root: Path, text: str) -> list[str]:
    """Give what is reported of reads, as `rule target`."""
    built = build_project(make_project(root, {"shop.py": HEAD + text}, NO_BOOT))
    picked = [d for d in built.diagnostics if d.rule in {"CFG004", "CFG005", "SRC001"}]
    return sorted(f"{d.rule} {d.target.removeprefix('shop.')}" for d in picked)


def unread(*names: str) -> list[str]:
    return sorted(f"CFG004 {name}" for name in names)


NESTED = ("tls.certificate", "tls.private_key")
TRACKED = {
    "parameter": "def apply(ctx: Context, config: Config) -> None:\n    print(READ)\n",
    "unannotated": "def apply(ctx: Context, config) -> None:\n    print(READ)\n",
    "any name": "def apply(ctx: Context, settings: Config | None) -> None:\n    config = settings\n    print(READ)\n",
    "string": "def apply(ctx: Context, config: 'Optional[Config]') -> None:\n    print(READ)\n",
    "of the context": "def apply(ctx: Context, unused: Config) -> None:\n    config = ctx.config\n    print(READ)\n",
    "cast": "def apply(ctx: Context) -> None:\n    config = cast('Config', ctx.config)\n    print(READ)\n",
    "default": "def apply(ctx: Context, given: Config | None = None) -> None:\n    config = given or Config()\n    print(READ)\n",
    "either": "def apply(ctx: Context, given: Config | None = None) -> None:\n    config = given if given is not None else Config()\n    print(READ)\n",
    "closure": "def apply(ctx: Context, config: Config) -> None:\n    async def tool() -> None:\n        print(READ)\n    ctx.tool = tool\n",
    "lambda": "def apply(ctx: Context, config: Config) -> None:\n    ctx.later = lambda: READ\n",
    "helper": "def use(config: Config) -> None:\n    print(READ)\n\n\ndef apply(ctx: Context, config: Config) -> None:\n    use(config)\n",
    "object": "class User:\n    def __init__(self, config: Config) -> None:\n        self._c = config\n\n    def use(self) -> None:\n        config = self._c\n        print(READ)\n\n\ndef apply(ctx: Context, config: Config) -> None:\n    User(config)\n",
}


@pytest.mark.parametrize("way", TRACKED)
def test_way_to_a_field_is_followed(tmp_path: Path, way: str) -> None:
    """However a configuration gets to where it is read, its fields are known there."""
    sound = TRACKED[way].replace("READ", "(config.alpha, config.beta, config.both, not config.tls)")
    assert found(tmp_path / "a", sound) == unread(*NESTED)
    wrong = TRACKED[way].replace("READ", "(config.alpha, config.betta)")
    assert found(tmp_path / "b", wrong) == sorted([*unread("beta", "tls", *NESTED), "CFG005 betta"])


def test_service_reads_its_own(tmp_path: Path) -> None:
    """A service's `self.config` and `self.ctx.config` are its configuration."""
    text = '''
class Shop(Service, key="shop"):
    """Sell."""

    Config = Config

    def sell(self) -> None:
        """Sell."""
        print(self.config.alpha, self.ctx.config.beta, self.config.gamma)
'''
    expected = [*unread("tls", *NESTED), "CFG005 gamma"]
    assert found(tmp_path, text) == [line.replace(" ", " Shop.") for line in expected]


def test_nested_model_is_followed(tmp_path: Path) -> None:
    """A field that is a model has fields of its own, read and not."""
    text = """
def apply(ctx: Context, config: Config) -> None:
    tls = config.tls
    print(config.alpha, config.beta, config.tls.certificate, tls.certificat)
"""
    assert found(tmp_path, text) == [*unread("tls.private_key"), "CFG005 tls.certificat"]


ESCAPES = [
    "third_party.run(config)",
    "third_party.run(**config)",
    "print(config.model_dump())",
    "third_party.x = config",
    "third_party.x = [config]",
    "third_party.run(lambda: config)",
    "return config",
    "vars(config)",
    "name = input(); getattr(config, name)",
]


@pytest.mark.parametrize("use", ESCAPES)
def test_escaped_configuration_is_not_judged(tmp_path: Path, use: str) -> None:
    """Where a configuration goes out of sight, no field of it is called unread."""
    text = f"def apply(ctx: Context, config: Config) -> None:\n    {use}\n"
    assert found(tmp_path, text) == []


SILENT = {
    "shadowed": "def apply(ctx: Context, config: Config) -> None:\n    config = third_party.other()\n    print(config.gamma)\n",
    "other parameter": "def use(config: dict[str, int]) -> None:\n    print(config.gamma)\n",
    "lambda's own": "def apply(ctx: Context, config: Config) -> None:\n    ctx.f = lambda config: config.gamma\n",
    "private": "def apply(ctx: Context, config: Config) -> None:\n    print(config.__class__, config._private)\n",
    "pydantic's": "def apply(ctx: Context, config: Config) -> None:\n    print(config.model_config)\n",
    "set": "def apply(ctx: Context, config: Config) -> None:\n    config.gamma = 1\n",
    "other plugin's": "def apply(ctx: Context, config: Config) -> None:\n    def inner(ctx: Context) -> None:\n        print(ctx.config.gamma)\n    ctx.plugin(inner)\n",
}


@pytest.mark.parametrize("name", SILENT)
def test_doubtful_read_is_not_judged(tmp_path: Path, name: str) -> None:
    """What may be something else, or is no field by right, is no wrong read."""
    assert not [line for line in found(tmp_path, SILENT[name]) if line.startswith("CFG005")]


def test_derived_and_open_models_are_not_judged(tmp_path: Path) -> None:
    """A model with a base out of sight, or that takes any key, may have any attribute."""
    text = """
class Own(third_party.Base):
    '''How.'''

    alpha: int


def apply(ctx: Context, config: Own) -> None:
    print(config.gamma)


apply.Config = Own
"""
    assert not [line for line in found(tmp_path / "a", text) if "gamma" in line]
    loose = HEAD.replace(
        '    """How."""\n', '    """How."""\n\n    model_config = ConfigDict(extra="allow")\n'
    )
    files: dict[str, str | bytes] = {
        "shop.py": f"{loose}def apply(ctx: Context, config: Config) -> None:\n    print(config.gamma)\n"
    }
    built = build_project(make_project(tmp_path / "b", files, NO_BOOT))
    assert "CFG005" not in {d.rule for d in built.diagnostics}


def test_reads_in_other_modules_count(tmp_path: Path) -> None:
    """A model imported through a re-export is the same model; reads anywhere in the package count."""
    files: dict[str, str | bytes] = {
        "shop/__init__.py": "from pkg.shop.model import Config as Config\n"
        "from pkg.shop.use import use\nfrom toolset import Context\n\n\n"
        "def apply(ctx: Context, config: Config) -> None:\n    use(config)\n",
        "shop/model.py": HEAD,
        "shop/use.py": "from pkg.shop import Config\n\n\ndef use(c: Config) -> None:\n"
        "    print(c.alpha, c.betta)\n",
    }
    built = build_project(make_project(tmp_path, files, NO_BOOT))
    picked = [d for d in built.diagnostics if d.rule in {"CFG004", "CFG005"}]
    assert sorted(f"{d.rule} {d.target}" for d in picked) == [
        "CFG004 shop.beta",
        "CFG004 shop.tls",
        "CFG004 shop.tls.certificate",
        "CFG004 shop.tls.private_key",
        "CFG005 shop.betta",
    ]
    (wrong,) = [d for d in picked if d.rule == "CFG005"]
    assert (wrong.path, wrong.line) == ("src/pkg/shop/use.py", 5)
    assert re.search("did you mean 'beta'", wrong.message)


COMPOSITION = """\
- id: one
  name: pkg.shop
  config:
    alpha: ${env:ALPHA:-1}
    alhpa: 1
    tls:
      certificate: x
      certificat: y
- name: pkg.shop
  confg: {}
- name: somebody.elses
  config: {anything: 1}
- id: group
  group:
    - name: pkg.shop
      config: {gamma: 1}
"""


def compose(root: Path, text: str, extra: str = "") -> list[tuple[str, int, str]]:
    project = make_project(root, {"shop.py": HEAD + TRACKED["parameter"]}, NO_BOOT + extra)
    (project / "cordis.yml").write_text(text)
    found = [d for d in build_project(project).diagnostics if d.rule in {"CFG006", "CFG007"}]
    return [(d.rule, d.line, d.target) for d in found]


def test_unknown_keys_of_a_composition(tmp_path: Path) -> None:
    """Keys that no entry and no configuration has are found, in groups and nested models too."""
    assert compose(tmp_path, COMPOSITION) == [
        ("CFG006", 5, "pkg.shop.alhpa"),
        ("CFG006", 8, "pkg.shop.tls.certificat"),
        ("CFG006", 10, "pkg.shop.confg"),
        ("CFG006", 16, "pkg.shop.gamma"),
    ]


@pytest.mark.parametrize(
    ("text", "line"), [("- a: [\n", 2), ("a: 1\n", 1), ("- just text\n", 1), ("\t- x\n", 1)]
)
def test_unreadable_composition(tmp_path: Path, text: str, line: int) -> None:
    """What is no list of entries is a fault with its line, and no traceback."""
    assert compose(tmp_path, text) == [("CFG007", line, "cordis.yml")]


def test_compositions_are_configured(tmp_path: Path) -> None:
    """`compositions` says which files are read; an empty one is fine."""
    assert compose(tmp_path / "a", COMPOSITION, "compositions = []\n") == []
    assert compose(tmp_path / "b", "") == []
