"""A plugin runtime: contexts, fibers, services, typed events, reversible effects."""

# Layers, downwards only: context > event_target > fiber > lifecycle > dispatch, provision,
# registry, tasks > effects, hooks, internal, plugins > access, belonging, collect, config, events,
# reasons, service, services > closing, errors, states, waiting.

from toolset.runtime.context import Context
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
from toolset.runtime.hooks import Listener
from toolset.runtime.plugins import HasApply
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
    "HasApply",
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
