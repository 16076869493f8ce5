"""Means, extremes and what is left out of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from rich.console import Console

from isamap_smt.bench.pages import summary
from isamap_smt.bench.plots import write_plots
from isamap_smt.bench.results import Results
from isamap_smt.bench.summary import excluded, extremes, fraction, group, never_right, rows, standings
from isamap_smt.bench.tables import report


def figure(median: float) -> dict[str, Any]:
    return {"median": median, "low": median * 0.9, "high": median * 1.1, "samples": 3, "dropped": 0}


def entry(
    name: str, ours: float | None, peer: float | None, group: str = "large", noisy: bool = False
) -> dict[str, Any]:
    """An entry as turns.measure makes it; None: the contender has no right result."""
    about = {
        "mapping": "l=j", "instruction": "avx2.fmadd_ps", "schedule": f"OPTIMAL: {name}", "packing": {"b": "in place"},
        "parallel": None, "verdict": "proved",
        "stages": {"schedule": 1.0}, "seconds": {"compile": 2.5, "compile again": 0.001},
    }  # fmt: skip
    wrong = {"status": "wrong", "words": "3 of 4 elements differ; at 0,0: 1, expected 2"}
    contenders = {
        "isamap": wrong if ours is None else {"status": "ok", "words": "", "gflops": figure(ours), "about": about},
        "torch": wrong if peer is None else {"status": "ok", "words": "", "gflops": figure(peer), "about": {}},
    }
    return {
        "suite": "gemm-f32", "condition": "free", "threads": 1,
        "case": {"name": name, "group": group, "form": "NN"},
        "contenders": contenders,
        "best_peer": None if peer is None else "torch",
        "ratio": figure(ours / peer) if ours and peer else None,
        "operations": 1e9, "bytes": 1e7, "peak": 100.0, "limit": 80.0, "share": figure(0.5),
        "turns": {"quiet": 1 if noisy else 3, "dropped": 2, "noisy": noisy},
    }  # fmt: skip


ENTRIES = [
    entry("one", 40.0, 20.0),
    entry("two", 20.0, 40.0),
    entry("three", None, 40.0),
    entry("four", 60.0, None),
    entry("five", 64.0, 8.0, "skinny", noisy=True),
]


def made(path: Path) -> Results:
    bands = {"1": [{"size": 16384, "rate": 1e11}, {"size": 1 << 27, "rate": 1e10}]}
    machine = {"cpu": "Deep Thought", "features": "avx2", "cores": "2", "load": "0.1"}
    missing = {"libxsmm": "no libxsmm.so found: set ISAMAP_LIBXSMM to its path"}
    return Results(path, machine, "abc", {}, missing, {}, bands, ENTRIES)


def test_rows_count_what_has_no_ratio() -> None:
    found = {r.group: r for r in rows(ENTRIES, group)}
    assert list(found) == ["large", "skinny", "all"]
    large = found["large"]
    assert (large.cases, large.failed, large.alone, large.noisy) == (4, 1, 1, 0)
    assert large.mean == pytest.approx(1.0)
    assert (large.worst, large.best) == (0.5, 2.0)
    assert large.fraction == pytest.approx(0.5)
    assert found["all"].mean == pytest.approx(2.0)
    assert found["all"].noisy == 1


def test_extremes_share_nothing() -> None:
    best, worst = extremes(ENTRIES)
    assert [e["case"]["name"] for e in worst] == ["two", "one", "five"]
    assert best == []
    best, worst = extremes(ENTRIES, 1)
    assert [e["case"]["name"] for e in (*best, *worst)] == ["five", "two"]


def test_who_is_out_is_said_once_for_a_suite() -> None:
    found = excluded([*ENTRIES, entry("six", None, None)])
    assert [(o.name, o.status, o.cases, o.case) for o in found] == [
        ("isamap", "wrong", 2, "three"),
        ("torch", "wrong", 2, "four"),
    ]


def test_the_fraction_is_of_the_limit() -> None:
    assert fraction(ENTRIES[0]) == 0.5
    assert fraction(ENTRIES[2]) is None
    assert fraction({**ENTRIES[0], "limit": None}) is None


def test_the_report_says_everything(tmp_path: Path) -> None:
    console = Console(width=200, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(report(made(tmp_path / "r.json")))
    text = console.export_text()
    assert "gemm-f32, nothing constant, 1 thread" in text
    assert "2.00 [1.80, 2.20]" in text
    assert "missing: libxsmm: no libxsmm.so found" in text
    assert "wrong, not counted: isamap in 1 case of gemm-f32, such as three: 3 of 4 elements differ" in text
    assert "not quiet: 1 of 5 figures had too few quiet turns, and are marked *" in text
    assert "worst, two at 0.50 of torch" in text
    assert "OPTIMAL: two" in text
    assert "limits too low" not in text
    assert "compiled anew: 4 kernels, median 2.5 s, most 2.5 s (two)" in text


def test_a_limit_that_was_measured_too_low_is_said(tmp_path: Path) -> None:
    results = made(tmp_path / "r.json")
    results.entries = [{**ENTRIES[0], "limit": 20.0}]
    console = Console(width=200, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(report(results))
    assert (
        "limits too low: 1 figures are above theirs, such as one: measured on a busy machine?" in console.export_text()
    )


def test_markdown_has_the_same_means(tmp_path: Path) -> None:
    text = summary(made(tmp_path / "r.json"))
    assert "| gemm-f32 | free | 1 | large | 4 | 1.00 | 0.50 | 2.00 | 0.50 | 1 | 1 | 0 |" in text
    assert "| worst | two | 0.50 [0.45, 0.55] | torch | 20.0 | avx2.fmadd_ps, l=j; OPTIMAL: two; b: in place |" in text
    assert "- wrong, not counted: torch in 1 of gemm-f32, such as four: 3 of 4 elements differ" in text
    widths = {line.count("|") for line in text.splitlines() if line.startswith("| gemm")}
    assert len(widths) == 3  # three kinds of tables, and every line of one is as wide as its head


def test_pictures(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    written = write_plots(made(tmp_path / "r.json"), tmp_path / "plots")
    assert [p.name for p in written] == ["ratios.svg", "ratio-gemm-f32-free-1.svg", "roofline-gemm-f32-free-1.svg"]
    for path in written:
        assert ElementTree.parse(path).getroot().tag.endswith("svg")


def test_goals_are_told_beside_what_was_measured(tmp_path: Path) -> None:
    def reached(
        *ratios: tuple[float, str], condition: str = "constant", suite: str = "gemm-f32"
    ) -> list[tuple[int, bool]]:
        made = [
            {**entry(str(n), 10 * r, 10.0, g), "condition": condition, "suite": suite}
            for n, (r, g) in enumerate(ratios)
        ]
        return [(s.row.cases, s.met) for s in standings(made)]

    assert reached((1.06, "large"), (1.06, "tiny")) == [(2, True)]
    assert reached((1.5, "large"), (0.96, "tiny")) == [(2, False)]  # one class is too slow
    assert reached((1.5, "large"), (0.9, "large"), (1.1, "tiny")) == [(3, True)]  # one case of a class may be
    assert reached((1.04, "large"), condition="free") == [(1, True)]
    assert reached((1.9, "batch 1"), (0.99, "batch 1"), suite="lstm") == [(2, False)]  # of these none may be
    assert reached((9.0, "large"), suite="gemm-bf16", condition="free") == []  # which has no goal
    wrong = {**entry("x", None, 10.0), "condition": "constant", "suite": "conv"}
    right = {**entry("y", 20.0, 10.0), "condition": "constant", "suite": "conv"}
    assert [s.met for s in standings([right, wrong])] == [False]
    console = Console(width=200, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(report(made(tmp_path / "r.json")))
    assert "Against the goals" in console.export_text()
    assert "| gemm-f32 | free | 1 | 1.03 |" in summary(made(tmp_path / "r.json"))


def test_one_right_result_is_enough() -> None:
    def entry(name: str, status: str) -> dict[str, Any]:
        about = {"isamap": {"status": status, "words": "why"}}
        return {"suite": "conv", "case": {"name": name}, "contenders": about}

    skipped = {**entry("s", "ok"), "contenders": {}}
    failed, fine, unable = entry("f", "crashed"), entry("o", "ok"), entry("u", "unsupported")
    assert never_right([skipped, unable, failed, entry("g", "wrong")]) == "conv f: crashed: why"
    for entries in ([], [skipped], [unable], [failed, fine]):
        assert never_right(entries) == ""
