"""Generated C branches on nothing that nobody wrote, and gives none of it back: under clang's memory sanitizer, from a driver in C.

Python cannot stand around it, as it is not instrumented. The driver takes all memory from malloc, which the sanitizer knows to be
unwritten, writes the inputs, fills what a call of the runtime would fill, calls the kernel twice in new memory, and asks of each
result whether all of it was written.
"""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import isamap_kernels
import isamap_smt as im
from isamap_smt.codegen import print_c
from isamap_smt.codegen.c_printer import _text
from isamap_smt.codegen.checks import BEGIN
from isamap_smt.ir.expr import evaluate
from isamap_smt.ir.interpret import neutral
from isamap_smt.ir.program import Program
from isamap_smt.runtime.compiler import portable_flags
from isamap_smt.runtime.packing import used_instructions

DRIVER = """
#include <sanitizer/msan_interface.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int isamap_run(const void *const *, const int64_t *, void *const *, int64_t);
/* bytes; whether it is written before, with what, element by element; whether it is looked at in the end. */
static const struct { size_t bytes, width; int written, result; const unsigned char first[8]; } tensor[] = {@TENSORS@};
enum { COUNT = sizeof tensor / sizeof *tensor };
int main(void) {
    const int64_t sizes[] = {@SIZES@};
    for (int turn = 0; turn < 2; ++turn) {
        void *held[COUNT];
        for (int n = 0; n < COUNT; ++n) {
            held[n] = aligned_alloc(64, (tensor[n].bytes + 63) / 64 * 64);
            for (size_t b = 0; tensor[n].written && b < tensor[n].bytes; b += tensor[n].width)
                memcpy((char *)held[n] + b, tensor[n].first, tensor[n].width);
        }
        const int code = isamap_run((const void *const *)held, sizes, NULL, 1);
        if (code) return printf("refused: %d\\n", code), 2;
        for (int n = 0; n < COUNT; ++n) {
            if (tensor[n].result) __msan_check_mem_is_initialized(held[n], tensor[n].bytes);
            free(held[n]);
        }
    }
    puts("clean");
    return 0;
}
"""
NORMS = {
    "softmax": "temporary M, E, S\nM[i] max= X[i,j]\nE[i,j] = exp(X[i,j] - M[i])\nS[i] += E[i,j]\nY[i,j] = E[i,j] / S[i]",
    "causal scores": "temporary S, M\nS[q,k] += Q[q,d] * K[k,d] where k <= q\nM[q] max= S[q,k] where k <= q\n"
    "Y[q,k] = exp(S[q,k] - M[q]) where k <= q",
    "state": "temporary H\nH[0,j] = Z[j]\nfor t:\n  H[t+1,j] = tanh(H[t,j] + X[t,j])\nY[t,j] = H[t+1,j]",
    "later": "temporary A\nfor t:\n  A[t,j] = X[t,j] + 1\n  Y[t,j] = A[t+1,j] where t+1 < T",
    "from the end": "temporary A\nfor t:\n  A[t,j] = X[t,j] + 1\n  Y[t,j] = A[T-1-t,j]",
    "diagonal": "temporary H\naxis j < T\naxis m < T\nH[0,j] = H0[j]\nfor t:\n  H[t+1,t] = X[t]\nY[t,m] = H[t,m]",
}  # fmt: skip
LIBRARY = ("gemm", "gemm_nt", "matvec", "linear_relu", "two_layers", "gru", "lstm", "depthwise_conv2d")
VALUES = {"T": 5, "B": 3, "H": 9, "W": 9, "sp": 1, "sq": 1, "dp": 1, "dq": 1, "pp": 1, "pq": 1, "R": 3, "S": 3, "D": 6}


@pytest.fixture(scope="module")
def clang(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A clang with the memory sanitizer's runtime."""
    found = next((c for c in ("clang", "clang-14", "clang-16", "clang-19") if shutil.which(c)), None)
    if found is None:
        pytest.skip(
            "the memory sanitizer needs clang, which is not installed: apt-get install clang libclang-rt-14-dev"
        )
    empty = tmp_path_factory.mktemp("clang") / "empty.c"
    empty.write_text("int main(void) { return 0; }\n")
    command = [found, "-fsanitize=memory", str(empty), "-o", str(empty.with_suffix(""))]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip(f"{found} has no runtime of the memory sanitizer: apt-get install libclang-rt-14-dev")
    return found


def _kernel(name: str) -> im.Kernel:
    return im.kernel(NORMS[name], name="mine") if name in NORMS else isamap_kernels.load(name)


def _driver(program: Program) -> str:
    """The driver for a program at sizes that no tile divides."""
    kernel = program.kernel
    sizes = {n: VALUES.get(n, 13 + k) for k, n in enumerate(kernel.free_sizes)}
    rows = []
    for t in kernel.tensors:
        count = 1
        for e in t.shape:
            count *= int(evaluate(e, sizes))
        op = next((s.op for s in kernel.statements if s.target.tensor == t.name), None)
        first: Any = t.dtype.numpy.type(1 if op is None else neutral(op, t.dtype))
        written = op is None or t.name not in program.unfilled
        numbers = ", ".join(map(str, first.tobytes()))
        rows.append(
            f"{{{count * t.dtype.bytes}, {t.dtype.bytes}, {int(written)}, {int(t.name in kernel.results)}, {{{numbers}}}}}"
        )
    values = ", ".join(map(str, [*(sizes[n] for n in kernel.free_sizes), BEGIN]))
    return DRIVER.replace("@TENSORS@", ", ".join(rows)).replace("@SIZES@", values)


def _ran(clang: str, program: Program, c: str, folder: Path) -> subprocess.CompletedProcess[str]:
    kernel, driver, made = folder / "kernel.c", folder / "driver.c", folder / "driver"
    kernel.write_text(c)
    driver.write_text(_driver(program))
    features = {f for i in used_instructions(program) for f in i.requires}
    flags = [f for f in portable_flags(features) if f not in ("-shared", "-fPIC", "-lm") and not f.startswith("-O")]
    command = [
        clang,
        "-fsanitize=memory",
        "-O1",
        "-g",
        *flags,
        str(kernel),
        str(driver),
        "-o",
        str(made),
        "-lm",
        "-lpthread",
    ]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr[:3000]
    return subprocess.run([str(made)], capture_output=True, text=True, check=False)


@pytest.mark.one_in(28)
@pytest.mark.parametrize("machine", ["scalar", pytest.param("avx2", marks=pytest.mark.needs("avx2", "fma"))])
@pytest.mark.parametrize("name", [*NORMS, *LIBRARY])
def test_nothing_unwritten_is_used(name: str, machine: str, clang: str, tmp_path: Path) -> None:
    program = im.plan(_kernel(name), machine).program
    done = _ran(clang, program, print_c(im.require_proof(program)), tmp_path)
    assert done.stdout == "clean\n", done.stdout + done.stderr[:3000]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", ["later", "from the end", "diagonal"])
def test_the_sanitizer_sees_a_fill_too_few(name: str, clang: str, tmp_path: Path) -> None:
    program = im.plan(_kernel(name), "scalar").program
    tensor = program.kernel.temporaries[0]
    wrong = replace(program, assigned=(*program.assigned, tensor))
    done = _ran(clang, wrong, _text(wrong), tmp_path)
    assert "MemorySanitizer: use-of-uninitialized-value" in done.stderr, done.stdout
