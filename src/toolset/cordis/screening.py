"""Tell plain data from what could give a part of the framework's inside."""

# Maintainers: looks at values that pass into mounted code. It wraps nothing: membrane.py does.

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable, Iterable
from typing import Final, cast

from toolset.runtime import Context, Effect, Fiber, Listener, Registration, Registry, Service

__all__ = ["CONTAINERS", "INTERNALS", "PLAIN", "needs_screen", "rebuilt"]

INTERNALS: Final = (Context, Fiber, Registry, Registration, Listener)
PLAIN: Final = frozenset({type(None), bool, int, float, complex, str, bytes, bytearray})
CONTAINERS: Final = frozenset({list, tuple, set, frozenset, dict})
_SAMPLE: Final = 1000  # a container whose first elements are plain data is taken to be all plain


def needs_screen(value: object) -> bool:
    """Tell whether an object could give a context: by awaiting, by iterating, by an attribute."""
    kind = type(value)
    if isinstance(value, Service | Effect | Awaitable):
        return True
    if any(hasattr(kind, name) for name in ("__next__", "__anext__", "__aenter__")):
        return True
    held: object = getattr(value, "__dict__", None)
    own = cast("dict[str, object]", held).values() if isinstance(held, dict) else ()
    return any(isinstance(one, INTERNALS) for one in (*own, *_elements(value), *_slots(value)))


def _elements(value: object) -> Iterable[object]:
    """Give the fields of a named tuple."""
    return cast("Iterable[object]", value) if isinstance(value, tuple) else ()


def _slots(value: object) -> Iterable[object]:
    for kind in type(value).__mro__:
        names: object = kind.__dict__.get("__slots__", ())
        for name in (names,) if isinstance(names, str) else cast("Iterable[str]", names):
            yield getattr(value, name, None)


def rebuilt(container: object, change: Callable[[object], object]) -> object:
    """Change the elements of a container; give the container itself when none is changed."""
    if isinstance(container, dict):
        table = cast("dict[object, object]", container)
        if _is_plain(table.values()):
            return table
        changed = {key: change(value) for key, value in table.items()}
        same = all(changed[key] is value for key, value in table.items())
        return table if same else changed
    items = cast("list[object]", container)
    if _is_plain(items):
        return items
    made = [change(value) for value in items]
    if all(new is old for new, old in zip(made, items, strict=True)):
        return items
    return cast("Callable[[list[object]], object]", type(items))(made)


def _is_plain(values: Iterable[object]) -> bool:
    return all(type(value) in PLAIN for value in itertools.islice(values, _SAMPLE))
