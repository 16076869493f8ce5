"""Conversions between all element types mean one thing: to plain fractions, to the interpreter, and to C under both compilers.

The C is what the printer prints for a written cast, in a loop, without optimisation and vectorised.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import archspec.cpu
import numpy as np
import pytest

from isamap_smt.ir.dtypes import DTYPES, DType, dtype
from isamap_smt.ir.evaluate import Evaluator
from isamap_smt.ir.expr import sym
from isamap_smt.ir.kernel import Kernel, Tensor
from isamap_smt.ir.scalar import cast, read, rewrite_reads, round_to, saturate
from isamap_smt.mapping.point_c import c_value, prelude
from isamap_smt.runtime.compiler import find_compiler
from tests import conversions as oracle

PAIRS = [(a, b, "cast") for a in oracle.NAMES for b in oracle.NAMES]
PAIRS += [
    (a, b, "clamp")
    for a, b, _ in PAIRS
    if not oracle.floating(b)
    and "bool" not in (a, b)
    and not (oracle.floating(a) and oracle.BITS[b] > 32)  # round_T goes up to 32 bits
]
RANDOM = 60
LENGTHS = (1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 63, 65)
AVX2 = ("avx2", "f16c", "fma")
BUILDS = [("zig", "-O0", ()), ("zig", "-O3", "native"), ("gcc", "-O3", ()), ("gcc", "-O3", AVX2)]
OTHER_BUILDS = [("zig", "-O3", ()), ("zig", "-O3", AVX2), ("gcc", "-O0", ()), ("gcc", "-O3", "native")]


@cache
def elements(source: str, to: str) -> list[int]:
    """Bits of what is converted."""
    return oracle.some(source, to, RANDOM)


def held(source: str, to: str) -> np.ndarray:
    """The elements."""
    return np.array(elements(source, to), oracle.WORDS[source]).view(dtype(source).numpy)


@cache
def cases(source: str, to: str, form: str = "cast") -> tuple[np.ndarray, list[int | str]]:
    """(elements, what they become by the oracle)."""
    convert = oracle.converted if form == "cast" else oracle.clamped
    return held(source, to), [convert(b, source, to) for b in elements(source, to)]


def tree(source: str, to: str, form: str) -> Any:
    """The conversion of an element of x."""
    if form == "cast":
        return cast(to, read("x"))
    return (round_to if oracle.floating(source) else saturate)(to, read("x"))


def wrong(got: np.ndarray, want: list[int | str], source: np.ndarray, to: str) -> list[str]:
    """Each element that differs, in words."""
    bits = got.view(oracle.WORDS[to])
    return [
        f"{x} gives {g}, not {w if isinstance(w, str) else oracle.decoded(w, to)}"
        for x, g, b, w in zip(source, got, bits, want, strict=True)
        if not (oracle.is_nan(int(b), to) if w == "nan" else int(b) == w)
    ]


def test_the_oracle_says_what_the_reproductions_say() -> None:
    f64 = int(np.array(1 + 2**-8 + 2**-40).view("u8"))
    assert oracle.decoded(oracle.converted(f64, "f64", "bf16"), "bf16") == 1.0078125  # type: ignore[arg-type]
    assert oracle.decoded(oracle.converted(2**24 + 2**16 + 1, "i32", "bf16"), "bf16") == 16908288  # type: ignore[arg-type]
    assert oracle.converted(int(np.array(-1.5).view("u8")), "f64", "u32") == 0
    assert oracle.converted(int(np.array(1e30).view("u8")), "f64", "u32") == 2**32 - 1
    assert oracle.converted(int(np.array(np.nan).view("u8")), "f64", "i8") == 0
    assert oracle.converted(300, "i32", "i8") == 44


@pytest.mark.parametrize("to", oracle.NAMES)
def test_the_interpreter(to: str) -> None:
    for source, _, form in (p for p in PAIRS if p[1] == to):
        array, want = cases(source, to, form)
        names = {"x": dtype(source)}
        value = rewrite_reads(tree(source, to, form), lambda _: read("x", sym("i")))
        made = Kernel("one", tuple(Tensor(n, d, (array.size,)) for n, d in names.items()), ())
        with np.errstate(all="ignore"):
            got = Evaluator(made, {"x": array}).value(
                value, {"i": np.arange(array.size), "#": np.arange(array.size)}, dtype(to)
            )
        assert got.dtype == dtype(to).numpy
        assert not wrong(got, want, array, to), (source, form)


def loops() -> str:
    """A loop for each pair of types."""
    parts = []
    for source, to, form in PAIRS:
        value, kind = c_value(tree(source, to, form), {"x": ("x[i]", dtype(source))}, dtype(to))
        assert kind == dtype(to)
        x, y = dtype(source).c, dtype(to).c
        parts.append(
            f"void {form}_{source}_{to}(int64_t n, const {x} *restrict x, {y} *restrict y) {{"
            f" for (int64_t i = 0; i < n; i++) y[i] = {value}; }}"
        )
    code = "\n".join(parts)
    return "\n".join(["#include <stdint.h>", "#include <string.h>", *prelude(code), code, ""])


def build(directory: Path, cc: str, options: list[str], requires: object) -> Path:
    """The loops as a library."""
    return compiled(directory, loops(), cc, options, requires)


def compiled(directory: Path, code: str, cc: str, options: list[str], requires: object) -> Path:
    """The C as a library. requires: features of the CPU, or "native" for all that this one has."""
    if cc != "zig" and not shutil.which(cc):
        pytest.skip(f"no {cc} here")
    host = archspec.cpu.host()
    native = requires == "native"
    needs = () if native else tuple(requires)  # type: ignore[arg-type,var-annotated]
    if not all(f in host for f in needs):
        pytest.skip(f"this CPU lacks one of {', '.join(needs)}")
    compiler = find_compiler(cc)
    source, library = directory / "loops.c", directory / "loops.so"
    source.write_text(code)
    command = [
        *compiler.command,
        *compiler.flags(needs, native=native),
        *options,
        "-Wall",
        str(source),
        "-o",
        str(library),
    ]
    done = subprocess.run([*command, "-lm"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:3000]
    return library


def run(library: ctypes.CDLL, source: DType, to: DType, array: np.ndarray, form: str) -> np.ndarray:
    out = np.empty(array.size, to.numpy)
    getattr(library, f"{form}_{source}_{to}")(
        ctypes.c_int64(array.size), ctypes.c_void_p(array.ctypes.data), ctypes.c_void_p(out.ctypes.data)
    )
    return out


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("cc", "opt", "requires"), BUILDS + [pytest.param(*b, marks=pytest.mark.exhaustive) for b in OTHER_BUILDS]
)
def test_c_in_every_build(tmp_path: Path, cc: str, opt: str, requires: object) -> None:
    library = ctypes.CDLL(str(build(tmp_path, cc, [opt], requires)))
    for source, to, form in PAIRS:
        array, want = cases(source, to, form)
        a, b = dtype(source), dtype(to)
        assert not wrong(run(library, a, b, array, form), want, array, to), (source, to, form)
        start = 0
        for n in LENGTHS:
            part = array[start : start + n]
            assert not wrong(run(library, a, b, part, form), want[start : start + n], part, to), (source, to, form, n)
            start = (start + n) % (array.size - 66)


CALL = """
import ctypes, sys
import numpy as np
library = ctypes.CDLL(sys.argv[1])
with np.load(sys.argv[2]) as held:
    for name in held.files:
        x, y = held[name], np.empty(held[name].size, np.uint64)
        getattr(library, name)(ctypes.c_int64(x.size), ctypes.c_void_p(x.ctypes.data), ctypes.c_void_p(y.ctypes.data))
