"""`isamap proofs check` of a compiled network: everything is derived again, and whatever was changed is named."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import isamap_smt as im
from isamap_smt.certificates.sealed import MARK, seal
from isamap_smt.cli.app import run
from isamap_smt.networks.check import Checked, check_library
from tests.networks.models import model, node, weight

Change = Callable[[str], str]


def two_layers() -> Any:
    """A matrix of weights that is packed, a bias that is not, and a kernel that reads what the first one wrote."""
    rng = np.random.default_rng(0)
    weights = {"W": weight(rng, 8, 16), "B": weight(rng, 16), "V": weight(rng, 16, 16)}
    nodes = [
        node("Gemm", ["x", "W", "B"], ["g"]),
        node("Relu", ["g"], ["r"]),
        node("MatMul", ["r", "V"], ["m"]),
        node("Add", ["m", "r"], ["y"]),
    ]
    return model(nodes, {"x": [4, 8]}, {"y": [4, 16]}, weights)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: Any) -> Path:
    place = tmp_path_factory.mktemp("checked")
    onnx.save(two_layers(), place / "two.onnx")
    assert run(["compile", str(place / "two.onnx"), "-o", str(place / "two")]) == 0
    return place / "two"


def statuses(found: Checked) -> dict[str, str]:
    return {o.id.partition("/")[2]: o.status for o in found.outcomes if o.status != "ok"}


def resealed(folder: Path, there: Path, file: str, change: Change, record: Callable[[Any], Any] = lambda r: r) -> Path:
    """A copy with one file changed, and digests made to fit."""
    shutil.copytree(folder, there)
    if file != MARK:
        before = (there / file).read_text(encoding="latin-1")
        after = change(before)
        assert after != before
        (there / file).write_text(after, encoding="latin-1")
    document = json.loads((there / MARK).read_text())
    (there / MARK).unlink()
    seal(there, record({k: v for k, v in document.items() if k not in ("files", "digest")}))
    return there


def test_all_is_proved_again_with_two_solvers(folder: Path, capsys: Any) -> None:
    assert run(["proofs", "check", str(folder), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["network"] == "two" and found["status"] == 0
    assert {o["status"] for o in found["outcomes"]} == {"ok"}
    assert {o["id"] for o in found["outcomes"]} == {"two/two_k0.c", "two/two_k1.c", "two/network"}
    assert found["formulas"] > 100 and found["confirmed"] + found["one_solver"] == found["formulas"]
    assert any("weights" in line for line in found["left_out"])


def test_with_the_model_weights_are_compared_and_no_element_is_left_out(folder: Path, capsys: Any) -> None:
    command = ["proofs", "check", str(folder), "--model", str(folder.parent / "two.onnx")]
    assert run(command) == 0
    assert "not checked" not in capsys.readouterr().out
    other = two_layers()
    other.graph.initializer[1].raw_data = bytes(64)
    onnx.save(other, folder.parent / "other.onnx")
    assert run([*command[:-1], str(folder.parent / "other.onnx")]) == 1
    assert "another one: its constants differ" in capsys.readouterr().out


def test_each_changed_byte_is_named(folder: Path, tmp_path: Path, capsys: Any) -> None:
    for file in sorted(p.name for p in folder.iterdir()):
        there = tmp_path / file
        shutil.copytree(folder, there)
        data = bytearray((there / file).read_bytes())
        data[len(data) // 2] ^= 1
        (there / file).write_bytes(bytes(data))
        found = check_library(there)
        assert {o.id.rpartition("/")[2]: o.status for o in found.outcomes} == {file: "damaged"}
        (there / file).unlink()
        assert [o.status for o in check_library(there).outcomes] == ["damaged"]
    shutil.copytree(folder, tmp_path / "more")
    (tmp_path / "more" / "evil.c").write_text("")
    assert run(["proofs", "check", str(tmp_path / "more")]) == 1
    assert "evil.c: damaged: it is foreign" in capsys.readouterr().out


def test_what_its_makefile_builds_is_told_and_does_not_count(folder: Path, tmp_path: Path) -> None:
    there = tmp_path / "two"
    shutil.copytree(folder, there)
    (there / "two_k0.o").write_text("anything")
    found = check_library(there)
    assert statuses(found) == {}
    assert found.left_out[-1] == "two_k0.o: its Makefile builds it; only the C is looked at"


def _plan(change: Callable[[Any], Any]) -> Change:
    def changed(text: str) -> str:
        document = json.loads(text)
        change(document)
        return json.dumps(document, indent=1) + "\n"

    return changed


def _all_on_one(document: Any) -> None:
    document["places"] = dict.fromkeys(document["places"], 0)
    document["work"] = [{"temporaries": dict.fromkeys(w["temporaries"], 0), "heap": 0} for w in document["work"]]


def _misaligned(document: Any) -> None:
    document["places"] = {n: p + 4 for n, p in document["places"].items()}


def _smaller(document: Any) -> None:
    document["peak"] = 64


def _other_model(document: Any) -> None:
    step = next(s for s in document["model"]["steps"] if "relu" in s.get("kernel", {}).get("text", ""))
    step["kernel"]["text"] = step["kernel"]["text"].replace("relu(", "exp(")


def _step_in_loop(document: Any) -> None:
    document["kernels"][0]["schedule"]["loops"][0]["step"] = 3


def _other_kernel(document: Any) -> None:
    kernel = document["kernels"][1]["kernel"]
    kernel["text"] = kernel["text"].replace(" + ", " - ")


@pytest.mark.parametrize(
    ("file", "change", "named"),
    [
        ("two_k0.c", lambda t: t.replace("+ 1", "+ 2", 1), {"two_k0.c": "stale"}),
        ("two.c", lambda t: t.replace("isamap_arena + ", "isamap_arena + 64 + ", 1), {"two.c": "stale"}),
        ("two.h", lambda t: t.replace("size_t", "int", 1), {"two.h": "stale"}),
        ("Makefile", lambda t: t.replace("-O3", "-Ofast", 1), {"Makefile": "stale"}),
        ("two_weights.bin", lambda t: "0000" + t[4:], {"two_weights.bin": "damaged"}),
        ("two_weights.bin", lambda t: t[:-64], {"two_weights.bin": "damaged"}),
        ("plan.json", _plan(_all_on_one), {"network": "broken"}),
        ("plan.json", _plan(_misaligned), {"network": "broken"}),
        ("plan.json", _plan(_smaller), {"network": "broken"}),
        ("plan.json", _plan(_other_model), {"network": "broken"}),
        ("plan.json", _plan(_step_in_loop), {"two_k0.c": "broken"}),
        ("plan.json", _plan(lambda d: d["kernels"].pop()), {"network": "broken"}),
        ("plan.json", _plan(lambda d: d.update(kernels=[7])), {"plan.json": "damaged"}),
        ("plan.json", _plan(lambda d: d.update(format="none")), {"plan.json": "damaged"}),
        ("plan.json", lambda t: "{", {"plan.json": "damaged"}),
    ],
)  # fmt: skip
def test_what_fits_its_digests_is_derived_all_the_same(
    folder: Path, tmp_path: Path, file: str, change: Change, named: dict[str, str]
) -> None:
    assert statuses(check_library(resealed(folder, tmp_path / "out", file, change))) == named


def test_another_program_in_the_place_of_one_is_refuted(folder: Path, tmp_path: Path) -> None:
    found = statuses(check_library(resealed(folder, tmp_path / "out", "plan.json", _plan(_other_kernel))))
    assert found["two_k1.c"] == "stale" and found["network"] == "broken"


def test_a_record_that_says_something_else_is_named(folder: Path, tmp_path: Path) -> None:
    claims = resealed(folder, tmp_path / "a", MARK, str, lambda r: {**r, "claims": []})
    assert statuses(check_library(claims)) == {MARK: "stale"}
    kernels = resealed(folder, tmp_path / "b", MARK, str, lambda r: {**r, "features": []})
    assert statuses(check_library(kernels)) == {MARK: "stale"}


def test_weights_of_other_elements_are_found_beside_the_model(folder: Path, tmp_path: Path) -> None:
    network = im.from_onnx(two_layers())

    def last(text: str) -> str:
        return text[:-65] + chr(ord(text[-65]) ^ 1) + text[-64:]

    there = resealed(folder, tmp_path / "out", "two_weights.bin", last)
    assert statuses(check_library(there)) == {}
    assert statuses(check_library(there, network)) == {"two_weights.bin": "damaged"}
