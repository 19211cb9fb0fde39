"""Repairs of one file as edits of its text."""

# Maintainers: libcst finds the exact place of what a repair is about, and Text takes the edit; the
# tree is never written back. A repair whose place cannot be told for certain is left, with the
# reason. libcst's positions are checked against the text before they are believed.

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from toolset_gen.fix.edits import Edit, RefusedError, Text
from toolset_gen.fix.finder import (
    Call,
    Definition,
    Finder,
    List,
    docstring_of,
    is_marked,
    opening_of,
    parameters_of,
    section_of,
)
from toolset_gen.fix.headers import Header, gives_nothing, read_header
from toolset_gen.fix.imports import name_of
from toolset_gen.fix.lists import Key, reorder
from toolset_gen.fix.records import Change, Left, Repair
from toolset_gen.fix.sections import STUB, Wanted, edit_docstring

__all__ = ["edit_file"]

_IN_DOCSTRINGS = {"entry", "returns", "type", "unknown"}
_SILENT = {"emit", "parallel"}  # give no value


def edit_file(data: bytes, repairs: Iterable[Repair]) -> tuple[bytes, list[Change], list[Left]]:
    """Repair one file.

    Args:
        data: Its bytes, valid Python.
        repairs: What to repair in it.

    Returns:
        Its new bytes, what was done, and what was left.
    """
    file = _File(data)
    edits: list[Edit] = []
    changes: list[Change] = []
    left: list[Left] = []
    for group in _groups(repairs):
        try:
            made, what = file.edits(group)
        except RefusedError as refused:
            left += [Left(repair, str(refused)) for repair in group]
        else:
            edits += made
            changes += [Change(repair, text) for repair, text in zip(group, what, strict=True)]
    return file.text.apply(edits), changes, left


def _groups(repairs: Iterable[Repair]) -> Iterator[list[Repair]]:
    """Bring together what edits one docstring, or the same words twice."""
    groups: dict[tuple[object, ...], list[Repair]] = {}
    for repair in repairs:
        if repair.doubt:
            key: tuple[object, ...] = tuple(repair)
        elif repair.kind in _IN_DOCSTRINGS:
            key = ("docstring", repair.subject)
        else:
            key = repair._replace(target="")
        groups.setdefault(key, []).append(repair)
    yield from groups.values()


