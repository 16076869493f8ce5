"""The page about a network: what stands on it, and that nothing a model says becomes a part of it."""

from __future__ import annotations

import html
import json
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import onnx
import pytest

import isamap_smt as im
from isamap_smt.cli.app import run
from isamap_smt.report.network import blocks, memory, network_report
from tests.networks.models import model, node, weight

HOSTILE = '</title><script src="//evil">alert(1)</script>'


@pytest.fixture(scope="module")
def compiled() -> im.CompiledNetwork:
    """Three equal layers, and a hostile name."""
    rng = np.random.default_rng(0)
    names = ["x", "a", "b", "c"]
    nodes = []
    for n, (source, result) in enumerate(pairwise(names)):
        nodes += [node("MatMul", [source, f"w{n}"], [f"m{n}"]), node("Softmax", [f"m{n}"], [result])]
    nodes.append(node("CumSum", ["c", "axis"], ["y"]))
    nodes[-1].name = HOSTILE
    weights = {f"w{n}": weight(rng, 8, 8) for n in range(3)} | {"axis": np.array(1)}
    made = model(nodes, {"x": [4, 8]}, {"y": [4, 8]}, weights)
    made.graph.name = HOSTILE
    return im.compile_network(im.from_onnx(made))


def test_repeated_steps_are_stacked(compiled: im.CompiledNetwork) -> None:
    found = [(b.text, len(b.inside)) for b in blocks(compiled.plan, {})]
    assert found[0] == ("3 times", 2)


def test_the_page_says_what_there_is_and_loads_nothing(compiled: im.CompiledNetwork) -> None:
    times = compiled.timed({"x": np.ones((4, 8), np.float32)}, 0.0)
    assert len(times) == len(compiled.nodes) and all(0 < t < 1 for t in times)
    page = network_report(compiled, times, 3.0, command=f"isamap report {HOSTILE}")
    assert "<script" not in page and page.count("</title>") == page.count("<title>")
    assert not re.search(r"(src|href)=[\"'](?!#)", page)
    said = html.unescape(page)
    assert HOSTILE in said and "3 times" in said and "predicted" in said
    assert re.search(r"proved · \d+ obligations", said)
    for claim in ("version", "separate", "arena"):
        assert claim in said
    assert "not run" in network_report(compiled)


def test_memory_shows_each_value_in_its_place(compiled: im.CompiledNetwork) -> None:
    drawn, plan = memory(compiled.plan), compiled.plan
    assert len(drawn.rectangles) >= len(plan.places)
    assert all(r.width > 0 and r.y >= 0 and r.y + r.height <= drawn.height for r in drawn.rectangles)


def test_the_command(in_empty_directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = """<ir_version: 10, opset_import: ["": 21]>
    g (float[3] x) => (float[1,3] y) <float[2] w = {1.0, 0.0}> { p = NonZero(w) c = Cast<to = 1>(p) y = Add(x, c) }"""
    onnx.save(onnx.parser.parse_model(text), "m.onnx")
    assert run(["report", "m.onnx", "--foreign", "reference", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["page"] == "m.html" and found["verdict"] == "proved" and found["seconds"] > 0
    foreign = {"node": "NonZero_0", "operator": "NonZero", "by": "reference"}
    assert found["foreign"] == [{**foreign, "reason": "no kernel computes the operator NonZero"}]
    page = html.unescape(Path("m.html").read_text())
    assert "not proved: NonZero_0 (NonZero) by reference" in page and "reference, outside of the proof" in page
    assert run(["report", "m.onnx", "--foreign", "reference", "--no-measure"]) == 0
    assert capsys.readouterr().out == "wrote m.html\n"
    assert run(["report", "gemm", "host", "--foreign", "reference"]) == 3
