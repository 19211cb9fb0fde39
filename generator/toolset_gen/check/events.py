"""Rules on events: declarations, dispatches, listeners."""

# Maintainers: documentation of events is `docs`' business. What a site is about can be unknown
# (a name that is computed); an unknown site breaks no rule.

from __future__ import annotations

import re
from collections.abc import Iterator

from toolset.catalog import EventEntry, Parameter, nearest
from toolset_gen.check.facts import Facts
from toolset_gen.check.rules import RULES
from toolset_gen.diagnostics import Diagnostic
from toolset_gen.extract.model import Declaration, Listener, Location, Site

__all__ = ["check_events", "fits", "is_awaited", "is_next", "misfits"]

_NAME = re.compile(r"[^/\s]+/[^/\s]+")
_POSITIONAL = ("positional-only", "positional-or-keyword")


def check_events(facts: Facts) -> Iterator[Diagnostic]:
    """Judge the declarations of events and everything that dispatches or listens.

    Args:
        facts: What to judge.

    Yields:
        Violations of EVT006 to EVT013 and EVT017.
    """
    for declared in facts.model.catalog.events:
        yield from _declaration(declared, facts.declared("event", declared.name))
    yield from _twice(facts)
    yield from _never_dispatched(facts)
    for site in facts.sites("dispatch", "listen"):
        name = facts.event_name(site)
        if name is None:
            continue
        event = facts.events.get(name)
        if event is None:
            yield _undeclared(facts, site, name)
        elif site.kind == "dispatch":
            yield from _dispatch(event, site)
        elif site.listener is not None:
            yield from _listener(event, site.listener, site.location)


def _declaration(event: EventEntry, place: Location) -> Iterator[Diagnostic]:
    if not _NAME.fullmatch(event.name):
        yield RULES["EVT008"].at(
            place,
            event.name,
            f"event {event.name!r} is not named `scope/name`",
            "name the plugin or service it belongs to, a slash, and what happened",
        )
    last = event.parameters[-1] if event.parameters else None
    if event.mode == "waterfall" and (last is None or not is_next(last)):
        yield RULES["EVT006"].at(
            place,
            event.name,
            f"waterfall event {event.name!r} has no trailing parameter `next`",
            "end its parameters with `next: Next[…]`, giving what the event returns",
        )
    elif event.mode != "waterfall" and any(is_next(p) for p in event.parameters):
        yield RULES["EVT007"].at(
            place,
            event.name,
            f"event {event.name!r} takes `next`, which {event.mode} events never pass",
            'remove the parameter, or declare the event with mode="waterfall"',
        )


def is_next(parameter: Parameter) -> bool:
    """Tell whether a parameter is the one by which a listener calls those after it.

    Args:
        parameter: A parameter of an event.

    Returns:
        Whether it is called `next`, or is a `Next`.
    """
    return parameter.name == "next" or re.match(r"(\w+\.)*Next\b", parameter.annotation) is not None


def _twice(facts: Facts) -> Iterator[Diagnostic]:
    first: dict[str, Declaration] = {}
    for found in facts.declarations("event"):
        other = first.setdefault(found.name, found)
        if other.path != found.path:
            yield RULES["EVT009"].at(
                found.location,
                found.name,
                f"event {found.name!r} has a duplicate declaration; the first is "
                f"{other.path} at {other.location.path}:{other.location.line}",
                "remove one declaration and import the other",
            )


def _never_dispatched(facts: Facts) -> Iterator[Diagnostic]:
    dispatched = {facts.event_name(site) for site in facts.sites("dispatch", "mention")}
    for event in facts.model.catalog.events:
        if event.name not in dispatched:
            yield RULES["EVT010"].at(
                facts.declared("event", event.name),
                event.name,
                f"event {event.name!r} is declared and never dispatched",
                f"dispatch it with `ctx.{event.mode}(…)`, or remove the declaration",
            )


