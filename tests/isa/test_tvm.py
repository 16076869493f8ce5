"""TVM's own tables: what saturates is refuted, what computes the description is proved, and the rest is named."""

from __future__ import annotations

import pytest

from isamap_smt.isa import check_isa, tvm_table
from isamap_smt.isa.check import check_entry
from isamap_smt.isa.quick_import import imported

FAULTS = ("signed for unsigned", "a row too far", "added twice")

VERDICTS = {
    "dot_16x4_vnni": "proved",
    "dot_16x4_avx512": "refuted",
    "dot_4x4_i8i8s32_neon": "proved",
    "dot_4x4_i8i8s32_sdot": "proved",
    "dot_4x4_u8u8u32_udot": "proved",
    "dot_4x4_u8u8i32_hdot": "proved",
}


@pytest.fixture(scope="module", autouse=True)
def _tvm() -> None:
    """TVM, where it is installed. It takes seconds to import, so the workers that collect these tests and run others do not."""
    pytest.importorskip("tvm", reason="apache-tvm is not installed: pip install 'apache-tvm>=0.27'")


def test_every_dot_product_is_decided_and_the_rest_is_unread_with_its_reason() -> None:
    found = check_isa("tvm")
    verdicts = {f.name: f.verdict for f in found.entries}
    assert verdicts == VERDICTS | dict.fromkeys(set(verdicts) - set(VERDICTS), "unread")
    assert set(verdicts) >= set(VERDICTS)
    assert all(f.reason for f in found.entries)
    assert found.verdict == "refuted"


@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_refuted(name: str) -> None:
    tvm_table.entries()  # registers them, in whichever process this test runs
    planted = imported("tests.isa.tvm_planted").FAULTS
    assert set(planted) == set(FAULTS)
    changed, reason = planted[name]
    right = imported("tvm.s_tir").TensorIntrin.get("dot_16x4_vnni")
    found = check_entry(tvm_table.entry(name, right.desc, changed, "planted"))
    assert found.verdict == "refuted"
    assert reason in found.reason
