"""Model-facing tools: declare them, register them, run their calls."""

# Layers, downwards only: registry, dialects > pipeline > rendering > entries, events, decorator >
# define > definition > decoding, schema, shallow, validation > models, plain, walk, references >
# typed, lossless, docstring, keywords, records, strict > small, surely, errors > paths, wire >
# jsontypes, nulls, typeddicts.
# pydantic and jsonschema are imported by typed.py and validation.py when they are first needed.

from toolset.services.tools.decorator import tool
from toolset.services.tools.define import define_tool
from toolset.services.tools.definition import PresentCall, Render, ToolBody, ToolDefinition
from toolset.services.tools.errors import (
    DuplicateToolError,
    NotJsonError,
    ReservedToolError,
    ToolArgumentsError,
    ToolDefinitionError,
    ToolExitError,
    ToolGoneError,
    ToolLookupError,
)
from toolset.services.tools.jsontypes import JsonObject, JsonValue
from toolset.services.tools.paths import Violation
from toolset.services.tools.pipeline import Guard
from toolset.services.tools.records import (
    ContentBlock,
    PreDecision,
    ToolAnnotations,
    ToolCall,
    ToolCard,
    ToolKind,
    ToolResult,
    ToolSchema,
)
from toolset.services.tools.registry import RESERVED_NAMES, ToolRegistry

__all__ = [
    "RESERVED_NAMES",
    "ContentBlock",
    "DuplicateToolError",
    "Guard",
    "JsonObject",
    "JsonValue",
    "NotJsonError",
    "PreDecision",
    "PresentCall",
    "Render",
    "ReservedToolError",
    "ToolAnnotations",
    "ToolArgumentsError",
    "ToolBody",
    "ToolCall",
    "ToolCard",
    "ToolDefinition",
    "ToolDefinitionError",
    "ToolExitError",
    "ToolGoneError",
    "ToolKind",
    "ToolLookupError",
    "ToolRegistry",
    "ToolResult",
    "ToolSchema",
    "Violation",
    "define_tool",
    "tool",
]
