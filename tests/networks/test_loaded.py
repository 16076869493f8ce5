"""A compiled folder as a function: the same bits in another process, and no file that has been changed."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from click.testing import CliRunner

import isamap_smt as im
from isamap_smt.certificates.directory import OutputError, check_place
from isamap_smt.cli.app import app
from isamap_smt.ir.errors import ArgumentError, NetworkError
from tests.networks.models import convolutional

X = np.random.default_rng(3).standard_normal((1, 3, 16, 16)).astype(np.float32)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: Any) -> Path:
    place = tmp_path_factory.mktemp("loaded")
    onnx.save(convolutional(), place / "small.onnx")
    done = CliRunner().invoke(app, ["compile", str(place / "small.onnx"), "-o", str(place / "out"), "--json"])
    assert done.exit_code == 0, done.output
    return place / "out"


def test_it_computes_what_was_compiled(folder: Path) -> None:
    wanted = im.compile_network(im.from_onnx(convolutional()))(X)["y"]
    loaded = im.load_network(folder)
    for _ in range(2):
        assert (loaded(X)["y"] == wanted).all()
    with pytest.raises(ArgumentError, match="the input x"):
        loaded(X[:, :2])
    with pytest.raises(ArgumentError, match="got 2 inputs, and has 1"):
        loaded(X, X)
    with pytest.raises(ArgumentError, match="got x twice"):
        loaded(X, x=X)
    with pytest.raises(ArgumentError, match="no input 'z'"):
        loaded(X, z=X)
    for other in (X[:, :, ::-1][:, :, ::-1], np.asfortranarray(X), X.tolist()):
        if isinstance(other, np.ndarray):
            assert (loaded(other)["y"] == wanted).all()
        else:
            with pytest.raises(ArgumentError, match="float64"):
                loaded(other)


def test_another_process_loads_it_quickly(folder: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", X)
    code = "import sys, numpy, isamap_smt as im; made = im.load_network(sys.argv[1])"
    code += "; numpy.save(sys.argv[2], made(numpy.load(sys.argv[3]))['y'])"
    code += "; assert not {'ortools', 'onnx', 'sympy', 'z3'} & {*sys.modules}"
    command = [sys.executable, "-c", code, str(folder), str(tmp_path / "y.npy"), str(tmp_path / "x.npy")]
    subprocess.run(command, check=True)
    assert (np.load(tmp_path / "y.npy") == im.load_network(folder)(X)["y"]).all()


def test_changed_files_are_refused(folder: Path, tmp_path: Path) -> None:
    for name in sorted(p.name for p in folder.iterdir()):
        place = tmp_path / name
        shutil.copytree(folder, place)
        data = bytearray((place / name).read_bytes())
        data[len(data) // 2] ^= 1
        (place / name).write_bytes(bytes(data))
        with pytest.raises(NetworkError, match=r"has been changed|holds no network"):
            im.load_network(place)
        (place / name).unlink()
        with pytest.raises(NetworkError, match="cannot read"):
            im.load_network(place)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"digest": 1, "files": 2}', "[" * 100_000])
def test_other_records_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "proofs.json").write_text(text)
    with pytest.raises(NetworkError, match=r"holds no network|has been changed"):
        im.load_network(tmp_path)
    with pytest.raises(NetworkError, match="cannot read"):
        im.load_network(tmp_path / "none")


def test_what_an_older_isamap_compiled_is_loaded_and_may_be_replaced(folder: Path, tmp_path: Path) -> None:
    """Its record said no format, and its digest was of the indented text."""
    place = tmp_path / "older"
    shutil.copytree(folder, place)
    record = json.loads((place / "proofs.json").read_text())
    older = {k: v for k, v in record.items() if k not in ("format", "digest")}
    own = hashlib.sha256(json.dumps(older, indent=2).encode()).hexdigest()
    (place / "proofs.json").write_text(json.dumps({**older, "digest": own}, indent=2) + "\n")
    assert (im.load_network(place)(X)["y"] == im.load_network(folder)(X)["y"]).all()
    check_place(place)
    (place / "proofs.json").write_text(json.dumps({**older, "threads": 3, "digest": own}, indent=2) + "\n")
    with pytest.raises(NetworkError, match="its format is 'none', not 'isamap output 2'"):
        im.load_network(place)
    with pytest.raises(OutputError, match=r"proofs\.json in it is not as isamap wrote it"):
        check_place(place)


def test_the_record_names_every_claim(folder: Path) -> None:
    record = json.loads((folder / "proofs.json").read_text())
    assert {c["verdict"] for c in record["claims"]} == {"proved"}
    assert {k["verdict"] for k in record["kernels"]} == {"proved"}
    assert len(record["steps"]) == len(im.plan_network(im.from_onnx(convolutional())).network.kernels)
