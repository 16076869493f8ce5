"""Operators that no kernel expresses: a back end computes them where it is asked for, and nothing it does goes unseen."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import isamap_smt as im
from isamap_smt.cli.app import run
from isamap_smt.ir.errors import NetworkError, NotProvedError
from isamap_smt.networks.compiled import CompiledNetwork
from isamap_smt.networks.foreign import BACKENDS
from isamap_smt.networks.graph import Foreign
from isamap_smt.networks.library import write_library
from isamap_smt.networks.proof import prove_network

X = np.float32([[0, 1, -2], [3, 0, -1]])
HEADER = '<ir_version: 10, opset_import: ["": 21]>'
WITHIN = f"""{HEADER} within (float[2,3] x) => (int64[2,n] y, float[2,3] z) {{
    r = Relu(x) p = NonZero(r) y = Add(p, p) c = Cast<to = 1>(p) s = ReduceSum<keepdims = 0>(c) z = Mul(x, s) }}"""


def read(text: str, **options: Any) -> im.Network:
    return im.from_onnx(onnx.parser.parse_model(text), **options)


@pytest.fixture
def backend() -> Iterator[Callable[[Any], im.Network]]:
    """The network within a back end that gives what a function of the input does."""

    def made(result: Any) -> im.Network:
        BACKENDS["test"] = lambda _: lambda arrays: {"p": result(*arrays.values())}
        return read(WITHIN, sizes={"p.1": 2}, foreign="test")

    yield made
    BACKENDS.pop("test", None)


def test_kernels_before_and_after_are_proved_and_the_rest_is_named() -> None:
    network = read(WITHIN, sizes={"p.1": 2}, foreign="reference")
    assert "foreign NonZero_1 (NonZero) by reference" in str(network)
    made = im.compile_network(network)
    wanted = np.array(np.nonzero(np.maximum(X, 0)))
    for got in (made(X), im.run_network(network, {"x": X}), made(X)):
        assert np.array_equal(got["y"], 2 * wanted)
        assert np.array_equal(got["z"], X * np.float32(wanted.sum()))
    assert made.proof.proved
    assert made.proof.assumptions == (
        "NonZero_1 (NonZero) by reference is what the model means: no kernel computes the operator NonZero",
    )
    assert [n for n in made.nodes if n == "NonZero_1"]
    assert [n for n, *_ in made.traced({"x": X})].count("NonZero_1") == 1


def test_nodes_of_one_name_are_computed_each_by_itself() -> None:
    model = onnx.parser.parse_model(
        f"""{HEADER} two (float[2,3] x) => (int64[2,n] y, int64[2,m] z) {{ r = Relu(x) y = NonZero(r) z = NonZero(x) }}"""
    )
    for node in model.graph.node:
        node.name = "same"
    made = im.compile_network(im.from_onnx(model, sizes={"n": 2, "m": 4}, foreign="reference"))
    got = made(X)
    assert np.array_equal(got["y"], np.nonzero(np.maximum(X, 0))) and np.array_equal(got["z"], np.nonzero(X))


def test_it_is_off_unless_asked_for() -> None:
    with pytest.raises(NetworkError, match="no kernel computes the operator NonZero"):
        read(WITHIN)
    with pytest.raises(NetworkError, match="there is no back end 'onnxrunt'; did you mean onnxruntime"):
        read(WITHIN, foreign="onnxrunt")


def test_a_dimension_that_data_decide_is_a_size_and_is_looked_at() -> None:
    with pytest.raises(NetworkError, match=r"p: dimension 2 is open; give it a number with sizes=\{'p.1': ...\}"):
        read(WITHIN, foreign="reference")
    declared = f"{HEADER} d (float[2,3] x) => (int64[2,found] y) {{ y = NonZero(x) }}"
    network = read(declared, foreign="reference", sizes={"found": 4})
    made = im.compile_network(network)
    assert np.array_equal(made(X)["y"], np.nonzero(X))
    with pytest.raises(NetworkError, match=r"NonZero_0: the back end reference gives int64\[2, 6\] for .*\[2, 4\]"):
        made(X + 7)
    with pytest.raises(NetworkError, match="sizes: the model has no dimension 'm'"):
        read(declared, foreign="reference", sizes={"found": 4, "m": 2})
    with pytest.raises(NetworkError, match="has no elements"):
        read(declared, foreign="reference", sizes={"found": 0})
    known = f"{HEADER} k (float[3] x) => (int64[1,n] y) <float[4] w = {{1.0, 0.0, 2.0, 0.0}}> {{ y = NonZero(w) }}"
    assert np.array_equal(im.run_network(read(known, foreign="reference"), {"x": X[0]})["y"], [[0, 2]])


def test_graphs_within_a_node_read_what_is_outside() -> None:
    branches = f"""{HEADER} f (float[2,3] x, bool c) => (float[2,3] y) {{ r = Relu(x) y = If (c) <
        then_branch = t () => (float[2,3] a) {{ a = Add(r, r) }}, else_branch = e () => (float[2,3] b) {{ b = Neg(x) }}> }}"""
    made = im.compile_network(read(branches, foreign="reference"))
    assert np.array_equal(made(x=X, c=np.bool_(True))["y"], 2 * np.maximum(X, 0))
    assert np.array_equal(made(x=X, c=np.bool_(False))["y"], -X)


def test_channels_keep_their_place_around_it() -> None:
    text = f"""{HEADER} c (float[1,4,6,6] x, float[4,4,3,3] w, bool c) => (float[1,4,6,6] y) {{
        a = Conv<pads = [1, 1, 1, 1]>(x, w) b = If (c) <then_branch = t () => (float[1,4,6,6] p) {{ p = Neg(a) }},
        else_branch = e () => (float[1,4,6,6] q) {{ q = Abs(a) }}> d = Conv<pads = [1, 1, 1, 1]>(b, w) y = Relu(d) }}"""
    rng = np.random.default_rng(0)
    given = {"x": rng.standard_normal((1, 4, 6, 6), np.float32), "w": rng.standard_normal((4, 4, 3, 3), np.float32)}
    network = read(text, foreign="reference")
    for c in (True, False):
        arrays = {**given, "c": np.bool_(c)}
        got, wanted = im.compile_network(network)(**arrays)["y"], im.run_network(network, arrays)["y"]
        assert np.allclose(got, wanted, rtol=1e-3, atol=1e-4)


def _raises(_: Any) -> Any:
    raise RuntimeError("no \x1b[31m luck\nat all")


@pytest.mark.parametrize(
    ("result", "told"),
    [
        (_raises, "NonZero_1: the back end test fails: no .?.31m luck$"),
        (lambda x: None, "gives nothing for"),
        (lambda x: [[0, 1], [1, 0]], "gives a list for"),
        (lambda x: np.int64([[0, 1, 1], [1, 0, 0]]), r"gives int64\[2, 3\] for"),
        (lambda x: np.int32([[0, 1], [1, 0]]), r"gives int32\[2, 2\] for"),
        (lambda x: np.array([[0, 1], [1, 0]], object), r"gives object\[2, 2\] for"),
    ],
)
def test_what_a_back_end_gives_is_looked_at(backend: Any, result: Any, told: str) -> None:
    network = backend(result)
    with pytest.raises(NetworkError, match=told):
        im.run_network(network, {"x": X})
    made = im.compile_network(network)
    with pytest.raises(NetworkError, match=told):
        made(X)


def test_a_back_end_has_copies_and_none_is_kept(backend: Any) -> None:
    kept: list[np.ndarray] = []

    def result(x: np.ndarray) -> np.ndarray:
        if kept:
            kept[0].fill(77)
        x.fill(5)
        kept[:] = [np.int64([[0, 1], [1, 0]])]
        return kept[0]

    network = backend(result)
    made = im.compile_network(network)
    first = made(X)
    kept[0].fill(99)
    assert np.array_equal(first["z"], X * 2)
    assert np.array_equal(made(X)["y"], [[0, 2], [2, 0]])
    assert np.array_equal(im.run_network(network, {"x": X})["z"], X * 2)


def test_a_name_is_registered_once() -> None:
    with pytest.raises(NetworkError, match="there is a back end 'reference' already"):
        im.register_backend("reference", lambda _: lambda arrays: {})


def test_another_step_in_its_place_is_refuted() -> None:
    planned = im.plan_network(read(WITHIN, sizes={"p.1": 2}, foreign="reference"))
    assert prove_network(planned).proved

    def changed(**of: Any) -> Any:
        steps = tuple(replace(s, **of) if isinstance(s, Foreign) else s for s in planned.network.steps)
        return replace(planned, network=replace(planned.network, steps=steps))

    (step,) = planned.network.foreign
    for of in ({"model": b""}, {"backend": "onnxruntime"}, {"reads": ((step.reads[0][0], "x"),)}, {"op": "Unique"}):
        assert {c.claim for c in prove_network(changed(**of)).failed()} == {"same"}
        with pytest.raises(NotProvedError):
            CompiledNetwork(changed(**of))


def test_no_c_is_written_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    planned = im.plan_network(read(WITHIN, sizes={"p.1": 2}, foreign="reference"))
    with pytest.raises(NetworkError, match="NonZero_1: no C computes NonZero"):
        write_library(planned, tmp_path, "within")
    path = tmp_path / "m.onnx"
    onnx.save(onnx.parser.parse_model(WITHIN), path)
    assert run(["compile", str(path), "-o", str(tmp_path / "c")]) != 0
    assert "NonZero_1: no kernel computes the operator NonZero" in capsys.readouterr().err
    assert run(["run", str(path), "--sizes", "p.1=3", "--foreign", "reference", "--against", "interpreter"]) != 0
    assert "NonZero_1: the back end reference gives" in capsys.readouterr().err


def test_a_run_says_what_is_not_proved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "m.onnx"
    text = f"""{HEADER} k (float[3] x) => (float[1,3] y) <float[2] w = {{1.0, 0.0}}> {{
        p = NonZero(w) c = Cast<to = 1>(p) y = Add(x, c) }}"""
    onnx.save(onnx.parser.parse_model(text), path)
    assert run(["run", str(path), "--foreign", "reference", "--against", "interpreter", "--seconds", "0"]) == 0
    assert "assumed   NonZero_0 (NonZero) by reference is what the model means" in capsys.readouterr().out


def test_no_file_is_opened_for_a_back_end() -> None:
    branch = onnx.parser.parse_graph("t () => (float[1] a) { a = Identity(q) }")
    tensor = branch.initializer.add(name="q", data_type=1, dims=[1], data_location=onnx.TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value="elsewhere.bin")
    model = onnx.parser.parse_model(f"{HEADER} f (bool c) => (float[1] y) {{ y = Not(c) }}")
    model.graph.node[0].CopyFrom(
        onnx.helper.make_node("If", ["c"], ["y"], name="if", then_branch=branch, else_branch=branch)
    )
    with pytest.raises(
        NetworkError, match="if: no kernel computes the operator If; reference: the data of q is in a file"
    ):
        im.from_onnx(model, foreign="reference")


LONG = f"""{HEADER} l (float[2,4100] x) => (float[2,2] y, int64[2,2] i) <int64[1] k = {{2}}> {{
    r = Relu(x) t, i = TopK<axis = -1>(r, k) y = Neg(t) }}"""
REFUSED = "TopK: the 2 of 4100 elements: it is computed by comparing each two, of 4,096 at most"


def test_a_refused_case_of_a_known_operator_goes_to_the_back_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    x = np.random.default_rng(0).standard_normal((2, 4100), np.float32)
    network = read(LONG, foreign="reference")
    assert f"foreign TopK_1 (TopK) by reference: {REFUSED}" in str(network)
    made = im.compile_network(network)
    assert np.array_equal(made(x)["y"], -np.sort(np.maximum(x, 0))[:, :-3:-1])
    assert made.proof.assumptions == (f"TopK_1 (TopK) by reference is what the model means: {REFUSED}",)
    path = tmp_path / "m.onnx"
    onnx.save(onnx.parser.parse_model(LONG), path)
    words = ["run", str(path), "--foreign", "reference", "--against", "interpreter", "--seconds", "0", "--json"]
    assert run(words) == 0
    (named,) = json.loads(capsys.readouterr().out)["foreign"]
    assert named == {"node": "TopK_1", "operator": "TopK", "by": "reference", "reason": REFUSED}


def test_a_refusal_says_where_a_back_end_helps() -> None:
    with pytest.raises(NetworkError, match=r"TopK_1: TopK: .* at most; foreign='onnxruntime' .* without proof"):
        read(LONG)
    broken = f"{HEADER} b (float[2,3] x, float[4,5] w) => (float[2,5] y) {{ y = MatMul(x, w) }}"
    for options in ({}, {"foreign": "reference"}):
        with pytest.raises(NetworkError, match=r"MatMul_0: x: f32\[2, 3\] has 3 columns, and w: f32\[4, 5\] 4 rows$"):
            read(broken, **options)


def test_a_shape_that_data_decide_is_one_that_the_model_declares() -> None:
    shaped = f"{HEADER} s (float[2,3] x, int64[2] n) => (float[3,2] y) {{ r = Reshape(x, n) y = Neg(r) }}"
    with pytest.raises(NetworkError, match=r"must be known; .*give constants=.*; foreign="):
        read(shaped)
    with pytest.raises(NetworkError, match=r"must be known; .*; reference: .*sizes=\{'r.0'"):
        read(shaped, foreign="reference")
    network = read(shaped, foreign="reference", sizes={"r.0": 3, "r.1": 2})
    assert np.array_equal(im.run_network(network, {"x": X, "n": np.int64([3, 2])})["y"], -X.reshape(3, 2))
    with pytest.raises(NetworkError, match=r"gives float32\[2, 3\] for"):
        im.run_network(network, {"x": X, "n": np.int64([2, 3])})
