"""Every operation of a value on every element type: plain fractions, the interpreter and C under both compilers agree.

At the ends of types, about zero, on subnormals, infinities and NaN, without optimisation and vectorised, and with traps for what C
leaves undefined: signed overflow, the product of two u16 as int, the negative of the least.
"""

from __future__ import annotations

import ctypes
import random
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.dtypes import dtype
from isamap_smt.ir.typed import typed_value
from isamap_smt.mapping.point_c import c_update, prelude
from tests import arithmetic
from tests import conversions as oracle
from tests.codegen.test_conversions import AVX2, TRAPS, compiled

VALUES = {
    "+": "A[i] + B[i]", "-": "A[i] - B[i]", "*": "A[i] * B[i]", "/": "A[i] / B[i]", "neg": "-A[i]", "max": "max(A[i], B[i])",
    "min": "min(A[i], B[i])", "relu": "relu(A[i])", **{c: f"select(A[i] {c} B[i], A[i], B[i])" for c in arithmetic.COMPARE},
}  # fmt: skip
UPDATES = {"+=": "+", "*=": "*", "max=": "max", "min=": "min"}
ONE = ("neg", "relu")
CASES = [(n, op) for n in oracle.NUMBERS for op in (*VALUES, *UPDATES) if op != "/" or oracle.floating(n)]
BUILDS = [("zig", "-O0", ()), ("zig", "-O3", "native"), ("gcc", "-O0", ()), ("gcc", "-O3", AVX2)]
OTHER_BUILDS = [("zig", "-O3", AVX2), ("gcc", "-O3", "native")]
SIDE = 22  # elements on each side, all pairs of them


@cache
def elements(name: str) -> tuple[np.ndarray, np.ndarray]:
    rng = random.Random(name)
    bits = oracle.edges(name, name)
    few = sorted({*rng.sample(bits, min(SIDE, len(bits))), *bits[:3], *bits[-3:]})
    if oracle.floating(name):
        special = [oracle.encoded(v, name) for v in (oracle.Fraction(1), oracle.Fraction(-3), "-0.0", "inf", "-inf")]
        few += [b for b in special if isinstance(b, int)]
        few.append((1 << (oracle.BITS[name] - 1)) - 1)  # a NaN
    few += [rng.getrandbits(oracle.BITS[name]) for _ in range(6)]
    made = np.array(few, oracle.WORDS[name]).view(dtype(name).numpy)
    a, b = np.meshgrid(made, made, indexing="ij")
    return np.ascontiguousarray(a.reshape(-1)), np.ascontiguousarray(b.reshape(-1))


@cache
def wanted(name: str, op: str) -> list[set[int | str]]:
    a, b = (x.view(oracle.WORDS[name]).tolist() for x in elements(name))
    if op in arithmetic.COMPARE:
        return [{x if arithmetic.holds(op, x, y, name) else y} for x, y in zip(a, b, strict=True)]
    return [arithmetic.result(name, UPDATES.get(op, op), x, y) for x, y in zip(a, b, strict=True)]


def kernel(name: str, op: str) -> im.Kernel:
    text = f"y[i] {op} B[i]" if op in UPDATES else f"y[i] = {VALUES[op]}"
    return im.kernel(text, dtypes={n: name for n in "yAB" if n + "[" in text})


def check(name: str, op: str, got: np.ndarray) -> None:
    a, b = elements(name)
    bits = got.view(oracle.WORDS[name]).tolist()
    wrong = [
        (x, y, z)
        for x, y, z, g, want in zip(a, b, got, bits, wanted(name, op), strict=True)
        if g not in want
        and not (oracle.is_nan(g, name) and ("nan" in want or any(oracle.is_nan(int(w), name) for w in want)))
    ]
    assert not wrong, (name, op, wrong[:3])


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", oracle.NAMES)
def test_the_interpreter(name: str) -> None:
    a, b = elements(name)
    for op in (op for n, op in CASES if n == name):
        arrays = {"B": b} if op in UPDATES else {"A": a} if op in ONE else {"A": a, "B": b}
        out = {"y": a} if op in UPDATES else None
        check(name, op, im.run_kernel(kernel(name, op), arrays, out)["y"])


