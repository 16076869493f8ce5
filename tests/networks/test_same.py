"""That a rewritten network is the model's: proved of random ones, refuted of every wrong rewriting."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.language import kernel as read_kernel
from isamap_smt.networks.graph import Graph, Network, Step, View
from isamap_smt.networks.rewrite import rewritten
from isamap_smt.networks.same import same_values
from tests.networks.models import convolutional
from tests.networks.onnx_nodes import cases, network_of
from tests.networks.test_onnx_nodes import FEW
from tests.networks.test_rewrite import random_model


def refuted(model: Network, network: Network) -> list[str]:
    return [c.subject for c in same_values(model, network) if c.verdict.word != "proved"]


@pytest.mark.parametrize("seed", range(40))
def test_rewriting_is_proved(seed: int) -> None:
    model = im.from_onnx(random_model(1000 + seed))
    assert not refuted(model, rewritten(model, "avx2")[0])


def test_of_other_operators_too() -> None:
    for case in cases():
        if case.name in FEW:
            model = network_of(case)[0]
            assert not refuted(model, rewritten(model, "avx2")[0]), case.name


def with_step(network: Network, number: int, step: Step | View) -> Network:
    return replace(network, steps=(*network.steps[:number], step, *network.steps[number + 1 :]))


def other_texts(text: str) -> Iterator[str]:
    """The kernel text, one thing in it being another."""
    for old, new in (
        ("relu(", "abs("), (" + A2[", " - A2["), ("- 1]", "]"), ("2*a1", "1*a1"), ("max=", "min="), (" += ", " max= "),
        ("r1, r2, r0", "r2, r1, r0"),         ("A0[0, a1, a2, a3]", "A0[0, a2, a1, a3]"),
        ("<= 2*a1", "< 2*a1"), ("- T0[0]", "+ T0[0]"),
        ("< 16", "< 15"), ("* A2", "* A3"),
    ):  # fmt: skip
        if old in text:
            yield text.replace(old, new, 1)


def test_every_wrong_kernel_is_refuted() -> None:
    model = im.from_onnx(convolutional())
    network = rewritten(model, "avx2")[0]
    tried = 0
    for number, step in enumerate(network.steps):
        if isinstance(step, View):
            continue
        for text in other_texts(im.to_text(step.kernel)):
            try:
                kernel = read_kernel(text, name="step")
            except im.IsamapError:
                continue
            if {t.name for t in kernel.tensors} != {t.name for t in step.kernel.tensors}:
                continue
            tried += 1
            assert step.results[0] in refuted(model, with_step(network, number, replace(step, kernel=kernel))), text
    assert tried >= 12


def test_operands_that_change_places_are_refuted() -> None:
    model = im.from_onnx(convolutional())
    network = rewritten(model, "avx2")[0]
    tried = 0
    for number, step in enumerate(network.steps):
        if isinstance(step, View):
            continue
        for a in range(len(step.reads)):
            for b in range(a):
                reads = [*step.reads]
                reads[a], reads[b] = (step.reads[a][0], step.reads[b][1]), (step.reads[b][0], step.reads[a][1])
                tried += 1
                assert refuted(model, with_step(network, number, replace(step, reads=tuple(reads))))
    assert tried > 5


def test_another_constant_or_order_is_refuted() -> None:
    model = im.from_onnx(convolutional())
    network = rewritten(model, "avx2")[0]
    for name, array in network.constants.items():
        changed: dict[str, Any] = {**network.constants, name: np.nextafter(array, np.inf, dtype=array.dtype)}
        assert name in refuted(model, replace(network, constants=changed))
    stored = [n for n, v in network.values.items() if v.order is not None and n not in network.constants]
    assert stored
    for name in stored:
        value = replace(network.values[name], order=(0, 3, 1, 2))
        assert refuted(model, replace(network, values={**network.values, name: value}))


def test_where_data_says_that_another_place_is_written_is_refuted() -> None:
    g = Graph()
    x, u = g.input("x", "f32", (5, 4)), g.input("u", "f32", (3, 4))
    places = [g.input(n, "i64", (3,)) for n in ("i", "j")]
    text = "Y[a,b] = X[a,b]\nY[J[c],b] += U[c,b] * I[c]"
    axes = {"a": 5, "b": 4, "c": 3}
    reads = {"X": x, "U": u, "J": places[0], "I": places[1]}
    text = text.replace("U[c,b] * I[c]", "U[c,b] + U[c,b] * f32(I[c])")
    y = g.step(text, reads, {"Y": (x.dtype, (5, 4))}, axes)[0]
    model = g.network([y], ["y"])
    (step,) = (s for s in model.steps if isinstance(s, Step))
    assert not refuted(model, model)
    turned = {"J": "I", "I": "J"}
    other = tuple((t, dict(step.reads)[turned.get(t, t)]) for t, _ in step.reads)
    assert refuted(model, with_step(model, model.steps.index(step), replace(step, reads=other)))


def test_the_order_of_a_sum_counts_where_it_is_said() -> None:
    g = Graph()
    x, w = g.input("x", "f32", (4, 3, 5, 2)), g.input("w", "f32", (3, 5, 2))
    axes = {"a": 4, "b": 3, "c": 5, "d": 2}
    y = g.step("Y[a] += X[a,b,c,d] * W[b,c,d]", {"X": x, "W": w}, {"Y": (x.dtype, (4,))}, axes)[0]
    model = g.network([y], ["y"])
    (step,) = (s for s in model.steps if isinstance(s, Step))
    (sum_,) = step.kernel.statements

    def stored(ordered: bool, order: str) -> Network:
        changed = replace(sum_, ordered=ordered, axes=tuple(sum_.axis(n) for n in order))
        return with_step(model, 0, replace(step, kernel=replace(step.kernel, statements=(changed,))))

    for order in ("abcd", "adcb", "acbd"):
        assert not refuted(stored(False, "abcd"), stored(False, order))
        assert bool(refuted(stored(True, "abcd"), stored(True, order))) == (order != "abcd")
    assert refuted(stored(True, "abcd"), stored(False, "abcd"))
