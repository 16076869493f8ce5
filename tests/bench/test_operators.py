"""Operators of the suites: what is right is what the interpreter of the language says, and inputs let a wrong result be seen."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import operator_table
from isamap_smt.bench.case import Case, from_document
from isamap_smt.bench.contenders import CONTENDERS, OURS
from isamap_smt.bench.data import check, expected, inputs, tolerance
from isamap_smt.bench.operators import LAYERS_OF_BYTES, OPERATORS, case_of
from isamap_smt.bench.peers import operators_numpy, with_onnxruntime
from isamap_smt.bench.suites import SUITES
from isamap_smt.ir.interpret import run_kernel

OF_OPERATORS = ("reductions", "elementwise", "norms", "attention", "quantised", "operators")


def small(name: str) -> Case:
    """The operator at sizes that the interpreter takes."""
    return case_of(name, {n: OPERATORS[name].small[n] for n in OPERATORS[name].sizes[0]})


@pytest.mark.parametrize("name", OPERATORS)
def test_what_is_right_is_what_the_kernel_says(name: str) -> None:
    case = small(name)
    for seed in range(3):
        arrays = inputs(case, seed)
        (got,) = run_kernel(case.problem(), arrays, sizes=case.size).values()
        verdict = check(got, expected(case, arrays), tolerance(case, ours=True))
        assert verdict.right, verdict.words
        assert verdict.exact or tolerance(case, ours=True)


@pytest.mark.parametrize("name", OPERATORS)
def test_every_input_is_seen(name: str) -> None:
    """Another value in any one input changes the result by more than is allowed to anybody."""
    case = small(name)
    arrays = inputs(case)
    right = expected(case, arrays)
    for tensor, array in arrays.items():
        seen = 0
        for at in range(0, array.size, max(1, array.size // 12)):
            other = {n: a.copy() for n, a in arrays.items()}
            flat = other[tensor].reshape(-1)
            flat[at] = (
                -100
                if array.dtype == np.int8 and flat[at] > 0
                else 100
                if array.dtype.itemsize == 1
                else (flat[at] + 1) % 8  # the number of a row
                if array.dtype.itemsize == 8
                else flat[at] * 3 + 7
            )
            kind = case.problem().tensor(case.dtypes[-1][0]).dtype.numpy
            with np.errstate(invalid="ignore", over="ignore"):
                seen += not check(expected(case, other).astype(kind), right, tolerance(case, ours=False)).right
        assert seen, tensor


def test_causal_is_not_full() -> None:
    full, causal = small("attention"), small("causal_attention")
    arrays = inputs(full)
    assert not check(expected(causal, arrays).astype(np.float32), expected(full, arrays), 1e-2).right


def test_every_operator_is_in_a_suite_and_everybody_takes_it() -> None:
    found = {c.family for s in OF_OPERATORS for c in SUITES[s].cases()}
    assert found == set(OPERATORS)
    for suite in OF_OPERATORS:
        for case in SUITES[suite].cases():
            assert from_document(case.document()) == case
            (condition,) = (c for c in SUITES[suite].conditions if CONTENDERS[OURS].plays(case, c, 1))
            for name in ("torch", "onnxruntime"):
                assert CONTENDERS[name].plays(case, condition, 2)
            assert CONTENDERS["numpy"].plays(case, condition, 2) or case.family not in operators_numpy._OPERATORS
            assert CONTENDERS["onednn"].plays(case, condition, 1) == (case.family in LAYERS_OF_BYTES)


def test_attention_is_of_bert_base() -> None:
    shapes = [c.shapes()["Q"] for c in SUITES["attention"].cases()]
    assert shapes == [(12, 128, 64), (12, 512, 64)] * 2
    full, causal = (SUITES["attention"].cases()[n].operations for n in (0, 2))
    assert full == 4 * 12 * 128 * 128 * 64 + 4 * 12 * 128 * 128
    assert causal == full * 129 / 256  # what the mask leaves


def test_a_layer_of_bytes_uses_their_whole_range() -> None:
    """A scale that is too small or too large would hide wrong sums."""
    for name in ("qlinear", "linear"):
        case = case_of(name, {"i": 16, "j": 64, "k": 256})
        result = expected(case, inputs(case))
        assert len(np.unique(result)) > 60
        assert result.min() == 0 and result.max() == (255 if name == "qlinear" else 127)


def test_rounding_is_onnxruntimes() -> None:
    """Zero points of every kind, ties (scales that are powers of two), results beyond both ends: the same bytes."""
    if words := CONTENDERS["onnxruntime"].missing():
        pytest.skip(words)
    rng, seen = np.random.default_rng(7), set()
    for turn in range(60):
        case = case_of("qlinear_matmul", dict(zip("ijk", map(int, rng.integers(1, 40, 3)), strict=True)))
        arrays = inputs(case, turn)
        arrays["za"], arrays["zy"] = (np.asarray(v, np.uint8) for v in rng.choice([0, 1, 127, 128, 255], 2))
        if turn % 2:
            arrays["s"] = rng.choice([0.5, 0.25, 2.0**-9, 2.0**-12], case.size["j"]).astype(np.float32)
        work = with_onnxruntime.open_case(case, "constant", 1, arrays, {})
        work.run()
        mine = run_kernel(case.problem(), arrays)["Y"]
        assert np.array_equal(work.result(), mine)
        seen |= set(mine.reshape(-1).tolist())
    assert len(seen) == 256, "every byte is a result"


def test_a_row_of_the_table() -> None:
    """docs/operators.md is made of these."""
    case = case_of("embedding", {"V": 10, "i": 5, "j": 20})
    contenders = {
        OURS: {"status": "ok", "about": {"instruction": ""}, "gflops": {"median": 2.0}},
        "torch": {"status": "ok", "gflops": {"median": 1.6}},
        "numpy": {"status": "unsupported"},
    }
    entry = {"case": case.document(), "operations": case.operations, "contenders": contenders}
    told = [x.strip() for x in operator_table.row(entry).strip("|").split("|")]
    assert told == ["`embedding`", "V=10 i=5 j=20", "element by element", "0", "-", "1.25", "-"]
