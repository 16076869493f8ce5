"""Files from which no machine can be made: which, at which key, and what to do. No file is carried out."""

from __future__ import annotations

from pathlib import Path

import pytest

import isamap_smt as im
from isamap_smt.cli.app import run
from tests.architectures.shown import NAMES, example

TPU, EYERISS, STATIONARY = (example(n).read_text() for n in ("tpu_like", "eyeriss_like", "weight_stationary"))

REFUSED = [
    ("not: an\narchitecture: of\nours: 1\n", "architecture: of stands where keys are expected"),
    ("one: 1\ntwo: 2\n", "keys one, two: an architecture of Timeloop has the key architecture"),
    ("- a\n- b\n", "it holds no keys"),
    ("architecture:\nversion: 0.4\n", "architecture: nothing stands here"),
    (TPU.replace("latency: 20", "latency: .inf"), "memories.dram.latency: inf is no number"),
    (TPU.replace("r_bw: 512", "r_bw: 0"), "memories.sram.r_bw: nothing is ever moved"),
    ("a: [\n", "line 2, column 1"),
    ("a: 1\na: 2\n", "line 1, column 1: key 'a' stands twice"),
    ("a: {{ depth }}\n  b\n", "it is a template of Jinja"),
    ("architecture: !include other.yaml\nx: 1\n", "architecture: !include other.yaml: other files are not included"),
    (TPU.replace("sizes: [16, 16]", "sizes: [16]"), r"operational_array.sizes: \[16\] are no sizes of D1, D2"),
    (TPU.replace("operands: [I1, I2, O]", "operands: [I1, O]"), "dram.operands: dram is the outermost memory and holds no I2"),
    (TPU.replace("operands: [I2]", "operands: [W]"), "memories.weights.operands: W: write those that it holds of I1, I2, O"),
    (TPU.replace("size: 64\n", "size: -4\n"), "memories.weights.size: -4 is no number from 1 on"),
    (TPU.replace("size: 64\n", "area2: 64\n"), "memories.weights: weights has no size"),
    (TPU.replace("size: 64\n", "size: 8\n").replace("size: 1048576", "size: 256"), "room for"),
    (TPU.replace("input_precision: [8, 8]", "is_imc: true"), "operational_array.is_imc: an array in memory"),
    (TPU.replace("input_precision: [8, 8]", "input_precision: 8"), "write the bits of inputs and of weights"),
    (EYERISS.replace("depth: 8192", "depth: DEPTH * 2"), r"nodes\[buffer\].attributes.depth: 'DEPTH \* 2' is no number of words"),
    (EYERISS.replace("depth: 8192", "n: 8192"), "buffer does not say its size; write depth and width"),
    (EYERISS.replace("intmac", "unheard"), "no component multiplies; add one of the class intmac"),
    (EYERISS.replace("keep: [Weights]", "keep: [Kernels]"), "dataspace 'Kernels': those known are Inputs"),
    (EYERISS.replace("meshX: 14", "meshX: many"), "spatial.meshX: many is no number"),
    (EYERISS.replace("read_bandwidth: 8", "read_bandwidth: 0"), "nothing is ever moved"),
    (STATIONARY.replace("column[0..15]", "column[5..2]"), r"'column\[5..2\]': the range holds nothing"),
    (STATIONARY.replace("meshX: 16", "meshX: 24"), "each needs the same number below it"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "said"), REFUSED, ids=[str(n) for n in range(len(REFUSED))])
def test_it_says_what_is_wrong_and_where(text: str, said: str) -> None:
    with pytest.raises(im.IsamapError, match=said):
        im.from_architecture(text)


def test_arguments_that_fit_nothing() -> None:
    with pytest.raises(im.IsamapError, match=r"unroll=k=7: the array has 16 \(D1\) x 16 \(D2\)"):
        im.from_zigzag(example("tpu_like"), unroll={"k": 7})
    with pytest.raises(im.IsamapError, match=r"in_time: q=4"):
        im.from_zigzag(example("tpu_like"), in_time={"q": 4})
    with pytest.raises(im.IsamapError, match="no number is called 'sram_sise'; did you mean"):
        im.from_zigzag(example("tpu_like"), sram_sise=4)
    with pytest.raises(im.IsamapError, match="dtypes of w: the operands are a, b, acc"):
        im.from_zigzag(example("tpu_like"), dtypes={"w": "i8"})
    with pytest.raises(im.IsamapError, match="whole numbers, or floating point, for all three"):
        im.from_zigzag(example("tpu_like"), dtypes={"acc": "f32"})
    with pytest.raises(im.IsamapError, match="an accelerator of ZigZag has memories"):
        im.from_zigzag(example("eyeriss_like"))
    with pytest.raises(im.IsamapError, match="stands below the key architecture"):
        im.from_timeloop(example("tpu_like"))


def test_no_tag_runs_code(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    for tag in (
        "!!python/object/apply:pathlib.Path.touch",
        "!!python/name:os.system",
        "!python/object/apply:os.system",
    ):
        with pytest.raises(im.IsamapError):
            im.from_architecture(f"architecture: {tag} [{mark}]\nversion: 1\n")
    assert not mark.exists()


def test_a_file_that_data_names_is_not_read(tmp_path: Path) -> None:
    from isamap_smt.language.loading import only_files

    with only_files([str(example("tpu_like"))]):
        assert im.find_hardware(str(example("tpu_like"))).engines
        with pytest.raises(im.IsamapError, match="is named by data"):
            im.find_hardware(str(example("eyeriss_like")))


def test_the_command_says_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "broken.yaml").write_text(TPU.replace("sizes: [16, 16]", "sizes: []"))
    assert run(["schedule", "gemm", str(tmp_path / "broken.yaml")]) == 3
    assert "broken.yaml: operational_array.sizes" in capsys.readouterr().err
    assert run(["schedule", "gemm", str(tmp_path / "brokn.yaml")]) == 3
    assert "did you mean broken.yaml" in capsys.readouterr().err


@pytest.mark.parametrize("name", NAMES)
def test_what_is_left_out_is_shown(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["list", "hardware", str(example(name))]) == 0
    out = capsys.readouterr().out
    machine = im.from_architecture(example(name))
    assert all(str(u)[:60] in out for u in machine.unread) and machine.unread


def test_the_traffic_is_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    import json

    import yaml

    words = ["schedule", "gemm", str(example("tpu_like")), "--sizes", "i=32,j=32,k=32", "--traffic"]
    assert run([*words, str(tmp_path / "t.yaml")]) == 0
    shown = capsys.readouterr()
    assert "column_sum" in shown.out and "note: tpu_like: memories.column_sum: holds acc" in shown.err
    assert run([*words, str(tmp_path / "t.json"), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)["traffic"]
    assert (
        document == json.loads((tmp_path / "t.json").read_text()) == yaml.safe_load((tmp_path / "t.yaml").read_text())
    )
