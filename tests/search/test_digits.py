"""Family digits: the set found is the set that plain Python finds, which goes over the space as the docs define it.

Nothing of the library has a part in the second set: a candidate is executed point by point, as a machine with cells would, at
several sizes, and counts as right when it computes the right numbers at all of them.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

import isamap_smt as im
from isamap_smt.search import MappingSet, check_certificate, find_mappings

Index = Callable[..., tuple[int, ...]]
Group = tuple[tuple[str, int], ...]  # kernel axis, points of its low digit or 0 for the whole axis; outermost first
I64 = dict.fromkeys("abc", "i64")
PLACES = dict.fromkeys("abc", "v")


@dataclass(frozen=True)
class Product:
    """A sum of products in text, its axes in their order, and the indices of output and inputs once more, as Python."""

    text: str
    axes: str
    index: tuple[Index, Index, Index]

    def kernel(self, fixed: dict[str, int]) -> im.Kernel:
        made = im.kernel(self.text, name="kernel").with_sizes(fixed)
        return made.with_dtypes({t.name: "i64" for t in made.tensors})


GEMM = Product(
    "C[i,j] += A[i,k] * B[k,j]", "ijk", (lambda i, j, k: (i, j), lambda i, j, k: (i, k), lambda i, j, k: (k, j))
)
BATCHED = Product(
    "C[n,i,j] += A[n,i,k] * B[n,k,j]",
    "nijk",
    (lambda n, i, j, k: (n, i, j), lambda n, i, j, k: (n, i, k), lambda n, i, j, k: (n, k, j)),
)
PIXELS = Product(
    "O[p,q] += I[p+r,q+s] * W[r,s]",
    "pqrs",
    (lambda p, q, r, s: (p, q), lambda p, q, r, s: (p + r, q + s), lambda p, q, r, s: (r, s)),
)
SCATTER = Product(
    "O[p+r,k] += I[p,c] * W[r,k,c]",
    "prkc",
    (lambda p, r, k, c: (p + r, k), lambda p, r, k, c: (p, c), lambda p, r, k, c: (r, k, c)),
)
FMA8 = im.instruction("toy.fma8", "c[l] += a[] * b[l]", axes={"l": 8}, dtypes=I64, places=PLACES)
LANES8 = im.instruction("toy.lanes8", "c[l] += a[l] * b[l]", axes={"l": 8}, dtypes=I64, places=PLACES)
LANES6 = im.instruction("toy.lanes6", "c[l] += a[l] * b[l]", axes={"l": 6}, dtypes=I64, places=PLACES)
MMA = im.instruction("toy.mma", "c[i,j] += a[i,k] * b[k,j]", axes={"i": 4, "j": 4, "k": 4}, dtypes=I64, places=PLACES)
CELLS: dict[str, tuple[Index, Index, Index]] = {
    "toy.fma8": (lambda x: x, lambda x: (), lambda x: x),
    "toy.lanes8": (lambda x: x, lambda x: x, lambda x: x),
    "toy.lanes6": (lambda x: x, lambda x: x, lambda x: x),
    "toy.mma": (lambda x: x[:2], lambda x: (x[0], x[2]), lambda x: (x[2], x[1])),
}


def groups(axes: Sequence[str], n: int, fixed: dict[str, int]) -> Iterator[Group]:
    """Every group of an instruction axis of n points that the space has, the empty one too."""
    digits = [0, *(d for d in range(2, n) if n % d == 0)]
    for count in range(len(axes) + 1):
        for chosen in itertools.combinations(axes, count):
            for placed in itertools.product(digits, repeat=count):
                group = tuple(zip(chosen, placed, strict=True))
                if in_space(group, n, fixed):
                    yield group


def in_space(group: Group, n: int, fixed: dict[str, int]) -> bool:
    if any(fixed.get(a) == 1 for a, _ in group):
        return False
    low = group[1:]
    if not any(d for _, d in group):
        spans = [fixed.get(a, 1) for a, _ in group]  # nothing is known of an open size
        return all(product(spans[k + 1 :]) % n for k in range(len(group)))
    if group[0][1] or not all(d for _, d in low) or any(d >= 2 * fixed.get(a, n) for a, d in low):
        return False
    points = product(d for _, d in low)
    return n % points == 0 and points < n and any(fixed.get(a) != d for a, d in low)


def product(numbers: Any) -> int:
    result = 1
    for x in numbers:
        result *= x
    return result


def right(p: Product, instruction: im.Instruction, where: Sequence[Group], sizes: dict[str, int]) -> bool:
    """Whether the executions of this candidate leave the right numbers: cells are loaded, added to, and stored in turn."""
    extents = [sizes[a] for a in p.axes]
    executions: dict[Any, list[tuple[tuple[int, ...], tuple[int, ...]]]] = {}
    for point in itertools.product(*map(range, extents)):
        at, lanes = dict(zip(p.axes, point, strict=True)), []
        outside: list[int] = [x for a, x in at.items() if not any(a == b for g in where for b, _ in g)]
        for (_, n), group in zip(instruction.axes.items(), where, strict=True):
            fused = 0
            for a, d in group:
                fused = fused * (d or sizes[a]) + (at[a] % d if d else at[a])
                outside += [at[a] // d] if d else []
            outside.append(fused // n)
            lanes.append(fused % n)
        executions.setdefault(tuple(outside), []).append((point, tuple(lanes)))
    value = random.Random(5)
    memory: list[dict[Any, int]] = [{}, {}]
    result: dict[Any, int] = {}
    want: dict[Any, int] = {}
    out, *inputs = CELLS[instruction.name]
    for points in executions.values():
        held: list[dict[Any, int]] = [{}, {}]
        for point, lanes in points:
            for n in (0, 1):
                element = p.index[n + 1](*point)
                held[n][inputs[n](lanes)] = memory[n].setdefault(element, value.randrange(1, 1 << 30))
        sums: dict[Any, int] = {}
        elements: dict[Any, Any] = {}
        for point, lanes in points:
            cell = out(lanes)
            elements[cell] = p.index[0](*point)
            sums[cell] = sums.get(cell, 0) + held[0][inputs[0](lanes)] * held[1][inputs[1](lanes)]
            want[elements[cell]] = want.get(p.index[0](*point), 0) + product(
                memory[n][p.index[n + 1](*point)] for n in (0, 1)
            )
        before = {cell: result.get(e, 0) for cell, e in elements.items()}
        for cell, e in elements.items():
            result[e] = before[cell] + sums[cell]
    return result == want


def brute_force(p: Product, instruction: im.Instruction, partial: bool, fixed: dict[str, int]) -> set[str]:
    """The axes of every candidate that is right at all sizes tried, written as ids have them."""
    rng = random.Random(11)
    tried = [dict.fromkeys(p.axes, 2), dict.fromkeys(p.axes, 3)]
    tried += [{**dict.fromkeys(p.axes, 1), a: size} for a in p.axes for size in (2, 5)]
    tried += [{a: rng.randint(1, 5) for a in p.axes} for _ in range(4)]
    found = set()
    choices = [list(groups(p.axes, n, fixed)) for n in instruction.axes.values()]
    for where in itertools.product(*choices):
        used = [a for g in where for a, _ in g]
        if len(used) != len(set(used)) or not (partial or all(where)):
            continue
        if all(right(p, instruction, where, {**sizes, **fixed}) for sizes in tried):
            names = [".".join(f"{a}%{d}" if d else a for a, d in g) or "-" for g in where]
            found.add(",".join(f"{t}={g}" for t, g in zip(instruction.axes, names, strict=True)))
    return found


CASES = [
    (GEMM, FMA8, False, {}),
    (GEMM, LANES8, False, {"j": 4}),
    (GEMM, LANES8, False, {"j": 3}),
    (GEMM, LANES6, True, {}),
    (GEMM, MMA, False, {}),
    (GEMM, MMA, True, {"i": 2}),
    (BATCHED, FMA8, False, {}),
    (BATCHED, LANES8, False, {"i": 2, "j": 6}),
    (PIXELS, LANES8, False, {}),
    (PIXELS, LANES8, True, {"r": 2, "q": 4}),
    (SCATTER, FMA8, False, {}),
    (SCATTER, LANES6, False, {"r": 1}),
]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("p", "instruction", "partial", "fixed"), CASES)
def test_the_set_found_is_the_set_of_plain_python(
    p: Product, instruction: im.Instruction, partial: bool, fixed: dict[str, int]
) -> None:
    found = find_mappings(p.kernel(fixed), instruction, "digits", "fixed", partial)
    assert found.complete and not found.unknown
    assert {m.mapping.id.partition(";")[0] for m in found} == brute_force(p, instruction, partial, fixed)
    assert len(found.legal) + found.refuted + found.redundant == found.candidates
    checked = check_certificate(found)
    assert checked, checked


@pytest.fixture(scope="module")
def batched() -> MappingSet:
    return find_mappings(BATCHED.kernel({}), LANES8, "digits", "fixed")


def test_whole_axes_alone_are_the_family_fuse(batched: MappingSet) -> None:
    fused = find_mappings(BATCHED.kernel({}), LANES8, operands="fixed")
    assert [m.mapping for m in fused] == [m.mapping for m in batched if m.mapping.split is None]
    assert 'the mapping family "whole loops, or their low digits"' in str(batched)
    assert len(fused) < len(batched)


def test_a_digit_comes_with_the_proof_that_the_kernel_is_the_same(batched: MappingSet) -> None:
    one = batched["l=i.j%4;a=A,b=B"]
    assert {"order digits", "exclusive piece 1", "coverage "} <= {f"{c.claim} {c.subject}" for c in one.proof.claims}
    again = im.prove(im.fuse(batched.family.kernel, LANES8, "l = i . j % 4"))
    assert again and again.mapping == one.mapping


def test_a_certificate_that_lacks_a_mapping_or_a_witness_is_no_certificate(batched: MappingSet) -> None:
    without = replace(batched, legal=tuple(m for m in batched if m.mapping.id != "l=i.j%4;a=A,b=B"))
    assert check_certificate(without).uncovered == ("l=i.j%4;a=A,b=B",)
    assert not check_certificate(replace(batched, witnesses=()))
    as_fuse = replace(batched, family=replace(batched.family, name="fuse"))
    assert not check_certificate(as_fuse)


def test_a_mapping_of_another_split_is_not_of_the_family(batched: MappingSet) -> None:
    one = batched["l=i.j%4;a=A,b=B"].mapping
    assert batched.family.candidate(one) is not None
    assert batched.family.candidate(replace(one, split=None)) is None
    assert batched.family.candidate(replace(one, kernel=batched.family.kernel)) is None


def test_a_split_that_is_another_kernel_is_refuted(batched: MappingSet) -> None:
    one, two = (batched[f"l=i.j%{d};a=A,b=B"].mapping for d in (2, 4))
    result = im.prove(replace(one, split=two.split))
    assert not result and "link kernel" in str(result.claim)


def test_tiles_of_a_matrix_unit_take_pixels_in_digits() -> None:
    """16 rows of pixels, as 2 x 8, 4 x 4 or 8 x 2; by hand: 1 whole axis or a power of two inside another, in i and in k."""
    kernel = im.kernel("O[p,q,f] += I[p+r,q,c] * W[r,f,c]").with_dtypes({"I": "f16", "W": "f16", "O": "f32"})
    found = find_mappings(kernel, im.find_instruction("wmma.16x16x16"), "digits", "fixed")
    rows = {"p", "q", "p.q", "p.q%2", "p.q%4", "p.q%8"}
    sums = {"r", "c", "r.c", "r.c%2", "r.c%4", "r.c%8"}
    assert found.complete
    assert {m.mapping.id for m in found} == {f"i={i},j=f,k={k};a=I,b=W" for i in rows for k in sums}


@pytest.mark.parametrize(
    "axes, words", [("l=i.j%x", "write the points"), ("l=i.j%1", "no digit"), ("l=i.z%2", "no axis 'z'")]
)
def test_what_is_no_digit_is_said(axes: str, words: str) -> None:
    with pytest.raises(im.IsamapError, match=words):
        im.fuse(BATCHED.kernel({}), LANES8, axes)
