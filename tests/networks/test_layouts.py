"""How images are stored is chosen over the graph, by what windows cost in either order and what it costs where orders meet."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_encodings.two_ways import cheapest
from isamap_smt.networks.interpret import run_network
from isamap_smt.networks.layout import Layouts
from isamap_smt.networks.rewrite import rewritten

rng = np.random.default_rng(0)


def filters(*shape: int) -> np.ndarray:
    return rng.standard_normal(shape).astype(np.float32) / 8


def layers(*channels: int, size: int = 32, points: int = 3) -> Any:
    """Convolutions with these channels, one behind the other, with what goes element by element between them."""
    y = im.input("x", (1, channels[0], size, size))
    for before, after in itertools.pairwise(channels):
        y = im.relu(im.conv2d(y, filters(after, before, points, points), pad=points // 2))
    return im.network({"sums": im.mean(y, [2, 3])}, name="layers")


def chosen(network: Any, hardware: str = "avx512") -> Layouts:
    layouts = rewritten(network, hardware)[1]
    assert layouts.status == "OPTIMAL" and layouts.price == layouts.bound
    return layouts


@pytest.mark.parametrize(
    ("channels", "last"),
    [((3, 3, 3, 3), False), ((8, 8, 8, 8), False), ((64, 64, 64), True), ((16, 16, 16), True), ((3, 64, 64, 64), True)],
)
def test_few_channels_stay_first_and_many_stand_last(channels: tuple[int, ...], last: bool) -> None:
    found = chosen(layers(*channels))
    assert bool(found.last) == last and not (found.last if not last else found.others)


def test_what_counts_as_few_depends_on_the_machine() -> None:
    network = layers(8, 8, 8, 8)
    assert not chosen(network, "avx512").last  # 16 lanes
    assert not chosen(network, "avx2").others  # 8 lanes
    assert not chosen(network, "scalar").others


def test_orders_meet_where_that_is_cheapest() -> None:
    """Two wide convolutions, then many thin ones: one order for each part."""
    found = chosen(layers(64, 64, 64, 4, 4, 4, 4, 4, size=64))
    assert found.last and found.others


@pytest.mark.parametrize("channels", [(4, 4, 4), (32, 32, 4, 4, 4, 4, 32)])
def test_the_values_are_the_same(channels: tuple[int, ...]) -> None:
    network = layers(*channels, size=16)
    compiled = im.CompiledNetwork(im.plan_network(network, "avx2" if channels[0] == 4 else "scalar"))
    x = rng.standard_normal((1, channels[0], 16, 16)).astype(np.float32)
    for name, want in run_network(network, {"x": x}).items():
        np.testing.assert_allclose(compiled(x=x)[name], want, rtol=1e-4, atol=1e-5)


def test_the_choice_is_the_cheapest_of_all() -> None:
    """Beside every choice there is, for random prices, also such that differing is cheaper."""
    draw = np.random.default_rng(1)
    for _ in range(60):
        names = [f"v{n}" for n in range(int(draw.integers(1, 8)))]
        alone = {n: (int(draw.integers(0, 30)), int(draw.integers(0, 30))) for n in names}
        pairs = [p for p in itertools.combinations(names, 2) if draw.random() < 0.6]
        together: Any = {p: tuple(int(x) for x in draw.integers(0, 25, 4)) for p in pairs}

        def price(ways: dict[str, int], alone: Any = alone, together: Any = together) -> int:
            met = sum(prices[2 * ways[a] + ways[b]] for (a, b), prices in together.items())
            return met + sum(prices[ways[n]] for n, prices in alone.items())

        every = (dict(zip(names, ways, strict=True)) for ways in itertools.product((0, 1), repeat=len(names)))
        found = cheapest(alone, together)
        assert found.status == "OPTIMAL" and found.price == found.bound == price(dict(found.ways)) == min(
            map(price, every)
        )


def test_a_plan_is_told_in_a_line_and_without_its_weights() -> None:
    network = layers(3, 4, size=8)
    assert repr(network).startswith("Network(layers, x: f32[1, 3, 8, 8] -> sums: f32[1, 4], ")
    told = repr(im.plan_network(network, "avx2"))
    assert told.startswith("NetworkPlan(layers, ") and told.endswith(" at least)") and len(told) < 120
