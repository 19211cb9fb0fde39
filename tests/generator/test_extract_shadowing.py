"""A name means what was bound to it last, where it is read."""

from __future__ import annotations

from pathlib import Path

import pytest
from extracting import scan

KEYED = """

class Shop(Service, key="shop"):
    \"\"\"Sell things.\"\"\"
"""
SHADOWED = {
    "a class": "from toolset import Service\n\n\nclass Service:\n    pass\n",
    "a function": "from toolset import Service\n\n\ndef Service():\n    pass\n",
    "an assignment": "from toolset import Service\n\nService = object\n",
    "below a branch": "if 1:\n    from toolset import Service\n\n\nclass Service:\n    pass\n",
}
KEPT = {
    "an import alone": "from toolset import Service\n",
    "a class that derives from it": (
        "from toolset import Service\n\n\nclass Service(Service):\n    pass\n"
    ),
    "a fallback": (
        "try:\n    from toolset import Service\nexcept ImportError:\n    class Service:\n        pass\n"
    ),
}


@pytest.mark.parametrize("name", SHADOWED)
def test_shadowed_base_is_none(tmp_path: Path, name: str) -> None:
    """A class that took the name of the runtime's `Service` makes no services."""
    assert scan(tmp_path, SHADOWED[name] + KEYED).model.catalog.services == ()


@pytest.mark.parametrize("name", KEPT)
def test_real_base_is_known(tmp_path: Path, name: str) -> None:
    """Where the name still leads to the runtime's `Service`, the service is listed."""
    services = scan(tmp_path, KEPT[name] + KEYED).model.catalog.services
    assert [service.key for service in services] == ["shop"]


def test_base_is_read_where_it_stands(tmp_path: Path) -> None:
    """What shadows a name further down changes nothing above it."""
    code = f"from toolset import Service\n{KEYED}\n\nclass Service:\n    pass\n"
    services = scan(tmp_path, code).model.catalog.services
    assert [service.key for service in services] == ["shop"]


def test_inner_class_shadows_in_body(tmp_path: Path) -> None:
    """In the body of a class, a class above counts; outside of it, it does not."""
    inner = '    class {}(Service, key="{}"):\n        """Sell."""\n'
    code = (
        "from toolset import Service\n\n\nclass Outer:\n"
        + inner.format("Before", "before")
        + "    class Service:\n        pass\n"
        + inner.format("After", "after")
        + KEYED
    )
    services = scan(tmp_path, code).model.catalog.services
    assert [service.key for service in services] == ["before", "shop"]


@pytest.mark.parametrize("shadow", ["def event(*a, **k): ...", "class event: ...", "event = print"])
def test_shadowed_event_declares_nothing(tmp_path: Path, shadow: str) -> None:
    """What took the name of the runtime's `event` declares no event."""
    code = f'from toolset import event\n\n{shadow}\n\n@event("a/b", mode="emit")\ndef b(): ...\n'
    assert scan(tmp_path, code).model.catalog.events == ()


FALLBACKS = {
    "all of it": "from _quick import *\nexcept ImportError:\n    from slow import *\n",
    "its place": (
        "from _quick import *\nexcept ImportError:\n    import slow, sys\n"
        "    sys.modules[__name__] = slow\n"
    ),
}


@pytest.mark.parametrize("name", FALLBACKS)
def test_fallback_of_import_is_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Where the first branch of an import is in C, a class is found in the source of the second."""
    (tmp_path / "quick.py").write_text(f"try:\n    {FALLBACKS[name]}")
    (tmp_path / "slow.py").write_text('class Queue:\n    """A queue."""\n')
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "project").mkdir()
    code = '"""A module."""\n'
    model = scan(tmp_path / "project", code, queue="quick:Queue").model
    assert [d.rule for d in model.diagnostics] == []
    assert [(one.key, one.path) for one in model.catalog.services] == [("queue", "quick.Queue")]


@pytest.mark.parametrize("target", ["datetime:datetime", "decimal:Decimal"])
def test_accelerated_class_is_described(tmp_path: Path, target: str) -> None:
    """Classes of the standard library with a fallback in Python are described on every Python."""
    model = scan(tmp_path, '"""A module."""\n', thing=target).model
    assert [d.rule for d in model.diagnostics if d.path == "pyproject.toml"] == []
    (service,) = model.catalog.services
    assert service.path == target.replace(":", ".")
    assert len(service.members) > 20


@pytest.mark.parametrize("published", [True, False])
def test_public_path_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, published: bool
) -> None:
    """A class that is named by a private path is listed under the one its package publishes."""
    (tmp_path / "motors" / "_impl").mkdir(parents=True)
    (tmp_path / "motors" / "_impl" / "__init__.py").write_text("")
    (tmp_path / "motors" / "_impl" / "core.py").write_text('class Engine:\n    """Turn."""\n')
    line = "from motors._impl.core import Engine as Engine\n" if published else ""
    (tmp_path / "motors" / "__init__.py").write_text(line)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "project").mkdir()
    code = '"""A module."""\n'
    model = scan(tmp_path / "project", code, engine="motors._impl.core:Engine").model
    (service,) = model.catalog.services
    assert service.path == ("motors.Engine" if published else "motors._impl.core.Engine")
