"""Exo's own tables: what is known to be wrong in them is refuted, the rest is proved, and faults put into their C are found."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

exo_platforms = pytest.importorskip("exo.platforms", reason="exo-lang is not installed: pip install 'exo-lang>=1.0'")

from isamap_smt.isa import exo_table  # noqa: E402
from isamap_smt.isa.check import check_entry  # noqa: E402
from isamap_smt.isa.entry import Entry, Finding  # noqa: E402
from isamap_smt.isa.meanings import table  # noqa: E402
from isamap_smt.isa.quick_import import imported  # noqa: E402

REFUTED = {
    "mm256_fmadd_ps_broadcast": "float is given for argument 3",
    "mm256_add_epi16": "out[0] is another value",
    "mm512_mask_add_ps": "undefined in C",
    "mm512_maskz_loadu_ps": "dst[1] is another value",
    "mm512_mask_fmadd_ps": "C[1] is another value",
    "mm512_mask_set1_ps": "dst[1] is another value",
    "avx2_mask_storeu_ps": "dst[0] is another value",
    "mm256_prefix_load_ps": "dst[1] is another value",
    "neon_vmul2_4xf32": "dst[0] is another value",
    "rvv_vld_4xf32": "a lane that RISC-V leaves open",
    "rvv_broadcast_4xf32": "a lane that RISC-V leaves open",
    "rvv_broadcast_4xf32_0": "a lane that RISC-V leaves open",
    "rvv_broadcast_4xf32_scalar": "no C: a pointer is given",
    "rvv_vfmacc_4xf32_4xf32": "a lane that RISC-V leaves open",
    "rvv_vfmacc_4xf32_1xf32": "no C: this ) closes nothing",
    "rvv_vfmacc_1xf32_4xf32": "no C: this ) closes nothing",
}


@dataclass(frozen=True)
class Fault:
    """A piece of the C of one entry, and what takes its place."""

    entry: str
    old: str
    new: str
    reason: str = "is another value"


FAULTS = (
    Fault("mm256_fmadd_ps", "{src2_data}, {dst_data}", "{dst_data}, {src2_data}"),
    Fault("mm256_fmadd_pd", "fmadd", "fnmadd"),
    Fault("mm256_mul_ps", "mul_ps", "add_ps"),
    Fault("mm256_sub_ps", "{x_data}, {y_data}", "{y_data}, {x_data}"),
    Fault("mm256_div_pd", "{x_data}, {y_data}", "{y_data}, {x_data}"),
    Fault("mm256_loadu_ps", "loadu", "load", "at a multiple of 32 bytes"),
    Fault("mm256_broadcast_ss", "broadcast_ss", "loadu_ps", "reads val[1]"),
    Fault("mm256_storeu_pd", "{src_data}", "_mm256_setzero_pd()"),
    Fault("mm256_setzero_pd", "_mm256_setzero_pd()", "{dst_data}"),
    Fault("mm512_mask_storeu_ps", "((1 << {N}) - 1)", "(1 << {N})", "writes dst[1]"),
    Fault("mm512_relu_ps", "{src_data}, (__m512){{0}}", "(__m512){{0}}, {src_data}"),
    Fault("avx2_fmadd_memu_ps", "(ones, dst,", "(dst, dst,"),
    Fault("avx2_select_ps", "_CMP_LT_OQ", "_CMP_LE_OQ"),
    Fault("avx2_select_pd", "_CMP_LT_OQ", "_CMP_NGE_UQ"),
    Fault("avx2_assoc_reduce_add_ps", "(tmp, 1)", "(tmp, 0)"),
    Fault("avx2_assoc_reduce_add_pd", "+=", "="),
    Fault("avx2_sign_ps", "-1.0f", "1.0f"),
    Fault("avx2_reduce_add_wide_pd", "{src_data}, {dst_data}", "{src_data}, {src_data}"),
    Fault("avx2_ui16_divide_by_3", "43691", "43690"),
    Fault("mm256_prefix_store_ps", "(prefix, indices)", "(indices, prefix)"),
    Fault("mm256_prefix_add_ps", "_mm256_set_epi32", "_mm256_setr_epi32"),
    Fault("avx2_convert_f32_upper_to_f64", "{src_data}, 1", "{src_data}, 0"),
    Fault("neon_vfmla_4xf32_4xf32", "{lane}", "0"),
    Fault("neon_vneg_2xf64", "vnegq", "vabsq"),
    Fault("neon_vst_8xf16", "{src_data}", "vmovq_n_f16(0.0f)"),
    Fault("neon_convert_f32_lower_to_f64", "low", "high"),
    Fault("neon_vadd_4xf32", "vaddq_f32", "vaddq_f64", "no C: float32x4_t is given"),
)


# intrinsics that give the same where they stand: one name for another, or one rounding for another over the reals
EQUIVALENT = {
    ("mm256_add_epi16", "_mm256_add_epi16"),  # this one mends it
    ("avx2_set0_ps", "_mm256_andnot_ps"),
    *((f"avx2_sign_{end}", f"_mm256_div_{end}") for end in ("ps", "pd")),
    *(
        (f"mm256_prefix_{name}", "_mm256_cvtepi32_ps")
        for name in ("add_ps", "mul_ps", "sub_ps", "div_ps", "broadcast_ss")
    ),
    *(
        (f"neon_zero_{shape}", f"vdupq_n_{end}")
        for shape, end in (("4xf32", "f32"), ("8xf16", "f16"), ("2xf64", "f64"))
    ),
    ("neon_vfmadd_4xf32_4xf32", "vfmaq_f32"),
    ("neon_vfmadd_ex_4xf32_4xf32", "vfmaq_f32"),
    ("neon_vfmadd_4xf32_1xf32", "vfmaq_n_f32"),
    ("neon_vfmadd_1xf32_4xf32", "vfmaq_n_f32"),
    ("neon_vfmadd_2xf64_2xf64", "vfmaq_f64"),
}


class _Changed:
    """An Exo procedure with other C."""

    def __init__(self, procedure: Any, c: str) -> None:
        ir = procedure._loopir_proc
        self._loopir_proc = ir.update(instr=ir.instr.update(c_instr=c))


@cache
def _procedures() -> dict[str, tuple[Any, tuple[str, ...]]]:
    found = {}
    for name in exo_table.TABLES:
        for what in vars(imported(f"exo.platforms.{name}")).values():
            if type(what).__name__ == "Procedure" and what.is_instr():
                found[what.name()] = (what, exo_table.HEADERS[name])
    return found


@cache
def _findings() -> dict[str, Finding]:
    return {e.name: check_entry(e) for e in exo_table.entries()}


def test_every_entry_is_read_and_decided() -> None:
    found = _findings()
    assert len(found) >= 100
    assert {name: f.verdict for name, f in found.items() if f.verdict not in ("proved", "refuted")} == {}


def test_what_is_wrong_in_exo_is_refuted_and_nothing_else() -> None:
    refuted = {name: f.reason for name, f in _findings().items() if f.verdict == "refuted"}
    if exo_table.installed() != "1.0.0":
        pytest.skip(
            f"the list is that of Exo 1.0.0, and {exo_table.installed()} is installed; it has {sorted(refuted)}"
        )
    assert set(refuted) == set(REFUTED)
    assert all(words in refuted[name] for name, words in REFUTED.items())


@pytest.mark.parametrize("fault", FAULTS, ids=[f.entry for f in FAULTS])
def test_fault_is_refuted(fault: Fault) -> None:
    procedure, headers = _procedures()[fault.entry]
    c = procedure._loopir_proc.instr.c_instr
    assert fault.old in c
    entry: Entry = exo_table.entry(_Changed(procedure, c.replace(fault.old, fault.new)), headers)
    found = check_entry(entry)
    assert found.verdict == "refuted", found
    assert fault.reason in found.reason


def _replaced() -> Iterator[tuple[str, str, Entry]]:
    """Each intrinsic of each entry replaced by every other one of the same types."""
    alike: dict[tuple[str, tuple[str, ...]], list[str]] = defaultdict(list)
    for m in table().values():
        alike[m.result, m.params].append(m.name)
    for name, (procedure, headers) in _procedures().items():
        c = procedure._loopir_proc.instr.c_instr
        for word in dict.fromkeys(re.findall(r"\b(?:_mm|v)\w+(?=\s*\()", c)):
            m = table().get(word)
            if m is not None and not m.immediates:
                for other in alike[m.result, m.params]:
                    if other != word:
                        yield (
                            name,
                            other,
                            exo_table.entry(_Changed(procedure, re.sub(rf"\b{word}\b", other, c)), headers),
                        )


@pytest.mark.exhaustive
def test_replaced_intrinsics_are_refuted() -> None:
    found = {(name, other): check_entry(e).verdict for name, other, e in _replaced()}
    assert len(found) > 900
    assert {k for k, verdict in found.items() if verdict != "refuted"} == EQUIVALENT
