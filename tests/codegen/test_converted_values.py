"""Conversions inside larger values: a clamp that is left out, because bounds say so, was not needed; and whole kernels."""

from __future__ import annotations

import math
import random
import re
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.dtypes import dtype
from isamap_smt.ir.typed import typed_value
from isamap_smt.mapping.point_c import Span, c_update, c_value, prelude, span
from isamap_smt.runtime.compiler import find_compiler
from tests import conversions as oracle
from tests.codegen.test_conversions import AVX2, TRAPS, compiled

INTEGERS = [n for n in oracle.NUMBERS if not oracle.floating(n)]
FLOATS = [n for n in oracle.NUMBERS if oracle.floating(n)]
COUNT = 150
LITERALS = (
    "0.0",
    "1.0",
    "-1.0",
    "127.0",
    "-128.0",
    "127.5",
    "-128.9",
    "255.0",
    "65535.0",
    "2147483647.0",
    "1e30",
    "0.5",
)


def value(rng: random.Random, kind: str, depth: int, read: str) -> str:
    """A value of that type over A, of type `read`."""
    if depth == 0:
        return "A[i]" if kind == read else f"{kind}(A[i])"
    less = depth - 1
    inner = rng.choice((*FLOATS, *INTEGERS))
    forms = [f"{kind}({value(rng, inner, less, read)})"] * 3
    same = value(rng, kind, less, read)
    literal = rng.choice(LITERALS) if kind in FLOATS else str(rng.choice((0, 1, 2, 100)))
    forms += [
        f"max({same}, {literal})",
        f"min({same}, {literal})",
        f"relu({same})",
        f"({same} * {literal})",
        f"({same} + {literal})",
    ]
    forms += [f"max(min({same}, {literal}), {rng.choice(LITERALS) if kind in FLOATS else '0'})", f"(-{same})"]
    forms.append(f"select({same} < {literal}, {literal}, {same})")
    if kind in INTEGERS:
        if dtype(kind).bits <= 32:
            forms.append(f"round_{kind}({value(rng, rng.choice(FLOATS), less, read)})")
        forms.append(f"sat_{kind}({value(rng, rng.choice(INTEGERS), less, read)})")
    elif kind != "f64":
        forms += [f"tanh({same})", f"sigmoid({same})"]
    return rng.choice(forms)


def made(rng: random.Random) -> im.Kernel:
    read, out = rng.choice(oracle.NUMBERS), rng.choice(oracle.NUMBERS)
    text = f"{out}({value(rng, rng.choice(FLOATS), rng.choice((1, 2, 3)), read)})"
    return im.kernel(f"y[i] = {text}", dtypes={"y": out, "A": read})


