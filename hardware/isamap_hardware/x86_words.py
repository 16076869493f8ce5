"""Lanes that change their type on x86: integers of 8, 16 and 32 bits, f16, bf16 and f32 in registers of one number of lanes.

A lane of 32 bits fills the register; a narrower one lies in a register of as many lanes. The language's conversions
(NaN is 0, numbers beyond the type are clamped, nothing is rounded twice) are a maximum, a minimum and one conversion
here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import isamap_smt as im
from isamap_hardware.lanewise import CHOICES
from isamap_hardware.moves import MoveCode, Register, moves


@dataclass(frozen=True)
class Kind:
    """How lanes of one type lie in a register: C type, and the C of moves."""

    c_type: str
    code: MoveCode


@dataclass(frozen=True)
class Lanes:
    """A machine's registers of one number of lanes. kinds: by element type. requires: features that everything on them needs."""

    machine: str
    memory: str
    count: int
    kinds: dict[str, Kind]
    requires: tuple[str, ...]
    headers: tuple[str, ...]
    prelude: tuple[str, ...]

    def step(
        self, name: str, text: str, types: str, emit: str, latency: float, per_cycle: float,
        more: tuple[str, ...] = (), parts: Sequence[tuple[float, Sequence[str]]] = (),
        assume: Sequence[tuple[str, int, int]] = (),
    ) -> im.Instruction:  # fmt: skip
        """An instruction that computes each lane by itself. types: `c=i8 a=f32`. more: further features it needs."""
        dtypes = dict(t.split("=") for t in types.split())
        return im.instruction(
            f"{self.machine}.{name}",
            text,
            axes={"l": self.count},
            temporaries=1,
            dtypes=dtypes,
            places=dict.fromkeys(dtypes, self.memory),
            emit=emit,
            requires=(*self.requires, *more),
            latency=latency,
            per_cycle=per_cycle,
            parts=parts,
            assume=assume,
            rounding="unfused" if any(t in ("f32", "f16", "bf16") for t in dtypes.values()) else "exact",
            c_types={o: self.kinds[t].c_type for o, t in dtypes.items()},
            headers=self.headers,
            prelude=self.prelude,
        )

    def moves(self, dtypes: str) -> Iterator[im.Instruction]:
        """The moves of these types; their names say how many lanes."""
        for dtype in dtypes.split():
            kind = self.kinds[dtype]
            register = Register(self.machine, self.memory, dtype, self.count, 1, kind.c_type, f"{dtype}_{self.count}")
            yield from moves(register, kind.code, self.requires, self.prelude, self.headers)


BOUNDS = {"i8": (-128, 127), "u8": (0, 255), "i16": (-32768, 32767), "u16": (0, 65535)}


def conversions(w: Lanes, p: str, narrow: Callable[[str, str], str]) -> Iterator[im.Instruction]:
    """Between f32, i32 and narrower integers. p: prefix of the helper functions. narrow: C of the lower bits of words."""
    n = w.count
    yield w.step(f"f32_of_i32_{n}", "c[l] = f32(a[l])", "c=f32 a=i32", f"{{c}} = {p}_floats({{a}});", 4.0, 2.0)
    yield w.step(f"i32_of_f32_{n}", "c[l] = i32(a[l])", "c=i32 a=f32", f"{{c}} = {p}_cut({{a}});", 12.0, 0.5)
    yield w.step(f"round_i32_{n}", "c[l] = round_i32(a[l])", "c=i32 a=f32", f"{{c}} = {p}_rounded({{a}});", 12.0, 0.5)
    for t, (low, high) in BOUNDS.items():
        bits = "bytes" if t.endswith("8") else "halves"
        wide = f"{p}_wide_{t}({{a}})"
        clamped = f"{p}_limited({{a}}, {low}, {high})"
        floats = f"{p}_clamped({{a}}, {low}.0f, {high}.0f)"
        sums = f"{p}_limited({p}_sum({{a}}, {{b}}), {low}, {high})"
        yield w.step(f"i32_of_{t}_{n}", "c[l] = i32(a[l])", f"c=i32 a={t}", f"{{c}} = {wide};", 3.0, 1.0)
        yield w.step(f"f32_of_{t}_{n}", "c[l] = f32(a[l])", f"c=f32 a={t}", f"{{c}} = {p}_floats({wide});", 7.0, 0.67)
        yield w.step(
            f"{t}_of_i32_{n}", f"c[l] = {t}(a[l])", f"c={t} a=i32", f"{{c}} = {narrow(bits, '{a}')};", 4.0, 0.5
        )
        yield w.step(
            f"sat_{t}_{n}", f"c[l] = sat_{t}(a[l])", f"c={t} a=i32", f"{{c}} = {narrow(bits, clamped)};", 6.0, 0.4
        )
        yield w.step(
            f"sat_{t}_sum_{n}",
            f"c[l] = sat_{t}(a[l] + b[l])",
            f"c={t} a=i32 b=i32",
            f"{{c}} = {narrow(bits, sums)};",
            12.0,
            0.25,
        )
        for name, text, call in (
            (f"round_{t}", f"round_{t}(a[l])", "nearest"),
            (f"{t}_of_f32", f"{t}(a[l])", "truncated"),
        ):
            yield w.step(
                f"{name}_{n}",
                f"c[l] = {text}",
                f"c={t} a=f32",
                f"{{c}} = {narrow(bits, f'{p}_{call}({floats})')};",
                16.0,
                0.33,
            )


