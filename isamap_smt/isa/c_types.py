"""The C types that instructions are written with: numbers, vectors, several vectors (x2, x3, x4), pointers."""

from __future__ import annotations

from dataclasses import dataclass

from isamap_smt.ir.dtypes import DTYPES, DType


@dataclass(frozen=True)
class CType:
    """A type of `bits` bits. kind: i, u, f, v (vector), s (several vectors, each a `to`), p (pointer) or 0 (void).

    lane: of vectors, how operators see them.
    """

    name: str
    kind: str
    bits: int
    lane: DType | None = None
    to: CType | None = None

    def __str__(self) -> str:
        return self.name

    @property
    def is_integer(self) -> bool:
        """Whether it is an integer type."""
        return self.kind in "iu"


VOID = CType("void", "0", 8)


def _numbers() -> dict[str, CType]:
    table = {
        "char": ("i", 8), "signed char": ("i", 8), "unsigned char": ("u", 8), "short": ("i", 16), "unsigned short": ("u", 16),
        "int": ("i", 32), "unsigned int": ("u", 32), "long": ("i", 64), "unsigned long": ("u", 64), "long long": ("i", 64),
        "unsigned long long": ("u", 64), "size_t": ("u", 64), "ptrdiff_t": ("i", 64), "intptr_t": ("i", 64),
        "uintptr_t": ("u", 64), "_Bool": ("u", 8), "bool": ("u", 8), "float": ("f", 32), "double": ("f", 64), "_Float16": ("f", 16),
        "float16_t": ("f", 16), "float32_t": ("f", 32), "float64_t": ("f", 64), "__fp16": ("f", 16),
        "int_fast8_t": ("i", 8), "uint_fast8_t": ("u", 8),
        **{f"int_fast{n}_t": ("i", 64) for n in (16, 32, 64)}, **{f"uint_fast{n}_t": ("u", 64) for n in (16, 32, 64)},
        **{f"int{n}_t": ("i", n) for n in (8, 16, 32, 64)}, **{f"uint{n}_t": ("u", n) for n in (8, 16, 32, 64)},
        **{f"__mmask{n}": ("u", n) for n in (8, 16, 32, 64)},
    }  # fmt: skip
    return {name: CType(name, kind, bits) for name, (kind, bits) in table.items()}


def _vectors() -> dict[str, CType]:
    found = {}
    for n in (128, 256, 512):
        for end, lane in (("", "f32"), ("d", "f64"), ("i", "i64")):
            found[f"__m{n}{end}"] = CType(f"__m{n}{end}", "v", n, DTYPES[lane])
    found["vfloat32m1_t"] = CType("vfloat32m1_t", "v", 128, DTYPES["f32"])  # of RISC-V vectors of 128 bits
    words = {"float": "f", "int": "i", "uint": "u"}
    for word, kind in words.items():
        for bits in (8, 16, 32, 64):
            if (lane := f"{kind}{bits}") in DTYPES:
                for whole in (64, 128):
                    name = f"{word}{bits}x{whole // bits}_t"
                    found[name] = CType(name, "v", whole, DTYPES[lane])
    return found


def _several(vectors: dict[str, CType]) -> dict[str, CType]:
    """float32x4x2_t and its like: vectors beside each other, the member `val`."""
    found = {}
    for name, v in vectors.items():
        if "x" in name:
            for n in (2, 3, 4):
                whole = f"{name.removesuffix('_t')}x{n}_t"
                found[whole] = CType(whole, "s", n * v.bits, v.lane, v)
    return found


NUMBERS, VECTORS = _numbers(), _vectors()
VECTORS |= _several(VECTORS)
NAMED = {**NUMBERS, **VECTORS, "void": VOID}
INT, DOUBLE = NUMBERS["int"], NUMBERS["double"]


def pointer(to: CType) -> CType:
    """A pointer to that type."""
    return CType(f"{to.name} *", "p", 64, to=to)


def named(text: str) -> CType:
    """The type that a text such as `const float *` names. Raises KeyError."""
    words = text.replace("const", " ").strip()
    if words.endswith("*"):
        return pointer(named(words[:-1]))
    return NAMED[" ".join(words.split())]


def of_element(d: DType) -> CType:
    """The C type of an element of a tensor."""
    return NUMBERS[d.c]


def as_dtype(t: CType) -> DType:
    """The element type with the values of a number. Raises KeyError for what is none."""
    return DTYPES[f"{t.kind}{t.bits}"]
