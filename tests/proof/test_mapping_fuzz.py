"""Random edits of mappings written by hand, executed lane by lane: nothing proved may compute a wrong result.

What is executed is what a machine would do: load the cells of the guarded lanes (all other cells are 0), compute every
lane, guarded or not, and store the output cells that some guarded lane has.
"""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.expr import evaluate, substitute
from isamap_smt.ir.kernel import Axis
from isamap_smt.ir.mapping import Mapping
from isamap_smt.mapping.fuse import fuse
from isamap_smt.proof import MappingError, prove
from tests.attacks.random_edits import mutated

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
SIZES = (1, 2, 3, 5)


def edited(m: Mapping, rng: random.Random) -> Mapping:
    """The mapping, as if written by hand, with one to two random edits."""
    m = replace(m, groups=())
    for _ in range(rng.randint(1, 2)):
        what = rng.choice(["forward", "inverse", "guard", "outer", "drop"])
        if what in ("forward", "inverse"):
            table = list(getattr(m, what))
            k = rng.randrange(len(table))
            table[k] = (table[k][0], mutated(table[k][1], [s for _, e in table for s in e.free_symbols], rng))
            m = replace(m, **{what: tuple(table)})
        elif what == "outer" and m.outer:
            k = rng.randrange(len(m.outer))
            axis = m.outer[k]
            extent = mutated(axis.extent, list(axis.extent.free_symbols), rng)
            m = replace(m, outer=(*m.outer[:k], Axis(axis.name, extent), *m.outer[k + 1 :]))
        elif what == "guard" and m.guard:
            k = rng.randrange(len(m.guard))
            g = m.guard[k]
            left = mutated(g.args[0], list(g.free_symbols), rng)
            m = replace(m, guard=(*m.guard[:k], g.func(left, g.args[1], evaluate=False), *m.guard[k + 1 :]))
        elif what == "drop":
            m = replace(m, guard=m.guard[1:])
    return m


def computes_right(m: Mapping, sizes: dict[str, int]) -> bool:
    """Whether executing the mapping at these sizes gives the kernel's result."""
    s, numbers = m.statement, np.random.default_rng(5)
    shapes = {t.name: tuple(int(evaluate(e, sizes)) for e in t.shape) for t in m.kernel.tensors}
    tensors = {n: numbers.integers(1, 1000, shape) for n, shape in shapes.items()}
    want, got = (np.zeros(shapes[s.target.tensor], np.int64) for _ in range(2))
    for values in itertools.product(*(range(int(evaluate(a.extent, sizes))) for a in s.axes)):
        env = {**sizes, **{a.name: v for a, v in zip(s.axes, values, strict=True)}}
        want[_at(s.target, env)] += np.prod([tensors[a.tensor][_at(a, env)] for a in s.inputs])
    out = m.instruction.kernel.statements[0].target.tensor
    lanes = list(itertools.product(*(range(n) for n in m.instruction.axes.values())))
    for outer in itertools.product(*(range(int(evaluate(a.extent, sizes))) for a in m.outer)):
        held: dict[str, dict[tuple[int, ...], Any]] = {o: {} for o, _ in m.binding}
        envs = [{**sizes, **dict(zip([a.name for a in m.outer], outer, strict=True)),
                 **dict(zip(m.instruction.axes, t, strict=True))} for t in lanes]  # fmt: skip
        for env in envs:
            if not all(evaluate(g, env) for g in m.guard):
                continue
            point = {**sizes, **{a: evaluate(e, env) for a, e in m.forward}}
            for o, access in m.binding:
                index = _at(access, point)
                if any(not 0 <= i < n for i, n in zip(index, shapes[access.tensor], strict=True)):
                    return False
                held[o][_cell(m, o, env)] = index if o == out else tensors[access.tensor][index]
        sums: dict[tuple[int, ...], int] = {}
        for env in envs:
            cell = _cell(m, out, env)
            product = 1
            for o, _ in m.binding:
                if o != out:
                    product *= int(held[o].get(_cell(m, o, env), 0))
            sums[cell] = sums.get(cell, 0) + product
        loaded = {cell: got[index] for cell, index in held[out].items()}
        for cell, index in held[out].items():
            got[index] = loaded[cell] + sums[cell]
    return bool(np.array_equal(want, got))


def _at(access: Any, env: dict[str, int]) -> tuple[int, ...]:
    return tuple(int(evaluate(i, env)) for i in access.index)


def _cell(m: Mapping, operand: str, env: dict[str, int]) -> tuple[int, ...]:
    return tuple(int(evaluate(substitute(i, env), {})) for i in m.cells(operand))


def all_sizes(m: Mapping) -> list[dict[str, int]]:
    names = m.kernel.free_sizes
    return [dict(zip(names, v, strict=True)) for v in itertools.product(SIZES[:3], repeat=len(names))] + [
        dict.fromkeys(names, 5)
    ]


@pytest.mark.parametrize("base", range(len(BASES)))
def test_nothing_proved_computes_a_wrong_result(base: int) -> None:
    kernel, instruction, axes = BASES[base]
    rng = random.Random(base)
    original = fuse(kernel, instruction, axes)
    assert all(computes_right(original, s) for s in all_sizes(original))
    verdicts: dict[str, int] = {}
    for _ in range(25):
        m = edited(original, rng)
        try:
            result = prove(m)
        except MappingError:
            continue
        verdicts[result.proof.word] = verdicts.get(result.proof.word, 0) + 1
        if result.proof.proved:
            for sizes in all_sizes(m):
                assert computes_right(m, sizes), (m.forward, m.inverse, m.guard, m.outer, sizes)
    assert verdicts.get("refuted", 0) > 10
