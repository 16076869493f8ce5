"""The meaning of intrinsics: one table, lane by lane. Some follow from the project's own descriptions, the rest is stated here.

Each is tested on silicon or under an emulator by tests/isa/test_meanings.py, those that follow from descriptions too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from isamap_encodings import bit_terms as bits
from isamap_encodings.bit_terms import Term
from isamap_smt.isa.c_types import CType, named
from isamap_smt.isa.c_values import Address, Fault, Promises

Lanes = list[Term]


@dataclass(frozen=True)
class Meaning:
    """One intrinsic. params: C types, `imm` for a constant integer. compute: of promises and arguments (terms, addresses, ints).

    reach: bytes that it touches at most from each pointer on. immediates: the values that each constant may have.
    """

    name: str
    result: str
    params: tuple[str, ...]
    compute: Callable[..., Term | None]
    requires: tuple[str, ...]
    immediates: dict[int, tuple[int, ...]] = field(default_factory=dict)
    reach: int = 0
    origin: str = ""

    def type_of(self, n: int) -> CType:
        """The C type of a parameter."""
        return named("int" if self.params[n] == "imm" else self.params[n])


MEANINGS: dict[str, Meaning] = {}


def state(meanings: Iterable[Meaning]) -> None:
    """Put meanings into the table, where a description has not given one yet."""
    for m in meanings:
        MEANINGS.setdefault(m.name, m)


def lanewise(width: int, operation: Callable[..., Term]) -> Callable[..., Term]:
    """An operation on each lane of that width."""

    def compute(_: Promises, *x: Term) -> Term:
        return bits.concat(operation(*a) for a in zip(*(bits.lanes(v, width) for v in x), strict=True))

    return compute


def load(total: int) -> Callable[..., Term]:
    """That many bits from an address."""
    return lambda _, p: p.block.load(p.offset, total)


def store(total: int) -> Callable[..., None]:
    """That many bits to an address."""

    def compute(_: Promises, p: Address, x: Term) -> None:
        p.block.store(p.offset, bits.extract(x, 0, total))

    return compute


def aligned(inner: Callable[..., Any], boundary: int, name: str) -> Callable[..., Any]:
    """The same for an address that must be a multiple of so many bytes, which no operand here is known to be."""

    def compute(promises: Promises, p: Address, *x: Term) -> Any:
        if not p.block.name.startswith("local "):
            raise Fault(
                f"{name} asks for an address at a multiple of {boundary} bytes, and {p.block.name} may lie elsewhere"
            )
        return inner(promises, p, *x)

    return compute


def masked_load(p: Address, masks: Lanes, width: int, otherwise: Lanes, promises: Promises) -> Term:
    """Lanes from memory where their mask is set; the others are not touched."""
    found = []
    for n, (m, other) in enumerate(zip(masks, otherwise, strict=True)):
        at = p.offset + n * width // 8
        if m.value == 0:
            found.append(other)
        elif m.value is not None or p.block.inside(at, width):
            found.append(bits.ite(m, p.block.load(at, width), other))
        else:
            promises.ask(bits.negated(m), f"reads {p.block.name}[{8 * at // p.block.cell}], which is not there")
            found.append(other)
    return bits.concat(found)


def masked_store(p: Address, masks: Lanes, width: int, values: Lanes, promises: Promises) -> None:
    """Lanes to memory where their mask is set; the others are not touched."""
    for n, (m, value) in enumerate(zip(masks, values, strict=True)):
        at = p.offset + n * width // 8
        if m.value == 0:
            continue
        if m.value is None and not p.block.inside(at, width):
            promises.ask(bits.negated(m), f"writes {p.block.name}[{8 * at // p.block.cell}], which is not there")
        elif m.value is not None:
            p.block.store(at, value)
        else:
            p.block.store(at, bits.ite(m, value, p.block.load(at, width)))


def mask_bits(k: Term, count: int) -> Lanes:
    """The lowest bits of a mask register."""
    return [bits.extract(k, n, 1) for n in range(count)]


def chosen(masks: Lanes, width: int, set_: Term, clear: Term) -> Term:
    """Lanes of one where the mask is set, of the other where it is not."""
    parts = zip(masks, bits.lanes(set_, width), bits.lanes(clear, width), strict=True)
    return bits.concat(bits.ite(m, a, b) for m, a, b in parts)


def table() -> dict[str, Meaning]:
    """All meanings, those of the project's descriptions first."""
    if not MEANINGS:
        from isamap_smt.isa import meanings_neon, meanings_rvv, meanings_x86
        from isamap_smt.isa.derived import derived

        state(derived())
        state(meanings_x86.stated())
        state(meanings_neon.stated())
        state(meanings_rvv.stated())
    return MEANINGS
