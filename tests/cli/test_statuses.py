"""Exit statuses and streams that all commands share."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from isamap_smt.cli import list_things
from isamap_smt.cli.app import COMMANDS, run


@pytest.mark.parametrize("name", COMMANDS)
def test_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([name, "--help"]) == 0
    said = capsys.readouterr()
    assert said.out.startswith(f"Usage: isamap {name} ")
    if name == "proofs":  # a group: its commands take the options
        assert run([name, "check", "--help"]) == 0
        said = capsys.readouterr()
    assert "--json" in said.out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("isamap, version ")


def test_no_command_is_misuse(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 3
    said = capsys.readouterr()
    assert said.out == ""
    assert "Commands:" in said.err


@pytest.mark.parametrize(
    "words", [["prove"], ["map", "gemm"], ["list", "nothing"], ["run", "gemm", "host"], ["mpa"], ["map", "gem", "x.y"]]
)
def test_misuse_is_told_in_json_too(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*words, "--json"]) == 3
    said = capsys.readouterr()
    text = json.loads(said.out)["error"]
    assert text and text in said.err


def test_a_fault_of_ours_is_neither_refuted_nor_misuse(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> None:
        raise ZeroDivisionError("inside")

    monkeypatch.setattr(list_things, "list_kernels", fail)
    assert run(["list", "kernels", "--json"]) == 4
    said = capsys.readouterr()
    assert "Traceback" in said.err
    assert "This is a fault of isamap" in said.err
    assert json.loads(said.out) == {"error": "ZeroDivisionError: inside"}


def test_a_reader_that_has_seen_enough() -> None:
    """`isamap list instructions --json | head -1` is no refutation: the process ends by the signal, in silence."""
    command = [sys.executable, "-m", "isamap_smt", "list", "instructions", "--json"]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdout is not None and child.stderr is not None
    child.stdout.read(1)
    child.stdout.close()
    said = child.stderr.read()
    child.stderr.close()
    assert child.wait(timeout=60) in (0, -13)  # 0 where the pipe took everything before it was closed
    assert said == b""


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["run", "resnet9"], "no model or kernel is called 'resnet9'; did you mean resnet8?"),
        (["map", "gem"], "no kernel is called 'gem'; did you mean gemm"),
    ],
)
def test_a_name_alone_that_nothing_has_is_told(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(words) == 3
    assert told in capsys.readouterr().err


def test_a_kernel_alone_lacks_its_machine(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", "gemm"]) == 3
    said = capsys.readouterr().err
    assert "missing argument HARDWARE" in said and "is called" not in said
