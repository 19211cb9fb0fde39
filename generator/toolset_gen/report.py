"""Say how the artifacts compare: as text, as JSON, as annotations of a CI service."""

# Maintainers: every text that ends in a command takes it from `artifacts.COMMAND`, which a test
# runs.

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import islice

from toolset_gen.annotations import Format, annotation
from toolset_gen.artifacts import COMMAND, Stale
from toolset_gen.diagnostics import Diagnostic
from toolset_gen.gate import FAULT, FRESH, Outcome
from toolset_gen.notes import say_notes

__all__ = ["annotate", "say_generated", "say_verified"]

_DIFF_LINES = 40
_WHY = {
    "missing": "does not exist",
    "changed": "differs from what the sources say",
    "line ends": "differs in its line ends alone (they must be LF: see .gitattributes)",
    "orphaned": "is generated and no longer produced",
}
_FOREIGN = (
    "Delete what was not generated if it is not needed, or move it away "
    "or name other places in [tool.toolset.catalog]"
)


def say_verified(outcome: Outcome, form: Format, *, folder: str = "") -> str:
    """Report a verification.

    Args:
        outcome: How the artifacts compare.
        form: The form of the report.
        folder: Where the project is in its repository, posix: annotations name files from there.

    Returns:
        The report, without a final newline.
    """
    match form:
        case "text":
            return _text(outcome)
        case "json":
            return _json(outcome)
        case "github":
            stale = [
                annotation(
                    "error",
                    "stale",
                    f"{stale.path} {_why(stale)}; {_way_out(stale)}run `{COMMAND}`",
                    path=stale.path,
                    folder=folder,
                )
                for stale in outcome.stale
            ]
            lines = [*annotate(outcome.diagnostics, folder), *stale]
            return "\n".join(lines) or "The catalog is fresh."


def say_generated(outcome: Outcome, form: Format = "text", *, folder: str = "") -> str:
    """Report a generation.

    Args:
        outcome: What was stale, and what is wrong.
        form: The form of the report.
        folder: Where the project is in its repository, posix: annotations name files from there.

    Returns:
        The report, without a final newline.
    """
    if form == "json":
        return _json_of_generated(outcome)
    found = outcome.diagnostics
    lines = list(annotate(found, folder) if form == "github" else _violations(outcome))
    if outcome.at_fault:
        lines.append("Nothing was written: repair the sources and run the command again.")
    elif outcome.stale:
        lines += [_done(stale) for stale in outcome.stale]
    else:
        lines.append("Everything is fresh; nothing was written.")
    return "\n".join(lines)


def annotate(diagnostics: Iterable[Diagnostic], folder: str) -> Iterator[str]:
    """Write violations as annotations.

    Args:
        diagnostics: The violations.
        folder: Where the project is in its repository, posix.

    Yields:
        A line a violation; one for all notes, which are about files that the change cannot touch.
    """
    every = list(diagnostics)
    notes = [found for found in every if found.severity == "note"]
    if notes:
        message = "\n".join(say_notes(notes))
        yield annotation("notice", "classes that others wrote", message)
    for found in every:
        if found.severity == "note":
            continue
        yield annotation(
            found.severity,
            found.rule,
            f"{found.message}; {found.remedy}",
            path=found.path,
            line=found.line,
            folder=folder,
        )


def _done(stale: Stale) -> str:
    return f"{'removed' if stale.why == 'orphaned' else 'wrote'} {stale.path}"


def _text(outcome: Outcome) -> str:
    lines = list(_violations(outcome))
    for stale in outcome.stale:
        lines.append(f"{stale.path} {_why(stale)}")
        # While the sources are at fault, what they say is not worth comparing line by line.
        lines += [] if outcome.at_fault else _diff(stale)
    if outcome.at_fault:
        lines.append(f"Repair the sources, then run `{COMMAND}`.")
    elif any(stale.is_foreign for stale in outcome.stale):
        lines.append(f"{_FOREIGN}; then run `{COMMAND}`.")
    elif outcome.stale:
        lines.append(f"Run `{COMMAND}`.")
    elif outcome.exit_code == FRESH:
        lines.append("The catalog is fresh.")
    return "\n".join(lines)


def _why(stale: Stale) -> str:
    if stale.is_foreign:
        return f"was not generated, so `{COMMAND}` will not overwrite it"
    return _WHY[stale.why]


def _way_out(stale: Stale) -> str:
    return "delete it if it is not needed, or move it away, and " if stale.is_foreign else ""


def _violations(outcome: Outcome) -> Iterator[str]:
    own = [found for found in outcome.diagnostics if found.severity != "note"]
    yield from say_notes(found for found in outcome.diagnostics if found.severity == "note")
    for found in own:
        message = found.message.replace(found.path, _on_one_line(found.path))
        target = f" [{found.target}]" if found.target else ""
        yield f"{_place(found)}: {found.severity} {found.rule}: {message}{target}"
        for line in found.excerpt.splitlines():
            yield f"    {line}"
        yield f"    {found.remedy}"
    if own:
        rule = own[0].rule
        yield f"{_counted(own)}; `toolset catalog explain {rule}` explains a rule."


def _counted(diagnostics: Iterable[Diagnostic]) -> str:
    severities = [found.severity for found in diagnostics]
    counts = [(severities.count("error"), "violation"), (severities.count("warning"), "warning")]
    return ", ".join(f"{n} {noun}{'s' if n > 1 else ''}" for n, noun in counts if n)


def _place(found: Diagnostic) -> str:
    path = _on_one_line(found.path)
    return f"{path}:{found.line}" if found.line else path


def _on_one_line(text: str) -> str:
    """Escape line ends, which a file's name may hold."""
    return text.replace("\n", "\\n").replace("\r", "\\r")


def _diff(stale: Stale) -> Iterator[str]:
    if stale.why != "changed" or stale.is_foreign:
        return
    import difflib  # noqa: PLC0415 - only a stale artifact needs it

    old, new = (data.decode("utf-8", "replace").splitlines() for data in (stale.old, stale.new))
    lines = difflib.unified_diff(
        old, new, f"{stale.path} (on disk)", f"{stale.path} (as the sources say)", lineterm=""
    )
    yield from islice(lines, _DIFF_LINES)
    left = sum(1 for _ in lines)
    if left:
        yield f"… {left} more lines"


def _json(outcome: Outcome) -> str:
    report = {
        "status": "fault" if outcome.at_fault else "stale" if outcome.stale else "fresh",
        "exit_code": outcome.exit_code,
        "violations": [found._asdict() for found in outcome.diagnostics],
        "stale": [
            {"path": stale.path, "why": stale.why, "diff": list(_diff(stale))}
            for stale in outcome.stale
        ],
        "command": COMMAND,
    }
    return json.dumps(report, indent=2)


def _json_of_generated(outcome: Outcome) -> str:
    done = () if outcome.at_fault else outcome.stale
    report = {
        "status": "fault" if outcome.at_fault else "written" if done else "fresh",
        "exit_code": FAULT if outcome.at_fault else FRESH,
        "violations": [found._asdict() for found in outcome.diagnostics],
        "written": [stale.path for stale in done if stale.why != "orphaned"],
        "removed": [stale.path for stale in done if stale.why == "orphaned"],
    }
    return json.dumps(report, indent=2)
