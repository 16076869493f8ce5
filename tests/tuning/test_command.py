"""isamap calibrate and isamap tune, and the page about them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from isamap_smt.cli.app import run
from tests.docs.pages import Session
from tests.tuning.conftest import change_records


def test_there_is_nothing_to_show_before_a_calibration(caches: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["calibrate", "--show"]) == 3
    assert "there is no calibration at" in capsys.readouterr().err


def test_a_search_prints_one_document_or_a_table(caches: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["tune", "gemm", "--sizes", "i=48,j=64,k=32", "--strategy", "random", "--trials", "4", "--seed", "1"]
    assert run([*command, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["winner"]["seconds"] <= told["winner"]["baseline"] and told["reused"] == 0
    assert len(told["trials"]) == 4 and {t["status"] for t in told["trials"]} == {"ok"}
    assert -1 <= told["rank_correlation"]["analytic"] <= 1
    assert all(t["predicted"]["analytic"] > 0 and t["schedule"] for t in told["trials"])
    assert run([*command, "--trials", "1"]) == 0
    shown = capsys.readouterr().out
    assert "4 of them measured before" in shown and "rank correlation (Spearman) of the analytic model" in shown
    assert "kept: " in shown


def test_a_kernel_without_instructions_has_nothing_to_tune(caches: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`amx` multiplies no f32: `compile` makes element-by-element code, and both say why in one note."""
    words = ["gemm", "amx", "--sizes", "i=6,j=5,k=4"]
    assert run(["compile", *words, "-o", str(caches / "made")]) == 0
    (note,) = capsys.readouterr().err.splitlines()
    assert note.startswith("note: gemm is computed element by element, in portable C: no vector instruction of amx")
    assert run(["tune", *words]) == 0
    said = capsys.readouterr()
    assert said.err == f"{note}\n"
    assert said.out.splitlines()[1].startswith(
        "there is nothing to tune: no instruction is used, and loops over single"
    )
    assert "the number of threads is the caller's" in said.out
    assert run(["tune", *words, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["winner"], told["trials"], told["ended"]) == (None, [], said.out.splitlines()[1])
    assert [f"note: {n}" for n in told["notes"]] == [note]
    assert run(["tune", *words, "--fix", "tile.k=2"]) == 3
    assert "and it has no registers for single elements" in capsys.readouterr().err


def test_a_damaged_trial_is_told_by_the_next_search_and_by_schedule(
    caches: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["gemm", "--sizes", "i=8,j=16,k=8"]
    search = ["tune", *words, "--strategy", "random", "--trials", "1"]
    assert run(search) == 0
    change_records("{}")
    capsys.readouterr()
    assert run(["schedule", "gemm", "host", *words[1:]]) == 0
    said = capsys.readouterr()
    assert "the winner of an earlier search was left out" in " ".join((said.out + said.err).split())
    assert run(search) == 0
    assert "holds 1 trial of this kernel with a damaged schedule" in capsys.readouterr().err


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("does", "status", "said"), [("kill -9 $PPID", 4, "(2 crashed)"), ("exit 1", 3, "(2 failed)")])
def test_a_search_without_a_time_is_no_success(
    caches: Path, capsys: pytest.CaptureFixture[str], does: str, status: int, said: str
) -> None:
    """The compiler ends the worker that started it, or refuses."""
    compiler = caches / "compiler"
    compiler.write_text(f"#!/bin/sh\n[ $1 = --version ] && echo gcc of this test && exit\n{does}\n")
    compiler.chmod(0o755)
    words = ["tune", "gemm", "--sizes", "i=8,j=16,k=8", "--trials", "2", "--strategy", "random", "--cc", str(compiler)]
    assert run([*words, "--json"]) == status
    told = capsys.readouterr()
    assert told.err == f"error: no program could be measured {said}; their reasons are above\n"
    found = json.loads(told.out)
    assert found["winner"] is None and found["ended"] == "2 programs were tried"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["tune", "gemm"], "missing: give their sizes"),
        (["tune", "gemm", "--sizes", "i=8,j=8,k=8", "--strategy", "rondom"], "did you mean random?"),
        (["tune"], "give one KERNEL"),
        (["tune", "gemm", "host", "--hardware", "avx2"], "two machines: host and --hardware avx2; give one"),
        (["tune", "gemm", "host", "avx2"], "a HARDWARE may follow"),
        (["tune", "gemm", "hots"], "did you mean host?"),
        (["tune", "gemm", "--sizes", "i=8,j=8,k=8", "--cost-model", "calibrated"], "run `isamap calibrate`"),
    ],
)
def test_misuse_is_told(caches: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str) -> None:
    assert run(words) == 3
    assert said in capsys.readouterr().err


def test_the_page_runs(caches: Path, in_empty_directory: Path, repository: Path) -> None:
    session = Session(repository / "docs" / "tuning.md")
    session.read()
    assert session.ran["python"] == session.ran["outputs"] == 1
