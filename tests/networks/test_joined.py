"""A step that joins another's is predicted to take no longer than both: fusion asks no price, as the plan of the kernel does."""

from __future__ import annotations

from functools import cache

import pytest

import isamap_smt as im
from isamap_smt.networks import fusion
from isamap_smt.networks.graph import Step
from isamap_smt.networks.plan import Question, asked
from tests.networks.models import convolutional


@cache
def joins(name: str) -> tuple[tuple[im.Network, Step, Step, Step], ...]:
    """Pairs of steps that fusion joins, with what they become."""
    network = im.from_onnx(convolutional() if name == "convolutional" else name)
    made: list[tuple[im.Network, Step, Step, Step]] = []
    whole = fusion._joined

    def watched(producer: Step, consumer: Step, value: str) -> Step:
        made.append((network, producer, consumer, whole(producer, consumer, value)))
        return made[-1][3]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fusion, "_joined", watched)
        fusion.fused(network)
    return tuple(made)


def cycles(network: im.Network, step: Step, machine: str) -> float:
    return _cycles(asked(network, fusion._canonical(step)), machine)


@cache
def _cycles(question: Question, machine: str) -> float:
    found = im.plan(question.kernel, machine, constant=question.constant, reorder=False, effort=3)
    assert found.whole is not None
    return found.whole.cycles


@pytest.mark.parametrize(("name", "machine", "last"), [("convolutional", "avx2", 4), ("resnet8", "avx512", 3)])
def test_a_joined_step_takes_no_longer_than_its_parts(name: str, machine: str, last: int) -> None:
    found = joins(name)
    assert len(found) >= last
    for network, producer, consumer, whole in found[-last:]:
        apart = cycles(network, producer, machine) + cycles(network, consumer, machine)
        assert cycles(network, whole, machine) <= apart * 1.001, (whole.node, apart)
