"""Meanings of AVX, AVX2, FMA and AVX-512 intrinsics, lane by lane, in Intel's names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from isamap_encodings import bit_terms as bits
from isamap_encodings.bit_terms import Term
from isamap_smt.isa import lane_operations as lane
from isamap_smt.isa import meanings as m
from isamap_smt.isa.c_values import Promises
from isamap_smt.isa.meanings import Meaning
from isamap_smt.isa.meanings_x86_integer import integers
from isamap_smt.isa.meanings_x86_masked import masked

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
