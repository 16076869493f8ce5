"""Which candidates are the same mapping as another one: said by tables of contents, and here by the definition."""

from __future__ import annotations

import random

import numpy as np
import pytest
import sympy as sp

import isamap_smt as im
from isamap_smt.proof.family import Family


def _multiple(extents: list[sp.Expr], n: int) -> bool:
    product = sp.expand(sp.Mul(*extents))
    if not product.free_symbols:
        return int(product) % n == 0
    return all(int(c) % n == 0 for c in sp.Poly(product, *product.free_symbols).coeffs())


def _constant_digit(family: Family, code: np.ndarray) -> bool:
    extents = {a.name: a.extent for a in family.kernel.statements[0].axes}
    for (_, n), (_, group) in zip(family.points, family.groups(code), strict=True):
        for k, a in enumerate(group):
            if extents[a] == 1 or _multiple([extents[b] for b in group[k + 1 :]], n):
                return True
    return False


@pytest.mark.parametrize("seed", range(12))
def test_redundant_is_what_the_definition_says(seed: int) -> None:
    rng = random.Random(seed)
    kernel = im.kernel("C[n,p,k] += A[n,p+r,c]*B[k,c,r]")
    sizes = {a.name: rng.choice([1, 2, 3, 4, 6, 8, 16, 48]) for a in kernel.axes if rng.random() < 0.6}
    instruction = im.find_instruction(rng.choice(["avx2.fmadd_ps", "wmma.16x16x16"]))
    family = Family(kernel.with_sizes(sizes), instruction, "any", partial=rng.random() < 0.5)
    assert list(family.redundant) == [_constant_digit(family, code) for code in family.codes]


def test_fourteen_axes_take_seconds() -> None:
    """Sets of axes are weighed by numbers, not by polynomials: 16,384 of them took 15 s."""
    text = "C[a,b,c,d,e,f,g] += A[a,b,c,d,e,f,g,h,i,j] * B[h,i,j,k,l,m,n]"
    family = Family(im.kernel(text), im.find_instruction("avx2.fmadd_ps"))
    assert family.size == 2**14 - 1 and not family.redundant.any()
