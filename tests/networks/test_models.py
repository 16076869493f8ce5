"""Networks that come along: found by name, made by the script beside them, run by the command line."""

from __future__ import annotations

import json
from pathlib import Path

import onnx
import pytest

import isamap_kernels
import isamap_smt as im
from benchmarks.resnet8 import resnet8
from isamap_smt.cli.app import run
from isamap_smt.cli.demo import run_demo


def test_a_model_is_found_by_its_name() -> None:
    network = im.from_onnx("resnet8")
    assert (network.name, network.inputs, network.outputs) == ("resnet8", ("image",), ("classes",))
    assert str(network).splitlines()[1:] == ["  input image: f32[1, 3, 32, 32]", "  output classes: f32[1, 10]"]


def test_the_file_is_what_the_script_makes() -> None:
    held, made = onnx.load(isamap_kernels.models()["resnet8"]), resnet8()
    onnx.checker.check_model(held)
    for proto in (held, made):
        for tensor in proto.graph.initializer:
            tensor.ClearField("raw_data")  # NumPy may draw other numbers one day
    assert held == made


def test_each_has_a_file_and_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["list", "models", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["models"]
    assert [m["name"] for m in listed] == [*isamap_kernels.NETWORKS] == [*isamap_kernels.models()]
    assert all(Path(m["file"]).stat().st_size == m["bytes"] < 500_000 for m in listed)
    assert run(["list", "models", "resnet8"]) == 3
    assert "all together" in capsys.readouterr().err


def test_the_demonstration_runs_it(in_empty_directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = run_demo((), (), Path("out"), budget=0.1, engines={"i": 9, "j": 9, "k": 9}, networks=("resnet8",))
    (ran,) = found["networks"]
    assert ran["network"] == "resnet8" and ran["wrong"] is None and ran["claims"] > 1000
    said = capsys.readouterr().out
    assert "correct   as " in said and "isamap run resnet8" in said
    assert (ran["seconds_against"] is None) == ("onnxruntime is not installed" in said)
    assert "a network of 12 kernels" in Path("out/index.html").read_text()
