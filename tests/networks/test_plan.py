"""The claims between kernels: a plan that breaks one is refuted, and nothing is compiled from it."""

from __future__ import annotations

from dataclasses import replace

import pytest

import isamap_smt as im
from isamap_smt.ir.errors import NotProvedError
from isamap_smt.networks.compiled import CompiledNetwork
from isamap_smt.networks.graph import Step
from isamap_smt.networks.plan import NetworkPlan, lifetimes, roots
from isamap_smt.networks.proof import prove_network
from tests.networks.models import convolutional


@pytest.fixture(scope="module")
def planned() -> NetworkPlan:
    return im.plan_network(im.from_onnx(convolutional()))


def failed(planned: NetworkPlan) -> set[str]:
    return {c.claim for c in prove_network(planned).failed()}


def test_a_plan_is_proved(planned: NetworkPlan) -> None:
    proof = prove_network(planned)
    assert proof.proved
    assert {c.claim for c in proof.claims} == {"same", "version", "kernel", "room", "separate", "arena", "types"}
    assert planned.peak == planned.bound


def test_values_that_live_together_lie_apart(planned: NetworkPlan) -> None:
    lives, values = lifetimes(planned.network), planned.network.values
    held = [(*lives[n], p, p + values[n].bytes) for n, p in planned.places.items()]
    for n, (b, e, low, high) in enumerate(held):
        for other in held[:n]:
            assert e <= other[0] or other[1] <= b or high <= other[2] or other[3] <= low


@pytest.mark.parametrize("shift", [-64, 64, 7])
def test_a_value_in_anothers_place_is_refuted(planned: NetworkPlan, shift: int) -> None:
    refuted = 0
    for name, place in planned.places.items():
        moved = replace(planned, places={**planned.places, name: place + shift})
        if bad := failed(moved):
            refuted += 1
            assert bad <= {"version", "separate", "arena"}
            with pytest.raises(NotProvedError, match="refuted"):
                CompiledNetwork(moved)
    assert refuted


def test_a_step_that_runs_too_early_is_refuted(planned: NetworkPlan) -> None:
    steps, root = planned.network.steps, roots(planned.network)
    pairs = [n for n in range(1, len(steps)) if isinstance(steps[n - 1], Step) and isinstance(steps[n], Step)]
    pairs = [n for n in pairs if {*steps[n - 1].results} & {root[v] for v in steps[n].sources}]
    assert len(pairs) > 3
    for n in pairs:
        turned = (*steps[: n - 1], steps[n], steps[n - 1], *steps[n + 1 :])
        assert "version" in failed(replace(planned, network=replace(planned.network, steps=turned)))


def test_work_space_over_a_value_is_refuted(planned: NetworkPlan) -> None:
    network = planned.network
    reads_arena = [n for n, s in enumerate(network.kernels) if any(v in planned.places for v in s.sources)]
    temporaries = [n for n in reads_arena if planned.work[n].temporaries]
    for n in temporaries:
        read = next(v for v in network.kernels[n].sources if v in planned.places)
        first = (planned.work[n].temporaries[0][0], planned.places[read])
        work = replace(planned.work[n], temporaries=(first, *planned.work[n].temporaries[1:]))
        assert failed(replace(planned, work=(*planned.work[:n], work, *planned.work[n + 1 :])))


def test_another_type_is_refuted(planned: NetworkPlan) -> None:
    name = next(iter(planned.places))
    value = replace(planned.network.values[name], shape=(1, 1))
    assert "types" in failed(
        replace(planned, network=replace(planned.network, values={**planned.network.values, name: value}))
    )


def test_a_program_of_another_kernel_is_refuted(planned: NetworkPlan) -> None:
    for question in planned.plans:
        for other in planned.plans.values():
            swapped = replace(planned, plans={**planned.plans, question: other})
            assert other is planned.plans[question] or "kernel" in failed(swapped)
        left = {q: p for q, p in planned.plans.items() if q is not question}
        assert "kernel" in failed(replace(planned, plans=left))


def test_results_bound_to_inputs_are_refuted(planned: NetworkPlan) -> None:
    steps = planned.network.steps
    for n, step in enumerate(steps):
        if isinstance(step, Step):
            turned = replace(step, reads=step.writes, writes=step.reads)
            network = replace(planned.network, steps=(*steps[:n], turned, *steps[n + 1 :]))
            assert "kernel" in failed(replace(planned, network=network))


def test_a_second_writer_is_refuted(planned: NetworkPlan) -> None:
    (first, *_), steps = planned.network.kernels, planned.network.steps
    network = replace(planned.network, steps=(*steps, first))
    assert "version" in failed(replace(planned, network=network, work=(*planned.work, planned.work[0])))


def test_what_has_no_place_is_refuted(planned: NetworkPlan) -> None:
    for name in planned.places:
        left = {n: p for n, p in planned.places.items() if n != name}
        assert "arena" in failed(replace(planned, places=left))
    assert "room" in failed(replace(planned, work=planned.work[:-1]))


def test_a_constant_of_other_elements_is_refuted(planned: NetworkPlan) -> None:
    for name, array in planned.network.constants.items():
        for other in (array[:-1], array.astype("f8"), array.reshape(-1, 1)[::-1].T):
            constants = {**planned.network.constants, name: other}
            assert "types" in failed(replace(planned, network=replace(planned.network, constants=constants)))


def test_a_step_that_is_left_out_is_refuted(planned: NetworkPlan) -> None:
    steps, kernels = planned.network.steps, planned.network.kernels
    for n, step in enumerate(steps):
        network = replace(planned.network, steps=(*steps[:n], *steps[n + 1 :]))
        work = tuple(w for s, w in zip(kernels, planned.work, strict=True) if s is not step)
        assert "version" in failed(replace(planned, network=network, work=work))
