"""The lifecycle against a model: whatever happens in whatever order, the runtime agrees with it."""

from __future__ import annotations

import asyncio
import itertools
import logging
import os

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from toolset import Context
from toolset.testing import snapshot, wait_quiet

KEYS = ["a", "b", "c", "d"]
NEEDS = st.sets(st.sampled_from(KEYS), max_size=2)
GIVES = st.sampled_from([*KEYS, None])
BEHAVIOUR = st.sampled_from(["ok", "ok", "ok", "ok", "fail", "slow"])


class Part:
    """What the model knows of one mounted plugin."""

    def __init__(self, number, needs, gives, behaviour):
        self.number, self.needs, self.gives = number, needs, gives
        self.behaviour = self.ran_as = behaviour
        self.gate = asyncio.Event()


class Model:
    """Who should be active: the least set closed under "all it needs is provided by an active one"."""

    def __init__(self):
        self.parts = {}
        self.root_keys = set()

    def provided(self):
        return {part.gives for part in self.parts.values() if part.gives} | self.root_keys

    def states(self):
        states = dict.fromkeys(self.parts.values(), "pending")
        available = set(self.root_keys)
        changed = True
        while changed:
            changed = False
            for part in self.parts.values():
                if states[part] == "pending" and part.needs <= available:
                    states[part] = {"fail": "failed", "slow": "loading"}.get(part.ran_as, "active")
                    changed = True
                    if states[part] == "active" and part.gives:
                        available.add(part.gives)
        return states


