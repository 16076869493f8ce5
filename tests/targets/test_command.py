"""isamap run and isamap check-hardware with --target: there, compared, and without figures that say nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from isamap_smt.cli.app import run
from isamap_smt.targets import Target

SIZES = ["--sizes", "i=5,j=9,k=7"]
ARM = ["--target", "aarch64-linux-musl"]


def test_the_document_of_an_emulated_run(arm: Target, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", "gemm", "neon", *SIZES, "--dtypes", "A=i8,B=i8,C=i32", *ARM, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["instruction"] == "neon.vmmlaq_s32" and found["exact"] is True
    assert found["seconds"] is None and found["gflops"] is None and found["repetitions"] == 0
    assert found["target"] == "aarch64-linux-musl" and found["executor"].startswith("qemu-aarch64 ")


def test_the_words_of_an_emulated_run(arm: Target, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", "gemm", "scalar", *SIZES, *ARM]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "passes as rounding" in said
    assert f"run once by {arm.executor()} for aarch64-linux-musl; an emulator's time is not speed" in said
    assert "FLOP/s" not in said


def test_the_first_program_says_what_takes_long(
    arm: Target, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ISAMAP_CACHE", str(tmp_path))
    note = f"note: the first program for {arm.name}: zig compiles that machine's C library for it"
    for sizes, times in ((SIZES, 1), (["--sizes", "i=2,j=2,k=2"], 0)):
        assert run(["run", "gemm", "scalar", *sizes, *ARM]) == 0
        assert capsys.readouterr().err.count(note) == times
    assert run(["run", "gemm", "scalar", *SIZES, "--target", "c", "--seconds", "0"]) == 0
    assert "the first program" not in capsys.readouterr().err


def test_a_run_here_says_where(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", "gemm", "scalar", *SIZES, "--target", "c", "--seconds", "0", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["target"] == "c" and found["executor"] and found["seconds"] > 0 and found["gflops"] > 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "gemm", "avx2", *SIZES, *ARM], "no instruction of avx2 has C for aarch64"),
        (["run", "gemm", "neon", *SIZES, *ARM, "--cc", "gcc"], "--target needs the compiler of the ziglang wheel"),
        (["check-hardware", "avx2", "--target", "e"], "unknown target 'e'"),
    ],
)
def test_misuse(arm: Target, words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(words) == 3
    assert said in capsys.readouterr().err


def test_instructions_are_checked_there(arm: Target, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["check-hardware", "neon", "--instruction", "vdotq_s32", "--results", "1000", "--json"]
    assert run([*words, *ARM]) == 0
    (told,) = json.loads(capsys.readouterr().out)["instructions"]
    assert told["status"] == "right" and told["emulated"] and told["emulator"] == arm.executor()


@pytest.mark.needs("avx2")
def test_another_architecture_is_not_emulated_by_chance(capsys: pytest.CaptureFixture[str]) -> None:
    """x86's emulated vectors are of no use to other machines, installed or not."""
    assert run(["check-hardware", "neon", "--instruction", "vdotq_s32"]) == 2
    assert "this CPU has no asimd, asimddp, and it is x86_64" in " ".join(capsys.readouterr().out.split())


@pytest.mark.needs("avx2")
def test_code_for_another_architecture_asks_for_its_target(
    capsys: pytest.CaptureFixture[str], in_empty_directory: object
) -> None:
    assert run(["compile", "gemm", "neon", *SIZES, "-o", "out"]) == 3
    assert (
        "need asimd, which exist on aarch64 alone, and this machine is x86_64: compile for another with --target"
        in (capsys.readouterr().err)
    )
