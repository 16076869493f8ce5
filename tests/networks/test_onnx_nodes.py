"""Every node case that ONNX ships: computed as its own results say, or refused with a reason; never wrong.

All run by the interpreter, in one test for each share of the operators; one case of some is compiled.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import onnx
import pytest

import isamap_smt as im
from isamap_smt.ir.errors import NetworkError
from tests.networks.onnx_nodes import ROUNDED_INSIDE, cases, differs, network_of, result

SHARES = 8
PASS = 1_260  # of 1,462: fewer would be a loss


@pytest.mark.parametrize("share", range(SHARES))
def test_no_case_is_computed_wrongly(share: int) -> None:
    found = {c.name: result(c) for c in cases()[share::SHARES]}
    assert all(len(r.refused) > 20 for r in found.values() if r.refused)
    wrong = {n: r.wrong for n, r in found.items() if r.wrong and n not in ROUNDED_INSIDE}
    assert not wrong
    assert sum(r.ok for r in found.values()) >= 0.97 * PASS / SHARES - 5


FEW = (
    "test_relu", "test_gemm_default_no_bias", "test_conv_with_strides_padding", "test_softmax_axis_2", "test_lstm_defaults",
    "test_gather_negative_indices", "test_reduce_mean_keepdims_random", "test_layer_normalization_4d_axis1",
    "test_scatternd_add", "test_tensorscatter_circular",
    "test_scatter_elements_with_axis", "test_concat_3d_axis_1", "test_top_k", "test_maxpool_2d_pads",
    "test_resize_upsample_scales_linear",
    "test_attention_4d", "test_qlinearmatmul_2D_uint8_float32", "test_cumsum_1d", "test_where_example", "test_einsum_batch_matmul",
    "test_not_3d", "test_convtranspose_pads",
)  # fmt: skip


@pytest.mark.parametrize("name", FEW)
def test_a_compiled_case_gives_its_results(name: str) -> None:
    case = next(c for c in cases() if c.name == name)
    network, arrays = network_of(case)
    assert not differs(case, im.compile_network(network)(**arrays))


def _to_e8m0(x: np.ndarray, **how: Any) -> np.ndarray:
    of = {"f2": 10, "f4": 1, "f8": 11, "i4": 6, "i8": 7}[x.dtype.str[1:]]
    node = onnx.helper.make_node("Cast", ["x"], ["y"], name="to_scale", to=onnx.TensorProto.FLOAT8E8M0, **how)
    told = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(
        [node], "cast", [told("x", of, x.shape)], [told("y", onnx.TensorProto.FLOAT8E8M0, x.shape)]
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 25)], ir_version=12)
    return im.run_network(im.from_onnx(model), {"x": x})["y"].view(np.uint8)


def _exponent(x: Fraction, mode: str) -> int:
    """Of the power of two that a positive number is rounded to."""
    near = x.numerator.bit_length() - x.denominator.bit_length()  # or one more than it
    down = near if Fraction(2) ** near <= x else near - 1
    above, tie = x > Fraction(2) ** down, 2 * x >= 3 * Fraction(2) ** down
    return down + {"down": False, "up": above, "nearest": tie}[mode]


@pytest.mark.parametrize("of", ["f2", "f4", "f8", "i4"])
@pytest.mark.parametrize("saturate", [0, 1])
@pytest.mark.parametrize("mode", ["up", "down", "nearest"])
def test_a_cast_to_powers_of_two_is_rounded_as_it_says(mode: str, saturate: int, of: str) -> None:
    """By ONNX's table; 0 becomes the least power if it saturates, and NaN if not."""
    rng = np.random.default_rng(0)
    most = {"f2": 15, "f4": 127, "f8": 1000, "i4": 30}[of]
    exact = np.exp2(rng.integers(-most, most + 1, 60).astype(np.float64))
    x = np.concatenate([exact, exact * 1.5, exact * rng.uniform(1, 1.999, 60), [1.0, 3.0]]).astype(of)
    x = x[x > 0]
    if x.dtype.kind == "f":
        x = np.concatenate([x, *(np.nextafter(x, x.dtype.type(v)) for v in (0, np.inf))])
        x = x[np.isfinite(x)]
    meant = []
    for v in x:
        n = _exponent(Fraction(int(v) if of == "i4" else float(v)), mode)
        inside = min(max(n, -127), 127) if saturate else max(n, -127) if n <= 127 else 128
        meant.append(inside + 127)
    found = _to_e8m0(x, round_mode=mode, saturate=saturate)
    beyond = (x.astype(np.float64) > 2.0**127) & (not saturate) & (mode == "down")  # it says nothing of these
    np.testing.assert_array_equal(found[~beyond], np.array(meant)[~beyond])
    special = np.array([0, *([np.nan, np.inf] if x.dtype.kind == "f" else [])], of)
    assert (
        _to_e8m0(special, round_mode=mode, saturate=saturate).tolist() == [0, 255, 254][: special.size]
        if saturate
        else ([255] * special.size)
    )


def test_a_cast_to_powers_of_two_that_no_kernel_computes_is_refused() -> None:
    with pytest.raises(NetworkError, match="to_scale: the attribute round_mode of Cast is 'sideways'"):
        _to_e8m0(np.ones(2, np.float32), round_mode="sideways")
    with pytest.raises(
        NetworkError,
        match="to_scale: Cast: i64 to e8m0 is computed with round_mode nearest and saturate 0; cast it to double",
    ):
        _to_e8m0(np.ones(2, np.int64))
    made = _to_e8m0(np.array([3, 1, (3 << 60) - 1], np.int64), round_mode="nearest", saturate=0)
    assert made.tolist() == [129, 127, 188]
