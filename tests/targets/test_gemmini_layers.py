"""Layers on Gemmini: bytes from sums by a scale, biases, residuals, and several sums one after the other; proved for open sizes,
executed by the model, compared with NumPy."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import isamap_hardware
import isamap_smt as im
from isamap_smt.ir.errors import HardwareError, ScheduleError
from isamap_smt.ir.phases import phase_kernels, phases
from isamap_smt.ir.program import Issued
from isamap_smt.ir.traversal import nodes_of
from isamap_smt.mapping.epilogue import covers_of
from isamap_smt.proof.program import prove_program
from isamap_smt.simulator import simulate
from isamap_smt.targets import find_target
from isamap_smt.targets.gemmini import build_here, missing
from isamap_smt.targets.gemmini.target import GemminiKernel
from tests.quick import quick

MACHINE = isamap_hardware.load("gemmini")
TYPES = dict.fromkeys("ABTUPRd", "i32") | dict.fromkeys("XWVYHEGK", "i8") | dict.fromkeys("suv", "f32") | {"b": "i32"}
SUM = "T[i,j] += i32(X[i,k]) * i32(W[k,j])"
LINEAR = f"temporary T\n{SUM}\nY[i,j] = round_i8(f32(T[i,j] + b[j]) * s[])"
RESIDUAL = f"temporary T\n{SUM}\nY[i,j] = round_i8(f32(i32(H[i,j]) + T[i,j]) * s[])"
MLP = f"""
temporary T, H, U
{SUM}
H[i,j] = round_i8(f32(T[i,j] + b[j]) * s[])
U[i,m] += i32(H[i,j]) * i32(V[j,m])
Y[i,m] = round_i8(f32(U[i,m] + d[m]) * u[])
"""
# of MobileNet v2: more channels, a window in each channel, fewer channels, and the input again
BLOCK = """
temporary A, E, B, G, U
A[p,q,e] += i32(X[p,q,c]) * i32(W[c,e])
E[p,q,e] = round_i8(f32(A[p,q,e] + b[e]) * s[])
B[p,q,e] += i32(E[p+r-1,q+t-1,e]) * i32(K[r,t,e]) where 0 <= p+r-1 < P and 0 <= q+t-1 < Q
G[p,q,e] = round_i8(f32(B[p,q,e] + d[e]) * u[])
U[p,q,c] += i32(G[p,q,e]) * i32(V[e,c])
Y[p,q,c] = round_i8(f32(U[p,q,c] + i32(X[p,q,c])) * v[])
"""


def kernel(text: str) -> im.Kernel:
    made = im.kernel(text, name="layer")
    return made.with_dtypes({t.name: TYPES[t.name] for t in made.tensors})


def test_an_element_is_no_immediate_of_its_name() -> None:
    """mvout_i8_by takes a number `s` of the code; the scale s[] of a layer is one of memory."""
    layer = phase_kernels(kernel(LINEAR))[0]
    stores = {c.store.instruction.short for c in covers_of(layer, MACHINE, MACHINE.instruction("gemmini.matmul"))}
    assert stores == {"mvout_i8"}


@functools.cache
def plan(text: str) -> Any:
    return im.stage(kernel(text), MACHINE, sizes={"r": 3, "t": 3} if text == BLOCK else {})


@functools.cache
def built(text: str) -> GemminiKernel:
    return here(plan(text))


def here(planned: Any, cc: str | None = None) -> GemminiKernel:
    """In this process, where a run takes milliseconds."""
    source = find_target("gemmini").emit(planned)["program.c"]
    return GemminiKernel(planned.program, build_here(source, cc), "here")


def scaled(sums: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Bytes, as Gemmini's header says: a product in f32, the nearest integer, saturated."""
    return np.clip(np.rint(sums.astype(np.int32).astype(np.float32) * scale), -128, 127).astype(np.int8)


def drawn(seed: int, **shapes: tuple[int, ...]) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    made: dict[str, np.ndarray] = {}
    for name, shape in shapes.items():
        kind = TYPES[name]
        if kind == "f32":
            made[name] = np.full(shape, random.choice([1, -1]) * 10.0 ** random.uniform(-4, -1), np.float32)
        else:
            top = 128 if kind == "i8" else 1 << 20
            made[name] = random.integers(-top, top, shape).astype(np.int8 if kind == "i8" else np.int32)
    return made