def halves(w: Lanes, p: str, f16: tuple[str, ...]) -> Iterator[im.Instruction]:
    """f16 and bf16 to f32 and back. f16: features needed by its conversions."""
    n = w.count
    for t, more in (("f16", f16), ("bf16", ())):
        yield w.step(
            f"f32_of_{t}_{n}", "c[l] = f32(a[l])", f"c=f32 a={t}", f"{{c}} = {p}_of_{t}({{a}});", 5.0, 1.0, more
        )
        yield w.step(
            f"{t}_of_f32_{n}", f"c[l] = {t}(a[l])", f"c={t} a=f32", f"{{c}} = {p}_to_{t}({{a}});", 8.0, 0.5, more
        )


SMALL = ("f8e4m3", "f8e5m2", "f4e2m1", "e8m0")


def small_floats(w: Lanes, p: str) -> Iterator[im.Instruction]:
    """Floats of 8 and 4 bits, and scales, to f32; each lane is a byte, of f4e2m1 its low bits."""
    for t in SMALL:
        made = f"{{c}} = {p}_of_{t}({{a}});"
        yield w.step(f"f32_of_{t}_{w.count}", "c[l] = f32(a[l])", f"c=f32 a={t}", made, 8.0, 0.5)


def stored_small_floats(kind: Kind) -> dict[str, Kind]:
    """How they lie in a register of bytes: none of them is compared, so no lanes are filled with the least or the most; and among
    scales there is no zero."""
    plain = replace(kind, code=replace(kind.code, filled_load=""))
    return dict.fromkeys(SMALL, plain) | {"e8m0": replace(plain, code=replace(plain.code, zero="", masked_load=""))}


def whole_numbers(
    w: Lanes, t: str, calls: dict[str, str], speed: dict[str, tuple[float, float]], more: tuple[str, ...] = ()
) -> Iterator[im.Instruction]:
    """Rows of one integer type. calls: operation -> C of it on {a}, {b}, {x} and {y}; others are left out."""
    texts = {
        "add": "a[l] + b[l]", "sub": "a[l] - b[l]", "mul": "a[l] * b[l]", "max": "max(a[l], b[l])", "min": "min(a[l], b[l])",
        "abs": "abs(a[l])", "neg": "-a[l]", "relu": "relu(a[l])", "at_least_0": "max(a[l], 0)", "shift": "a[l] >> b[l]",
        "adds": f"sat_{t}(a[l] + b[l])", "subs": f"sat_{t}(a[l] - b[l])", "mean": "u8((u16(a[l]) + u16(b[l]) + 1) >> 1)",
        "less": "select(a[l] < b[l], x[l], y[l])", "at_most": "select(a[l] <= b[l], x[l], y[l])",
        "equal": "select(a[l] == b[l], x[l], y[l])", "and": "a[l] & b[l]", "or": "a[l] | b[l]", "xor": "a[l] ^ b[l]",
    }  # fmt: skip
    for name, call in calls.items():
        text = texts[name]
        types = " ".join(f"{o}={t}" for o in "cabxy" if o == "c" or f"{o}[l]" in text)
        late, rate = speed.get(name, (1.0, 2.0))
        yield w.step(f"{name}_{t}_{w.count}", f"c[l] = {text}", types, f"{{c}} = {call};", late, rate, more)


FACTORS = (("i8", "i8"), ("u8", "i8"), ("u8", "u8"), ("i16", "i16"))


WIDENING = 0.5  # cycles to widen a factor, on the port of shuffles beside others


