"""Networks whose sizes stay open: extents mean what their values do, every size gives what the interpreter does, claims refute."""

from __future__ import annotations

import json
import operator
import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from click.testing import CliRunner
from onnx import TensorProto
from onnx.reference import ReferenceEvaluator

import isamap_smt as im
from isamap_smt.cli.app import app
from isamap_smt.ir.errors import ArgumentError, IsamapError, NetworkError, SizeError
from isamap_smt.ir.expr import sym
from isamap_smt.networks import proof
from isamap_smt.networks.check import check_library
from isamap_smt.networks.extents import Extent, OpenSize, at, most, named_size, named_sizes, read_extent
from isamap_smt.networks.graph import View
from isamap_smt.networks.plan import NetworkPlan, plan_network
from isamap_smt.networks.rewrite import rewritten
from isamap_smt.networks.same import same_values
from tests.networks.models import convolutional, model, node
from tests.networks.onnx_nodes import ROUNDED_INSIDE, array, cases, differs
from tests.networks.test_check import resealed
from tests.networks.test_rewrite import random_model

SIZES = {"batch": OpenSize("batch", 3), "length": OpenSize("length", 4)}
OPERATORS = (
    operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, operator.eq, operator.lt, operator.le, operator.gt,
    operator.ge,
)  # fmt: skip
EVERY = [dict(zip(SIZES, n, strict=True)) for n in product(range(1, 4), range(1, 5))]


# ---- extents


def drawn(rng: random.Random, depth: int = 3) -> Any:
    """An extent, or a number."""
    if depth == 0 or rng.random() < 0.3:
        return rng.choice([*(s.extent for s in SIZES.values()), rng.randint(-3, 4)])
    a, b = drawn(rng, depth - 1), drawn(rng, depth - 1)
    return rng.choice([lambda: a + b, lambda: a - b, lambda: a * b, lambda: -a])()


def value(e: Any, sizes: dict[str, int]) -> int:
    return e.at(sizes) if isinstance(e, Extent) else e


