"""Services that their module hides are refused, those that only have a fallback are not."""

from __future__ import annotations

from pathlib import Path

import pytest
from extracting import scan

HEAD = "import sys\n\nfrom toolset import Service\n\n"
ONE = 'class B(Service, key="b"):\n{0}    """One."""\n'
TWO = 'class B(Service, key="bb"):\n{0}    """Two."""\n'


def two(first: str, second: str, one: str = ONE, other: str = TWO) -> str:
    inside = "    "
    parts = (first, inside + one.format(inside), second, inside + other.format(inside))
    return HEAD + "\n".join(parts)


HIDDEN = {
    "versions": two("if sys.version_info >= (3, 12):", "else:"),
    "older first": two("if sys.version_info < (3, 12):", "else:"),
    "platforms": two('if sys.platform == "win32":', "else:"),
    "fallback": two("try:", "except ImportError:"),
    "computed key": two("if sys.flags.dev_mode:", "else:", other=TWO.replace('"bb"', "str()")),
    "twice": HEAD + ONE.format("") + TWO.format(""),
    "an import": two("try:", "except ImportError:").replace(
        ONE.format("    "), "from somewhere import B\n"
    ),
    "in a class": HEAD
    + "class Outer:\n"
    + "".join(f"    {part}".format("    ") for part in (ONE, TWO)),
}
SAME = {
    "one key": two("if sys.flags.dev_mode:", "else:", other=ONE),
    "no service": two("if sys.flags.dev_mode:", "else:", other=TWO.replace("Service, ", "")),
    "two names": two("if sys.flags.dev_mode:", "else:", other=TWO.replace("B(", "C(")),
}


@pytest.mark.parametrize("name", HIDDEN)
def test_hidden_service_is_refused(tmp_path: Path, name: str) -> None:
    """A service that another definition of its name hides is refused with its place."""
    found = [d for d in scan(tmp_path, HIDDEN[name]).model.diagnostics if d.rule == "SVC014"]
    assert [d.target.rpartition(".")[2] for d in found] == ["B"]
    assert "class B(" in HIDDEN[name].splitlines()[found[0].line - 1]


@pytest.mark.parametrize("name", SAME)
def test_repeated_service_is_listed(tmp_path: Path, name: str) -> None:
    """Branches that define one key, or no second service, hide nothing."""
    found = scan(tmp_path, SAME[name])
    assert not [d for d in found.model.diagnostics if d.rule == "SVC014"]
    assert "b" in {service.key for service in found.model.catalog.services}
