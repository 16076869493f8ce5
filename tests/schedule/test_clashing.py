"""Of pins that leave nothing, the fewest that do are named: against trying all sets, and in what commands say."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

import isamap_smt as im
from isamap_smt.scheduling.clashing import FEW, clashing


@pytest.mark.parametrize("seed", range(200))
def test_the_fewest_are_found(seed: int) -> None:
    """Sets that clash are drawn, and every set around one of them clashes."""
    rng = random.Random(seed)
    pins = tuple(range(rng.randint(1, 7)))
    cores = [frozenset(rng.sample(pins, rng.randint(1, len(pins)))) for _ in range(rng.randint(1, 3))]

    def nothing(some: tuple[int, ...]) -> bool:
        return any(core <= set(some) for core in cores)

    found = clashing(pins, nothing)
    least = min(len(s) for n in range(len(pins) + 1) for s in combinations(pins, n) if nothing(s))
    assert nothing(found) and not any(nothing(tuple(p for p in found if p != one)) for one in found)
    assert len(found) == least or least > 2


def test_without_pins_nothing_clashes() -> None:
    assert clashing((1, 2, 3), lambda some: True) == ()


def test_many_pins_are_taken_out_one_by_one() -> None:
    asked = []

    def nothing(some: tuple[int, ...]) -> bool:
        asked.append(some)
        return {2, 5, 9} <= set(some)

    assert clashing(range(FEW + 4), nothing) == (2, 5, 9) and len(asked) == FEW + 4


@pytest.mark.parametrize(
    ("fix", "said"),
    [
        ({"tile.k": 1024, "tile.i.L2": 1024, "tile.j.L2": 1024, "register.i": 4}, "register.i=4, tile.k=1024 may stay"),
        (
            {"tile.k": 1024, "register.j": 16, "tile.i.L2": 1024, "tile.j.L2": 1024},
            "register.j=16, tile.k=1024 may stay",
        ),
    ],
)
def test_pins_of_a_core(fix: dict[str, int], said: str) -> None:
    with pytest.raises(im.IsamapError, match=said) as refused:
        im.plan("gemm", "avx2", sizes=dict.fromkeys("ijk", 1024), fix=fix, instruction="fmadd_ps")
    assert "is in the space with tile.i.L2=1024, tile.j.L2=1024: some tile does not fit" in str(refused.value)


def test_pins_of_engines() -> None:
    machine = im.find_hardware("examples/outer_product.py:MACHINE")
    fix = {"slots.acc": 4, "slots.a": 2, "tile.j_tile": 64, "tile.i_tile": 2, "stage.acc": 0}
    with pytest.raises(im.IsamapError) as refused:
        im.plan("gemm", machine, sizes=dict.fromkeys("ijk", 512), fix=fix)
    assert "no plan fits with tile.j_tile=64: accumulators" in str(refused.value)
