"""A model that was compiled before is taken from the disk, and only where nothing that made it has changed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.reference
import pytest
from click.testing import CliRunner

import isamap_smt as im
from isamap_smt.cli.app import app
from isamap_smt.ir.errors import IsamapError
from isamap_smt.networks import kept

X = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)


def model(scale: float = 2.0, name: str = "w") -> onnx.ModelProto:
    """y = relu(x) * scale, with one constant."""
    constant = onnx.numpy_helper.from_array(np.full((4,), scale, np.float32), name)
    nodes = [onnx.helper.make_node("Relu", ["x"], ["r"]), onnx.helper.make_node("Mul", ["r", name], ["y"])]
    ends = [onnx.helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, ["n", 4]) for n in ("x", "y")]
    graph = onnx.helper.make_graph(nodes, "small", ends[:1], ends[1:], [constant])
    return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 21)])


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where networks are kept. Other tests, which may run beside these, calibrate and tune this machine."""
    monkeypatch.setattr(kept, "_folder", lambda: tmp_path / "networks")
    monkeypatch.setattr(kept, "_measured", list)
    return tmp_path / "networks"


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A word for each network that is planned."""
    from isamap_smt.networks import plan

    seen: list[str] = []
    original: Callable[..., Any] = plan.plan_network

    def watched(network: Any, *rest: Any, **options: Any) -> Any:
        seen.append(network.name)
        return original(network, *rest, **options)

    monkeypatch.setattr(plan, "plan_network", watched)
    return seen


def test_the_same_is_planned_once(planned: list[str]) -> None:
    first = im.compile_onnx(model(), sizes={"n": 3})
    again = im.compile_onnx(model().SerializeToString(deterministic=True), sizes={"n": 3})
    assert len(planned) == 1
    assert first.about.kept is None
    assert again.about.kept is not None
    assert first.about.claims == again.about.claims > 0
    for made in (first, again):
        np.testing.assert_array_equal(made(X)["y"], np.maximum(X, 0) * 2)
    im.compile_onnx(model(), sizes={"n": 3}, anew=True)
    assert len(planned) == 2


def test_what_differs_is_another(planned: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    im.compile_onnx(model(), sizes={"n": 3})
    others: tuple[Callable[[], Any], ...] = (
        lambda: im.compile_onnx(model(3.0), sizes={"n": 3}),
        lambda: im.compile_onnx(model(), sizes={"n": 4}),
        lambda: im.compile_onnx(model(), sizes={"n": 3}, threads=2),
        lambda: im.compile_onnx(model(), sizes={"n": 3}, objective="energy"),
        lambda: im.compile_onnx(model(), "avx2", sizes={"n": 3}),
    )
    for count, other in enumerate(others, 2):
        other()
        assert len(planned) == count
    monkeypatch.setattr(kept, "own_sources", lambda exactly: f"changed {exactly}")
    im.compile_onnx(model(), sizes={"n": 3})
    assert len(planned) == len(others) + 2
    im.compile_onnx(model(), sizes={"n": 3}, timeout=60.0)  # what is found in time is not kept
    im.compile_onnx(model(), sizes={"n": 3}, timeout=60.0)
    assert len(planned) == len(others) + 4


def test_a_changed_file_is_not_used(planned: list[str], place: Path) -> None:
    im.compile_onnx(model(), sizes={"n": 3})
    (folder,) = place.iterdir()
    names = sorted(p.name for p in folder.iterdir())
    for count, name in enumerate(names, 2):
        data = bytearray((folder / name).read_bytes())
        data[len(data) // 2] ^= 1
        (folder / name).write_bytes(data)
        np.testing.assert_array_equal(im.compile_onnx(model(), sizes={"n": 3})(X)["y"], np.maximum(X, 0) * 2)
        assert len(planned) == count, name
    assert len(names) > 6


def test_data_outside_of_the_model(planned: list[str], tmp_path: Path) -> None:
    for scale in (2.0, 5.0):
        file = tmp_path / "m.onnx"
        onnx.save(
            model(scale), file, save_as_external_data=True, location="m.bin", size_threshold=0
        )  # the model's own bytes stay
        os.utime(tmp_path / "m.bin", ns=(0, 0))  # files of one size and time
        for _ in range(2):
            np.testing.assert_array_equal(
                im.compile_onnx(file, sizes={"n": 3})(X)["y"], np.maximum(X, 0) * np.float32(scale)
            )
    assert len(planned) == 2


def test_those_used_last_stay(planned: list[str], place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    im.compile_onnx(model(1.0), sizes={"n": 3})
    (first,) = place.iterdir()
    size = sum(f.stat().st_size for f in first.iterdir())
    monkeypatch.setattr(kept, "MOST", size * 5 // 2)
    os.utime(first, (1, 1))
    im.compile_onnx(model(2.0), sizes={"n": 3})
    im.compile_onnx(model(1.0), sizes={"n": 3})  # used just now
    im.compile_onnx(model(3.0), sizes={"n": 3})
    assert len(planned) == 3
    assert first.is_dir()
    assert len([*place.iterdir()]) == 2


def test_bad_models_leave_nothing(place: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.onnx").write_bytes(b"\0\1location")
    for bad in (tmp_path / "bad.onnx", tmp_path / "none.onnx", b"", b"location"):
        with pytest.raises(IsamapError, match=r"no ONNX model|cannot read"):
            im.compile_onnx(bad)
    assert not place.exists()


@pytest.mark.parametrize("beside", ["onnxruntime", "interpreter"])
def test_the_command_says_when_it_was_proved(beside: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if beside == "onnxruntime":
        pytest.importorskip(beside)
    else:
        monkeypatch.setattr("isamap_smt.cli.network._there", lambda name: False)
    onnx.save(model(), tmp_path / "m.onnx")
    found = []
    for more in ([], [], ["--anew"]):
        done = CliRunner().invoke(
            app, ["run", str(tmp_path / "m.onnx"), "--sizes", "n=3", "--seconds", "0", "--json", *more]
        )
        assert done.exit_code == 0, done.output
        found.append(json.loads(done.stdout))
    assert [f["proved"] == "now" for f in found] == [True, False, True]
    assert len({f["claims"] for f in found}) == 1
    assert {f["against"] for f in found} == {beside}
    assert not any(f["wrong"] for f in found)
    refused = CliRunner().invoke(app, ["run", "gemm", "host", "--anew"])
    assert refused.exit_code == 2


@pytest.mark.parametrize(
    "text",
    [
        "(float[42,1037] x) => (float[42,1037] y) { y = Softmax(x) }",
        "(float[8,300] x, float[300] g) => (float[8,300] y) { y = LayerNormalization(x, g) }",
        "(float[64,32] x) => (float[64,32] y) { t = Transpose(x) s = MatMul(x, t) p = Softmax(s) y = MatMul(p, x) }",
    ],
)
def test_sums_that_are_taken_apart_are_kept(text: str, planned: list[str]) -> None:
    """Found by an attack: kernels of several sums were planned with open sizes, and not written so."""
    made = onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["": 20]> sums {text}')
    draw = np.random.default_rng(0).standard_normal
    given = {
        i.name: draw([d.dim_value for d in i.type.tensor_type.shape.dim]).astype(np.float32) for i in made.graph.input
    }
    wanted = onnx.reference.ReferenceEvaluator(made).run(None, given)[0]
    for _ in range(2):
        np.testing.assert_allclose(im.compile_onnx(made)(**given)["y"], wanted, rtol=1e-4, atol=1e-5)
    assert planned == ["sums"]
