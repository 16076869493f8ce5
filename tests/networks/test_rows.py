"""Rows of capability: what NumPy and torch compute of ONNX is what its node cases say, or is refused."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import onnx
import pytest

from isamap_smt.ir.errors import NetworkError
from isamap_smt.networks.foreign import Reader, evaluator
from tests.networks.onnx_nodes import array, cases

HEADER = '<ir_version: 10, opset_import: ["": 21]>'
needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")


@pytest.mark.parametrize(
    ("backend", "least"), [("numpy", 400), pytest.param("torch", 400, marks=needs_torch)], ids=["numpy", "torch"]
)
def test_each_case_of_a_row_comes_out_right_or_is_refused(backend: str, least: int) -> None:
    right, wrong = 0, []
    for case in cases():
        graph = case.model.graph
        try:
            evaluate = evaluator(backend, case.model.SerializeToString(), case.name)
        except NetworkError:
            continue
        for given, wanted in case.data_sets:
            arrays = {i.name: array(x) for i, x in zip(graph.input, given, strict=False)}
            try:
                got = evaluate(arrays)
            except Exception:
                continue
            outputs = {o.name: array(x) for o, x in zip(graph.output, wanted, strict=True)}
            if all(_alike(np.asarray(got[n]), a) for n, a in outputs.items()):
                right += 1
            else:
                wrong.append(case.name)
    assert not wrong
    assert right >= least


def _alike(got: np.ndarray, wanted: np.ndarray) -> bool:
    if got.dtype != wanted.dtype or got.shape != wanted.shape:
        return False
    return np.allclose(got.astype(np.float64), wanted.astype(np.float64), rtol=1e-3, atol=1e-5, equal_nan=True)


@pytest.mark.parametrize("backend", ["numpy", pytest.param("torch", marks=needs_torch)])
def test_several_nodes_are_one_model_and_inputs_stay(backend: str) -> None:
    text = f"""{HEADER} several (float[2,3] x) => (float[3,2] y) <float[1] one = {{1.0}}> {{
        t = Transpose<perm = [1, 0]>(x) e = Exp(t) y = Add(e, one) }}"""
    evaluate = evaluator(backend, onnx.parser.parse_model(text).SerializeToString(), "several")
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert np.allclose(evaluate({"x": x})["y"], np.exp(x.T) + 1)
    assert np.array_equal(x, np.arange(6).reshape(2, 3))
    assert isinstance(evaluate, Reader)


def test_what_has_no_row_is_named() -> None:
    text = f"{HEADER} r (float[1,2,4,4] x) => (float[1,2,2,2] y) {{ y = LpPool<kernel_shape = [3, 3]>(x) }}"
    with pytest.raises(NetworkError, match="node: the back end numpy fails: numpy has no row for LpPool"):
        evaluator("numpy", onnx.parser.parse_model(text).SerializeToString(), "node")
    old = onnx.parser.parse_model(
        '<ir_version: 8, opset_import: ["": 11]> o (float[2] x) => (float[2] y) { y = Exp(x) }'
    )
    with pytest.raises(NetworkError, match="rows are of opset 13 and later, and the model is of 11"):
        evaluator("numpy", old.SerializeToString(), "node")
