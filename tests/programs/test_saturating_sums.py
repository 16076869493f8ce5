"""AVX2's saturating addition as the sum of a kernel, executed: right at the edge, wrong one term further, checked at each call."""

from __future__ import annotations

import re

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.errors import ArgumentError, ScheduleError

HEADERS = ("immintrin.h", "stdint.h", "string.h")
VECTOR = {"axes": {"l": 16}, "requires": ("avx2",), "headers": HEADERS}


def move(name: str, text: str, emit: str, operands: str) -> im.Instruction:
    places = {"r": "ymm", "m": "memory"}
    return im.instruction(
        f"narrow.{name}", text, dtypes=dict.fromkeys(operands, "i16"), places={o: places[o] for o in operands}, emit=emit,
        c_types={"r": "__m256i"}, **VECTOR,
    )  # fmt: skip


def adds(emit: str = "{c} = _mm256_adds_epi16({c}, {a});") -> im.Instruction:
    return im.instruction(
        "narrow.adds", "c[l] += a[l]", dtypes=dict.fromkeys("ac", "i16"), places=dict.fromkeys("ac", "ymm"), emit=emit,
        exact="c[l] = sat_i16(c[l] + a[l])", c_types=dict.fromkeys("ac", "__m256i"), temporaries=0, **VECTOR,
    )  # fmt: skip


def machine(instruction: im.Instruction) -> im.Hardware:
    avx2 = im.find_hardware("avx2")
    moves = (
        move("load", "r[l] = m[l]", "{r} = _mm256_loadu_si256((const __m256i *)({m}));", "rm"),
        move("store", "m[l] = r[l]", "_mm256_storeu_si256((__m256i *)({m}), {r});", "rm"),
        move("zero", "r[l] = 0", "{r} = _mm256_setzero_si256();", "r"),
    )
    return im.Hardware("narrow", avx2.memories, avx2.links, (instruction, *moves), "16 lanes that saturate")


COLUMNS = im.kernel("y[i] += A[k,i]", name="columns", dtypes=dict.fromkeys("Ay", "i16"))
MACHINE = machine(adds())
needs = pytest.mark.needs("avx2")


def compiled(terms: int, least: int) -> im.CompiledKernel:
    sizes, assume = {"i": 37, "k": terms}, [f"{least} <= A <= 127"]
    return im.compile(COLUMNS, MACHINE, sizes=sizes, assume=assume, instruction="narrow.adds")


@needs
def test_the_edge_is_right_and_one_term_more_is_refused() -> None:
    run = compiled(256, -128)
    assert "_mm256_adds_epi16" in run.source
    at_the_edge = np.full((256, 37), -128, np.int16)
    assert (run(at_the_edge) == -32768).all()
    some = np.random.default_rng(3).integers(-128, 127, (256, 37), dtype=np.int16, endpoint=True)
    assert (run(some) == some.sum(0, dtype=np.int16)).all()
    with pytest.raises(ScheduleError):
        compiled(257, -128)


@needs
def test_one_term_more_is_wrong_when_it_is_forced() -> None:
    """257 terms are proved from -127 on; the check that keeps -128 away is left out."""
    run = compiled(257, -127)
    over = np.full((257, 37), -128, np.int16)
    with pytest.raises(ArgumentError, match=r"A\[0, 0\] is -128"):
        run(over)
    assert (run(over, check_ranges=False) == -32768).all()
    assert (over.sum(0, dtype=np.int16) == 32640).all()


@needs
def test_the_beginning_is_looked_at_in_each_call() -> None:
    run = compiled(256, -128)
    assert "each call checks that y begins at 0" in str(run)
    ones, out = np.ones((256, 37), np.int16), np.zeros(37, np.int16)
    out[5] = 1
    with pytest.raises(ArgumentError, match=r"y\[5\] is 1, and columns was proved for y in \[0, 0\]"):
        run(ones, out=out)
    out[5] = 0
    call = run.prepare(ones, out=out)
    call.run()
    assert (out == 256).all()
    with pytest.raises(ArgumentError, match=r"y\[0\] is 256"):
        call.run()
    fresh = run.prepare(ones)
    for _ in range(3):
        fresh.run()
        assert (fresh.result == 256).all()


