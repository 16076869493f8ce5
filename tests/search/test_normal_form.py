"""Which candidates are the same mapping as another one: said by cubes and counted by formula, and here by the definition."""

from __future__ import annotations

import random

import pytest
import sympy as sp

import isamap_smt as im
from isamap_encodings.models import Models
from isamap_smt.proof.family import Code, Family
from isamap_smt.proof.family_normal import count_normal, is_normal, not_normal
from tests.whole_family import candidates


def _multiple(extents: list[sp.Expr], n: int) -> bool:
    product = sp.expand(sp.Mul(*extents))
    if not product.free_symbols:
        return int(product) % n == 0
    return all(int(c) % n == 0 for c in sp.Poly(product, *product.free_symbols).coeffs())


def _constant_digit(family: Family, code: Code) -> bool:
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
    every = list(candidates(family))
    assert len(every) == family.size
    normal = [c for c in every if not _constant_digit(family, c[1])]
    assert [c for c in every if is_normal(family, c[1])] == normal
    assert count_normal(family) == (len(normal), True)
    cubes = not_normal(family)
    assert [c for c in every if not any(c in cube for cube in cubes)] == normal
    assert sorted(Models(family.choices, cubes).each()) == normal
    # and the count with cubes of which some hold one candidate, some many
    some = [
        *cubes[: len(cubes) // 2],
        *(q for c in rng.sample(every, min(9, len(every))) for q in _around(family, c, rng)),
    ]
    left = sum(not any(c in cube for cube in some) for c in normal)
    assert count_normal(family, some) == (left, True)


def _around(family: Family, candidate: tuple[int, Code], rng: random.Random) -> list[object]:
    everything = family.everything
    places = tuple(
        p if rng.random() < 0.4 else frozenset({c}) for c, p in zip(candidate[1], everything.places, strict=True)
    )
    return [type(everything)(frozenset({candidate[0]}), places)]


def test_a_count_that_would_take_too_long_is_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer cubes are counted then, and never is more called judged than is."""
    family = Family(im.kernel("C[n,p,k] += A[n,p+r,c]*B[k,c,r]"), im.find_instruction("wmma.16x16x16"))
    rng = random.Random(2)
    cubes = [type(family.everything).of(c) for c in rng.sample(list(candidates(family)), 40)]
    exact, sure = count_normal(family, cubes)
    assert sure and exact == family.size - 40
    monkeypatch.setattr("isamap_smt.proof.family_normal.MOST", 20)
    bound, sure = count_normal(family, cubes)
    assert not sure and exact < bound <= family.size


def test_twenty_three_axes_take_no_time() -> None:
    """No array has the family's size, and sets of axes are weighed by numbers, not by polynomials: 14 axes took 15 s."""
    free = ",".join(f"x{n}" for n in range(20))
    family = Family(im.kernel(f"C[{free}] += A[{free},h,i,j] * B[h,i,j]"), im.find_instruction("avx2.fmadd_ps"))
    assert family.size == 2**23 - 1 and not not_normal(family) and count_normal(family) == (family.size, True)
