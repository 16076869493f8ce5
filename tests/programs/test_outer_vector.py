"""A machine of one's own, an outer-product unit and a vector unit without C: kernels are planned, proved and simulated from its
description alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.cli.app import run
from isamap_smt.ir.errors import HardwareError, ScheduleError
from isamap_smt.pipeline.tune import tune
from isamap_smt.runtime.measure import arrays_for
from isamap_smt.targets import find_target
from isamap_smt.targets.target import default_target, executor_of
from isamap_smt.tuning.errors import TuningError

EXAMPLES = Path(__file__).parents[2] / "examples"
OWN = f"{EXAMPLES / 'outer_vector.py'}:MACHINE"
MACHINE = im.find_hardware(OWN)
SIMULATOR = find_target("simulate")
Arrays = Mapping[str, np.ndarray]


def softmax(x: Any) -> Any:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def layer_norm(x: Any, g: Any, b: Any) -> Any:
    return (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5) * g + b


def causal(a: Arrays) -> Any:
    scores = np.einsum("hqd,hkd->hqk", a["Q"], a["K"]) * a["z"]
    return softmax(np.where(np.tri(*scores.shape[1:], dtype=bool), scores, -np.inf)) @ a["V"]


def attention(a: Arrays) -> Any:
    return softmax(np.einsum("hqd,hkd->hqk", a["Q"], a["K"]) * a["z"]) @ a["V"]


def convolved(a: Arrays) -> Any:
    """A 3x3 convolution with a border of zeros."""
    i, w = np.pad(a["I"], ((0, 0), (1, 1), (1, 1), (0, 0))), a["W"]
    windows = np.lib.stride_tricks.sliding_window_view(i, (3, 3), axis=(1, 2))
    return np.einsum("npqcrs,rsck->npqk", windows, w)


CONV = {"n": 1, "c": 5, "k": 9, "r": 3, "s": 3, "sp": 1, "sq": 1, "dp": 1, "dq": 1, "pp": 1, "pq": 1}
# kernel -> (its axes with a size drawn at random, other sizes, what NumPy gives in float64, statements that no instruction takes)
KERNELS: dict[str, tuple[str, dict[str, int], Callable[[Arrays], Any], int]] = {
    "gemm": ("ijk", {}, lambda a: a["A"] @ a["B"], 0),
    "conv2d": ("pq", CONV, convolved, 0),
    "reductions.py:ROW_SUM": ("in", {}, lambda a: a["x"].sum(1), 0),
    "reductions.py:ROW_MAX": ("in", {}, lambda a: a["x"].max(1), 0),
    "norms.py:SOFTMAX": ("in", {}, lambda a: softmax(a["x"]), 0),
    "norms.py:LOG_SUM_EXP": ("in", {}, lambda a: np.log(np.exp(a["x"]).sum(1)), 0),
    "norms.py:LAYER_NORM": ("in", {}, lambda a: layer_norm(a["x"], a["g"], a["b"]), 0),
    "norms.py:RMS_NORM": ("in", {}, lambda a: a["x"] / np.sqrt((a["x"] ** 2).mean(1, keepdims=True) + 1e-6) * a["g"], 0),
    "norms.py:GELU": ("i", {}, lambda a: 0.5 * a["x"] * (1 + np.vectorize(math.erf)(a["x"] / np.sqrt(2))), 0),
    "attention.py:ATTENTION": ("qkd", {"h": 2}, attention, 0),
    "attention.py:CAUSAL": ("qd", {"h": 2}, causal, 0),
}  # fmt: skip


def found(name: str) -> im.Kernel:
    return im.find_kernel(f"{EXAMPLES}/{name}" if ":" in name else name)


def simulated(planned: im.Plan, arrays: Arrays) -> np.ndarray:
    outputs = SIMULATOR.build(SIMULATOR.emit(planned))(**arrays)
    (out,) = (outputs[n] for n in planned.kernel.outputs if n not in planned.kernel.temporaries)
    return out


def by_instructions(planned: im.Plan) -> set[int]:
    return {s.proved.mapping.statement_index for s in planned.program.schedules}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", KERNELS)
def test_kernels_run_on_its_instructions_at_random_sizes(name: str) -> None:
    axes, fixed, expected, others = KERNELS[name]
    kernel = found(name)
    rng = np.random.default_rng(sum(map(ord, name)))
    sizes = {**{a: int(rng.integers(1, 21)) for a in axes}, **fixed}
    if name.endswith("CAUSAL"):
        sizes["k"] = sizes["q"]
    planned = im.plan(kernel, MACHINE, sizes=sizes)
    assert planned.proof.word == "proved"
    assert len(by_instructions(planned)) == len(planned.kernel.statements) - others
    assert len([n for n in planned.notes if "by no instruction of outer_vector" in n]) == others
    arrays = arrays_for(kernel.with_sizes(sizes), 1)
    wide = {n: a.astype(np.float64) for n, a in arrays.items()}
    got, wanted = simulated(planned, arrays), expected(wide)
    assert got.shape == wanted.shape
    np.testing.assert_allclose(got, wanted, rtol=2e-5, atol=2e-6 * np.abs(wanted).max())


@pytest.mark.parametrize("name", ["reductions.py:ROW_MAX", "norms.py:GELU"])
def test_what_is_not_reordered_has_the_bits_of_the_interpreter(name: str) -> None:
    kernel = found(name)
    sizes = {a.name: 19 for a in kernel.axes}
    arrays = arrays_for(kernel.with_sizes(sizes), 3)
    (target,) = kernel.outputs
    shape = tuple(int(e) for e in kernel.with_sizes(sizes).tensor(target).shape)
    begin = np.full(shape, -np.inf if "MAX" in name else 0, np.float32)
    wanted = im.run_kernel(kernel.with_sizes(sizes), {**arrays, target: begin})[target]
    assert np.array_equal(simulated(im.plan(kernel, MACHINE, sizes=sizes), arrays), wanted)


def test_a_size_that_is_a_value_is_a_number_and_sizes_may_stay_open() -> None:
    assert im.plan(found("norms.py:LAYER_NORM"), MACHINE, sizes={"i": 5, "n": 9}).program.kernel.free_sizes == ()
    assert im.plan("gemm", MACHINE).program.kernel.free_sizes == ("I", "J", "K")


def without(*names: str) -> im.Hardware:
    return replace(MACHINE, instructions=tuple(i for i in MACHINE.instructions if i.short not in names))


def test_a_statement_that_its_instructions_do_not_cover_is_named() -> None:
    planned = im.plan(found("norms.py:SOFTMAX"), without("exp"), sizes={"i": 5, "n": 9})
    assert planned.notes == (
        "statement 2 of softmax is computed element by element, by no instruction of outer_vector",
    )
    assert by_instructions(planned) == {0, 2, 3, 4}
    arrays = arrays_for(planned.kernel.with_sizes({"i": 5, "n": 9}), 1)
    np.testing.assert_allclose(simulated(planned, arrays), softmax(arrays["x"].astype(np.float64)), rtol=2e-5)


def test_another_instruction_in_the_description_is_used() -> None:
    tanh = im.instruction(
        "outer_vector.tanh", "c[l] = tanh(a[l])", axes={"l": 8}, dtypes={"c": "f32", "a": "f32"},
        places={"c": "vectors", "a": "vectors"},
    )  # fmt: skip
    planned = im.plan(found("norms.py:GELU_TANH"), replace(MACHINE, instructions=(*MACHINE.instructions, tanh)))
    assert by_instructions(planned) == {0}


def test_contracts_count_and_names_do_not() -> None:
    """A subtraction of the first from the second operand, and one name for another: the same results."""
    swapped = {"add": "mul", "mul": "add"}
    turned = im.instruction(
        "outer_vector.sub", "c[l] = b[l] - a[l]", axes={"l": 8}, dtypes=dict.fromkeys("abc", "f32"),
        places=dict.fromkeys("abc", "vectors"),
    )  # fmt: skip
    renamed = tuple(
        turned if i.short == "sub" else replace(i, name=f"outer_vector.{swapped.get(i.short, i.short)}")
        for i in MACHINE.instructions
    )
    kernel, sizes = found("norms.py:LAYER_NORM"), {"i": 5, "n": 9}
    arrays = arrays_for(kernel.with_sizes(sizes), 1)
    usual, other = (im.plan(kernel, m, sizes=sizes) for m in (MACHINE, replace(MACHINE, instructions=renamed)))
    assert by_instructions(other) == by_instructions(usual)
    assert np.array_equal(simulated(other, arrays), simulated(usual, arrays))


def test_no_c_is_made_and_everything_says_so(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    says = "no instruction of outer_vector has C (emit='...'); `isamap run` simulates its programs"
    assert MACHINE.no_c == says
    assert default_target(MACHINE).name == "simulate"
    assert executor_of(MACHINE) == ("simulate", "isamap's simulator")
    planned = im.plan("gemm", MACHINE, sizes={"i": 5, "j": 6, "k": 7})
    with pytest.raises(HardwareError, match=r"outer_vector\.\w+ has no C \(emit='...'\), so none is printed"):
        im.build(planned)
    with pytest.raises(TuningError, match="nothing can be measured: no instruction of outer_vector has C"):
        tune("gemm", MACHINE, sizes={"i": 5, "j": 6, "k": 7})
    small = ["--sizes", "i=5,j=6,k=7"]
    assert run(["compile", "gemm", OWN, *small, "-o", str(tmp_path / "c")]) == 3
    assert capsys.readouterr().err.endswith(f"error: {says}\n")
    assert run(["run", "gemm", OWN, *small, "--target", "c"]) == 3
    assert says in capsys.readouterr().err
    assert run(["report", "gemm", OWN, *small, "-o", str(tmp_path / "r.html")]) == 0
    assert f"not run: {says}" in capsys.readouterr().err
    page = (tmp_path / "r.html").read_text()
    assert "lines of the program" in page
    assert "outer_vector.outer(" in page


def test_a_machine_that_moves_nothing_stays_for_mapping_and_proof() -> None:
    bare = replace(MACHINE, instructions=(MACHINE.instruction("outer"),))
    with pytest.raises(ScheduleError, match="outer_vector is for mapping and proof only"):
        im.plan("gemm", bare, sizes={"i": 5, "j": 6, "k": 7})
