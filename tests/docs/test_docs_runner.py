"""The runner of documentation blocks: what it runs, and that each kind of block can fail."""

from __future__ import annotations

from pathlib import Path

import pytest
from docs_runner import run_page
from markdown_blocks import parse


def run(text: str, folder: Path) -> int:
    """Run a page whose `checkout` is a folder beside it."""
    return run_page(parse("page.md", text), folder, lambda: folder.parent)


def test_page_shares_one_namespace(tmp_path: Path) -> None:
    """A block sees the names and the files of the blocks before it."""
    text = """
```python
word = "seen"
```
```toml file=settings.toml
word = "read"
```
```python
import pathlib
print(word, pathlib.Path("settings.toml").read_text())
```
```text output
seen word = ...
```
"""
    assert run(text, tmp_path) == 4


def test_console_commands_run(tmp_path: Path) -> None:
    """Commands of a console block run in the page's folder; output shown below one is compared."""
    text = """
```console
$ printf 'one\\ntwo\\n' > lines
$ cat \\
> lines
one
two
```
```sh exit=3
test -f lines
exit 3
```
"""
    assert run(text, tmp_path) == 2


def test_checkout_blocks_change_folder(tmp_path: Path) -> None:
    """A block marked `checkout` runs in the copy of the repository."""
    text = f"```console checkout\n$ pwd\n{tmp_path.parent.resolve()}\n```\n"
    assert run(text, tmp_path) == 1


def test_indented_block_is_dedented(tmp_path: Path) -> None:
    """A block inside a list item runs as if it stood at the margin."""
    assert run("- so:\n\n  ```python\n  if True:\n      pass\n  ```\n", tmp_path) == 1


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ("```python\n\n1 / 0\n```", "page.md:1: ZeroDivisionError"),
        ("```python\nimport warnings; warnings.warn('old')\n```", "page.md:1: UserWarning: old"),
        ("```python\nprint(1)\n```\n```text output\n2\n```", "page.md:4: the page shows other"),
        ("```pycon\n>>> 1 + 1\n3\n```", "Expected:"),
        ("```sh\nfalse\ntrue\n```", "page.md:1: ended with status 1, not 0"),
        ("```console\n$ echo a\nb\n```", "page.md:1: $ echo a: the page shows other"),
        ("```console\nls\n```", "no line starts with"),
        ("```json\n{,}\n```", "page.md:1: JSONDecodeError"),
        ("```bash\ntrue\n```", "the language 'bash' is none of"),
        ("```\nplain\n```", "the language '' is none of"),
        ("```python norun\n1\n```", "the mark 'norun' is not understood"),
        ("```python not-run=\n1\n```", "the mark 'not-run=' is not understood"),
    ],
)
def test_wrong_block_fails(block: str, message: str, tmp_path: Path) -> None:
    """A block that does not do what the page says fails, naming the page and the line."""
    with pytest.raises(AssertionError) as caught:
        run(block, tmp_path)
    assert message in str(caught.value)


def test_excused_block_is_skipped(tmp_path: Path) -> None:
    """A block that says why it is not run is not run."""
    assert run('```python not-run="needs a key"\n1 / 0\n```\n```sh ci\nfalse\n```', tmp_path) == 2
