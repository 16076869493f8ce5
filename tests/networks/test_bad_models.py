"""Models that are broken, or mean harm: one NetworkError with one sentence, and nothing else happens."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import isamap_smt as im
from isamap_smt.ir.errors import NetworkError
from isamap_smt.networks import graph
from tests.networks.models import convolutional, model, node
from tests.networks.onnx_nodes import array, cases

NUMBERS = [0, 1, -1, 2, 7, -2, 255, 100_000, 2**31, 2**40, 2**62, -(2**63)]
ATTRIBUTES: list[Any] = [1, 0, -1, 2**40, 1.5, float("nan"), "x", [1, 2], [0], [], [-1, 5], [1.5], ["a"], np.ones(3)]


def refusal(proto: Any, **options: Any) -> str:
    """Its error; "" where it is read."""
    try:
        im.from_onnx(proto, **options)
    except NetworkError as error:
        assert str(error).isprintable()
        return str(error)
    return ""


# ---- Mutants: anything but NetworkError fails


def changed_attribute(rng: random.Random, proto: Any, arrays: dict[str, np.ndarray]) -> None:
    n = proto.graph.node[0]
    try:
        known = list(onnx.defs.get_schema(n.op_type, n.domain).attributes)
    except onnx.defs.SchemaError:
        known = []
    name, value = rng.choice([*known, *(a.name for a in n.attribute), "other"]), rng.choice(ATTRIBUTES)
    kept = [a for a in n.attribute if a.name != name]
    del n.attribute[:]
    n.attribute.extend(kept)
    if isinstance(value, np.ndarray):
        n.attribute.append(helper.make_attribute(name, numpy_helper.from_array(value)))
    elif value != []:
        n.attribute.append(helper.make_attribute(name, value))


def changed_number(rng: random.Random, proto: Any, arrays: dict[str, np.ndarray]) -> None:
    for a in proto.graph.node[0].attribute:
        if a.ints and rng.random() < 0.7:
            a.ints[rng.randrange(len(a.ints))] = rng.choice(NUMBERS)
        elif a.type == onnx.AttributeProto.INT:
            a.i = rng.choice(NUMBERS)
    for name, a in arrays.items():
        if a.dtype == np.int64 and a.size and rng.random() < 0.5:
            arrays[name] = a.copy()
            arrays[name].flat[rng.randrange(a.size)] = rng.choice(NUMBERS)


def changed_input(rng: random.Random, proto: Any, arrays: dict[str, np.ndarray]) -> None:
    n, how = proto.graph.node[0], rng.randrange(3)
    if not n.input:
        return
    if how == 0:
        n.input.pop()
    else:
        n.input[rng.randrange(len(n.input))] = "" if how == 1 else rng.choice(list(n.input))


def changed_shape(rng: random.Random, proto: Any, arrays: dict[str, np.ndarray]) -> None:
    name = rng.choice(list(arrays))
    a, how = arrays[name], rng.randrange(6)
    if how < 2 or not a.ndim:
        arrays[name] = a[None] if how else a.reshape(-1)
    elif how < 4:
        arrays[name] = a[..., :0] if how == 2 else a[..., 0] if a.size else a
    elif how == 4:
        arrays[name] = np.concatenate([a, a], -1)
    elif a.dtype != object:
        arrays[name] = a.astype(rng.choice(["float32", "int64", "bool", "float16", "uint8"]))


def changed_node(rng: random.Random, proto: Any, arrays: dict[str, np.ndarray]) -> None:
    how = rng.randrange(3)
    if how == 0:
        proto.graph.node[0].op_type = rng.choice(cases()).model.graph.node[0].op_type
    elif how == 1:
        proto.graph.node[0].output.append("more")
    else:
        proto.opset_import[0].version = rng.choice([-1, 0, 1, 6, 8, 10, 12, 17, 99])


CHANGES = [changed_attribute, changed_number, changed_input, changed_shape, changed_node]


def given(case: Any) -> dict[str, np.ndarray]:
    """The case's tensors."""
    named = zip((i.name for i in case.model.graph.input), case.data_sets[0][0], strict=False)
    return {n: array(a) for n, a in named if isinstance(a, TensorProto | np.ndarray | np.generic)}


