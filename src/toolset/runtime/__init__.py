"""A plugin runtime: contexts, fibers, services, typed events, reversible effects."""

# Layers, lower ones know nothing of higher ones but types: errors, states, waiting < collect, events <
# services, service, config < plugins, effects, dispatch, internal < registry, reasons, tasks <
# provision < lifecycle < fiber < access < event_target < context.

from toolset.runtime.context import Context
from toolset.runtime.dispatch import Listener
from toolset.runtime.effects import Effect
from toolset.runtime.errors import (
    ConfigError,
    DuplicateServiceError,
    EffectTypeError,
    EventModeError,
    EventNameError,
    InactiveContextError,
    InterruptedRunError,
    ListenerSignatureError,
    NextCalledTwiceError,
    NoLoopError,
    ParallelError,
    PluginTypeError,
    ServiceAccessError,
    ServiceKeyError,
    SettleTimeoutError,
    ToolsetError,
)
from toolset.runtime.events import (
    AsyncWaterfallEvent,
    BailEvent,
    EmitEvent,
    Event,
    Next,
    ParallelEvent,
    SerialEvent,
    SyncNext,
    WaterfallEvent,
    declared,
    event,
)
from toolset.runtime.fiber import EffectInfo, Fiber
from toolset.runtime.registry import Registry
from toolset.runtime.service import Service
from toolset.runtime.services import Check, Registration
from toolset.runtime.states import FiberState

__all__ = [
    "AsyncWaterfallEvent",
    "BailEvent",
    "Check",
    "ConfigError",
    "Context",
    "DuplicateServiceError",
    "Effect",
    "EffectInfo",
    "EffectTypeError",
    "EmitEvent",
    "Event",
    "EventModeError",
    "EventNameError",
    "Fiber",
    "FiberState",
    "InactiveContextError",
    "InterruptedRunError",
    "Listener",
    "ListenerSignatureError",
    "Next",
    "NextCalledTwiceError",
    "NoLoopError",
    "ParallelError",
    "ParallelEvent",
    "PluginTypeError",
    "Registration",
    "Registry",
    "SerialEvent",
    "Service",
    "ServiceAccessError",
    "ServiceKeyError",
    "SettleTimeoutError",
    "SyncNext",
    "ToolsetError",
    "WaterfallEvent",
    "declared",
    "event",
]
