"""Meanings of AVX-512 intrinsics with a mask register: lanes whose bit is not set keep another operand, or become 0."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from isamap_encodings import bit_terms as bits
from isamap_encodings.bit_terms import Term
from isamap_smt.isa import lane_operations as lane
from isamap_smt.isa import meanings as m
from isamap_smt.isa.meanings import Meaning

_REQUIRES = ("avx512f",)
_KINDS = (("ps", 32, "__m512", "float", "__mmask16"), ("pd", 64, "__m512d", "double", "__mmask8"))
_WHOLE = (("epi32", 32, "__m512i", "int", "__mmask16"), ("epi64", 64, "__m512i", "long long", "__mmask8"))


def masked() -> Iterator[Meaning]:
    """All of them."""
    for end, width, vector, element, mask in _KINDS:
        two = {"add": lane.number("fadd"), "sub": lane.number("fsub"), "mul": lane.number("fmul"), "div": lane.number("fdiv"),
               "max": lane.x86_max, "min": lane.x86_min}  # fmt: skip
        for name, operation in two.items():
            yield from _two(f"{name}_{end}", width, vector, mask, m.lanewise(width, operation))
        for name, signs in {"fmadd": (1, 1), "fmsub": (1, -1), "fnmadd": (-1, 1), "fnmsub": (-1, -1)}.items():
            yield from _three(f"{name}_{end}", width, vector, mask, m.lanewise(width, lane.fmadd(*signs)))

        def compared(_: Any, a: Term, b: Term, predicate: int, width: int = width) -> Term:
            pairs = zip(bits.lanes(a, width), bits.lanes(b, width), strict=True)
            return bits.concat(lane.x86_compare(predicate, x, y) for x, y in pairs)

        listed = {2: tuple(range(32))}
        yield Meaning(f"_mm512_cmp_{end}_mask", mask, (vector, vector, "imm"), compared, _REQUIRES, listed)
        yield from _moves(end, width, vector, f"{element} *", mask)
    for end, width, vector, element, mask in _WHOLE:
        for name, op in (("add", "add"), ("sub", "sub")):
            yield from _two(f"{name}_{end}", width, vector, mask, m.lanewise(width, lane.integer(op)))
        yield from _moves(end, width, vector, "void *", mask)
        yield from _set1(end, width, vector, element, mask)


def _chosen(k: Term, width: int, set_: Term, clear: Term) -> Term:
    return m.chosen(m.mask_bits(k, set_.width // width), width, set_, clear)


def _two(name: str, width: int, vector: str, mask: str, whole: Any) -> Iterator[Meaning]:
    def kept(promises: Any, src: Term, k: Term, a: Term, b: Term) -> Term:
        return _chosen(k, width, whole(promises, a, b), src)

    def zeroed(promises: Any, k: Term, a: Term, b: Term) -> Term:
        return _chosen(k, width, whole(promises, a, b), bits.const(0, a.width))

    yield Meaning(f"_mm512_mask_{name}", vector, (vector, mask, vector, vector), kept, _REQUIRES)
    yield Meaning(f"_mm512_maskz_{name}", vector, (mask, vector, vector), zeroed, _REQUIRES)


def _three(name: str, width: int, vector: str, mask: str, whole: Any) -> Iterator[Meaning]:
    def first(promises: Any, a: Term, k: Term, b: Term, c: Term) -> Term:
        return _chosen(k, width, whole(promises, a, b, c), a)

    def third(promises: Any, a: Term, b: Term, c: Term, k: Term) -> Term:
        return _chosen(k, width, whole(promises, a, b, c), c)

    def zeroed(promises: Any, k: Term, a: Term, b: Term, c: Term) -> Term:
        return _chosen(k, width, whole(promises, a, b, c), bits.const(0, a.width))

    yield Meaning(f"_mm512_mask_{name}", vector, (vector, mask, vector, vector), first, _REQUIRES)
    yield Meaning(f"_mm512_mask3_{name}", vector, (vector, vector, vector, mask), third, _REQUIRES)
    yield Meaning(f"_mm512_maskz_{name}", vector, (mask, vector, vector, vector), zeroed, _REQUIRES)


def _moves(end: str, width: int, vector: str, to: str, mask: str) -> Iterator[Meaning]:
    count = 512 // width

    def loaded(promises: Any, src: Term, k: Term, p: Any) -> Term:
        return m.masked_load(p, m.mask_bits(k, count), width, bits.lanes(src, width), promises)

    def cleared(promises: Any, k: Term, p: Any) -> Term:
        return loaded(promises, bits.const(0, 512), k, p)

    def stored(promises: Any, p: Any, k: Term, x: Term) -> None:
        m.masked_store(p, m.mask_bits(k, count), width, bits.lanes(x, width), promises)

    here = f"const {to}"
    yield Meaning(f"_mm512_mask_loadu_{end}", vector, (vector, mask, here), loaded, _REQUIRES, reach=64)
    yield Meaning(f"_mm512_maskz_loadu_{end}", vector, (mask, here), cleared, _REQUIRES, reach=64)
    yield Meaning(f"_mm512_mask_storeu_{end}", "void", (to, mask, vector), stored, _REQUIRES, reach=64)

    def blended(_: Any, k: Term, a: Term, b: Term) -> Term:
        return _chosen(k, width, b, a)

    yield Meaning(f"_mm512_mask_blend_{end}", vector, (mask, vector, vector), blended, _REQUIRES)
    yield Meaning(
        f"_mm512_mask_mov_{end}", vector, (vector, mask, vector), lambda _, s, k, a: _chosen(k, width, a, s), _REQUIRES
    )
    yield Meaning(f"_mm512_maskz_mov_{end}", vector, (mask, vector),
                  lambda _, k, a: _chosen(k, width, a, bits.const(0, 512)), _REQUIRES)  # fmt: skip


def _set1(end: str, width: int, vector: str, element: str, mask: str) -> Iterator[Meaning]:
    def kept(_: Any, src: Term, k: Term, x: Term) -> Term:
        return _chosen(k, width, bits.concat([x] * (512 // width)), src)

    yield Meaning(f"_mm512_mask_set1_{end}", vector, (vector, mask, element), kept, _REQUIRES)
    yield Meaning(
        f"_mm512_maskz_set1_{end}",
        vector,
        (mask, element),
        lambda _, k, x: kept(_, bits.const(0, 512), k, x),
        _REQUIRES,
    )
