"""Every node case that ONNX ships: computed as its own results say, or refused with a reason; never wrong.

All run by the interpreter, in one test for each share of the operators; one case of some is compiled.
"""

from __future__ import annotations

import pytest

import isamap_smt as im
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