CALL = """
import ctypes, sys
import numpy as np
library = ctypes.CDLL(sys.argv[1])
found = {}
with np.load(sys.argv[2]) as held:
    for name in held.files:
        x, y = held[name], np.zeros(held[name].size, np.uint64)
        getattr(library, name)(ctypes.c_int64(x.size), ctypes.c_void_p(x.ctypes.data), ctypes.c_void_p(y.ctypes.data))
        found[name] = y
np.savez(sys.argv[3], **found)
"""


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("cc", "options"), [("gcc", ["-O1", *TRAPS["gcc"]]), ("zig", ["-O3"])])
def test_random_values_in_c_are_what_the_interpreter_says(tmp_path: Path, cc: str, options: list[str]) -> None:
    rng = random.Random("converted values")
    kernels = [made(rng) for _ in range(COUNT)]
    loops, arrays, plain = [], {}, 0
    for n, k in enumerate(kernels):
        read, out = k.tensor("A").dtype, k.tensor("y").dtype
        update = c_update("=", typed_value(k, k.statements[0]), {"A": ("A[i]", read)}, "y[i]", out)
        plain += "isamap_number_" in update or "(int32_t)((" in update
        loops.append(
            f"void run_{n}(int64_t n, const {read.c} *A, {out.c} *y) {{ for (int64_t i = 0; i < n; i++) {update} }}"
        )
        bits = oracle.some(read.name, "f32", 40)
        arrays[f"run_{n}"] = np.array(bits, f"u{read.bytes}")
    assert plain > 10, "some conversions need no clamp"
    code = "\n".join(loops)
    text = "\n".join(["#include <stdint.h>", "#include <string.h>", *prelude(code), code, ""])
    library = compiled(tmp_path, text, cc, options, ())
    np.savez(tmp_path / "in.npz", **arrays)
    command = [sys.executable, "-c", CALL, str(library), str(tmp_path / "in.npz"), str(tmp_path / "out.npz")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"a trap: {done.returncode} {done.stderr[-2000:]}"
    with np.load(tmp_path / "out.npz") as found:
        for n, k in enumerate(kernels):
            read, out = k.tensor("A").dtype, k.tensor("y").dtype
            want = im.run_kernel(k, {"A": arrays[f"run_{n}"].view(read.numpy)})["y"]
            got = found[f"run_{n}"].view(out.numpy)[: want.size]
            word = f"u{out.bytes}"
            with np.errstate(all="ignore"):
                nan = np.isnan(want.astype(np.float64)) & np.isnan(got.astype(np.float64))
            same = (want.view(word) == got.view(word)) | nan | ((want == 0) & (got == 0))  # max leaves open which zero
            assert same.all(), (k.statements[0].source, want[~same][:3], got[~same][:3])


def printed(text: str, out: str, **kinds: str) -> str:
    k = im.kernel(f"y[i] = {text}", dtypes={"y": out, **kinds})
    names = {n: (n, dtype(d)) for n, d in kinds.items()}
    return c_value(typed_value(k, k.statements[0]), names, dtype(out))[0]


def test_a_clamp_is_printed_where_it_is_needed() -> None:
    assert printed("i16(f32(A[i]))", "i16", A="u8") == "((int16_t)(int32_t)(((float)(A))))"
    assert "isamap_f32_to_i8(" in printed("i8(f32(A[i]))", "i8", A="i16")
    assert "isamap_number_f32(" in printed("i8(max(min(A[i], 127.0), -128.0))", "i8", A="f32"), "which may be NaN"
    assert "isamap_" not in printed("i8(max(min(f32(A[i]), 127.0), -128.0))", "i8", A="i32"), "which is a number"
    assert "isamap_f32_to_i8(" in printed("i8(max(min(f32(A[i]), 128.0), -128.0))", "i8", A="i32")
    assert "isamap_f32_to_i32(" in printed("i32(f32(A[i]))", "i32", A="i32"), "2^31 - 1 is rounded to 2^31"
    assert "isamap_f32_to_u8(" in printed("u8(A[i] * 0.0)", "u8", A="f32"), "which may be NaN or any number"
    for kind in ("e8m0", "f8e4m3"):  # 0 of the one and what is beyond the other's largest become NaN
        assert "isamap_number_f32(" in printed(f"i8(min(max(3.0, f32({kind}(A[i]))), 100.0))", "i8", A="i16"), kind


def test_bounds_of_a_value() -> None:
    k = im.kernel("y[i] = min(f32(A[i]), 3.5)", dtypes={"y": "f32", "A": "i32"})
    found = span(typed_value(k, k.statements[0]), {"A": dtype("i32")}, dtype("f32"))
    assert found == Span(-(2.0**31), 3.5, True)
    assert span(im.kernel("y[i] = A[i]").statements[0].value, {"A": dtype("f32")}, dtype("f32")) == Span(
        -math.inf, math.inf, False
    )


@pytest.mark.one_in(3)
@pytest.mark.parametrize("cc", ["zig", "gcc"])
@pytest.mark.parametrize(
    ("a", "y"), [("f32", "u32"), ("f64", "bf16"), ("i32", "bf16"), ("f32", "i8"), ("f64", "u64"), ("i64", "bf16")]
)
def test_whole_kernels_convert_as_the_oracle_does(a: str, y: str, cc: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISAMAP_CC", cc)
    bits = oracle.some(a, y, 50)
    made = np.array(bits, oracle.WORDS[a]).view(dtype(a).numpy)
    kernel = im.kernel(f"y[i] = {y}(A[i])", dtypes={"y": y, "A": a})
    got = im.compile(kernel, im.find_hardware("host"), sizes={"i": made.size})(A=made)
    for x, g in zip(bits, got.view(oracle.WORDS[y]).tolist(), strict=True):
        want = oracle.converted(x, a, y)
        assert oracle.is_nan(g, y) if want == "nan" else g == want, oracle.decoded(x, a)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "value", ["i8(f32(C[i,j]) * s[j])", "round_u8(f32(C[i,j]) * s[j])", "bf16(C[i,j])", "u8(C[i,j])"]
)
def test_an_epilogue_converts_as_the_interpreter_does(value: str) -> None:
    """A product of bytes, then its conversion, vectorised inside the compiled program."""
    out = "bf16" if value.startswith("bf16") else "u8" if "u8" in value else "i8"
    text = f"C[i,j] += i32(A[i,k]) * i32(B[k,j])\nQ[i,j] = {value}"
    kinds = {"A": "u8", "B": "i8", "C": "i32", "Q": out} | ({"s": "f32"} if "s[" in value else {})
    kernel = im.kernel(text, dtypes=kinds)
    rng = np.random.default_rng(2)
    arrays = {
        "A": rng.integers(0, 256, (37, 300)).astype(np.uint8),
        "B": rng.integers(-128, 128, (300, 53)).astype(np.int8),
    }
    if "s" in kinds:
        arrays["s"] = np.where(np.arange(53) % 7 == 0, np.nan, rng.uniform(-0.01, 0.01, 53)).astype(np.float32)
        arrays["s"][3] = np.inf
    want = im.run_kernel(kernel, arrays)
    made = im.compile(kernel, im.find_hardware("host"), sizes={"i": 37, "j": 53, "k": 300})(**arrays)
    got = made if isinstance(made, dict) else {"Q": made}
    assert got["Q"].tobytes() == want["Q"].tobytes()


def test_a_literal_is_rounded_once() -> None:
    """From its exact value; the decimal as f32 would be the middle between two numbers of bf16."""
    text = printed("bf16(A[i]) + 1.0039062500009095", "bf16", A="f32")
    want = oracle.encoded(Fraction(1.0039062500009095), "bf16")
    assert isinstance(want, int)
    assert hex(want) in text
    big = 2**60 + 2**36 + 1
    assert f"{float(np.float32(2**60 + 2**37))!r}" in printed(f"A[i] + {big}", "f32", A="f32")


REMARKS = {
    "zig": (["-Rpass=loop-vectorize"], "vectorized loop"),
    "gcc": (["-fopt-info-vec-optimized"], "loop vectorized"),
}
VECTORISED = [
    "i8(f32(C[i]) * s[i])",
    "u8(relu(f32(C[i]) * s[i]))",
    "round_i8(f32(C[i]) * s[i])",
    "i32(s[i])",
    "bf16(s[i])",
    "bf16(C[i])",
]


@pytest.mark.parametrize("needs", [AVX2, ("avx512f", "avx512bw", "avx512dq", "avx512vl")])
@pytest.mark.parametrize("cc", ["zig", "gcc"])
def test_both_compilers_vectorise_the_loops_of_an_epilogue(cc: str, needs: tuple[str, ...], tmp_path: Path) -> None:
    if cc != "zig" and not shutil.which(cc):
        pytest.skip(f"no {cc} here")
    loops = []
    for n, text in enumerate(VECTORISED):
        out = dtype(text.split("(", maxsplit=1)[0].removeprefix("round_"))
        kinds = {n: kind for n, kind in (("C", "i32"), ("s", "f32")) if f"{n}[" in text}
        body = re.sub(r"\b([Cs])\b", r"\1[i]", printed(text, out.name, **kinds))
        arguments = f"const int32_t *restrict C, const float *restrict s, {out.c} *restrict y"
        loops.append(f"void run_{n}(int64_t n, {arguments}) {{ for (int64_t i = 0; i < n; i++) y[i] = {body}; }}")
    head = "\n".join(["#include <stdint.h>", "#include <string.h>", *prelude("\n".join(loops)), ""])
    source, compiler = tmp_path / "loops.c", find_compiler(cc)
    source.write_text(head + "\n".join(loops) + "\n")
    options, said = REMARKS[cc]
    command = [*compiler.command, *compiler.flags(needs), *options, str(source), "-o", str(tmp_path / "loops.so")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:2000]
    first = head.count("\n") + 1
    lines = {int(m) for m in re.findall(rf"loops\.c:(\d+):\d+: .*{said}", done.stderr)}
    missing = [t for n, t in enumerate(VECTORISED) if first + n not in lines]
    assert not missing, done.stderr[:2000]
