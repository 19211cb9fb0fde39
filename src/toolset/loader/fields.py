"""What the keys of an entry may hold."""

# Maintainers: one function a key, each from a node to a value or a refusal at that node. Which keys
# there are, and which go together, is parse.py's.

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, cast

import yaml

from toolset.loader.nodes import Reader
from toolset.loader.variables import malformed

__all__: list[str] = []

_DOTTED: Final = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_NAME: Final = re.compile(rf"[\w-][\w.-]*|{_DOTTED}:{_DOTTED}")
_LONGEST: Final = 200


def read_id(reader: Reader, node: yaml.Node) -> str:
    """Read an entry's `id`."""
    value = reader.value(node)
    if isinstance(value, str) and value.strip() and value.isprintable() and len(value) <= _LONGEST:
        return value
    reader.refuse(node, f"`id` is a text on one line, such as files; not {shown(node)}")
    return ""


def read_name(reader: Reader, node: yaml.Node) -> str:
    """Read an entry's `name`."""
    value = reader.value(node)
    if isinstance(value, str) and _NAME.fullmatch(value):
        return value
    reader.refuse(
        node,
        "`name` is a module, `module:attribute` or an entry point of `toolset.plugins`; "
        f"not {shown(node)}",
    )
    return ""


def read_disabled(reader: Reader, node: yaml.Node) -> bool:
    """Read an entry's `disabled`."""
    value = reader.value(node)
    if not isinstance(value, bool):
        reader.refuse(node, f"`disabled` is true or false, not {shown(node).partition(',')[0]}")
    return value is True


def read_config(reader: Reader, node: yaml.Node) -> Mapping[str, object] | None:
    """Read an entry's `config`, with its variables as they stand."""
    if not isinstance(node, yaml.MappingNode):
        reader.refuse(node, f"`config` is a mapping of keys to values, not {shown(node)}")
        return None
    config: dict[str, object] = {}
    for key, pair in reader.pairs(node).items():
        if not isinstance(key, str):
            reader.refuse(pair.key, f"a key of `config` is a text, not {shown(pair.key)}")
            continue
        config[key] = reader.value(pair.value)
        _refuse_malformed(reader, pair.value)
    return config


def _refuse_malformed(reader: Reader, node: yaml.Node) -> None:
    """Refuse the texts that have what looks like a variable and is none."""
    if isinstance(node, yaml.MappingNode):
        for _, value in cast("list[tuple[yaml.Node, yaml.Node]]", node.value):
            _refuse_malformed(reader, value)
    elif isinstance(node, yaml.SequenceNode):
        for item in cast("list[yaml.Node]", node.value):
            _refuse_malformed(reader, item)
    elif malformed(str(node.value)):
        reader.refuse(
            node,
            f"{str(node.value)[:60]!r} has a malformed variable; write ${{env:NAME}} or "
            "${env:NAME:-default}, `env` in small letters, a name of letters, digits and `_`, and no "
            "variable in the default",
        )


def read_keys(reader: Reader, what: str, node: yaml.Node) -> tuple[str, ...]:
    """Read a list of service keys."""
    if not isinstance(node, yaml.SequenceNode):
        reader.refuse(node, f"`{what}` is a list of service keys, such as [fs]; not {shown(node)}")
        return ()
    return tuple(
        dict.fromkeys(key for item in reader.items(node) if (key := _key(reader, what, item)))
    )


def read_isolate(reader: Reader, node: yaml.Node) -> tuple[tuple[str, str | None], ...]:
    """Read an entry's `isolate`: a list of keys, or a mapping of keys to true or a label."""
    if not isinstance(node, yaml.MappingNode):
        return tuple((key, None) for key in read_keys(reader, "isolate", node))
    found: dict[str, str | None] = {}
    for pair in reader.pairs(node).values():
        key, label = _key(reader, "isolate", pair.key), reader.value(pair.value)
        if label is True or (isinstance(label, str) and label):
            found[key] = None if label is True else label
        else:
            reader.refuse(
                pair.value,
                "a key of `isolate` is set to true for a slot of its own, or to the label of a shared "
                f"one; not {shown(pair.value)}",
            )
    return tuple(found.items())


def _key(reader: Reader, what: str, node: yaml.Node) -> str:
    value = reader.value(node)
    if isinstance(value, str) and value.isidentifier() and not value.startswith("_"):
        return value
    reader.refuse(node, f"`{what}` takes service keys, such as fs; not {shown(node)}")
    return ""


def shown(node: yaml.Node) -> str:
    """Name a node in a message."""
    if isinstance(node, yaml.ScalarNode):
        text = repr(str(node.value)[:_LONGEST])
        return (
            text if node.tag.endswith(":str") else f"{text}, which YAML takes for no text; quote it"
        )
    return "a mapping" if isinstance(node, yaml.MappingNode) else "a list"
