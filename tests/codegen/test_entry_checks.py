"""Each hypothesis of a proof is broken once, from C: the call returns its code, says its text, and writes nothing."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

import isamap_smt as im
from isamap_smt.cli.compile_kernel import c_header
from isamap_smt.codegen import print_c
from isamap_smt.codegen.checks import Check, Given, Present, entry_checks
from isamap_smt.ir.conditions import Condition
from isamap_smt.ir.errors import NotProvedError
from isamap_smt.ir.expr import Inside, element, sym
from isamap_smt.ir.hypotheses import (
    Apart,
    Finite,
    Fits,
    Hypothesis,
    Range,
    Relation,
    Shape,
    Start,
    Stated,
    Unchanged,
)
from isamap_smt.ir.program import ProvedProgram
from isamap_smt.ir.used import Used
from isamap_smt.proof import prove_program, require_proof
from isamap_smt.proof.program_assumptions import presupposed
from isamap_smt.runtime.compiler import find_compiler, portable_flags

MAIN = """
#include "kernel.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int wrong = 0;
/* One call: its code must be this one, and its text is printed. */
static void expect(int code, int got) {
    if (got != code) printf("wrong: expected %d, got %d (%s)\\n", code, got, k_text(got)), wrong = 1;
    else printf("%d %s\\n", got, k_text(got));
}
int main(void) {
@BODY@
    return wrong;
}
"""

CONV = "param q >= 0\nH = P + R - 1 - 2*q\nI: [H]\nO[p] += I[p + r - q] * W[r] where 0 <= p + r - q < H"
CONV_MORE = (Finite("W"), Relation.of("P % 2 == 0"), Start("O", 32))
CONV_MAIN = """
    _Alignas(64) static float I[16], W[4] = {1, 1, 1, 1}, O[16];
    static double storage[40];
    const void *tensors[3];
    const int64_t sizes[] = {8, 3, 1, 0};
    expect(0, k(I, W, O, 8, 3, 1, 1, 0));
    expect(k_NO_SIZES, k_run(tensors, NULL, NULL, 1));
    expect(k_SIZE_P, k(I, W, O, 0, 3, 1, 1, 0));
    expect(k_SIZE_P, k(I, W, O, INT64_MIN, 3, 1, 1, 0));
    expect(k_SIZE_R, k(I, W, O, 8, -1, 1, 1, 0));
    expect(k_SIZE_q, k(I, W, O, 8, 3, -1, 1, 0));
    expect(k_TOO_LARGE, k(I, W, O, INT64_MAX - 1, 3, 1, 1, 0));
    expect(k_TOO_LARGE, k(I, W, O, 8, 3, INT64_C(1) << 62, 1, 0));
    expect(k_SIZE_P_1, k(I, W, O, 7, 3, 1, 1, 0));
    expect(k_NEGATIVE_I, k(I, W, O, 2, 1, 5, 1, 0));
    expect(k_NO_TENSORS, k_run(NULL, sizes, NULL, 1));
    expect(k_NULL_I, k(NULL, W, O, 8, 3, 1, 1, 0));
    expect(k_NULL_W, k(I, NULL, O, 8, 3, 1, 1, 0));
    expect(k_NULL_O, k(I, W, NULL, 8, 3, 1, 1, 0));
    expect(k_UNALIGNED_I, k((const float *)((const char *)I + 1), W, O, 8, 3, 1, 1, 0));
    expect(k_UNALIGNED_W, k(I, (const float *)((const char *)storage + 2), O, 8, 3, 1, 1, 0));
    expect(k_UNALIGNED_O, k(I, W, (float *)((char *)storage + 3), 8, 3, 1, 1, 0));
    expect(k_START_O, k(I, W, O + 1, 8, 3, 1, 1, 0));
    expect(k_OVERLAP_O_I, k(O + 7, W, O, 8, 3, 1, 1, 0));
    expect(k_OVERLAP_O_I, k(O, W, O, 8, 3, 1, 1, 0));
    expect(0, k(O + 8, W, O, 8, 3, 1, 1, 0));
    expect(k_OVERLAP_O_W, k(I, O + 2, O, 8, 3, 1, 1, 0));
    memset(O, 0, sizeof O);
    const float bad[] = {INFINITY, -INFINITY, NAN};
    for (int b = 0; b < 3; ++b)
        for (int at = 0; at < 3; ++at) {
            W[at] = bad[b];
            expect(k_FINITE_W, k(I, W, O, 8, 3, 1, 1, 0));
            expect(0, k_check((const void *[]){O, I, W}, (const int64_t[]){8, 3, 1, k_TRUST_FINITE}, NULL, 1));
            W[at] = 1;
        }
    for (int n = 0; n < 16; ++n) if (O[n] != 0) wrong = 1;
    expect(0, k(I, W, O, 8, 3, 1, 1, k_TRUST_FINITE));
    W[3] = NAN; /* beyond the three that there are */
    expect(0, k(I, W, O, 8, 3, 1, 1, 0));
    expect(k_THREADS, k(I, W, O, 8, 3, 1, 0, 0));
    expect(k_THREADS, k(I, W, O, 8, 3, 1, INT64_MIN, 0));
