"""Meanings of AVX, AVX2, FMA and AVX-512 intrinsics, lane by lane, in Intel's names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from isamap_encodings import bit_terms as bits
from isamap_encodings.bit_terms import Term
from isamap_smt.isa import lane_operations as lane
from isamap_smt.isa import meanings as m
from isamap_smt.isa.c_values import Promises
from isamap_smt.isa.meanings import Meaning
from isamap_smt.isa.meanings_x86_masked import masked

# ---- Meanings of integer intrinsics of AVX2 and AVX-512, lane by lane.


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


FLOATS = (("ps", 32, "float", ""), ("pd", 64, "double", "d"))
WHOLE = ((128, "_mm", ("avx",)), (256, "_mm256", ("avx",)), (512, "_mm512", ("avx512f",)))
_BYTE = tuple(range(256))


def stated() -> Iterator[Meaning]:
    """All of them."""
    for total, prefix, requires in WHOLE:
        for end, width, element, letter in FLOATS:
            vector = f"__m{total}{letter}"
            yield from _arithmetic(prefix, end, width, vector, requires)
            yield from _moves(prefix, end, (width, element, vector, total), requires)
            yield from _shuffles(prefix, end, width, vector, total)
        yield from _integer_moves(total, prefix, requires)
    yield from _casts()
    yield from _conversions()
    yield from integers()
    yield from masked()
    nothing = (7, 6, 5, 4, 3, 2, 1, 0)
    yield Meaning("_mm_prefetch", "void", ("const void *", "imm"), lambda _, p, hint: None, ("avx",), {1: nothing})


def _arithmetic(prefix: str, end: str, width: int, vector: str, requires: tuple[str, ...]) -> Iterator[Meaning]:
    two = {"add": lane.number("fadd"), "sub": lane.number("fsub"), "mul": lane.number("fmul"), "div": lane.number("fdiv"),
           "max": lane.x86_max, "min": lane.x86_min}  # fmt: skip
    for name, operation in two.items():
        yield Meaning(f"{prefix}_{name}_{end}", vector, (vector,) * 2, m.lanewise(width, operation), requires)
    signs = {"fmadd": (1, 1), "fmsub": (1, -1), "fnmadd": (-1, 1), "fnmsub": (-1, -1)}
    for name, sign in signs.items():
        needs = ("fma",) if prefix != "_mm512" else requires
        yield Meaning(f"{prefix}_{name}_{end}", vector, (vector,) * 3, m.lanewise(width, lane.fmadd(*sign)), needs)
    if prefix == "_mm512":
        return
    for name, op in (("and", "and"), ("or", "or"), ("xor", "xor")):
        yield Meaning(f"{prefix}_{name}_{end}", vector, (vector,) * 2, m.lanewise(width, lane.integer(op)), requires)
    clear = m.lanewise(width, lambda a, b: bits.bitwise("and", bits.negated(a), b))
    yield Meaning(f"{prefix}_andnot_{end}", vector, (vector,) * 2, clear, requires)

    def compared(_: Any, a: Term, b: Term, predicate: int) -> Term:
        pairs = zip(bits.lanes(a, width), bits.lanes(b, width), strict=True)
        return bits.concat(lane.all_ones(lane.x86_compare(predicate, x, y), width) for x, y in pairs)

    yield Meaning(f"{prefix}_cmp_{end}", vector, (vector, vector, "imm"), compared, requires, {2: tuple(range(32))})
    blend = m.lanewise(width, lambda a, b, k: bits.ite(bits.sign_bit(k), b, a))
    yield Meaning(f"{prefix}_blendv_{end}", vector, (vector,) * 3, blend, requires)


def _moves(prefix: str, end: str, shape: tuple[int, str, str, int], requires: tuple[str, ...]) -> Iterator[Meaning]:
    width, element, vector, total = shape
    count, here = total // width, f"const {element} *"
    yield Meaning(f"{prefix}_setzero_{end}", vector, (), lambda _: bits.const(0, total), requires)
    yield Meaning(f"{prefix}_set1_{end}", vector, (element,), lambda _, x: bits.concat([x] * count), requires)
    yield Meaning(f"{prefix}_set_{end}", vector, (element,) * count, lambda _, *x: bits.concat(reversed(x)), requires)
    yield Meaning(f"{prefix}_setr_{end}", vector, (element,) * count, lambda _, *x: bits.concat(x), requires)
    size = total // 8
    yield Meaning(f"{prefix}_loadu_{end}", vector, (here,), m.load(total), requires, reach=size)
    yield Meaning(f"{prefix}_storeu_{end}", "void", (f"{element} *", vector), m.store(total), requires, reach=size)
    name = f"{prefix}_load_{end}"
    yield Meaning(name, vector, (here,), m.aligned(m.load(total), size, name), requires, reach=size)
    name = f"{prefix}_store_{end}"
    yield Meaning(name, "void", (f"{element} *", vector), m.aligned(m.store(total), size, name), requires, reach=size)
    if prefix == "_mm512":
        return
    one = {"ps": "ss", "pd": "sd"}[end]
    if (prefix, end) != ("_mm", "pd"):
        yield Meaning(f"{prefix}_broadcast_{one}", vector, (here,),
                      lambda _, p: bits.concat([p.block.load(p.offset, width)] * count), requires, reach=width // 8)  # fmt: skip
    whole = f"__m{total}i"

    def loaded(promises: Any, p: Any, k: Term) -> Term:
        masks = [bits.sign_bit(x) for x in bits.lanes(k, width)]
        return m.masked_load(p, masks, width, [bits.const(0, width)] * count, promises)

    def stored(promises: Any, p: Any, k: Term, x: Term) -> None:
        masks = [bits.sign_bit(y) for y in bits.lanes(k, width)]
        m.masked_store(p, masks, width, bits.lanes(x, width), promises)

    yield Meaning(f"{prefix}_maskload_{end}", vector, (here, whole), loaded, requires, reach=size)
    yield Meaning(f"{prefix}_maskstore_{end}", "void", (f"{element} *", whole, vector), stored, requires, reach=size)


def _shuffles(prefix: str, end: str, width: int, vector: str, total: int) -> Iterator[Meaning]:
    requires = ("avx512f",) if total == 512 else ("avx",)

    def low(a: list[Term], b: list[Term]) -> list[Term]:
        return [x for pair in zip(a, b, strict=True) for x in pair][: len(a)]

    def high(a: list[Term], b: list[Term]) -> list[Term]:
        return [x for pair in zip(a, b, strict=True) for x in pair][len(a) :]

    for name, operation in (("unpacklo", low), ("unpackhi", high)):
        yield Meaning(f"{prefix}_{name}_{end}", vector, (vector,) * 2, lane.half_by_half(width, operation), requires)
    if total == 512:
        return
    for name, op in (("hadd", "fadd"), ("hsub", "fsub")):

        def across(a: list[Term], b: list[Term], op: str = op) -> list[Term]:
            return [bits.rounded(op, v[n], v[n + 1]) for v in (a, b) for n in range(0, len(v), 2)]

        yield Meaning(f"{prefix}_{name}_{end}", vector, (vector,) * 2, lane.half_by_half(width, across), requires)
    if end == "pd":
        return

    def shuffled(_: Any, a: Term, b: Term, how: int) -> Term:
        picks = [how >> 2 * n & 3 for n in range(4)]
        inner = lane.half_by_half(32, lambda x, y: [x[picks[0]], x[picks[1]], y[picks[2]], y[picks[3]]])
        return inner(None, a, b)

    yield Meaning(f"{prefix}_shuffle_ps", vector, (vector, vector, "imm"), shuffled, requires, {2: _BYTE})
    yield Meaning(
        f"{prefix}_permute_ps", vector, (vector, "imm"), lambda _, a, how: shuffled(_, a, a, how), requires, {1: _BYTE}
    )
    for name, odd in (("movehdup", 1), ("moveldup", 0)):
        pick = lane.half_by_half(32, lambda x, odd=odd: [x[odd], x[odd], x[2 + odd], x[2 + odd]])
        yield Meaning(f"{prefix}_{name}_ps", vector, (vector,), pick, requires)


def _integer_moves(total: int, prefix: str, requires: tuple[str, ...]) -> Iterator[Meaning]:
    vector, size = f"__m{total}i", total // 8
    yield Meaning(f"{prefix}_setzero_si{total}", vector, (), lambda _: bits.const(0, total), requires)
    here = "void *" if total == 512 else f"{vector} *"
    yield Meaning(f"{prefix}_loadu_si{total}", vector, (f"const {here}",), m.load(total), requires, reach=size)
    yield Meaning(f"{prefix}_storeu_si{total}", "void", (here, vector), m.store(total), requires, reach=size)
    if total == 512:
        return
    name = f"{prefix}_load_si{total}"
    yield Meaning(name, vector, (f"const {here}",), m.aligned(m.load(total), size, name), requires, reach=size)
    name = f"{prefix}_store_si{total}"
    yield Meaning(name, "void", (here, vector), m.aligned(m.store(total), size, name), requires, reach=size)


def _casts() -> Iterator[Meaning]:
    """The same bits under another type; what is wider than before is not defined."""
    for total, prefix, requires in WHOLE:
        for a, to_a in (("ps", ""), ("pd", "d"), (f"si{total}", "i")):
            for b, to_b in (("ps", ""), ("pd", "d"), (f"si{total}", "i")):
                if a != b:
                    name = f"{prefix}_cast{a}_{b}"
                    yield Meaning(name, f"__m{total}{to_b}", (f"__m{total}{to_a}",), lambda _, x: x, requires)
    for big, small, prefix, requires in ((256, 128, "_mm256", ("avx",)), (512, 256, "_mm512", ("avx512f",))):
        for kind, letter in (("ps", ""), ("pd", "d"), ("si", "i")):
            narrow, wide = f"{kind}{small}", f"{kind}{big}"
            types = f"__m{big}{letter}", f"__m{small}{letter}"

            def down(_: Any, x: Term, small: int = small) -> Term:
                return bits.extract(x, 0, small)

            def up(promises: Promises, x: Term, small: int = small) -> Term:
                return bits.concat([x, promises.undefined("upper half", small)])

            yield Meaning(f"{prefix}_cast{wide}_{narrow}", types[1], (types[0],), down, requires)
            yield Meaning(f"{prefix}_cast{narrow}_{wide}", types[0], (types[1],), up, requires)


def _conversions() -> Iterator[Meaning]:
    halves = (("extractf128_ps", ""), ("extractf128_pd", "d"), ("extractf128_si256", "i"), ("extracti128_si256", "i"))
    for name, letter in halves:
        needs = ("avx2",) if "i128" in name else ("avx",)
        yield Meaning(f"_mm256_{name}", f"__m128{letter}", (f"__m256{letter}", "imm"),
                      lambda _, x, n: bits.extract(x, 128 * n, 128), needs, {1: (0, 1)})  # fmt: skip
    for name, letter in (
        ("insertf128_ps", ""),
        ("insertf128_pd", "d"),
        ("insertf128_si256", "i"),
        ("inserti128_si256", "i"),
    ):

        def put(_: Any, x: Term, y: Term, n: int) -> Term:
            return bits.concat([bits.extract(x, 0, 128), y] if n else [y, bits.extract(x, 128, 128)])

        types = (f"__m256{letter}", f"__m128{letter}", "imm")
        yield Meaning(f"_mm256_{name}", types[0], types, put, ("avx2",) if "i128" in name else ("avx",), {2: (0, 1)})
    for total, prefix in ((128, "_mm"), (256, "_mm256")):
        yield Meaning(f"{prefix}_cvtss_f32", "float", (f"__m{total}",), lambda _, x: bits.extract(x, 0, 32), ("avx",))
        yield Meaning(f"{prefix}_cvtsd_f64", "double", (f"__m{total}d",), lambda _, x: bits.extract(x, 0, 64), ("avx",))
    for total, prefix, requires in WHOLE[1:]:
        half = f"__m{total // 2}"
        widened = m.lanewise(32, lambda x: bits.converted("ff", x, 64))
        narrowed = m.lanewise(64, lambda x: bits.converted("ff", x, 32))
        yield Meaning(f"{prefix}_cvtps_pd", f"__m{total}d", (half,), widened, requires)
        yield Meaning(f"{prefix}_cvtpd_ps", half, (f"__m{total}d",), narrowed, requires)
    for total, prefix, requires in WHOLE:
        to_float = m.lanewise(32, lambda x: bits.converted("sf", x, 32))
        yield Meaning(f"{prefix}_cvtepi32_ps", f"__m{total}", (f"__m{total}i",), to_float, requires)
    types = ("__m256", "__m256", "imm")
    for name, letter in (("ps", ""), ("pd", "d"), ("si256", "i")):
        kinds = (f"__m256{letter}", f"__m256{letter}", "imm")
        yield Meaning(f"_mm256_permute2f128_{name}", kinds[0], kinds, _halves_chosen, ("avx",), {2: _BYTE})
    yield Meaning("_mm_movehl_ps", "__m128", ("__m128",) * 2,
                  lambda _, a, b: bits.concat([bits.extract(b, 64, 64), bits.extract(a, 64, 64)]), ("avx",))  # fmt: skip
    for name, op in (("add", "fadd"), ("mul", "fmul")):

        def first(_: Any, a: Term, b: Term, op: str = op) -> Term:
            low = bits.rounded(op, bits.extract(a, 0, 32), bits.extract(b, 0, 32))
            return bits.concat([low, bits.extract(a, 32, 96)])

        yield Meaning(f"_mm_{name}_ss", "__m128", ("__m128",) * 2, first, ("avx",))

    def blended(_: Any, a: Term, b: Term, how: int) -> Term:
        pairs = zip(bits.lanes(a, 32), bits.lanes(b, 32), strict=True)
        return bits.concat(y if how >> n & 1 else x for n, (x, y) in enumerate(pairs))

    yield Meaning("_mm256_blend_ps", "__m256", types, blended, ("avx",), {2: _BYTE})


def _halves_chosen(_: Any, a: Term, b: Term, how: int) -> Term:
    halves = [bits.extract(v, at, 128) for v in (a, b) for at in (0, 128)]
    picks = (how & 15, how >> 4)
    return bits.concat(bits.const(0, 128) if p & 8 else halves[p & 3] for p in picks)
