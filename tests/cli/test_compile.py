"""isamap compile: a directory with C, header, library, proofs and report, whole or not at all."""

from __future__ import annotations

import ctypes
import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from isamap_smt.certificates.directory import OutputError, whole_directory, write_whole
from isamap_smt.certificates.sealed import seal
from isamap_smt.cli.app import run
from isamap_smt.codegen.c_interface import check_prefix, prefix_of
from isamap_smt.language.hardware_library import host_features
from isamap_smt.runtime.compiler import find_compiler, portable_flags

FILES = {"kernel.c", "kernel.h", "kernel.so", "proofs.json", "report.html"}
# The header twice, then the code itself: a declaration that differs from its definition is an error.
PROGRAM = """
#include "kernel.h"
#include "kernel.h"
#include "kernel.c"
int call(const float *A, const float *B, float *C) { return gemm(A, B, C, 1, gemm_BEGIN); }
int again(const void *const *tensors, int64_t *sizes) { return gemm_run(tensors, sizes, 0, 1); }
"""


@pytest.fixture
def compiled(in_empty_directory: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A small matrix product, compiled for any machine."""
    assert run(["compile", "gemm", "scalar", "--sizes", "i=2,j=2,k=3", "-o", "out", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found["files"]) == FILES
    assert found["verdict"] == "proved"
    return in_empty_directory / "out"


def test_everything_is_there(compiled: Path) -> None:
    assert {p.name for p in compiled.iterdir()} == FILES
    assert [p.name for p in compiled.parent.iterdir()] == ["out"]


def test_the_library_computes(compiled: Path) -> None:
    a, b = np.arange(6, dtype=np.float32).reshape(2, 3), np.ones((3, 2), np.float32)
    c = np.zeros((2, 2), np.float32)
    library = ctypes.CDLL(str(compiled / "kernel.so"))
    tensors = (ctypes.c_void_p * 3)(c.ctypes.data, a.ctypes.data, b.ctypes.data)
    assert library.gemm_run(tensors, None, None, ctypes.c_int64(1)) == 0
    assert np.array_equal(c, a @ b)
    for begin, want in ((1, a @ b), (0, 2 * (a @ b))):
        assert library.gemm_run(tensors, (ctypes.c_int64 * 1)(begin), None, ctypes.c_int64(1)) == 0
        assert np.array_equal(c, want)


def test_the_header_declares_what_the_code_defines(compiled: Path) -> None:
    (compiled / "main.c").write_text(PROGRAM)
    command = [*find_compiler().command, "-Wall", "-Wextra", "-Werror", "-std=c11", "-c", "main.c"]
    subprocess.run(command, cwd=compiled, check=True)
    header = (compiled / "kernel.h").read_text()
    assert "float C[2][2]  (f32, output, added to, or begun at 0)" in header
    assert "BEGIN = 1, /* begin C at 0; else go on from what is there */" in header
    assert "int gemm(const float *A, const float *B, float *C, int64_t threads, int64_t how);" in header
    assert "gemm_OVERLAP_C_A = 2007, /* C and A overlap in memory, and C is written; pass a copy of A */" in header
    assert "-ffp-contract=off" in header


@pytest.mark.parametrize(("machine", "asked"), [("avx2", True), ("scalar", False)])
def test_fused_functions_ask_for_what_the_machine_has(tmp_path: Path, machine: str, asked: bool) -> None:
    text = "m[i] max= x[i,n]\ny[i,n] = exp(x[i,n] - m[i])"
    words = [
        "compile",
        machine,
        "--text",
        text,
        "--dtypes",
        "x=f32",
        "--sizes",
        "i=4,n=20",
        "-o",
        str(tmp_path / "out"),
    ]
    assert run(words) == 0
    assert ("-mfma" in (tmp_path / "out/kernel.h").read_text()) == asked


def test_the_proofs_are_listed(compiled: Path) -> None:
    found = json.loads((compiled / "proofs.json").read_text())
    assert found["mapping"]["verdict"] == found["program"]["verdict"] == "proved"
    assert {"coverage", "bounds"} <= {c["claim"] for c in found["program"]["claims"]}
    assert found["sizes"] == {"i": 2, "j": 2, "k": 3}
    assert "z3-solver" in found["versions"]


def test_a_result_is_replaced(compiled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (compiled / "kernel.c").read_text()
    assert run(["compile", "gemm", "scalar", "--sizes", "i=3,j=2,k=3", "-o", "out"]) == 0
    assert {p.name for p in compiled.iterdir()} == FILES and (compiled / "kernel.c").read_text() != before
    assert [p.name for p in compiled.parent.iterdir()] == ["out"]


def test_for_a_machine_that_is_not_this_one(in_empty_directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if "avx512_vnni" in host_features():
        pytest.skip("this CPU has avx512_vnni")
    words = ["compile", "gemm", "avx512_vnni", "--dtypes", "A=u8,B=i8,C=i32", "--sizes", "i=4,j=16,k=8", "-o", "out"]
    assert run(words) == 0
    assert "_mm512" in Path("out/kernel.c").read_text()
    assert "this CPU has no avx512_vnni" not in capsys.readouterr().err


def test_a_failure_leaves_the_old_result(tmp_path: Path) -> None:
    place = tmp_path / "out"
    with whole_directory(place) as scratch:
        (scratch / "code").write_text("1")
        seal(scratch, {})
    with pytest.raises(RuntimeError), whole_directory(place) as scratch:
        (scratch / "code").write_text("2")
        raise RuntimeError
    assert (place / "code").read_text() == "1"
    assert list(tmp_path.iterdir()) == [place]


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot write"), whole_directory(tmp_path / "file" / "out"):
        pass
    with pytest.raises(OutputError, match="cannot write"):
        write_whole(tmp_path / "file" / "page.html", "text")
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


TWO = """
#include <complex.h>
#include <stdio.h>
#include "one/kernel.h"
#include "two/kernel.h"
int main(void) {
    static const float A[6] = {1, 2, 3, 4, 5, 6}, B[6] = {1, 0, 0, 1, 1, 1};
    static float C[4], Y[4];
    if (one(A, B, C, 2, 2, 3, 2, one_BEGIN)) return 1;
    const int code = kernel(A, Y, 2, 2, 2, 0);
    if (code) return puts(kernel_text(code)), 2;
    if (kernel(Y, Y, 2, 2, 2, 0) != kernel_OVERLAP_Y_X || one(A, B, C, 0, 2, 3, 2, 0) != one_SIZE_I) return 3;
    for (int n = 0; n < 4; ++n) printf("%g %g ", (double)C[n], (double)Y[n]);
    return 0;
}
"""


def test_two_kernels_link_into_one_program(in_empty_directory: Path) -> None:
    text = "Y[i,j] = X[i,j] * X[i,j]"
    assert run(["compile", "gemm", "scalar", "--prefix", "one", "--threads", "2", "-o", "one"]) == 0
    assert run(["compile", "--text", text, "scalar", "--threads", "2", "-o", "two"]) == 0
    Path("main.c").write_text(TWO)
    sources = ["main.c", "one/kernel.c", "two/kernel.c"]
    command = [
        *find_compiler().command,
        *portable_flags(()),
        "-Wall",
        "-Wextra",
        "-Werror",
        "-Wno-unused-function",
        *sources,
        "-o",
        "program",
    ]
    subprocess.run(command, check=True)
    said = subprocess.run(["./program"], check=True, capture_output=True, text=True).stdout
    assert said == "4 1 5 4 10 9 11 16 "
    names = subprocess.run(["nm", "-D", "--defined-only", "one/kernel.so"], capture_output=True, text=True, check=False)
    if names.returncode == 0:  # where there is nm
        own = {line.split()[-1] for line in names.stdout.splitlines()} - {"_init", "_fini"}
        assert own == {"one", "one_run", "one_check", "one_pack", "one_packed_bytes", "one_text"}


@pytest.mark.parametrize(
    ("prefix", "said"),
    [
        ("a-b", "it is a letter and then letters, digits and _"),
        ("free", "prefix 'free' is a word of C or C++, or a function of their libraries; try free_kernel"),
        ("class", "is a word of C or C++"),
        ("isamap", "begins as the names inside of the generated C do; try my_kernel"),
        ("im_part", "begins as the names inside of the generated C do; try part_kernel"),
    ],
)
def test_a_prefix_that_means_something_else(
    prefix: str, said: str, in_empty_directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["compile", "gemm", "scalar", "--prefix", prefix, "-o", "out"]) == 3
    assert said in capsys.readouterr().err
    assert not Path("out").exists()


def test_the_default_prefix_can_be_exported() -> None:
    assert [prefix_of(n) for n in ("gemm", "exp", "2d", "a b", "im_x")] == [
        "gemm", "kernel_exp", "kernel_2d", "a_b", "kernel_im_x",
    ]  # fmt: skip
    for name in ("gemm", "exp", "2d", "a b", "im_x", "isamap", "_", "int", "I"):
        assert check_prefix(prefix_of(name)) == prefix_of(name)


def test_for_another_architecture(in_empty_directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["compile", "gemm", "scalar", "--sizes", "i=4,j=4,k=4", "--target", "aarch64-linux-musl"]
    assert run([*words, "-o", "out"]) == 0
    head = Path("out/kernel.so").read_bytes()[:20]
    assert head[:4] == b"\x7fELF" and int.from_bytes(head[18:20], "little") == 183  # EM_AARCH64
    capsys.readouterr()
    words[2] = "avx2"
    assert run([*words, "-o", "no"]) == 3
    said = capsys.readouterr().err
    assert (
        "the instructions chosen need avx2, fma, which exist on x86_64 alone; compile for the hardware `scalar`" in said
    )
    assert not Path("no").exists()


def test_a_target_needs_zig(in_empty_directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    words = ["compile", "gemm", "scalar", "--sizes", "i=4,j=4,k=4", "--cc", "gcc", "-o", "out", "--target"]
    assert run([*words, "aarch64-linux-musl"]) == 3
    assert "--target needs the compiler of the ziglang wheel, not" in capsys.readouterr().err
    assert run([*words, "arm"]) == 3
    assert "--target 'arm': it is ARCHITECTURE-SYSTEM-LIBRARY, such as aarch64-linux-musl" in capsys.readouterr().err


def test_functions_of_one_value_in_portable_c(in_empty_directory: Path) -> None:
    """Their C holds names that isamap keeps to itself."""
    words = ["compile", "scalar", "--text", "y[i] = sigmoid(x[i])", "--sizes", "i=100", "-o", "out"]
    assert run(words) == 0
    assert "isamap_sigmoidf" in Path("out/kernel.c").read_text()
