"""isamap check-hardware, im.check_hardware() and the pytest plugin's helper."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import isamap_smt as im
from isamap_smt.cli.app import run
from isamap_smt.pytest_plugin import assert_described
from tests.conformance.test_first_use import RIGHT, WRONG, machine

needs = pytest.mark.needs("avx2", "fma")


@needs
def test_a_right_machine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = machine(tmp_path, RIGHT)
    assert (
        run(["check-hardware", where, "--results", "1000", "--instruction", "own", "--instruction", "avx2.zero_f32"])
        == 0
    )
    assert capsys.readouterr().out == "mine is right: 2 of 2 instructions do what their descriptions say\n"


@needs
def test_a_wrong_machine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["check-hardware", machine(tmp_path, WRONG["subtracts"]), "--results", "1000", "--seed", "3", "--json"]
    assert run([*words, "--instruction", "own"]) == 5
    document = json.loads(capsys.readouterr().out)
    assert (document["hardware"], document["verdict"], document["seed"]) == ("mine", "wrong", 3)
    (told,) = document["instructions"]
    assert told["name"] == "mine.own" and told["status"] == "wrong" and "results are wrong" in told["reason"]


def test_a_machine_that_cannot_be_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check-hardware", "wmma"]) == 2
    said = capsys.readouterr().out
    assert "wmma.16x16x16: not run: its description has no `emit`" in said
    assert "wmma is not known to be right: 0 of 3 instructions" in said


def test_misuse(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check-hardware", "avx21"]) == 3
    assert run(["check-hardware", "avx2", "--instruction", "fmad_ps"]) == 3
    assert "avx2 has no instruction 'fmad_ps'; did you mean fmadd_ps" in capsys.readouterr().err


@needs
def test_the_api_and_its_seed() -> None:
    told: list[str] = []
    found = im.check_hardware(
        "avx2", only=["fmadd_ps", "load_f32"], results=500, seed=4, progress=lambda done, of, name: told.append(name)
    )
    assert isinstance(found, im.HardwareCheck)
    assert found.verdict == "right" and told == ["avx2.fmadd_ps", "avx2.load_f32"]
    assert [t.title for t in found.tables()] == ["Instructions"]


@needs
def test_the_helper_of_the_plugin(tmp_path: Path) -> None:
    assert_described("avx2", only=["fmadd_ps"], results=500)
    with pytest.raises(AssertionError, match=r"mine\.own does not do what its description says"):
        assert_described(machine(tmp_path, WRONG["overwrites"]), only="own", results=500)
    with pytest.raises(AssertionError, match="has no `emit`"):
        assert_described("wmma")
