"""sum(e, 4, x) inside a value: every stage takes it, and all compute the same."""

from __future__ import annotations

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.interpret import random_arrays, reference, run_kernel
from isamap_smt.language.text import LARGEST

TEXTS = {
    "a sum of elements": "C[i] = sum(e, 4, A[i,e])",
    "a sum of products, scaled": "C[i,j] = 2 * sum(e, 3, A[i,e] * B[e,j])",
    "inside a reduction": "C[i] += sum(e, 4, A[i,4*k+e])",
    "one inside the other": "C[i] = sum(h, 2, A[i,h] * sum(g, 2, B[2*h+g]))",
    "of one term": "C[i] = sum(e, 1, A[i,e] - B[e])",
    "a declared extent, a name of C": "axis int < 3\nC[i] += sum(int, A[i,int]) * B[i]",
    "an axis that the value does not use": "C[i] = sum(e, 3, A[i])",
}
SIZES = {"i": 5, "j": 3, "k": 2}


@pytest.mark.one_in(3, each=("name",))
@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("dtypes", [{}, {"C": "i32", "A": "i8", "B": "u8"}], ids=["f32", "bytes"])
def test_what_is_compiled_equals_the_interpreter(name: str, dtypes: dict[str, str]) -> None:
    text = TEXTS[name]
    kernel = im.kernel(text, dtypes={n: d for n, d in dtypes.items() if f"{n}[" in text})
    kernel = kernel.with_sizes({n: v for n, v in SIZES.items() if n in [a.name for a in kernel.axes]})
    assert im.kernel(im.to_text(kernel)).statements == kernel.statements
    arrays = random_arrays(kernel)
    want = run_kernel(kernel, arrays)["C"]
    np.testing.assert_allclose(reference(kernel, arrays)["C"], want, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(im.compile(kernel, "host")(**arrays), want, rtol=1e-5, atol=1e-5)


def test_every_stage_takes_it() -> None:
    kernel = im.kernel("C[i] = sum(e, 4, A[i,e] * B[e])")
    assert not im.find_mappings(kernel, im.find_instruction("avx2.fmadd_ps")).legal  # four products are no product
    assert im.plan(kernel, "scalar").proof.proved


def test_a_sum_of_products_below_a_clamp_stays_exact() -> None:
    """30000 * 30000 * 3 does not fit i32; the clamp sees the exact sum, as in an instruction's contract."""
    kernel = im.kernel("C[i] = sat_i32(sum(e, 3, A[i,e] * A[i,e]))", dtypes={"C": "i32", "A": "i16"})
    a = np.array([[30000] * 3, [1, 2, 3]], np.int16)
    assert run_kernel(kernel, {"A": a})["C"].tolist() == [2**31 - 1, 14]
    assert im.compile(kernel, "host")(a).tolist() == [2**31 - 1, 14]


def test_terms_are_added_in_order_from_the_first() -> None:
    """2**24 + 1 + 1 + 1 in f32: each one is lost, where (1 + 1) first would count."""
    kernel = im.kernel("C[i] = sum(e, 4, A[i,e]) ordered")
    a = np.array([[2.0**24, 1, 1, 1], [1, 1, 1, 2.0**24]], np.float32)
    assert run_kernel(kernel, {"A": a})["C"].tolist() == [2.0**24, 2.0**24 + 4]
    assert im.compile(kernel, "host")(a).tolist() == [2.0**24, 2.0**24 + 4]


def test_many_terms_are_not_mapped_in_every_order() -> None:
    """Seven terms have fourteen elements, which were bound in 14! orders."""
    kernel = im.kernel("C[i] = sum(e, 7, A[i,e] * B[e])")
    a, b = np.arange(21, dtype=np.float32).reshape(3, 7), np.arange(7, dtype=np.float32)
    assert im.compile(kernel, "host", sizes={"i": 3})(a, b).tolist() == (a @ b).tolist()


def test_the_most_terms_are_read() -> None:
    kernel = im.kernel(f"C[i] = sum(e, {LARGEST}, A[i,e])", dtypes={"A": "i32", "C": "i32"})
    a = np.arange(2 * LARGEST, dtype=np.int32).reshape(2, LARGEST)
    assert run_kernel(kernel, {"A": a})["C"].tolist() == a.sum(axis=1).tolist()
    assert im.kernel(im.to_text(kernel)).statements == kernel.statements