@needs
def test_what_is_begun_anew_need_not_begin_at_0() -> None:
    """It is filled before the program, and looked at as it is then."""
    run, ones = compiled(256, -128), np.ones((256, 37), np.int16)
    assert run.zeroed == ("y",) and "y" not in run.program.starts
    for _ in range(3):
        out = np.full(37, 99, np.int16)
        assert (run(ones, out=out, accumulate=False) == 256).all()
        assert (run(ones) == 256).all()
        with pytest.raises(ArgumentError, match=r"y\[0\] is 256"):
            run(ones, out=out)
    call = run.prepare(ones, out=out, accumulate=False)
    for _ in range(3):
        call.run()
        assert (out == 256).all()
    with pytest.raises(ArgumentError, match=r"A\[0, 0\] is 128"):
        run(np.full_like(ones, 128), out=out, accumulate=False)
    assert (out == 256).all()


@needs
def test_the_conformance_check_tells_saturation_from_wrapping() -> None:
    assert im.check_hardware(MACHINE, results=4000).verdict == "right"
    wraps = im.check_hardware(machine(adds("{c} = _mm256_add_epi16({c}, {a});")), results=4000)
    assert wraps.verdict == "wrong"


# ---- the saturating dot products of VNNI, on silicon
# element types, K at the limit, the elements that reach it, what is assumed for it, and what is assumed for one term more
LIMITS = {
    "dpbusds": ({"A": "u8", "B": "i8", "C": "i32"}, 65793, (255, -128), (), ("-127 <= B",)),
    "dpwssds": (
        {"A": "i16", "B": "i16", "C": "i32"},
        511,
        (-32768, -128),
        ("-128 <= B <= 127",),
        ("-127 <= B <= 127",),
    ),
}
ON = [
    pytest.param(machine, form, marks=pytest.mark.needs(machine), id=f"{machine}.{form}")
    for machine in ("avx512_vnni", "avx_vnni")
    for form in LIMITS
]


def dots(machine: str, form: str, terms: int, assume: tuple[str, ...]) -> im.CompiledKernel:
    """gemm of 3 x 21 on that instruction alone."""
    kernel, sizes = im.find_kernel("gemm").with_dtypes(LIMITS[form][0]), {"i": 3, "j": 21, "k": terms}
    return im.compile(kernel, machine, sizes=sizes, assume=assume, instruction=f"{machine}.{form}")


def elements(form: str, terms: int, rng: np.random.Generator | None = None) -> list[np.ndarray]:
    """A and B of the elements that reach the limit; with rng of random ones within the limits."""
    dtypes, _, most, *_ = LIMITS[form]
    found = []
    for name, shape, value in zip("AB", ((3, terms), (terms, 21)), most, strict=True):
        d = np.dtype({"u8": "uint8", "i8": "int8", "i16": "int16"}[dtypes[name]])
        low, high = (-128, 128) if name == "B" else (np.iinfo(d).min, np.iinfo(d).max + 1)
        found.append(np.full(shape, value, d) if rng is None else rng.integers(low, high, shape).astype(d))
    return found


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("machine", "form"), ON)
def test_a_saturating_dot_product_is_right_at_its_edge(machine: str, form: str) -> None:
    """As many terms as are proved: exact on the largest of them and on random ones."""
    _, terms, _, assume, _ = LIMITS[form]
    run = dots(machine, form, terms, assume)
    assert re.search(rf"_(vp)?{form}_", run.source)
    for A, B in (elements(form, terms), elements(form, terms, np.random.default_rng(5))):
        assert (run(A, B) == A.astype(np.int64) @ B.astype(np.int64)).all()


@pytest.mark.parametrize(("machine", "form"), ON)
def test_one_term_beyond_its_edge_is_refuted_and_wrong(machine: str, form: str) -> None:
    """It is refuted with the number that fits. Proved for fewer values of B, with their check left out, it saturates."""
    dtypes, terms, (a, b), assume, fewer = LIMITS[form]
    kernel = im.find_kernel("gemm").with_dtypes(dtypes).with_sizes({"k": terms + 1})
    refuted = im.prove(im.fuse(kernel, im.find_instruction(f"{machine}.{form}"), "l=j,e=k"), assume=assume)
    assert f"k <= {terms} would fit" in str(refuted)
    with pytest.raises(ScheduleError):
        dots(machine, form, terms + 1, assume)
    run, (A, B) = dots(machine, form, terms + 1, fewer), elements(form, terms + 1)
    with pytest.raises(ArgumentError, match=r"B\[0, 0\] is -128"):
        run(A, B)
    exact = (terms + 1) * a * b
    assert (run(A, B, check_ranges=False) == min(max(exact, -(2**31)), 2**31 - 1)).all()
    assert not -(2**31) <= exact < 2**31
