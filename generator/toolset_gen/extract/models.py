"""What pydantic makes of the fields of a model: keys, defaults, constraints, descriptions."""

# Maintainers: pydantic's rules as test_check_config_schema.py finds them, which compares every
# answer with `model_json_schema()`. Nothing is evaluated but the alias generators that pydantic
# itself and `str` have.

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from toolset.catalog import Field
from toolset_gen.extract.behind import Extra, metadata
from toolset_gen.extract.library import Library
from toolset_gen.extract.paths import Definition
from toolset_gen.extract.raw import Expr, RawAnnotation, RawClass, RawVariable

__all__ = ["ROOT_MODEL", "FieldSpec", "ModelFields", "is_field"]

ROOT_MODEL = frozenset({"pydantic.RootModel", "pydantic.root_model.RootModel"})
_FIELD = frozenset({"pydantic.Field", "pydantic.fields.Field"})
_NOT_FIELDS = frozenset({"pydantic.PrivateAttr", "pydantic.fields.PrivateAttr"})
_CHOICES = frozenset({"pydantic.AliasChoices", "pydantic.aliases.AliasChoices"})
_PATH = frozenset({"pydantic.AliasPath", "pydantic.aliases.AliasPath"})
_CONSTRAINTS = frozenset(
    {"gt", "ge", "lt", "le", "multiple_of", "min_length", "max_length", "pattern", "strict"}
    | {"max_digits", "decimal_places", "allow_inf_nan", "discriminator", "fail_fast"}
    | {"strip_whitespace", "to_lower", "to_upper"}
)
_ANNOTATED_TYPES = {
    "Gt": "gt",
    "Ge": "ge",
    "Lt": "lt",
    "Le": "le",
    "MultipleOf": "multiple_of",
    "MinLen": "min_length",
    "MaxLen": "max_length",
}


class FieldSpec(NamedTuple):
    """A field, and how the constructor takes it.

    Attributes:
        field: What the catalog says of it.
        raw: Where it is written.
        found: Its definition.
        keyword_only: Whether the constructor takes it by name alone.
        init_only: Whether it is a parameter and no field (`InitVar`).
    """

    field: Field
    raw: RawVariable
    found: Definition
    keyword_only: bool = False
    init_only: bool = False


class ModelFields:
    """Applies pydantic's rules.

    Args:
        library: What resolves names.
    """

    def __init__(self, library: Library) -> None:
        self.library = library

    def field(self, field: Field, item: RawVariable, note: RawAnnotation) -> Field:
        """Describe a field.

        Args:
            field: The field as it stands.
            item: Where it is written.
            note: Its annotation.

        Returns:
            The same with what `Field`, `Annotated` and the aliases behind its type say of it.
        """
        value = item.value
        call = (
            value if value is not None and value.kind == "call" and value.path in _FIELD else None
        )
        extras = metadata(note, self.library)
        constraints = dict(_constraints(call)) if call is not None else {}
        for extra in extras:  # what is assigned comes first: pydantic lets the annotation win
            constraints.update(_constraints(extra.expr))
        given = call is None and value is not None
        if call is not None:
            field = field._replace(default="", required=True)
        for extra in extras:
            field = self._described(field, extra, given=given)
        if call is not None:
            field = self._called(field, call, given=False)
        return field._replace(constraints=tuple(sorted(f"{k}={v}" for k, v in constraints.items())))

    def _described(self, field: Field, extra: Extra, *, given: bool) -> Field:
        if extra.expr.path not in _FIELD:
            return field
        if extra.whole:
            return self._called(field, extra.expr, given=given)
        text = extra.expr.keyword("description")
        if text is None or field.description:
            return field
        return field._replace(description=self.library.constant(text) or text.text)

    def _called(self, field: Field, call: Expr, *, given: bool) -> Field:
        """Apply a `Field(...)`."""
        default = call.keyword("default") or (call.args[0] if call.args else None)
        factory = call.keyword("default_factory")
        if default is not None and default.text != "..." and not given:
            field = field._replace(default=default.text, required=False, factory=False)
        if factory is not None and not given:
            field = field._replace(default=factory.text, required=False, factory=True)
        key = call.keyword("validation_alias") or call.keyword("alias")
        if key is not None:
            field = field._replace(key=self._key(key))
        text = call.keyword("description")
        if text is not None:
            field = field._replace(description=self.library.constant(text) or text.text)
        return field

    def _key(self, given: Expr) -> str:
        """The key that the schema has: the first choice that is one key, else where a path begins."""
        constant = self.library.constant(given)
        if constant is not None:
            return constant
        if given.path in _CHOICES and given.args:
            plain = [item for item in given.args if item.path not in _PATH]
            return self._key(plain[0] if plain else given.args[0])
        if given.path in _PATH and given.args:
            return self._key(given.args[0])
        return given.text

    def keyed(self, path: str, specs: Iterable[FieldSpec]) -> tuple[FieldSpec, ...]:
        """Give the fields that have no key of their own the one that the model makes.

        Args:
            path: The model.
            specs: Its fields.

        Returns:
            The fields.
        """
        make = self._generator(path)
        if make is None:
            return tuple(specs)
        return tuple(_with_key(spec, make) for spec in specs)

    def _generator(self, path: str) -> Callable[[str], str] | None:
        for base in self.library.mro(path):
            found = self.library.definition(base)
            raw = found.raw if found is not None else None
            for name, value in _settings(raw) if isinstance(raw, RawClass) else ():
                if name == "alias_generator":
                    return _generator(value.path)
        return None


def _settings(raw: RawClass) -> Iterator[tuple[str, Expr]]:
    config = raw.member("model_config")
    if isinstance(config, RawVariable) and config.value is not None:
        yield from config.value.keywords
    yield from raw.keywords


def _with_key(spec: FieldSpec, make: Callable[[str], str]) -> FieldSpec:
    made = make(spec.field.name)
    if spec.field.key or made == spec.field.name:
        return spec
    return spec._replace(field=spec.field._replace(key=made))


def is_field(item: RawVariable) -> bool:
    """Say whether an annotated variable of a model is a field.

    Args:
        item: The variable.

    Returns:
        False for what is private and for the model's own settings.
    """
    if item.name.startswith("_") or item.name == "model_config":
        return False
    return item.value is None or item.value.path not in _NOT_FIELDS


def _constraints(call: Expr) -> Iterator[tuple[str, str]]:
    name = call.path.rpartition(".")[2]
    if call.path.startswith("annotated_types."):
        if name in _ANNOTATED_TYPES and call.args:
            yield _ANNOTATED_TYPES[name], call.args[0].text
        if name == "Len":
            for word, value in zip(("min_length", "max_length"), call.args, strict=False):
                yield word, value.text
    if call.path in _FIELD or call.path.startswith(("annotated_types.", "pydantic.")):
        for word, value in call.keywords:
            if word in _CONSTRAINTS:
                yield word, value.text


def _generator(path: str) -> Callable[[str], str] | None:
    """Find an alias generator that can be run without running the scanned code."""
    if path in {"builtins.str.lower", "builtins.str.upper"}:
        return str.lower if path.endswith("lower") else str.upper
    module, _, name = path.rpartition(".")
    if module != "pydantic.alias_generators":
        return None
    from pydantic import alias_generators  # noqa: PLC0415 - few models have one, and it takes long

    return {
        "to_camel": alias_generators.to_camel,
        "to_pascal": alias_generators.to_pascal,
        "to_snake": alias_generators.to_snake,
    }.get(name)
