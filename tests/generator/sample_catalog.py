"""A catalog made by hand that has one of everything, and text that breaks careless renderers."""

from __future__ import annotations

from toolset.catalog import (
    Catalog,
    ConfigEntry,
    Deprecation,
    EventEntry,
    Field,
    Member,
    Parameter,
    PluginEntry,
    Raised,
    Returns,
    ServiceEntry,
    Signature,
    ToolEntry,
    TypeEntry,
)

WEIRD = Member(
    name="weird",
    kind="function",
    signature="weird(a: int | None = None, b: dict[str, list[int]] = {}, *args: str, "
    "__dunder__: bool = False) -> str | None",
    parameters=(
        Parameter(
            "a", annotation="int | None", default="None", required=False, description="Either | or."
        ),
        Parameter(
            "b",
            annotation="dict[str, list[int]]",
            default="{}",
            required=False,
            description="See ``b`` and [link](x) and <T>.\n\nSecond paragraph of b.",
        ),
        Parameter("args", "var-positional", annotation="str", required=False, description="Many."),
        Parameter("__dunder__", "keyword-only", annotation="bool", default="False", required=False),
    ),
    returns=Returns("str | None"),
    summary="Pipes | and <b>html</b> and `ticks` and *stars* and __init__.",
    description="Example:\n\n```python\nweird(1)  # | not a <cell>\n    __x__ = 1\n```",
    path="pkg.Store.weird",
)
GET = Member(
    name="get",
    kind="coroutine",
    signature="async get(key: str) -> str",
    signatures=(
        Signature(
            "async get(key: str) -> str", (Parameter("key", annotation="str"),), Returns("str")
        ),
        Signature("async get(key: str, *, raw: bool) -> bytes"),
    ),
    parameters=(Parameter("key", annotation="str", description="The key."),),
    returns=Returns("str", "The value.", type_refs=("pkg.Row",)),
    raises=(Raised("KeyError", "builtins.KeyError", "No such\nkey."),),
    summary="Read a key.",
    deprecated=Deprecation("Use `read`.", "1.2"),
    inherited_from="pkg._impl.Base",
    path="pkg._impl.Base.get",
)
SIZE = Member(
    "size",
    "property",
    "size: int",
    returns=Returns("int"),
    summary="How many.",
    read_only=True,
    path="pkg.Store.size",
)
CATALOG = Catalog(
    services=(
        ServiceEntry(
            "store",
            "Store",
            "pkg.Store",
            "Keep values.",
            "For a while.",
            (WEIRD, GET, SIZE),
            plugin="store",
        ),
        ServiceEntry("web-2", "Client", "other.Client", "Another."),
        ServiceEntry(
            "web",
            "Client",
            "pkg.Client",
            "Fetch.",
            constructor=Member(
                name="Client",
                kind="function",
                signature="Client(base: str | None = None)",
                parameters=(
                    Parameter(
                        "base",
                        annotation="str | None",
                        default="None",
                        required=False,
                        description="Where <it> is.",
                    ),
                ),
                raises=(Raised("ValueError", "builtins.ValueError", "No address."),),
                path="pkg.Client.__init__",
            ),
        ),
    ),
    events=(
        EventEntry(
            "store/change",
            "emit",
            is_async=False,
            signature="change(key: str) -> None",
            parameters=(Parameter("key", annotation="str", description="Which."),),
            returns=Returns("None"),
            summary="A value changed.",
            path="pkg.change",
            producers=("pkg.Store.set",),
            listeners=("pkg.apply.<lambda>",),
        ),
    ),
    types=(
        TypeEntry(
            "Row",
            "pkg.Row",
            "dataclass",
            "@dataclass\nclass Row:\n    id: int",
            "One row.",
            fields=(Field("id", "int", description="Its <id>."),),
            type_refs=("other.Row",),
        ),
        TypeEntry("Row", "other.Row", "alias", "Row: TypeAlias = 'int | str'", truncated=True),
    ),
    plugins=(
        PluginEntry(
            "store",
            "pkg.Store",
            inject=("tools",),
            optional=("web",),
            provides=("store",),
            config="pkg.Config",
            kind="config",
            summary="Mount it.",
            tools=("look_up",),
        ),
    ),
    configs=(
        ConfigEntry(
            "store",
            "pkg.Config",
            "class Config(BaseModel):\n    size: int | None = 1",
            (
                Field(
                    "size",
                    "int | None",
                    required=False,
                    default="1",
                    constraints=("ge=1",),
                    description="How | many.",
                ),
                Field("tags", "list[str]", required=False, default="list", factory=True),
            ),
            "How it is kept.",
            "forbid",
        ),
    ),
    tools=(
        ToolEntry(
            "look_up",
            "store",
            "Look up <a> key.\n\nFor __you__.",
            '{"properties": {"key": {"type": "string"}}, "type": "object"}',
            '{"type": "string"}',
        ),
    ),
    context=(WEIRD,),
)
