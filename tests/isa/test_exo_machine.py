"""Exo's proved instructions as machines of isamap: which there are, why others are not, and GEMM on them, run."""

from __future__ import annotations

import itertools
import json
import re
from typing import Any

import numpy as np
import pytest

pytest.importorskip("exo.platforms", reason="exo-lang is not installed: pip install 'exo-lang>=1.0'")

import isamap_smt as im
from isamap_smt.cli.app import run
from isamap_smt.isa import exo_table, table_machine
from isamap_smt.isa.machine import ASSUMED, TableMachine
from isamap_smt.language.hardware_library import host_features
from isamap_smt.runtime.cache import build_library
from isamap_smt.runtime.compiled import build_program
from isamap_smt.runtime.simde import find_simde
from isamap_smt.targets import Target

OURS = {"AVX2": "avx2", "AVX512": "avx512", "Neon": "neon"}


def machine(memory: str) -> TableMachine:
    return table_machine("exo", memory=memory)


@pytest.mark.parametrize("memory", OURS)
def test_what_is_not_proved_is_no_instruction_and_what_is_none_has_a_reason(memory: str) -> None:
    found = machine(memory)
    assert {s.finding.verdict for s in found.stated} == {"proved"}
    assert all(s.reason for s in found.left)
    refuted = {s.finding.name for s in found.left if s.finding.verdict == "refuted"}
    assert refuted
    assert not refuted & {i.short for i in found.hardware.instructions}
    listed = [s.finding.name for s in found.entries]
    assert len(listed) == len(set(listed))


@pytest.mark.parametrize("memory", OURS)
def test_the_c_is_exos_own(memory: str) -> None:
    own = {e.name: e.code for e in exo_table.entries()}
    for i in machine(memory).hardware.instructions:
        ours = re.sub(r"\(\*(\{\w+\})\)", r"\1", i.emit)
        assert ours.split() == own[i.short].replace("_data}", "}").split()


@pytest.mark.parametrize("memory", OURS)
def test_figures_are_those_of_our_machine_for_the_same_intrinsic_or_said_to_be_assumed(memory: str) -> None:
    found = machine(memory)
    assert any(s.price == ASSUMED for s in found.stated)
    taken = [s for s in found.stated if s.price != ASSUMED]
    assert taken
    for s in taken:
        assert s.instruction is not None
        assert s.price.startswith(OURS[memory] + ".")
        assert s.instruction.cost == im.find_instruction(s.price).cost
    assert "assumed" in found.hardware.description


def test_rounding_is_found_bit_for_bit() -> None:
    neon = machine("Neon").hardware
    assert neon.instruction("neon_vfmadd_4xf32_4xf32").rounding == "unfused"  # vmla
    assert neon.instruction("neon_vfmadd_8xf16_8xf16").rounding == "fused"  # vfma
    assert machine("AVX2").hardware.instruction("mm256_fmadd_ps").rounding == "fused"


REASONS = {
    ("AVX2", "mm256_prefix_load_ps"): "refuted: dst[1] is another value",
    ("AVX2", "avx2_fmadd_memu_ps"): "what reads or writes 'memory' only copies",
    ("AVX2", "mm256_prefix_add_ps"): "only moves have that",
    ("AVX2", "avx2_set0_ps"): "its C also reads out",
    ("AVX2", "avx2_convert_f32_lower_to_f64"): "src has 8 cells, of which its text says 4",
    ("AVX512", "mm512_mask_fmadd_ps"): "refuted: C[1] is another value",
    ("Neon", "neon_vfmla_4xf32_4xf32"): "which cell is read depends on lane",
}


@pytest.mark.parametrize(("memory", "name"), REASONS)
def test_why_an_entry_is_no_instruction(memory: str, name: str) -> None:
    (found,) = (s for s in machine(memory).left if s.finding.name == name)
    assert REASONS[memory, name] in found.reason


def gemm_of(dtype: str) -> im.Kernel:
    return im.find_kernel("gemm").with_dtypes(dict.fromkeys("ABC", getattr(im, dtype)))