@pytest.mark.parametrize("change", CHANGES, ids=lambda c: c.__name__)
def test_a_changed_node_is_read_or_refused(change: Callable[..., None]) -> None:
    rng, refused = random.Random(change.__name__), 0
    for _ in range(150):
        case = rng.choice(cases())
        proto, arrays = onnx.ModelProto(), given(case)
        proto.CopyFrom(case.model)
        if not arrays:
            continue
        with np.errstate(all="ignore"):
            change(rng, proto, arrays)
        for value in proto.graph.input:
            if value.name in arrays and arrays[value.name].dtype != object:
                a = arrays[value.name]
                value.CopyFrom(
                    helper.make_tensor_value_info(value.name, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
                )
        known = {n: a for n, a in arrays.items() if a.dtype == np.int64 or rng.random() < 0.3}
        refused += bool(refusal(proto, constants=known))
    assert refused


def test_changed_bytes_are_read_or_refused() -> None:
    whole, rng, refused = convolutional().SerializeToString(), random.Random(0), 0
    for number in range(300):
        data = bytearray(whole)
        for _ in range(1 + number % 3):
            place = rng.randrange(200) if rng.random() < 0.5 else rng.randrange(len(data))
            data[place : place + rng.randrange(2)] = bytes([rng.randrange(256)]) if rng.random() < 0.8 else b""
        refused += bool(refusal(bytes(data[: rng.randrange(len(data))] if number % 4 == 0 else data)))
    assert refused > 50


# ---- Each bomb, and each trick, by name


def shaped(op: str, *constants: Any, x: Any = (2,), opset: int = 17, **attributes: Any) -> Any:
    """A model of one node `the_node` of x and these constants."""
    weights = {f"c{n}": np.asarray(c) for n, c in enumerate(constants)}
    inputs = {} if x is None else {"x": x if isinstance(x[-1], int) and isinstance(x[0], list) else list(x)}
    made = helper.make_node(op, [*inputs, *weights], ["y"], name="the_node", **attributes)
    return model([made], inputs, {"y": None}, weights, opset)


I64 = np.int64
BOMBS = {
    "ConstantOfShape": shaped("ConstantOfShape", I64([2**20, 2**20]), x=None),
    "ConstantOfShape, negative": shaped("ConstantOfShape", I64([-3]), x=None),
    "ConstantOfShape, empty and huge": shaped("ConstantOfShape", I64([0, 2**62]), x=None),
    "ConstantOfShape of 1,000 dimensions": shaped("ConstantOfShape", I64([1] * 1000), x=None),
    "Expand": shaped("Expand", I64([2**40, 2])),
    "Tile": shaped("Tile", I64([2**40])),
    "Tile, negative": shaped("Tile", I64([-1])),
    "Range": shaped("Range", I64(0), I64(2**60), I64(1), x=None),
    "Range to infinity": shaped("Range", np.float32(0), np.float32(np.inf), np.float32(1), x=None),
    "Pad": shaped("Pad", I64([2**40, 0])),
    "OneHot": shaped("OneHot", I64(2**50), np.float32([0, 1]), x=(2, 2)),
    "Resize": shaped("Resize", np.float32([]), np.float32([1e12]), mode="linear"),
    "Resize by nothing": shaped("Resize", np.float32([]), np.float32([np.nan]), mode="linear"),
    "EyeLike": shaped("EyeLike", x=(2**15, 2**15)),
    "Split": shaped("Split", axis=0, num_outputs=2**40, opset=18),
    "Unsqueeze": shaped("Unsqueeze", I64(range(5000))),
    "Reshape": shaped("Reshape", I64([-1, -1])),
    "Conv": shaped("Conv", np.ones((1, 1, 2**10)).astype(np.float32), x=(1, 1, 4), strides=[0]),
    "AveragePool": shaped("AveragePool", x=(1, 1, 4), kernel_shape=[2**40]),
    "Gather": shaped("Gather", I64([5])),
    "Einsum": shaped("Einsum", equation="i->z"),
    "blocks": shaped("DequantizeLinear", np.ones((2, 1), np.float32), x=([4], TensorProto.INT8), opset=21, axis=0, block_size=2),
    "Transpose": shaped("Transpose", x=(2, 3), perm=[0, 0]),
}  # fmt: skip


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_before_it_goes_off(name: str) -> None:
    assert "the_node" in refusal(BOMBS[name])


def test_a_number_is_reduced_to_itself() -> None:
    made = model([helper.make_node("ReduceL2", ["x"], ["y"], axes=[0])], {"x": []}, {"y": []}, {})
    assert im.run_network(im.from_onnx(made), {"x": np.float32(-2)})["y"] == 2


def test_constants_together_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph, "MOST_COMPUTED", 1 << 20)
    shape = np.array([2**7, 2**7], np.int64)
    nodes = [helper.make_node("ConstantOfShape", ["s"], [f"v{n}"], name=f"n{n}") for n in range(40)]
    nodes.append(helper.make_node("Sum", [f"v{n}" for n in range(40)], ["y"], name="sum"))
    assert "n16: a constant of shape [128, 128] is too large" in refusal(model(nodes, {}, {"y": None}, {"s": shape}))


