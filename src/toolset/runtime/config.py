"""Validation of a plugin's configuration against its model."""

# Maintainers: pydantic does the types; this adds what it does not say: unknown keys at any depth
# with the nearest known one, and every violation as one line. pydantic is imported by whoever wrote
# the model, never by this module.

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, cast

from toolset.catalog import nearest
from toolset.runtime.errors import ConfigError

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__: list[str] = []


def validate(plugin: str, model: object, given: object) -> object:
    """Make the configuration object that `apply` receives.

    Args:
        plugin: Display name, for messages.
        model: The plugin's `Config`, a pydantic model, or None.
        given: What was passed to `ctx.plugin`.

    Returns:
        An instance of the model, or `given` as it is when the plugin has none.

    Raises:
        ConfigError: The configuration does not fit.
    """
    if model is None:
        return given
    kind = cast("type[BaseModel]", model)
    if isinstance(given, kind):
        return given
    if given is not None and not isinstance(given, Mapping):
        raise ConfigError(plugin, [f"expected a mapping or {kind.__name__}, got {given!r}"])
    data = {} if given is None else dict(cast("Mapping[str, object]", given))
    try:
        made = kind.model_validate(data)
    except ValueError as error:
        if not hasattr(error, "errors"):
            raise
        raise ConfigError(plugin, list(_violations(kind, data, error))) from None
    unknown = list(_unknown(made, data, ()))
    if unknown:
        raise ConfigError(plugin, unknown)
    return made


def _violations(
    kind: type[BaseModel], data: Mapping[str, object], error: ValueError
) -> Iterator[str]:
    """One line a violation; unknown keys of the top level are told along with the others."""
    told: set[str] = set()
    for problem in cast("list[dict[str, object]]", error.errors()):  # type: ignore[attr-defined]  # pydantic's
        path = _path(cast("tuple[str | int, ...]", problem["loc"]))
        if problem["type"] == "extra_forbidden":
            told.add(path)
            yield _unknown_key(
                path, path.rpartition(".")[2], _keys(kind) if "." not in path else ()
            )
        else:
            yield f"{path or 'the whole'}: {problem['msg']}"
    if kind.model_config.get("extra") != "allow":
        known = _keys(kind)
        for key in data:
            if key not in known and key not in told:
                yield _unknown_key(str(key), str(key), known)


def _unknown(made: object, given: object, path: tuple[str | int, ...]) -> Iterator[str]:
    """Walk what was given beside what it became and yield the keys that no model knows."""
    if hasattr(type(made), "model_fields"):
        if not isinstance(given, Mapping):
            return
        model = cast("BaseModel", made)
        known = _keys(type(model))
        values = cast("Mapping[str, object]", given)
        for key, value in values.items():
            if key in known:
                yield from _unknown(getattr(model, known[key]), value, (*path, key))
            elif model.model_config.get("extra") != "allow":
                yield _unknown_key(_path((*path, key)), key, known)
    elif isinstance(made, list | tuple) and isinstance(given, list | tuple):
        pairs = zip(cast("list[object]", made), cast("list[object]", given), strict=False)
        for index, (one, raw) in enumerate(pairs):
            yield from _unknown(one, raw, (*path, index))
    elif isinstance(made, Mapping) and isinstance(given, Mapping):
        raws = cast("Mapping[str, object]", given)
        for key, one in cast("Mapping[str, object]", made).items():
            yield from _unknown(one, raws.get(key), (*path, key))


def _keys(kind: type[BaseModel]) -> dict[str, str]:
    """Every key that input data may use, to the name of its field."""
    by_name = bool(
        kind.model_config.get("populate_by_name") or kind.model_config.get("validate_by_name")
    )
    keys: dict[str, str] = {}
    for name, field in kind.model_fields.items():
        alias = field.validation_alias or field.alias
        choices = getattr(alias, "choices", [alias])
        texts = [choice for choice in choices if isinstance(choice, str)]
        for key in texts:
            keys[key] = name
        if not texts or by_name:
            keys[name] = name
    return keys


def _unknown_key(path: str, key: str, known: Mapping[str, str] | tuple[()]) -> str:
    near = nearest(key, known)
    if near:
        return f"{path}: unknown key; did you mean {near[0]!r}?"
    known_text = f"; known keys: {', '.join(known)}" if known else ""
    return f"{path}: unknown key{known_text}"


def _path(parts: tuple[str | int, ...]) -> str:
    text = ""
    for part in parts:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text