def product(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    return x.astype(np.int64) @ w.astype(np.int64)


def linear(seed: int, i: int, j: int, k: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
    a = drawn(seed, X=(i, k), W=(k, j), b=(j,), s=())
    return a, scaled(product(a["X"], a["W"]) + a["b"], a["s"])


def residual(seed: int, i: int, j: int, k: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
    a = drawn(seed, X=(i, k), W=(k, j), H=(i, j), s=())
    return a, scaled(product(a["X"], a["W"]) + a["H"], a["s"])


def clipped(seed: int, i: int, j: int, k: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
    a = drawn(seed, X=(i, k), W=(k, j), b=(j,))
    return a, np.maximum(scaled(product(a["X"], a["W"]) + a["b"], np.float32(0.0007)), 0)


def by_rows(seed: int, i: int, j: int, k: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
    a = drawn(seed, X=(i, k), W=(k, j), b=(i,), s=())
    return a, scaled(product(a["X"], a["W"]) + a["b"][:, None], a["s"]).T


def mlp(seed: int, i: int, j: int, k: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
    m = 1 + seed % 40
    a = drawn(seed, X=(i, k), W=(k, j), V=(j, m), b=(j,), d=(m,), s=(), u=())
    hidden = scaled(product(a["X"], a["W"]) + a["b"], a["s"])
    return a, scaled(product(hidden, a["V"]) + a["d"], a["u"])


def block(seed: int, p: int, q: int, c: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
    e = 1 + seed % 30
    a = drawn(seed, X=(p, q, c), W=(c, e), K=(3, 3, e), V=(e, c), b=(e,), d=(e,), s=(), u=(), v=())
    more = scaled(product(a["X"], a["W"]) + a["b"], a["s"]).astype(np.int64)
    padded = np.zeros((p + 2, q + 2, e), np.int64)
    padded[1:-1, 1:-1] = more
    window = sum(padded[r : r + p, t : t + q] * a["K"][r, t] for r in range(3) for t in range(3))
    return a, scaled(product(scaled(window + a["d"], a["u"]), a["V"]) + a["X"], a["v"])


CLIPPED = f"temporary T\n{SUM}\nY[i,j] = round_i8(relu(f32(T[i,j] + b[j]) * 0.0007))"
# another bias for each row, and the result transposed: no tile of 16 columns can be begun and stored so, one column can
BY_ROWS = LINEAR.replace("b[j]", "b[i]").replace("Y[i,j]", "Y[j,i]")
CASES = {
    "relu": (CLIPPED, clipped),
    "rows": (BY_ROWS, by_rows),
    "linear": (LINEAR, linear),
    "residual": (RESIDUAL, residual),
    "mlp": (MLP, mlp),
    "block": (BLOCK, block),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("name", "runs"),
    [("linear", 60), ("relu", 60), ("rows", 10), ("mlp", 40), ("block", 8),
     pytest.param("residual", 60, marks=pytest.mark.exhaustive), pytest.param("block", 60, marks=pytest.mark.exhaustive)],
)  # fmt: skip
def test_a_layer_proved_for_open_sizes_at_random_ones(name: str, runs: int) -> None:
    text, reference = CASES[name]
    random = np.random.default_rng(11)
    assert plan(text).proof.proved and plan(text).kernel.free_sizes
    for n in range(runs):
        sizes = [int(x) for x in random.integers(1, 20 if name == "block" else 60, 3)]
        arrays, right = reference(n, *sizes)
        given = {t: arrays[t] for t in plan(text).kernel.inputs}
        assert np.array_equal(built(text)(**given), right), (name, sizes)


@pytest.mark.skipif(bool(missing()), reason=missing())
def test_layers_run_in_spike() -> None:
    """As RISC-V code; its instructions go to the same model."""
    target = find_target("gemmini")
    for text, case in ((CLIPPED, clipped(2, 20, 17, 33)), (MLP, mlp(7, 20, 18, 33))):
        made = target.build(target.emit(plan(text)))
        assert made.executor.startswith("spike")
        assert np.array_equal(made(**{t: case[0][t] for t in plan(text).kernel.inputs}), case[1])


@pytest.mark.parametrize("seeds", [6, pytest.param(100, marks=pytest.mark.exhaustive)])
def test_no_order_of_the_engines_changes_an_mlp(seeds: int) -> None:
    arrays, right = mlp(7, 20, 18, 33)
    given = {t: arrays[t] for t in plan(MLP).kernel.inputs}
    for seed in range(seeds):
        run = simulate(plan(MLP).program, given, {"I": 20, "J": 18, "K": 33, "M": 8}, seed=seed)
        assert not run.races and not run.deadlock and np.array_equal(run.outputs["Y"], right)


def test_each_layer_configures_anew() -> None:
    """A second layer that relies on the first one's configuration is not proved, and here it is wrong; a wrong one is refuted."""
    program = plan(MLP).program
    writes = [n for n in nodes_of(Issued, program.body) if n.state == "stores"]
    assert len(writes) == 2 and [str(w.cells[1].name) for w in writes] == ["s", "u"]
    arrays, _ = mlp(7, 20, 18, 33)
    given, sizes = {t: arrays[t] for t in plan(MLP).kernel.inputs}, {"I": 20, "J": 18, "K": 33, "M": 8}
    gone = replace(program, body=tuple(n for n in program.body if n is not writes[1]))
    (claim,) = prove_program(gone).failed()
    assert claim.claim == "configuration" and claim.subject.startswith("phase 2") and claim.verdict.word == "unknown"
    assert "what earlier ones left is not looked at" in str(claim.verdict)
    assert simulate(gone, given, sizes, seed=1).misconfigured
    other = replace(writes[1], cells=(writes[1].cells[0], 0x3F800000, *writes[1].cells[2:]))
    wrong = replace(program, body=tuple(other if n is writes[1] else n for n in program.body))
    (claim,) = prove_program(wrong).failed()
    assert claim.verdict.word == "refuted" and "needs stores[1] = u[] ('stores[1] = s')" in claim.verdict.text
    assert simulate(wrong, given, sizes, seed=1).misconfigured


def test_what_one_layer_wrote_the_next_one_reads_behind_a_fence() -> None:
    """One before the first, one behind the last, and one for each barrier; the program without its barrier is not proved."""
    program = plan(MLP).program
    text = find_target("gemmini").emit(plan(MLP))["program.c"]
    assert len(phases(program)) == 2 and text.count("    gemmini_fence();") == 3
    marks = {f"phase2_{e.name}" for e in MACHINE.engines}

    def bare(node: Any) -> bool:
        return isinstance(node, Issued) and bool(marks & {*node.signals, *(c for c, _ in node.awaits)})

    assert sum(map(bare, program.body)) == 2 * len(MACHINE.engines)
    without = replace(program, body=tuple(n for n in program.body if not bare(n)))
    assert prove_program(without).word != "proved"
    arrays, _ = mlp(7, 20, 18, 33)
    given = {t: arrays[t] for t in plan(MLP).kernel.inputs}
    runs = [simulate(without, given, {"I": 20, "J": 18, "K": 33, "M": 8}, seed=seed) for seed in range(4)]
    assert all(run.races for run in runs)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("mvout_i8", ("gemmini_acc((uint32_t)({acc}))", "gemmini_acc((uint32_t)({acc} + 1))")),
        ("mvout_i8", ("stores[1] = s", "stores[1] = 1065353216")),
        ("mvout_i8", ("stores[0] = down", "stores[0] = 4*down")),
        ("mvin_sums", ("loads[0] = 4*down", "loads[0] = down + 64")),
        ("mvin_sums", ("loads[1] = 0", "loads[1] = 1")),
    ],
)
def test_a_description_of_layers_that_contradicts_the_model_is_found(name: str, wrong: tuple[str, str]) -> None:
    i = MACHINE.instruction(name)
    assert wrong[0] in i.emit or wrong[0] in i.needs
    mutant = replace(i, emit=i.emit.replace(*wrong), needs=tuple(n.replace(*wrong) for n in i.needs))
    machine = replace(MACHINE, instructions=tuple(mutant if x is i else x for x in MACHINE.instructions))
    planned = im.stage(kernel(LINEAR), machine)
    arrays, right = linear(3, 20, 37, 18)
    try:
        assert not np.array_equal(here(planned, quick())(**arrays), right)
    except HardwareError as refused:
        assert "instruction" in str(refused)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            CLIPPED.replace("0.0007", "-0.5"),
            "takes s from 0 to 1073741824, not -0.5",
        ),  # the RTL and Spike give other results
        (LINEAR.replace("temporary T\n", ""), "add the line 'temporary T'"),
        (LINEAR.replace("round_i8(f32(T[i,j] + b[j]) * s[])", "round_i8(f32(T[i,j]) * f32(b[j]))"), "nothing computes"),
        (LINEAR.replace(SUM, f"{SUM}\nT[i,j] += i32(X[i,k]) * i32(V[k,j])"), "two statements write T"),
    ],
)
def test_why_there_is_no_plan(text: str, told: str) -> None:
    with pytest.raises(ScheduleError, match=told.replace("(", "\\(")):
        im.stage(kernel(text), MACHINE)
