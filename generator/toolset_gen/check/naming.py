"""What prose may name: services and their members, the `ctx` API, events, tools, configuration fields."""

# Maintainers: the vocabulary, and how a code span is understood as a name. What counts as one is chosen so
# that prose about anything else is left alone: `ctx.…` always does, `scope/name` when the scope is an
# event's, `key.member` when the key is a service's, `plugin.field` when the plugin has a configuration, a
# word with an underscore when it is next to a tool's name. Files, and words that code uses, are none.

from __future__ import annotations

import difflib
import keyword
import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from toolset.catalog import nearest
from toolset_gen.check.facts import Facts
from toolset_gen.extract.names import MODES

__all__ = ["Missing", "Names"]

_CONTEXT = re.compile(r"(?<![\w.])ctx\.([A-Za-z]\w*)(?:\.([A-Za-z]\w*))?")
_EVENT = re.compile(r"[a-z][\w-]*/[a-z][\w-]*")
_WORD = re.compile(r"([a-z]\w*_\w+)(?:\(.*\))?")
_DOTTED = re.compile(r"([A-Za-z][\w-]*)\.([A-Za-z]\w*)(?:\(.*\))?")
_CONFIG = re.compile(r"(?:self\.|ctx\.)?config\.([A-Za-z]\w*)")
# What stands for any name; a service that is called so is known as one.
_ANY = frozenset({"key", "name", "service"})
_NEAR = 0.8
_FILES = frozenset({"cfg", "css", "html", "ini", "js", "json", "lock", "md", "pyi", "py", "sh"}) | {
    *("svg", "toml", "ts", "txt", "xml", "yaml", "yml")
}


class Missing(NamedTuple):
    """A name of something that does not exist.

    Attributes:
        rule: Which rule that breaks.
        name: The name as prose has it.
        what: What it should be, such as "event 'shop/sold'".
        close: The nearest that exists, `""` when none is near.
    """

    rule: str
    name: str
    what: str
    close: str


class Names:
    """The names that exist.

    Args:
        facts: What the sources say.
    """

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    @cached_property
    def _context(self) -> frozenset[str]:
        mixed = {m.name for service in self._facts.known.services for m in service.members}
        own = {member.name for member in self._facts.known.context}
        return frozenset(own | mixed | {*MODES, "on", "once", "config"})

    @cached_property
    def _members(self) -> dict[str, frozenset[str]]:
        return {
            service.key: frozenset(member.name for member in service.members)
            for service in self._facts.known.services
        }

    @cached_property
    def _scopes(self) -> frozenset[str]:
        return frozenset(name.partition("/")[0] for name in self._facts.events)

    @cached_property
    def _fields(self) -> dict[str, frozenset[str]]:
        """Fields by plugin, with the members of what it provides."""
        provided = {p.name: p.provides for p in self._facts.model.catalog.plugins}
        return {
            config.plugin: frozenset(
                {field.name for field in config.fields}
                | {"Config"}
                | {m for key in provided.get(config.plugin, ()) for m in self._members.get(key, ())}
            )
            for config in self._facts.model.catalog.configs
        }

    @cached_property
    def _tools(self) -> frozenset[str]:
        """The tools, none when it is not known which there are."""
        failed = any(booted.failure for booted in self._facts.booted)
        if failed or not self._facts.config.boot:
            return frozenset()
        found = {tool.name for booted in self._facts.booted for tool in booted.tools}
        return frozenset(found.union(*(plugin.tools for plugin in self._facts.known.plugins)))

    @cached_property
    def _families(self) -> frozenset[str]:
        """What the names of tools begin with, when they have more than one part."""
        return frozenset(name.partition("_")[0] for name in self._tools if "_" in name)

    def missing(self, code: str, *, fields: frozenset[str] | None = None) -> Iterator[Missing]:
        """Find the names in a code span that nothing has.

        Args:
            code: What stands between the backticks.
            fields: What `config.…` may name here, None when that is not known.

        Yields:
            Each name that does not exist.
        """
        text = code.strip()
        yield from self._in_context(text)
        event = _EVENT.fullmatch(text)
        known = text in self._facts.events or text.partition("/")[0] not in self._scopes
        if event is not None and not known and not self._is_path(text):
            yield self._gone("PRO002", text, f"event {text!r}", self._facts.events)
        word = _WORD.fullmatch(text)
        if word is not None and self._is_like_a_tool(word[1]) and not self._is_code(word[1]):
            yield self._gone("PRO003", word[1], f"tool {word[1]!r}", self._tools)
        named = _CONFIG.fullmatch(text)
        if named is not None and fields is not None:
            if named[1] not in fields and not named[1].startswith("model_"):
                yield self._gone("PRO004", text, f"configuration field {named[1]!r}", fields)
        elif named is None:
            yield from self._in_dotted(text)

    def _in_context(self, text: str) -> Iterator[Missing]:
        if not self._facts.known.context:
            return  # the catalog that has the API of `ctx` is not among the known ones
        keys = self._facts.service_keys
        for match in _CONTEXT.finditer(text):
            key, member = match[1], match[2]
            if key not in keys and key not in self._context and key not in _ANY and len(key) > 1:
                yield self._gone(
                    "PRO001", f"ctx.{key}", f"service {key!r}", {*keys, *self._context}
                )
            elif member and key in self._members and member not in self._members[key]:
                what = f"member {member!r} of service {key!r}"
                yield self._gone("PRO001", f"ctx.{key}.{member}", what, self._members[key])

    def _in_dotted(self, text: str) -> Iterator[Missing]:
        match = _DOTTED.fullmatch(text)
        if match is None or match[2] in _FILES or self._is_path(text):
            return
        owner, name = match[1], match[2]
        if owner in self._members:
            known = self._members[owner] | self._fields.get(owner, frozenset())
            if name not in known:
                what = f"member {name!r} of service {owner!r}"
                yield self._gone("PRO001", f"{owner}.{name}", what, known)
        elif name not in self._fields.get(owner, {name}) and not self._is_class(owner):
            what = f"configuration field {name!r} of plugin {owner!r}"
            yield self._gone("PRO004", f"{owner}.{name}", what, self._fields[owner])

    def _gone(self, rule: str, name: str, what: str, known: Iterable[str]) -> Missing:
        close = nearest(what.split("'")[1], known, limit=1)
        return Missing(rule, name, what, close[0] if close else "")

    def _is_like_a_tool(self, word: str) -> bool:
        if word in self._tools or keyword.iskeyword(word):
            return False
        if word.partition("_")[0] in self._families:
            return True
        return bool(difflib.get_close_matches(word, self._tools, n=1, cutoff=_NEAR))

    def _is_code(self, word: str) -> bool:
        """Tell whether the scanned code itself uses a word, and not only as prose does."""
        used = re.compile(rf"(?<![`\w]){re.escape(word)}\b".encode())
        return any(used.search(file.data) for file in self._facts.files)

    def _is_class(self, name: str) -> bool:
        plugins = self._facts.model.catalog.plugins
        return any(p.path.endswith((f":{name}", f".{name}")) and not p.provides for p in plugins)

    def _is_path(self, text: str) -> bool:
        """Tell whether a text names a file or folder of the project."""
        places = [file.path for file in self._facts.files]
        places += [document.path for document in self._facts.documents]
        inside = any(f"/{text}/" in f"/{path}/" or path.endswith(text) for path in places)
        return inside or (self._facts.config.root / text).exists()
