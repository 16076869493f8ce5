"""Only where an instruction's value is the statement's is a mapping looked for: elsewhere the whole family is refuted."""

from __future__ import annotations

import pytest

import isamap_smt as im
from isamap_encodings.verdict import Refuted
from isamap_smt.mapping.fuse import takes
from isamap_smt.proof.scalar import may_compute

KERNELS = {
    "a sum": "s[i] += x[i,n]",
    "a product": "C[i,j] += A[i,k] * B[k,j]",
    "a maximum": "m[i] max= x[i,n]",
    "a ramp": "y[i] = relu(x[i])",
    "a difference": "y[i] = a[i] - b[i]",
}


@pytest.mark.parametrize("name", KERNELS)
def test_what_may_not_compute_has_no_legal_mapping(name: str) -> None:
    kernel = im.kernel(KERNELS[name], name="k")
    fitting = [i for i in im.find_hardware("avx2").computes if takes(kernel, i)]
    refused = [i for i in fitting if not may_compute(kernel, i)]
    assert refused
    for i in refused:
        found = im.find_mappings(kernel, i)
        assert not found.legal, i.name


def test_some_instruction_computes_each() -> None:
    avx2 = im.find_hardware("avx2")
    for text in ("C[i,j] += A[i,k] * B[k,j]", "y[i] = relu(x[i])", "y[i] = a[i] - b[i]"):
        kernel = im.kernel(text, name="k")
        assert any(may_compute(kernel, i) for i in avx2.computes if takes(kernel, i)), text


def test_operands_may_be_in_another_order() -> None:
    kernel = im.kernel("y[i] = b[i] - a[i]", name="k")
    assert may_compute(kernel, im.find_instruction("avx2.sub_ps"))


@pytest.mark.parametrize(("a", "b", "y"), [("A", "B", "Y"), ("zz", "b", "a"), ("x1", "x0", "x2")])
def test_refutations_speak_of_the_kernel_s_own_names(a: str, b: str, y: str) -> None:
    """The question is asked once for all of them."""
    kernel = im.kernel(f"{y}[i] = {a}[i] + {b}[i]", name="k")
    found = im.prove(im.fuse(kernel, im.find_instruction("avx2.sub_ps"), "l=i"))
    assert isinstance(found, im.Rejection) and found.claim is not None and found.claim.claim == "scalar"
    verdict = found.claim.verdict
    assert isinstance(verdict, Refuted) and f"instruction  {a}[i] - {b}[i]" in verdict.text
    assert verdict.witness and set(verdict.witness) <= {f"{a}[i]", f"{b}[i]"}