def _undeclared(facts: Facts, site: Site, name: str) -> Diagnostic:
    close = nearest(name, facts.events, limit=1)
    hint = f"did you mean {close[0]!r}? Otherwise declare" if close else "declare"
    verb = "dispatched" if site.kind == "dispatch" else "listened to"
    return RULES["EVT012"].at(
        site.location,
        name,
        f"event {name!r} is {verb} and declared nowhere",
        f'{hint} it with `@event("{name}", mode=…)` and use the declaration',
    )


def _dispatch(event: EventEntry, site: Site) -> Iterator[Diagnostic]:
    if site.verb != event.mode:
        yield RULES["EVT011"].at(
            site.location,
            event.name,
            f"{event.mode} event {event.name!r} is dispatched with `{site.verb}`{_by(site)}",
            f"call `{_call_of(event)}`{_there(site)}",
        )
    if site.arguments >= 0 and not fits(event, site.arguments):
        yield RULES["EVT017"].at(
            site.location,
            event.name,
            f"event {event.name!r} is dispatched with {_count(site.arguments)}"
            f"{_by(site)}, it takes {_count(len(event.parameters))}",
            f"call `{_call_of(event)}`",
        )


def _by(site: Site) -> str:
    """Say where a helper has the verb that the site does not have itself."""
    if site.via is None or site.via == site.location:
        return ""
    return f" by what it is given to, at {site.via.path}:{site.via.line}"


def misfits(facts: Facts, event: EventEntry) -> Iterator[Diagnostic]:
    """Find who would dispatch or listen wrongly if an event were another.

    Args:
        facts: The sites.
        event: The event as it would be.

    Yields:
        The violations of EVT013 and EVT017 at its sites.
    """
    for site in facts.sites("dispatch", "listen"):
        if facts.event_name(site) != event.name:
            continue
        if site.kind == "dispatch":
            yield from (found for found in _dispatch(event, site) if found.rule == "EVT017")
        elif site.listener is not None:
            yield from _listener(event, site.listener, site.location)


def _there(site: Site) -> str:
    return " there, or give it to something that does" if _by(site) else ""


def fits(event: EventEntry, arguments: int) -> bool:
    """Tell whether a dispatch passes what an event takes.

    Args:
        event: The event.
        arguments: How many positional arguments follow the event.

    Returns:
        Whether that is a number it can take.
    """
    least = sum(p.required for p in event.parameters)
    takes_any = any(p.kind == "var-positional" for p in event.parameters)
    return least <= arguments and (takes_any or arguments <= len(event.parameters))


def _count(number: int) -> str:
    return "1 argument" if number == 1 else f"{number} arguments"


def is_awaited(event: EventEntry) -> bool:
    """Tell whether a dispatch of an event has to be awaited.

    Args:
        event: The event.

    Returns:
        Whether its verb gives a coroutine.
    """
    return event.mode in {"parallel", "serial"} or (event.mode == "waterfall" and event.is_async)


def _call_of(event: EventEntry) -> str:
    names = [p.name for p in event.parameters]
    if event.mode == "waterfall" and names:
        names[-1] = "inner_default"
    return f"{'await ' if is_awaited(event) else ''}ctx.{event.mode}({', '.join(['…', *names])})"


def _listener(event: EventEntry, listener: Listener, site: Location) -> Iterator[Diagnostic]:
    given = len(event.parameters)
    places = [p for p in listener.parameters if p.kind in _POSITIONAL]
    least = sum(p.required for p in places)
    takes_any = any(p.kind == "var-positional" for p in listener.parameters)
    keyword = [p.name for p in listener.parameters if p.kind == "keyword-only" and p.required]
    if least <= given and (given <= len(places) or takes_any) and not keyword:
        return
    why = (
        f"requires the keyword argument {keyword[0]!r}, which no dispatch passes"
        if keyword
        else f"takes {_range(least, len(places), takes_any=takes_any)} where the event passes {given}"
    )
    yield RULES["EVT013"].at(
        site,
        event.name,
        f"listener {listener.path} of event {event.name!r} {why}",
        f"give it the event's parameters: `{event.signature}`",
    )


def _range(least: int, most: int, *, takes_any: bool) -> str:
    if takes_any:
        return f"at least {_count(least)}"
    return _count(most) if least == most else f"{least} to {_count(most)}"