class Lifecycle(RuleBasedStateMachine):
    """Drives a runtime and the model side by side."""

    @initialize()
    def start(self):
        self.loop = asyncio.new_event_loop()
        self.ctx = Context(stop_grace=0)
        self.empty = snapshot(self.ctx)
        self.model = Model()
        self.fibers = {}
        self.root_effects = {}
        self.up = {}
        self.heard = []
        self.counter = 0
        self.wrong = []

    def do(self, coroutine):
        return self.loop.run_until_complete(coroutine)

    async def quiet(self):
        """Settle everything that does not wait at a closed gate."""
        for _ in range(2000):
            busy = [f for f in self.ctx.registry.fibers() if f.driver is not None]
            held = {self.fibers[p] for p, s in self.model.states().items() if s == "loading"}
            if all(fiber in held and fiber.state == "loading" for fiber in busy):
                await asyncio.sleep(0)
                if busy == [f for f in self.ctx.registry.fibers() if f.driver is not None]:
                    return
            await asyncio.sleep(0)
        raise AssertionError(f"never quiet: {busy}")

    def settle(self):
        self.do(self.quiet())

    def plugin(self, part):
        machine = self

        async def plugin(ctx, _config=None):
            part.ran_as = part.behaviour
            machine.up[part] = {key: getattr(ctx, key) for key in part.needs}
            ctx.effect(lambda: lambda: machine.down(part), "mark")
            ctx.on("machine/event", lambda: machine.heard.append(part))
            if part.behaviour == "slow":
                await part.gate.wait()
            if part.behaviour == "fail":
                raise OSError("told to")
            part.ran_as = "ok"
            if part.gives:
                ctx.provide(part.gives, part.number)

        plugin.inject, plugin.name = sorted(part.needs), f"part-{part.number}"
        return plugin

    def down(self, part):
        """Undone: nobody who was given what it provides may still be up."""
        del self.up[part]
        users = [
            p for p in self.up if part.gives in p.needs and self.up[p][part.gives] == part.number
        ]
        if users and part.gives:
            self.wrong.append((part.number, [p.number for p in users]))

    # -- what can happen -----------------------------------------------------------------------

    def add(self, needs, gives, behaviour):
        if gives in self.model.provided() or gives in needs:
            gives = None
        self.counter += 1
        part = Part(self.counter, frozenset(needs), gives, behaviour)
        self.model.parts[part.number] = part
        self.fibers[part] = self.ctx.plugin(self.plugin(part))

    @rule(parts=st.lists(st.tuples(NEEDS, GIVES, BEHAVIOUR), min_size=1, max_size=5))
    def mount(self, parts):
        """Mount some plugins at once, providers and consumers in any order."""

        async def go():
            for part in parts:
                self.add(*part)

        self.do(go())

    @rule(chain=st.permutations(KEYS), back=st.booleans())
    def mount_chain(self, chain, back):
        """Mount a chain: each needs what the one before provides."""

        async def go():
            links = [({a}, b, "ok") for a, b in itertools.pairwise(chain)]
            for link in reversed(links) if back else links:
                self.add(*link)

        self.do(go())

    @rule(key=st.sampled_from(KEYS), again=st.integers(0, 3))
    def provide(self, key, again):
        """Provide from the root; withdraw and provide again without letting anything settle."""
        if key in self.model.provided():
            return

        async def go():
            for turn in range(again + 1):
                effect = self.ctx.provide(key, ("root", self.counter, turn))
                if turn < again:
                    for _ in range(turn):
                        await asyncio.sleep(0)
                    await effect.dispose()
            self.root_effects[key] = effect

        self.model.root_keys.add(key)
        self.do(go())

    @precondition(lambda self: self.root_effects)
    @rule(data=st.data())
    def withdraw(self, data):
        key = data.draw(st.sampled_from(sorted(self.root_effects)))
        self.model.root_keys.discard(key)

        async def go():
            await self.root_effects.pop(key).dispose()
            assert not [p for p in self.up if isinstance(self.up[p].get(key), tuple)]

        self.do(go())

    def pick(self, data):
        return self.model.parts[data.draw(st.sampled_from(sorted(self.model.parts)))]

    @precondition(lambda self: self.model.parts)
    @rule(data=st.data(), twice=st.booleans())
    def dispose(self, data, twice):
        part = self.pick(data)
        del self.model.parts[part.number]
        fiber = self.fibers.pop(part)

        async def go():
            first = fiber.dispose()
            if twice:
                await fiber.dispose()
            await first
            assert fiber.state == "disposed"
            assert part not in self.up

        self.do(go())

    @precondition(lambda self: self.model.parts)
    @rule(data=st.data(), behaviour=st.sampled_from(["ok", "fail", "slow"]), how=st.booleans())
    def change(self, data, behaviour, how):
        """Give a part another behaviour and run it again."""
        part = self.pick(data)
        part.behaviour = part.ran_as = behaviour
        part.gate.clear()
        fiber = self.fibers[part]

        async def go():
            task = asyncio.ensure_future(fiber.update({"n": 1}) if how else fiber.restart())
            await self.quiet()
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

        self.do(go())

    @precondition(lambda self: any(p.behaviour == "slow" for p in self.model.parts.values()))
    @rule()
    def open_gates(self):
        for part in self.model.parts.values():
            if part.behaviour == "slow":
                part.behaviour = part.ran_as = "ok"
                part.gate.set()
        self.settle()

    @rule()
    def emit(self):
        self.settle()
        self.heard.clear()
        self.ctx.emit("machine/event")
        expected = [p for p, s in self.model.states().items() if s in {"active", "loading"}]
        assert sorted(p.number for p in self.heard) == sorted(p.number for p in expected)

    # -- what must hold ------------------------------------------------------------------------

    @invariant()
    def agrees(self):
        if not hasattr(self, "loop"):
            return
        self.settle()
        states = self.model.states()
        assert {p.number: str(self.fibers[p].state) for p in states} == {
            p.number: s for p, s in states.items()
        }
        running = {p for p, s in states.items() if s in {"active", "loading"}}
        assert set(self.up) == running
        live = {key: self.ctx.get(key) for key in KEYS if self.ctx.get(key) is not None}
        for part in running:
            assert self.up[part] == {key: live[key] for key in part.needs}
        for part, state in states.items():
            if state == "pending":
                missing = self.fibers[part].missing()
                assert missing == tuple(k for k in sorted(part.needs) if k not in live)
        assert self.wrong == []

    def teardown(self):
        if not hasattr(self, "loop"):
            return
        for fiber in list(self.ctx.fiber.children):
            self.do(_end(fiber))
        for effect in self.root_effects.values():
            self.do(_end(effect))
        self.do(wait_quiet(self.ctx))
        assert self.up == {}
        assert snapshot(self.ctx) == self.empty
        self.do(self.ctx.dispose())
        assert not asyncio.all_tasks(self.loop)
        self.loop.close()


async def _end(thing):
    await thing.dispose()


@pytest.mark.usefixtures("silent")
def test_lifecycle_agrees_with_model():
    """States, what runs, the order of clean-up and the end agree with the model in any history."""
    examples = int(os.environ.get("TOOLSET_FUZZ_EXAMPLES", "25"))
    run_state_machine_as_test(
        Lifecycle,
        settings=settings(
            max_examples=examples,
            stateful_step_count=30,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            print_blob=True,
        ),
    )


@pytest.fixture
def silent():
    """Keep the failures that the machine provokes out of the log."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)