@pytest.mark.parametrize("seed", range(20))
def test_an_extent_is_its_values(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(100):
        a, b = drawn(rng), drawn(rng)
        for op in OPERATORS:
            if op in (operator.floordiv, operator.mod) and b == 0:
                continue
            try:
                found = op(a, b)
            except NetworkError:
                continue  # it depends on a size
            if op in (operator.floordiv, operator.mod) and any(value(b, s) == 0 for s in EVERY):
                continue
            wanted = [op(value(a, s), value(b, s)) for s in EVERY]
            if op is operator.eq:
                assert not found or all(wanted)
            else:
                assert [value(found, s) for s in EVERY] == wanted, (a, op, b)
        if isinstance(a, Extent):
            assert read_extent(str(a), SIZES) == a
            assert most(a) >= max(value(a, s) for s in EVERY)


def test_what_depends_on_a_size_is_no_number() -> None:
    batch = SIZES["batch"].extent
    for what in (
        lambda: int(batch),
        lambda: range(batch),
        lambda: batch < 2,
        lambda: batch % 2,
        lambda: batch // 2,
        lambda: 6 // batch,
    ):
        with pytest.raises(NetworkError, match="batch"):
            what()
    assert batch not in (1, 3) and batch * 4 // 4 == batch
    assert str(named_size("n", 8)) == "1 <= size_n <= 8" and named_size("batch size", 2).name == "batch_size"
    assert named_size("max", 3).name == "size_max" and named_size("a0", 3).name == "size_a0"
    apart = named_sizes({"batch size": 2, "batch_size": 2, "batch.size": 2})
    assert len({s.name for s in apart.values()}) == 3
    for wrong in (0, -1, 2**40, 1.5, True):
        with pytest.raises(NetworkError, match="the most of n"):
            named_size("n", wrong)


@pytest.mark.needs("avx2", "fma")
def test_a_parameter_with_an_end() -> None:
    kernel = im.kernel("param 1 <= N <= 8\nA: f32[N, 4]\naxis i < N\nC[i] += A[i,j]")
    assert im.kernel(im.to_text(kernel)) == kernel
    compiled = im.compile(kernel, "avx2")
    assert (compiled(A=np.ones((8, 4), np.float32)) == 4).all()
    with pytest.raises(SizeError, match="8 >= N"):
        compiled(A=np.ones((9, 4), np.float32))
    with pytest.raises(SizeError, match="at most 8"):
        kernel.with_sizes({"N": 9})


# ---- networks


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


def perceptron(batch: Any) -> im.Network:
    x = im.input("x", (batch, 20))
    h = im.relu(x @ numbers(20, 32) + numbers(32))
    return im.network({"y": im.softmax(h @ numbers(32, 10)), "last": h[-1], "mean": im.mean(h, 0)})


def images(batch: Any) -> im.Network:
    x = im.input("x", (batch, 3, 12, 12))
    h = im.relu(im.conv2d(x, numbers(8, 3, 3, 3), pad=1))
    h = im.max_pool2d(h + im.relu(im.conv2d(h, numbers(8, 8, 3, 3), pad=1)), 2)
    return im.network({"y": im.reshape(h, (h.shape[0], -1)) @ numbers(288, 10)})


def sequences(batch: Any) -> im.Network:
    length = im.open_size("length", 40) if isinstance(batch, OpenSize) else 23
    x = im.input("x", (batch, length, 32))
    b, n, _ = x.shape
    q, k, v = (im.transpose(im.reshape(x @ numbers(32, 32 + 0 * p), (b, n, 4, 8)), (0, 2, 1, 3)) for p in range(3))
    y = im.reshape(im.transpose(im.attention(q, k, v), (0, 2, 1, 3)), (b, n, 32))
    return im.network({"y": im.layer_norm(x + y, numbers(32), numbers(32)), "first": x[:, 0]})


def inputs(network: im.Network, sizes: dict[str, int]) -> dict[str, np.ndarray]:
    return {n: numbers(*at(network.values[n].shape, sizes)) for n in network.inputs}


@cache
def interpreted(make: Callable[[Any], im.Network], batch: int, length: int) -> dict[str, np.ndarray]:
    """What the interpreter makes of these sizes: asked of every number of threads."""
    network = make(im.open_size("batch", 5))
    return im.run_network(network, inputs(network, {"batch": batch, "length": length}))


@pytest.mark.needs("avx2", "fma")
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("make", [perceptron, images, sequences])
def test_every_size_is_computed(make: Callable[[Any], im.Network], threads: int) -> None:
    network = make(im.open_size("batch", 5))
    compiled = im.compile_network(network, "avx2", threads=threads)
    assert [s.name for s in network.open][:1] == ["batch"]
    for n, m in product(range(1, 6), (1, 7, 23, 40) if len(network.open) > 1 else (1,)):
        got, wanted = compiled(**inputs(network, {"batch": n, "length": m})), interpreted(make, n, m)
        for name in network.outputs:
            np.testing.assert_allclose(got[name], wanted[name], rtol=1e-4, atol=1e-3)
    for wrong in (0, 6):
        with pytest.raises(ArgumentError, match="planned for 1 to 5"):
            compiled(**inputs(network, {"batch": wrong, "length": 2}))


@pytest.mark.needs("avx2", "fma")
def test_of_no_rows_nothing_is_computed() -> None:
    x = im.input("x", (im.open_size("batch", 3), 5))
    network = im.network({"rest": x[1:] * numbers(5), "sums": im.sum(x[1:], 0)})
    compiled = im.compile_network(network, "avx2")
    for n in (1, 2, 3):
        x = numbers(n, 5)
        for run in (compiled, lambda x: im.run_network(network, {"x": x})):
            got = run(x)
            assert got["rest"].shape == (n - 1, 5)
            np.testing.assert_allclose(got["rest"], x[1:] * numbers(5), rtol=1e-6)
            np.testing.assert_allclose(got["sums"], x[1:].sum(0), rtol=1e-5, atol=1e-6)


@pytest.mark.needs("avx2", "fma")
def test_the_plan_is_no_larger_than_that_of_the_largest_size() -> None:
    opened, fixed = (plan_network(images(n), "avx2") for n in (im.open_size("batch", 4), 4))
    assert opened.peak <= fixed.peak * 1.02
    assert [len(p.network.kernels) for p in (opened, fixed)] == [len(opened.network.kernels)] * 2


def test_inputs_that_say_a_size_differently_are_refused() -> None:
    batch = im.open_size("batch", 4)
    network = im.network({"z": im.input("x", (batch, 3)) + im.input("y", (batch, 3))})
    with pytest.raises(ArgumentError, match="batch is 2 in x, and 3 in y"):
        im.run_network(network, {"x": numbers(2, 3), "y": numbers(3, 3)})
    other = im.open_size("batch", 5)
    with pytest.raises(NetworkError, match="at most"):
        im.input("x", (batch, 3)) + im.input("y", (other, 3))
    with pytest.raises(NetworkError, match="do not broadcast"):
        im.input("x", (batch, 3)) + im.input("y", (4, 3))  # of batch = 4 alone it would be one


# ---- claims


def refuted(planned: NetworkPlan) -> set[str]:
    return {c.claim for c in proof.prove_network(planned).failed()}


@pytest.mark.needs("avx2", "fma")
def test_places_of_a_smaller_size_are_refuted() -> None:
    whole, small = (plan_network(im.from_onnx(many(convolutional()), most={"batch": n}), "avx2") for n in (4, 3))
    assert not refuted(whole)
    assert refuted(replace(whole, places=small.places, work=small.work, peak=small.peak))
    assert refuted(replace(whole, peak=whole.peak - 64)) == {"arena"}


@pytest.mark.needs("avx2", "fma")
def test_work_space_that_grows_where_a_size_shrinks_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    planned = plan_network(images(im.open_size("batch", 4)), "avx2")
    batch = sym("batch")
    for cells, room, wanted in (
        (8 * batch, 32, set()),
        (8 * (5 - batch), 8, {"room"}),
        (8 * batch * (5 - batch), 32, {"room"}),
    ):
        monkeypatch.setattr(proof, "workspace_cells", lambda _, c=cells, r=room: [(c, r)])
        assert refuted(planned) == wanted


def test_a_view_of_other_rows_is_refuted() -> None:
    meant = images(im.open_size("batch", 4))
    network = rewritten(meant, "avx2")[0]
    assert all(c.verdict.word == "proved" for c in same_values(meant, network))
    tried = 0
    for n, step in enumerate(network.steps):
        if not isinstance(step, View):
            continue
        of, to = network.values[step.source], network.values[step.result]
        for order in ((0, 2, 1, 3), (0, 3, 2, 1)):
            if len(of.shape) == 4 and of.order != order:
                wrong = replace(of, order=order)
                mutant = replace(network, values={**network.values, step.source: wrong})
                found = [c for c in same_values(meant, mutant) if c.verdict.word != "proved"]
                assert to.name in {c.subject for c in found} or step.source in {c.subject for c in found}, (n, order)
                tried += 1
    assert tried


# ---- models


@pytest.mark.parametrize("share", range(8))
def test_node_cases_with_open_dimensions(share: int) -> None:
    """Each first dimension of a case stays open, those of one length as one size: results are the case's own, or it is refused."""
    found = []
    for case in cases()[share::8]:
        if case.name in ROUNDED_INSIDE:
            continue
        proto, given = (
            onnx.ModelProto(),
            dict(zip((i.name for i in case.model.graph.input), case.data_sets[0][0], strict=False)),
        )
        proto.CopyFrom(case.model)
        opened = {}
        for i in proto.graph.input:
            for dim in list(i.type.tensor_type.shape.dim)[:1]:
                if dim.dim_value > 1:
                    opened[f"of {dim.dim_value}"] = dim.dim_value + 2
                    dim.dim_param = f"of {dim.dim_value}"
        try:
            network = im.from_onnx(proto, most=opened)
        except NetworkError as error:
            assert len(str(error)) > 20
            continue
        with np.errstate(all="ignore"):
            assert not differs(case, im.run_network(network, {n: array(given[n]) for n in network.inputs})), case.name
        found.append(bool(network.open))
    assert sum(found) > 50


def many(proto: Any) -> onnx.ModelProto:
    """The model with a batch that stays open."""
    for v in (*proto.graph.input, *proto.graph.output):
        v.type.tensor_type.shape.dim[0].dim_param = "batch"
    del proto.graph.value_info[:]
    return proto


@pytest.mark.needs("avx2", "fma")
@pytest.mark.parametrize("seed", [0, 6, 9, 108, 5008, 5029, 6046])
def test_random_models_with_an_open_batch(seed: int) -> None:
    """5008 and 5029: parts of a value; 108 and 6046: a fused axis, by which weights would be packed."""
    network = im.from_onnx(many(random_model(seed)), most={"batch": 3})
    compiled = im.compile_network(network, "avx2")
    for n in (1, 2, 3):
        given = inputs(network, {"batch": n})
        got, wanted = compiled(**given), im.run_network(network, given)
        for name in network.outputs:
            np.testing.assert_allclose(
                got[name], wanted[name], rtol=1e-4, atol=1e-4 * np.abs(wanted[name]).max(initial=1)
            )


def shaped() -> onnx.ModelProto:
    """What exporters make of x.view(x.size(0), -1), of positions, and of a mask that is expanded."""
    whole = [
        ("first", np.array(0, np.int64)), ("axis", np.array([0], np.int64)), ("rest", np.array([-1], np.int64)),
        ("one", np.array(1, np.int64)), ("zero", np.array(0, np.int64)), ("ones", np.ones((1, 1, 1), np.float32)),
        ("minus", np.array(-1, np.int64)),
    ]  # fmt: skip
    nodes = [
        node("Shape", ["x"], ["s"]), node("Gather", ["s", "first"], ["n"]), node("Unsqueeze", ["n", "axis"], ["n1"]),
        node("Concat", ["n1", "rest"], ["flat"], axis=0), node("Reshape", ["x", "flat"], ["rows"]),
        node("Gather", ["s", "one"], ["m"]), node("Range", ["zero", "m", "one"], ["places"]),
        node("Cast", ["places"], ["numbers"], to=TensorProto.FLOAT), node("Unsqueeze", ["numbers", "rest"], ["column"]),
        node("Expand", ["ones", "s"], ["wide"]), node("Add", ["x", "wide"], ["more"]), node("Add", ["more", "column"], ["y"]),
        node("Gather", ["x", "minus"], ["last"], axis=1), node("Mul", ["n", "m"], ["count"]),
        node("Add", ["count", "one"], ["told"]),
    ]  # fmt: skip
    given = {"x": ["batch", "past + 1", 4]}
    results = {n: [None] * r for n, r in (("rows", 2), ("y", 3), ("last", 2))} | {"told": ([], TensorProto.INT64)}
    return model(nodes, given, results, dict(whole))


@pytest.mark.needs("avx2", "fma")
def test_shapes_that_the_model_computes() -> None:
    proto = shaped()
    network = im.from_onnx(proto, most={"batch": 3, "past": 6})
    assert [s.name for s in network.open] == ["batch", "past"]
    compiled, reference = im.compile_network(network, "avx2"), ReferenceEvaluator(proto)
    for n, m in product((1, 2, 3), (2, 4, 7)):
        x = numbers(n, m, 4)
        wanted = dict(zip(network.outputs, reference.run(None, {"x": x}), strict=True))
        for got in (im.run_network(network, {"x": x}), compiled(x)):
            for name in network.outputs:
                assert got[name].shape == np.shape(wanted[name])
                np.testing.assert_allclose(got[name], wanted[name], rtol=1e-5)


def test_what_is_asked_of_the_user() -> None:
    proto = shaped()
    with pytest.raises(NetworkError, match=r"dimension 1 is open; .*--sizes batch=.*--max batch="):
        im.from_onnx(proto)
    with pytest.raises(NetworkError, match="batch has a number, and stays open"):
        im.from_onnx(proto, sizes={"batch": 2}, most={"batch": 3})
    with pytest.raises(NetworkError, match="no dimension 'other'"):
        im.from_onnx(proto, most={"batch": 2, "past": 2, "other": 4})
    with pytest.raises(NetworkError, match="the most of batch is 0"):
        im.from_onnx(proto, most={"batch": 0, "past": 2})
    fixed = im.from_onnx(proto, sizes={"batch": 2, "past + 1": 5})
    assert not fixed.open


@pytest.mark.needs("avx2", "fma")
def test_the_library_and_the_commands(tmp_path: Path) -> None:
    onnx.save(shaped(), tmp_path / "shaped.onnx")
    asked = [str(tmp_path / "shaped.onnx"), "avx2", "--max", "batch=3", "--max", "past=6"]
    done = CliRunner().invoke(app, ["run", *asked, "--seconds", "0", "--json", "--against", "interpreter"])
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert told["sizes"] == {"batch": 3, "past": 6} and told["wrong"] is None
    done = CliRunner().invoke(app, ["compile", *asked, "-o", str(tmp_path / "out"), "--prefix", "shaped", "--json"])
    assert done.exit_code == 0, done.output
    header = (tmp_path / "out" / "shaped.h").read_text()
    assert "int64_t batch; /* 1 <= batch <= 3 */" in header
    loaded = im.load_network(tmp_path / "out")
    for n, m in ((1, 2), (3, 7)):
        x = numbers(n, m, 4)
        assert (loaded(x)["rows"] == x.reshape(n, -1)).all()
    with pytest.raises(ArgumentError, match="past"):
        loaded(numbers(1, 9, 4))
    done = CliRunner().invoke(
        app, ["proofs", "check", str(tmp_path / "out"), "--model", *asked[:1], *asked[2:], "--json"]
    )
    assert done.exit_code == 0, done.output
    assert {o["status"] for o in json.loads(done.stdout)["outcomes"]} == {"ok"}
    for change in (_for_more, _for_less_room, _of_another_size):
        there = resealed(tmp_path / "out", tmp_path / change.__name__, "plan.json", _changed(change))
        assert {o.status for o in check_library(there).outcomes} - {"ok"}, change.__name__


def _changed(change: Callable[[Any], Any]) -> Callable[[str], str]:
    def changed(text: str) -> str:
        document = json.loads(text)
        change(document)
        return json.dumps(document)

    return changed


def _for_more(document: Any) -> None:
    """More than there is room for, and than the kernels are made for."""
    document["network"]["open"]["batch"] = document["model"]["open"]["batch"] = 4


def _for_less_room(document: Any) -> None:
    document["peak"] -= 64


def _of_another_size(document: Any) -> None:
    """A result is said to have as many rows as there are columns."""
    for which in ("network", "model"):
        value = next(v for v in document[which]["values"] if v["name"] == "y")
        value["shape"][0] = "past"


@pytest.mark.needs("avx2", "fma")
def test_a_call_of_the_c_with_another_size_returns_a_code(tmp_path: Path) -> None:
    import ctypes

    from isamap_smt.networks.library import NO_SIZE, write_library

    planned = plan_network(perceptron(im.open_size("batch", 4)), "avx2")
    write_library(planned, tmp_path, "small")
    code = ctypes.CDLL(str(tmp_path / "small.so"))
    code.small_text.restype = ctypes.c_char_p
    arena, weights = (np.zeros(1 << 20, np.uint8) for _ in range(2))
    held = (tmp_path / "small_weights.bin").read_bytes()
    begins = [-a.ctypes.data % 64 for a in (arena, weights)]
    weights[begins[1] : begins[1] + len(held)] = np.frombuffer(held, np.uint8)
    x, made = numbers(4, 20), [np.full(200, np.nan, np.float32) for _ in range(3)]
    for batch, wanted in ((0, NO_SIZE), (-3, NO_SIZE), (5, NO_SIZE), (2**40, NO_SIZE), (4, 0), (1, 0)):
        given = (ctypes.c_int64 * 2)(x.ctypes.data, batch)
        results = (ctypes.c_void_p * 3)(*(a.ctypes.data for a in made))
        places = (ctypes.c_void_p(a.ctypes.data + b) for a, b in zip((arena, weights), begins, strict=True))
        assert code.small_run(given, results, *places, None) == wanted
        assert np.isnan(made[0]).all() or wanted == 0
    assert b"1 <= batch <= 4" in code.small_text(NO_SIZE)


def test_max_is_of_models() -> None:
    for command in (["run", "gemm", "host"], ["compile", "gemm", "host", "-o", "there"], ["report", "gemm", "host"]):
        done = CliRunner().invoke(app, [*command, "--max", "batch=8"])
        assert done.exit_code == 2 and "--max is of a model" in done.output


def test_what_no_size_decides_is_refused_with_its_name() -> None:
    batch = im.open_size("batch", 8)
    x = im.input("x", (batch, 6))
    for what in (lambda: im.split(x, 2, axis=0), lambda: x[2:4], lambda: im.reshape(x, (4, -1))):
        with pytest.raises(IsamapError, match="batch"):
            what()
