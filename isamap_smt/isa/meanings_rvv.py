"""Meanings of a few RISC-V vector intrinsics on four lanes of 32 bits: those of vectors of 128 bits, at a constant `vl`.

What is tail agnostic may be anything behind the first `vl` lanes: bits that nothing sets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from isamap_encodings import bit_terms as bits
from isamap_encodings.bit_terms import Term
from isamap_smt.isa import lane_operations as lane
from isamap_smt.isa.c_values import Address, Fault, Promises
from isamap_smt.isa.meanings import Meaning

REQUIRES = ("m", "a", "f", "d", "c", "v")
VECTOR, LANES, WIDTH = "vfloat32m1_t", 4, 32
OPEN = "a lane that RISC-V leaves open behind vl"


def stated() -> Iterator[Meaning]:
    """All of them."""
    fma = lane.fmadd()
    yield _meaning("vle32_v_f32m1", VECTOR, ("const float *",), _load, reach=16)
    yield _meaning("vse32_v_f32m1", "void", ("float *", VECTOR), _store, reach=16)
    yield _meaning("vfmv_v_f_f32m1", VECTOR, ("float",), lambda p, vl, x: _first(p, vl, [x] * LANES))
    yield _meaning(
        "vfmacc_vv_f32m1", VECTOR, (VECTOR, VECTOR, VECTOR), lambda p, vl, c, a, b: _fused(fma, p, vl, c, a, b)
    )
    yield _meaning(
        "vfmacc_vf_f32m1",
        VECTOR,
        (VECTOR, "float", VECTOR),
        lambda p, vl, c, x, b: _fused(fma, p, vl, c, bits.concat([x] * LANES), b),
    )


def _meaning(name: str, result: str, params: tuple[str, ...], inner: Callable[..., Any], reach: int = 0) -> Meaning:
    """inner: of promises, vl and the arguments before it."""

    def compute(promises: Promises, *arguments: Any) -> Term | None:
        vl = arguments[-1].value
        if vl is None or not 0 <= vl <= LANES:
            raise Fault(f"vl is {vl}, of which nothing is known here; vectors of 128 bits have {LANES} lanes")
        found: Term | None = inner(promises, vl, *arguments[:-1])
        return found

    return Meaning(f"__riscv_{name}", result, (*params, "size_t"), compute, REQUIRES, reach=reach)


def _first(promises: Promises, vl: int, values: list[Term]) -> Term:
    return bits.concat([*values[:vl], *(promises.undefined(OPEN, WIDTH) for _ in range(LANES - vl))])


def _load(promises: Promises, vl: int, p: Address) -> Term:
    return _first(promises, vl, [p.block.load(p.offset + 4 * k, WIDTH) for k in range(vl)])


def _store(_: Promises, vl: int, p: Address, x: Term) -> None:
    if vl:
        p.block.store(p.offset, bits.extract(x, 0, WIDTH * vl))


def _fused(fma: Callable[..., Term], promises: Promises, vl: int, c: Term, a: Term, b: Term) -> Term:
    lanes = zip(*(bits.lanes(x, WIDTH) for x in (a, b, c)), strict=True)
    return _first(promises, vl, [fma(*x) for x in lanes])