def calls(deep: int, wide: int) -> Any:
    """Functions that each call the next `wide` times; the last one calls itself where deep is 0."""
    proto = model([helper.make_node("f0", ["x"], ["y"], domain="own", name="top")], {"x": [2]}, {"y": [2]}, {})
    proto.opset_import.append(helper.make_opsetid("own", 1))
    opsets = list(proto.opset_import)
    for n in range(max(deep, 1)):
        last = n == deep - 1
        names = ["a", *(f"b{k}" for k in range(wide - 1)), "z"]
        inner = [
            helper.make_node(
                "Identity" if last else f"f{min(n + 1, max(deep, 1) - 1)}", [p], [q], domain="" if last else "own"
            )
            for p, q in pairwise(names)
        ]
        proto.functions.append(helper.make_function("own", f"f{n}", ["a"], ["z"], inner, opsets))
    return proto


def test_functions_within_functions_end() -> None:
    assert not refusal(calls(3, 2))
    assert "functions call each other more than 8 deep" in refusal(calls(0, 1))
    assert "the model has more than 131,072 nodes" in refusal(calls(7, 8))


REFUSED: dict[str, tuple[Any, str]] = {
    "an attribute's type": (shaped("Softmax", axis="x"), "the attribute axis of Softmax is of type string, and not int"),
    "an attribute too many": (shaped("Relu", more=1), "Relu of opset 17 has no attribute more"),
    "an attribute that is missing": (shaped("Cast"), "Cast lacks its attribute to"),
    "inputs of two types": (shaped("Add", np.float64([1.0])), "inputs of one type, and not of float and double"),
    "an input that is missing": (shaped("Add"), "Add of opset 17 has not 1 inputs"),
    "a result too many": (
        model([helper.make_node("Relu", ["x"], ["y", "z"], name="the_node")], {"x": [2]}, {"y": [2]}, {}), "and 2 results",
    ),
    "an opset to come": (shaped("Relu", opset=999), "opset 999 is unknown"),
    "an operator of another opset": (shaped("Gelu", opset=17), "the_node: opset 17 has no operator Gelu"),
    "a cycle": (
        model([node("Relu", ["b"], ["a"]), node("Relu", ["a"], ["b"])], {"x": [2]}, {"a": [2]}, {}),
        "a: reads b, which a later node computes",
    ),
    "a result twice": (
        model([node("Relu", ["x"], ["a"]), node("Abs", ["x"], ["a"])], {"x": [2]}, {"a": [2]}, {}), "a: a is computed twice",
    ),
    "a dimension": (model([node("Relu", ["x"], ["y"])], {"x": [-4]}, {"y": None}, {}), "x: a dimension of [-4] is negative"),
    "an input without a size": (model([node("Relu", ["x"], ["y"])], {"x": ["N"]}, {"y": None}, {}), "sizes={'N': ...}"),
    "an input without a name": (model([node("Relu", [""], ["y"])], {"": [4]}, {"y": None}, {}), "has no name"),
    "a bell": (model([node("Relu", ["x\a\n"], ["y"])], {"x": [4]}, {"y": None}, {}), r"y: reads x\x07\n, which nothing"),
    "an input's type": (
        model([node("Sqrt", ["x"], ["y"])], {"x": ([2], TensorProto.INT64)}, {"y": None}, {}), "Sqrt of opset 17 does not take int",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_says_why(name: str) -> None:
    proto, words = REFUSED[name]
    assert words in refusal(proto)


def test_data_of_another_length_is_refused() -> None:
    for dims in ([2**40], [3, 2**62], [-1], [1] * 70):
        proto = model([node("Relu", ["w"], ["y"])], {}, {"y": None}, {"w": np.ones(4, np.float32)})
        del proto.graph.initializer[0].dims[:]
        proto.graph.initializer[0].dims.extend(dims)
        assert refusal(proto).startswith("w: ")


# ---- Data in other files


def outside(folder: Path, **told: str) -> str:
    """The refusal of a model whose one weight of 16 bytes lies where it is told."""
    proto = model([node("Add", ["x", "w"], ["y"])], {"x": [4]}, {"y": [4]}, {"w": np.ones(4, np.float32)})
    w = proto.graph.initializer[0]
    w.ClearField("raw_data")
    w.data_location = TensorProto.EXTERNAL
    w.external_data.extend(onnx.StringStringEntryProto(key=k, value=v) for k, v in told.items())
    (folder / "model.onnx").write_bytes(proto.SerializeToString())
    return refusal(folder / "model.onnx")


def test_only_files_of_the_folder_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "inside"
    folder.mkdir()
    for place in (folder, tmp_path):
        (place / "data").write_bytes(np.ones(4, np.float32).tobytes())
    (folder / "link").symlink_to(tmp_path / "data")
    (folder / "circle").symlink_to("circle")
    os.mkfifo(folder / "pipe")
    assert not outside(folder, location="data")
    for location in (
        "../data",
        str(tmp_path / "data"),
        "link",
        "circle",
        "pipe",
        "",
        ".",
        "gone",
        "data\0",
        "x" * 5000,
    ):
        assert "is no file in the model's folder" in outside(folder, location=location)
    for offset, length in (("4", "16"), ("-4", "16"), ("0", "12"), ("9" * 30, "16"), ("9" * 5000, "16"), ("x", "16")):
        assert outside(folder, location="data", offset=offset, length=length).startswith("w: ")


def test_a_known_value_of_another_type_or_shape_is_refused() -> None:
    proto = model(
        [node("Reshape", ["x", "rows"], ["y"])],
        {"x": [6], "rows": ([2], TensorProto.INT64)},
        {"y": [2, 3]},
        {},
    )
    assert im.from_onnx(proto, constants={"rows": np.array([2, 3])}).values["y"].shape == (2, 3)
    for other in (np.array([2, 3], np.int32), np.array([6]), np.array(6), 2.5):
        with pytest.raises(NetworkError, match=r"constants: rows is int64\[2\], and .* is given"):
            im.from_onnx(proto, constants={"rows": other})