"""

GEMM_MAIN = """
    static int32_t A[8], B[12], C[8], changed[12];
    const void *tensors[] = {C, A, B};
    const int64_t sizes[] = {2, 4, 3, 0}, others[] = {2, 3, 4, 0};
    const int64_t bytes = k_packed_bytes(sizes, 0);
    if (bytes < 48 || k_packed_bytes(sizes, 1) != -1) return 1;
    expect(k_SIZE_J, (int)-k_packed_bytes((const int64_t[]){2, 0, 3, 0}, 0));
    void *packed[] = {aligned_alloc(64, (size_t)(bytes + 63) / 64 * 64)};
    memset(packed[0], 0, (size_t)bytes);
    for (int n = 0; n < 12; ++n) B[n] = changed[n] = n % 3 - 1;
    expect(k_PACKED_0, k(A, NULL, C, 2, 4, 3, packed, 1, 0)); /* not filled yet */
    expect(k_NO_SIZES, k_pack(tensors, NULL, packed));
    expect(k_NO_TENSORS, k_pack(NULL, sizes, packed));
    expect(k_NO_PACKED, k_pack(tensors, sizes, NULL));
    expect(k_NO_PACKED_0, k_pack(tensors, sizes, (void *[]){NULL}));
    expect(k_NULL_B, k_pack((const void *[]){C, A, NULL}, sizes, packed));
    expect(k_UNALIGNED_B, k_pack((const void *[]){C, A, (const char *)B + 2}, sizes, packed));
    B[11] = -65;
    expect(k_RANGE_B, k_pack(tensors, sizes, packed));
    expect(0, k_pack(tensors, (const int64_t[]){2, 4, 3, k_TRUST_RANGES}, packed));
    B[11] = changed[11];
    expect(0, k_pack(tensors, sizes, packed));
    expect(0, k(A, NULL, C, 2, 4, 3, packed, 1, k_BEGIN));
    expect(0, k(A, B, C, 2, 4, 3, packed, 1, k_BEGIN));
    expect(0, k(A, NULL, C, 1, 4, 3, packed, 1, k_BEGIN)); /* packed for all I */
    expect(k_PACKED_0, k_run(tensors, others, packed, 1));
    for (int n = 0; n < 12; ++n)
        for (int bit = 0; bit < 32; ++bit) {
            changed[n] ^= (int32_t)(1u << bit);
            const int code = k(A, changed, C, 2, 4, 3, packed, 1, k_TRUST_RANGES);
            if (code != k_CHANGED_B) expect(k_CHANGED_B, code);
            changed[n] ^= (int32_t)(1u << bit);
        }
    changed[5] ^= 1;
    expect(k_CHANGED_B, k(A, changed, C, 2, 4, 3, packed, 1, 0));
    expect(0, k(A, changed, C, 2, 4, 3, packed, 1, k_TRUST_PACKED));
    changed[5] = 65;
    expect(k_RANGE_B, k(A, changed, C, 2, 4, 3, packed, 1, 0));
    expect(k_NO_PACKED, k(A, NULL, C, 2, 4, 3, NULL, 1, 0));
    expect(k_NO_PACKED_0, k(A, NULL, C, 2, 4, 3, (void *[]){NULL}, 1, 0));
    expect(k_NO_PACKED_0, k(A, NULL, C, 2, 4, 3, (void *[]){(char *)packed[0] + 8}, 1, 0));
    A[5] = 128;
    expect(k_RANGE_A, k(A, NULL, C, 2, 4, 3, packed, 1, 0));
    A[5] = -1;
    expect(k_RANGE_A, k(A, NULL, C, 2, 4, 3, packed, 1, 0));
    expect(0, k(A, NULL, C, 2, 4, 3, packed, 1, k_TRUST_RANGES));
    A[5] = 127;
    expect(0, k(A, NULL, C, 2, 4, 3, packed, 1, 0));
    expect(k_SIZE_I, k(A, B, C, 0, 4, 3, packed, 1, 0));
    expect(k_SIZE_J, k(A, B, C, 2, 0, 3, packed, 1, 0));
    expect(k_SIZE_K, k(A, B, C, 2, 4, 0, packed, 1, 0));
    expect(k_TOO_LARGE, k(A, B, C, INT64_C(1) << 40, INT64_C(1) << 40, 3, packed, 1, 0));
    expect(k_NULL_A, k(NULL, B, C, 2, 4, 3, packed, 1, 0));
    expect(k_NULL_C, k(A, B, NULL, 2, 4, 3, packed, 1, 0));
    expect(k_UNALIGNED_A, k((const int32_t *)((const char *)A + 1), B, C, 2, 4, 3, packed, 1, 0));
    expect(k_UNALIGNED_C, k(A, B, (int32_t *)((char *)C + 1), 2, 4, 3, packed, 1, 0));
    expect(k_OVERLAP_C_A, k(C, B, C, 2, 4, 3, packed, 1, 0));
    expect(k_OVERLAP_C_B, k(A, B, B, 2, 4, 3, packed, 1, 0));
    expect(k_THREADS, k(A, B, C, 2, 4, 3, packed, -5, 0));
    free(packed[0]);
