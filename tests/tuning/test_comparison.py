"""The comparison of strategies with random search: what counts as beating it, and what a run leaves behind."""

from __future__ import annotations

import json
import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from benchmarks import contest, strategies
from benchmarks.comparison import conclusions, markdown, sentence, verdict
from benchmarks.contest import Effort, empty_cache, take_turns
from isamap_smt.bench.case import Case
from isamap_smt.tuning.database import database_path
from tests.tuning.conftest import SIZES

TINY = Case(
    "64x48x32 NN", "matmul", "gemm", tuple(SIZES.items()), tuple((t, "f32") for t in "ABC"), ("B",), "tiny", "NN"
)
QUICK = Effort(trials=2, budget=60.0, each=0.02, turns=2, seconds=0.002)


def silent(*_: object) -> None:
    """Nobody is told."""


def around(centre: float) -> list[float]:
    return [centre * x for x in (0.99, 1.0, 1.0, 1.01)]


def document(**ratios: list[list[float]]) -> dict[str, Any]:
    """Results with these ratios: of the strategies' own programs, and of what is kept, the same."""
    count = max(len(r) for r in ratios.values())
    entries = []
    for n in range(count):
        found = {name: {"ratios": r[n], "ratio": None} if n < len(r) else None for name, r in ratios.items()}
        about = {
            name: {"reason": "" if f else "it refuses the shape", "programs": 2, "own": f, "kept": f}
            for name, f in found.items()
        }
        about["random"] = {"reason": "", "programs": 2, "own": {"ratios": [], "ratio": None}, "kept": None}
        turns = {"quiet": 4, "dropped": 0, "noisy": False}
        entries.append({"name": f"shape {n}", "strategies": about, "turns": turns, "ranks": {}})
    settings = {"strategies": [*ratios, "random"], "shapes": [e["name"] for e in entries], "threads": 1}
    settings |= {"trials": 2, "budget": 1.0, "seed": 0}
    return {
        "settings": settings, "entries": entries, "complete": True, "code_changed": False, "machine": {"cpu": "a CPU"},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("centres", "words"),
    [
        ([1.1] * 10, "s beats random search: 1.10 ["),
        ([1.0] * 10, "s does not beat random search: 1.00 ["),
        ([0.9] * 10, "s does not beat random search, which is faster: 0.90 ["),
        ([1.3, 0.85] * 5, "s does not beat random search: 1.05 ["),  # the mean alone would say it does
        ([1.004] * 10, "s does not beat random search: 1.00 ["),
        ([0.9, 1.2, *[1.2] * 8], "s beats random search: 1.17 ["),
    ],
)
def test_only_what_is_surely_faster_beats_random_search(centres: list[float], words: str) -> None:
    found = verdict([around(c) for c in centres])
    assert found is not None and found.low <= found.mean <= found.high
    assert sentence("s", found, found).startswith(words)
    assert "over 10 shapes. " in sentence("s", found, found)


def test_turns_that_disagree_widen_the_interval() -> None:
    steady, noisy = verdict([around(1.05)]), verdict([[0.6, 1.05, 1.05, 1.9]])
    assert steady is not None and noisy is not None and steady.mean == noisy.mean
    assert steady.beats and not noisy.beats


def test_shapes_without_a_ratio_count_nowhere_and_are_named() -> None:
    found = document(good=[around(1.2)] * 8, broken=[], half=[around(1.2)] * 3)
    told = conclusions(found)
    assert told["good"]["own"]["beats"] and told["good"]["own"]["shapes"] == 8
    assert told["broken"]["own"] is None
    assert told["broken"]["sentence"] == "broken was not compared: it refuses the shape."
    assert told["half"]["own"]["shapes"] == 3 and "too few to speak of others" in told["half"]["sentence"]
    page = markdown(found)
    assert "- broken on shape 0 and 7 more: it refuses the shape" in page
    assert "- half on shape 3 and 4 more: it refuses the shape" in page


def test_there_are_ten_cheap_shapes() -> None:
    cases = strategies.shapes()
    assert len(cases) == 10 and max(c.operations for c in cases) < 1e9
    assert [c.kernel for c in strategies.shapes("depthwise")] == ["depthwise_conv2d"]


