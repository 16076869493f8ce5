"""isamap demo, at sizes that take no time: every stage is shown, checked and written."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import isamap_smt.cli.demo as engines
from isamap_smt.cli.app import run
from isamap_smt.cli.demo import JOBS, WRONG, Job, depthwise, innermost, pointwise, run_demo

SMALL = (
    Job("small product", "gemm", {"i": 17, "j": 20, "k": 9}, JOBS[0].numpy),
    Job("small window", "depthwise_conv2d", {**JOBS[1].sizes, "p": 6, "q": 7, "c": 8}, depthwise),
    Job("small pixels", "pointwise_conv2d", {"n": 1, "p": 3, "q": 4, "k": 8, "c": 8}, pointwise),
)
SIZES = {"i": 17, "j": 20, "k": 9}


def test_everything_is_done(in_empty_directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = run_demo(SMALL, WRONG, Path("isamap-demo"), budget=0.1, engines=SIZES, networks=())
    said = capsys.readouterr()
    assert said.err == ""
    for word in ("mappings  ", "proved    mapping", "proved    program", "schedule  ", "code      ", "NumPy", "page"):
        assert said.out.count(word) >= 3, word
    assert "does not map onto" in said.out
    for d in found["kernels"]:
        assert d["complete"] and d["proof"]["mapping"]["verdict"] == d["proof"]["program"]["verdict"] == "proved"
        assert d["max_error"] < 1e-6
        assert d["max_difference_from_numpy"] < 1e-6
        assert d["gflops"] > 0 and d["numpy_gflops"] > 0
        assert Path(d["c"]).is_file() and Path(d["page"]).is_file()
    assert [r["verdict"] for r in found["refuted"]] == ["refuted", "refuted"]
    (simulated,) = found["simulated"]
    assert simulated["complete"] and simulated["proof"]["verdict"] == "proved"
    assert (simulated["races"], simulated["interleavings"]) == ([], 1 + engines.SEEDS)
    assert simulated["predicted_cycles"] == pytest.approx(simulated["cycles"], rel=0.2)
    assert simulated["max_difference_from_numpy"] < 1e-6
    assert 'id="timeline"' in Path(simulated["page"]).read_text()
    for text in ("cycles, ", "orders, no races", "for every order of the engines", "examples/outer_product.py, "):
        assert text in said.out


def test_an_index_links_to_every_page(in_empty_directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = Path("isamap-demo")
    run_demo(SMALL[:1], WRONG[:1], folder, budget=0.1, engines=SIZES, networks=())
    said, index = capsys.readouterr().out, folder / "index.html"
    page = index.read_text()
    links = re.findall(r'href="([^"]+)"', page)
    assert links == ["gemm.html", "gemm.c", "outer_product.html"] and all((folder / link).is_file() for link in links)
    assert "does not map onto" in page and "cycles, simulated" in page
    shown = [line.strip() for line in said.splitlines() if "file://" in line]
    assert shown == [(folder / n).resolve().as_uri() for n in ("index.html", "gemm.html", "outer_product.html")]


def test_one_document(in_empty_directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_demo(SMALL[:1], WRONG[:1], Path("out"), json=True, budget=0.1, engines=SIZES, networks=())
    said = capsys.readouterr()
    assert set(json.loads(said.out)) == {"hardware", "kernels", "networks", "refuted", "simulated", "directory"}
    assert said.err == ""


def test_the_real_sizes_are_real() -> None:
    assert engines.SIZES == {"i": 200, "j": 140, "k": 96}
    assert JOBS[0].sizes == {"i": 1024, "j": 700, "k": 512}
    assert (JOBS[1].sizes["p"], JOBS[1].sizes["c"], JOBS[2].sizes["k"]) == (56, 128, 128)


def test_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["demo", "--help"]) == 0
    assert "isamap-demo" in capsys.readouterr().out


def test_the_excerpt_is_the_loop_around_the_instruction() -> None:
    source = """int isamap_run(void) {
    for (int a = 0; a < 2; ++a) {
        copy();
    }
    for (int b = 0; b < 2; ++b) {
        for (int c = 0; c < 2; ++c) {
            x = _mm256_fmadd_ps(y, z, x);
        }
    }
"""
    lines = innermost(source, "{c} = _mm256_fmadd_ps({a}, {b}, {c});")
    assert lines == ["for (int c = 0; c < 2; ++c) {", "    x = _mm256_fmadd_ps(y, z, x);", "}"]
