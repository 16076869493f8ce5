"""Where no mapping can be carried out, another kind is taken: sizes of one point are left open, an axis of the unit is unused."""

from __future__ import annotations

import numpy as np
import pytest
from engines import machine

import isamap_smt as im

PADDED = "Q = 9\nI: [Q, C]\nO[q,k] += I[q+s-1,c] * W[s,c,k] where 0 <= q+s-1 < Q"


@pytest.mark.parametrize(
    ("text", "sizes", "mapping", "note"),
    [
        ("C[i,j] += A[i,k] * B[k,j]", {"i": 5, "j": 1, "k": 9}, "i=i,j=j,k=k;a=A,b=B", "the size of j is left open"),
        (
            "C[i,j] += A[i,k] * B[k,j]",
            {"i": 1, "j": 1, "k": 1},
            "i=i,j=j,k=k;a=A,b=B",
            "the size of i, j, k is left open",
        ),
        ("C[i,j] += A[i,k] * B[k,j]", {"i": 1, "j": 4, "k": 1}, "i=i,j=j,k=k;a=A,b=B", "the size of i, k is left open"),
        (
            "y[i] += A[i,k] * x[k]",
            {"i": 19, "k": 10},
            "i=-,j=i,k=k;a=x,b=A",
            "an axis of the instruction is left unused",
        ),
        (PADDED, {"k": 10, "c": 5, "s": 3}, "i=-,j=k,k=c;a=I,b=W", "an axis of the instruction is left unused"),
    ],
    ids=["one point", "one tile", "one tile of a sum of one", "two axes", "padding"],
)
def test_another_mapping_is_taken(text: str, sizes: dict[str, int], mapping: str, note: str) -> None:
    kernel = im.kernel(text, name="mine")
    plan = im.stage(kernel, machine(), sizes=sizes)
    assert plan.schedule.proved.mapping.id == mapping and plan.notes[0].startswith(note)
    full = kernel.with_sizes(sizes)
    draw = np.random.default_rng(1)
    given = {n: draw.standard_normal([int(e) for e in full.tensor(n).shape]).astype(np.float32) for n in full.inputs}
    right = im.run_kernel(full, given)
    for seed in (None, 0, 1):
        seen = im.simulate(plan.program, given, seed=seed)
        assert seen.sound and all(np.allclose(seen.outputs[n], right[n], atol=1e-4) for n in full.results)
