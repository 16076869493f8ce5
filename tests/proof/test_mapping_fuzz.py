"""Random edits of mappings written by hand, executed lane by lane: nothing proved may compute a wrong result."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import pytest

import isamap_smt as im
from isamap_smt.ir.mapping import Mapping
from isamap_smt.mapping.fuse import fuse
from isamap_smt.proof import MappingError, prove
from tests.attacks.executed import Work, right
from tests.attacks.random_edits import by_hand
from tests.families import part

I64 = dict.fromkeys("abc", "i64")
PLACES = dict.fromkeys("abc", "v")
GEMM = im.kernel("C[i,j] += A[i,k] * B[k,j]", name="gemm", dtypes=dict.fromkeys("ABC", "i64"))
SLIDING = im.kernel("y[p] += x[p+r] * w[r]", name="conv", dtypes=dict.fromkeys("yxw", "i64"))
PAIR = im.instruction("toy.pair", "c[l] += a[l] * b[l]", axes={"l": 2}, dtypes=I64, places=PLACES)
TILE = im.instruction("toy.mv", "c[l] += a[l,e] * b[e]", axes={"l": 2, "e": 2}, dtypes=I64, places=PLACES)
BASES = [
    (GEMM, PAIR, "l=j"),
    (GEMM, PAIR, "l=i"),
    (GEMM.with_sizes({"j": 2}), PAIR, "l=i.j"),
    (SLIDING, PAIR, "l=p"),
    (SLIDING, TILE, "l=p,e=r"),
    (GEMM, TILE, "l=i,e=k"),
]
EDITS = 30


def computes_right(m: Mapping) -> bool:
    """Whether executing the mapping gives the kernel's result at all sizes from 1 to 3, and at 5."""
    names = m.kernel.free_sizes
    sizes = [dict(zip(names, v, strict=True)) for v in itertools.product((1, 2, 3), repeat=len(names))]
    return all(right(Work(m.kernel, s), m) for s in [*sizes, dict.fromkeys(names, 5)])


@pytest.mark.parametrize("base", part(range(len(BASES)), lambda n: n % 2 == 0))
def test_nothing_proved_computes_a_wrong_result(base: int) -> None:
    kernel, instruction, axes = BASES[base]
    rng, verdicts = random.Random(base), Counter[str]()
    original = fuse(kernel, instruction, axes)
    assert computes_right(original)
    for _ in range(EDITS):
        m = by_hand(original, rng)
        try:
            result = prove(m)
        except MappingError:
            continue
        verdicts[result.proof.word] += 1
        if result.proof.proved:
            assert computes_right(m), (m.forward, m.inverse, m.guard, m.outer, m.binding)
    assert verdicts["refuted"] > 10, verdicts
