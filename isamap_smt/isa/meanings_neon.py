"""Meanings of NEON intrinsics of 64-bit Arm, lane by lane, in Arm's names.

vmla and vmls of floating point round the product and the sum each, as Arm's reference says; compilers contract them only where they
are told to.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from isamap_encodings import bit_terms as bits
from isamap_encodings.bit_terms import Term
from isamap_smt.isa import lane_operations as lane
from isamap_smt.isa import meanings as m
from isamap_smt.isa.meanings import Lanes, Meaning

_BASE = ("asimd",)
_WORDS = {"f": "float", "s": "int", "u": "uint"}
Lane = Callable[..., Term]


@dataclass(frozen=True)
class _Kind:
    """Lanes of one type: f32, s8 and so on."""

    letter: str
    width: int

    @property
    def end(self) -> str:
        return f"{self.letter}{self.width}"

    @property
    def element(self) -> str:
        return f"{_WORDS[self.letter]}{self.width}_t"

    def vector(self, total: int = 128) -> str:
        return f"{_WORDS[self.letter]}{self.width}x{total // self.width}_t"

    @property
    def requires(self) -> tuple[str, ...]:
        return ("asimd", "asimdhp") if self.end == "f16" else _BASE

    @property
    def count(self) -> int:
        return 128 // self.width


_FLOATS = tuple(_Kind("f", n) for n in (16, 32, 64))
_WHOLE = tuple(_Kind(s, n) for s in "su" for n in (8, 16, 32, 64))


def stated() -> Iterator[Meaning]:
    """All of them."""
    for k in (*_FLOATS, *_WHOLE):
        yield from _moves(k)
        yield from _several(k)
        yield from _lanes(k)
        yield from _reinterpreted(k)
    for k in _FLOATS:
        yield from _numbers(k)
    for k in _WHOLE:
        yield from _integers(k)
    for k in (_Kind("s", 8), _Kind("s", 16), _Kind("u", 8), _Kind("u", 16)):
        yield from _widened(k)
    yield from _conversions()
    for end in ("s", "u"):
        sums = f"{_WORDS[end]}32x4_t"
        yield Meaning(
            f"vdotq_{end}32", sums, (sums, *[f"{_WORDS[end]}8x16_t"] * 2), _dot((end == "s",) * 2), ("asimd", "asimddp")
        )
    for name, left, right in (("mmla", "s", "s"), ("mmla", "u", "u"), ("usmmla", "u", "s"), ("usdot", "u", "s")):
        sums = f"{_WORDS[right]}32x4_t"
        compute = (_dot if name == "usdot" else _matrices)((left == "s", right == "s"))
        operands = (sums, f"{_WORDS[left]}8x16_t", f"{_WORDS[right]}8x16_t")
        yield Meaning(f"v{name}q_{right}32", sums, operands, compute, ("asimd", "i8mm"))


def _moves(k: _Kind) -> Iterator[Meaning]:
    v, element = k.vector(), k.element
    here = f"const {element} *"

    def repeat(_: Any, x: Term) -> Term:
        return bits.concat([x] * k.count)

    yield Meaning(f"vld1q_{k.end}", v, (here,), m.load(128), k.requires, reach=16)
    yield Meaning(f"vst1q_{k.end}", "void", (f"{element} *", v), m.store(128), k.requires, reach=16)
    yield Meaning(f"vld1_{k.end}", k.vector(64), (here,), m.load(64), k.requires, reach=8)
    yield Meaning(f"vst1_{k.end}", "void", (f"{element} *", k.vector(64)), m.store(64), k.requires, reach=8)
    yield Meaning(
        f"vld1q_dup_{k.end}", v, (here,), lambda _, p: repeat(_, p.block.load(p.offset, k.width)), k.requires, reach=8
    )
    yield Meaning(f"vdupq_n_{k.end}", v, (element,), repeat, k.requires)
    yield Meaning(f"vmovq_n_{k.end}", v, (element,), repeat, k.requires)


def _several(k: _Kind) -> Iterator[Meaning]:
    """Two to four vectors at once: elements in turn between memory and vectors, and vectors woven, apart and transposed."""
    for q, total in (("q", 128), ("", 64)):
        v, count = k.vector(total), total // k.width
        for n in (2, 3, 4):
            whole, size = f"{v.removesuffix('_t')}x{n}_t", n * total

            def apart(_: Any, p: Any, n: int = n, size: int = size) -> Term:
                elements = bits.lanes(p.block.load(p.offset, size), k.width)
                return bits.concat(x for r in range(n) for x in elements[r::n])

            def together(_: Any, p: Any, x: Term, count: int = count) -> None:
                lanes = bits.lanes(x, k.width)
                p.block.store(p.offset, bits.concat(y for e in range(count) for y in lanes[e::count]))

            here, there, reach = f"const {k.element} *", f"{k.element} *", size // 8
            yield Meaning(f"vld{n}{q}_{k.end}", whole, (here,), apart, k.requires, reach=reach)
            yield Meaning(f"vst{n}{q}_{k.end}", "void", (there, whole), together, k.requires, reach=reach)
            yield Meaning(f"vld1{q}_{k.end}_x{n}", whole, (here,), m.load(size), k.requires, reach=reach)
            yield Meaning(f"vst1{q}_{k.end}_x{n}", "void", (there, whole), m.store(size), k.requires, reach=reach)
    if k.width < 64:
        v, pair = k.vector(), f"{k.vector().removesuffix('_t')}x2_t"
        picked: dict[str, Callable[[Lanes, Lanes], Lanes]] = {
            "zip": _woven,
            "uzp": lambda a, b: [*(a + b)[::2], *(a + b)[1::2]],
            "trn": lambda a, b: [*_woven(a[::2], b[::2]), *_woven(a[1::2], b[1::2])],
        }
        for name, pick in picked.items():

            def both(_: Any, x: Term, y: Term, pick: Callable[[Lanes, Lanes], Lanes] = pick) -> Term:
                return bits.concat(pick(bits.lanes(x, k.width), bits.lanes(y, k.width)))

            yield Meaning(f"v{name}q_{k.end}", pair, (v, v), both, k.requires)


def _lanes(k: _Kind) -> Iterator[Meaning]:
    v, half, n = k.vector(), k.vector(64), k.count
    which = tuple(range(n))
    yield Meaning(f"vget_low_{k.end}", half, (v,), lambda _, x: bits.extract(x, 0, 64), k.requires)
    yield Meaning(f"vget_high_{k.end}", half, (v,), lambda _, x: bits.extract(x, 64, 64), k.requires)
    yield Meaning(f"vcombine_{k.end}", v, (half, half), lambda _, x, y: bits.concat([x, y]), k.requires)
    yield Meaning(f"vgetq_lane_{k.end}", k.element, (v, "imm"),
                  lambda _, x, i: bits.extract(x, i * k.width, k.width), k.requires, {1: which})  # fmt: skip

    def put(_: Any, x: Term, y: Term, i: int) -> Term:
        parts = bits.lanes(y, k.width)
        parts[i] = x
        return bits.concat(parts)

    yield Meaning(f"vsetq_lane_{k.end}", v, (k.element, v, "imm"), put, k.requires, {2: which})
    yield Meaning(f"vdupq_laneq_{k.end}", v, (v, "imm"),
                  lambda _, x, i: bits.concat([bits.lanes(x, k.width)[i]] * n), k.requires, {1: which})  # fmt: skip
    yield Meaning(f"vextq_{k.end}", v, (v, v, "imm"),
                  lambda _, x, y, i: bits.extract(bits.concat([x, y]), i * k.width, 128), k.requires, {2: which})  # fmt: skip

    def taken(pick: Callable[[list[Term], list[Term]], list[Term]]) -> Callable[..., Term]:
        return lambda _, x, y: bits.concat(pick(bits.lanes(x, k.width), bits.lanes(y, k.width)))

    yield Meaning(f"vzip1q_{k.end}", v, (v, v), taken(lambda a, b: _woven(a, b)[:n]), k.requires)
    yield Meaning(f"vzip2q_{k.end}", v, (v, v), taken(lambda a, b: _woven(a, b)[n:]), k.requires)
    yield Meaning(f"vuzp1q_{k.end}", v, (v, v), taken(lambda a, b: (a + b)[::2]), k.requires)
    yield Meaning(f"vuzp2q_{k.end}", v, (v, v), taken(lambda a, b: (a + b)[1::2]), k.requires)
    mask = _Kind("u", k.width).vector()
    chosen = m.lanewise(
        k.width, lambda c, a, b: bits.bitwise("or", bits.bitwise("and", c, a), bits.bitwise("and", bits.negated(c), b))
    )
    yield Meaning(f"vbslq_{k.end}", v, (mask, v, v), chosen, k.requires)


def _reinterpreted(k: _Kind) -> Iterator[Meaning]:
    for other in (*_FLOATS, *_WHOLE):
        if other != k:
            needs = (*dict.fromkeys((*k.requires, *other.requires)),)
            yield Meaning(f"vreinterpretq_{other.end}_{k.end}", other.vector(), (k.vector(),), lambda _, x: x, needs)


def _numbers(k: _Kind) -> Iterator[Meaning]:
    v, w = k.vector(), k.width
    two: dict[str, Lane] = {"add": lane.number("fadd"), "sub": lane.number("fsub"), "mul": lane.number("fmul"),
           "div": lane.number("fdiv"), "max": lane.arm_max, "min": lane.arm_min}  # fmt: skip
    for name, operation in two.items():
        yield Meaning(f"v{name}q_{k.end}", v, (v, v), m.lanewise(w, operation), k.requires)
    yield Meaning(f"vnegq_{k.end}", v, (v,), m.lanewise(w, bits.opposite), k.requires)
    positive = m.lanewise(w, lambda x: bits.concat([bits.extract(x, 0, w - 1), bits.FALSE]))
    yield Meaning(f"vabsq_{k.end}", v, (v,), positive, k.requires)
    fused: dict[str, Lane] = {"fma": lambda c, a, b: bits.rounded("fma", a, b, c),
                              "fms": lambda c, a, b: bits.rounded("fma", bits.opposite(a), b, c)}  # fmt: skip
    for name, operation in fused.items():
        yield from _products(k, name, operation, laneq=True)
    if k.width != 16:
        yield from _products(k, "mla", lane.unfused(1), laneq=k.width == 32)
        yield from _products(k, "mls", lane.unfused(-1), laneq=k.width == 32)
    yield Meaning(f"vmulq_n_{k.end}", v, (v, k.element),
                  lambda p, a, x: m.lanewise(w, lane.number("fmul"))(p, a, bits.concat([x] * k.count)), k.requires)  # fmt: skip
    which = {2: tuple(range(k.count))}
    yield Meaning(f"vmulq_laneq_{k.end}", v, (v, v, "imm"), _by_lane(k, lane.number("fmul"), 1), k.requires, which)
    if k.width != 16:
        yield Meaning(
            f"vaddvq_{k.end}", k.element, (v,), lambda _, x: _folded(bits.lanes(x, w), lane.number("fadd")), k.requires
        )
    yield Meaning(f"vpaddq_{k.end}", v, (v, v), _pairwise(w, lane.number("fadd")), k.requires)
    yield from _comparisons(k, {"ceq": lambda a, b: bits.compare("feq", a, b), "cgt": lambda a, b: bits.compare("flt", b, a),
                                "cge": lambda a, b: bits.compare("fle", b, a), "clt": lambda a, b: bits.compare("flt", a, b),
                                "cle": lambda a, b: bits.compare("fle", a, b)})  # fmt: skip


def _products(k: _Kind, name: str, operation: Lane, laneq: bool) -> Iterator[Meaning]:
    v, w = k.vector(), k.width
    whole = m.lanewise(w, operation)
    yield Meaning(f"v{name}q_{k.end}", v, (v, v, v), whole, k.requires)
    if not (name == "mla" and k.width == 64) and not (name == "mls" and k.width == 64):
        yield Meaning(f"v{name}q_n_{k.end}", v, (v, v, k.element),
                      lambda p, c, a, x: whole(p, c, a, bits.concat([x] * k.count)), k.requires)  # fmt: skip
    if laneq:
        which = {3: tuple(range(k.count))}
        yield Meaning(f"v{name}q_laneq_{k.end}", v, (v, v, v, "imm"), _by_lane(k, operation, 2), k.requires, which)


def _by_lane(k: _Kind, operation: Lane, last: int) -> Callable[..., Term]:
    """The operation with one lane of its last vector in every place."""

    def compute(promises: Any, *x: Any) -> Term:
        one = bits.lanes(x[last], k.width)[x[last + 1]]
        return m.lanewise(k.width, operation)(promises, *x[:last], bits.concat([one] * k.count))

    return compute


def _paired(x: list[Term], operation: Lane) -> list[Term]:
    return [operation(a, b) for a, b in zip(x[::2], x[1::2], strict=True)]


def _pairwise(width: int, operation: Lane) -> Callable[..., Term]:
    """Neighbours of the first vector, then of the second."""
    return lambda _, x, y: bits.concat(_paired(bits.lanes(x, width) + bits.lanes(y, width), operation))


def _woven(a: list[Term], b: list[Term]) -> list[Term]:
    return [x for pair in zip(a, b, strict=True) for x in pair]


def _folded(x: list[Term], operation: Lane) -> Term:
    """Neighbours first, as the pairwise instructions do."""
    while len(x) > 1:
        x = _paired(x, operation)
    return x[0]


def _comparisons(k: _Kind, operations: dict[str, Lane]) -> Iterator[Meaning]:
    mask = _Kind("u", k.width).vector()
    for name, operation in operations.items():

        def compared(a: Term, b: Term, operation: Lane = operation) -> Term:
            return lane.all_ones(operation(a, b), k.width)

        yield Meaning(f"v{name}q_{k.end}", mask, (k.vector(),) * 2, m.lanewise(k.width, compared), k.requires)


def _integers(k: _Kind) -> Iterator[Meaning]:
    v, w, s = k.vector(), k.width, k.letter == "s"
    names = {"vaddq": "add", "vsubq": "sub", "vandq": "and", "vorrq": "or", "veorq": "xor"} | (
        {"vmulq": "mul"} if w < 64 else {}
    )
    for name, op in names.items():
        yield Meaning(f"{name}_{k.end}", v, (v, v), m.lanewise(w, lane.integer(op)), _BASE)
    if w < 64:
        for name, op in (("mla", "add"), ("mls", "sub")):

            def product(c: Term, a: Term, b: Term, op: str = op) -> Term:
                return bits.binary(op, c, bits.binary("mul", a, b))

            yield Meaning(f"v{name}q_{k.end}", v, (v, v, v), m.lanewise(w, product), _BASE)
        yield Meaning(f"vmaxq_{k.end}", v, (v, v), m.lanewise(w, lambda a, b: lane.larger(a, b, s)), _BASE)
        yield Meaning(f"vminq_{k.end}", v, (v, v), m.lanewise(w, lambda a, b: lane.smaller(a, b, s)), _BASE)
    for name, op in (("vqaddq", "add"), ("vqsubq", "sub")):
        if w < 64:

            def clamped(a: Term, b: Term, op: str = op) -> Term:
                return lane.saturated(op, a, b, s)

            yield Meaning(f"{name}_{k.end}", v, (v, v), m.lanewise(w, clamped), _BASE)
    if s:
        opposite = m.lanewise(w, lambda x: bits.binary("sub", bits.const(0, w), x))
        yield Meaning(f"vnegq_{k.end}", v, (v,), opposite, _BASE)
    yield Meaning(
        f"vaddvq_{k.end}", k.element, (v,), lambda _, x: _folded(bits.lanes(x, w), lane.integer("add")), _BASE
    )
    yield Meaning(f"vpaddq_{k.end}", v, (v, v), _pairwise(w, lane.integer("add")), _BASE)
    yield from _comparisons(k, {"ceq": lambda a, b: bits.compare("eq", a, b), "cgt": lambda a, b: lane.less(b, a, s),
                                "cge": lambda a, b: bits.negated(lane.less(a, b, s)), "clt": lambda a, b: lane.less(a, b, s),
                                "cle": lambda a, b: bits.negated(lane.less(b, a, s))})  # fmt: skip


def _widened(k: _Kind) -> Iterator[Meaning]:
    """Of 64 bits to 128: each lane twice as wide."""
    wide, w, s = _Kind(k.letter, 2 * k.width), k.width, k.letter == "s"

    def over(operation: Lane) -> Callable[..., Term]:
        return lambda _, *x: bits.concat(operation(*a) for a in zip(*(bits.lanes(v, w) for v in x), strict=True))

    def product(a: Term, b: Term) -> Term:
        return lane.wide_product(a, b, (s, s), 2 * w)

    half = k.vector(64)
    yield Meaning(f"vmull_{k.end}", wide.vector(), (half, half), over(product), _BASE)
    yield Meaning(f"vmovl_{k.end}", wide.vector(), (half,), over(lambda a: bits.resized(a, 2 * w, s)), _BASE)

    def pairs(_: Any, x: Term) -> Term:
        parts = [bits.resized(v, 2 * w, s) for v in bits.lanes(x, w)]
        return bits.concat(_paired(parts, lane.integer("add")))

    yield Meaning(f"vpaddlq_{k.end}", wide.vector(), (k.vector(),), pairs, _BASE)

    def added(promises: Any, c: Term, a: Term, b: Term) -> Term:
        return m.lanewise(2 * w, lane.integer("add"))(promises, c, over(product)(promises, a, b))

    yield Meaning(f"vmlal_{k.end}", wide.vector(), (wide.vector(), half, half), added, _BASE)


def _dot(signs: tuple[bool, bool]) -> Callable[..., Term]:
    def compute(_: Any, acc: Term, a: Term, b: Term) -> Term:
        sums = bits.lanes(acc, 32)
        products = [lane.wide_product(x, y, signs, 32) for x, y in zip(bits.lanes(a, 8), bits.lanes(b, 8), strict=True)]
        for n, p in enumerate(products):
            sums[n // 4] = bits.binary("add", sums[n // 4], p)
        return bits.concat(sums)

    return compute


def _matrices(signs: tuple[bool, bool]) -> Callable[..., Term]:
    """2 x 2 sums, row after row, of the products along the rows of eight bytes of both factors."""

    def compute(_: Any, acc: Term, a: Term, b: Term) -> Term:
        sums, left, right = bits.lanes(acc, 32), bits.lanes(a, 8), bits.lanes(b, 8)
        for i, j, k in itertools.product(range(2), range(2), range(8)):
            p = lane.wide_product(left[8 * i + k], right[8 * j + k], signs, 32)
            sums[2 * i + j] = bits.binary("add", sums[2 * i + j], p)
        return bits.concat(sums)

    return compute


def _conversions() -> Iterator[Meaning]:
    def pairs(op: str, a: int, b: int) -> Callable[..., Term]:
        return lambda _, x: bits.concat(bits.converted(op, v, b) for v in bits.lanes(x, a))

    yield Meaning("vcvt_f64_f32", "float64x2_t", ("float32x2_t",), pairs("ff", 32, 64), _BASE)
    yield Meaning("vcvt_f32_f64", "float32x2_t", ("float64x2_t",), pairs("ff", 64, 32), _BASE)
    yield Meaning("vcvt_f32_f16", "float32x4_t", ("float16x4_t",), pairs("ff", 16, 32), _BASE)
    yield Meaning("vcvt_f16_f32", "float16x4_t", ("float32x4_t",), pairs("ff", 32, 16), _BASE)
    for w, n in ((32, 4), (64, 2)):
        yield Meaning(f"vcvtq_f{w}_s{w}", f"float{w}x{n}_t", (f"int{w}x{n}_t",), pairs("sf", w, w), _BASE)
        yield Meaning(f"vcvtq_f{w}_u{w}", f"float{w}x{n}_t", (f"uint{w}x{n}_t",), pairs("uf", w, w), _BASE)
        yield Meaning(f"vcvtq_s{w}_f{w}", f"int{w}x{n}_t", (f"float{w}x{n}_t",), pairs("fs", w, w), _BASE)
        yield Meaning(f"vcvtq_u{w}_f{w}", f"uint{w}x{n}_t", (f"float{w}x{n}_t",), pairs("fu", w, w), _BASE)
