"""Lay out the Python that people read, with black."""

# Maintainers: black is imported only when a snippet is not remembered; it is called once for all of
# them, since starting it is what costs. Its style decides how the pages look, so it is pinned to one
# year in pyproject.toml. What black cannot parse stays as it is written: a page with a long line is
# better than no page.

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping

__all__ = ["as_python", "format_all"]

_MARK = "# ---- toolset snippet {} ----"


def as_python(signature: str) -> str:
    """Make Python of a canonical signature.

    Args:
        signature: Such as `async get(key: str) -> str`, or `name: type` of an attribute.

    Returns:
        A `def` with a body of `...`, or the attribute's annotation.
    """
    head, _, rest = signature.partition(" ")
    name = rest if head == "async" else signature
    if "(" not in name.partition(":")[0]:
        return signature
    return f"{'async ' if head == 'async' else ''}def {name}: ..."


def format_all(snippets: Iterable[str], memory: MutableMapping[str, str]) -> Mapping[str, str]:
    """Format snippets of Python, importing black only for those that are new.

    Args:
        snippets: Statements as text.
        memory: What was formatted before; new results are added to it.

    Returns:
        Each snippet to its formatted text, without a final newline.
    """
    wanted = sorted(set(snippets))
    new = [text for text in wanted if text not in memory]
    if new:
        memory.update(zip(new, _format(new), strict=True))
    return {text: memory[text] for text in wanted}


def _format(snippets: list[str]) -> list[str]:
    # A third of a second that an unchanged catalog need not pay.
    from black import format_str  # noqa: PLC0415
    from black.mode import Mode, TargetVersion  # noqa: PLC0415
    from black.parsing import InvalidInput  # noqa: PLC0415

    mode = Mode(target_versions={TargetVersion.PY313})
    batch = "".join(f"{_MARK.format(n)}\n{text}\n" for n, text in enumerate(snippets))
    try:
        return _split(format_str(batch, mode=mode), len(snippets))
    except InvalidInput:
        pass
    if len(snippets) == 1:
        return [snippets[0]]
    middle = len(snippets) // 2
    return _format(snippets[:middle]) + _format(snippets[middle:])


def _split(text: str, count: int) -> list[str]:
    parts: list[str] = []
    for number in range(count):
        _, _, text = text.partition(_MARK.format(number) + "\n")
        parts.append(text.partition(_MARK.format(number + 1))[0].strip("\n"))
    return parts
