"""Meanings of integer intrinsics of AVX2 and AVX-512, lane by lane."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from isamap_encodings import bit_terms as bits
from isamap_encodings.bit_terms import Term
from isamap_smt.isa import lane_operations as lane
from isamap_smt.isa import meanings as m
from isamap_smt.isa.meanings import Meaning

_WHOLE = ((128, "_mm", ("avx2",)), (256, "_mm256", ("avx2",)), (512, "_mm512", ("avx512f", "avx512bw")))
_C = {8: "char", 16: "short", 32: "int", 64: "long long"}
Lane = Callable[..., Term]


def integers() -> Iterator[Meaning]:
    """All of them."""
    for total, prefix, requires in _WHOLE:
        vector = f"__m{total}i"
        for name, width, operation in _two():
            yield Meaning(f"{prefix}_{name}", vector, (vector,) * 2, m.lanewise(width, operation), requires)
        yield from _bitwise(total, prefix, vector, requires)
        yield from _set(total, prefix, vector, requires)
        yield from _shifts(prefix, vector, requires)
        yield from _dots(prefix, vector, requires)
        if total != 512:
            yield from _compared(prefix, vector, requires)
            yield from _masked_moves(total, prefix, vector)
    yield from _widened()
    yield Meaning("_mm_cvtsi128_si32", "int", ("__m128i",), lambda _, x: bits.extract(x, 0, 32), ("avx2",))
    eighth = tuple(range(256))
    yield Meaning("_mm256_shuffle_epi32", "__m256i", ("__m256i", "imm"), _shuffled, ("avx2",), {1: eighth})
    yield Meaning("_mm256_permutevar8x32_epi32", "__m256i", ("__m256i",) * 2, _permuted, ("avx2",))
    yield Meaning("_mm256_permutevar8x32_ps", "__m256", ("__m256", "__m256i"), _permuted, ("avx2",))


def _two() -> Iterator[tuple[str, int, Lane]]:
    for width in (8, 16, 32, 64):
        yield f"add_epi{width}", width, lane.integer("add")
        yield f"sub_epi{width}", width, lane.integer("sub")
    for width in (16, 32):
        yield f"mullo_epi{width}", width, lane.integer("mul")
    for width in (8, 16):
        for kind, is_signed in (("epi", True), ("epu", False)):
            for name, op in (("adds", "add"), ("subs", "sub")):

                def both(a: Term, b: Term, op: str = op, s: bool = is_signed) -> Term:
                    return lane.saturated(op, a, b, s)

                yield f"{name}_{kind}{width}", width, both
    for width in (8, 16, 32):
        for kind, is_signed in (("epi", True), ("epu", False)):
            yield f"max_{kind}{width}", width, lambda a, b, s=is_signed: lane.larger(a, b, s)
            yield f"min_{kind}{width}", width, lambda a, b, s=is_signed: lane.smaller(a, b, s)
    for kind, is_signed in (("epi", True), ("epu", False)):

        def high(a: Term, b: Term, s: bool = is_signed) -> Term:
            return bits.extract(lane.wide_product(a, b, (s, s), 32), 16, 16)

        def product(a: Term, b: Term, s: bool = is_signed) -> Term:
            return lane.wide_product(bits.extract(a, 0, 32), bits.extract(b, 0, 32), (s, s), 64)

        yield f"mulhi_{kind}16", 16, high
        yield f"mul_{kind}32", 64, product
    yield "srav_epi32", 32, lambda a, b: bits.binary("ashr", a, b)
    yield "srlv_epi32", 32, lambda a, b: bits.binary("lshr", a, b)
    yield "sllv_epi32", 32, lambda a, b: bits.binary("shl", a, b)


def _bitwise(total: int, prefix: str, vector: str, requires: tuple[str, ...]) -> Iterator[Meaning]:
    for op in ("and", "or", "xor"):
        yield Meaning(f"{prefix}_{op}_si{total}", vector, (vector,) * 2, m.lanewise(32, lane.integer(op)), requires)
    clear = m.lanewise(32, lambda a, b: bits.bitwise("and", bits.negated(a), b))
    yield Meaning(f"{prefix}_andnot_si{total}", vector, (vector,) * 2, clear, requires)
    for width in (8, 16, 32):

        def absolute(x: Term, width: int = width) -> Term:
            return bits.ite(bits.sign_bit(x), bits.binary("sub", bits.const(0, width), x), x)

        yield Meaning(f"{prefix}_abs_epi{width}", vector, (vector,), m.lanewise(width, absolute), requires)
    if total != 512:
        blend = m.lanewise(8, lambda a, b, k: bits.ite(bits.sign_bit(k), b, a))
        yield Meaning(f"{prefix}_blendv_epi8", vector, (vector,) * 3, blend, requires)


def _set(total: int, prefix: str, vector: str, requires: tuple[str, ...]) -> Iterator[Meaning]:
    for width, element in _C.items():
        count, end = total // width, "x" if width == 64 and total != 512 else ""
        yield Meaning(f"{prefix}_set1_epi{width}{end}", vector, (element,),
                      lambda _, x, count=count: bits.concat([x] * count), requires)  # fmt: skip
        if total == 512 and width < 32:
            continue
        listed = (element,) * count
        yield Meaning(f"{prefix}_set_epi{width}{end}", vector, listed, lambda _, *x: bits.concat(reversed(x)), requires)
        if not (width == 64 and total == 128):
            yield Meaning(f"{prefix}_setr_epi{width}{end}", vector, listed, lambda _, *x: bits.concat(x), requires)


def _shifts(prefix: str, vector: str, requires: tuple[str, ...]) -> Iterator[Meaning]:
    for width in (16, 32, 64):
        for name, op in (("slli", "shl"), ("srli", "lshr"), ("srai", "ashr")):
            if (name, width) == ("srai", 64):
                continue

            def shifted(_: Any, x: Term, by: int, op: str = op, width: int = width) -> Term:
                amount = bits.const(by, width)  # all counts of the table are below 2^width
                return bits.concat(bits.binary(op, v, amount) for v in bits.lanes(x, width))

            counts = {1: tuple(range(256))}
            yield Meaning(f"{prefix}_{name}_epi{width}", vector, (vector, "imm"), shifted, requires, counts)


def _dots(prefix: str, vector: str, requires: tuple[str, ...]) -> Iterator[Meaning]:
    def pairs(a: Term, b: Term) -> Term:
        x, y = bits.lanes(a, 16), bits.lanes(b, 16)
        return bits.binary("add", *(lane.wide_product(p, q, (True, True), 32) for p, q in zip(x, y, strict=True)))

    def bytes_(a: Term, b: Term) -> Term:
        x, y = bits.lanes(a, 8), bits.lanes(b, 8)
        products = (lane.wide_product(p, q, (False, True), 32) for p, q in zip(x, y, strict=True))
        return lane.clamped(bits.binary("add", *products), 16, True)

    yield Meaning(f"{prefix}_madd_epi16", vector, (vector,) * 2, m.lanewise(32, pairs), requires)
    yield Meaning(f"{prefix}_maddubs_epi16", vector, (vector,) * 2, m.lanewise(16, bytes_), requires)


def _compared(prefix: str, vector: str, requires: tuple[str, ...]) -> Iterator[Meaning]:
    for width in _C:

        def larger(a: Term, b: Term, width: int = width) -> Term:
            return lane.all_ones(bits.compare("slt", b, a), width)

        def same(a: Term, b: Term, width: int = width) -> Term:
            return lane.all_ones(bits.compare("eq", a, b), width)

        yield Meaning(f"{prefix}_cmpgt_epi{width}", vector, (vector,) * 2, m.lanewise(width, larger), requires)
        yield Meaning(f"{prefix}_cmpeq_epi{width}", vector, (vector,) * 2, m.lanewise(width, same), requires)


def _masked_moves(total: int, prefix: str, vector: str) -> Iterator[Meaning]:
    for width, element in ((32, "int"), (64, "long long")):

        def loaded(promises: Any, p: Any, k: Term, width: int = width) -> Term:
            masks = [bits.sign_bit(x) for x in bits.lanes(k, width)]
            return m.masked_load(p, masks, width, [bits.const(0, width)] * len(masks), promises)

        def stored(promises: Any, p: Any, k: Term, x: Term, width: int = width) -> None:
            masks = [bits.sign_bit(y) for y in bits.lanes(k, width)]
            m.masked_store(p, masks, width, bits.lanes(x, width), promises)

        reach, to = total // 8, f"{element} *"
        yield Meaning(f"{prefix}_maskload_epi{width}", vector, (f"const {to}", vector), loaded, ("avx2",), reach=reach)
        yield Meaning(f"{prefix}_maskstore_epi{width}", "void", (to, vector, vector), stored, ("avx2",), reach=reach)


def _widened() -> Iterator[Meaning]:
    for kind, is_signed in (("epi", True), ("epu", False)):
        for a, b in ((8, 16), (8, 32), (8, 64), (16, 32), (16, 64), (32, 64)):
            for total, prefix in ((128, "_mm"), (256, "_mm256")):
                used = total // b * a

                def widened(_: Any, x: Term, a: int = a, b: int = b, used: int = used, s: bool = is_signed) -> Term:
                    return bits.concat(bits.resized(v, b, s) for v in bits.lanes(bits.extract(x, 0, used), a))

                name = f"{prefix}_cvt{kind}{a}_epi{b}"
                yield Meaning(name, f"__m{total}i", ("__m128i",), widened, ("avx2",))


def _shuffled(_: Any, x: Term, how: int) -> Term:
    return lane.half_by_half(32, lambda v: [v[how >> 2 * n & 3] for n in range(4)])(None, x)


def _permuted(_: Any, x: Term, index: Term) -> Term:
    lanes, found = bits.lanes(x, 32), []
    for i in bits.lanes(index, 32):
        which = bits.extract(i, 0, 3)
        pick = lanes[0]
        for n in range(1, 8):
            pick = bits.ite(bits.compare("eq", which, bits.const(n, 3)), lanes[n], pick)
        found.append(pick)
    return bits.concat(found)