def test_a_run_compares_times_and_ranks_and_leaves_the_users_database_alone(caches: Path, tmp_path: Path) -> None:
    kept: list[str] = []
    told = strategies.compare(
        [TINY], ["exact", "nonesuch", "random"], QUICK, silent, lambda d: kept.append(json.dumps(d))
    )
    assert not database_path().exists() and os.environ["ISAMAP_CACHE"] == str(caches)
    assert told["complete"] and len(kept) == 2
    (entry,) = told["entries"]
    exact, random, absent = (entry["strategies"][n] for n in ("exact", "random", "nonesuch"))
    assert "unknown strategy 'nonesuch'" in absent["reason"] and absent["own"] is absent["kept"] is None
    assert exact["reason"] == random["reason"] == ""
    assert (exact["programs"], random["programs"]) == (1, 2)
    assert exact["own"]["program"] == exact["kept"]["program"] != random["own"]["program"]
    assert len(exact["own"]["ratios"]) == exact["own"]["ratio"]["samples"] >= QUICK.turns
    assert exact["own"]["gflops"]["median"] > 0 and random["own"]["gflops"]["median"] > 0
    assert random["own"]["ratios"] == [] and exact["own"]["schedule"]
    assert entry["ranks"]["analytic"] == {"value": None, "programs": 2, "reason": ""}  # two programs have no rank
    assert "needs a calibration" in entry["ranks"]["calibrated"]["reason"]
    learned = "needs 20 measurements" if find_spec("sklearn") else "needs scikit-learn"
    assert learned in entry["ranks"]["learned"]["reason"]
    assert set(told["conclusions"]) == {"exact", "nonesuch"}
    strategies.write(tmp_path / "s.json", told)
    assert json.loads((tmp_path / "s.json").read_text())["conclusions"] == told["conclusions"]
    page = (tmp_path / "s.md").read_text()
    assert all(c["sentence"] in page for c in told["conclusions"].values())


def test_an_interrupt_keeps_the_shapes_that_are_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    found = document(fast=[around(1.2)])["entries"][0]
    calls: list[Case] = []

    def measured(case: Case, *_: object) -> tuple[dict[str, Any], None]:
        calls.append(case)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return found, None

    monkeypatch.setattr(strategies, "measure_shape", measured)
    told = strategies.compare([TINY, TINY, TINY], ["fast", "random"], QUICK, silent, silent)
    assert told["entries"] == [found] and len(calls) == 2 and not told["complete"]
    assert "Stopped early: 3 were asked for." in markdown(told)
    assert told["conclusions"]["fast"]["own"]["beats"]


def test_an_empty_cache_holds_the_calibration_and_nothing_else(caches: Path) -> None:
    (caches / "calibration.json").write_text("figures")
    (caches / "tuning.sqlite").write_text("measurements")
    with empty_cache():
        place = Path(os.environ["ISAMAP_CACHE"])
        assert place != caches and (place / "calibration.json").read_text() == "figures"
        assert {p.name for p in place.iterdir()} == {"calibration.json", "timing.lock"}
        assert (place / "timing.lock").resolve() == (caches / "timing.lock").resolve()
    assert not place.exists() and os.environ["ISAMAP_CACHE"] == str(caches)


def test_noisy_turns_are_repeated_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    shares = iter([0.9, 0.0, 0.9, 0.0])
    monkeypatch.setattr(contest, "foreign", lambda *_: next(shares))
    rates, about = take_turns({"a": lambda: None, "b": lambda: None}, QUICK)
    assert about == {"quiet": 2, "dropped": 2, "noisy": False}
    assert [len(r) for r in rates.values()] == [2, 2] and min(map(min, rates.values())) > 0
    monkeypatch.setattr(contest, "foreign", lambda *_: 0.9)
    rates, about = take_turns({"a": lambda: None}, QUICK)
    assert about == {"quiet": 0, "dropped": 6, "noisy": True} and len(rates["a"]) == 6
