"""Every intrinsic of the table of meanings as C on a pool of bytes, and what the table says it gives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from isamap_encodings import bit_terms as bits
from isamap_encodings.bit_terms import Term
from isamap_smt.isa.c_types import CType, named
from isamap_smt.isa.c_values import Address, Block, Promises
from isamap_smt.isa.evaluate import FLOATS, evaluate
from isamap_smt.isa.meanings import Meaning
from isamap_smt.isa.silicon import FUNCTION

POOL = 512  # bytes of operands
MEMORY = 320  # where the memory that pointers point to begins
FEW = 5  # values of an immediate, where there are more than MANY
MANY = 8


@dataclass(frozen=True)
class Call:
    """One intrinsic with chosen immediates. places: where each other argument lies in the pool. size: bytes of what it gives."""

    meaning: Meaning
    immediates: tuple[int, ...]

    @property
    def result(self) -> CType | None:
        return None if self.meaning.result == "void" else named(self.meaning.result)

    @property
    def size(self) -> int:
        return (self.result.bits // 8 if self.result else 0) + self.meaning.reach

    def arguments(self) -> Iterator[tuple[CType | int, int]]:
        """(type, place in the pool), or (an immediate, 0); pointers point to MEMORY."""
        given, at = iter(self.immediates), 0
        for n, text in enumerate(self.meaning.params):
            if text == "imm":
                yield next(given), 0
                continue
            kind = self.meaning.type_of(n)
            yield kind, MEMORY if kind.kind == "p" else at
            at += 0 if kind.kind == "p" else kind.bits // 8


def calls(meanings: Iterable[Meaning]) -> list[Call]:
    """Each with all of its immediates, or a few where there are many."""
    found = []
    for m in meanings:
        if not m.immediates:
            found.append(Call(m, ()))
            continue
        (listed,) = m.immediates.values()
        few = listed if len(listed) <= MANY else (*listed[:2], *listed[2 :: max(1, len(listed) // (FEW - 2))][:FEW])
        found += [Call(m, (v,)) for v in dict.fromkeys(few)]
    return found


def source(listed: list[Call], header: str) -> str:
    """C whose function carries out all calls on one pool, one result behind the other."""
    text = [f"#include <{h}>" for h in (header, "stdint.h", "string.h")]
    body, at = [], 0
    for n, call in enumerate(listed):
        lines, given = [], []
        for k, (kind, place) in enumerate(call.arguments()):
            if isinstance(kind, int):
                given.append(str(kind))
            elif kind.kind == "p":
                lines.append(f"_Alignas(64) unsigned char m[64]; memcpy(m, from + {place}, 64);")
                given.append("(void *)m" if kind.name != "int *" else "(int *)m")
            else:
                lines.append(f"{kind} a{k}; memcpy(&a{k}, from + {place}, sizeof a{k});")
                given.append(f"a{k}")
        put = f"{call.meaning.name}({', '.join(given)})"
        size = call.result.bits // 8 if call.result else 0
        lines.append(f"{call.result} r = {put}; memcpy(to, &r, {size});" if call.result else f"{put};")
        if call.meaning.reach:
            lines.append(f"memcpy(to + {size}, m, {call.meaning.reach});")
        lines.append("(void)from; (void)to;")
        text.append(f"static void call_{n}(const unsigned char *from, unsigned char *to) {{ {' '.join(lines)} }}")
        body.append(f"    call_{n}(from, to + {at});")
        at += call.size
    text.append(f"void {FUNCTION}(const unsigned char *from, unsigned char *to) {{\n" + "\n".join(body) + "\n}")
    return "\n".join(text)


def pools(count: int) -> np.ndarray:
    """Rows of bytes: numbers of each width with infinities, NaN, zeros of both signs and subnormals; ends of integers; any bits."""
    random = np.random.default_rng(1)
    rows = []
    for n in range(count):
        kind = n % 6
        if kind < 3:
            d = (np.float32, np.float64, np.float16)[kind]
            tiny = np.finfo(d).smallest_subnormal
            odd = [
                0.0,
                -0.0,
                1.0,
                -1.0,
                np.inf,
                -np.inf,
                np.nan,
                tiny,
                -tiny,
                np.finfo(d).max,
                np.finfo(d).tiny,
                3.0,
                -2.5,
            ]
            size = POOL // np.dtype(d).itemsize
            with np.errstate(all="ignore"):
                plain = (random.standard_normal(size) * np.exp2(random.uniform(-9, 9, size))).astype(d)
                chosen = np.where(random.random(size) < 0.3, random.choice(np.array(odd, d), size), plain)
            rows.append(chosen.astype(d).view(np.uint8))
        elif kind == 3:
            rows.append(random.choice(np.array([0, 1, 127, 128, 255, 254, 2], np.uint8), POOL))
        else:
            rows.append(random.integers(0, 256, POOL, dtype=np.uint8))
    return np.stack(rows)


def _cells(name: str, place: int, total: int, lane: int, inputs: dict[str, np.ndarray], rows: np.ndarray) -> Term:
    parts = []
    for n in range(total // lane):
        at = place + n * lane // 8
        cell = f"{name}[{n}]"
        inputs[cell] = np.ascontiguousarray(rows[:, at : at + lane // 8]).view(f"<u{lane // 8}")[:, 0].astype(np.uint64)
        parts.append(bits.cell(cell, lane))
    return bits.concat(parts)


def expected(call: Call, rows: np.ndarray) -> Iterator[tuple[int, int, np.ndarray, bool]]:
    """(place in the result, bytes, what the table says in each row, whether it is a number) of each part that is defined."""
    inputs: dict[str, np.ndarray] = {}
    arguments: list[object] = []
    memory = None
    for k, (kind, place) in enumerate(call.arguments()):
        if isinstance(kind, int):
            arguments.append(kind)
        elif kind.kind == "p":
            memory = Block("local m", _cells("m", place, 512, 8, inputs, rows), 8)
            arguments.append(Address(memory, 0, named("unsigned char")))
        else:
            lane = kind.lane.bits if kind.lane else kind.bits
            arguments.append(_cells(f"a{k}", place, kind.bits, lane, inputs, rows))
    found = call.meaning.compute(Promises(), *arguments)
    at = 0
    if call.result is not None:
        assert found is not None
        lane = call.result.lane.bits if call.result.lane else call.result.bits
        number = call.result.lane.is_float if call.result.lane else call.result.kind == "f"
        for x in bits.lanes(found, lane):
            if not any(n.startswith("undefined") for n in bits.cells(x)):
                yield at, lane // 8, np.atleast_1d(evaluate([x], inputs)[0]), number
            at += lane // 8
    if memory is not None:
        for n, x in enumerate(bits.lanes(memory.contents, 8)[: call.meaning.reach]):
            yield at + n, 1, np.atleast_1d(evaluate([x], inputs)[0]), False


def differences(listed: list[Call], rows: np.ndarray, got: np.ndarray) -> list[str]:
    """One line for each call that gives something else than the table says."""
    wrong, at = [], 0
    for call in listed:
        for place, size, said, number in expected(call, rows):
            part = (
                np.ascontiguousarray(got[:, at + place : at + place + size]).view(f"<u{size}")[:, 0].astype(np.uint64)
            )
            differ = part != said
            if number:
                nan = [
                    np.isnan(np.broadcast_to(v, part.shape).astype(f"u{size}").view(FLOATS[8 * size]))
                    for v in (part, said)
                ]
                differ &= ~(nan[0] & nan[1])
            if differ.any():
                row = int(np.argmax(differ))
                what = f"row {row}, byte {place}: {int(part[row]):#x}, said {int(np.broadcast_to(said, part.shape)[row]):#x}"
                wrong.append(f"{call.meaning.name}{call.immediates}: {what}")
                break
        at += call.size
    return wrong
