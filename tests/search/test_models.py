"""Answers that are kept are those that a solver of its own gives, wherever two searches part."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from isamap_encodings import models
from isamap_encodings.models import Choices, Cube, Models

CHOICES = Choices(("i", "j", "k"), ("l", "m"), 2, (frozenset({1}), frozenset({2})))


def _searched(seed: int) -> Iterator[object]:
    """Each candidate; behind it, it alone is excluded, or all with its binding and its place of some axis, as the seed says."""
    rng, found = random.Random(seed), Models(CHOICES)
    while (model := found.next()) is not None:
        yield model
        every = (frozenset({0, 1, 2}),) * 3
        k = rng.randrange(4)
        wide = Cube(frozenset({model[0]}), (*every[:k], frozenset({model[1][k % 3]}), *every[k + 1 :]))
        found.exclude(Cube.of(model) if k == 3 else wide)


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> dict[object, object]:
    found: dict[object, object] = {}
    monkeypatch.setattr(models, "_answers", found)
    return found


def test_searches_that_part_later_or_sooner_find_what_each_finds_alone(kept: dict[object, object]) -> None:
    together = [list(_searched(seed)) for seed in (*range(40), *range(40))]
    asked = len(kept)
    alone = []
    for seed in range(40):
        kept.clear()
        alone.append(list(_searched(seed)))
    assert together == [*alone, *alone]
    assert len({tuple(x) for x in alone}) > 10  # they do part
    assert asked < sum(len(x) + 1 for x in alone)  # and share what comes before


def test_a_search_again_asks_no_solver(kept: dict[object, object], monkeypatch: pytest.MonkeyPatch) -> None:
    first = list(_searched(7))
    monkeypatch.setattr(models, "_Solver", None)
    assert list(_searched(7)) == first
    with pytest.raises(TypeError):
        list(_searched(8))


def test_long_searches_are_not_kept(kept: dict[object, object]) -> None:
    many = Choices(tuple("abcdef"), ("l", "m"), 1, ())
    found = list(Models(many).each())
    assert len(found) == len(set(found)) == 3**6
    assert len(kept) == models.KEPT // 2