"""


def conv() -> ProvedProgram:
    planned = im.plan(im.kernel(CONV, name="conv"), "scalar").program
    return require_proof(replace(planned, hypotheses=(*planned.hypotheses, *CONV_MORE)))


def packed_gemm() -> ProvedProgram:
    kernel = im.find_kernel("gemm").with_dtypes(dict.fromkeys("ABC", "i32"))
    return im.plan(kernel, "scalar", constant=["B"], assume=["0 <= A <= 127", "-64 <= B <= 64"]).checked


@pytest.mark.parametrize(("program", "body"), [(conv, CONV_MAIN), (packed_gemm, GEMM_MAIN)])
def test_each_hypothesis_is_broken_from_c(program: object, body: str, tmp_path: Path) -> None:
    made: ProvedProgram = program()  # type: ignore[operator]
    checks = entry_checks(made.program)
    (tmp_path / "kernel.c").write_text(print_c(made, prefix="k"))
    (tmp_path / "kernel.h").write_text(c_header(made.program, "k", portable_flags(())))
    (tmp_path / "main.c").write_text(MAIN.replace("@BODY@", body))
    said = run_c(tmp_path, "kernel.c", "main.c")
    codes = {int(line.split()[0]) for line in said.splitlines()}
    assert codes == {0, *(c.code for c in checks)}  # a check that no line above breaks is noticed
    texts = dict(line.split(maxsplit=1) for line in said.splitlines())
    assert all(texts[str(c.code)] == c.text for c in checks)


def run_c(directory: Path, *sources: str, flags: tuple[str, ...] = ()) -> str:
    """What the program of these files says; with the sanitizers where a compiler has them. flags: further ones."""
    sanitizing = next((c for c in ("gcc", "clang") if shutil.which(c)), None)
    checks = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"] if sanitizing else []
    strict = ["-Wall", "-Wextra", "-Werror", "-Wno-maybe-uninitialized"]  # what fresh calls begin, gcc cannot tell
    more = [*strict, *checks, *flags]
    command = [*find_compiler(sanitizing).command, *portable_flags(()), *more, "-o", "program", *sources]
    built = subprocess.run([*command, "-lm"], cwd=directory, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr[:3000]
    done = subprocess.run([str(directory / "program")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    return done.stdout


def test_codes_and_names_are_distinct() -> None:
    for program in (conv().program, packed_gemm().program):
        checks = entry_checks(program)
        assert len({c.code for c in checks}) == len({c.name for c in checks}) == len(checks)


def test_a_hypothesis_without_a_check_is_an_error() -> None:
    program = im.plan("gemm", "scalar").program
    unknown: tuple[Hypothesis, ...] = (
        Finite("D"), Apart("D"), Unchanged("D"), Start("D", 32), Range("D", 0, 3), Range("A", 0, float("inf")),
        Used(0, "A", 0, Inside(element("A", [sym("i")]), sym("I"))), Fits(sym("I")),
        Shape(replace(program.kernel.tensor("A"), shape=(sym("I"),))),
        Relation.of("L >= 1"), Relation(Condition(sym("I"), ">=", sp.Float(1.5))),
        Relation(Condition(sym("I"), ">=", sym("J") ** 2)),
    )  # fmt: skip
    for h in unknown:
        with pytest.raises(
            NotProvedError, match=r"the proof of gemm assumes that .*, and no check of the C tests that"
        ):
            print_c(require_proof(replace(program, hypotheses=(*program.hypotheses, h))))
    stated = replace(program, hypotheses=(*program.hypotheses, Stated("sums are rounded somehow")))
    assert entry_checks(stated) == entry_checks(program)


def test_words_are_no_hypothesis() -> None:
    """What only says something is neither proved under nor tested: a sentence alone, and one that reads like a relation."""
    program = im.plan("gemm", "scalar").program
    text: Any = "W is finite"
    failed = prove_program(replace(program, hypotheses=(*program.hypotheses, text))).failed()
    assert "the field hypotheses of a Program" in str(failed[0].verdict)
    few = im.plan(im.kernel("axis n < 4\nC: u16\nA: u16[N]\nC[n] = A[n]"), "scalar").program
    assert prove_program(few).proved
    words = tuple(Stated(str(h)) for h in few.hypotheses)
    assert words
    assert {c.claim for c in prove_program(replace(few, hypotheses=words)).failed()} == {"bounds"}


@pytest.mark.parametrize("name", ["gemm", "linear_int8"])
def test_what_a_proof_lists_is_what_is_checked(name: str) -> None:
    program = im.plan(name, "scalar").program
    proof = prove_program(program)
    assert set(proof.hypotheses) == set(presupposed(program))
    assert entry_checks(program, proof.hypotheses) == entry_checks(program)


def test_sizes_that_are_fixed_ask_nothing() -> None:
    program = im.plan("gemm", "scalar", sizes={"i": 2, "j": 3, "k": 4}).program
    assert not [c for c in entry_checks(program) if isinstance(c, Check) and c.code < 2000]


def test_tensors_and_sizes_named_like_arguments_and_codes() -> None:
    kernel = im.kernel("I[auto,p] += NULL[auto,k] * sizes[k,p] * tensors[k] * packed[p]")
    planned = im.plan(kernel, "scalar")
    asked = [c.asked for c in entry_checks(planned.program)]
    assert all(Given(n) in asked for n in ("sizes", "tensors"))
    assert all(Present(n) in asked for n in ("sizes", "tensors", "packed", "I", "NULL"))
    assert len({c.name for c in entry_checks(planned.program)}) == len(asked)
    a, b = np.ones((2, 3), np.float32), np.ones((3, 4), np.float32)
    run = im.build(planned)
    assert (run(a, b, np.ones(3, np.float32), np.ones(4, np.float32)) == 3).all()