GEMMS = [
    ("AVX2", "f32", "mm256_fmadd_ps"),
    ("AVX2", "f64", "mm256_fmadd_pd"),
    ("AVX512", "f32", "mm512_fmadd_ps"),
    ("Neon", "f32", "neon_vfmadd_4xf32_4xf32"),
    ("Neon", "f64", "neon_vfmadd_2xf64_2xf64"),
    ("Neon", "f16", "neon_vfmadd_8xf16_8xf16"),
]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("memory", "dtype", "name"), GEMMS)
def test_gemm_is_mapped_planned_and_proved_at_open_sizes(memory: str, dtype: str, name: str) -> None:
    gemm = gemm_of(dtype)
    found = im.find_mappings(gemm, machine(memory).hardware.instruction(name))
    assert found.complete
    assert len(found.legal) == 3
    plan = im.plan(gemm, f"exo:{memory}")
    assert plan.instruction.short == name
    assert plan.schedule.status == "OPTIMAL"
    assert set(plan.program.kernel.free_sizes) == {"I", "J", "K"}
    assert plan.checked.proof.word == "proved"


def whole(random: np.random.Generator, dtype: str, *shape: int) -> np.ndarray:
    """Small whole numbers, whose sums are exact."""
    return random.integers(-8, 8, shape, endpoint=True).astype(dtype.replace("f", "float"))


def check(made: Any, dtype: str) -> None:
    random = np.random.default_rng(3)
    for i, j, k in itertools.product((1, 7, 37), (1, 16, 29), (1, 20)):
        a, b = whole(random, dtype, i, k), whole(random, dtype, k, j)
        np.testing.assert_array_equal(made(a, b), a @ b)


@pytest.mark.needs("avx2", "fma")
@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_gemm_on_exos_avx2_equals_numpy(dtype: str) -> None:
    check(im.compile(gemm_of(dtype), "exo:AVX2"), dtype)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("dtype", ["f32", "f64", "f16"])
def test_gemm_on_exos_neon_equals_numpy_emulated(arm: Target, dtype: str) -> None:
    check(arm.build(arm.emit(im.plan(gemm_of(dtype), "exo:Neon"))), dtype)


def test_gemm_on_exos_avx512_equals_numpy_or_is_compiled() -> None:
    planned = im.plan(gemm_of("f32"), "exo:AVX512")
    assert "_mm512_fmadd_ps(" in planned.source
    build_library(planned.source, ["avx512f"])
    if find_simde() is None and "avx512f" not in host_features():
        pytest.skip("compiled, not run: this CPU has no avx512f, and SIMDe (libsimde-dev) is not installed")
    check(build_program(planned.source, simde=True), "f32")


def test_a_number_that_is_fixed_makes_another_entry() -> None:
    assert "refuted" in next(s.reason for s in machine("AVX512").left if s.finding.name == "mm512_maskz_loadu_ps")
    found = table_machine("exo", memory="AVX512", fixed={"N": 16}, only="maskz_loadu")
    assert found.hardware.name == "exo-AVX512-N16"
    (load,) = found.hardware.instructions
    assert load.kind == "load"
    assert not load.active
    assert "((1 << 16) - 1)" in load.emit
    assert im.find_instruction(load.name) == load


def test_names() -> None:
    by_colon, by_name = im.find_hardware("exo:AVX2"), im.find_hardware("exo-AVX2")
    assert by_colon is by_name
    assert im.find_instruction("exo:AVX2.mm256_fmadd_ps") == im.find_instruction("exo-AVX2.mm256_fmadd_ps")
    with pytest.raises(im.IsamapError, match="no entry has registers 'AVX'; did you mean"):
        im.find_hardware("exo:AVX")
    with pytest.raises(im.IsamapError, match="say which: AVX2, AVX512, Neon"):
        im.machine_from_table("exo")
    with pytest.raises(im.IsamapError, match="no entry matches"):
        im.machine_from_table("exo", memory="AVX2", only="nothing")


@pytest.mark.needs("avx2", "fma")
def test_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", "gemm", "exo:AVX2", "--sizes", "i=37,j=29,k=50"]) == 0
    assert "gemm on exo-AVX2.mm256_fmadd_ps" in capsys.readouterr().out
    assert run(["map", "gemm", "exo:AVX512", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {n: m["legal"] for n, m in found.items() if m["legal"]} == {"exo-AVX512.mm512_fmadd_ps": 3}
