"""A C file with contracts as a machine of isamap: its functions are instructions, and GEMM is mapped onto them and run."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.cli.app import run
from isamap_smt.isa import machine_from_table, table_machine
from isamap_smt.isa.machine import Stated
from isamap_smt.targets import Target

MOVES = """
static inline __m256i first(int n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
/* isamap: r[l] = m[l]  for l < 8; r, m: f32 */
static inline __m256 take(const float *m) { return _mm256_loadu_ps(m); }
/* isamap: r[l] = m[l] where l < n  for l < 8; r, m: f32; 0 <= n <= 8; beyond: zero */
static inline __m256 take_first(const float *m, int n) { return _mm256_maskload_ps(m, first(n)); }
/* isamap: r[l] = m[]  for l < 8; r, m: f32 */
static inline __m256 everywhere(float m) { return _mm256_set1_ps(m); }
/* isamap: r[l] = 0  for l < 8; r: f32 */
static inline __m256 nothing(void) { return _mm256_setzero_ps(); }
/* isamap: m[l] = r[l]  for l < 8; r, m: f32 */
static inline void put(float *m, __m256 r) { _mm256_storeu_ps(m, r); }
/* isamap: m[l] = r[l] where l < n  for l < 8; r, m: f32; 0 <= n <= 8 */
static inline void put_first(float *m, __m256 r, int n) { _mm256_maskstore_ps(m, first(n), r); }
"""
FUSED = """
/* isamap: c[l] += a[l] * b[l]  for l < 8; a, b, c: f32 */
static inline __m256 multiply_add(__m256 a, __m256 b, __m256 c) { return _mm256_fmadd_ps(a, b, c); }
"""
UNFUSED = FUSED.replace("_mm256_fmadd_ps(a, b, c)", "_mm256_add_ps(_mm256_mul_ps(a, b), c)")
WRONG = FUSED.replace("multiply_add", "wrong").replace("fmadd", "fmsub")
ARM = """
/* isamap: r[l] = m[l]  for l < 4; r, m: f32 */
static inline float32x4_t take(const float *m) { return vld1q_f32(m); }
/* isamap: r[l] = m[]  for l < 4; r, m: f32 */
static inline float32x4_t everywhere(const float *m) { return vdupq_n_f32(*m); }
/* isamap: r[l] = 0  for l < 4; r: f32 */
static inline float32x4_t nothing(void) { return vdupq_n_f32(0.0f); }
/* isamap: m[l] = r[l]  for l < 4; r, m: f32 */
static inline void put(float *m, float32x4_t r) { vst1q_f32(m, r); }
/* isamap: c[l] += a[l] * b[l]  for l < 4; a, b, c: f32 */
static inline float32x4_t multiply_add(float32x4_t a, float32x4_t b, float32x4_t c) { return vfmaq_f32(c, a, b); }
"""


def table(folder: Path, text: str, include: str = "immintrin.h") -> str:
    file = folder / "mine.h"
    file.write_text(f"#include <{include}>\n{text}")
    return str(file)


def entry(name: str, where: str, **more: str) -> Stated:
    return next(s for s in table_machine(where, **more).entries if s.finding.name == name)


def equal_to_numpy(gemm: object) -> None:
    random = np.random.default_rng(5)
    for i, j, k in itertools.product((1, 5, 37), (1, 8, 29), (1, 19)):
        a, b = (random.integers(-8, 8, shape).astype(np.float32) for shape in ((i, k), (k, j)))
        np.testing.assert_array_equal(gemm(a, b), a @ b)  # type: ignore[operator]


@pytest.mark.one_in(2)
@pytest.mark.needs("avx2", "fma")
@pytest.mark.parametrize("compute", [FUSED, UNFUSED])
def test_gemm_is_mapped_planned_proved_and_run(compute: str, tmp_path: Path) -> None:
    where = table(tmp_path, MOVES + compute + WRONG)
    gemm = im.find_kernel("gemm")
    found = im.find_mappings(gemm, im.find_instruction(f"{where}:multiply_add"))
    assert found.complete
    assert len(found.legal) == 3
    plan = im.plan(gemm, where)
    assert plan.schedule.status == "OPTIMAL"
    assert plan.checked.proof.word == "proved"
    assert set(plan.program.kernel.free_sizes) == {"I", "J", "K"}
    assert "multiply_add(" in plan.source
    equal_to_numpy(im.build(plan))


def test_gemm_on_a_table_for_another_cpu(arm: Target, tmp_path: Path) -> None:
    plan = im.plan(im.find_kernel("gemm"), table(tmp_path, ARM, "arm_neon.h"))
    assert plan.instruction.name == "mine.multiply_add"
    equal_to_numpy(arm.build(arm.emit(plan)))


@pytest.mark.needs("avx2", "fma")
def test_instructions_do_what_they_are_said_to_do(tmp_path: Path) -> None:
    assert run(["check-hardware", table(tmp_path, MOVES + FUSED)]) == 0


def test_rounding_is_what_the_c_does(tmp_path: Path) -> None:
    assert machine_from_table(table(tmp_path, FUSED)).instruction("multiply_add").rounding == "fused"
    assert machine_from_table(table(tmp_path, UNFUSED)).instruction("multiply_add").rounding == "unfused"


def test_masked_moves(tmp_path: Path) -> None:
    made = machine_from_table(table(tmp_path, MOVES))
    take, put = made.instruction("take_first"), made.instruction("put_first")
    assert (take.kind, take.active, take.beyond) == ("load", (("l", "n"),), "zero")
    assert (put.kind, put.active, put.beyond) == ("store", (("l", "n"),), "kept")


LEFT = {
    "refuted": (MOVES + WRONG, "wrong", "refuted: returned[0] is another value"),
    "beyond": (MOVES.replace("; beyond: zero", ""), "take_first", "refuted: r[0] is another value"),
    "not zero": (
        MOVES.replace("_mm256_maskload_ps(m, first(n))", "_mm256_set1_ps(0.0f)"),
        "take_first",
        "refuted: r[0] is another value",
    ),
    "numbers": (MOVES.replace("0 <= n <= 8; beyond", "1 <= n <= 8; beyond"), "take_first", "every value from 0 to 8"),
    "memory": (
        MOVES + "/* isamap: m[l] += r[l]  for l < 8; r, m: f32 */\n"
        "static inline void add(float *m, __m256 r) { _mm256_storeu_ps(m, _mm256_add_ps(_mm256_loadu_ps(m), r)); }",
        "add",
        "what reads or writes 'memory' only copies",
    ),
    "half": (
        MOVES + "/* isamap: r[l] = f64(a[l])  for l < 4; r: f64; a: f32[8] */\n"
        "static inline __m256d low(__m256 a) { return _mm256_cvtps_pd(_mm256_castps256_ps128(a)); }",
        "low",
        "a has a shape of its own",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", LEFT)
def test_why_a_function_is_no_instruction(case: str, tmp_path: Path) -> None:
    text, name, reason = LEFT[case]
    found = entry(name, table(tmp_path, text))
    assert found.instruction is None
    assert found.reason
    assert reason in found.reason


def test_no_machine(tmp_path: Path) -> None:
    with pytest.raises(im.IsamapError, match="none of its 1 entries with registers ymm became an instruction: wrong"):
        machine_from_table(table(tmp_path, WRONG))
    with pytest.raises(im.IsamapError, match="no entry has registers 'zmm'"):
        machine_from_table(table(tmp_path, MOVES), memory="zmm")
    wide = FUSED.replace("256", "512").replace("multiply_add", "wide").replace("l < 8", "l < 16")
    with pytest.raises(im.IsamapError, match="several kinds of registers; say which: ymm, zmm"):
        machine_from_table(table(tmp_path, MOVES + wide))
    assert [i.short for i in machine_from_table(table(tmp_path, MOVES + wide), memory="zmm").instructions] == ["wide"]


def test_registers_of_another_width_stand_before_the_same_caches(tmp_path: Path) -> None:
    made = machine_from_table(
        table(
            tmp_path,
            FUSED.replace("256", "").replace("__m(", "__m128(").replace("__m ", "__m128 ").replace("l < 8", "l < 4"),
        )
    )
    assert (made.memories[0].name, made.memories[0].count, made.memories[0].capacity) == ("xmm", 16, 256)
    assert {k.source for k in made.links} == {m.name for m in made.memories}


def test_a_file_that_changes_is_read_again(tmp_path: Path) -> None:
    assert len(machine_from_table(table(tmp_path, MOVES)).instructions) == 6
    assert len(machine_from_table(table(tmp_path, MOVES + FUSED)).instructions) == 7


def test_the_command_lists_what_became_of_each_entry(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check-isa", table(tmp_path, MOVES + FUSED + WRONG), "--machine", "ymm", "--json"]) == 0
    by_name = {e["name"]: e for e in json.loads(capsys.readouterr().out)["entries"]}
    assert by_name["multiply_add"]["instruction"] == "mine.multiply_add"
    assert by_name["multiply_add"]["price"] == "avx2.fmadd_ps"
    assert by_name["put_first"]["price"] == "assumed"
    assert by_name["wrong"]["instruction"] is None
    assert run(["check-isa", table(tmp_path, MOVES + FUSED + WRONG), "--machine", "ymm"]) == 0
    shown = capsys.readouterr().out
    assert "No instructions" in shown
    assert "7 of the 8 entries of mine.h" in shown


def test_a_command_takes_all_that_compute(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["map", "gemm", table(tmp_path, MOVES + FUSED + UNFUSED.replace("multiply_add", "two")), "--json"]) == 0
    assert {n: f["legal"] for n, f in json.loads(capsys.readouterr().out).items()} == {
        "mine.multiply_add": 3,
        "mine.two": 3,
    }
