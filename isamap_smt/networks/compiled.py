"""A network compiled for this CPU: its library in C, called in this process, and back ends of foreign steps between its kernels."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from collections.abc import Mapping as Dict
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.garbage import seldom_searched
from isamap_smt.networks.extents import at
from isamap_smt.networks.graph import AnyStep, Foreign, Network, Step, View
from isamap_smt.networks.library import FIRST_STEP, LibraryText, own_code
from isamap_smt.networks.plan import NetworkPlan, arena, callers, plan_network, roots
from isamap_smt.networks.proof import require_network_proof
from isamap_smt.networks.running import About, Arrays, Running
from isamap_smt.networks.values import sizes_of
from isamap_smt.pipeline.another_cover import built
from isamap_smt.runtime.conformance.remembered import check_together, require_checked
from isamap_smt.runtime.refusals import refusal

if TYPE_CHECKING:
    from isamap_smt.networks.place import Placement

PREFIX = "network"


class CompiledNetwork:
    """`network(**inputs)` or `network(*inputs)` returns the outputs by name.

    One call at a time: the arena is the network's own. placement: the nodes given to faster back ends, if asked for
    (networks/place.py).
    """

    @seldom_searched()
    def __init__(self, planned: NetworkPlan, *, cc: str | None = None) -> None:
        """Builds the C, packs the constants once.

        Raises BuildError, NotProvedError, and the errors of instructions' checks.
        """
        self.placement: Placement | None = None
        self.plan = planned = with_checked_instructions(planned, cc)
        self.network, self.proof = planned.network, require_network_proof(planned)
        self._roots, self._callers = roots(self.network), callers(self.network)
        self._views: Arrays = {}
        self._evaluate = {id(s): s.loaded(planned.threads) for s in self.network.foreign}
        self._groups: list[list[AnyStep]] = [[]]  # before the first kernel, then each kernel with what follows it
        for step in self.network.steps:
            if isinstance(step, Step):
                self._groups.append([])
            self._groups[-1].append(step)
        text = LibraryText(planned, PREFIX)
        library = text.built(cc)
        self._running = Running(
            planned.network, PREFIX, library, text.weights(cc, library), planned.peak, planned.threads
        )

    def __call__(self, *arrays: Any, **named: Any) -> Arrays:
        """The outputs.

        Raises ArgumentError for inputs of another name, type or shape, NetworkError of a back end, and the kernels' own
        errors for their values.
        """
        given = self._running.given(arrays, named)
        if not self.network.foreign:
            return self._running(given, self._refused)
        return self._watched(given) if self.network.kernels else self._without_kernels(given)

    def _without_kernels(self, given: Arrays) -> Arrays:
        """The outputs, if back ends compute all: C has nothing to do, and calling it would cost more than the copies."""
        network, sizes = self.network, sizes_of(self.network, given)
        held = {**network.constants, **given}
        for step in network.steps:
            if isinstance(step, Foreign):
                held |= step.answers(network.values, held, sizes, self._evaluate[id(step)])
            else:
                held |= step.computed(network.values, held, sizes)
        return {n: np.array(held[n], order="C") for n in network.outputs}

    def traced(self, arrays: Dict[str, Any]) -> Iterator[tuple[str, str, np.ndarray]]:
        """One run, step by step: the node, the value and its elements, before anything else takes their place."""
        seen: list[tuple[str, str, np.ndarray]] = []
        node = self.network.name

        def look(step: AnyStep, given: Arrays, _: float) -> None:
            nonlocal node
            node = node if isinstance(step, View) else step.node
            seen.extend((node, name, self._held(name, given).copy()) for name in step.results)

        self._watched(self._running.given((), arrays), look)
        yield from seen

    @property
    def nodes(self) -> tuple[str, ...]:
        """The node of each computing step, in order."""
        return tuple(s.node for s in self.network.steps if not isinstance(s, View))

    def timed(self, arrays: Dict[str, Any], budget: float = 1.0) -> tuple[float, ...]:
        """Seconds of each computing step, in order: the best of five runs, or of as many as take `budget` seconds."""
        given = self._running.given((), arrays)
        taken: list[list[float]] = []

        def look(step: AnyStep, _: Arrays, seconds: float) -> None:
            if not isinstance(step, View):
                taken[-1].append(seconds)

        end = time.perf_counter() + budget
        while len(taken) < 5 or time.perf_counter() < end:
            taken.append([])
            self._watched(given, look)
        return tuple(map(min, zip(*taken, strict=True)))

    def seconds_watched(self, arrays: Dict[str, Any]) -> float:
        """The extra seconds of a call if Python is told of each kernel, as when back ends compute some steps."""
        given = self._running.given((), arrays)
        plain, watched = [], []
        for _ in range(7):
            begin = time.perf_counter()
            self._running(given, self._refused)
            between = time.perf_counter()
            self._running(given, self._refused, lambda *_: None)
            plain.append(between - begin)
            watched.append(time.perf_counter() - between)
        return max(0.0, min(watched) - min(plain))

    def _watched(self, given: Arrays, look: Callable[[AnyStep, Arrays, float], None] | None = None) -> Arrays:
        """The outputs; foreign steps are computed between kernels. look: told of each step, inputs and outputs, and its seconds."""
        failed: list[BaseException] = []
        begun = 0.0

        def after(number: int, arrays: Arrays) -> None:
            nonlocal begun
            for n, step in enumerate(() if failed else self._groups[number]):
                begun = begun if n == 0 and number else time.perf_counter()
                try:
                    if isinstance(step, Foreign):
                        self._compute(step, arrays)
                    if look is not None:
                        look(step, arrays, time.perf_counter() - begun)
                except BaseException as error:  # none passes through C
                    failed.append(error)
                    break
            begun = time.perf_counter()

        try:
            found = self._running(given, self._refused, after)
        except IsamapError:
            if not failed:
                raise
        if failed:
            raise failed[0]
        return found

    def _compute(self, step: Foreign, arrays: Arrays) -> None:
        held = {v: self._held(v, arrays) for v in step.sources}
        sizes = sizes_of(self.network, arrays)
        for name, array in step.answers(self.network.values, held, sizes, self._evaluate[id(step)]).items():
            np.copyto(self._held(name, arrays), array)

    def _held(self, name: str, given: Arrays) -> np.ndarray:
        """A value's array where it lies now. given: inputs and outputs."""
        if (there := self._views.get(name)) is not None:
            return there
        made = self._found(name, given)
        if not self.network.open and self._roots[name] not in self._callers:  # it lies there in each call
            self._views[name] = made
        return made

    def _found(self, name: str, given: Arrays) -> np.ndarray:
        network, root, theirs = self.network, self._roots[name], self._callers
        value, sizes = network.values[name], sizes_of(network, given)
        if root in network.constants:
            held = network.constants[root]
        elif root in theirs:
            held = given[theirs[root]]
        else:
            place, size = self.plan.places[root], math.prod(at(value.shape, sizes)) * value.dtype.numpy.itemsize
            held = self._running.arena[place : place + size].view(value.dtype.numpy)
        return held.reshape(at(value.shape, sizes))

    def _refused(self, code: int, text: str, node: str, arrays: Arrays) -> Exception:
        number = code // FIRST_STEP
        if not number:
            return IsamapError(f"{self.network.name}: {text}")
        step, own = self.network.kernels[number - 1], own_code(code)
        held = {t: self._held(v, arrays) for t, v in (*step.reads, *step.writes)}
        return refusal(self.plan.plan_of(step).program, own, text, held, sizes_of(self.network, arrays))

    @property
    def about(self) -> About:
        """Everything reported about the network beside its speed."""
        plan, network = self.plan, self.network
        claims = sum(len(p.proof.claims) for p in plan.plans.values()) + len(self.proof.claims)
        return About(
            network.name, len(network.kernels), len(plan.plans), claims, plan.peak, plan.bound,
            {n: str(network.values[n]) for n in network.outputs},
            tuple({"node": s.node, "operator": s.op, "by": s.backend, "reason": s.reason} for s in network.foreign),
            tuple(map(str, self.proof.assumptions)),
        )  # fmt: skip

    def __str__(self) -> str:
        """The network, and the owners of its nodes."""
        return repr(self) if self.placement is None else f"{self!r}\n{self.placement}"

    def __repr__(self) -> str:
        return f"CompiledNetwork({self.network.name}, {len(self.network.kernels)} kernels, {self.plan.peak:,} bytes)"


def with_checked_instructions(planned: NetworkPlan, cc: str | None = None) -> NetworkPlan:
    """The plan, its instructions checked against their descriptions.

    Instructions that are not shipped are run, and refused covers replaced. Raises DescriptionError, BuildError.
    """
    check_together((p.program for p in planned.plans.values()), cc)
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
