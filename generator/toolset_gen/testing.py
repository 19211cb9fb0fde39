"""Let plain pytest catch a stale catalog.

```python
from pathlib import Path
from toolset_gen.testing import assert_catalog_fresh


def test_catalog_is_fresh() -> None:
    assert_catalog_fresh(Path(__file__).parents[1])
```
"""

# Maintainers: knows no test framework; an AssertionError is what all of them show.

from __future__ import annotations

from pathlib import Path

from toolset_gen.config import read_config
from toolset_gen.gate import FRESH, examine
from toolset_gen.report import say_verified

__all__ = ["assert_catalog_fresh"]


def assert_catalog_fresh(root: Path | str) -> None:
    """Fail unless the artifacts of a project are what its sources say.

    Args:
        root: The folder of its pyproject.toml.

    Raises:
        AssertionError: They are stale or the sources are at fault; its text is what
            `toolset catalog verify` prints.
        GeneratorError: The configuration cannot be served, or an artifact cannot be read.
    """
    outcome = examine(read_config(Path(root).resolve()))
    if outcome.exit_code != FRESH:
        raise AssertionError(say_verified(outcome, "text"))