def products(w: Lanes, p: str, total: str, cycles: float) -> Iterator[im.Instruction]:
    """Products of narrow integers, added to i32. total: C of {c} and the sums of pairs of products of 16 bits in LEFT and
    RIGHT. cycles: its own.

    The upper halves add nothing: one factor has zeros there. What is widened of one factor is the same for all
    executions that share it, so compilers make it once for them.
    """
    parts = ((cycles, ("c", "a", "b")), (WIDENING, ("a",)), (WIDENING, ("b",)))
    rate = 1 / sum(each for each, _ in parts)
    for a, b in FACTORS:
        left, right = f"{p}_wide_{a}({{a}})", f"{p}_wide_{b}({{b}})"
        if "u8" not in (a, b):  # an upper half of ones would count
            right = f"{p}_wide_u16({{b}})" if b == "i16" else f"{p}_lower({right})"
        found = total.replace("LEFT", left).replace("RIGHT", right)
        text, types = "c[l] += i32(a[l]) * i32(b[l])", f"c=i32 a={a} b={b}"
        yield w.step(f"mul_add_{a}_{b}_{w.count}", text, types, f"{{c}} = {found};", 5.0, rate, parts=parts)
    found = total.replace("LEFT", "{a}").replace("RIGHT", f"{p}_lower({{b}})")
    yield w.step(
        f"mul_add_small_i32_{w.count}",
        "c[l] += a[l] * b[l]",
        "c=i32 a=i32 b=i32",
        f"{{c}} = {found};",
        5.0,
        1 / (cycles + 0.5),
        parts=(parts[0], (0.5, ("b",))),
        assume=[(o, *BOUNDS["i16"]) for o in "ab"],
    )


def bytes_by_halves(p: str, mm: str, width: int, sra: str, srl: str) -> str:
    """C of products and shifts of bytes, two in a half. sra, srl: shifts of halves, each by its own number."""
    v, si = f"__m{width}i", f"si{width}"
    ands = f"{mm}_and_{si}"

    def function(name: str, even: str, odd: str) -> str:
        return f"""\
static inline {v} {p}{name}({v} a, {v} b) {{
    const {v} low = {mm}_set1_epi16(0xff), high = {mm}_set1_epi16((short)0xff00);
    return {mm}_or_{si}({ands}({even}, low), {ands}({odd}, high));
}}
"""

    by, above = f"{ands}(b, low)", f"{mm}_srli_epi16(b, 8)"
    signed = f"{mm}_srli_epi16({sra}({mm}_slli_epi16(a, 8), {by}), 8)"
    return (
        function("mul8", f"{mm}_mullo_epi16(a, b)", f"{mm}_mullo_epi16({mm}_srli_epi16(a, 8), {ands}(b, high))")
        + function("sra8", signed, f"{sra}(a, {above})")
        + function("srl8", f"{srl}({ands}(a, low), {by})", f"{srl}(a, {above})")
    )


def narrower(w: Lanes, wide: dict[str, str], narrow: dict[str, str]) -> Iterator[im.Instruction]:
    """Between bytes and 16 bits. wide: C to widen i8 and u8; narrow: C of the lower byte, and of clamping to i8 and to u8."""
    n = w.count
    for t, call in wide.items():
        yield w.step(f"i16_of_{t}_{n}", "c[l] = i16(a[l])", f"c=i16 a={t}", f"{{c}} = {call}({{a}});", 3.0, 1.0)
        for of in ("i16", "u16"):
            low = f"{{c}} = {narrow['wrap']}({{a}});"
            yield w.step(f"{t}_of_{of}_{n}", f"c[l] = {t}(a[l])", f"c={t} a={of}", low, 5.0, 0.5)
    yield w.step(f"u16_of_u8_{n}", "c[l] = u16(a[l])", "c=u16 a=u8", f"{{c}} = {wide['u8']}({{a}});", 3.0, 1.0)
    for t, how in (("i8", "signed"), ("u8", "unsigned")):
        clamped = f"{{c}} = {narrow[how]}({{a}});"
        yield w.step(f"sat_{t}_of_i16_{n}", f"c[l] = sat_{t}(a[l])", f"c={t} a=i16", clamped, 4.0, 0.5)


def chosen_by_floats(w: Lanes, choice: str, or_nan: str) -> Iterator[im.Instruction]:
    """Integers of 32 bits chosen by how floats compare.

    choice: C of {x} if PREDICATE holds of {a} and {b}, else of {y}. or_nan: C of {x} if they are equal or {a} is
    NaN, else of {y}; a search for the place of a maximum asks this of each element.
    """
    types = "c=i32 a=f32 b=f32 x=i32 y=i32"
    for word, sign, predicate in CHOICES:
        text = f"c[l] = select(a[l] {sign} b[l], i32(x[l]), i32(y[l]))"
        found = f"{{c}} = {choice.replace('PREDICATE', predicate)};"
        yield w.step(f"{word}_f32_i32_{w.count}", text, types, found, 6.0, 1.0)
    text = "c[l] = select(a[l] == b[l], i32(x[l]), select(a[l] != a[l], i32(x[l]), i32(y[l])))"
    yield w.step(f"equal_or_nan_f32_i32_{w.count}", text, types, f"{{c}} = {or_nan};", 8.0, 0.65)


def same_bits(w: Lanes) -> Iterator[im.Instruction]:
    """Signed as unsigned integers and back: the same bits."""
    for a, c in (("i8", "u8"), ("u8", "i8"), ("i16", "u16"), ("u16", "i16")):
        if a in w.kinds:
            yield w.step(f"{c}_of_{a}_{w.count}", f"c[l] = {c}(a[l])", f"c={c} a={a}", "{c} = {a};", 0.0, 8.0)