def loops() -> str:
    parts = []
    for n, (name, op) in enumerate(CASES):
        made = kernel(name, op)
        s, d = made.statements[0], dtype(name)
        update = c_update(s.op, typed_value(made, s), {"A": ("A[i]", d), "B": ("B[i]", d)}, "y[i]", d)
        parts.append(
            f"void run_{n}(int64_t n, const {d.c} *restrict A, const {d.c} *restrict B, {d.c} *restrict y) {{"
            f" for (int64_t i = 0; i < n; i++) {update} }}"
        )
    code = "\n".join(parts)
    return "\n".join(["#include <stdint.h>", "#include <string.h>", *prelude(code), code, ""])


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("cc", "opt", "needs"), BUILDS + [pytest.param(*b, marks=pytest.mark.exhaustive) for b in OTHER_BUILDS]
)
def test_c_in_every_build(tmp_path: Path, cc: str, opt: str, needs: object) -> None:
    library = ctypes.CDLL(str(compiled(tmp_path, loops(), cc, [opt], needs)))
    for n, (name, op) in enumerate(CASES):
        a, b = elements(name)
        y = a.copy()
        getattr(library, f"run_{n}")(ctypes.c_int64(a.size), *(ctypes.c_void_p(x.ctypes.data) for x in (a, b, y)))
        check(name, op, y)


CALL = """
import ctypes, sys
import numpy as np
library = ctypes.CDLL(sys.argv[1])
with np.load(sys.argv[2]) as held:
    for name in held.files:
        a, b = held[name]
        y = a.copy()
        getattr(library, name)(ctypes.c_int64(a.size), *(ctypes.c_void_p(x.ctypes.data) for x in (a, b, y)))
print("ran all")
"""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("cc", ["gcc", "zig"])
def test_nothing_is_undefined(tmp_path: Path, cc: str) -> None:
    traps = [t.replace(",float-divide-by-zero", "") for t in TRAPS[cc]]  # IEEE's division by zero is defined
    library = compiled(tmp_path, loops(), cc, ["-O0", *traps], ())
    word = {n: oracle.WORDS[n] for n in oracle.NAMES}
    held = {f"run_{k}": np.stack([x.view(word[n]) for x in elements(n)]) for k, (n, _) in enumerate(CASES)}
    np.savez(tmp_path / "elements.npz", **held)
    command = [sys.executable, "-c", CALL, str(library), str(tmp_path / "elements.npz")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"a trap: {done.returncode} {done.stderr[-2000:]}"
    assert "ran all" in done.stdout


@pytest.mark.parametrize("cc", ["gcc", "zig"])
def test_products_and_sums_are_not_contracted_nor_reordered(tmp_path: Path, cc: str) -> None:
    """With every feature of the CPU, fused multiply-add included, each operation still rounds by itself."""
    made = im.kernel("y[i] = A[i] * B[i] + A[i] * 0.1 - B[i] / 3.0", dtypes=dict.fromkeys("yAB", "f32"))
    s, d = made.statements[0], dtype("f32")
    update = c_update("=", typed_value(made, s), {"A": ("A[i]", d), "B": ("B[i]", d)}, "y[i]", d)
    loop = f"for (int64_t i = 0; i < n; i++) {update}"
    text = f"#include <stdint.h>\nvoid f(int64_t n, const float *A, const float *B, float *y) {{ {loop} }}\n"
    library = ctypes.CDLL(str(compiled(tmp_path, text, cc, ["-O3"], "native")))
    rng = np.random.default_rng(5)
    a, b = rng.standard_normal((2, 999)).astype(np.float32)
    y = np.empty_like(a)
    library.f(ctypes.c_int64(a.size), *(ctypes.c_void_p(x.ctypes.data) for x in (a, b, y)))

    def rounded(v: object) -> oracle.Value:
        bits = oracle.encoded(v, "f32")  # type: ignore[arg-type]
        assert isinstance(bits, int)
        return oracle.decoded(bits, "f32")

    tenth = rounded(oracle.Fraction(0.1))
    for p, q, got in zip(a.tolist(), b.tolist(), y.tolist(), strict=True):
        x, w = oracle.Fraction(p), oracle.Fraction(q)
        total = rounded(arithmetic.add(rounded(x * w), rounded(arithmetic.multiply(x, tenth))))
        want = rounded(arithmetic.add(total, arithmetic.negated(rounded(w / 3))))
        assert oracle.Fraction(got) == want
