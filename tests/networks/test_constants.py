"""Inputs on which shapes depend, given on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import isamap_smt as im
from isamap_smt.cli.app import run
from isamap_smt.ir.errors import NetworkError

SHAPE = "shape (float[6] x, int64[2] rows, float scale) => (float[n,m] y) { z = Reshape(x, rows) y = Mul(z, scale) }"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    text = f'<ir_version: 8, opset_import: ["" : 17]> {SHAPE}'
    onnx.save(onnx.parser.parse_model(text), tmp_path / "shape.onnx")
    return tmp_path / "shape.onnx"


def test_numbers_and_files_are_read_and_take_the_declared_type(path: Path, tmp_path: Path, capsys: Any) -> None:
    np.save(tmp_path / "rows.npy", np.array([3, 2]))
    given = ["--constants", f"rows={tmp_path / 'rows.npy'}", "--constants", "scale=0.5"]
    assert run(["run", str(path), "--json", "--seconds", "0", "--against", "interpreter", *given]) == 0
    assert json.loads(capsys.readouterr().out)["outputs"] == {"y": "y: f32[3, 2]"}
    made = im.from_onnx(str(path), constants={"rows": [2, 3], "scale": 2})
    x = np.arange(6, dtype=np.float32)
    np.testing.assert_array_equal(im.run_network(made, {"x": x})["y"], 2 * x.reshape(2, 3))
    made = im.from_onnx(str(path), constants={"rows": [2, 3], "scale": 0.1})
    np.testing.assert_array_equal(im.run_network(made, {"x": x})["y"], np.float32(0.1) * x.reshape(2, 3))


def test_onnxruntime_gets_them_too(path: Path, capsys: Any) -> None:
    pytest.importorskip("onnxruntime")
    given = ["--constants", "rows=[2,3]", "--constants", "scale=0.1"]
    assert run(["run", str(path), "--json", "--seconds", "0", "--against", "onnxruntime", *given]) == 0
    assert json.loads(capsys.readouterr().out)["wrong"] is None


def test_a_folder_is_checked_with_them(path: Path, tmp_path: Path) -> None:
    given = ["--constants", "rows=[2,3]", "--constants", "scale=0.5"]
    assert run(["compile", str(path), "-o", str(tmp_path / "out"), *given]) == 0
    assert run(["proofs", "check", str(tmp_path / "out"), "--model", str(path), *given]) == 0
    other = ["--constants", "rows=[3,2]", "--constants", "scale=0.5"]
    assert run(["proofs", "check", str(tmp_path / "out"), "--model", str(path), *other]) == 1


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("rows", "write an input's name and its values"),
        ("rows=", "write an input's name and its values"),
        ("rows=[2,", "neither numbers such as [2,3] nor a file"),
        ("rows=[[2],[3,4]]", "neither numbers such as [2,3] nor a file"),
        ("rows=none.npy", "No such file"),
        ('rows=["2","3"]', "its values are no numbers"),
        ("rows=[2.5,3]", "rows is int64[2], and float64[2] is given"),
        ("rows=[2,3,1]", "rows is int64[2], and int64[3] is given"),
        ("row=[2,3]", "there is no input 'row'"),
    ],
)
def test_what_is_no_constant_is_refused(path: Path, given: str, said: str, capsys: Any) -> None:
    assert run(["run", str(path), "--constants", given]) == 3
    assert said in capsys.readouterr().err


def test_a_kernel_has_none(capsys: Any) -> None:
    assert run(["run", "gemm", "avx2", "--sizes", "i=8,j=8,k=8", "--constants", "rows=[2,3]"]) == 3
    assert "--constants is of a model" in capsys.readouterr().err


def test_numbers_that_the_type_has_not_are_no_constants(path: Path) -> None:
    with pytest.raises(NetworkError, match="rows is int64"):
        im.from_onnx(str(path), constants={"rows": [2, 1 << 70], "scale": 1})
