"""The set found equals the set that brute force finds by executing every candidate of the family on numbers.

The instruction is shrunk to 4 points an axis, and a candidate counts as right when it computes the right tensor for several
sizes: each axis 2 and the others 1, all 2, and random 1 to 3 (at one size alone, extra mappings look right).
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.expr import evaluate
from isamap_smt.proof.family import Code, Family
from isamap_smt.proof.family_normal import is_normal
from isamap_smt.proof.witness_points import Arrays, Instance, label
from isamap_smt.search import MappingSet, check_certificate, find_mappings
from tests.whole_family import candidates

PLACES = dict.fromkeys("abc", "v")
I64 = dict.fromkeys("abc", "i64")
MMA = im.instruction("toy.mma", "c[i,j] += a[i,k] * b[k,j]", axes={"i": 4, "j": 4, "k": 4}, dtypes=I64, places=PLACES)
DOT = im.instruction("toy.dot", "c[l] += a[l,e] * b[l,e]", axes={"l": 4, "e": 2}, dtypes=I64, places=PLACES)
FMA = im.instruction("toy.fma", "c[l] += a[] * b[l]", axes={"l": 4}, dtypes=I64, places=PLACES)

GEMM = ("gemm", "C[i,j] += A[i,k] * B[k,j]")
BATCHED = ("batched", "C[n,i,j] += A[n,i,k] * B[n,k,j]")
CONV1D = ("conv1d", "O[n,p,k] += I[n,p+r,c] * W[r,k,c]")
PADDED = (
    "padded",
    "param pp >= 0\nH = P + R - 1 - 2*pp\nI: [H,C]\nO[p,k] += I[p+r-pp,c] * W[r,k,c] where 0 <= p + r - pp < H",
)
DEPTHWISE = ("depthwise", "O[p,c] += I[p+r,c] * W[r,c]")
SCATTER = ("scatter", "O[p+r,k] += I[p,c] * W[r,k,c]")
CONV2D = ("conv2d", "O[n,p,q,k] += I[n,p+r,q+s,c] * W[r,s,c,k]")


def integers(kernel: tuple[str, str]) -> im.Kernel:
    made = im.kernel(kernel[1], name=kernel[0])
    return made.with_dtypes({t.name: "i64" for t in made.tensors})


def sizes_to_try(kernel: im.Kernel) -> Iterator[dict[str, int]]:
    lows = {p.name: p.low for p in kernel.parameters}
    names = [n for n in kernel.free_sizes if n not in lows]
    yield {**dict.fromkeys(names, 2), **lows}
    for n in names:
        yield {**dict.fromkeys(names, 1), n: 2, **lows}
    random.seed(7)
    for shift in (0, 1, 0):
        yield {**{n: random.randint(1, 3) for n in names}, **{p: low + shift for p, low in lows.items()}}
    yield {**dict.fromkeys(names, 3), **{p: low + 1 for p, low in lows.items()}}


class Executed:
    """Runs a candidate lane by lane at one vector of sizes, as a machine would: load cells, compute, store cells."""

    def __init__(self, family: Family, sizes: dict[str, int]) -> None:
        self.family, self.sizes = family, sizes
        self.points = Instance(family.mapping(next(candidates(family))), sizes, True).domain
        self.count = len(next(iter(self.points.values())))
        statement = family.kernel.statements[0]
        env = {**sizes, **self.points}
        numbers = np.random.default_rng(3)
        self.elements, self.values = {}, {}
        for access in (statement.target, *statement.inputs):
            columns = [np.broadcast_to(evaluate(i, env), (self.count,)) for i in access.index]
            self.elements[access] = label(columns, self.count)
            self.values[access] = numbers.integers(1, 1 << 20, self.count)[self.elements[access]]
        product = np.prod([self.values[a] for a in statement.inputs], axis=0)
        self.out = self.elements[statement.target]
        self.want = np.bincount(self.out, product.astype(np.float64))

    def right(self, code: Code, binding: int) -> bool:
        if not self.count:
            return True
        outer, lane = self._place(code)
        execution = number(outer, self.count)
        contract = self.family.instruction.kernel.statements[0]
        index = {a.tensor: a.index for a in (contract.target, *contract.inputs)}
        product = np.ones(self.count)
        for operand, access in self.family.bindings[binding]:
            cells = [np.broadcast_to(evaluate(i, lane), (self.count,)) for i in index[operand]]
            cell = number([execution, *cells], self.count)
            if operand == contract.target.tensor:
                out_cell = cell
                continue
            held = np.zeros(cell.max() + 1, np.int64)
            held[cell] = self.values[access]  # a cell holds one element: the last one loaded
            product = product * held[cell]
        # A cell adds up all its lanes, then is stored to one element; of two cells with one element the last store wins.
        used, out_cell = np.unique(out_cell, return_inverse=True)
        sums = np.bincount(out_cell, product)
        element = np.zeros(len(sums), np.int64)
        element[out_cell] = self.out
        of_execution = np.zeros(len(sums), np.int64)
        of_execution[out_cell] = execution
        store = number([of_execution, element], len(used))
        last = np.full(store.max() + 1, -1)
        last[store] = np.arange(len(sums))
        last = last[last >= 0]
        got = np.bincount(element[last], sums[last], minlength=len(self.want))
        return bool(np.array_equal(got, self.want))

    def _place(self, code: Code) -> tuple[list[np.ndarray], Arrays]:
        outer, lane = [], {}
        for k, a in enumerate(self.family.axes):
            if code[k] == 0:
                outer.append(self.points[a])
        extents = {a.name: int(evaluate(a.extent, self.sizes)) for a in self.family.kernel.statements[0].axes}
        for g, (t, n) in enumerate(self.family.points):
            fused = np.zeros(self.count, np.int64)
            for k, a in enumerate(self.family.axes):
                if code[k] == g + 1:
                    fused = fused * extents[a] + self.points[a]
            outer.append(fused // n)
            lane[t] = fused % n
        return outer, lane


def number(columns: list[np.ndarray], count: int) -> np.ndarray:
    """One integer per row, equal exactly for equal rows; small, because all values are."""
    result = np.zeros(count, np.int64)
    for c in columns:
        result = result * (int(c.max()) + 1) + c
    return result


def brute_force(found: MappingSet) -> set[str]:
    """Ids of the candidates in normal form that compute the right result for all sizes tried."""
    old = found.family
    family = Family(old.kernel, old.instruction, old.operands, old.partial)
    alive = [c for c in candidates(family) if is_normal(family, c[1])]
    for sizes in sizes_to_try(family.kernel):
        machine = Executed(family, sizes)
        alive = [(b, code) for b, code in alive if machine.right(code, b)]
    return {family.mapping(c).id for c in alive}


CASES = [
    (GEMM, MMA, "fixed", False, {}),
    (GEMM, MMA, "any", True, {}),
    (GEMM, DOT, "any", True, {}),
    (GEMM, FMA, "any", False, {}),
    (BATCHED, MMA, "fixed", True, {}),
    (CONV1D, MMA, "any", False, {}),
    (CONV1D, DOT, "fixed", True, {}),
    (PADDED, MMA, "fixed", False, {}),
    (DEPTHWISE, MMA, "any", False, {}),
    (DEPTHWISE, FMA, "any", True, {}),
    (SCATTER, FMA, "fixed", False, {}),
    (SCATTER, MMA, "fixed", True, {}),
    # fixed sizes, where a larger candidate can be legal and a part of it not
    (GEMM, MMA, "fixed", True, {"k": 8}),
    (GEMM, MMA, "fixed", True, {"k": 4, "j": 2}),
    (GEMM, DOT, "fixed", True, {"j": 2, "k": 6}),
    (CONV1D, MMA, "fixed", False, {"r": 1}),
    (CONV1D, MMA, "fixed", False, {"r": 4, "c": 4}),
]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("kernel", "instruction", "operands", "partial", "fixed"), CASES)
def test_the_set_found_is_the_set_that_computes_right(
    kernel: tuple[str, str], instruction: im.Instruction, operands: str, partial: bool, fixed: dict[str, int]
) -> None:
    found = find_mappings(integers(kernel).with_sizes(fixed), instruction, operands=operands, partial=partial)
    assert found.complete and not found.unknown
    assert {p.mapping.id for p in found.legal} == brute_force(found)
    assert len(found.legal) + found.refuted + found.redundant == found.candidates
    assert check_certificate(found).ok, check_certificate(found)


def test_all_of_conv2d_is_the_set_that_computes_right() -> None:
    found = find_mappings(integers(CONV2D), MMA, operands="fixed")
    assert (len(found.legal), found.candidates, found.complete) == (49, 10206, True)
    assert {p.mapping.id for p in found.legal} == brute_force(found)
