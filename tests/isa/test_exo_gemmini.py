"""Exo's Gemmini table: executed on the model, what is wrong is refuted with an input, and GEMM runs on its own C."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest

pytest.importorskip("exo.platforms", reason="exo-lang is not installed: pip install 'exo-lang>=1.0'")

import isamap_smt as im
from isamap_smt.isa import check_isa, exo_table, table_machine
from isamap_smt.isa.entry import Finding
from isamap_smt.isa.exo_gemmini import GemminiEntry, read_entries
from isamap_smt.isa.gemmini_runs import run_entries
from isamap_smt.targets.gemmini.target import Gemmini

CONFIGURED = "rests on what was configured before"
REFUTED = {
    "do_ld_i8_s2_id1": CONFIGURED,
    "do_ld_acc_i32": CONFIGURED,
    "do_matmul_i8": CONFIGURED,
    "matmul_i8_v2": CONFIGURED,
    "do_matmul_acc_i8": CONFIGURED,
    "matmul_acc_i8_v2": CONFIGURED,
    "do_st_acc_i8": CONFIGURED,
    "st_acc_i8": "is another value",
}
UNREAD = {
    "acc_scale": "issues none of Gemmini's instructions",
    "ld_i8_block": "would overlap",
    "zero_block_id2": "would overlap",
    "ld_i8_vector": "one dimension",
    "ld_acc_i32_vector": "would overlap",
}


@dataclass(frozen=True)
class Fault:
    """A piece of the C of one entry, and what takes its place."""

    entry: str
    old: str
    new: str
    reason: str = "is another value"


FAULTS = (
    Fault("ld_i8", "{m}, {n}", "{n}, {m}", ""),
    Fault("ld_i8", ".strides[0]*1", ".strides[0]*2", ""),
    Fault("ld_i8", "1.0f, 0, 0", "0.5f, 0, 0"),
    Fault("ld_i8_id1", "0, 1);", "0, 2);", ""),
    Fault("ld_i8_id2", "mvin3", "mvin2", ""),
    Fault("do_ld_i8", "mvin", "mvin2", ""),
    Fault("ld_i8_s2", "*2", "*1"),
    Fault("ld_acc_i8", "1.0f, 1, 0", "1.0f, 0, 0", ""),
    Fault("ld_acc_i32", "*4", "*1", ""),
    Fault("zero_i8", "{m}, {n}", "16, {n}"),
    Fault("zero_acc_i32", "mvin( 0,", "mvin( 64,", ""),
    Fault("st_i8", "{m}, {n}", "16, {n}", ""),
    Fault("st_acc_i32", " | 0x20000000", ""),
    Fault("st_acc_i32", "0, 1.0f", "1, 1.0f", ""),
    Fault("matmul_i8", "{C_data}), ", "{C_data}) | 0x40000000, "),
    Fault("matmul_i8", "{M}, {K}", "16, {K}"),
    Fault("matmul_acc_i8", "WS, 0, 0", "OS, 0, 0"),
    Fault("matmul_acc_i8", "0x40000000", "0"),
    Fault("matmul_acc_i8", "{K}, {N}", "16, {N}"),
)
HARMLESS = {  # all 32 bits are stored, to which ReLU does not apply; rows of B that are 0 make columns of A nothing
    ("st_acc_i32", "0, 1.0f"),
    ("matmul_acc_i8", "{K}, {N}"),
    ("matmul_i8", "{M}, {K}"),
}


@cache
def findings() -> dict[str, Finding]:
    return {f.name: f for f in check_isa("exo-gemmini").entries}


def known() -> None:
    if exo_table.installed() != "1.0.0":
        pytest.skip(f"the list is that of Exo 1.0.0, and {exo_table.installed()} is installed")


def test_no_entry_is_proved_by_executions_and_each_has_a_reason() -> None:
    found = findings()
    assert len(found) > 50
    assert {f.verdict for f in found.values()} == {"tested", "refuted", "unread"}
    assert all(f.reason for f in found.values())


def test_what_is_refuted_is_refuted_with_an_input() -> None:
    known()
    refuted = {n: f for n, f in findings().items() if f.verdict == "refuted"}
    assert {n: f.reason for n, f in refuted.items() if REFUTED.get(n, "?") not in f.reason} == {}
    assert set(refuted) == set(REFUTED)
    assert all(f.input and f.expected != f.got for f in refuted.values())


def test_what_cannot_be_laid_out_is_unread() -> None:
    known()
    found = findings()
    assert {n: found[n].verdict for n in UNREAD} == dict.fromkeys(UNREAD, "unread")
    assert all(words in found[n].reason for n, words in UNREAD.items())


class _Changed(GemminiEntry):
    """An entry with other C."""

    c: str = ""

    @property
    def code(self) -> str:
        return self.c


@pytest.mark.parametrize("fault", FAULTS, ids=[f"{f.entry} {f.old}" for f in FAULTS])
def test_fault_is_refuted(fault: Fault) -> None:
    table = read_entries()
    right = next(e for e in table if e.name == fault.entry)
    assert fault.old in right.code
    wrong = _Changed(right.ir, right.text)
    wrong.c = right.code.replace(fault.old, fault.new, 1)
    (found,) = run_entries(table, [wrong])
    if (fault.entry, fault.old) in HARMLESS:
        assert found.verdict == "tested"
        return
    assert found.verdict == "refuted", found
    assert fault.reason in found.reason


def test_gemm_on_exos_gemmini_equals_numpy_on_the_model() -> None:
    machine = im.find_hardware("exo:gemmini")
    assert machine is im.find_hardware("exo-gemmini")
    gemm = im.find_kernel("gemm").with_dtypes({"A": im.i8, "B": im.i8, "C": im.i32})
    assert len(im.find_mappings(gemm, machine.instruction("matmul_acc_i8")).legal) == 2
    staged: Any = im.stage(gemm, machine)
    target = Gemmini()
    made = target.build(target.emit(staged))
    random = np.random.default_rng(8)
    for i, j, k in ((1, 1, 1), (16, 16, 16), (37, 29, 50), (5, 40, 17)):
        a, b = (random.integers(-128, 128, shape).astype(np.int8) for shape in ((i, k), (k, j)))
        np.testing.assert_array_equal(made(a, b), a.astype(np.int32) @ b.astype(np.int32))


def test_the_c_of_the_machine_is_exos_own() -> None:
    made = table_machine("exo", memory="gemmini")
    assert "not proved" in made.hardware.description
    (prelude,) = made.hardware.instruction("matmul_acc_i8").prelude
    for words in ("gemmini_extended_config_ex(WS, 0, 0, 1, 0, 0);", "~((uint32_t)0)", "| 0x20000000"):
        assert words in prelude
    assert {s.price for s in made.stated} == {"gemmini.mvin", "gemmini.clear", "gemmini.matmul", "gemmini.mvout"}
    with pytest.raises(im.IsamapError, match="leave only= and fixed= out"):
        im.machine_from_table("exo", memory="gemmini", only="ld")
