"""The canonical one-line spelling of signatures."""

# Maintainers: text from records, nothing else. Invariant: what `spell` gives after `def ` and before
# `:` is valid Python whenever the parts are (a factory default is not code and is not put there).

from __future__ import annotations

from collections.abc import Iterable, Sequence

from toolset.catalog import Parameter

__all__ = ["spell", "spell_parameters"]


def spell(
    name: str, parameters: Sequence[Parameter], returns: str, *, awaited: bool = False
) -> str:
    """Spell a signature.

    Args:
        name: The name it is called by.
        parameters: Its parameters, in order.
        returns: Its return annotation, `""` without one.
        awaited: Whether calling it gives something to await.

    Returns:
        `async name(a: int, *, b=1) -> str`.
    """
    arrow = f" -> {returns}" if returns else ""
    return f"{'async ' if awaited else ''}{name}({spell_parameters(parameters)}){arrow}"


def spell_parameters(parameters: Iterable[Parameter]) -> str:
    """Spell a list of parameters with its `/` and `*`.

    Args:
        parameters: The parameters, in order.

    Returns:
        What stands between the brackets.
    """
    out: list[str] = []
    last = ""
    starred = False
    for item in parameters:
        if last == "positional-only" and item.kind != "positional-only":
            out.append("/")
        if item.kind == "keyword-only" and not starred:
            out.append("*")
            starred = True
        starred = starred or item.kind == "var-positional"
        out.append(_one(item))
        last = item.kind
    if last == "positional-only":
        out.append("/")
    return ", ".join(out)


def _one(item: Parameter) -> str:
    stars = {"var-positional": "*", "var-keyword": "**"}.get(item.kind, "")
    if not item.annotation:
        return f"{stars}{item.name}={item.default}" if item.default else f"{stars}{item.name}"
    default = f" = {item.default}" if item.default else ""
    return f"{stars}{item.name}: {item.annotation}{default}"