print("ran all")
"""
TRAPS = {
    "gcc": ["-fsanitize=undefined,float-cast-overflow,float-divide-by-zero", "-fsanitize-undefined-trap-on-error"],
    "zig": ["-fsanitize=undefined,float-cast-overflow", "-fsanitize-trap=all"],
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("cc", ["gcc", "zig"])
def test_nothing_is_undefined(tmp_path: Path, cc: str) -> None:
    library = build(tmp_path, cc, ["-O0", *TRAPS[cc]], ())
    arrays = {f"{form}_{a}_{b}": held(a, b).view(oracle.WORDS[a]) for a, b, form in PAIRS}
    np.savez(tmp_path / "elements.npz", **arrays)
    command = [sys.executable, "-c", CALL, str(library), str(tmp_path / "elements.npz")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "ran all" in done.stdout, f"a trap: {done.returncode} {done.stderr[-2000:]}"


def test_the_traps_catch_what_is_undefined(tmp_path: Path) -> None:
    """So that the test before can fail."""
    for cc, options in TRAPS.items():
        if cc != "zig" and not shutil.which(cc):
            continue
        text = "#include <stdint.h>\nvoid f32_u8(int64_t n, const float *x, uint8_t *y) { while (n--) *y++ = (uint8_t)*x++; }\n"
        compiler = find_compiler(cc)
        source, library = tmp_path / "plain.c", tmp_path / f"plain-{cc}.so"
        source.write_text(text)
        subprocess.run(
            [*compiler.command, *compiler.flags(), "-O0", *options, str(source), "-o", str(library)], check=True
        )
        np.savez(tmp_path / "elements.npz", f32_u8=np.float32([1e10]))
        command = [sys.executable, "-c", CALL, str(library), str(tmp_path / "elements.npz")]
        assert subprocess.run(command, capture_output=True, check=False).returncode < 0, cc


def test_every_type_is_covered() -> None:
    assert set(oracle.NAMES) == set(DTYPES)