class _File:
    """A parsed file."""

    def __init__(self, data: bytes) -> None:
        self.text = Text(data)
        wrapper = MetadataWrapper(cst.parse_module(self.text.text), unsafe_skip_copy=True)
        self._module = wrapper.module
        self._positions = wrapper.resolve(PositionProvider)
        self._finder = Finder()
        self._module.visit(self._finder)

    def edits(self, group: list[Repair]) -> tuple[list[Edit], list[str]]:
        """Make the edits of repairs that belong together, and say what each did."""
        if group[0].doubt:
            raise RefusedError(group[0].doubt)
        match group[0].kind:
            case "docstring":
                return self._stub(group[0]), ["added a docstring to be written"]
            case "entry" | "returns" | "type" | "unknown":
                return self._sections(group)
            case "nothing":
                return self._nothing(group[0]), ["annotated that it returns nothing: `-> None`"]
            case "next":
                return self._next(group[0])
            case "verb":
                return self._verb(group[0]), [f"replaced `{group[0].old}` by `{group[0].name}`"]
            case "inject":
                return self._sorted(group[0]), ["sorted the keys"]
            case "suppression":
                raise RefusedError("it stands in no source file")

    # Places

    def _line(self, node: cst.CSTNode) -> int:
        return self._positions[node].start.line

    def _span(self, node: cst.CSTNode) -> tuple[int, int]:
        place = self._positions[node]
        start = self.text.offset(place.start.line, place.start.column)
        end = self.text.offset(place.end.line, place.end.column)
        if self.text.text[start:end] != self._code(node):
            raise RefusedError("its place in the file cannot be told for certain")
        return start, end

    def _code(self, node: cst.CSTNode) -> str:
        return self._module.code_for_node(node)

    def _definition(self, repair: Repair) -> Definition:
        found = self._finder.definitions.get(repair.subject, [])
        if len(found) > 1:
            real = [node for node in found if not is_marked(node, "overload")]
            found = [node for node in found if docstring_of(node) is not None] or real
            found = [node for node in found if not is_marked(node, "setter", "deleter")]
        if len(found) != 1:
            raise RefusedError(f"{repair.subject!r} is defined {len(found)} times in the file")
        return found[0]

    # Docstrings

    def _stub(self, repair: Repair) -> list[Edit]:
        node = self._definition(repair)
        quoted = f'"""{STUB}"""'
        if isinstance(node.body, cst.SimpleStatementSuite):
            margin = self.text.margin(self._line(node.name)) + self.text.step
            start, _ = self._span(node.body.body[0])
            colon = self.text.text.rindex(":", 0, start)
            line_end = self.text.newline
            return [Edit(colon + 1, start, f"{line_end}{margin}{quoted}{line_end}{margin}")]
        first = node.body.body[0]
        if isinstance(first, cst.FunctionDef | cst.ClassDef) and first.decorators:
            first_line = self._line(first.decorators[0])
        else:
            first_line = self._line(first)
        margin = self.text.margin(first_line)
        start = self.text.offset(first_line, 0)
        return [Edit(start, start, f"{margin}{quoted}{self.text.newline}")]

    def _sections(self, group: list[Repair]) -> tuple[list[Edit], list[str]]:
        node = self._definition(group[0])
        literal = docstring_of(node)
        if not isinstance(literal, cst.SimpleString):
            raise RefusedError("its docstring is not one plain literal")
        shown, order = parameters_of(node, overloads=self._finder.definitions[group[0].subject])
        takes_any = any(parameter.startswith("**") for parameter in shown.values())
        if takes_any and any(repair.kind == "unknown" for repair in group):
            raise RefusedError("it takes any keyword, and the entry may be of one")
        wanted = Wanted(
            entries=tuple(shown[repair.name] for repair in group if repair.kind == "entry"),
            order=order,
            section=section_of(node) if any(r.kind == "returns" for r in group) else "",
            untyped=tuple(repair.name for repair in group if repair.kind == "type"),
            renamed=tuple((r.old, r.name) for r in group if r.kind == "unknown" and r.name),
            removed=tuple(r.old for r in group if r.kind == "unknown" and not r.name),
        )
        edited = edit_docstring(
            literal.value,
            wanted,
            margin=self.text.margin(self._line(literal)),
            newline=self.text.newline,
            step=self.text.step,
        )
        if edited is None:
            raise RefusedError("its docstring cannot be edited without changing what else it says")
        start, end = self._span(literal)
        return [Edit(start, end, edited)], [_said(repair, wanted) for repair in group]

    # Headers

    def _nothing(self, repair: Repair) -> list[Edit]:
        node = self._definition(repair)
        owners = self._finder.definitions.get(repair.subject.rpartition(".")[0], [])
        owner = next((one for one in owners if isinstance(one, cst.ClassDef)), None)
        if len(self._finder.definitions[repair.subject]) > 1:
            raise RefusedError("it has overloads, and each returns something of its own")
        if not isinstance(node, cst.FunctionDef) or node.returns is not None:
            raise RefusedError("no function without a return annotation stands there")
        if repair.name != "anything" and not gives_nothing(node, owner):
            raise RefusedError("what it returns has to be read out of its body by a person")
        return [self._header(node).returning_nothing()]

    def _next(self, repair: Repair) -> tuple[list[Edit], list[str]]:
        node = self._definition(repair)
        if not isinstance(node, cst.FunctionDef) or node.returns is None:
            raise RefusedError("nothing says what it returns, which `next` gives too")
        given = node.params
        listed = [*given.posonly_params, *given.params]
        if not isinstance(given.star_arg, cst.MaybeSentinel) or given.star_kwarg is not None:
            raise RefusedError("`next` cannot follow its last parameter")
        if any(item.default is not None for item in listed):
            raise RefusedError("`next` cannot follow a parameter with a default")
        name, edits = name_of("Next", self._module, self.text.text, self._span)
        parameter = f"next: {name}[{self._code(node.returns.annotation)}]"
        edits.append(self._header(node).taking(parameter, self.text.newline))
        return edits, [f"added the parameter `{parameter}`"]

    def _header(self, node: cst.FunctionDef) -> Header:
        return read_header(self.text.text, self._span(node.name)[0])

    # Dispatches

    def _verb(self, repair: Repair) -> list[Edit]:
        calls = [call for call in self._finder.calls if self._is_meant(call, repair)]
        if not calls:
            raise RefusedError(f"no call `….{repair.old}({repair.subject}, …)` stands on that line")
        return [edit for call in calls for edit in self._renamed(call, repair)]

    def _is_meant(self, call: Call, repair: Repair) -> bool:
        given = call.node.args[0] if call.node.args else None
        return (
            given is not None
            and call.method.attr.value == repair.old
            and self._line(call.node) == repair.line
            and _squeezed(self._code(given.value)) == _squeezed(repair.subject)
        )

    def _renamed(self, call: Call, repair: Repair) -> list[Edit]:
        was_awaited = repair.old in {"parallel", "serial"} or call.is_awaited
        if not call.is_statement and (repair.name in _SILENT or was_awaited != repair.awaited):
            raise RefusedError("its value is used, and the right verb gives another")
        if was_awaited and not call.is_awaited:
            raise RefusedError("what it gives is not awaited where it is called")
        start, end = self._span(call.method.attr)
        edits = [Edit(start, end, repair.name)]
        outer, _ = self._span(call.node)
        if repair.awaited and not was_awaited:
            if not call.in_async:
                raise RefusedError(f"`{repair.name}` is awaited, and the function is not async")
            edits.append(Edit(outer, outer, "await "))
        elif was_awaited and not repair.awaited:
            before = self.text.text.rindex("await", 0, outer)
            edits.append(Edit(before, outer, ""))
        return edits

    # Keys

    def _sorted(self, repair: Repair) -> list[Edit]:
        edits: list[Edit] = []
        for node in self._finder.lists:
            keys = [item.value for item in node.elements]
            if self._line(opening_of(node) or node) != repair.line or len(keys) < 2:  # noqa: PLR2004 - one is sorted
                continue
            strings = [key for key in keys if isinstance(key, cst.SimpleString)]
            if len(strings) == len(keys):
                edits += self._reordered(node, strings)
        if not edits:
            raise RefusedError("no list of strings that is not sorted begins on that line")
        return edits

    def _reordered(self, node: List, strings: Sequence[cst.SimpleString]) -> list[Edit]:
        keys = [Key(*self._span(key), str(key.evaluated_value)) for key in strings]
        bracket = opening_of(node)
        place = self._positions[bracket or strings[0]].start
        return reorder(self.text.text, self.text.offset(place.line, place.column), keys)


def _squeezed(code: str) -> str:
    return "".join(code.split())


def _said(repair: Repair, wanted: Wanted) -> str:
    if repair.kind == "entry":
        return f"added an `Args:` entry for {repair.name!r} to be written"
    if repair.kind == "unknown" and repair.name:
        return f"renamed the `Args:` entry {repair.old!r} to {repair.name!r}"
    if repair.kind == "unknown":
        return f"removed the `Args:` entry {repair.old!r}, which is for no parameter"
    if repair.kind == "type":
        return f"removed the type of {repair.name!r} from the docstring"
    return f"added a `{wanted.section}:` section to be written"
