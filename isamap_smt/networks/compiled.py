"""A network compiled for this CPU: its library in C, called in this process."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping as Dict
from dataclasses import replace
from typing import Any

import numpy as np

from isamap_smt.ir.errors import IsamapError
from isamap_smt.networks.graph import Network, Step
from isamap_smt.networks.library import FIRST_STEP, LibraryText, own_code
from isamap_smt.networks.plan import NetworkPlan, arena, callers, plan_network, roots
from isamap_smt.networks.proof import require_network_proof
from isamap_smt.networks.running import Arrays, Running
from isamap_smt.pipeline.another_cover import built
from isamap_smt.runtime.conformance.remembered import require_checked
from isamap_smt.runtime.refusals import refusal

PREFIX = "network"


class CompiledNetwork:
    """`network(**inputs)` or `network(*inputs)` returns the outputs by name. One call at a time: the arena is the network's own."""

    def __init__(self, planned: NetworkPlan, *, cc: str | None = None) -> None:
        """Builds the C, packs the constants once. Raises BuildError, NotProvedError, and what checks of instructions raise."""
        self.plan = planned = with_checked_instructions(planned, cc)
        self.network, self.proof = planned.network, require_network_proof(planned)
        text = LibraryText(planned, PREFIX)
        self._running = Running(
            planned.network, PREFIX, text.built(cc), text.weights(cc), planned.peak, planned.threads
        )

    def __call__(self, *arrays: Any, **named: Any) -> Arrays:
        """The outputs. Raises ArgumentError for inputs of another name, type or shape, and what kernels raise for their values."""
        return self._running(self._running.given(arrays, named), self._refused)

    def traced(self, arrays: Dict[str, Any]) -> Iterator[tuple[str, str, np.ndarray]]:
        """One run, step by step: the node, the value and its elements, before anything else takes their place."""
        steps, seen = self.network.steps, list[tuple[str, str, np.ndarray]]()
        kernels = [n for n, s in enumerate(steps) if isinstance(s, Step)]
        begins = [0, *kernels[1:], len(steps)]

        def after(number: int, given: Arrays) -> None:
            node = steps[kernels[number - 1]].node
            for step in steps[begins[number - 1] : begins[number]]:
                seen.extend((node, name, self._held(name, given).copy()) for name in step.results)

        self._running(self._running.given((), arrays), self._refused, after)
        yield from seen

    def _held(self, name: str, given: Arrays) -> np.ndarray:
        """A value, where it lies now. given: inputs and outputs."""
        network, root = self.network, roots(self.network)[name]
        value, theirs = network.values[name], callers(network)
        if root in network.constants:
            held = network.constants[root]
        elif root in theirs:
            held = given[theirs[root]]
        else:
            place, size = self.plan.places[root], network.values[root].bytes
            held = self._running.arena[place : place + size].view(value.dtype.numpy)
        return held.reshape(value.shape)

    def _refused(self, code: int, text: str, node: str, arrays: Arrays) -> Exception:
        number = code // FIRST_STEP
        if not number:
            return IsamapError(f"{self.network.name}: {text}")
        step, own = self.network.kernels[number - 1], own_code(code)
        held = {t: self._held(v, arrays) for t, v in (*step.reads, *step.writes)}
        return refusal(self.plan.plan_of(step).program, own, text, held, {})

    def __repr__(self) -> str:
        return f"CompiledNetwork({self.network.name}, {len(self.network.kernels)} kernels, {self.plan.peak:,} bytes)"


def with_checked_instructions(planned: NetworkPlan, cc: str | None = None) -> NetworkPlan:
    """The plan, with instructions that do what their descriptions say: those that do not ship are run, and refused covers replaced.

    Raises DescriptionError, BuildError.
    """
    plans = {q: built(p, lambda p: require_checked(p.program, cc))[0] for q, p in planned.plans.items()}
    if all(p is planned.plans[q] for q, p in plans.items()):
        return planned
    made = replace(planned, plans=plans)
    found = arena(made.network, [made.plan_of(s) for s in made.network.kernels], made.threads)
    return replace(made, places=found[0], work=found[1], peak=found[2], bound=found[3])


def compile_network(
    network: Network, hardware: str = "host", *, cc: str | None = None, **options: Any
) -> CompiledNetwork:
    """plan_network() and CompiledNetwork in one."""
    return CompiledNetwork(plan_network(network, hardware, **options), cc=cc)
